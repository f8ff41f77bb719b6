"""RIT-RAG: the tools, and what the agent reads of documents with distant evidence."""

from __future__ import annotations

import numpy as np
import pytest

from psirag.corpus import Question, count_tokens
from psirag.errors import PsiragError
from psirag.evaluation import bootstrap_interval, evaluate
from psirag.index import Index
from psirag.readers import Decision
from psirag.transcript import Answer
from psirag.variants import RitRag, RulesPolicy, section_forest, tool_calls
from psirag.variants.rit_agent import tables_of
from tests.club_documents import CROSS, TITLES, club
from tests.hashing_encoder import HashingEncoder

QUESTION = CROSS[0][0]


@pytest.fixture(scope="module")
def rit():
    return RitRag.build(club(), encoder=HashingEncoder(64))


def test_the_two_tools(rit):
    table = rit.get_toc("Who loses a key of the boat house?")
    best = int(table.nodes[np.nanargmax(table.scores)])
    assert rit.forest.path(best) == ("Boat house", "Keys", "Lost keys")
    assert table.words == ("who", "loses", "key", "boat", "house")
    row = dict(zip(table.words, table.holds[table.nodes.tolist().index(best)], strict=True))
    assert row == {"who": False, "loses": True, "key": True, "boat": True, "house": True}
    content = rit.get_content([best, 0, best])
    assert [hit.text for hit in content] == [rit.forest.own_text(best), rit.forest.own_text(0)]
    assert content.nodes.tolist() == [best, 0]
    assert content.tokens.tolist() == [count_tokens(hit.text) for hit in content]
    assert not rit.get_content([]).hits


@pytest.mark.oracle
def test_weights_are_inverse_frequencies_among_sections_with_text(rit):
    table = rit.get_toc("penalty Heron zebra")
    nodes = [node for node in range(rit.forest.n_nodes) if rit.forest.own_text(node)]
    texts = ["\n".join([*rit.forest.path(node), rit.forest.own_text(node)]).casefold() for node in nodes]
    counts = [sum("penalt" in text for text in texts), sum("heron" in text for text in texts)]
    expected = [np.log(1 + (len(nodes) - c + 0.5) / (c + 0.5)) for c in counts]
    assert table.weights == pytest.approx([*expected, 0.0])


def test_settings_change_the_table(rit):
    def table(**settings):
        return RitRag(rit.index, rit.forest, **settings).get_toc(QUESTION)

    assert (~np.isnan(table(n_nodes=2).scores)).sum() == 2
    assert len(table(n_chunks=3).found) == 3
    assert len(table(toc_tokens=30).dropped) > 0
    assert set(table(sides=("sparse",)).found.trace.sides) == {"sparse"}


def test_ask_reads_whole_sections_and_counts_its_calls(rit):
    answer = rit.ask(QUESTION)
    assert isinstance(answer, Answer)
    tables, contents = tables_of(answer.steps)
    assert tables[0].query == QUESTION
    read = [node for content in contents for node in content.nodes.tolist()]
    expected = {rit.chunks[i].id for node in read for i in rit.forest.chunk_range(node)}
    assert {hit.chunk.id for hit in answer.hits} == expected
    calls = tool_calls(answer)
    assert calls == (len(tables), len(contents), len(set(read)))
    assert calls.total == len(answer.queries)
    assert answer.steps[0].decision.prompt == tables[0].text
    assert "get\\_content(" in answer.to_markdown()
    assert answer.to_dict()["hits"]


def test_k_is_the_most_sections_of_one_call(rit):
    for k in (1, 2):
        assert max(len(content.nodes) for content in tables_of(rit.ask(QUESTION, k).steps)[1]) <= k


def test_max_calls_is_the_most_calls(rit):
    for most in (1, 2, 3):
        answer = RitRag(rit.index, rit.forest, max_calls=most).ask(QUESTION)
        assert 1 <= tool_calls(answer).total <= most
    assert tool_calls(RitRag(rit.index, rit.forest, max_calls=1).ask(QUESTION)) == (1, 0, 0)


def test_retrieve_gives_chunks_read_then_those_shown(rit):
    tables, contents = tables_of(rit.ask(QUESTION).steps)
    read = [node for content in contents for node in content.nodes.tolist()]
    shown = {int(n) for t in tables for n in t.nodes[~np.isnan(t.scores)]}
    found = rit.retrieve(QUESTION, k=100)
    nodes = [hit.chunk.metadata["node"] for hit in found]
    assert nodes[: len(read)] == read
    assert set(nodes[len(read) :]) == shown - set(read)
    assert [hit.node for hit in rit.retrieve(QUESTION, k=2)] == [hit.node for hit in found[:2]]
    assert len({hit.chunk.id for hit in found}) == len(found)
    assert found.trace.nodes_scored == sum(table.trace.nodes_scored for table in tables)


def test_a_table_of_contents_is_a_query(rit):
    tables, _ = tables_of(rit.ask(QUESTION).steps)
    assert rit.retrieve(QUESTION).trace.queries == len(tables)


def test_sections_of_several_chunks_take_turns():
    bats, owls = "Bats hunt moths. Bats hunt at night. Bats hunt alone.", "Owls hunt mice. Owls hunt alone."
    text = f"# A\n\n## Bats\n\n{bats}\n\n## Owls\n\n{owls}"
    rit = RitRag.build([text], encoder=HashingEncoder(64), max_tokens=4)
    found = rit.retrieve("Do bats or owls hunt?", k=9)
    assert len(found) == 5
    assert [hit.chunk.metadata["node"] for hit in found][:4] in ([1, 2, 1, 2], [2, 1, 2, 1])


def test_copies_of_a_text_are_duplicates_of_each_other():
    rit = RitRag.build(
        ["# A\n\nBats hunt moths.", "# B\n\nBats hunt moths.", "# C\n\nOwls."], encoder=HashingEncoder(64)
    )
    table = rit.get_toc("bats")
    assert {0, 1} <= set(table.nodes.tolist())
    assert rit.get_content([1])[0].duplicates == (0,)


def test_a_question_that_is_a_number_or_a_call_is_still_the_question(rit):
    for question in ("35", "get_content(3)"):
        assert tables_of(rit.ask(question).steps)[0][0].query == question


class Script:
    """A reader that says what it is told to."""

    name = "script"

    def __init__(self, *calls):
        self.calls = list(calls)

    def decide(self, state, *, may_retrieve):
        call = self.calls.pop(0) if may_retrieve and self.calls else ""
        return Decision("retrieve", queries=(call,)) if call else Decision("answer", "done")


def test_any_reader_calls_the_tools(rit):
    policy = Script("get_content(13, 999)", "7", "get_toc(launch Otter)", "what about ice")
    answer = RitRag(rit.index, rit.forest, policy=policy, max_calls=5).ask(QUESTION)
    tables, contents = tables_of(answer.steps)
    assert [content.nodes.tolist() for content in contents] == [[13], [7]]
    assert [table.query for table in tables] == [QUESTION, "get_toc(launch Otter)", "what about ice"]
    assert answer.text == "done"
    assert [hit.chunk.metadata["node"] for hit in answer.hits] == [13, 7]


def test_it_is_a_system_that_can_be_evaluated(rit):
    questions = [
        Question(str(i), q, (answer,), tuple(TITLES[d] for d in gold)) for i, (q, gold, answer) in enumerate(CROSS)
    ]
    measured = evaluate(rit, questions, k=[5])
    assert measured.table()["system"].tolist() == ["RIT-RAG"]
    assert measured.table()["recall@5"][0] > 0.5
    assert rit.settings["policy"] == "rules over headings"


def test_deterministic(rit):
    again = RitRag.build(club(), encoder=HashingEncoder(64))
    for question, *_ in CROSS[:3]:
        assert rit.ask(question).queries == again.ask(question).queries


def test_documents_without_headings_and_one_document():
    rit = RitRag.build(["Bats hunt moths.", "Owls hunt mice."], encoder=HashingEncoder(64), policy=RulesPolicy())
    assert rit.get_toc("owls").text.startswith("[1] Owls") is False
    assert rit.ask("What do owls hunt?").hits[0].text == "Owls hunt mice."
    alone = RitRag.build(["# A\n\nBats hunt moths."], encoder=HashingEncoder(64))
    assert tool_calls(alone.ask("bats?")) == (1, 1, 1)


@pytest.mark.oracle
def test_it_reads_from_both_documents_of_questions_across_documents(rit):
    both = [set(gold) <= {h.chunk.document for h in rit.ask(q).hits} for q, gold, _ in CROSS]
    assert bootstrap_interval(both).mean >= 0.8


def test_wrong_input(rit):
    with pytest.raises(PsiragError, match="over the forest's chunks"):
        RitRag(Index.build(["bats", "owls"], encoder=HashingEncoder(64)), rit.forest)
    with pytest.raises(PsiragError, match="index must be an Index"):
        RitRag(rit.forest, rit.index)
    with pytest.raises(PsiragError, match="forest must be a SectionForest"):
        RitRag(rit.index, section_forest(club()).chunks)
    for name in ("n_chunks", "n_nodes", "toc_tokens", "max_calls"):
        with pytest.raises(PsiragError, match=name):
            RitRag(rit.index, rit.forest, **{name: 0})
    with pytest.raises(PsiragError, match="sides"):
        RitRag(rit.index, rit.forest, sides=("dense",))
    with pytest.raises(PsiragError, match="needs nodes below"):
        rit.get_content([10_000])
    with pytest.raises(PsiragError, match="get_content's nodes"):
        rit.get_content(["3"])
    with pytest.raises(PsiragError, match="k must be at least 1"):
        rit.retrieve("bats", 0)
    with pytest.raises(PsiragError, match="ask needs a question"):
        rit.ask(" ")
    with pytest.raises(PsiragError, match="policy must be a reader"):
        RitRag(rit.index, rit.forest, policy=3)

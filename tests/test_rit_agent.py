"""The rules that call RIT-RAG's tools, by hand arithmetic on small tables of contents."""

from __future__ import annotations

import numpy as np
import pytest

from psirag.errors import PsiragError
from psirag.readers import AgentState, Decision
from psirag.retrieval.trace import Retrieval, Trace
from psirag.variants import RitRag, RulesPolicy, TableOfContents, tool_calls
from psirag.variants.rit_agent import choose_sections, missing_words, parse_call, parse_numbers, tables_of
from tests.club_documents import CROSS, club
from tests.hashing_encoder import HashingEncoder

NOTHING = Retrieval("q", (), Trace((), 0))


def table(scores, holds, *, weights=None, documents=None, tokens=None):
    """A table of contents with these columns; node numbers are 10, 11, …"""
    n, holds = len(scores), np.array(holds, dtype=bool)
    return TableOfContents(
        "q", (), NOTHING.trace,
        nodes=np.arange(10, 10 + n),
        depth=np.zeros(n, dtype=np.int64),
        documents=np.array(documents if documents is not None else range(n)),
        scores=np.array(scores, dtype=np.float64),
        tokens=np.array(tokens if tokens is not None else [10] * n),
        titles=tuple("abcdefgh"[:n]),
        words=tuple("uvwxyz"[: holds.shape[1]]),
        weights=np.array(weights if weights is not None else [1.0] * holds.shape[1]),
        holds=holds,
        found=NOTHING,
    )  # fmt: skip


@pytest.mark.oracle
def test_sections_that_add_words_come_first():
    # Words u v w weigh a third each, a new document counts them twice, and 1 / rank is added: a 2/3 + 1, b 2/3 + 1/2,
    # c 4/3 + 1/3, so a ties with c at 5/3 and comes first; then v w are left: b 0 + 1/2, c 4/3 + 1/3.
    toc = table([0.9, 0.8, 0.7], [[1, 0, 0], [1, 0, 0], [0, 1, 1]])
    assert choose_sections(toc, [], 100) == [10, 12, 11]
    assert choose_sections(toc, [], 100, at_least=0) == [10, 12]
    assert choose_sections(toc, [], 100, at_most=1) == [10]


@pytest.mark.oracle
def test_another_document_is_preferred_where_one_does_not_cover_the_question():
    # After a (u, document 0): b adds v, which its document shows: 1/3 + 1/2; c adds w, which no document read does:
    # 2/3 + 1/3. With three documents b adds 2/3 + 1/2.
    holds = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert choose_sections(table([0.9, 0.8, 0.7], holds, documents=[0, 0, 1]), [], 100) == [10, 12, 11]
    assert choose_sections(table([0.9, 0.8, 0.7], holds, documents=[0, 1, 2]), [], 100) == [10, 11, 12]


def test_weights_count():
    holds = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert choose_sections(table([0.9, 0.8, 0.7], holds, weights=[1, 1, 9]), [], 100) == [12, 10, 11]


def test_ancestors_empty_and_read_sections_are_not_read():
    toc = table([np.nan, 0.9, 0.8, 0.7], [[0], [1], [1], [1]], tokens=[10, 0, 10, 10])
    assert choose_sections(toc, [], 100) == [12, 13]
    assert choose_sections(toc, [12], 100) == [13]
    assert choose_sections(table([], np.empty((0, 1))), [], 100) == []


def test_the_budget_passes_over_what_does_not_fit_but_never_reads_nothing():
    toc = table([0.9, 0.8, 0.7], [[1], [1], [1]], tokens=[50, 30, 10])
    assert choose_sections(toc, [], 60) == [10, 12]
    assert choose_sections(toc, [], 5) == [10]
    assert choose_sections(toc, [99], 5) == []


def test_words_without_weight_change_nothing():
    toc = table([0.7, 0.9], [[1], [0]], weights=[0.0])
    assert choose_sections(toc, [], 100) == [11, 10]
    assert missing_words(toc, []) == []


@pytest.mark.oracle
def test_missing_words_are_told_from_a_fifth_of_the_weight_on():
    toc = table([0.9, 0.8], [[1, 0, 0], [0, 1, 0]], weights=[4.0, 3.0, 1.0])
    assert missing_words(toc, []) == ["u", "v", "w"]
    assert missing_words(toc, [10]) == ["v", "w"]
    assert missing_words(toc, [10, 11]) == []
    fifth = table([0.9, 0.8], [[1, 0, 0], [0, 1, 0]], weights=[4.0, 3.0, 1.75])
    assert missing_words(fifth, [10, 11]) == ["w"]


@pytest.mark.parametrize(("call", "told"), [
    ("GET_CONTENT: 3", ("get_content", "3")), ("get_toc( owls (small) )", ("get_toc", "owls (small)")),
    ("get_toc()", ("get_toc", "get_toc()")), ("3; 4", ("get_content", "3; 4")), ("room 3", ("get_toc", "room 3")),
    ("get_content(a\n2)", ("get_content", "a\n2")),
])  # fmt: skip
def test_calls(call, told):
    assert parse_call(call) == told


def test_numbers():
    assert parse_numbers("none") == []
    assert parse_numbers("7, 07 and [12]") == [7, 12]


@pytest.fixture(scope="module")
def rit():
    return RitRag.build(club(), encoder=HashingEncoder(64))


def test_the_budget_holds_over_all_calls(rit):
    for budget in (30, 60, 120):
        reading = RitRag(rit.index, rit.forest, policy=RulesPolicy(read_tokens=budget))
        for question, *_ in CROSS:
            assert sum(int(c.tokens.sum()) for c in tables_of(reading.ask(question).steps)[1]) <= budget


def test_a_second_table_carries_missing_words_and_what_was_read(rit):
    reading = RitRag(rit.index, rit.forest, policy=RulesPolicy(read_tokens=60))
    answer = reading.ask(
        "Who looks after a damaged rudder, the horn in fog and the solvents of the annual meeting?", k=1
    )
    tables, contents = tables_of(answer.steps)
    assert tool_calls(answer)[:2] == (2, 2)
    (node,) = contents[0].nodes.tolist()
    assert tables[1].query.endswith(rit.forest.own_text(node) + ")")
    assert set(missing_words(tables[0], [node])) <= set(tables[1].query[len("get_toc(") :].split())
    assert 0 < len(contents[1].nodes) <= 2
    one_less = RitRag(rit.index, rit.forest, policy=RulesPolicy(read_tokens=60), max_calls=3)
    assert tool_calls(one_less.ask(tables[0].query, k=1)) == (1, 1, 1)


def test_the_reader_answers_from_what_was_read(rit):
    class Counts:
        name = "counts"

        def decide(self, state, *, may_retrieve):
            return Decision("answer", f"{len(state.evidence)} {may_retrieve}")

    answer = RitRag(rit.index, rit.forest, policy=RulesPolicy(Counts())).ask(CROSS[0][0])
    assert answer.text == f"{len(answer.hits)} False"
    assert answer.reader == "counts over headings"


def test_without_the_tools_it_only_answers():
    assert RulesPolicy().decide(AgentState("Who?", (), (), 1, 1), may_retrieve=True).action == "not_mentioned"


def test_wrong_input():
    with pytest.raises(PsiragError, match="read_tokens must be at least 1"):
        RulesPolicy(read_tokens=0)

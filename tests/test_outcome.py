"""One system on one question: figures by hand, costs counted from a real transcript, failures as outcomes."""

from __future__ import annotations

import pickle
from collections import Counter
from types import SimpleNamespace

import pytest

from psirag.agent import Agent
from psirag.corpus import Question
from psirag.errors import PsiragError
from psirag.evaluation import AgentSystem, Outcome, SearchSystem
from psirag.evaluation.outcome import run_question
from psirag.index import Index
from psirag.readers import Decision
from psirag.retrieval.trace import Retrieval
from tests.hashing_encoder import HashingEncoder

PASSAGES = [
    {"title": "Beaver", "text": "Beavers build dams."},
    {"title": "Dam", "text": "Dams slow rivers."},
    {"title": "Bat", "text": "Bats hunt moths."},
    {"title": "Owl", "text": "Owls hunt mice."},
]
QUESTION = Question("q", "What do beavers build?", answers=("dams", "a dam"), supporting_titles=("Beaver", "Bat"))
NEVER = Question("n", "What do otters build?", answerable=False, kind="unanswerable")


class Scripted:
    """Plays its decisions, then repeats the last."""

    name = "scripted"

    def __init__(self, *script):
        self.script, self.turn = script, 0

    def decide(self, state, *, may_retrieve):
        entry = self.script[min(self.turn, len(self.script) - 1)]
        self.turn += 1
        if isinstance(entry, Exception):
            raise entry
        return entry


@pytest.fixture(scope="module")
def index():
    return Index.build(PASSAGES, encoder=HashingEncoder(), abstraction="centroid")


def run_one(system, question, depths, *, chunks):
    return run_question(system, question, depths, ask=True, chunks=chunks, odd=Counter())


def asked(index, *script, question=QUESTION, depths=(1, 4), **settings):
    system = AgentSystem("agent", Agent(index, Scripted(*script), **settings), passages=2)
    return run_one(system, question, depths, chunks=index.chunks)


@pytest.mark.oracle
def test_a_retrieval_by_hand(index):
    system = SearchSystem("flat", index, sides=("flat",))
    found = run_one(system, QUESTION, (1, 9), chunks=index.chunks)
    assert (found.system, found.question, found.status, found.text) == ("flat", "q", "retrieved", "")
    assert found.hits[0] == 0
    assert sorted(found.hits) == [0, 1, 2, 3]  # a k beyond the hits is no error
    assert found.figures == {
        "recall@1": 0.5, "recall@9": 1.0, "fused_recall@1": 0.5, "fused_recall@9": 1.0,
        "answer_present@1": 1.0, "answer_present@9": 1.0,
        "nodes_scored": 4.0, "queries": 1.0, "model_calls": 0.0, "tokens": 0.0,
    }  # fmt: skip
    assert found.seconds["seconds"] == found.seconds["retrieval_seconds"] > 0


@pytest.mark.oracle
def test_both_orders(index):
    """The reader's order counts for recall, the order of the scores for fused_recall."""
    bat_first = Decision("answer", "dams", evidence={2: 9.0})
    found = asked(index, Decision("retrieve", queries=("bats",)), bat_first, depths=(1,))
    assert found.hits == (2,)
    owl = Question("q", QUESTION.question, supporting_titles=("Beaver",))
    by_reader = asked(
        index,
        Decision("retrieve", queries=("bats",)),
        bat_first,
        question=owl,
        depths=(1,),
        retrieve={"sides": ("flat",)},
    )
    assert (by_reader.figures["recall@1"], by_reader.figures["fused_recall@1"]) == (0.0, 1.0)


@pytest.mark.oracle
def test_what_an_answer_costs(index):
    script = [
        Decision("unparsed", prompt="p", tokens=5),
        Decision("retrieve", queries=("bats", "owls"), prompt="p", tokens=7),
        Decision("answer", "dams", prompt="p", tokens=1),
    ]
    found = asked(index, *script, max_retrievals=3, retrieve={"sides": ("flat",)})
    costs = {name: found.figures[name] for name in ("nodes_scored", "queries", "model_calls", "tokens")}
    assert costs == {"nodes_scored": 3 * 4.0, "queries": 3.0, "model_calls": 3.0, "tokens": 13.0}
    assert len(found.prompts) == 64
    assert found.seconds["seconds"] >= found.seconds["retrieval_seconds"] + found.seconds["decision_seconds"]
    rules = asked(index, Decision("answer", "dams"))
    assert (rules.figures["model_calls"], rules.prompts) == (0.0, "")


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("said", "em", "f1", "false", "not_mentioned"),
    [
        ("Dams.", 1, 1, 0, 0),
        ("big dams", 0, 2 / 3, 0, 0),
        ("lodges", 0, 0, 1, 0),  # no word in common: false
        ("Not mentioned", 0, 0, 0, 1),  # no answer is no wrong answer
    ],
)
def test_false_and_not_mentioned(index, said, em, f1, false, not_mentioned):
    figures = asked(index, Decision("answer", said)).figures
    assert figures["em"] == em
    assert figures["f1"] == figures["rouge_l"] == pytest.approx(f1)
    assert (figures["false"], figures["not_mentioned"]) == (false, not_mentioned)
    assert "answered_unanswerable" not in figures


@pytest.mark.parametrize(("action", "text", "answered"), [("answer", "dams", 1.0), ("not_mentioned", "", 0.0)])
def test_an_unanswerable_question_has_one_figure_and_its_costs(index, action, text, answered):
    figures = dict(asked(index, Decision(action, text), question=NEVER).figures)
    assert figures.pop("answered_unanswerable") == answered
    assert set(figures) == {"nodes_scored", "queries", "model_calls", "tokens"}


def test_without_gold_passages_or_answers_those_figures_are_absent(index):
    bare = asked(index, Decision("answer", "dams"), question=Question("b", "What?"))
    assert set(bare.figures) == {"not_mentioned", "nodes_scored", "queries", "model_calls", "tokens"}


def test_a_reader_that_fails_is_an_outcome(index):
    found = asked(index, RuntimeError("out of memory"))
    assert (found.status, found.error, dict(found.figures)) == ("failed", "RuntimeError: out of memory", {})


def test_a_refusal_is_an_outcome(index):
    found = run_one(SearchSystem("bad", index, sides=()), QUESTION, (2,), chunks=index.chunks)
    assert found.status == "failed"
    assert "sides" in found.error


def test_any_other_exception_passes_and_says_where(index):
    class Broken:
        name = "broken"

        def retrieve(self, question, k=5):
            raise ZeroDivisionError("division by zero")

    with pytest.raises(ZeroDivisionError) as told:
        run_one(Broken(), QUESTION, (2,), chunks=None)
    assert told.value.__notes__ == ["system 'broken', question 'q'"]


@pytest.mark.oracle
def test_several_searches_cost_what_they_cost(index):
    class Twice:
        name = "twice"

        def retrieve(self, question, k=5):
            found = [index.retrieve(query, k, sides=("flat",)) for query in (question, "bats")]
            return Retrieval.joined(question, found[1][:k], found)

    figures = run_one(Twice(), QUESTION, (2,), chunks=index.chunks).figures
    assert (figures["nodes_scored"], figures["queries"]) == (8.0, 2.0)
    plain = SimpleNamespace(name="plain", retrieve=lambda *_: list(index.retrieve("bats", 2)))
    figures = run_one(plain, QUESTION, (2,), chunks=None).figures
    assert ("nodes_scored" in figures, figures["queries"]) == (False, 1.0)


def test_an_outcome_has_the_words_of_its_question(index):
    broken = Question("b", "bad \ud800 text?", answers=("a \ud800",))
    found = run_one(SearchSystem("s", index), QUESTION, (2,), chunks=index.chunks)
    assert (found.asked, found.answers) == (QUESTION.question, ("dams", "a dam"))
    refused = run_one(SearchSystem("s", index, sides=()), broken, (2,), chunks=None)
    assert (refused.asked, refused.answers) == ("bad \ufffd text?", ("a \ufffd",))


def test_within_a_document(index):
    system = SearchSystem("flat", index, sides=("flat",), within_document=True)
    about_bats = Question("q", "What hunts?", supporting_titles=("Bat",))
    assert run_one(system, about_bats, (4,), chunks=index.chunks).hits == (2,)
    assert run_one(system, QUESTION, (4,), chunks=index.chunks).status == "failed"  # two documents


def test_an_abstract_is_no_chunk(index):
    whole = SearchSystem("collapsed", index, sides=("tree",), nodes="all")
    assert -1 in run_one(whole, QUESTION, (9,), chunks=index.chunks).hits


def test_what_returns_something_else_is_refused(index):
    with pytest.raises(PsiragError, match="retrieve returns a Retrieval"):
        run_one(SimpleNamespace(name="s", retrieve=lambda *_: None), QUESTION, (2,), chunks=None)
    with pytest.raises(PsiragError, match=r"'s'.* must hold Hit only"):
        run_one(SimpleNamespace(name="s", retrieve=lambda *_: [1]), QUESTION, (2,), chunks=None)
    with pytest.raises(PsiragError, match="ask of 's' returns must be an Answer"):
        run_one(SimpleNamespace(name="s", ask=lambda *_: "dams"), QUESTION, (2,), chunks=None)


def test_seconds_do_not_count_when_outcomes_are_compared():
    first, second = (Outcome("s", "q", "", None, True, "retrieved", seconds={"seconds": s}) for s in (1.0, 2.0))
    assert first == second
    assert pickle.loads(pickle.dumps(first)) == first
    assert first != Outcome("s", "q", "", None, True, "retrieved", figures={"em": 1.0})

"""Going back to a step of an answer with other queries."""

from __future__ import annotations

import pytest

from psirag.agent import Agent
from psirag.errors import PsiragError
from psirag.index import Index
from psirag.readers import Decision
from tests.hashing_encoder import HashingEncoder


class Scripted:
    """A reader that says what it is told to, and keeps what it saw."""

    name = "scripted"

    def __init__(self, *decisions: Decision) -> None:
        self.decisions, self.seen = list(decisions), []

    def decide(self, state, *, may_retrieve):
        self.seen.append((state, may_retrieve))
        return self.decisions.pop(0)


ASK_MORE = Decision("retrieve", queries=("George Handel",))
DONE = Decision("answer", "Halle")


@pytest.fixture(scope="module")
def index() -> Index:
    return Index.build("toy", encoder=HashingEncoder())


def agent(index: Index, *decisions: Decision, **budget: int) -> Agent:
    return Agent(index, Scripted(*decisions), **budget)


def test_earlier_steps_stay_and_the_changed_queries_go_out(index):
    first = agent(index, ASK_MORE, DONE).ask("Where was the composer born?", k=2)
    again = agent(index, Decision("answer", "Bonn"))
    answer = again.resume(first, 2, ["Ludwig van Beethoven", "symphony"])
    assert answer.steps[0] is first.steps[0]
    assert answer.queries == ("Where was the composer born?", "Ludwig van Beethoven", "symphony")
    assert (answer.text, answer.status, answer.settings["k"]) == ("Bonn", "answered", 2)
    assert answer.steps[1].notes == ("queries changed by hand",)
    (state, may_retrieve), *_ = again.reader.seen
    assert (state.question, state.retrievals_left, may_retrieve) == (first.question, 0, False)


def test_going_back_to_the_first_step_replaces_the_question_as_query_only(index):
    first = agent(index, DONE).ask("Where?")
    answer = agent(index, ASK_MORE, DONE).resume(first, 1, ["planets"])
    assert (answer.question, answer.queries) == ("Where?", ("planets", "George Handel"))
    assert [step.notes for step in answer.steps] == [("queries changed by hand",), ()]


def test_the_budget_counts_what_was_kept(index):
    first = agent(index, ASK_MORE, DONE, max_retrievals=2).ask("Where?")
    with pytest.raises(PsiragError, match="needs a new query and a retrieval left"):
        agent(index, DONE, max_retrievals=1).resume(first, 2, ["planets"])
    with pytest.raises(PsiragError, match="needs a new query and a retrieval left"):
        agent(index, DONE, max_queries=1).resume(first, 2, ["planets"])
    answer = agent(index, DONE, max_queries=2).resume(first, 2, ["planets", "capitals"])
    assert answer.steps[1].notes == ("queries changed by hand", "not sent, no query left: capitals")


def test_a_correction_among_the_kept_steps_is_not_made_twice(index):
    bad = Decision("unparsed", "hm")
    first = agent(index, bad, ASK_MORE, DONE, max_retrievals=3).ask("Where?")
    answer = agent(index, bad, max_retrievals=3).resume(first, 3, ["planets"])
    assert (answer.status, answer.text, len(answer.steps)) == ("unparsed", "hm", 3)


def test_a_watcher_stops_it(index):
    first = agent(index, DONE).ask("Where?")
    answer = agent(index, ASK_MORE).resume(first, 1, ["planets"], watch=lambda _: True)
    assert (answer.status, len(answer.steps)) == ("stopped", 1)


@pytest.mark.parametrize(
    ("step", "queries", "says"),
    [
        (0, ["planets"], "step must be at least 1"),
        (2, ["planets"], "needs a step of the answer"),
        (1, "planets", "queries must be a sequence"),
        (1, [" "], "needs a new query"),
    ],
)
def test_what_resume_refuses(index, step, queries, says):
    first = agent(index, DONE).ask("Where?")
    with pytest.raises(PsiragError, match=says):
        agent(index, DONE).resume(first, step, queries)


def test_resume_needs_an_answer(index):
    with pytest.raises(PsiragError, match="resume needs an answer"):
        agent(index, DONE).resume("Where?", 1, ["planets"])

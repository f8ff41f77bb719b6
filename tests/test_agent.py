"""The R&A loop on a real index: scripted readers take every branch, and the budget holds whatever they say."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psirag.agent import Agent, new_queries
from psirag.errors import PsiragError
from psirag.index import Index
from psirag.readers import NOT_MENTIONED, AgentState, Decision, Reader, load_reader
from psirag.transcript import gather_evidence, order_hits
from tests.hashing_encoder import HashingEncoder

QUESTION = "Who wrote the oratorio Messiah?"


class Scripted:
    """A reader that plays its script and repeats the last entry; an entry is a Decision, an error or a function."""

    name = "scripted"

    def __init__(self, *script):
        self.script, self.states, self.allowed = script, [], []

    def decide(self, state, *, may_retrieve):
        self.states.append(state)
        self.allowed.append(may_retrieve)
        entry = self.script[min(len(self.states), len(self.script)) - 1]
        if isinstance(entry, BaseException):
            raise entry
        return entry(state) if callable(entry) else entry


class CountingIndex:
    """Passes everything on to a real index, and keeps what was asked."""

    def __init__(self, index):
        self.index, self.calls = index, []

    def retrieve(self, queries, k, **settings):
        self.calls.append((tuple(queries), k, settings))
        return self.index.retrieve(queries, k, **settings)


def retrieve(*queries, **details):
    return Decision("retrieve", queries=queries, **details)


def answer(text="Handel", **details):
    return Decision("answer", text, **details)


def more_each_time(state):
    return retrieve(f"more about {len(state.queries)}")


UNPARSED = Decision("unparsed", "Paris", raw="Paris")


@pytest.fixture(scope="module")
def toy():
    return Index.build("toy", encoder=HashingEncoder(), abstraction="centroid")


@pytest.fixture
def index(toy):
    return CountingIndex(toy)


def statuses(result):
    return [step.decision.action if step.decision else "" for step in result.steps]


def test_a_question_answered_at_once_costs_one_retrieval(index):
    reader = Scripted(answer())
    result = Agent(index, reader).ask(QUESTION, k=3)
    assert (result.text, result.status, result.queries) == ("Handel", "answered", (QUESTION,))
    assert index.calls == [((QUESTION,), 3, {})]
    assert len(result.hits) == 3
    assert reader.allowed == [True]


def test_the_paper_s_two_steps(index):
    reader = Scripted(retrieve("George Frideric Handel"), answer())
    result = Agent(index, reader, max_queries=2).ask(QUESTION)
    assert result.queries == (QUESTION, "George Frideric Handel")
    assert reader.allowed == [True, False]
    assert [state.queries_left for state in reader.states] == [1, 0]
    assert [state.retrievals_left for state in reader.states] == [1, 0]
    assert [step.number for step in result.steps] == [1, 2]


@pytest.mark.parametrize("max_retrievals", [1, 2, 3, 5])
def test_a_reader_that_never_stops_asking_is_stopped_by_the_budget(index, max_retrievals):
    reader = Scripted(more_each_time)
    result = Agent(index, reader, max_retrievals=max_retrievals).ask(QUESTION)
    assert len(reader.states) == len(index.calls) == max_retrievals
    assert reader.allowed == [True] * (max_retrievals - 1) + [False]
    assert (result.text, result.status) == (NOT_MENTIONED, "budget_exhausted")
    assert {hit.node for hit in result.hits} == {h.node for s in result.steps for r in s.retrievals for h in r}


@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=8),
    st.integers(1, 4),
    st.integers(1, 9),
)
@settings(max_examples=60, deadline=None)
def test_no_script_can_overspend(toy, moves, max_retrievals, max_queries):
    moves_of = [
        answer(),
        UNPARSED,
        retrieve(QUESTION),
        retrieve(""),
        retrieve("Danube", "Nile", "Seine"),
        more_each_time,
        retrieve("Venus"),
    ]
    index, reader = CountingIndex(toy), Scripted(*(moves_of[move] for move in moves))
    result = Agent(index, reader, max_retrievals=max_retrievals, max_queries=max_queries).ask(QUESTION, k=2)
    assert 1 <= len(index.calls) <= max_retrievals
    assert sum(len(queries) for queries, _, _ in index.calls) == len(result.queries) <= max_queries
    assert len(reader.states) == len(result.steps) <= max_retrievals + 1
    retrieved = {hit.chunk.id for step in result.steps for found in step.retrievals for hit in found}
    assert [hit.chunk.id for hit in result.hits] == list(dict.fromkeys(hit.chunk.id for hit in result.hits))
    assert {hit.chunk.id for hit in result.hits} == retrieved


def test_several_queries_go_out_in_one_counted_step(index):
    result = Agent(index, Scripted(retrieve("Danube", "Nile", "Venus"), answer())).ask(QUESTION)
    assert [queries for queries, _, _ in index.calls] == [(QUESTION,), ("Danube", "Nile", "Venus")]
    assert [len(step.retrievals) for step in result.steps] == [1, 3]
    assert [found.query for found in result.steps[1].retrievals] == ["Danube", "Nile", "Venus"]


def test_queries_beyond_the_budget_are_not_sent_and_noted(index):
    reader = Scripted(retrieve("Danube", "Nile", "Venus"), answer())
    result = Agent(index, reader, max_queries=3, max_retrievals=4).ask(QUESTION)
    assert result.queries == (QUESTION, "Danube", "Nile")
    assert result.steps[0].notes == ("not sent, no query left: Venus",)
    assert reader.allowed == [True, False]


def test_with_one_query_the_first_decision_is_the_last(index):
    reader = Scripted(more_each_time)
    result = Agent(index, reader, max_queries=1, max_retrievals=5).ask(QUESTION)
    assert (result.status, len(reader.states), reader.allowed) == ("budget_exhausted", 1, [False])


def test_a_repeat_is_not_sent_told_once_and_then_only_an_answer_is_allowed(index):
    reader = Scripted(retrieve(" who wrote the ORATORIO Messiah "))
    result = Agent(index, reader, max_retrievals=5).ask(QUESTION)
    assert (len(index.calls), len(reader.states)) == (1, 2)
    assert [state.told for state in reader.states] == ["", "repeated"]
    assert reader.allowed == [True, False]
    assert (result.status, result.text) == ("budget_exhausted", NOT_MENTIONED)
    assert "asked before" in result.steps[0].notes[0]


def test_after_a_repeat_an_answer_counts(index):
    result = Agent(index, Scripted(retrieve(QUESTION), answer())).ask(QUESTION)
    assert (result.status, statuses(result)) == ("answered", ["retrieve", "answer"])


def test_a_repeat_beside_something_new_is_left_out(index):
    result = Agent(index, Scripted(retrieve(QUESTION, "Danube", "danube!", "  "), answer())).ask(QUESTION)
    assert result.queries == (QUESTION, "Danube")
    assert len(result.steps[0].notes) == 3


@pytest.mark.parametrize("bad", [UNPARSED, retrieve(), retrieve("", " ?"), answer(" ")])
def test_an_unusable_reply_is_asked_for_once_more_outside_the_budget(index, bad):
    reader = Scripted(bad, answer())
    result = Agent(index, reader, max_retrievals=1).ask(QUESTION)
    assert (result.status, result.text) == ("answered", "Handel")
    assert [state.told for state in reader.states] == ["", "unparsed"]
    assert len(index.calls) == 1


def test_a_second_unusable_reply_ends_with_what_was_said(index):
    result = Agent(index, Scripted(UNPARSED)).ask(QUESTION)
    assert (result.status, result.text, len(result.steps)) == ("unparsed", "Paris", 2)


def test_an_empty_reply_twice_is_not_mentioned_but_marked_unparsed(index):
    result = Agent(index, Scripted(Decision("unparsed"))).ask(QUESTION)
    assert (result.status, result.text) == ("unparsed", NOT_MENTIONED)


def test_the_right_to_ask_survives_a_correction_but_not_a_repeat(index):
    reader = Scripted(UNPARSED, retrieve("Danube"), answer())
    assert Agent(index, reader).ask(QUESTION).status == "answered"
    assert reader.allowed == [True, True, False]
    reader = Scripted(retrieve(QUESTION), UNPARSED, retrieve("Danube"))
    assert Agent(index, reader, max_retrievals=5).ask(QUESTION).status == "budget_exhausted"
    assert reader.allowed == [True, False, False]


@pytest.mark.parametrize("decision", [Decision("not_mentioned"), answer("not mentioned.")])
def test_not_mentioned(index, decision):
    result = Agent(index, Scripted(decision)).ask(QUESTION)
    assert (result.status, result.text) == ("not_mentioned", NOT_MENTIONED)


@pytest.mark.parametrize("error", [RuntimeError("out of memory"), OSError("connection lost"), ValueError("bad shape")])
def test_a_reader_that_raises_leaves_the_steps_and_the_message(index, error):
    result = Agent(index, Scripted(retrieve("Danube", evidence={0: 1.0}), error)).ask(QUESTION)
    assert (result.status, result.text) == ("failed", NOT_MENTIONED)
    assert result.error == f"{type(error).__name__}: {error}"
    assert [step.decision is None for step in result.steps] == [False, True]
    assert result.steps[1].queries == ("Danube",)
    assert result.hits


def test_a_mistake_in_a_reader_s_code_reaches_the_caller(index):
    with pytest.raises(ZeroDivisionError):
        Agent(index, Scripted(lambda state: 1 / 0)).ask(QUESTION)
    with pytest.raises(PsiragError, match="decide returns a Decision, but got a str"):
        Agent(index, Scripted(lambda state: "Paris")).ask(QUESTION)


def test_hits_follow_the_reader_s_scores_then_the_retrieval_s(index):
    order = {}

    def turn_around(state):
        ids = [item.id for item in state.evidence]
        order["ids"] = [ids[-1], ids[-2], *ids[:-2]]
        return answer(evidence={ids[-1]: 2.0, ids[-2]: 1.0})

    result = Agent(index, Scripted(turn_around)).ask(QUESTION)
    assert [hit.chunk.id for hit in result.hits] == order["ids"]
    assert {hit.chunk.id for hit in result.fused_hits} == set(order["ids"])
    assert [hit.chunk.id for hit in result.fused_hits] != order["ids"]


def test_forged_evidence_never_becomes_a_hit(index):
    result = Agent(index, Scripted(answer(evidence={99: 9.0, -1: 8.0}))).ask(QUESTION)
    assert result.hits == result.fused_hits
    assert result.steps[0].notes == ("evidence -1, 99 was never retrieved: ignored",)


def test_evidence_keeps_the_best_score_and_the_first_step(toy):
    first, second = toy.retrieve(["Danube", "Which river flows through Vienna?"], 4)
    evidence = gather_evidence([[first], [], [second]])
    scores = [item.score for item in evidence]
    assert scores == sorted(scores, reverse=True)
    for item in evidence:
        seen = {step: hit.score for step, found in ((1, first), (3, second)) for hit in found if hit.node == item.id}
        assert (item.score, item.first_step) == (max(seen.values()), min(seen))
        assert (item.title, item.text) == (item.chunk.title, item.chunk.text)


def test_ties_fall_to_the_first_step_then_the_chunk_id(toy):
    late, early = toy.retrieve(["Venus", "Danube"], 5)
    evidence = gather_evidence([[early], [late]])
    level = order_hits(evidence, {item.id: 1.0 for item in evidence})
    steps = {item.id: item.first_step for item in evidence}
    assert [(steps[hit.chunk.id], hit.chunk.id) for hit in level] == sorted((steps[i], i) for i in steps)


def test_retrieval_settings_reach_the_index(index):
    result = Agent(index, Scripted(answer()), retrieve={"sides": ("sparse",), "pool": 4}).ask(QUESTION)
    assert index.calls == [((QUESTION,), 5, {"sides": ("sparse",), "pool": 4})]
    assert {side for hit in result.hits for side in hit.sides} == {"sparse"}


def test_abstracts_can_be_evidence(index):
    result = Agent(index, Scripted(answer()), retrieve={"nodes": "all"}).ask(QUESTION, k=20)
    assert any(hit.chunk is None for hit in result.hits)
    assert json.loads(json.dumps(result.to_dict()))["hits"]


def test_a_watcher_sees_every_step_and_may_stop(index):
    seen = []
    result = Agent(index, Scripted(retrieve("Danube"), answer())).ask(QUESTION, watch=seen.append)
    assert (tuple(seen), result.status) == (result.steps, "answered")
    stopped = Agent(index, Scripted(retrieve("Danube"), answer())).ask(QUESTION, watch=lambda step: True)
    assert (stopped.status, len(stopped.steps), stopped.text) == ("stopped", 1, NOT_MENTIONED)
    done = Agent(index, Scripted(answer())).ask(QUESTION, watch=lambda step: True)
    assert done.status == "answered"


def test_ask_runs_inside_a_running_event_loop(index):
    async def cell():
        return Agent(index, Scripted(answer())).ask(QUESTION)

    assert asyncio.run(cell()).status == "answered"


def test_one_agent_answers_many_questions_from_a_clean_slate(index):
    agent = Agent(index, "rules")
    once = agent.ask(QUESTION).to_dict()
    agent.ask("How long is the river Danube?")
    again = agent.ask(QUESTION).to_dict()
    for result in (once, again):
        for step in result["steps"]:
            del step["retrieval_seconds"], step["decision_seconds"]
    assert once == again


def test_the_transcript_holds_everything_as_plain_data(index):
    script = Scripted(
        retrieve("Danube", thought="need more", prompt="P", raw="R", tokens=7, probability=0.25, evidence={0: 1}),
        answer(evidence={1: 0.5}),
    )
    result = Agent(index, script, retrieve={"sides": ("tree", "sparse")}).ask(QUESTION, k=2)
    data = json.loads(json.dumps(result.to_dict()))
    first, last = data["steps"]
    assert first["decision"]["prompt"] == "P"
    assert (first["decision"]["tokens"], first["decision"]["probability"]) == (7, 0.25)
    assert last["decision"]["evidence"] == {"1": 0.5}
    assert [len(found) for found in first["hits"]] == [2]
    assert data["settings"] == {
        "k": 2,
        "max_retrievals": 2,
        "max_queries": 8,
        "retrieve": {"sides": ["tree", "sparse"]},
    }
    assert (data["reader"], data["status"], data["error"]) == ("scripted", "answered", "")
    assert all(step.seconds == step.retrieval_seconds + step.decision_seconds >= 0 for step in result.steps)


def test_markdown_shows_the_steps_and_lets_no_markup_through(index):
    said = answer("<script>alert(1)</script> **bold** [x](y)", thought="*why*")
    page = Agent(index, Scripted(retrieve(QUESTION, "Danube"), said)).ask("Is <b>this</b> it?").to_markdown()
    assert page.startswith("# Is &lt;b&gt;this&lt;/b&gt; it?")
    assert "## Step 2" in page
    assert "Query: Danube" in page
    assert "\\*why\\*" in page
    assert "<script>" not in page
    assert "**bold**" not in page


def test_markdown_of_a_failure_names_the_error(index):
    page = Agent(index, Scripted(RuntimeError("out of memory"))).ask(QUESTION).to_markdown()
    assert "(failed)" in page
    assert "Error: RuntimeError: out of memory" in page


@pytest.mark.parametrize("question", ["", "  \n", None, 3, ["Who?"]])
def test_a_question_is_a_text(index, question):
    with pytest.raises(PsiragError, match="ask needs a question"):
        Agent(index, Scripted(answer())).ask(question)


@pytest.mark.parametrize("wrong", [0, -1, True, 2.0, "2", None])
@pytest.mark.parametrize("setting", ["max_retrievals", "max_queries", "k"])
def test_budgets_are_whole_numbers(index, setting, wrong):
    budget = {} if setting == "k" else {setting: wrong}
    with pytest.raises(PsiragError, match=f"{setting} must be"):
        Agent(index, Scripted(answer()), **budget).ask(QUESTION, k=wrong if setting == "k" else 5)


@pytest.mark.parametrize("reader", [None, 3, object(), Scripted])
def test_a_reader_decides(index, reader):
    with pytest.raises(PsiragError, match="Agent needs a reader"):
        Agent(index, reader)


def test_settings_are_a_mapping_without_what_ask_sets(index):
    with pytest.raises(PsiragError, match="mapping of settings"):
        Agent(index, retrieve=["siblings"])
    with pytest.raises(PsiragError, match=r"holds settings of index\.retrieve, but got k"):
        Agent(index, retrieve={"k": 3})
    with pytest.raises(PsiragError, match="sides"):
        Agent(index, retrieve={"sides": ("typo",)}).ask(QUESTION)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"action": "guess"}, "action is one of"),
        ({"action": "retrieve", "queries": "one"}, "tuple of strings"),
        ({"action": "retrieve", "queries": (1,)}, "tuple of strings"),
        ({"action": "answer", "text": None}, "text is a string"),
        ({"action": "answer", "evidence": {0: float("nan")}}, "finite"),
        ({"action": "answer", "probability": float("inf")}, "finite"),
    ],
)
def test_a_decision_is_checked_when_made(wrong, says):
    with pytest.raises(PsiragError, match=says):
        Decision(**wrong)


def test_a_wrong_decision_inside_a_reader_fails_the_question_not_the_run(index):
    result = Agent(index, Scripted(lambda state: Decision("guess"))).ask(QUESTION)
    assert result.status == "failed"
    assert "action is one of" in result.error


def test_a_decision_s_evidence_cannot_change_afterwards():
    scores = {0: 1.0}
    decision = answer(evidence=scores)
    scores[1] = 2.0
    assert dict(decision.evidence) == {0: 1.0}
    with pytest.raises(TypeError):
        decision.evidence[0] = 3.0


def test_new_queries_by_hand():
    sent, notes = new_queries(["Who?", "who", " ", "where", "when"], ["Why?"], room=2)
    assert sent == ("Who?", "where")
    assert notes == ["not sent, asked before: who", "an empty query was not sent", "not sent, no query left: when"]


def test_readers_by_name():
    assert isinstance(load_reader(), Reader)
    assert load_reader("auto").name == load_reader("rules").name == "rules"
    for wrong in ("gpt", None, ""):
        with pytest.raises(PsiragError, match='load_reader takes "auto", "rules", one of smollm2'):
            load_reader(wrong)


def test_a_state_lists_its_queries():
    assert AgentState("Who?", (), (), 1, 1).queries == ()

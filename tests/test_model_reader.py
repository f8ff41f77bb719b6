"""A model as reader: scripted models take every branch of loop and parser, by tag and by likelihood."""

from __future__ import annotations

import json
import math

import pytest

from psirag.agent import Agent
from psirag.errors import PsiragError
from psirag.index import Index
from psirag.readers import NOT_MENTIONED, AgentState, ModelReader, StreamingReader
from tests.hashing_encoder import HashingEncoder
from tests.scripted_model import ScriptedModel
from tests.test_prompts import evidence

QUESTION = "Who wrote the oratorio Messiah?"


@pytest.fixture(scope="module")
def toy():
    return Index.build("toy", encoder=HashingEncoder(), abstraction="centroid")


def asked(toy, *replies, k=3, stopping="tag", budget=(2, 8), **model):
    scripted = ScriptedModel(*replies, **model)
    agent = Agent(toy, ModelReader(scripted, stopping=stopping), max_retrievals=budget[0], max_queries=budget[1])
    return agent.ask(QUESTION, k), scripted


def test_thought_and_answer(toy):
    result, model = asked(toy, " Passage 3 says so.\nAnswer: Handel\nPassages: more")
    assert (result.text, result.status) == ("Handel", "answered")
    decision = result.steps[0].decision
    assert (decision.thought, decision.raw) == (
        "Passage 3 says so.",
        " Passage 3 says so.\nAnswer: Handel\nPassages:"[:-10],
    )
    assert decision.tokens == len(decision.raw.split()) + 1
    assert decision.probabilities is None
    assert model.openings == ["Thought:"]


def test_the_model_stops_once_its_last_line_is_there(toy):
    result, _ = asked(toy, "Hm.\nAnswer: Handel\nBecause he did.\n\nAnswer: Bach")
    assert result.text == "Handel"
    assert "Bach" not in result.steps[0].decision.raw


def test_retrieve_then_answer(toy):
    result, model = asked(toy, "No.\nRetrieve: George Frideric Handel, composer\n", "Yes.\nAnswer: Handel")
    assert result.queries == (QUESTION, "George Frideric Handel, composer")
    assert "Searched: George Frideric Handel, composer" in model.prompts[1][-1]["content"]
    assert model.prompts[1][-1]["content"].endswith("Searches left: 0. End with `Answer:`.")


def test_no_answer_is_kept_so_that_another_k_index_or_setting_is_another_run(toy):
    model = ScriptedModel("Answer: Handel", "Answer: Bach", "Answer: Verdi")
    agent = Agent(toy, ModelReader(model))
    assert [agent.ask(QUESTION, k).text for k in (3, 2, 3)] == ["Handel", "Bach", "Verdi"]
    shown = [prompt[-1]["content"].count("\n[") for prompt in model.prompts]
    assert shown == [3, 2, 3]


def test_a_list_of_queries_is_read_to_its_end(toy):
    result, _ = asked(toy, "Retrieve:\n- Nile\n- Danube\n\nRetrieve: Venus", "Answer: Handel")
    assert result.queries == (QUESTION, "Nile", "Danube")


def test_a_model_that_never_stops_asking_costs_the_budget_and_no_more(toy):
    replies = [f"Retrieve: thing {number}\n" for number in range(9)]
    result, model = asked(toy, *replies, budget=(3, 8))
    assert len(model.prompts) == 3
    assert (result.status, result.text, len(result.queries)) == ("budget_exhausted", NOT_MENTIONED, 3)


def test_a_model_that_repeats_itself_is_told_and_may_only_answer(toy):
    result, model = asked(toy, f"Retrieve: {QUESTION}\n", "Answer: Handel", budget=(4, 8))
    assert result.queries == (QUESTION,)
    assert "already searched" in model.prompts[1][-1]["content"]
    assert result.status == "answered"


def test_a_model_that_forges_passages_is_cut_off_before_them(toy):
    reply = "Hm.\nRetrieve: Handel's oratorio\nPassages:\n[99] Messiah is by Bach.\nQuestion: Who?\nAnswer: Bach"
    result, _ = asked(toy, reply, "Answer: Handel")
    assert result.text == "Handel"
    assert all("Bach" not in step.decision.raw for step in result.steps)
    thinks, _ = asked(toy, "I see.\nPassages:\n[99] Bach wrote it.\nAnswer: Bach", "Answer: Handel")
    assert [step.decision.action for step in thinks.steps] == ["unparsed", "answer"]


@pytest.mark.parametrize(
    ("reply", "status", "text"),
    [
        ("Retrieve: Bach\nAnswer: Handel", "answered", "Handel"),  # cut off after its first last line: asks first
        ("Answer: Handel\nRetrieve: Bach", "answered", "Handel"),
        ("I could Retrieve: more, but\n**answer:** Handel", "answered", "Handel"),
        ("<think>Retrieve: x\n</think>Answer: Handel", "answered", "Handel"),
        ("Answer: Not mentioned.", "not_mentioned", NOT_MENTIONED),
    ],
)
def test_both_tags_thinking_and_dressed_tags(toy, reply, status, text):
    result, _ = asked(toy, reply, "Answer: Handel")
    assert (result.status, result.text) == (status, text)


def test_a_reply_without_a_tag_is_asked_for_once_more(toy):
    result, model = asked(toy, "Handel", "Still Handel")
    assert (result.status, result.text) == ("unparsed", "Still Handel")
    assert "lacked its last line" in model.prompts[1][-1]["content"]
    cut, model = asked(toy, "<think>endless", "Answer: Handel")
    assert (cut.text, len(model.prompts)) == ("Handel", 2)
    silent, _ = asked(toy, "")
    assert (silent.status, silent.text) == ("unparsed", NOT_MENTIONED)


@pytest.mark.parametrize("error", [RuntimeError("out of memory"), OSError("gone")])
def test_a_model_that_raises_mid_stream_fails_this_question_only(toy, error):
    scripted = ScriptedModel(("Thinking about", error), "Answer: Handel")
    agent = Agent(toy, ModelReader(scripted))
    first, second = agent.ask(QUESTION), agent.ask(QUESTION)
    assert (first.status, first.error) == ("failed", f"{type(error).__name__}: {error}")
    assert (second.status, second.text) == ("answered", "Handel")


@pytest.mark.parametrize("stopping", ["tag", "likelihood"])
@pytest.mark.parametrize("after", range(1, 9))
def test_stop_takes_effect_at_any_piece_and_no_word_comes_after(toy, stopping, after):
    model = ScriptedModel(" One two.\n\nAnswer: Handel", " Handel\n")
    reader, heard = ModelReader(model, stopping=stopping), []
    assert isinstance(reader, StreamingReader)

    def on_text(piece):
        heard.append(piece)
        return len(heard) == after

    reader.on_text = on_text
    result = Agent(toy, reader).ask(QUESTION)
    if len(heard) == after:
        assert (result.status, result.text) == ("stopped", NOT_MENTIONED)
        assert result.steps[0].decision.action == "stopped"
    reader.on_text = None
    assert Agent(toy, reader).ask(QUESTION).status != "stopped"


def test_every_piece_is_heard_in_order(toy):
    reader, heard = ModelReader(ScriptedModel(" So it is.\nAnswer: Handel")), []
    reader.on_text = heard.append
    result = Agent(toy, reader).ask(QUESTION)
    assert "".join(heard) == result.steps[0].decision.raw == " So it is.\nAnswer: Handel"


@pytest.mark.parametrize(("answer", "retrieve"), [(-1.0, -3.0), (-2.0, -2.0), (0.0, -900.0)])
def test_likelihood_stops_when_the_answer_is_at_least_as_likely(toy, answer, retrieve):
    result, model = asked(toy, " Seen.\n\nmore", " Handel\nand so on", stopping="likelihood", logs=[(answer, retrieve)])
    decision = result.steps[0].decision
    share = math.exp(answer) / (math.exp(answer) + math.exp(retrieve))
    assert decision.probabilities["answer"] == pytest.approx(share)
    assert decision.probabilities["retrieve"] == pytest.approx(1 - share)
    assert decision.probability == decision.probabilities["answer"]
    assert (result.text, decision.thought) == ("Handel", "Seen.")
    assert model.weighed == [("Thought: Seen.", ("\nAnswer:", "\nRetrieve:"))]
    assert model.openings == ["Thought:", "Thought: Seen.\nAnswer:"]
    assert "\nAnswer: Handel" in decision.raw


def test_likelihood_asks_when_that_is_likelier_and_answers_when_it_may_not_ask(toy):
    result, model = asked(toy, "A.", " Handel\n", "B.", " Bach", stopping="likelihood", logs=[(-9.0, -1.0)])
    assert [step.decision.action for step in result.steps] == ["retrieve", "answer"]
    assert (result.queries, result.text) == ((QUESTION, "Handel"), "Bach")
    assert [step.decision.probability < 0.5 for step in result.steps] == [False, True]
    assert model.openings[-1] == "Thought: B.\nAnswer:"


@pytest.mark.parametrize(
    ("replies", "action", "text"),
    [
        (["T.", " ", " Handel"], "answer", "Handel"),  # an empty query: it answers instead
        (["T.", " \n", "\n"], "not_mentioned", NOT_MENTIONED),
        (["T.", "\nRetrieve: Bach", ""], "retrieve", ""),
        (["Retrieve: x", "\nAnswer: Bach", ""], "retrieve", ""),
        (["", " not mentioned", ""], "retrieve", ""),
    ],
)
def test_likelihood_always_gives_a_legal_action(replies, action, text):
    reader = ModelReader(ScriptedModel(*replies, logs=[(-9.0, -1.0)]), stopping="likelihood")
    decision = reader.decide(AgentState(QUESTION, (), (), 1, 1), may_retrieve=True)
    assert (decision.action, decision.text) == (action, text)
    assert (decision.action == "retrieve") == bool(decision.queries)
    assert sum(decision.probabilities.values()) == pytest.approx(1)


def test_a_thought_ends_at_a_tag_a_blank_line_or_its_limit(toy):
    for said in (" One.\nAnswer: Bach", " One.\n\nTwo.", " One."):
        result, model = asked(toy, said, " Handel", stopping="likelihood")
        assert (result.text, model.weighed[0][0]) == ("Handel", "Thought: One.")
    result, model = asked(toy, "Answer: Bach", " Handel", stopping="likelihood")
    assert (result.text, model.weighed[0][0]) == ("Handel", "Thought:")


def test_probabilities_and_notes_reach_the_transcript(toy):
    result, _ = asked(toy, "T.", " Handel", stopping="likelihood", logs=[(math.log(0.8), math.log(0.2))])
    exported = json.loads(json.dumps(result.to_dict()))["steps"][0]["decision"]
    assert exported["probabilities"] == {"answer": pytest.approx(0.8), "retrieve": pytest.approx(0.2)}
    assert exported["probability"] == pytest.approx(0.8)
    assert "answer: Handel (answer 0.80, retrieve 0.20)" in result.to_markdown()


def reading(context, *items, question=QUESTION, reply="Answer: x"):
    model = ScriptedModel(reply, context=context)
    decision = ModelReader(model, max_thought=20).decide(AgentState(question, items, (), 0, 0), may_retrieve=False)
    return decision, model.prompts[0][-1]["content"]


def test_passages_that_the_context_cannot_hold_are_left_out_lowest_first():
    items = [evidence(number, f"word{number} " * 100) for number in range(1, 6)]
    fixed = ScriptedModel().count(ModelReaderPrompt.of(QUESTION)) + 1
    decision, prompt = reading(fixed + 68 + 32 + 3 * 101, *items)
    assert [f"word{number}" in prompt for number in range(1, 6)] == [True, True, True, False, False]
    assert decision.notes == (f"left out, the context holds {fixed + 68 + 32 + 303} tokens: passages 5, 4",)
    assert QUESTION in prompt
    all_of_it, _ = reading(9999, *items)
    assert all_of_it.notes == ()


def test_the_best_passage_is_shortened_before_it_is_given_up():
    fixed = ScriptedModel().count(ModelReaderPrompt.of(QUESTION)) + 1
    decision, prompt = reading(fixed + 68 + 32 + 60, evidence(1, "word " * 400), evidence(2, "other " * 400))
    assert 0 < prompt.count("word ") < 60
    assert "other" not in prompt
    assert [note[:9] for note in decision.notes] == ["left out,", "passage 1"]
    gone, prompt = reading(fixed + 68 + 32, evidence(1, "word " * 400))
    assert "(none)" in prompt
    assert gone.notes == (f"left out, the context holds {fixed + 100} tokens: passages 1",)


def test_what_was_left_out_is_a_note_of_the_step(toy):
    result, _ = asked(toy, "Answer: Handel", k=12, context=900 - 200)
    assert result.steps[0].notes[0].startswith("left out, the context holds 700 tokens: passages ")


class ModelReaderPrompt:
    """The prompt without any passage."""

    @staticmethod
    def of(question):
        from psirag.readers.prompts import question_messages

        state = AgentState(question, (), (), 0, 0)
        return question_messages(state, (), may_retrieve=False, reorganize=True)


def test_a_summary_is_one_paragraph_over_all_passages():
    items = (evidence(9, "Nine."), evidence(2, "Two."))
    model = ScriptedModel(" First this.\nThen that.\n\nAnswer: forged")
    decision = ModelReader(model).decide(AgentState("Sum up.", items, (), 0, 0, task="summary"), may_retrieve=False)
    assert (decision.action, decision.text) == ("answer", "First this. Then that.")
    assert model.prompts[0][-1]["content"].startswith("Passages:\n[2] Two.\n[9] Nine.")
    blank = ModelReader(ScriptedModel(" \n")).decide(
        AgentState("Sum.", (), (), 0, 0, task="summary"), may_retrieve=False
    )
    assert (blank.action, blank.text) == ("not_mentioned", NOT_MENTIONED)
    reader = ModelReader(ScriptedModel("First this."))
    reader.on_text = lambda piece: bool(piece)
    stopped = reader.decide(AgentState("Sum.", (), (), 0, 0, task="summary"), may_retrieve=False)
    assert (stopped.action, stopped.raw) == ("stopped", "First")


def test_unload_reaches_the_model():
    model = ScriptedModel("")
    ModelReader(model).unload()
    assert not model.loaded


def test_every_child_has_a_part_in_an_abstract_s_prompt():
    model = ScriptedModel("An abstract.", context=600)
    texts = [f"child{number} " * 300 for number in range(40)]
    assert ModelReader(model).write_abstract(texts, kind="summary", max_tokens=100) == "An abstract."
    prompt = model.batches[0][0][-1]["content"]
    assert all(f"child{number} " in prompt for number in range(40))
    assert model.count(model.batches[0][0]) + 150 <= 600


def test_the_agent_summarizes_with_one_retrieval_of_the_tree_alone(toy):
    model = ScriptedModel(" Planets and composers.")
    result = Agent(toy, ModelReader(model), max_retrievals=4).summarize(k=6)
    assert (result.text, result.status) == ("Planets and composers.", "answered")
    assert (result.queries, len(result.steps)) == (("Summarize the text.",), 1)
    assert result.settings["retrieve"] == {"sides": ("tree",)}
    assert {side for hit in result.hits for side in hit.sides} == {"tree"}
    shown = [int(line[1 : line.index("]")]) for line in model.prompts[0][-1]["content"].splitlines()[1:-1]]
    assert shown == sorted(hit.chunk.id for hit in result.hits)
    assert len(shown) == 6
    other = Agent(toy, ModelReader(model), retrieve={"sides": ("sparse",)}).summarize("planets", 2)
    assert {side for hit in other.hits for side in hit.sides} == {"sparse"}


def test_what_cannot_be_summarized_is_refused(toy):
    class Terse:
        name = "terse"

        decide = ModelReader.decide

    with pytest.raises(PsiragError, match="summarize needs a reader that writes, but got the reader 'terse'"):
        Agent(toy, Terse()).summarize()
    for wrong in ("", " ", None):
        with pytest.raises(PsiragError, match="summarize needs a question"):
            Agent(toy, ModelReader(ScriptedModel("x"))).summarize(wrong)
    with pytest.raises(PsiragError, match="k"):
        Agent(toy, ModelReader(ScriptedModel("x"))).summarize(k=0)


@pytest.mark.parametrize(
    ("reply", "kind", "abstract"),
    [
        ("Bees and oaks.\nMore.", "summary", "Bees and oaks."),
        ("\n\nHere is the summary:\n\nBees and oaks.\n\nMore.", "summary", "Bees and oaks."),
        ("<think>\nhm\n</think>\nBees and oaks.", "summary", "Bees and oaks."),
        ("<think>\nendless", "summary", ""),
        ("bees,\noaks", "keyword", "bees,\noaks"),
    ],
)
def test_an_abstract_is_the_first_paragraph_and_a_list_is_whole(reply, kind, abstract):
    assert ModelReader(ScriptedModel(reply)).write_abstract(["a"], kind=kind, max_tokens=50) == abstract


def test_a_second_question_waits_for_the_first_and_each_keeps_its_own_listener(toy):
    import threading

    begun, go_on, heard = threading.Event(), threading.Event(), {"first": [], "second": []}

    def first(piece):
        heard["first"].append(piece)
        begun.set()
        go_on.wait(20)
        return True

    reader = ModelReader(ScriptedModel("One.\nAnswer: Handel"))
    reader.on_text = first
    results = {}
    one = threading.Thread(target=lambda: results.update(first=Agent(toy, reader).ask(QUESTION)))
    one.start()
    assert begun.wait(20)
    reader.on_text = heard["second"].append
    two = threading.Thread(target=lambda: results.update(second=Agent(toy, reader).ask(QUESTION)))
    two.start()
    two.join(0.2)
    assert not heard["second"]
    go_on.set()
    one.join(20)
    two.join(20)
    assert (results["first"].status, heard["first"]) == ("stopped", [""])
    assert (results["second"].status, "".join(heard["second"])) == ("answered", "One.\nAnswer: Handel")

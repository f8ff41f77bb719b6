"""Tagged replies: what counts as a tag, which one wins, and what is left of the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psirag.readers.parsing import is_not_mentioned, normalised_query, parse_reply, split_thought


@pytest.mark.parametrize(
    "raw",
    [
        "Answer: Paris",
        "**Answer:** Paris",
        "**Answer**: Paris",
        "**Answer: Paris**",
        "*Answer:* Paris",
        "answer: Paris",
        "ANSWER : Paris",
        "Answer:\nParis",
        "Answer:\n\nParis",
        "**Answer:**\n\nParis",
        "Answer：Paris",
        "> Answer: Paris",
        "- Answer: Paris",
        "## Answer: Paris",
        "Final answer: Paris",
        'Answer: "Paris"',
        "Answer: `Paris`",
        "```\nAnswer: Paris\n```",
        "Answer: Paris\n\nExplanation: because it is the capital.",
        "Answer: Paris\nExplanation: because it is the capital.",
        "Thought: I could Retrieve: foo, but I know.\nAnswer: Paris",
        "Retrieve: capital of France\nAnswer: Paris",
        "Answer: Rome\nAnswer: Paris",
        "Answer: Paris\nRetrieve:",
        "<think>Answer: Rome</think>\nAnswer: Paris",
        "Answer: Rome, no wait</think>Answer: Paris",
        "<thinking>\nRetrieve: x\n</thinking>\n\nAnswer: Paris",
    ],
)
def test_every_spelling_of_an_answer_is_read(raw):
    reply = parse_reply(raw)
    assert (reply.action, reply.text, reply.queries) == ("answer", "Paris", ())


@pytest.mark.parametrize(
    ("raw", "queries"),
    [
        ("Answer: Paris\nRetrieve: capital?", ("capital?",)),
        ("**Retrieve:** wife of David Gest", ("wife of David Gest",)),
        ("retrieve：wife of David Gest", ("wife of David Gest",)),
        ("Retrieve: a b\nRetrieve: c d", ("a b", "c d")),
        ("Retrieve: a b\nAnswer: no\nRetrieve: c d", ("c d",)),
        ("Retrieve:\n- a b\n- c d", ("a b", "c d")),
        ("Retrieve:\n1. a b\n2) c d\n\n3. not this", ("a b", "c d")),
        ("Retrieve: a b\nI need it because of c.", ("a b",)),
        ("Retrieve: a b\n- c d", ("a b", "c d")),
    ],
)
def test_queries_of_a_retrieve(raw, queries):
    reply = parse_reply(raw)
    assert (reply.action, reply.queries, reply.text) == ("retrieve", queries, "")


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("Paris", "Paris"),
        ("", ""),
        ("Retrieve: ", ""),
        ("Answer:", ""),
        ("Retrieve: **", ""),
        ("<think>the token limit cut this Answer: Rome", ""),
        ("!", ""),
        ("I think that the Answer: Paris", "I think that the Answer: Paris"),
        ("Paris.\n\nIt is the capital.", "Paris."),
    ],
)
def test_a_reply_without_a_tag_is_unparsed_and_its_text_kept(raw, text):
    reply = parse_reply(raw)
    assert (reply.action, reply.text) == ("unparsed", text)


def test_the_thought_is_kept_apart():
    reply = parse_reply("<think>first</think>So it is Paris.\nAnswer: Paris")
    assert (reply.text, reply.thought) == ("Paris", "first\nSo it is Paris.")


def test_the_whole_answer_on_request():
    raw = "Answer: Paris\n\nIt is the capital."
    assert parse_reply(raw).text == "Paris"
    assert parse_reply(raw, short=False).text == "Paris\n\nIt is the capital."


@pytest.mark.parametrize("said", ["Not mentioned", "not mentioned.", "**Not Mentioned**", "“Not mentioned”"])
def test_not_mentioned_is_an_action_of_its_own(said):
    assert parse_reply(f"Answer: {said}").action == "not_mentioned"
    assert is_not_mentioned(said)


def test_an_answer_that_only_begins_so_is_an_answer():
    assert parse_reply("Answer: Not mentioned before 1999").action == "answer"


@pytest.mark.parametrize(
    ("raw", "visible", "thought"),
    [
        ("plain", "plain", ""),
        ("<think>a</think>b", "b", "a"),
        ("a</think>b", "b", "a"),
        ("<think>a", "", "a"),
        ("<think>a</think>b<think>c</think>d", "bd", "a\nc"),
    ],
)
def test_reasoning_blocks_are_cut_out(raw, visible, thought):
    assert split_thought(raw) == (visible, thought)


def test_queries_compare_without_case_width_accents_of_punctuation_or_spacing():
    same = ["Who is the wife of David Gest?", " who is  THE wife of David Gest ", "Ｗｈｏ is the wife of David-Gest!"]
    assert len({normalised_query(query) for query in same}) == 1
    assert normalised_query(" ?!… ") == ""
    assert normalised_query("C++") != normalised_query("C")


@given(st.text())
def test_any_reply_parses_to_one_action_and_hides_nothing_in_tags(raw):
    reply = parse_reply(raw)
    assert (reply.action == "retrieve") == bool(reply.queries)
    assert reply.action != "answer" or normalised_query(reply.text)


@given(st.text(alphabet=st.characters(categories=["L", "N"]), min_size=1, max_size=30))
def test_what_follows_the_tag_comes_back(word):
    assert parse_reply(f"Answer: {word}").text == word
    assert parse_reply(f"Retrieve: {word}").queries == (word,)


@given(st.text(max_size=60))
def test_normalising_twice_changes_nothing(query):
    once = normalised_query(query)
    assert normalised_query(once) == once

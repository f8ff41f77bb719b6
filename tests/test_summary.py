"""Summaries by the rules reader, and questions that stay within one document."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psirag.agent import Agent
from psirag.corpus import Chunk, Corpus, Document, count_tokens, split_into_sentences
from psirag.errors import PsiragError
from psirag.index import Index
from psirag.readers import NOT_MENTIONED, AgentState, Evidence, RulesReader
from psirag.readers.rules.summary import SUMMARY_WORDS
from psirag.retrieval import Hit
from tests.hashing_encoder import HashingEncoder

SENTENCES = (
    "The harbour board met about the leaking lighthouse.",
    "Anna Berg said that the lighthouse leaks at the lamp room.",
    "Somebody coughed.",
    "The board voted to mend the lamp room before the autumn storms.",
    "Tea was served.",
)


def evidence(*texts, abstract=False):
    chunks = [
        None if abstract else Chunk(id=i, text=text, title="T", document=0, position=i, start=0, end=len(text))
        for i, text in enumerate(texts)
    ]
    hits = [Hit(i, 1.0, chunk, text, (i,)) for i, (chunk, text) in enumerate(zip(chunks, texts, strict=True))]
    return tuple(Evidence(hit.node, hit, hit.score, 1) for hit in reversed(hits))


def summary(items):
    return RulesReader().decide(AgentState("Summarize.", items, (), 0, 0, task="summary"), may_retrieve=False)


@pytest.fixture(scope="module")
def index():
    texts = (" ".join(SENTENCES), "Bats hunt moths by night. " * 30 + "Owls hunt mice.", "Anna Berg keeps bees.")
    corpus = Corpus(tuple(Document(2 * i, text, f"T{i}") for i, text in enumerate(texts)), kind="documents")
    return Index.build(corpus, encoder=HashingEncoder(), max_tokens=12, per_document=True)


def test_a_summary_is_made_of_sentences_in_the_order_of_the_corpus():
    decision = summary(evidence(*SENTENCES))
    assert decision.action == "answer"
    assert decision.text == " ".join(SENTENCES)
    assert decision.thought == "5 sentences of 5 passages."
    assert summary(evidence(*SENTENCES)) == decision


@given(st.lists(st.sampled_from([*SENTENCES, "", "字。" * 200, "A" + " long" * 200 + "."]), max_size=30))
def test_a_summary_is_at_most_so_long_and_says_nothing_of_its_own(texts):
    decision = summary(evidence(*texts))
    assert count_tokens(decision.text) <= SUMMARY_WORDS
    if not any(text.strip() for text in texts):
        assert (decision.action, decision.text) == ("not_mentioned", NOT_MENTIONED)
        return
    said = [decision.text[start:end].strip() for start, end in split_into_sentences(decision.text)]
    assert said
    source = " ".join(" ".join(text.split()) for text in texts)
    assert all(one in source for one in said)


def test_abstracts_are_summarised_when_they_are_prose_or_all_there_is():
    assert summary(evidence("mast, breakage", abstract=True)).text == "mast, breakage"
    assert summary((*evidence("A mast broke."), *evidence("mast, sail", abstract=True))).text == "A mast broke."
    prose = (*evidence("A mast broke."), *evidence("A mast broke. It was old.", abstract=True))
    assert summary(prose).text == "A mast broke. It was old."


def test_the_agent_summarises_one_document_from_the_tree_alone(index):
    answer = Agent(index).summarize("Summarise the meeting.", document=0)
    assert answer.status == "answered"
    assert {hit.chunk.document for hit in answer.hits} == {0}
    assert {side for hit in answer.hits for side in hit.sides} == {"tree"}
    assert answer.text == " ".join(SENTENCES)
    assert len(answer.steps) == len(answer.queries) == 1
    assert answer.settings["retrieve"] == {"sides": ("tree",), "document": 0}


@pytest.mark.parametrize(("document", "expected"), [(0, "answered"), (2, "not_mentioned")])
def test_a_question_stays_within_its_document(index, document, expected):
    agent = Agent(index)
    answer = agent.ask("Who said that the lighthouse leaks?", document=document)
    assert answer.status == expected
    assert {hit.chunk.document for step in answer.steps for found in step.retrievals for hit in found} == {document}
    again = agent.resume(answer, 1, ["lamp room"])
    assert {hit.chunk.document for hit in again.hits} == {document}
    assert agent.settings == {}


def test_a_document_that_is_not_there_is_told(index):
    for asked in (Agent(index).ask, Agent(index).summarize):
        with pytest.raises(PsiragError, match="document must be the id of a document with chunks, but got 1"):
            asked("Who?", document=1)

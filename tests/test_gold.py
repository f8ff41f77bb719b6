"""Recall and answer presence by hand arithmetic, on real indexes of a few passages."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psirag.corpus import Document, Question
from psirag.errors import PsiragError
from psirag.evaluation import answer_present, gold_items, recall
from psirag.evaluation.gold import document_of, lacking_gold
from psirag.index import Index
from psirag.retrieval.trace import Hit
from tests.hashing_encoder import HashingEncoder

TWIN = "Beavers build dams across rivers."
PASSAGES = [
    {"title": "Beaver", "text": TWIN},
    {"title": "Rodent", "text": TWIN},
    {"title": "Bat", "text": "Bats hunt moths at night."},
    {"title": "Owl", "text": "Owls hunt mice at night."},
    {"title": "Owl", "text": "Owls nest in old trees."},
]


@pytest.fixture(scope="module")
def index():
    return Index.build(PASSAGES, encoder=HashingEncoder(), abstraction="summary")


def hit(text="", chunk=None):
    return Hit(0, 1.0, chunk, text, ())


@pytest.mark.oracle
def test_recall_by_hand(index):
    bat, owl, nest = (hit(chunk=index.chunks[i]) for i in (2, 3, 4))
    assert recall([bat, owl], {"Bat", "Owl"}) == 1.0
    assert recall([bat], {"Bat", "Owl", "Beaver"}) == pytest.approx(1 / 3)
    assert recall([owl, nest], {"Bat", "Owl"}) == 0.5  # the same title twice is one item
    assert recall([owl, nest], {3, 4}) == 1.0
    assert recall([owl], {3, 4}) == 0.5  # documents with one title are told apart by their ids
    assert recall([], {"Bat"}) == 0.0


@pytest.mark.oracle
@given(st.lists(st.integers(0, 4), unique=True), st.sets(st.integers(0, 4), min_size=1), st.integers(0, 9))
def test_recall_is_the_share_of_gold_ids_found(order, gold, k):
    index = Index.build(PASSAGES, encoder=HashingEncoder(), abstraction="centroid")
    hits = [hit(chunk=index.chunks[i]) for i in order]
    assert recall(hits[:k], gold) == sum(i in order[:k] for i in gold) / len(gold)


def test_duplicates_are_credited(index):
    found = index.retrieve("Who builds dams?", k=1, sides=["flat"])
    assert found[0].duplicates == (1,)
    assert recall(found.hits, {"Beaver", "Rodent"}, chunks=index.chunks) == 1.0
    assert recall(found.hits, {0, 1}, chunks=index.chunks) == 1.0
    assert recall(found.hits, {"Beaver", "Rodent"}) == 0.5  # without the chunks nobody knows where the twin belongs


def test_an_abstract_credits_nothing_but_its_text_counts(index):
    found = index.retrieve("dams across rivers", k=20, nodes="all", sides=["tree"])
    root = next(hit for hit in found if len(hit.leaves) == len(index.chunks))
    assert math.isclose(recall([root], {"Bat"}, chunks=index.chunks), 0.0)
    assert answer_present([hit("a summary about beavers")], ["Beavers"]) == 1.0


def test_without_gold_there_is_no_recall(index):
    assert math.isnan(recall([hit(chunk=index.chunks[0])], gold_items(Question("q", "Who?"))))


def test_gold_is_ids_where_the_question_has_them():
    both = Question("q", "Who?", supporting_titles=("Owl",), supporting_documents=(4,))
    assert gold_items(both) == {4}
    assert gold_items(Question("q", "Who?", supporting_titles=("Owl", "Owl"))) == {"Owl"}


def test_fr_085_recall_survives_chunking_and_texts_that_occur_twice():
    fact = "The bridge opened in 1901."
    article = "Rain fell on the town for days. " * 12 + fact + " Nobody came to see it. " * 12
    documents = [Document(0, article, "Bridge"), Document(1, fact, "Chronicle"), Document(2, "Bats hunt moths.", "Bat")]
    index = Index.build(documents, encoder=HashingEncoder(), max_tokens=20, abstraction="centroid")
    assert len(index.chunks) > len(documents)
    (first,) = index.retrieve("bridge opened in 1901", k=1, sides=["flat"])
    assert fact in first.text
    assert recall([first], {first.chunk.title}, chunks=index.chunks) == 1.0
    assert recall([hit(chunk=index.chunks[0])], {"Bridge"}) == 1.0  # any chunk of the gold document
    twice = Index.build([fact, "Bats hunt moths.", fact], encoder=HashingEncoder(), abstraction="centroid")
    assert recall(twice.retrieve("bridge", k=1).hits, {0, 2}, chunks=twice.chunks) == 1.0


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("texts", "answers", "present"),
    [
        (["The dam was built by BEAVERS!"], ["the beavers"], 1.0),
        (["otters", "It is O’Brien."], ["O'Brien"], 1.0),
        (["otters"], ["beavers", "otter"], 1.0),  # a string within a word, as the source has it
        (["otters"], ["beavers"], 0.0),
        ([], ["beavers"], 0.0),
        (["yes no ab"], ["yes", "no", "a b", "ab", "!!"], math.nan),
        (["abc"], ["ab", "abc"], 1.0),
        (["anything"], [], math.nan),
    ],
)
def test_answer_presence_by_hand(texts, answers, present):
    assert answer_present([hit(text) for text in texts], answers) == pytest.approx(present, nan_ok=True)


def test_the_title_is_read_too(index):
    assert answer_present([hit("Bats hunt moths at night.", index.chunks[4])], ["Owl"]) == 1.0


def test_gold_that_the_corpus_lacks(index):
    questions = [
        Question("a", "Who?", supporting_titles=("Owl", "Otter")),
        Question("b", "Who?", supporting_titles=("Owl",)),
        Question("c", "Who?", supporting_documents=(9,)),
        Question("d", "Who?"),
    ]
    assert lacking_gold(questions, index.chunks) == ("a", "c")


def test_the_document_of_a_question(index):
    assert document_of(Question("q", "Who?", supporting_titles=("Bat",)), index.chunks) == 2
    assert document_of(Question("q", "Who?", supporting_documents=(4,)), index.chunks) == 4
    for question in (Question("q7", "Who?"), Question("q7", "Who?", supporting_titles=("Owl",))):
        with pytest.raises(PsiragError, match=r"document of the question.*'q7'"):
            document_of(question, index.chunks)

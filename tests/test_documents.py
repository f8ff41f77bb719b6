"""Documents, corpora and questions as records."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import numpy as np
import pytest

from psirag.corpus import Corpus, Document, Question
from psirag.errors import PsiragError, PsiragWarning


def test_records_are_frozen_equal_hashable_and_travel():
    document = Document(np.int64(3), "text", "title", {"k": [1]})
    corpus = Corpus((document,), "documents", "name")
    question = Question("q", "Why?", ("a",), ("t",), supporting_documents=[np.int64(3)], metadata={"k": 1})
    assert list(map(type, question.supporting_documents)) == [int]
    assert type(document.id) is int
    for record in (document, corpus, question):
        assert record == pickle.loads(pickle.dumps(record)) == copy.deepcopy(record)
        assert hash(record) == hash(copy.deepcopy(record))
        with pytest.raises(dataclasses.FrozenInstanceError):
            record.id = 4


def test_metadata_is_a_read_only_copy():
    given = {"k": 1}
    document = Document(0, "text", metadata=given)
    given["k"] = 2
    assert document.metadata == {"k": 1}
    with pytest.raises(TypeError, match="does not support item assignment"):
        document.metadata["k"] = 3


def test_a_corpus_is_a_sequence_of_documents():
    corpus = Corpus([Document(0, "a", "A"), Document(2, "c")], "passages")
    assert len(corpus) == 2
    assert [document.text for document in corpus] == ["a", "c"]
    assert corpus[-1].id == 2
    assert corpus.titles == ("A", "")
    assert dataclasses.replace(corpus, kind="documents").kind == "documents"
    assert repr(dataclasses.replace(corpus, name="tiny")) == "Corpus('tiny', 2 passages, 2 characters)"
    with pytest.raises(IndexError):
        corpus[2]


def test_a_lone_surrogate_is_replaced():
    with pytest.warns(PsiragWarning, match="U\\+FFFD"):
        document = Document(0, "bad \ud800 text")
    assert document.text == "bad \ufffd text"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"id": -1}, "Document.id must be at least 0"),
        ({"id": True}, "Document.id must be an integer"),
        ({"text": None}, "Document.text must be a str, but got None"),
        ({"text": b"x"}, "Document.text must be a str"),
        ({"title": None}, "Document.title must be a str"),
        ({"metadata": None}, "Document.metadata must be a mapping"),
    ],
)
def test_wrong_documents_are_refused(fields, message):
    with pytest.raises(PsiragError, match=message):
        Document(**{"id": 0, "text": "a", **fields})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"documents": ()}, "A corpus needs at least one document, but got an empty corpus"),
        ({"documents": ("a",)}, "Corpus.documents must hold Document only"),
        ({"documents": None}, "Corpus.documents must hold Document only"),
        ({"documents": (Document(4, "a"), Document(4, "b"))}, "Document ids must be distinct, but got id 4"),
        ({"kind": "texts"}, "Corpus.kind must be one of 'passages', 'documents'"),
        ({"name": None}, "Corpus.name must be a str"),
    ],
)
def test_wrong_corpora_are_refused(fields, message):
    with pytest.raises(PsiragError, match=message):
        Corpus(**{"documents": (Document(0, "a"),), "kind": "passages", **fields})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"id": 3}, "Question.id must be a str"),
        ({"question": None}, "Question.question must be a str"),
        ({"question": " "}, "Question.question must not be blank"),
        ({"answers": "yes"}, "Question.answers must be a tuple of str, but got 'yes'"),
        ({"answers": (3,)}, "Question.answers must be a str, but got 3"),
        ({"supporting_titles": None}, "Question.supporting_titles must be a tuple of str"),
        ({"supporting_documents": "1"}, "Question.supporting_documents must be a tuple of int"),
        ({"supporting_documents": (1.0,)}, "Question.supporting_documents must be an integer"),
        ({"supporting_documents": (-1,)}, "Question.supporting_documents must be at least 0"),
        ({"supporting_documents": (2, 2)}, "Question.supporting_documents must be distinct"),
        ({"kind": None}, "Question.kind must be a str"),
        ({"hops": 0}, "Question.hops must be at least 1"),
        ({"hops": 1.0}, "Question.hops must be an integer"),
        ({"answerable": "no"}, "Question.answerable must be a bool"),
        ({"metadata": []}, "Question.metadata must be a mapping"),
    ],
)
def test_wrong_questions_are_refused(fields, message):
    with pytest.raises(PsiragError, match=message):
        Question(**{"id": "q", "question": "Why?", **fields})

"""The columns of chunks."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from psirag.corpus import Chunk, Chunks, load_corpus, passages_as_chunks
from psirag.errors import PsiragError

COLUMNS = {
    "texts": ("aa", "b", "aa"),
    "titles": ("t", "", "t"),
    "ids": [0, 1, 2],
    "document": [0, 0, 1],
    "position": [0, 1, 0],
    "start": [0, 2, 0],
    "end": [2, 3, 2],
    "metadata": ({"k": 1}, {}, {}),
}


def test_columns_are_read_only_and_rows_are_chunks():
    chunks = Chunks(**COLUMNS)
    assert len(chunks) == 3
    assert chunks[1] == chunks[np.int64(-2)] == Chunk(1, "b", "", 0, 1, 2, 3)
    assert [chunk.id for chunk in chunks] == [0, 1, 2]
    assert chunks.indexed_texts == ("t\naa", "b", "t\naa")
    assert chunks.n_duplicates == 1
    assert repr(chunks) == "Chunks(3 chunks of 2 documents)"
    for name in ("ids", "document", "position", "start", "end"):
        column = getattr(chunks, name)
        assert column.dtype == np.int64
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 5
    with pytest.raises(TypeError, match="does not support item assignment"):
        chunks.metadata[0]["k"] = 2
    with pytest.raises(IndexError):
        chunks[3]


def test_no_chunks_are_chunks_too():
    empty = Chunks((), (), [], [], [], [], [], ())
    assert len(empty) == empty.n_duplicates == 0
    assert list(empty) == []
    assert empty.ids.dtype == np.int64


def test_equal_columns_are_equal_and_travel():
    chunks = Chunks(**COLUMNS)
    assert chunks == Chunks(**COLUMNS)
    assert hash(chunks) == hash(Chunks(**COLUMNS))
    assert chunks == pickle.loads(pickle.dumps(chunks)) == copy.deepcopy(chunks)
    assert chunks != Chunks(**{**COLUMNS, "position": [0, 2, 0]})
    assert chunks != passages_as_chunks(load_corpus(["aa"]))
    assert chunks != "aa"


def test_the_callers_own_array_stays_writable():
    ids = np.arange(3)
    Chunks(**{**COLUMNS, "ids": ids})
    ids[0] = 7
    assert ids.tolist() == [7, 1, 2]


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("titles", ("t",), "Chunks.titles needs one entry a chunk, but got 1 for 3 texts"),
        ("metadata", ({},), "Chunks.metadata needs one entry a chunk"),
        ("metadata", ({}, {}, None), "Chunks.metadata must be a mapping"),
        ("texts", ("aa", None, "b"), r"positions 1 \(NoneType\)"),
        ("ids", [0, 0, 1], "Chunks.ids must be distinct"),
        ("ids", [0, 1], r"Chunks.ids must be an integer array of shape \(n,\), but got shape \(2,\)"),
        ("start", [0.0, 2.0, 0.0], "Chunks.start must be an integer array"),
        ("position", [True, False, True], "Chunks.position must be an integer array"),
        ("document", [0, -1, 0], "Chunks.document must not be negative"),
        ("end", [2, 4, 2], r"must be the length of the text, but got other spans at positions \[1\]"),
    ],
)
def test_columns_that_do_not_fit_are_named(column, value, message):
    with pytest.raises(PsiragError, match=message):
        Chunks(**{**COLUMNS, column: value})

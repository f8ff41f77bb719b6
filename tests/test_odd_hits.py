"""What is odd about hits, one at a time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from psirag.corpus import Chunks
from psirag.evaluation.odd_hits import FOREIGN, TOO_MANY, TWICE, odd_hits
from psirag.retrieval.trace import Hit

CHUNKS = Chunks(("a", "b"), ("A", "B"), [7, 3], [0, 1], [0, 0], [0, 0], [1, 1], ({}, {"k": 1}))
A, B = (Hit(i, 1.0, chunk, chunk.text, (chunk.id,)) for i, chunk in enumerate(CHUNKS))
ABSTRACT = Hit(7, 1.0, None, "a b", (3, 7))


@pytest.mark.parametrize(
    ("hits", "told"),
    [
        ([], ()),
        ([A, B], ()),
        ([A, ABSTRACT], ()),  # node 7 is not chunk 7
        ([A, B, ABSTRACT], (TOO_MANY,)),
        ([A, A], (TWICE,)),
        ([ABSTRACT, ABSTRACT], (TWICE,)),
        ([replace(A, chunk=replace(A.chunk, id=3)), A], (FOREIGN,)),  # an id of another chunk
        ([replace(A, chunk=replace(A.chunk, id=0))], (FOREIGN,)),  # an id of none
        ([replace(B, chunk=replace(B.chunk, metadata={}))], (FOREIGN,)),
        ([A, B, B], (TOO_MANY, TWICE)),
    ],
)
def test_what_is_odd(hits, told):
    assert odd_hits(hits, chunks=CHUNKS, most=2) == told


def test_what_is_not_known_is_not_told():
    assert odd_hits([replace(A, chunk=replace(A.chunk, id=0))], chunks=None, most=1) == ()
    assert odd_hits([A, B], chunks=CHUNKS, most=None) == ()

"""What inner nodes of a segment tree say."""

from __future__ import annotations

import numpy as np
import pytest

from psirag.corpus import Corpus, Document, load_corpus, passages_as_chunks, split_into_chunks
from psirag.errors import PsiragError
from psirag.variants.segment_tree import segment_forest
from psirag.variants.span_texts import first_sentence, span_texts


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Beavers build dams. They rest.", "Beavers build dams."),
        ("  \n Bats\nhunt. ", "Bats hunt."),
        ("no end", "no end"),
        ("", ""),
        (" \n", ""),
        ("巴黎是首都。巴黎很大。", "巴黎是首都。"),
    ],
)
def test_first_sentence(text, first):
    assert first_sentence(text) == first


@pytest.mark.oracle
def test_sentences_are_spread_evenly_over_the_span():
    chunks = passages_as_chunks(load_corpus([f"{letter}. Rest." for letter in "ABCDEFG"]))
    forest = segment_forest(np.zeros(7, np.int64), np.arange(7))
    by_span = dict(zip(zip(forest.start[7:].tolist(), forest.end[7:].tolist(), strict=True),
                       span_texts(chunks, forest, lambda text: text[0], 3), strict=True))  # fmt: skip
    assert by_span == {(0, 2): "A B", (2, 4): "C D", (4, 6): "E F", (0, 4): "A C D", (4, 7): "E F G", (0, 7): "A D G"}
    assert span_texts(chunks, forest, lambda text: text[0], 1)[-1] == "A"


def test_the_title_comes_first_and_each_document_has_its_own():
    corpus = Corpus((Document(0, "Bats hunt. Bats sleep.", "Bat"), Document(1, "Owls. Crows.")), "documents")
    chunks = split_into_chunks(corpus, 2)
    forest = segment_forest(chunks.document, chunks.position)
    assert span_texts(chunks, forest, first_sentence, 8)[0] == "Bat\nBats hunt. Bats sleep."
    assert len(chunks) - len(forest.roots) == len(span_texts(chunks, forest, first_sentence, 8))


def test_wrong_representatives():
    chunks = passages_as_chunks(load_corpus(["A.", "B."]))
    forest = segment_forest(np.array([0, 0]), np.array([0, 1]))
    with pytest.raises(PsiragError, match="representative must be callable"):
        span_texts(chunks, forest, "first", 8)  # type: ignore[arg-type]
    with pytest.raises(PsiragError, match="What representative returns must hold str"):
        span_texts(chunks, forest, len, 8)  # type: ignore[arg-type]

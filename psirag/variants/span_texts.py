"""What an inner node of a segment tree says: one representative sentence of some chunks of its span."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from psirag.checks import check_each
from psirag.corpus import Chunks, split_into_sentences
from psirag.errors import PsiragError
from psirag.variants.segment_tree import SegmentForest


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, on one line.

    Examples
    --------
    >>> first_sentence("Beavers build dams. Dams slow rivers.")
    'Beavers build dams.'
    """
    spans = split_into_sentences(text.lstrip())
    return " ".join(text.lstrip()[slice(*spans[0])].split()) if spans else ""


def span_texts(
    chunks: Chunks, forest: SegmentForest, representative: Callable[[str], str], sentences: int
) -> tuple[str, ...]:
    """Write the text of every inner node: the title, then the sentences of at most `sentences` chunks, spread evenly.

    Parameters
    ----------
    chunks : Chunks
    forest : SegmentForest
        Of these chunks.
    representative : callable
        From a chunk's text to the sentence that stands for it.
    sentences : int
        Of a span of more chunks, the first, the last, and some between them at equal distances are taken.

    Returns
    -------
    tuple of str, one for each inner node

    Raises
    ------
    PsiragError
        `representative` is not callable, or returns something else than a str.

    Notes
    -----
    Source: NavTree §3.1 (concatenated representative sentences), arXiv:2610.06902; which ones is our choice.

    Examples
    --------
    >>> from psirag.corpus import load_corpus, passages_as_chunks
    >>> from psirag.variants.segment_tree import segment_forest
    >>> chunks = passages_as_chunks(load_corpus(["Bees hum. They dance.", "Bats hunt."]))
    >>> span_texts(chunks, segment_forest(np.array([0, 0]), np.array([0, 1])), first_sentence, 8)
    ('Bees hum. Bats hunt.',)
    """
    if not callable(representative):
        given = f"a {type(representative).__name__}"
        raise PsiragError("representative must be callable", given, "Pass a function from a text to a sentence.")
    chosen = [representative(text) for text in chunks.texts]
    check_each("What representative returns", chosen, str)
    texts = []
    for node in range(len(chunks), len(forest.parent)):
        low, high = int(forest.start[node]), int(forest.end[node])
        places = np.unique(np.linspace(low, high - 1, min(sentences, high - low)).round().astype(int))
        title = chunks.titles[forest.order[low]]
        said = " ".join(chosen[row] for row in forest.order[places])
        texts.append(f"{title}\n{said}" if title else said)
    return tuple(texts)

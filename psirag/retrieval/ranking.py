"""Cosines of (query, node) pairs, and the best of each query: one code path for one query and for many."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from psirag.vectors import Floats, Ints, Vectors

FLOATS_AT_ONCE = 2**19  # 2 MB of rows a block: stays in cache, bounds the memory


def cosines(queries: Vectors, vectors: Vectors, query: Ints, node: Ints) -> Floats:
    """Return the cosine of each (query, node) pair, clipped to [-1, 1].

    Every pair is its own dot product of two rows, so the bits do not depend on what else is in the batch.

    Parameters
    ----------
    queries, vectors : ndarray, shape (q, d) and (m, d), float32
        Unit rows; a zero row gives 0.
    query, node : ndarray, shape (p,), int64
        The pairs.

    Returns
    -------
    ndarray, shape (p,), float64
    """
    scores = np.empty(len(node), dtype=np.float64)
    rows = max(1, FLOATS_AT_ONCE // vectors.shape[1])
    for start in range(0, len(node), rows):
        pairs = slice(start, start + rows)
        scores[pairs] = np.einsum("ij,ij->i", queries[query[pairs]], vectors[node[pairs]])
    return np.clip(scores, -1.0, 1.0, out=scores)


def best_of_each_query(
    query: Ints, node: Ints, scores: Floats, limit: int, *, same_text: Ints | None = None
) -> npt.NDArray[np.intp]:
    """Return positions of each query's `limit` best pairs: query ascending, score descending, node ascending.

    With `same_text` (a group number for every node), only the best node of a group counts.
    """
    order = np.lexsort((node, -scores, query))
    if same_text is not None:
        group = query[order] * (same_text.max(initial=0) + 1) + same_text[node[order]]
        first = np.unique(group, return_index=True)[1]
        order = order[np.sort(first)]
    rank = ranks_within_query(query[order])
    return order[rank < limit]


def ranks_within_query(query: Ints) -> Ints:
    """Return 0, 1, 2, … within each run of equal numbers of an ascending array."""
    position = np.arange(len(query), dtype=np.int64)
    starts = np.r_[True, query[1:] != query[:-1]][: len(query)]
    return position - np.maximum.accumulate(np.where(starts, position, 0))

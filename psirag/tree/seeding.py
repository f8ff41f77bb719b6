"""A spanning tree to start from: cheap, and good enough to rule out nearly all pairs unseen."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from psirag.tree.kruskal import Pairs, kruskal
from psirag.tree.similarity_keys import similarity_keys
from psirag.vectors import Ints, Vectors

_BUCKET, _BUCKETS_A_ROW, _NEIGHBOURS = 200, 2, 3
_ROWS_AT_ONCE = 2048
_Number = TypeVar("_Number", bound=np.generic)


def seed_tree(rows: Vectors, members: Ints, *, seed: int) -> Pairs:
    """Return some spanning tree of at least two of the rows, in visiting order; the better, the faster the sweep.

    Each row goes to its best buckets, around pivots drawn with `seed`; inside a bucket it proposes its best neighbours.
    The pairs count the members from 0.
    """
    buckets = _best_buckets(rows, members, _pivots(rows, members, seed))
    u, v = _link_components(*_neighbours_in_buckets(rows, members, buckets), len(members))
    code = np.unique(np.minimum(u, v) * len(members) + np.maximum(u, v))
    u, v = np.divmod(code, len(members))
    return kruskal(Pairs(u, v, similarity_keys(rows, members[u], members[v])), len(members))


def _pivots(rows: Vectors, members: Ints, seed: int) -> Vectors:
    """Draw rows and move each once to the mean of the rows nearest to it."""
    rng = np.random.default_rng(seed)
    count = max(1, len(members) // _BUCKET)
    pivots = rows[rng.choice(members, count, replace=False)]
    sample = rows[rng.choice(members, min(len(members), 20 * count), replace=False)]
    nearest = np.concatenate([(part @ pivots.T).argmax(axis=1) for part in _parts(sample)])
    sums = np.zeros_like(pivots)
    np.add.at(sums, nearest, sample)
    length = np.linalg.norm(sums, axis=1, keepdims=True)
    moved: Vectors = np.where(length > 0, sums / np.maximum(length, 1e-30), pivots)
    return moved


def _best_buckets(rows: Vectors, members: Ints, pivots: Vectors) -> list[Ints]:
    """Return the rows of each bucket; every row is in its two best."""
    count = min(_BUCKETS_A_ROW, len(pivots))
    best = [_best_columns(rows[part] @ pivots.T, count) for part in _parts(members)]
    bucket = np.concatenate(best).ravel()
    order = np.argsort(bucket, kind="stable")
    return np.split(order // count, np.flatnonzero(np.diff(bucket[order])) + 1)


def _neighbours_in_buckets(rows: Vectors, members: Ints, buckets: list[Ints]) -> tuple[Ints, Ints]:
    """Pair every row with its most similar rows in each of its buckets."""
    u, v = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for inside in (part for bucket in buckets for part in _parts(bucket) if len(part) > 1):
        vectors = rows[members[inside]]
        similarity = vectors @ vectors.T
        np.fill_diagonal(similarity, -np.inf)
        count = min(_NEIGHBOURS, len(inside) - 1)
        u.append(np.repeat(inside, count))
        v.append(inside[_best_columns(similarity, count)].ravel())
    return np.concatenate(u), np.concatenate(v)


def _best_columns(similarity: Vectors, count: int) -> Ints:
    """Return the columns of each row's largest entries, which are overwritten."""
    best = np.empty((len(similarity), count), dtype=np.int64)
    for rank in range(count):
        best[:, rank] = similarity.argmax(axis=1)
        similarity[np.arange(len(similarity)), best[:, rank]] = -np.inf
    return best


def _link_components(u: Ints, v: Ints, n: int) -> tuple[Ints, Ints]:
    """Add a chain of pairs through the first rows of the components that the pairs leave apart."""
    component = connected_components(coo_array((np.ones(len(u)), (u, v)), shape=(n, n)), directed=False)[1]
    first = np.unique(component, return_index=True)[1]
    return np.append(u, first[:-1]), np.append(v, first[1:])


def _parts(array: npt.NDArray[_Number]) -> list[npt.NDArray[_Number]]:
    """Cut rows into parts that bound the memory of a matrix product."""
    return [array[start : start + _ROWS_AT_ONCE] for start in range(0, len(array), _ROWS_AT_ONCE)]

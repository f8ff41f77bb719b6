"""Bucketing: cut the chunks into buckets, build a tree in each, and join the trees at the top, as the paper does."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from psirag.checks import check_count
from psirag.errors import PsiragError
from psirag.tree.abstract_tree import AbstractTree
from psirag.tree.collapsing import collapse
from psirag.tree.one_thread import one_blas_thread
from psirag.tree.rebalancing import check_max_children, rebalance
from psirag.tree.spanning_tree import SpanningTree, spanning_tree
from psirag.vectors import Ints, Vectors, unit_rows

_CENTRES, _ROUNDS = 16, 10  # at most so many parts a cut, and rounds of k-means


def bucketed_tree(
    vectors: npt.ArrayLike,
    *,
    max_children: int | None = 40,
    bucket_size: int = 2000,
    pairs: Callable[[Vectors], SpanningTree] = spanning_tree,
    seed: int = 0,
) -> AbstractTree:
    """Build a tree in each bucket and join them by abstract node collapse.

    Parameters
    ----------
    vectors, max_children
        As for `build_tree`.
    bucket_size, pairs, seed
        As for `bucketed_pairs`.

    Raises
    ------
    PsiragError
        As for `build_tree` and `bucketed_pairs`.

    Source: Ψ-RAG Appendix E.1.

    Examples
    --------
    >>> bucketed_tree(np.random.default_rng(0).normal(size=(300, 8)), bucket_size=50).n_leaves
    300
    """
    check_max_children(max_children)
    rows = unit_rows(vectors)
    u, v = bucketed_pairs(rows, bucket_size=bucket_size, pairs=pairs, seed=seed)
    return rebalance(collapse(zip(u.tolist(), v.tolist(), strict=True), len(rows)), u, v, max_children)


def bucketed_pairs(
    rows: Vectors, *, bucket_size: int = 2000, pairs: Callable[[Vectors], SpanningTree] = spanning_tree, seed: int = 0
) -> tuple[Ints, Ints]:
    """Return the accepted pairs: those of each bucket, then those that join the buckets' trees.

    Parameters
    ----------
    rows : ndarray, shape (n, d), float32
        Unit rows.
    bucket_size : int
        No bucket is larger; at least 2.
    pairs : callable
        From unit rows to a spanning tree: `spanning_tree`, or `hnsw_pairs`.
    seed : int
        Draws the first centres.

    Returns
    -------
    u, v : ndarray, shape (n − 1,), int64
        u < v, in the order in which `collapse` takes them.

    Raises
    ------
    PsiragError
        No row, or a wrong setting.

    Notes
    -----
    Time n² / b for b buckets. Buckets run on all processors, or wherever `joblib.parallel_config` says. The spanning
    tree of the buckets' centroids says which buckets meet: through the leaf of one that is nearest to the other's
    centroid, and the leaf of the other that is nearest to that leaf.

    Source: Ψ-RAG Appendix E.1 (recursive spherical k-means, trees merged at the highest layer).

    Examples
    --------
    >>> [ends.tolist() for ends in bucketed_pairs(np.eye(4, dtype=np.float32)[[0, 0, 1, 1]], bucket_size=2)]
    [[0, 2, 0], [1, 3, 2]]
    """
    from joblib import Parallel, delayed

    check_count("bucket_size", bucket_size, minimum=2)
    check_count("seed", seed, minimum=0)
    if len(rows) == 0:
        raise PsiragError("a tree needs at least one vector", f"an array of shape {rows.shape}", "Add a chunk.")
    with one_blas_thread():
        buckets = _cut(rows, np.arange(len(rows)), bucket_size, np.random.default_rng(seed))
    trees: list[SpanningTree] = Parallel(n_jobs=-1, prefer="threads")(delayed(pairs)(rows[one]) for one in buckets)
    inside = [(one[tree.u], one[tree.v]) for one, tree in zip(buckets, trees, strict=True)]
    u, v = (np.concatenate(ends) for ends in zip(*inside, _joints(rows, buckets), strict=True))
    return np.minimum(u, v), np.maximum(u, v)


def _cut(rows: Vectors, members: Ints, bucket_size: int, rng: np.random.Generator) -> list[Ints]:
    """Cut rows by spherical k-means, and the parts again, until none is larger than a bucket."""
    if len(members) <= bucket_size:
        return [members]
    count = min(_CENTRES, -(-len(members) // bucket_size))
    nearest = _spherical_k_means(rows, members, max(2, count), rng)
    parts = [members[nearest == centre] for centre in np.unique(nearest)]
    if len(parts) == 1:  # rows that no centre tells apart
        parts = np.array_split(members, max(2, count))
    return [bucket for part in parts for bucket in _cut(rows, part, bucket_size, rng)]


def _spherical_k_means(rows: Vectors, members: Ints, count: int, rng: np.random.Generator) -> Ints:
    """Return the nearest of `count` centres for each member; centres move to the direction of their rows' sum."""
    centres = rows[rng.choice(members, count, replace=False)]
    nearest = np.zeros(len(members), dtype=np.int64)
    for _ in range(_ROUNDS):
        nearest[:] = (rows[members] @ centres.T).argmax(axis=1)
        for centre in np.unique(nearest):
            centres[centre] = _centroid(rows[members[nearest == centre]])
    return nearest


def _centroid(rows: Vectors) -> Vectors:
    """Return the direction of the rows' sum; zero when they cancel out."""
    total = rows.sum(axis=0, dtype=np.float64)
    unit: Vectors = (total / (np.linalg.norm(total) or 1.0)).astype(np.float32)
    return unit


def _joints(rows: Vectors, buckets: list[Ints]) -> tuple[Ints, Ints]:
    """Return a pair of leaves for each pair of buckets that the spanning tree of their centroids joins."""
    centroids = np.stack([_centroid(rows[one]) for one in buckets])
    joined = spanning_tree(centroids)
    u, v = joined.u.copy(), joined.v.copy()
    for i, (a, b) in enumerate(zip(joined.u.tolist(), joined.v.tolist(), strict=True)):
        u[i] = buckets[a][(rows[buckets[a]] @ centroids[b]).argmax()]
        v[i] = buckets[b][(rows[buckets[b]] @ rows[u[i]]).argmax()]
    return u, v

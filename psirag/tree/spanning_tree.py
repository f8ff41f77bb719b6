"""The maximum spanning tree of the similarity graph, exactly, in one pass over the pairs and without their matrix.

Kruskal's accepted pairs are the pairs that Ψ-RAG accepts, so n−1 pairs decide the whole tree. Start from any spanning
tree T. Sweep each pair once, in tiles of a float32 matrix product; a pair can only improve T if it comes before the
bottleneck of its ends (see `kruskal`). Lay the rows out in the order of T's dendrogram: then the bottleneck of two
rows is the worst of the gaps between them, and a tile needs one bar a row and one a column to throw nearly everything
away. What is left is decided by integer keys. T improves as the sweep goes on; the layout stays, and the gaps of any
fixed order still bound the bottlenecks from below, because bottlenecks are ultrametric.

The float32 products only filter, with a margin for their rounding, so block size, threads, and the tree to start from
change the speed and never the result.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from psirag.errors import PsiragError
from psirag.tree.kruskal import Pairs, bottlenecks, kruskal
from psirag.tree.seeding import seed_tree
from psirag.tree.similarity_keys import rank_pairs, similarities, similarity_keys
from psirag.tree.sweeping import Sweep, candidates

IntArray = npt.NDArray[np.int64]
Rows = npt.NDArray[np.float32]


@dataclass(frozen=True)
class SpanningTree:
    """The n − 1 accepted pairs, in the order in which they are accepted.

    Parameters
    ----------
    u, v : ndarray, shape (n − 1,), int64
        The two chunks of each pair, u < v.
    key : ndarray, shape (n − 1,), int64
        The integer similarity of each pair (see `similarity_keys`).
    n_leaves : int
        Number of chunks.

    Source: Ψ-RAG §3.1; Kruskal (1956), doi:10.1090/S0002-9939-1956-0078686-7.

    Examples
    --------
    >>> tree = spanning_tree(np.array([[1, 0], [0.6, 0.8], [0, 1]], dtype=np.float32))
    >>> list(zip(tree.u.tolist(), tree.v.tolist(), tree.similarity.round(1).tolist()))
    [(1, 2, 0.8), (0, 1, 0.6)]
    """

    u: IntArray
    v: IntArray
    key: IntArray
    n_leaves: int

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        for array in (self.u, self.v, self.key):
            array.flags.writeable = False

    @property
    def similarity(self) -> npt.NDArray[np.float64]:
        """Cosine similarity of each pair, shape (n − 1,), float64."""
        return similarities(self.key)


def spanning_tree(rows: Rows, *, block: int = 512, workers: int | None = None, seed: int = 0) -> SpanningTree:
    """Return the maximum spanning tree under the total order of all pairs.

    Parameters
    ----------
    rows : ndarray, shape (n, d), float32
        Unit rows, as `unit_rows` returns them.
    block : int
        Rows of one matrix product.
    workers : int, optional
        Threads, each with a single-threaded BLAS; by default as many as processors.
    seed : int
        Decides the tree to start from. Like `block` and `workers` it changes the speed, never the result.

    Notes
    -----
    n² · d / 2 multiplications, and O(n log n) memory beside a copy of the rows. Equal rows are joined beforehand, each
    to the first of its kind.

    Source: Ψ-RAG §3.1 (similarity ranking, merging and collapse).

    Examples
    --------
    >>> spanning_tree(np.eye(4, dtype=np.float32)).v.tolist()  # all similarities tie, so the lowest pairs come first
    [1, 2, 3]
    """
    if len(rows) == 0:
        raise PsiragError("a tree needs at least one vector", f"an array of shape {rows.shape}", "Add a chunk.")
    u, v = _join_equal_rows(rows)
    distinct = np.setdiff1d(np.arange(len(rows)), v)
    if len(distinct) > 1:
        with threadpool_limits(1, user_api="blas"):
            found = _improve(rows[distinct], block, workers or os.cpu_count() or 1, seed)
        u, v = np.append(u, distinct[found.u]), np.append(v, distinct[found.v])
    key = similarity_keys(rows, u, v)
    order = rank_pairs(u, v, key)
    return SpanningTree(u[order], v[order], key[order], len(rows))


def _join_equal_rows(rows: Rows) -> tuple[IntArray, IntArray]:
    """Pair every row that equals an earlier one with the first such row; zero rows are not equal rows."""
    _, first, inverse = np.unique(rows + np.float32(0), axis=0, return_index=True, return_inverse=True)
    first_of_kind = first[inverse.reshape(-1)]
    later = np.flatnonzero((first_of_kind != np.arange(len(rows))) & rows.any(axis=1))
    return first_of_kind[later], later


def _improve(rows: Rows, block: int, workers: int, seed: int) -> Pairs:
    """Improve a first spanning tree until every pair has been ruled out or taken in."""
    tree = bottlenecks(seed_tree(rows, seed=seed), len(rows))
    layout, pool = tree.order, [tree.pairs]
    laid_out = rows[layout]
    starts = range(0, len(rows), block)
    with ThreadPoolExecutor(workers) as threads:
        for batch in _batches(starts, workers):
            sweep = Sweep.over(laid_out, layout, tree)
            pool += threads.map(
                lambda start, sweep=sweep: candidates(sweep, start, min(start + block, len(rows))), batch
            )
            waiting = sum(map(len, pool)) - len(tree.pairs)
            if batch.start < starts[-1] and (len(batch) == 1 or waiting > len(rows)):
                tree = bottlenecks(kruskal(Pairs.concatenate(pool), len(rows)), len(rows))
                pool = [tree.pairs]
    return kruskal(Pairs.concatenate(pool), len(rows))


def _batches(starts: range, workers: int) -> Iterator[range]:
    """Take the first four blocks one by one, because the tree improves most at first; then several at a time."""
    for start in starts[:4]:
        yield range(start, start + starts.step, starts.step)
    for i in range(4, len(starts), 4 * workers):
        yield starts[i : i + 4 * workers]

"""The maximum spanning tree of the similarity graph, exactly, without the matrix of all pairs.

Kruskal's accepted pairs are the pairs that Ψ-RAG accepts, so n−1 pairs decide the whole tree. They are found here in
Borůvka's rounds: each component follows its best outgoing pair. A blocked matrix product in float32 shortlists the
candidates of each row; integer keys decide among them, so the answer depends on neither the block size nor the
number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from threadpoolctl import threadpool_limits

from psirag.errors import PsiragError
from psirag.tree.similarity_keys import rank_pairs, similarities, similarity_keys

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


def spanning_tree(rows: Rows, *, block: int = 512) -> SpanningTree:
    """Return the maximum spanning tree under the total order of all pairs.

    Parameters
    ----------
    rows : ndarray, shape (n, d), float32
        Unit rows, as `unit_rows` returns them.
    block : int
        Rows of one matrix product; it changes speed and memory (block · n · 5 bytes), never the result.

    Notes
    -----
    At most ⌊log2 n⌋ rounds of n² · d multiplications. Equal rows are joined beforehand, each to the first of its kind.

    Source: Ψ-RAG §3.1 (similarity ranking, merging and collapse); Borůvka's algorithm.

    Examples
    --------
    >>> spanning_tree(np.eye(4, dtype=np.float32)).v.tolist()  # all similarities tie, so the lowest pairs come first
    [1, 2, 3]
    """
    if len(rows) == 0:
        raise PsiragError("a tree needs at least one vector", f"an array of shape {rows.shape}", "Add a chunk.")
    u, v = _join_equal_rows(rows)
    component = np.arange(len(rows))
    component[v] = u
    distinct = np.flatnonzero(component == np.arange(len(rows)))
    kept, label = rows[distinct], np.arange(len(distinct))
    with threadpool_limits(1, user_api="blas"):
        while label.max() > 0:
            i, j = _best_outgoing_pairs(kept, label, block)
            u, v = np.append(u, distinct[i]), np.append(v, distinct[j])
            label = _merge_components(label, i, j)
    key = similarity_keys(rows, u, v)
    order = rank_pairs(u, v, key)
    return SpanningTree(u[order], v[order], key[order], len(rows))


def _join_equal_rows(rows: Rows) -> tuple[IntArray, IntArray]:
    """Pair every row that equals an earlier one with the first such row; zero rows are not equal rows."""
    _, first, inverse = np.unique(rows + np.float32(0), axis=0, return_index=True, return_inverse=True)
    first_of_kind = first[inverse.reshape(-1)]
    later = np.flatnonzero((first_of_kind != np.arange(len(rows))) & rows.any(axis=1))
    return first_of_kind[later], later


def _best_outgoing_pairs(rows: Rows, component: IntArray, block: int) -> tuple[IntArray, IntArray]:
    """Return, for each component, its first pair in visiting order that leaves it; each pair once, i < j.

    The best similarity seen so far, less the rounding error, is a bar that the true best pair always clears.
    """
    error = rows.shape[1] * 2.0**-23 * 1.01 + 3e-7  # twice the rounding error of a float32 dot product, and a little
    bar = np.full(component.max() + 1, -np.inf, dtype=np.float32)
    best = _BestPairs(len(bar))
    for start in range(0, len(rows), block):
        mine = component[start : start + block]
        tile = rows[start : start + block] @ rows.T
        tile[mine[:, None] == component] = -np.inf
        np.maximum.at(bar, mine, tile.max(axis=1) - np.float32(error))
        i, j = np.nonzero(tile >= bar[mine][:, None])
        best.offer(rows, component, start + i, j)
    return best.pairs()


class _BestPairs:
    """The first pair in visiting order offered to each component so far."""

    def __init__(self, n_components: int) -> None:
        self.key = np.full(n_components, np.iinfo(np.int64).min)
        self.i = np.zeros(n_components, dtype=np.int64)
        self.j = np.zeros(n_components, dtype=np.int64)

    def offer(self, rows: Rows, component: IntArray, i: IntArray, j: IntArray) -> None:
        """Keep each pair (i, j) that comes before what the component of i holds."""
        key = similarity_keys(rows, i, j)
        low, high, group = np.minimum(i, j), np.maximum(i, j), component[i]
        held = np.unique(group)
        held = held[self.key[held] != np.iinfo(np.int64).min]
        low, high = np.append(low, self.i[held]), np.append(high, self.j[held])
        key, group = np.append(key, self.key[held]), np.append(group, held)
        order = np.lexsort((high, low, -key, group))
        first = order[np.unique(group[order], return_index=True)[1]]
        self.i[group[first]], self.j[group[first]], self.key[group[first]] = low[first], high[first], key[first]

    def pairs(self) -> tuple[IntArray, IntArray]:
        """Return the kept pairs, each once (two components may have chosen the same)."""
        chosen = np.unique(np.column_stack([self.i, self.j]), axis=0)
        return chosen[:, 0], chosen[:, 1]


def _merge_components(component: IntArray, i: IntArray, j: IntArray) -> IntArray:
    """Return the components after joining the ends of the chosen pairs."""
    size = component.max() + 1
    chosen = coo_array((np.ones(len(i)), (component[i], component[j])), shape=(size, size))
    label: IntArray = connected_components(chosen, directed=False)[1].astype(np.int64)
    return label[component]

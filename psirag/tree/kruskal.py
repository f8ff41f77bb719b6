"""Kruskal's algorithm on given pairs, and what a spanning tree says about every other pair.

Take any spanning tree T. A pair outside T that comes after every pair on T's path between its ends is not in the
maximum spanning tree (the cycle rule), so only pairs that come before the path's last pair, its bottleneck, can
improve T.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree

from psirag.tree.similarity_keys import rank_pairs

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Pairs:
    """Pairs of leaves, u < v, with their integer similarities; arrays of equal length."""

    u: IntArray
    v: IntArray
    key: IntArray

    @staticmethod
    def none() -> Pairs:
        """Return no pairs."""
        return Pairs(*(np.empty(0, dtype=np.int64) for _ in range(3)))

    @staticmethod
    def concatenate(parts: list[Pairs]) -> Pairs:
        """Return all pairs of the parts."""
        return Pairs(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("u", "v", "key")))

    def __getitem__(self, index: npt.NDArray[np.generic]) -> Pairs:
        """Return the pairs at an index array or mask."""
        return Pairs(self.u[index], self.v[index], self.key[index])

    def __len__(self) -> int:
        return len(self.u)

    def precede(self, others: Pairs) -> npt.NDArray[np.bool_]:
        """Tell which pairs come strictly before the others, one by one, in visiting order."""
        lower = (self.u < others.u) | ((self.u == others.u) & (self.v < others.v))
        before: npt.NDArray[np.bool_] = (self.key > others.key) | ((self.key == others.key) & lower)
        return before


def kruskal(pairs: Pairs, n_leaves: int) -> Pairs:
    """Return the maximum spanning forest of the pairs, in visiting order; repeated pairs count once."""
    ranked = pairs[rank_pairs(pairs.u, pairs.v, pairs.key)]
    fresh = np.append(True, (np.diff(ranked.u) != 0) | (np.diff(ranked.v) != 0))[: len(ranked)]
    ranked = ranked[fresh]
    weight = np.arange(1, len(ranked) + 1, dtype=np.float64)  # ranks instead of similarities: no ties, one answer
    graph = coo_array((weight, (ranked.u, ranked.v)), shape=(n_leaves, n_leaves)).tocsr()
    return ranked[np.sort(minimum_spanning_tree(graph).data.astype(np.int64)) - 1]


@dataclass(frozen=True)
class Bottlenecks:
    """The last pair, in visiting order, on a spanning tree's path between any two leaves, in constant time.

    Join the tree's pairs in order and concatenate the lists of leaves that meet: in the final list, the last pair on
    the path between two leaves is the last of the pairs at the gaps between them.

    Parameters
    ----------
    pairs : Pairs
        The spanning tree in visiting order.
    order : ndarray, shape (n,), int64
        The leaf at each place of that list.
    place : ndarray, shape (n,), int64
        The place of each leaf.
    last : ndarray, shape (log2 n, n − 1), int32
        Entry [k, p] is the last pair at the gaps p … p + 2^k − 1.
    """

    pairs: Pairs
    order: IntArray
    place: IntArray
    last: npt.NDArray[np.int32]

    def between(self, u: IntArray, v: IntArray) -> IntArray:
        """Return the number of the bottleneck pair between leaves u and v, u ≠ v."""
        here, there = self.place[u], self.place[v]
        p, q = np.minimum(here, there), np.maximum(here, there)
        level = np.frexp((q - p).astype(np.float64))[1] - 1
        latest: npt.NDArray[np.int32] = np.maximum(self.last[level, p], self.last[level, q - (1 << level)])
        return latest.astype(np.int64)


def bottlenecks(pairs: Pairs, n_leaves: int) -> Bottlenecks:
    """Prepare the bottlenecks of a spanning tree of at least two leaves, given in visiting order."""
    order, gap = _join_lists(pairs.u, pairs.v, n_leaves)
    place = np.empty(n_leaves, dtype=np.int64)
    place[order] = np.arange(n_leaves)
    last, step = [gap.astype(np.int32)], 1
    while 2 * step < n_leaves:
        below, span = last[-1], n_leaves - 2 * step
        above = np.zeros_like(below)
        above[:span] = np.maximum(below[:span], below[step : step + span])
        last.append(above)
        step *= 2
    return Bottlenecks(pairs, order, place, np.array(last))


def _join_lists(u: IntArray, v: IntArray, n_leaves: int) -> tuple[IntArray, IntArray]:
    """Concatenate, for each pair, the lists that hold its ends; return the final list and the pair at each gap."""
    first, last, follower, gap = list(range(n_leaves)), list(range(n_leaves)), [-1] * n_leaves, [0] * n_leaves
    above, size = list(range(n_leaves)), [1] * n_leaves

    def find(leaf: int) -> int:
        while above[leaf] != leaf:
            above[leaf] = leaf = above[above[leaf]]
        return leaf

    top = 0
    for number, (a, b) in enumerate(zip(u.tolist(), v.tolist(), strict=True)):
        left, right = find(a), find(b)
        follower[last[left]], gap[last[left]] = first[right], number
        top, under = (left, right) if size[left] >= size[right] else (right, left)
        above[under], size[top] = top, size[left] + size[right]
        first[top], last[top] = first[left], last[right]
    order = [first[top]]
    while follower[order[-1]] != -1:
        order.append(follower[order[-1]])
    return np.array(order), np.array(gap)[order[:-1]]

"""Kruskal's algorithm on given pairs, and what a spanning tree says about every other pair.

Take any spanning tree T. A pair outside T that comes after every pair on T's path between its ends is not in the
maximum spanning tree (the cycle rule), so only pairs that come before the path's last pair, its bottleneck, can
improve T.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree

from psirag.tree.similarity_keys import rank_pairs
from psirag.vectors import Ints, Mask


@dataclass(frozen=True)
class Pairs:
    """Pairs of leaves, u < v, with their integer similarities; arrays of equal length."""

    u: Ints
    v: Ints
    key: Ints

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

    def precede(self, others: Pairs) -> Mask:
        """Tell which pairs come strictly before the others, one by one, in visiting order."""
        lower = (self.u < others.u) | ((self.u == others.u) & (self.v < others.v))
        before: Mask = (self.key > others.key) | ((self.key == others.key) & lower)
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

    Walk over the tree as Prim's algorithm does: always along the first pair, in visiting order, that leads to a new
    leaf. The walk leaves a group of leaves that better pairs join only when it has seen them all, so the last pair on
    the path between two leaves is the last of the pairs walked along between them.

    Parameters
    ----------
    pairs : Pairs
        The spanning tree in visiting order.
    order : ndarray, shape (n,), int64
        The leaf at each place of the walk.
    place : ndarray, shape (n,), int64
        The place of each leaf.
    last : ndarray, shape (log2 n, n − 1), int32
        Entry [k, p] is the last of the 2^k pairs walked along from place p on.
    """

    pairs: Pairs
    order: Ints
    place: Ints
    last: npt.NDArray[np.int32]

    def between(self, u: Ints, v: Ints) -> Ints:
        """Return the number of the bottleneck pair between leaves u and v, u ≠ v."""
        here, there = self.place[u], self.place[v]
        p, q = np.minimum(here, there), np.maximum(here, there)
        level = np.frexp((q - p).astype(np.float64))[1] - 1
        latest: npt.NDArray[np.int32] = np.maximum(self.last[level, p], self.last[level, q - (1 << level)])
        return latest.astype(np.int64)


def bottlenecks(pairs: Pairs, n_leaves: int) -> Bottlenecks:
    """Prepare the bottlenecks of a spanning tree of at least two leaves, given in visiting order."""
    order, walked = _walk(pairs, n_leaves)
    place = np.empty(n_leaves, dtype=np.int64)
    place[order] = np.arange(n_leaves)
    last, step = [walked.astype(np.int32)], 1
    while 2 * step < n_leaves:
        below, span = last[-1], n_leaves - 2 * step
        above = np.zeros_like(below)
        above[:span] = np.maximum(below[:span], below[step : step + span])
        last.append(above)
        step *= 2
    return Bottlenecks(pairs, order, place, np.array(last))


def _walk(pairs: Pairs, n_leaves: int) -> tuple[Ints, Ints]:
    """Walk over a spanning tree as Prim's algorithm does; return the leaves in order and the pairs walked along."""
    ends = np.concatenate([pairs.u, pairs.v])
    by_leaf = np.argsort(ends, kind="stable")
    pairs_at = (by_leaf % len(pairs)).tolist()
    start = np.searchsorted(ends[by_leaf], np.arange(n_leaves + 1)).tolist()
    u, both = pairs.u.tolist(), (pairs.u + pairs.v).tolist()
    seen = bytearray(n_leaves)
    leaf, order, walked, ahead = 0, [0], [], sorted(pairs_at[: start[1]])
    for _ in range(n_leaves - 1):
        seen[leaf] = 1
        number = heappop(ahead)
        leaf = both[number] - u[number] if seen[u[number]] else u[number]
        order.append(leaf)
        walked.append(number)
        for other in pairs_at[start[leaf] : start[leaf + 1]]:
            if other != number:
                heappush(ahead, other)
    return np.array(order), np.array(walked)

"""The segment tree of a text: its chunks in order, halved again and again; and one such tree for every document."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, fields

import numpy as np

from psirag.checks import check_count
from psirag.vectors import Ints


@dataclass(frozen=True)
class SegmentTree:
    """The balanced binary tree over n chunks in order: 2n − 1 nodes, depth ⌈log₂ n⌉, the same for every text.

    The leaves are 0 … n−1; a node over two chunks or more is halved, and the first half gets the odd chunk. Inner
    nodes are numbered from n on, each above its children, the root last.

    Parameters
    ----------
    n_leaves : int
        Chunks, at least 1.

    Attributes
    ----------
    start, end : ndarray, shape (2n − 1,), int64, read-only
        A node's chunks are start … end − 1.
    left, right : ndarray, shape (2n − 1,), int64, read-only
        Children; −1 for a leaf.
    parent : ndarray, shape (2n − 1,), int64, read-only
        −1 for the root.

    Raises
    ------
    PsiragError
        `n_leaves` is no integer of at least 1.

    Notes
    -----
    Source: NavTree §3.1, arXiv:2610.06902; which half gets the odd chunk, and the numbering, are ours.

    Examples
    --------
    >>> tree = SegmentTree(3)
    >>> [(int(a), int(b)) for a, b in zip(tree.start, tree.end)], tree.depth
    ([(0, 1), (1, 2), (2, 3), (0, 2), (0, 3)], 2)
    """

    n_leaves: int
    start: Ints = field(init=False, repr=False, compare=False)
    end: Ints = field(init=False, repr=False, compare=False)
    left: Ints = field(init=False, repr=False, compare=False)
    right: Ints = field(init=False, repr=False, compare=False)
    parent: Ints = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Halve from the root down."""
        n = check_count("n_leaves", self.n_leaves)
        object.__setattr__(self, "n_leaves", n)
        start, end = np.zeros(2 * n - 1, np.int64), np.zeros(2 * n - 1, np.int64)
        left, right, parent = (np.full(2 * n - 1, -1, np.int64) for _ in range(3))
        start[:n], end[:n] = np.arange(n), np.arange(1, n + 1)
        unused = 2 * n - 2
        to_halve = deque([(0, n, -1)])
        while to_halve:
            low, high, above = to_halve.popleft()
            node = low if high - low == 1 else unused
            start[node], end[node], parent[node] = low, high, above
            if above >= 0:
                (left if low == start[above] else right)[above] = node
            if high - low > 1:
                unused -= 1
                middle = (low + high + 1) // 2
                to_halve += [(middle, high, node), (low, middle, node)]
        for name, array in (("start", start), ("end", end), ("left", left), ("right", right), ("parent", parent)):
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @property
    def n_nodes(self) -> int:
        """Number of nodes, 2n − 1."""
        return 2 * self.n_leaves - 1

    @property
    def depth(self) -> int:
        """Most steps from the root to a leaf, ⌈log₂ n⌉."""
        return (self.n_leaves - 1).bit_length()


@dataclass(frozen=True, eq=False)
class SegmentForest:
    """A segment tree for each document, in one numbering: leaves are the chunks' rows, inner nodes come after them.

    Parameters
    ----------
    order : ndarray, shape (n,), int64
        Chunks by document and by position in it.
    start, end : ndarray, shape (m,), int64
        A node's chunks are `order[start:end]`.
    left, right, parent : ndarray, shape (m,), int64
        −1 where there is none.
    roots : ndarray, shape (number of documents,), int64
        By document id.

    Notes
    -----
    Source: NavTree §3.1, arXiv:2610.06902; the forest is ours.
    """

    order: Ints
    start: Ints
    end: Ints
    left: Ints
    right: Ints
    parent: Ints
    roots: Ints

    def __post_init__(self) -> None:
        for each in fields(self):
            getattr(self, each.name).flags.writeable = False


def segment_forest(document: Ints, position: Ints) -> SegmentForest:
    """Build the segment tree of every document.

    Parameters
    ----------
    document, position : ndarray, shape (n,), int64
        Of each chunk, as in `Chunks`; n ≥ 1.

    Returns
    -------
    SegmentForest
        With 2n − (number of documents) nodes.

    Notes
    -----
    Source: NavTree §3.1, arXiv:2610.06902.

    Examples
    --------
    >>> forest = segment_forest(np.array([0, 0, 7]), np.array([0, 1, 0]))
    >>> forest.roots.tolist(), forest.parent.tolist()
    ([3, 2], [3, 3, -1, -1])
    """
    n = len(document)
    order = np.lexsort((position, document)).astype(np.int64)
    _, first, counts = np.unique(document[order], return_index=True, return_counts=True)
    m = 2 * n - len(counts)
    start, end = np.empty(m, np.int64), np.empty(m, np.int64)
    left, right, parent = (np.full(m, -1, np.int64) for _ in range(3))
    roots, unused = np.empty(len(counts), np.int64), n
    for i, (low, size) in enumerate(zip(first.tolist(), counts.tolist(), strict=True)):
        tree = SegmentTree(size)
        numbers = np.append(order[low : low + size], [*range(unused, unused + size - 1), -1])  # −1 at the end
        here = numbers[:-1]
        start[here], end[here] = tree.start + low, tree.end + low
        left[here], right[here], parent[here] = numbers[tree.left], numbers[tree.right], numbers[tree.parent]
        roots[i] = here[-1]
        unused += size - 1
    return SegmentForest(order, start, end, left, right, parent, roots)

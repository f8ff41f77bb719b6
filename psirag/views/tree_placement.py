"""Where the nodes of a tree, or of a forest that still grows, stand: a layer and a position among the leaves."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from psirag.errors import PsiragError
from psirag.views.drawing import FloatArray, IntArray


@dataclass(frozen=True)
class ForestLayout:
    """Nodes of a forest in rows: each node has a layer, and a position between the leaves below it.

    Parameters
    ----------
    parent, layer : ndarray, shape (m,), int64
        Parent (−1 for a root) and steps above the leaves.
    position : ndarray, shape (m,), float64
        A leaf's place in the drawing order, 0 … n−1; an abstract node stands midway between its outermost children.
    first, last : ndarray, shape (m,), int64
        Places of the outermost leaves below each node.
    """

    parent: IntArray
    layer: IntArray
    position: FloatArray
    first: IntArray
    last: IntArray

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        for field in fields(self):
            getattr(self, field.name).flags.writeable = False

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.layer == 0))

    @property
    def roots(self) -> IntArray:
        """The nodes without a parent."""
        return np.flatnonzero(self.parent == -1)


def forest_layout(parent: npt.ArrayLike, n_leaves: int, *, leaf_order: npt.ArrayLike | None = None) -> ForestLayout:
    """Place the nodes of any forest whose first `n_leaves` nodes are its leaves, in rows and without recursion.

    Parameters
    ----------
    parent : array_like, shape (m,), int
        Parent of each node, −1 for a root; any numbering above the leaves, so a half-grown forest is welcome.
    n_leaves : int
        Number of leaves.
    leaf_order : array_like, shape (n_leaves,), int, optional
        Leaves in the order to draw them in; by default each tree's leaves stand together, smallest leaf first.
        The order of the finished tree keeps the leaves in place while the forest grows.

    Returns
    -------
    ForestLayout
        Arrays of m numbers each.

    Raises
    ------
    PsiragError
        Not an array of node numbers, a leaf with children, a cycle, or an order that is not one of the leaves.

    Source: ours.

    Examples
    --------
    >>> forest_layout([3, 3, -1, -1], n_leaves=3).position.tolist()
    [0.0, 1.0, 2.0, 0.5]
    """
    parents = _checked(parent, n_leaves)
    layer = _layers(parents, n_leaves)
    below = _upward(parents, layer)
    places = _places(parents, n_leaves, below) if leaf_order is None else _given_places(leaf_order, n_leaves)
    m = len(parents)
    first, last, low, high = (np.full(m, fill) for fill in (m, -1, float(m), -1.0))
    first[:n_leaves] = last[:n_leaves] = low[:n_leaves] = high[:n_leaves] = places
    for nodes in below:
        above = parents[nodes]
        middle = (low[nodes] + high[nodes]) / 2
        np.minimum.at(first, above, first[nodes])
        np.maximum.at(last, above, last[nodes])
        np.minimum.at(low, above, middle)
        np.maximum.at(high, above, middle)
    return ForestLayout(parents, layer, (low + high) / 2, first, last)


def _checked(parent: npt.ArrayLike, n_leaves: int) -> IntArray:
    """Return the parents as a fresh int64 array."""
    array = np.asarray(parent)
    if array.ndim != 1 or array.dtype.kind not in "iu" or not 1 <= n_leaves <= len(array):
        given = f"shape {array.shape}, dtype {array.dtype} and {n_leaves} leaves"
        raise PsiragError("a forest needs one parent per node and at least one leaf", given, "Pass a list of integers.")
    parents = array.astype(np.int64)
    wrong = np.flatnonzero((parents < -1) | (parents >= len(parents)) | ((parents >= 0) & (parents < n_leaves)))
    if len(wrong):
        given = f"parent {parents[wrong[0]]} of node {wrong[0]}"
        raise PsiragError("a parent must be an abstract node or −1", given, "Number the leaves first.")
    return parents


def _layers(parents: IntArray, n_leaves: int) -> IntArray:
    """Return the longest way down to a leaf, rising from all leaves at once."""
    layer = np.full(len(parents), -1, dtype=np.int64)
    nodes, height = np.arange(n_leaves), 0
    while len(nodes):
        layer[nodes] = height
        nodes = np.unique(parents[nodes])
        nodes, height = nodes[nodes >= 0], height + 1
        if height > len(parents):
            raise PsiragError("a forest has no cycle", f"one through node {nodes[0]}", "Check the parents.")
    if (layer < 0).any():
        given = f"none below node {int(np.flatnonzero(layer < 0)[0])}"
        raise PsiragError("every abstract node needs a leaf below it", given, "Drop nodes that are not in the forest.")
    return layer


def _upward(parents: IntArray, layer: IntArray) -> list[IntArray]:
    """Return the nodes that have a parent, layer by layer from the leaves."""
    nodes = np.argsort(layer, kind="stable")
    layers = np.split(nodes, np.flatnonzero(np.diff(layer[nodes])) + 1)
    return [members[parents[members] >= 0] for members in layers]


def _places(parents: IntArray, n_leaves: int, below: list[IntArray]) -> IntArray:
    """Return each leaf's place when subtrees stand together, ordered by their smallest leaf."""
    m = len(parents)
    smallest, counts = np.full(m, m), np.zeros(m, dtype=np.int64)
    smallest[:n_leaves], counts[:n_leaves] = np.arange(n_leaves), 1
    for nodes in below:
        np.minimum.at(smallest, parents[nodes], smallest[nodes])
        np.add.at(counts, parents[nodes], counts[nodes])
    order = np.lexsort((smallest, parents))
    before = np.cumsum(counts[order]) - counts[order]
    heads = np.flatnonzero(np.diff(parents[order], prepend=-2))
    before -= np.repeat(before[heads], np.diff(heads, append=m))
    start = np.empty(m, dtype=np.int64)
    start[order] = before
    for nodes in reversed(below):
        start[nodes] += start[parents[nodes]]
    return start[:n_leaves]


def _given_places(leaf_order: npt.ArrayLike, n_leaves: int) -> IntArray:
    """Return each leaf's place in a given order."""
    order = np.asarray(leaf_order)
    if order.shape != (n_leaves,) or not np.array_equal(np.sort(order), np.arange(n_leaves)):
        given = f"shape {order.shape}: {order.tolist()[:8]}"
        raise PsiragError("leaf_order must name each leaf once", given, f"Pass 0 … {n_leaves - 1} in some order.")
    return np.argsort(order, kind="stable")

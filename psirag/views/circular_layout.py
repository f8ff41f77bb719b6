"""Places on a disc: the root in the middle, layers as rings, all leaves on the outer ring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from psirag.errors import PsiragError
from psirag.tree.abstract_tree import AbstractTree
from psirag.views.drawing import FloatArray, IntArray
from psirag.views.tree_placement import forest_layout

_ARC_STEP = np.pi / 90


@dataclass(frozen=True)
class CircularLayout:
    """Every node of a tree on a disc of radius 1.

    Parameters
    ----------
    angle : ndarray, shape (m,), float64
        Radians, counter-clockwise from the right; the first leaf is at the top and the leaves go clockwise.
    radius : ndarray, shape (m,), float64
        1 for every leaf, less by the same step for each layer above, 0 for the root.
    x, y : ndarray, shape (m,), float64
        The same place in the plane.
    start, stop : ndarray, shape (m,), float64
        The sector of each node: angles half a leaf before its first leaf and half a leaf after its last (stop < start).
    edges : ndarray, shape (m − 1, 2), int64
        Child and parent.
    """

    angle: FloatArray
    radius: FloatArray
    x: FloatArray
    y: FloatArray
    start: FloatArray
    stop: FloatArray
    edges: IntArray

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        for field in fields(self):
            getattr(self, field.name).flags.writeable = False


def circular_tree_layout(tree: AbstractTree) -> CircularLayout:
    """Place the nodes of a tree on a disc: leaves evenly on the outer ring, each layer on a ring of its own.

    Parameters
    ----------
    tree : AbstractTree
        Any tree, of one node too.

    Returns
    -------
    CircularLayout
        Arrays of one number a node, and the edges.

    Raises
    ------
    PsiragError
        The argument is no tree.

    Source: Ψ-RAG §4.2, Figure 5 (circular layout of a tree); the placing is ours.

    Examples
    --------
    >>> layout = circular_tree_layout(AbstractTree.from_parents([2, 2, -1], n_leaves=2))
    >>> layout.radius.tolist(), layout.edges.shape
    ([1.0, 1.0, 0.0], (2, 2))
    """
    if not isinstance(tree, AbstractTree):
        given = f"a {type(tree).__name__}"
        raise PsiragError("circular_tree_layout needs an AbstractTree", given, "Pass build_tree(vectors).")
    rows = forest_layout(tree.parent, tree.n_leaves)
    step = 2 * np.pi / tree.n_leaves
    angle: FloatArray = np.pi / 2 - step * rows.position
    start: FloatArray = np.pi / 2 - step * (rows.first.astype(np.float64) - 0.5)
    stop: FloatArray = np.pi / 2 - step * (rows.last.astype(np.float64) + 0.5)
    radius: FloatArray = 1.0 - rows.layer / max(tree.depth, 1)
    edges = np.column_stack([np.arange(tree.root), tree.parent[:-1]])
    x, y = radius * np.cos(angle), radius * np.sin(angle)
    return CircularLayout(angle, radius, x, y, start, stop, edges)


def edge_paths(layout: CircularLayout, children: IntArray | None = None) -> tuple[FloatArray, FloatArray]:
    """Return the lines from some nodes up to their parents: along the parent's ring, then outwards; NaN ends a line.

    Parameters
    ----------
    layout : CircularLayout
        The places.
    children : ndarray, shape (c,), int64, optional
        Lower ends of the edges to draw; all by default.

    Returns
    -------
    x, y : ndarray, float64
        Points of all lines, those nearest to the leaves first.

    Source: ours.

    Examples
    --------
    >>> layout = circular_tree_layout(AbstractTree.from_parents([2, 2, -1], n_leaves=2))
    >>> edge_paths(layout, np.array([0]))[1].round(2).tolist()
    [0.0, 1.0, nan]
    """
    chosen = layout.edges if children is None else layout.edges[np.unique(children)]
    child, parent = chosen[:, 0], chosen[:, 1]
    spokes = np.column_stack([layout.angle[child], layout.angle[child], np.full(len(child), np.nan)]).ravel()
    depths = np.column_stack([layout.radius[parent], layout.radius[child], np.full(len(child), np.nan)]).ravel()
    arcs, rings, owner = _arcs(layout, child, parent)
    order = np.argsort(np.concatenate([np.repeat(child, 3), owner]), kind="stable")
    angle, radius = np.concatenate([spokes, arcs])[order], np.concatenate([depths, rings])[order]
    return radius * np.cos(angle), radius * np.sin(angle)


def _arcs(layout: CircularLayout, child: IntArray, parent: IntArray) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return one arc per parent over its chosen children: angles, radii, and the child each point is sorted with."""
    heads, group = np.unique(parent, return_inverse=True)
    low, high = layout.angle[heads].copy(), layout.angle[heads].copy()
    np.minimum.at(low, group, layout.angle[child])
    np.maximum.at(high, group, layout.angle[child])
    last = np.zeros(len(heads), dtype=np.int64)
    np.maximum.at(last, group, child)
    length = np.where(layout.radius[heads] > 0, high - low, 0.0)
    curved = np.flatnonzero(length > 0)
    heads, low, length, last = heads[curved], low[curved], length[curved], last[curved]
    points = 2 + np.ceil(length / _ARC_STEP).astype(np.int64)
    share = np.arange(points.sum() + len(heads)) - np.repeat(np.cumsum(points + 1) - (points + 1), points + 1)
    count = np.repeat(points, points + 1)
    angle = np.repeat(low, points + 1) + np.repeat(length, points + 1) * share / (count - 1)
    angle[share == count] = np.nan
    return angle, np.repeat(layout.radius[heads], points + 1), np.repeat(last, points + 1)


def sector_outlines(layout: CircularLayout, nodes: Sequence[int] | IntArray) -> tuple[FloatArray, FloatArray]:
    """Return closed outlines of the sectors below some nodes, from just inside the node to the outer ring.

    Source: ours.

    Examples
    --------
    >>> layout = circular_tree_layout(AbstractTree.from_parents([4, 4, 5, 5, 6, 6, -1], n_leaves=4))
    >>> x, y = sector_outlines(layout, [4])
    >>> bool((x[:-1] >= -0.05).all())
    False
    """
    xs, ys = [np.empty(0)], [np.empty(0)]
    for node in nodes:
        n = 2 + int((layout.start[node] - layout.stop[node]) / _ARC_STEP)
        arc = np.linspace(layout.start[node], layout.stop[node], n)
        angle = np.concatenate([arc, arc[::-1], arc[:1], [np.nan]])
        inner = np.full(n, max(layout.radius[node] - 0.04, 0.0))
        radius = np.concatenate([inner, np.full(n, 1.03), inner[:1], [0.0]])
        xs.append(radius * np.cos(angle))
        ys.append(radius * np.sin(angle))
    return np.concatenate(xs), np.concatenate(ys)

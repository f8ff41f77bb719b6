"""The walk of NavTree drawn on its segment trees: active nodes, the order of the steps, emitted and filled leaves."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np

from psirag.errors import PsiragError
from psirag.retrieval.trace import Retrieval
from psirag.variants import NavTrace, NavTree
from psirag.vectors import Mask
from psirag.views.drawing import Drawing, FloatArray, IntArray, Label, Marks
from psirag.views.figure import draw_figure
from psirag.views.hover import hover_box, plain_text
from psirag.views.palette import BLUE, GREEN, INK, ORANGE, SKY, SOFT, VERMILION
from psirag.views.tree_placement import forest_layout

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_MAX_NUMBERS = 80  # of more steps, the later ones are told on hover alone
_MAX_TITLES = 8


@dataclass(frozen=True)
class SegmentTreeLayout:
    """The segment trees of the documents that the walk entered, leaves in the order of the text.

    Parameters
    ----------
    node : ndarray, shape (m,), int64
        Numbers in `nav.forest`.
    x, y : ndarray, shape (m,), float64
        Place among the leaves, with a gap between documents; steps above the lowest leaf below the node.
    active : ndarray, shape (m,), bool
        On a path to an anchor.
    step : ndarray, shape (m,), int64
        When the walk took it, from 0; −1 for never.
    edges : ndarray, shape (e, 2), int64
        Positions in these arrays: child and parent.
    """

    node: IntArray
    x: FloatArray
    y: FloatArray
    active: Mask
    step: IntArray
    edges: IntArray

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        for field in fields(self):
            getattr(self, field.name).flags.writeable = False


def segment_tree_layout(retrieval: Retrieval, nav: NavTree) -> SegmentTreeLayout:
    """Place the trees that a walk entered.

    Parameters
    ----------
    retrieval : Retrieval
        Of `nav.retrieve`.
    nav : NavTree
        The one that was asked.

    Returns
    -------
    SegmentTreeLayout

    Raises
    ------
    PsiragError
        A retrieval without a walk, or one through other trees.

    Source: NavTree §3 and Figure 1, arXiv:2610.06902; the placing is ours.

    Examples
    --------
    >>> from psirag.index import Index
    >>> nav = NavTree(Index.build(["Beavers build dams.", "Bats hunt moths."]), anchors=1)
    >>> segment_tree_layout(nav.retrieve("Who hunts?"), nav).node.tolist()
    [1]
    """
    trace = getattr(retrieval, "trace", None)
    if not isinstance(trace, NavTrace):
        given = f"a {type(retrieval).__name__} without one"
        raise PsiragError("segment_tree needs a retrieval with a walk", given, "Pass nav.retrieve(question).")
    forest, walk = nav.forest, trace.walk
    if len(walk.active) != len(forest.parent):
        given = f"{len(walk.active)} nodes and trees of {len(forest.parent)}"
        raise PsiragError("the walk must be through these trees", given, "Pass the NavTree that was asked.")
    root = _roots(forest.parent)
    node = np.flatnonzero(np.isin(root, walk.node))
    here = np.full(len(root) + 1, -1)
    here[node] = np.arange(len(node))
    parent = here[forest.parent[node]]  # a root's parent, −1, reads the spare last entry
    n_leaves = int(np.count_nonzero(node < len(nav.chunks)))
    in_text = np.argsort(forest.start[node[:n_leaves]], kind="stable")
    rows = forest_layout(parent, n_leaves, leaf_order=in_text)
    _, document = np.unique(forest.start[root[node]], return_inverse=True)
    step = np.full(len(root), -1)
    step[walk.node] = np.arange(len(walk.node))
    child = np.flatnonzero(parent >= 0)
    edges = np.column_stack([child, parent[child]])
    return SegmentTreeLayout(
        node, rows.position + document, rows.layer.astype(np.float64), walk.active[node], step[node], edges
    )


def _roots(parent: IntArray) -> IntArray:
    """Return the root above each node, the node itself for a root."""
    root = np.arange(len(parent))
    while (parent[root] >= 0).any():
        root = np.where(parent[root] >= 0, parent[root], root)
    return root


def segment_tree(retrieval: Retrieval, nav: NavTree, *, title: str | None = None) -> Figure:
    """Draw a walk: which nodes were active, in which order they were taken, which leaves became hits.

    Parameters
    ----------
    retrieval : Retrieval
        Of `nav.retrieve`.
    nav : NavTree
        The one that was asked.
    title : str, optional
        Shown as written; the question by default.

    Returns
    -------
    plotly.graph_objects.Figure
        With `.svg`; the numbers beside the nodes are the steps, the ids in its hover data are the forest's.

    Raises
    ------
    PsiragError
        As for `segment_tree_layout`.

    Source: NavTree §3 and Figure 1, arXiv:2610.06902.

    Examples
    --------
    >>> from psirag.corpus import Corpus, Document
    >>> from psirag.index import Index
    >>> text = "Beavers build dams. Dams slow rivers. Fish like slow rivers. Bats hunt moths at night."
    >>> index = Index.build(Corpus((Document(0, text),), "documents"), max_tokens=8, abstraction="centroid")
    >>> nav = NavTree(index, budget=16, anchors=2)
    >>> [trace.name for trace in segment_tree(nav.retrieve("Who builds dams, and who hunts?"), nav).data]
    ['edges', 'paths to the anchors', 'not taken', 'split', 'emitted', 'filled']
    """
    layout = segment_tree_layout(retrieval, nav)
    high, wide = float(layout.y.max()), float(layout.x.max())
    drawing = Drawing(
        title=plain_text(retrieval.query if title is None else title, 90),
        marks=_marks(layout, retrieval, nav),
        labels=_numbers(layout) + _titles(layout, nav),
        x_range=(-0.8, wide + 0.8),
        y_range=(-0.5, high + 0.8),
        equal=False,
        width=900,
        height=int(np.clip(170 + 62 * (high + 1), 260, 700)),
        margin=(20, 20, 56, 56),
    )
    return draw_figure([drawing])


def _marks(layout: SegmentTreeLayout, retrieval: Retrieval, nav: NavTree) -> tuple[Marks, ...]:
    """Return the edges, then the nodes by what became of them; those that occur."""
    trace = retrieval.trace
    action = np.array(trace.walk.action if isinstance(trace, NavTrace) else (), dtype=object)
    became = np.full(len(layout.node), "not taken", dtype=object)
    taken = layout.step >= 0
    became[taken] = action[layout.step[taken]]
    filled = [hit.node for hit in retrieval if "walk" not in hit.sides]
    became[np.isin(layout.node, filled)] = "filled"
    texts = [*nav.chunks.texts, *nav.node_texts]
    marks = [_edges(layout, layout.edges, "edges", SOFT, 0.9)]
    marks.append(_edges(layout, layout.edges[layout.active[layout.edges[:, 0]]], "paths to the anchors", ORANGE, 2.2))
    looks = {
        "not taken": (SOFT, "circle", 5.0),
        "split": (SKY, "square", 12.0),
        "too long": (VERMILION, "x", 11.0),
        "repeated": (VERMILION, "cross", 11.0),
        "emitted": (BLUE, "circle", 14.0),
        "filled": (GREEN, "diamond", 11.0),
    }
    for name, (colour, symbol, size) in looks.items():
        at = np.flatnonzero(became == name)
        if len(at):
            boxes = tuple(hover_box(_head(layout, i, name, nav), texts[layout.node[i]]) for i in at.tolist())
            x, y, ids = layout.x[at], layout.y[at], layout.node[at]
            look = Marks(kind="points", x=x, y=y, name=name, colour=colour, symbol=symbol, size=size)
            marks.append(replace(look, hover=boxes, ids=ids))
    return tuple(marks)


def _head(layout: SegmentTreeLayout, i: int, name: str, nav: NavTree) -> str:
    """Return the heading of a hover box."""
    node = int(layout.node[i])
    head = f"chunk {node}" if node < len(nav.chunks) else f"node {node}"
    return f"{head} · {name}" + (f" · step {layout.step[i] + 1}" if layout.step[i] >= 0 else "")


def _edges(layout: SegmentTreeLayout, edges: IntArray, name: str, colour: str, size: float) -> Marks:
    """Return lines from children to parents."""
    gap = np.full(len(edges), np.nan)
    x = np.column_stack([layout.x[edges[:, 0]], layout.x[edges[:, 1]], gap]).ravel()
    y = np.column_stack([layout.y[edges[:, 0]], layout.y[edges[:, 1]], gap]).ravel()
    return Marks(kind="line", x=x, y=y, name=name, colour=colour, size=size, legend=name != "edges")


def _numbers(layout: SegmentTreeLayout) -> tuple[Label, ...]:
    """Return the step beside each node that was taken early enough."""
    at = np.flatnonzero((layout.step >= 0) & (layout.step < _MAX_NUMBERS)).tolist()
    return tuple(
        Label(x=layout.x[i], y=layout.y[i], text=str(layout.step[i] + 1), size=10, colour=INK, shift=(11, 10))
        for i in at
    )


def _titles(layout: SegmentTreeLayout, nav: NavTree) -> tuple[Label, ...]:
    """Return the title above each root, when they are few enough to be read."""
    roots = np.setdiff1d(np.arange(len(layout.node)), layout.edges[:, 0])
    if len(roots) > _MAX_TITLES:
        return ()
    rows = nav.forest.order[nav.forest.start[layout.node[roots]]]
    titles = [plain_text(nav.chunks.titles[row], 130 // len(roots)) for row in rows.tolist()]
    named = [(layout.x[i], title) for i, title in zip(roots, titles, strict=True) if title]
    return tuple(Label(x=x, y=float(layout.y.max()), text=title, shift=(0, 30)) for x, title in named)

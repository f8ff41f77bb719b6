"""The circular tree as a figure: paths to minor leaves, shaded confused sectors, one tree or several side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from psirag.checks import check_count, check_texts, check_type
from psirag.errors import PsiragError
from psirag.tree.abstract_tree import AbstractTree
from psirag.tree.marking import with_ancestors
from psirag.views.circular_layout import circular_tree_layout, sector_outlines
from psirag.views.circular_marks import abstract_marks, edge_marks, leaf_marks, ring_labels
from psirag.views.drawing import TITLE_SIZE, Drawing, Marks
from psirag.views.figure import draw_figure
from psirag.views.hover import fitted
from psirag.views.nodes_told import NodesTold, nodes_told
from psirag.views.palette import PURPLE, SOFT, VERMILION

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from psirag.index import Index

_MAX_RINGS = 12


def circular_tree(
    tree: AbstractTree | Index,
    *,
    texts: Sequence[str] | None = None,
    classes: Sequence[str] | None = None,
    minor: Any = None,
    highlight: Sequence[int] = (),
    shade: Sequence[int] | None = None,
    labels: Sequence[str] | None = None,
    title: str = "",
) -> Figure:
    """Draw a tree as a disc, in at most seven traces.

    Parameters
    ----------
    tree : AbstractTree or Index
        An index brings its own texts and titles.
    texts : sequence of str, length n_leaves or n_nodes, optional
        Shown on hover, as written, cut to 200 characters.
    classes : sequence of str, length n_leaves, optional
        A class per leaf, for colour and shape.
    minor : str, sequence of str, sequence of int or mask, optional
        The minor class or classes, or the minor leaves: their paths to the root are drawn.
    highlight : sequence of int
        Nodes to outline; their paths to the root are drawn too.
    shade : sequence of int, optional
        Nodes whose sectors are shaded; by default the confused nodes when `minor` is given.
    labels : sequence of str, length n_leaves, optional
        Names around the ring, thinned to 48; an empty list for none. By default titles, texts or numbers of up to 48.
    title : str
        Shown as written.

    Returns
    -------
    plotly.graph_objects.Figure
        With `.svg`, the same picture as a static string; the ids in its hover data are node numbers.

    Raises
    ------
    PsiragError
        Not a tree; texts, classes or labels of another length; unknown classes or nodes.

    Source: Ψ-RAG §4.2, Figure 5.

    Examples
    --------
    >>> tree = AbstractTree.from_parents([4, 4, 5, 5, 6, 6, -1], n_leaves=4)
    >>> figure = circular_tree(tree, classes=["sport", "sport", "sport", "business"], minor="business")
    >>> [trace.name for trace in figure.data]
    ['confused', 'edges', 'minor path', 'abstract', 'confused node', 'sport', 'business (minor)']
    """
    bare, told = nodes_told(tree, texts, classes, minor, highlight, shade, labels)
    return draw_figure([_drawing(bare, told, title)])


def circular_trees(
    trees: Sequence[AbstractTree | Index],
    *,
    titles: Sequence[str],
    texts: Sequence[str] | None = None,
    classes: Sequence[str] | None = None,
    minor: Any = None,
    labels: Sequence[str] | None = (),
    title: str = "",
    columns: int = 2,
) -> Figure:
    """Draw trees over the same leaves side by side, each as `circular_tree` does, with one legend.

    Parameters
    ----------
    trees : sequence of AbstractTree or Index
        Trees over the same leaves.
    titles : sequence of str
        One per tree.
    texts, classes, minor, labels, title
        As in `circular_tree`; texts of the leaves alone when the trees differ in size.
    columns : int, default 2
        Trees in a row; 1 for a narrow page.

    Raises
    ------
    PsiragError
        As many titles as trees are needed, and what `circular_tree` needs.

    Source: Ψ-RAG §4.2, Figure 5.

    Examples
    --------
    >>> tree = AbstractTree.from_parents([2, 2, -1], n_leaves=2)
    >>> len(circular_trees([tree, tree], titles=["Ψ", "GMM"]).data)
    6
    """
    titles = check_texts("titles", titles)
    columns = check_count("columns", columns)
    if len(trees) == 0 or len(trees) != len(titles):
        given = f"{len(trees)} trees and {len(titles)} titles"
        raise PsiragError("circular_trees needs trees and a title for each", given, "Pass two lists of one length.")
    drawings = []
    for tree, name in zip(trees, titles, strict=True):
        bare, told = nodes_told(tree, texts, classes, minor, (), None, labels)
        drawings.append(_drawing(bare, told, name, width=520, height=560))
    room = 520 * min(columns, len(drawings)) - 24
    return draw_figure(drawings, title=fitted(check_type("title", title, str), room, TITLE_SIZE), columns=columns)


def _drawing(tree: AbstractTree, told: NodesTold, title: str, *, width: int = 760, height: int = 640) -> Drawing:
    """Return the picture as data."""
    layout = circular_tree_layout(tree)
    on_path = with_ancestors(tree, told.minor) | with_ancestors(tree, told.highlight)
    marks = [edge_marks(layout, np.arange(tree.root), "edges", SOFT, 0.7 if tree.n_nodes > 400 else 1.1)]
    if on_path.any():
        name = "minor path" if told.minor.any() else "path to root"
        marks.append(edge_marks(layout, np.flatnonzero(on_path[: tree.root]), name, VERMILION, 1.9))
    if len(told.shade):
        x, y = sector_outlines(layout, told.shade)
        name = "confused" if told.minor.any() else "shaded"
        marks.insert(0, Marks(kind="area", x=x, y=y, name=name, colour=PURPLE, opacity=0.24))
    marks += abstract_marks(tree, layout, told, on_path) + leaf_marks(tree, layout, told)
    labels, room = ring_labels(layout, told.labels)
    rings = np.unique(layout.radius[layout.radius > 0])
    return Drawing(
        title=title,
        marks=tuple(marks),
        labels=labels,
        rings=tuple(rings[:: -(-len(rings) // _MAX_RINGS)].tolist()),
        x_range=(-1.09, 1.09),
        y_range=(-1.09, 1.09),
        width=width,
        height=height,
        margin=(room[0] + 8, room[0] + 8, room[1] + (56 if title else 20), room[1] + 56),
    )

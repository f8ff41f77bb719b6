"""The circular tree as a figure: paths to minor leaves, shaded confused sectors, one tree or several side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from psirag.checks import check_count, check_texts
from psirag.errors import PsiragError
from psirag.tree.abstract_tree import AbstractTree
from psirag.views.circular_layout import CircularLayout, circular_tree_layout, edge_paths, sector_outlines
from psirag.views.drawing import Drawing, IntArray, Label, Marks
from psirag.views.figure import draw_figure
from psirag.views.hover import hover_box, plain_text, text_width
from psirag.views.node_arguments import node_flags, sized_texts
from psirag.views.palette import PURPLE, SKY, SOFT, VERMILION, class_styles

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from psirag.index import Index

BoolArray = npt.NDArray[np.bool_]

MAX_LABELS = 48
_MAX_RINGS = 12
_MAX_TRACES = 6
_LABEL_SIZE = 11.0
_SMALL_RADIUS = 110.0


@dataclass(frozen=True, kw_only=True)
class _Told:
    """What the caller said about the nodes, checked."""

    texts: tuple[str, ...]
    labels: tuple[str, ...]
    classes: tuple[str, ...]
    minor: BoolArray
    highlight: BoolArray
    shade: IntArray


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
    """Draw a tree as a disc, in at most six traces.

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
    ['confused', 'edges', 'minor path', 'abstract', 'sport', 'business (minor)']
    """
    bare, told = _told(tree, texts, classes, minor, highlight, shade, labels)
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
        bare, told = _told(tree, texts, classes, minor, (), None, labels)
        drawings.append(_drawing(bare, told, name, width=520, height=560))
    return draw_figure(drawings, title=title, columns=columns)


def confused_nodes(tree: AbstractTree, minor: npt.ArrayLike) -> IntArray:
    """Return the abstract nodes with no minor leaf below whose parent has one, ascending.

    Parameters
    ----------
    tree : AbstractTree
        Any tree.
    minor : array_like of int, or mask of shape (n_leaves,)
        The minor leaves.

    Source: Ψ-RAG §4.2, D.2 (confused nodes).

    Examples
    --------
    >>> confused_nodes(AbstractTree.from_parents([4, 4, 5, 5, 6, 6, -1], n_leaves=4), [3]).tolist()
    [4]
    """
    below = _above(tree, node_flags("minor", minor, tree.n_leaves))
    inner = np.arange(tree.n_leaves, tree.root)
    return inner[~below[inner] & below[tree.parent[inner]]]


def _above(tree: AbstractTree, chosen: BoolArray) -> BoolArray:
    """Return a mask of the chosen nodes and all their ancestors; `chosen` covers the leaves or all nodes."""
    marked = np.zeros(tree.n_nodes, dtype=bool)
    marked[: len(chosen)] = chosen
    for layer in range(tree.depth):
        nodes = np.asarray(tree.layer_nodes(layer))
        marked[tree.parent[nodes[marked[nodes]]]] = True
    return marked


def _told(
    source: Any, texts: Any, classes: Any, minor: Any, highlight: Any, shade: Any, labels: Any
) -> tuple[AbstractTree, _Told]:
    """Check what the caller said and return it with the bare tree."""
    tree = source if isinstance(source, AbstractTree) else getattr(source, "tree", None)
    if not isinstance(tree, AbstractTree):
        given = f"a {type(source).__name__}"
        raise PsiragError("circular_tree needs an AbstractTree or an Index", given, "Pass build_tree(vectors).")
    n, m = tree.n_leaves, tree.n_nodes
    if source is not tree:
        texts = [source.node_text(node) for node in range(m)] if texts is None else texts
        if labels is None and n <= MAX_LABELS:
            labels = [title or text for title, text in zip(source.chunks.titles, texts[:n], strict=True)]
    shown = sized_texts("texts", texts, (n, m))
    if labels is None:
        labels = shown[:n] or [str(leaf) for leaf in range(n)]
        labels = labels if n <= MAX_LABELS else ()
    groups = sized_texts("classes", classes, (n,))
    flags = _minor_flags(minor, groups, n)
    shaded = confused_nodes(tree, flags) if shade is None else np.flatnonzero(node_flags("shade", shade, m))
    told = _Told(
        texts=shown + ("",) * (m - len(shown)),
        labels=sized_texts("labels", labels, (n,)),
        classes=groups,
        minor=flags,
        highlight=node_flags("highlight", highlight, m),
        shade=shaded,
    )
    return tree, told


def _minor_flags(minor: Any, classes: tuple[str, ...], n_leaves: int) -> BoolArray:
    """Return which leaves are minor, from names of classes, numbers of leaves, or a mask."""
    if minor is None:
        return np.zeros(n_leaves, dtype=bool)
    names = [minor] if isinstance(minor, str) else list(minor)
    if not names or not all(isinstance(name, str) for name in names):
        return node_flags("minor", minor, n_leaves)
    unknown = [name for name in names if name not in classes]
    if unknown:
        known = ", ".join(sorted(set(classes))[:8]) or "none"
        raise PsiragError("minor must name classes that occur", repr(unknown[0]), f"Classes here: {known}.")
    return np.isin(np.array(classes), names)


def _drawing(tree: AbstractTree, told: _Told, title: str, *, width: int = 760, height: int = 640) -> Drawing:
    """Return the picture as data."""
    layout = circular_tree_layout(tree)
    on_path = _above(tree, told.minor) | _above(tree, told.highlight)
    marks = [_edges(layout, np.arange(tree.root), "edges", SOFT, 0.7 if tree.n_nodes > 400 else 1.1)]
    if on_path.any():
        name = "minor path" if told.minor.any() else "path to root"
        marks.append(_edges(layout, np.flatnonzero(on_path[: tree.root]), name, VERMILION, 1.9))
    if len(told.shade):
        x, y = sector_outlines(layout, told.shade)
        name = "confused" if told.minor.any() else "shaded"
        marks.insert(0, Marks(kind="area", x=x, y=y, name=name, colour=PURPLE, opacity=0.24))
    marks += [_abstract_nodes(tree, layout, told, on_path), *_leaves(tree, layout, told)]
    labels, room = _labels(layout, told.labels)
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


def _edges(layout: CircularLayout, children: IntArray, name: str, colour: str, size: float) -> Marks:
    """Return the lines above some nodes."""
    x, y = edge_paths(layout, children)
    faint = float(np.clip(600 / len(layout.x), 0.12, 0.65)) if name == "edges" else 1.0
    return Marks(kind="line", x=x, y=y, name=name, colour=colour, size=size, opacity=faint, legend=name != "edges")


def _leaf_size(n_leaves: int) -> float:
    """Return a diameter at which neighbours on the ring stay apart where they can."""
    return float(np.clip(1_600 / max(n_leaves, 1), 3.0, 11.0))


def _hover(tree: AbstractTree, told: _Told, nodes: IntArray) -> tuple[str, ...]:
    """Return a hover box per node."""
    boxes = []
    limit = int(np.clip(1_200_000 / tree.n_nodes, 60, 200))
    for node in nodes.tolist():
        layer, below = int(tree.layer[node]), int(tree.leaf_counts[node])
        head = f"leaf {node}"
        if layer:
            head = f"node {node} · layer {layer} · {below} {'leaf' if below == 1 else 'leaves'}"
        elif told.classes:
            head += f" · {plain_text(told.classes[node], 40)}"
        boxes.append(hover_box(head, told.texts[node], limit=limit))
    return tuple(boxes)


def _abstract_nodes(tree: AbstractTree, layout: CircularLayout, told: _Told, on_path: BoolArray) -> Marks:
    """Return the inner nodes, larger with more leaves below; those on a path and those confused look apart."""
    nodes = np.arange(tree.n_leaves, tree.n_nodes)
    nodes = nodes[np.lexsort((nodes, np.isin(nodes, told.shade), on_path[nodes]))]  # the legend shows the first look
    share = np.sqrt(tree.leaf_counts[nodes] / tree.n_leaves)
    size = np.clip(_leaf_size(len(nodes) + tree.n_leaves // 4), 2.5, 8.0) + 8.0 * share
    confused = np.isin(nodes, told.shade)
    colour: str | tuple[str, ...] = SOFT
    symbol: str | tuple[str, ...] = "circle"
    if confused.any() or on_path.any():
        colour = tuple(PURPLE if c else VERMILION if p else SOFT for c, p in zip(confused, on_path[nodes], strict=True))
        symbol = tuple("diamond" if c else "circle" for c in confused)
    return Marks(
        kind="points",
        x=layout.x[nodes],
        y=layout.y[nodes],
        name="abstract",
        colour=colour,
        symbol=symbol,
        size=np.where(told.highlight[nodes], size + 4, size).round(1),
        emphasis=told.highlight[nodes],
        hover=_hover(tree, told, nodes),
        ids=nodes,
    )


def _leaves(tree: AbstractTree, layout: CircularLayout, told: _Told) -> list[Marks]:
    """Return the leaves, one trace per group."""
    size = _leaf_size(tree.n_leaves)
    room = _MAX_TRACES - 2 - int(told.highlight.any()) - int(len(told.shade) > 0)
    marks = []
    for name, (nodes, colour, symbol, factor) in _leaf_groups(told, tree.n_leaves, room).items():
        lit = told.highlight[nodes]
        marks.append(
            Marks(
                kind="points",
                x=layout.x[nodes],
                y=layout.y[nodes],
                name=name,
                colour=colour,
                symbol=symbol,
                size=np.where(lit, size * factor + 5, size * factor).round(1) if lit.any() else size * factor,
                emphasis=lit,
                hover=_hover(tree, told, nodes),
                ids=nodes,
            )
        )
    return marks


def _leaf_groups(told: _Told, n_leaves: int, room: int) -> dict[str, tuple[IntArray, str, str, float]]:
    """Return leaves, colour, shape and relative size by the name in the legend."""
    leaves = np.arange(n_leaves)
    if told.minor.any():
        major = leaves[~told.minor], SKY, "circle", 1.0
        minor = leaves[told.minor], VERMILION, "square", 1.35
        return {_group_name(told, ~told.minor, "major"): major, _group_name(told, told.minor, "minor"): minor}
    if not told.classes:
        return {"leaf": (leaves, SKY, "circle", 1.0)}
    kinds = np.array(told.classes)
    names, counts = np.unique(kinds, return_counts=True)
    listed = names[np.argsort(-counts, kind="stable")].tolist()
    own = listed if len(listed) <= room else listed[: room - 1]
    styles = class_styles(listed, room)
    groups = {plain_text(name, 40) or "(no name)": (leaves[kinds == name], *styles[name], 1.0) for name in own}
    if len(own) < len(listed):
        rest = listed[len(own) :]
        groups[f"{len(rest)} more classes"] = (leaves[np.isin(kinds, rest)], *styles[rest[0]], 1.0)
    return groups


def _group_name(told: _Told, mask: BoolArray, role: str) -> str:
    """Return what the legend calls the minor or the major leaves."""
    names = sorted({name for name, chosen in zip(told.classes, mask, strict=False) if chosen})
    if not names or len(names) > 3:
        return f"{role} leaf"
    listed = plain_text(", ".join(names), 40)
    return listed if role == "major" else f"{listed} (minor)"


def _labels(layout: CircularLayout, names: tuple[str, ...]) -> tuple[tuple[Label, ...], tuple[int, int]]:
    """Return the names around the ring, thinned to 48, and the pixels that they need beside and above the disc."""
    n = len(names)
    if n == 0:
        return (), (0, 0)
    order = np.argsort(-layout.angle[:n], kind="stable")
    chosen = order[np.arange(min(n, MAX_LABELS)) * n // min(n, MAX_LABELS)]
    level = len(chosen) <= 12
    labels = []
    beside = above = 0.0
    for leaf in chosen.tolist():
        text = plain_text(names[leaf], 22 if level else 14)
        length = text_width(text, _LABEL_SIZE)
        side, up = abs(float(np.cos(layout.angle[leaf]))), abs(float(np.sin(layout.angle[leaf])))
        reach = length if level else length * side
        beside = max(beside, reach + 14 - (1 - side) * _SMALL_RADIUS)
        above = max(above, 18 if level else length * up + 14 - (1 - up) * _SMALL_RADIUS)
        place = _beside(layout.angle[leaf]) if level else _outwards(layout.angle[leaf], length)
        labels.append(Label(x=layout.x[leaf], y=layout.y[leaf], text=text, size=_LABEL_SIZE, **place))
    return tuple(labels), (int(beside), int(above))


def _beside(angle: float) -> dict[str, Any]:
    """Return how to write a level label next to a leaf."""
    side = np.cos(angle)
    anchor = "center" if abs(side) < 0.1 else "left" if side > 0 else "right"
    return {"anchor": anchor, "shift": (12 * side, 14 * np.sin(angle))}


def _outwards(angle: float, length: float) -> dict[str, Any]:
    """Return how to write a label along its radius, never upside down."""
    degrees = float(np.degrees(angle)) % 360
    flipped = 90 < degrees < 270
    reach = 10 + length / 2
    shift = (reach * float(np.cos(angle)), reach * float(np.sin(angle)))
    return {"angle": (180 - degrees) if flipped else -degrees, "shift": shift}

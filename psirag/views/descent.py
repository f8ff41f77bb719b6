"""The descent: a beam search through the tree, drawn layer by layer from the root to the hits."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from psirag.checks import check_type
from psirag.errors import PsiragError
from psirag.retrieval.trace import LayerTrace, Retrieval, Trace
from psirag.transcript import Answer
from psirag.tree.abstract_tree import AbstractTree
from psirag.variants import NavTrace
from psirag.views.drawing import Drawing, FloatArray, IntArray, Label, Marks
from psirag.views.figure import draw_figure
from psirag.views.hover import hover_box, plain_text, text_width
from psirag.views.palette import INK, SOFT

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from psirag.index import Index

_KEPT_SHARE, _GAP = 0.62, 0.05
_SLANT = np.radians(42)
_NAME = 13.0  # pixels
_SPARE = 62  # pixels that the live figure's colour bar needs more than the static one's


@dataclass(frozen=True)
class DescentLayout:
    """Every candidate of a descent in rows, one row a layer: the kept on the left, the pruned on the right, best first.

    Parameters
    ----------
    node, layer, rank : ndarray, shape (c,), int64
        Candidate, its layer, and its rank in the layer by score (by number where the layer was not scored).
    x, y : ndarray, shape (c,), float64
        Place from 0 to 1 in the row; row from 0 (where the descent starts) downwards (negative).
    score : ndarray, shape (c,), float64
        NaN where a layer passed whole.
    kept : ndarray, shape (c,), bool
        Whether its children came next, or at the leaves whether it is a result.
    edges : ndarray, shape (e, 2), int64
        Positions in these arrays: a kept node, and a kept child of it.
    """

    node: IntArray
    layer: IntArray
    rank: IntArray
    x: FloatArray
    y: FloatArray
    score: FloatArray
    kept: npt.NDArray[np.bool_]
    edges: IntArray

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        for field in fields(self):
            getattr(self, field.name).flags.writeable = False


def descent_layout(trace: Trace, tree: AbstractTree) -> DescentLayout:
    """Place what a descent looked at.

    Parameters
    ----------
    trace : Trace
        Of a retrieval with the tree side.
    tree : AbstractTree
        The tree that was searched.

    Returns
    -------
    DescentLayout

    Raises
    ------
    PsiragError
        The trace has no descent, or its nodes are not in the tree.

    Source: Ψ-RAG Appendix A, Algorithm 2.

    Examples
    --------
    >>> tree = AbstractTree.from_parents([2, 2, -1], n_leaves=2)
    >>> root = LayerTrace(1, np.array([2]), np.array([np.nan]), np.array([2]), scored=False)
    >>> leaves = LayerTrace(0, np.array([0, 1]), np.array([0.1, 0.9]), np.array([1]), scored=True)
    >>> descent_layout(Trace((root, leaves), 2), tree).node.tolist()
    [2, 1, 0]
    """
    if not check_type("trace", trace, Trace, "Pass a retrieval's .trace.").layers:
        raise PsiragError("descent needs a trace with layers", "none", 'Retrieve with the "tree" side.')
    rows = [_row(layer, -float(depth)) for depth, layer in enumerate(trace.layers)]
    node, layer, rank, x, y, score, kept = (np.concatenate(part) for part in zip(*rows, strict=True))
    if len(node) and (node.min() < 0 or node.max() >= tree.n_nodes):
        given = f"node {int(node.max())} and a tree of {tree.n_nodes} nodes"
        raise PsiragError("the trace must be of this tree", given, "Pass the index that was asked.")
    return DescentLayout(node, layer, rank, x, y, score, kept, _kept_edges(node, kept, tree))


def _row(layer: LayerTrace, y: float) -> tuple[Any, ...]:
    """Return one layer's candidates, kept ones first, each part from best to worst."""
    kept = np.isin(layer.candidates, layer.kept)
    score = np.where(np.isnan(layer.scores), -np.inf, layer.scores)
    by_score = np.lexsort((layer.candidates, -score))
    rank = np.empty(len(by_score), dtype=np.int64)
    rank[by_score] = np.arange(len(by_score))
    order = np.lexsort((rank, ~kept))
    n, k = len(order), int(kept.sum())
    left = 1.0 if k == n else _KEPT_SHARE
    x = np.concatenate([_spread(0.0, left, k), _spread(left + _GAP, 1.0, n - k)])
    full = np.full(n, layer.layer, dtype=np.int64)
    return layer.candidates[order], full, rank[order], x, np.full(n, y), layer.scores[order], kept[order]


def _spread(low: float, high: float, n: int) -> FloatArray:
    """Return n places in the middles of n equal parts."""
    places: FloatArray = low + (high - low) * (np.arange(n) + 0.5) / max(n, 1)
    return places


def _kept_edges(node: IntArray, kept: npt.NDArray[np.bool_], tree: AbstractTree) -> IntArray:
    """Return pairs of places: a kept parent and its kept child."""
    place = np.full(tree.n_nodes + 1, -1)
    place[node[kept]] = np.flatnonzero(kept)
    lower = np.flatnonzero(kept)
    upper = place[tree.parent[node[lower]]]  # the root's parent, −1, reads the spare last entry
    return np.column_stack([upper, lower])[upper >= 0]


def descent(retrieval: Retrieval, index: Index, *, title: str | None = None) -> Figure:
    """Draw how the tree was searched: darker is more similar, large is kept, small and pale is pruned.

    Parameters
    ----------
    retrieval : Retrieval
        Of `index.retrieve` with the tree side.
    index : Index
        The index that was asked.
    title : str, optional
        Shown as written; the query by default.

    Returns
    -------
    plotly.graph_objects.Figure
        With `.svg`; at most four traces; the ids in its hover data are node numbers.

    Raises
    ------
    PsiragError
        No retrieval, no descent in it, or one of another tree.

    Source: Ψ-RAG Appendix A, Algorithm 2.

    Examples
    --------
    >>> from psirag.index import Index
    >>> index = Index.build(["Beavers build dams.", "Bats hunt moths."])
    >>> [trace.name for trace in descent(index.retrieve("Who hunts?", k=1, beam=1, pool=1), index).data]
    ['to a kept child', 'pruned', 'passed whole, unscored', 'kept']
    """
    layout = descent_layout(searched_tree("descent", retrieval).trace, index.tree)
    return scored_figure(_drawing(layout, retrieval, index, retrieval.query if title is None else title))


def searched_tree(view: str, retrieval: Retrieval) -> Retrieval:
    """Return the retrieval, which must have searched the tree of an index from the root down."""
    if isinstance(retrieval, Answer):
        raise PsiragError(f"{view} needs a Retrieval", "an Answer", "Pass answer.steps[0].retrievals[0].")
    if not isinstance(retrieval, Retrieval):
        given = f"an object of type {type(retrieval).__name__}"
        raise PsiragError(f"{view} needs a Retrieval", given, "Pass index.retrieve(query), one query at a time.")
    if isinstance(retrieval.trace, NavTrace):
        raise PsiragError(f"{view} needs a descent", "a walk of NavTree", "Draw segment_tree(retrieval, nav).")
    if not retrieval.trace.layers:
        raise PsiragError(f"{view} needs a trace with layers", "none", 'Retrieve with the "tree" side.')
    return retrieval


def scored_figure(drawing: Drawing) -> Figure:
    """Return the figure of a search, whose legend shows points as they are drawn.

    plotly's legend shows colours of a trace's own scale, not of a shared axis. The static form needs less room below.
    """
    figure = draw_figure([drawing])
    figure.update_layout(legend={"itemsizing": "trace", "font": {"size": 13}})
    figure.update_coloraxes(colorbar={"tickfont": {"size": 13}, "title": {"font": {"size": 13}}})
    scale = figure.layout.coloraxis.to_plotly_json()
    figure.layout.coloraxis = None
    valued = [trace for trace in figure.data if trace.marker.coloraxis]
    last = max((i for i, trace in enumerate(valued) if trace.x), default=None)
    for i, trace in enumerate(valued):
        trace.marker.update(coloraxis=None, showscale=i == last, **scale)
    left, right, top, bottom = drawing.margin
    figure.show_statically(replace(drawing, height=drawing.height - _SPARE, margin=(left, right, top, bottom - _SPARE)))
    return figure


def _drawing(layout: DescentLayout, retrieval: Retrieval, index: Index, title: str) -> Drawing:
    """Return the picture as data."""
    scored = layout.score[~np.isnan(layout.score)]
    limits = (float(scored.min()), float(scored.max())) if len(scored) else None
    rows = len(retrieval.trace.layers)
    names = _leaf_labels(layout, index)
    long = max((text_width(label.text, _NAME) for label in names), default=0.0) + 12
    spare = 760 * (1 - max((label.x for label in names), default=0.0))  # pixels right of the last name's leaf
    right, top = int(max(long * np.cos(_SLANT) - spare, 16)), 56 if title else 20
    bottom = int(112 + max(long * np.sin(_SLANT) - 18, 0))
    return Drawing(
        title=title,
        marks=_marks(layout, index),
        labels=_row_labels(retrieval.trace) + names,
        x_range=(0.0, 1.0),
        y_range=(0.8 - rows, 0.45),
        equal=False,
        width=900,
        height=int(top + bottom + 92 * (rows - 0.35)),
        margin=(124, right, top, bottom),
        value_range=limits,
        value_title="cosine with the query",
    )


def _marks(layout: DescentLayout, index: Index) -> tuple[Marks, ...]:
    """Return the edges, then the pruned, the unscored and the kept candidates; those that occur."""
    gap = np.full(len(layout.edges), np.nan)
    upper, lower = layout.edges[:, 0], layout.edges[:, 1]
    x = np.column_stack([layout.x[upper], layout.x[lower], gap]).ravel()
    y = np.column_stack([layout.y[upper], layout.y[lower], gap]).ravel()
    edges = Marks(kind="line", x=x, y=y, name="to a kept child", colour=SOFT, size=1.1, opacity=0.7)
    scored = ~np.isnan(layout.score)
    groups = (
        ("pruned", scored & ~layout.kept, 7.0, 0.7, "circle", False),
        ("passed whole, unscored", ~scored, 12.0, 1.0, "diamond", False),
        ("kept", scored & layout.kept, 14.0, 1.0, "circle", True),
    )
    marks = [edges]
    for name, mask, size, opacity, symbol, outlined in groups:
        if mask.any():
            at = np.flatnonzero(mask)
            marks.append(
                Marks(
                    kind="points",
                    x=layout.x[at],
                    y=layout.y[at],
                    name=name,
                    colour=SOFT,
                    size=_crowded(layout, at, size),
                    symbol=symbol,
                    opacity=opacity,
                    values=layout.score[at] if scored[at[0]] else None,
                    emphasis=np.full(len(at), outlined),
                    hover=tuple(_box(layout, int(i), index) for i in at),
                    ids=layout.node[at],
                )
            )
    return tuple(marks)


def _crowded(layout: DescentLayout, at: IntArray, size: float) -> FloatArray:
    """Return diameters that shrink where a row is full."""
    _, row, count = np.unique(layout.layer[at], return_inverse=True, return_counts=True)
    share = np.ptp(layout.x[at]) if len(at) > 1 else 1.0
    sizes: FloatArray = np.clip(700 * max(share, 0.2) / count[row], 3.5, size).round(1)
    return sizes


def _box(layout: DescentLayout, i: int, index: Index) -> str:
    """Return one candidate's hover box."""
    node = int(layout.node[i])
    head = f"{'chunk' if layout.layer[i] == 0 else 'node'} {node}"
    if not np.isnan(layout.score[i]):
        head += f" · cosine {layout.score[i]:.3f} · rank {layout.rank[i] + 1}"
    return hover_box(head, index.node_text(node))


def _row_labels(trace: Trace) -> tuple[Label, ...]:
    """Return two lines of words to the left of each row."""
    labels = []
    for depth, layer in enumerate(trace.layers):
        n, k = len(layer.candidates), len(layer.kept)
        name = "leaves" if layer.layer == 0 else f"layer {layer.layer}"
        told = f"{n} scored → {k}" if layer.scored else f"{n} {'passes' if n == 1 else 'pass'} whole"
        for text, up, size, colour in ((name, 9, 14.0, INK), (told, -9, 13.0, SOFT)):
            labels.append(Label(x=0, y=-depth, text=text, size=size, colour=colour, anchor="right", shift=(-14, up)))
    return tuple(labels)


def _leaf_labels(layout: DescentLayout, index: Index) -> tuple[Label, ...]:
    """Return the titles below the kept leaves, when they are few enough to be read."""
    at = np.flatnonzero(layout.kept & (layout.layer == 0))
    if not 0 < len(at) <= 12:
        return ()
    labels = []
    for i in at.tolist():
        chunk = index.chunks[int(layout.node[i])]
        text = plain_text(chunk.title or chunk.text, 32)
        reach = 12 + text_width(text, _NAME) / 2
        shift = (reach * np.cos(_SLANT), -reach * np.sin(_SLANT))
        angle = float(np.degrees(_SLANT))
        labels.append(Label(x=layout.x[i], y=layout.y[i], text=text, size=_NAME, angle=angle, shift=shift))
    return tuple(labels)

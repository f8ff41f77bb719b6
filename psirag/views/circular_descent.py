"""The descent on the disc: which nodes of the circular tree a retrieval looked at, kept, and returned."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from psirag.errors import PsiragError
from psirag.retrieval.trace import Hit, Retrieval
from psirag.tree.abstract_tree import AbstractTree
from psirag.views.circular_layout import CircularLayout, circular_tree_layout, edge_paths
from psirag.views.descent import scored_figure, searched_tree
from psirag.views.drawing import Drawing, IntArray, Label, Marks
from psirag.views.hover import hover_box, plain_text, text_width
from psirag.views.palette import ORANGE, SOFT, VERMILION

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from psirag.index import Index


_RADIUS, _RIM = 200.0, 216.0  # pixels from the middle to the leaves, and to their names
_NAME, _LINE, _MAX_NAMES = 13.0, 16.0, 12


def circular_descent(retrieval: Retrieval, index: Index, *, title: str | None = None) -> Figure:
    """Draw a retrieval on the circular tree: the beam from the root outwards, and the hits as stars, named if few.

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
        Always the same seven traces, so that a live figure can take over the next retrieval in place.

    Raises
    ------
    PsiragError
        No retrieval, no descent in it, or one of another tree.

    Source: Ψ-RAG Appendix A, Algorithm 2; Figure 5 for the disc.

    Examples
    --------
    >>> from psirag.index import Index
    >>> index = Index.build(["Beavers build dams.", "Bats hunt moths."])
    >>> [trace.name for trace in circular_descent(index.retrieve("Who hunts?", k=1), index).data][-2:]
    ['kept', 'hit']
    """
    words = retrieval.query if title is None and isinstance(retrieval, Retrieval) else title or ""
    return draw_on_disc(searched_tree("circular_descent", retrieval), index, title=words, named=True)


def draw_on_disc(retrieval: Retrieval, index: Index, *, title: str = "", named: bool = False) -> Figure:
    """Return the figure, of the hits alone where the tree was not searched; `named` writes their titles beside it."""
    tree, layers = index.tree, retrieval.trace.layers
    seen = [node for layer in layers for node in layer.candidates.tolist()] + [hit.node for hit in retrieval]
    if seen and max(seen) >= tree.n_nodes:
        given = f"node {max(seen)} and a tree of {tree.n_nodes} nodes"
        raise PsiragError("the retrieval must be of this tree", given, "Pass the index that was asked.")
    cosine = np.full(tree.n_nodes, np.nan)
    kept, looked_at = np.zeros((2, tree.n_nodes), dtype=bool)
    for layer in layers:
        cosine[layer.candidates], looked_at[layer.candidates] = layer.scores, True
        kept[layer.kept] = True
    scored = cosine[~np.isnan(cosine)]
    layout = circular_tree_layout(tree)
    names = _names(index, layout, retrieval) if named else ()
    beside = max((text_width(label.text, _NAME) for label in names), default=0.0)
    return scored_figure(
        Drawing(
            title=title,
            marks=_marks(index, layout, retrieval, cosine, kept, looked_at),
            labels=names,
            x_range=(-1.07, 1.07),
            y_range=(-1.07, 1.07),
            width=max(560, int(2 * (_RIM + beside + 12))),
            height=584 if title else 540,
            margin=(8, 8, 52 if title else 8, 104),
            value_range=(float(scored.min()), float(scored.max())) if len(scored) else (0.0, 1.0),
            value_title="cosine with the query",
        )
    )


def _names(index: Index, layout: CircularLayout, retrieval: Retrieval) -> tuple[Label, ...]:
    """Return the titles of the hits around the disc, pushed apart where they are close; none where they are many."""
    leaves = np.array([hit.node for hit in retrieval if hit.chunk is not None], dtype=np.int64)
    right = np.cos(layout.angle[leaves]) >= 0
    labels = []
    for side in (right, ~right) if len(leaves) <= _MAX_NAMES else ():
        up = _RIM * np.sin(layout.angle[leaves[side]])
        order = np.argsort(up, kind="stable")
        even = _LINE * np.arange(len(order))
        push = up[order] - even
        push = (np.maximum.accumulate(push) + np.minimum.accumulate(push[::-1])[::-1]) / 2
        up = np.clip(push, -_RIM, _RIM - even.max(initial=0)) + even
        across = np.sqrt(np.clip(_RIM**2 - up**2, 0, None)) * (1 if side is right else -1)
        for node, x, y in zip(leaves[side][order].tolist(), across, up, strict=True):
            chunk, place = index.chunks[node], (layout.x[node], layout.y[node])
            shift = (float(x - _RADIUS * place[0]), float(y - _RADIUS * place[1]))
            text = plain_text(chunk.title or chunk.text, 28)
            label = Label(x=place[0], y=place[1], text=text, size=_NAME, shift=shift)
            labels.append(replace(label, anchor="left" if side is right else "right"))
    return tuple(labels)


def _marks(
    index: Index, layout: CircularLayout, retrieval: Retrieval, cosine: Any, kept: Any, looked_at: Any
) -> tuple[Marks, ...]:
    """Return the seven marks, some of them perhaps empty."""
    tree = index.tree
    scored = ~np.isnan(cosine)
    hits = np.array([hit.node for hit in retrieval], dtype=np.int64)
    told = {hit.node: _told(place, hit) for place, hit in enumerate(retrieval, start=1)}
    inner = np.where(np.arange(tree.n_nodes) < tree.n_leaves, 3.5, 5.0)

    def points(name: str, at: IntArray, **look: Any) -> Marks:
        hover = tuple(_box(index, int(node), cosine[node], told.get(int(node), "")) for node in at)
        return Marks(kind="points", x=layout.x[at], y=layout.y[at], name=name, hover=hover, ids=at, **look)

    def where(mask: npt.NDArray[np.bool_]) -> IntArray:
        return np.flatnonzero(mask)

    def best_first(mask: npt.NDArray[np.bool_]) -> IntArray:
        return where(mask)[np.argsort(-cosine[mask], kind="stable")]  # the legend shows the first

    whole, pruned, taken = where(looked_at & ~scored), best_first(scored & ~kept), best_first(scored & kept)
    rest = where(~looked_at)
    return (
        _lines(layout, tree, where(np.arange(tree.n_nodes) != tree.root), "edges"),
        _lines(layout, tree, where(kept & (np.arange(tree.n_nodes) != tree.root)), "to a kept node"),
        points("not looked at", rest, colour=SOFT, size=inner[rest], opacity=0.45),
        points("passed whole", whole, colour=SOFT, size=9.0, symbol="diamond"),
        points("pruned", pruned, size=6.5, values=cosine[pruned]),
        points("kept", taken, size=11.0, values=cosine[taken], emphasis=np.ones(len(taken), dtype=bool)),
        points("hit", hits, colour=ORANGE, size=15.0, symbol="star", emphasis=np.ones(len(hits), dtype=bool)),
    )


def _lines(layout: CircularLayout, tree: AbstractTree, children: IntArray, name: str) -> Marks:
    """Return the lines above some nodes: all of them faint, or those on the way."""
    x, y = edge_paths(layout, children)
    if name == "edges":
        faint = float(np.clip(600 / tree.n_nodes, 0.12, 0.65))
        return Marks(kind="line", x=x, y=y, name=name, colour=SOFT, size=0.8, opacity=faint, legend=False)
    return Marks(kind="line", x=x, y=y, name=name, colour=VERMILION, size=1.7)


def _told(rank: int, hit: Hit) -> str:
    """Return how a hit was found."""
    alone = "tree" not in hit.sides and len(hit.sides) == 1
    return f" · hit {rank}" + (
        f", found by the {next(iter(hit.sides))} side alone: no path leads to it" if alone else ""
    )


def _box(index: Index, node: int, cosine: float, told: str) -> str:
    """Return one node's hover box."""
    head = f"{'chunk' if node < index.tree.n_leaves else 'node'} {node}"
    head += "" if np.isnan(cosine) else f" · cosine {cosine:.3f}"
    return hover_box(head + told, index.node_text(node), limit=160)

"""The descent on the disc: which nodes of the circular tree a retrieval looked at, kept, and returned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from psirag.errors import PsiragError
from psirag.retrieval.trace import Retrieval
from psirag.tree.abstract_tree import AbstractTree
from psirag.views.circular_layout import CircularLayout, circular_tree_layout, edge_paths
from psirag.views.drawing import Drawing, IntArray, Marks
from psirag.views.figure import draw_figure
from psirag.views.hover import hover_box, plain_text
from psirag.views.palette import ORANGE, SOFT, VERMILION

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from psirag.index import Index


def circular_descent(retrieval: Retrieval, index: Index, *, title: str | None = None) -> Figure:
    """Draw a retrieval on the circular tree: the beam from the root outwards, and the hits as stars on the ring.

    Parameters
    ----------
    retrieval : Retrieval
        Of `index.retrieve`; without the tree side only its hits are marked.
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
        No retrieval, or one of another tree.

    Source: Ψ-RAG Appendix A, Algorithm 2; Figure 5 for the disc.

    Examples
    --------
    >>> from psirag.index import Index
    >>> index = Index.build(["Beavers build dams.", "Bats hunt moths."])
    >>> [trace.name for trace in circular_descent(index.retrieve("Who hunts?", k=1), index).data][-2:]
    ['kept', 'hit']
    """
    if not isinstance(retrieval, Retrieval):
        given = f"a {type(retrieval).__name__}"
        raise PsiragError("circular_descent needs a Retrieval", given, "Pass index.retrieve(query), one query.")
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
    words = plain_text(retrieval.query if title is None else title, 70)
    return draw_figure([
        Drawing(
            title=words,
            marks=_marks(index, retrieval, cosine, kept, looked_at),
            x_range=(-1.07, 1.07),
            y_range=(-1.07, 1.07),
            width=560,
            height=576 if words else 540,
            margin=(8, 8, 44 if words else 8, 104),
            value_range=(float(scored.min()), float(scored.max())) if len(scored) else (0.0, 1.0),
            value_title="cosine with the query",
        )
    ])  # fmt: skip


def _marks(index: Index, retrieval: Retrieval, cosine: Any, kept: Any, looked_at: Any) -> tuple[Marks, ...]:
    """Return the seven marks, some of them perhaps empty."""
    tree, layout = index.tree, circular_tree_layout(index.tree)
    scored = ~np.isnan(cosine)
    hits = np.array([hit.node for hit in retrieval], dtype=np.int64)
    rank = {hit.node: place for place, hit in enumerate(retrieval, start=1)}
    inner = np.where(np.arange(tree.n_nodes) < tree.n_leaves, 3.5, 5.0)

    def points(name: str, at: IntArray, **look: Any) -> Marks:
        hover = tuple(_box(index, int(node), cosine[node], rank.get(int(node))) for node in at)
        return Marks(kind="points", x=layout.x[at], y=layout.y[at], name=name, hover=hover, ids=at, **look)

    def where(mask: npt.NDArray[np.bool_]) -> IntArray:
        return np.flatnonzero(mask)

    whole, pruned, taken = where(looked_at & ~scored), where(scored & ~kept), where(scored & kept)
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


def _box(index: Index, node: int, cosine: float, rank: int | None) -> str:
    """Return one node's hover box."""
    head = f"{'chunk' if node < index.tree.n_leaves else 'node'} {node}"
    head += "" if np.isnan(cosine) else f" · cosine {cosine:.3f}"
    head += "" if rank is None else f" · hit {rank}"
    return hover_box(head, index.node_text(node), limit=160)

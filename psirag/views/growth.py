"""Growing the tree on the screen: the forest after some merge steps, and a slider over all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from psirag.checks import check_count, check_each
from psirag.errors import PsiragError
from psirag.tree.abstract_tree import AbstractTree
from psirag.tree.marking import node_flags
from psirag.tree.merging import MergeStep
from psirag.views.drawing import Drawing, IntArray, Label, Marks
from psirag.views.figure import draw_figure
from psirag.views.hover import hover_box, plain_text, text_width
from psirag.views.node_arguments import sized_texts
from psirag.views.palette import SKY, SOFT, VERMILION
from psirag.views.steps import draw_steps
from psirag.views.tree_placement import ForestLayout, forest_layout

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

MAX_STEPS = 60


def forest_after(steps: Sequence[MergeStep], n_leaves: int, k: int | None = None) -> IntArray:
    """Replay the first k steps and return the forest's parents.

    Parameters
    ----------
    steps : sequence of MergeStep
        From `merge_steps`.
    n_leaves : int
        Number of leaves.
    k : int, optional
        Steps to take; all by default.

    Returns
    -------
    ndarray, shape (n_leaves + nodes created so far,), int64
        Parent of each node by order of creation, −1 for a root.

    Raises
    ------
    PsiragError
        More steps asked for than there are.

    Source: Ψ-RAG §3.1, Algorithm 1.

    Examples
    --------
    >>> step = MergeStep(0, 1, 0.9, "merging", 3, (0, 1))
    >>> forest_after([step], n_leaves=3).tolist()
    [3, 3, -1, -1]
    """
    steps, n_leaves = _checked_steps(steps), check_count("n_leaves", n_leaves)
    k = check_count("k", len(steps) if k is None else k, minimum=0)
    if k > len(steps):
        raise PsiragError(f"k must be at most {len(steps)}", str(k), "There is one step less than there are leaves.")
    parent = np.full(max([n_leaves, *(step.node + 1 for step in steps[:k])]), -1, dtype=np.int64)
    for step in steps[:k]:
        parent[list(step.attached)] = step.node
    return parent


def _checked_steps(steps: Sequence[MergeStep]) -> list[MergeStep]:
    """Return the steps, which must be such."""
    listed = list(steps) if isinstance(steps, Iterable) else [steps]
    check_each("steps", listed, MergeStep)
    return listed


def forest(
    parent: npt.ArrayLike | AbstractTree,
    n_leaves: int | None = None,
    *,
    texts: Sequence[str] | None = None,
    highlight: Sequence[int] = (),
    leaf_order: npt.ArrayLike | None = None,
    title: str = "",
) -> Figure:
    """Draw a forest in rows: leaves on the left with their texts, each layer a column to the right.

    Parameters
    ----------
    parent, n_leaves, leaf_order
        As in `forest_layout`; a tree knows its number of leaves.
    texts : sequence of str, length n_leaves, optional
        Written beside the leaves, cut to 28 characters, and shown on hover. Without texts every node shows its number.
    highlight : sequence of int
        Nodes to mark.
    title : str
        Shown as written.

    Raises
    ------
    PsiragError
        No forest; texts of another length; unknown nodes.

    Source: Ψ-RAG §3.1, Figure 3.

    Examples
    --------
    >>> len(forest([3, 3, -1, -1], 3, texts=["a", "b", "c"]).data)
    3
    """
    if isinstance(parent, AbstractTree):
        n_leaves, parent = parent.n_leaves, parent.parent
    layout = forest_layout(parent, check_count("n_leaves", n_leaves), leaf_order=leaf_order)
    names = sized_texts("texts", texts, (layout.n_leaves,)) or tuple(map(str, range(layout.n_leaves)))
    drawing = _drawing(layout, names, node_flags("highlight", highlight, len(layout.parent)), title)
    if texts is None:
        drawing = replace(drawing, labels=(*drawing.labels, *_numbers(layout)))
    return draw_figure([drawing])


def _numbers(layout: ForestLayout) -> tuple[Label, ...]:
    """Return the abstract nodes' numbers, above and to the right of them, where no line runs."""
    return tuple(
        Label(
            x=float(layout.layer[node]), y=-float(layout.position[node]), text=str(node), anchor="left", shift=(10, 11)
        )
        for node in range(layout.n_leaves, len(layout.parent))
    )


def merge_animation(
    steps: Sequence[MergeStep], n_leaves: int, texts: Sequence[str] | None = None, *, title: str = ""
) -> Figure:
    """Draw the forest after each step, with a slider and a play button that need no kernel.

    Parameters
    ----------
    steps : sequence of MergeStep
        From `merge_steps`, at most 60.
    n_leaves : int
        Number of leaves.
    texts : sequence of str, length n_leaves, optional
        Written beside the leaves.
    title : str
        Written before each step's own title.

    Returns
    -------
    plotly.graph_objects.Figure
        One frame a step, the first before any step; `.svg` is the finished tree; for others see `merge_stills`.

    Raises
    ------
    PsiragError
        No step, or more than 60; texts of another length.

    Source: Ψ-RAG §3.1, Algorithm 1.

    Examples
    --------
    >>> step = MergeStep(0, 1, 0.9, "merging", 2, (0, 1))
    >>> len(merge_animation([step], n_leaves=2).frames)
    2
    """
    return draw_steps([page(title) for page in _pages(steps, n_leaves, texts, "merge_animation")])


def merge_stills(
    steps: Sequence[MergeStep],
    n_leaves: int,
    at: Sequence[int],
    texts: Sequence[str] | None = None,
    *,
    title: str = "",
    columns: int = 2,
) -> Figure:
    """Draw the forest after some of the steps, side by side and in the finished tree's scale: stills of the animation.

    Parameters
    ----------
    steps, n_leaves, texts
        As in `merge_animation`.
    at : sequence of int
        After which steps, 0 for before any.
    title : str
        Above all panels.
    columns : int, default 2
        Panels in a row.

    Returns
    -------
    plotly.graph_objects.Figure
        With `.svg`; one panel a still.

    Raises
    ------
    PsiragError
        No step to show, or one that there is not; what `merge_animation` needs.

    Source: Ψ-RAG §3.1, Algorithm 1.

    Examples
    --------
    >>> step = MergeStep(0, 1, 0.9, "merging", 2, (0, 1))
    >>> merge_stills([step], 2, at=(0, 1)).svg.count("step 1")
    2
    """
    pages = _pages(steps, n_leaves, texts, "merge_stills")
    chosen = [check_count("at", k, minimum=0, maximum=len(pages) - 1) for k in at]
    if not chosen:
        raise PsiragError("merge_stills needs steps to show", "none", "Pass at=(0, 1, …).")
    return draw_figure([pages[k]("") for k in chosen], title=title, columns=check_count("columns", columns))


def _pages(
    steps: Sequence[MergeStep], n_leaves: int, texts: Sequence[str] | None, view: str
) -> list[Callable[[str], Drawing]]:
    """Return for each step what draws the forest after it, given a title."""
    steps = _checked_steps(steps)
    if not 1 <= len(steps) <= MAX_STEPS:
        given = str(len(steps))
        raise PsiragError(f"{view} draws 1 to {MAX_STEPS} steps", given, "Take fewer chunks, or forest(…).")
    final = forest_layout(forest_after(steps, n_leaves), n_leaves)
    order = np.argsort(final.position[:n_leaves], kind="stable")
    names = sized_texts("texts", texts, (n_leaves,)) or tuple(map(str, range(n_leaves)))
    return [partial(_step_drawing, steps, k, order, final, names) for k in range(len(steps) + 1)]


def _step_drawing(
    steps: Sequence[MergeStep], k: int, order: IntArray, final: ForestLayout, names: tuple[str, ...], title: str
) -> Drawing:
    """Return the forest after k steps, with the k-th pair and what it attached marked."""
    n_leaves = final.n_leaves
    layout = forest_layout(forest_after(steps, n_leaves, k), n_leaves, leaf_order=order)
    lit = np.zeros(len(layout.parent), dtype=bool)
    head = f"before step 1: {n_leaves} trees of one leaf"
    pair, fresh = None, np.empty(0, dtype=np.int64)
    if k:
        step = steps[k - 1]
        pair, fresh = (step.u, step.v), np.array(step.attached, dtype=np.int64)
        lit[[step.u, step.v, step.node]] = True
        head = f"step {k} of {len(steps)}: {step.kind}, similarity {step.similarity:.2f}"
    drawing = _drawing(layout, names, lit, f"{title}: {head}" if title else head, depth=int(final.layer.max()))
    new_edges = _lines(layout, fresh, "new", VERMILION, 2.6)
    return replace(drawing, marks=(drawing.marks[0], new_edges, _pair_arc(layout, pair), *drawing.marks[1:]))


def _drawing(
    layout: ForestLayout, names: tuple[str, ...], lit: npt.NDArray[np.bool_], title: str, *, depth: int | None = None
) -> Drawing:
    """Return a forest in rows as data; `depth` keeps room for layers still to come."""
    n = layout.n_leaves
    depth = max(int(layout.layer.max()) if depth is None else depth, 1)
    inner = np.arange(n, len(layout.parent))
    counts = np.bincount(_roots_by_leaf(layout), minlength=len(layout.parent))
    heads = [f"node {node} · height {layout.layer[node]}" for node in inner.tolist()]
    heads = [
        head + (f" · root of {counts[v]} leaves" if counts[v] else "") for head, v in zip(heads, inner, strict=True)
    ]
    boxes = tuple(hover_box(f"chunk {leaf}", text) for leaf, text in enumerate(names))
    texts = tuple(plain_text(name, 28) for name in names)
    labels = tuple(
        Label(x=0.0, y=-float(layout.position[leaf]), text=text, size=11.5, anchor="right", shift=(-12, 0))
        for leaf, text in enumerate(texts)
    )
    every = np.flatnonzero(layout.parent >= 0)
    return Drawing(
        title=title,
        marks=(
            _lines(layout, every, "edges", SOFT, 1.4),
            _dots(layout, inner, lit, "abstract", SOFT, "square", tuple(map(hover_box, heads))),
            _dots(layout, np.arange(n), lit, "leaf", SKY, "circle", boxes),
        ),
        labels=labels,
        x_range=(-0.08, depth + 0.15),
        y_range=(-n + 0.4, 0.6),
        equal=False,
        width=760,
        height=int(np.clip(110 + 24 * n, 200, 1_600)),
        margin=(int(max(text_width(text, 11.5) for text in texts)) + 24, 24, 56 if title else 20, 44),
    )


def _roots_by_leaf(layout: ForestLayout) -> IntArray:
    """Return the root above each leaf."""
    at = np.arange(layout.n_leaves)
    while (layout.parent[at] >= 0).any():
        at = np.where(layout.parent[at] >= 0, layout.parent[at], at)
    return at


def _lines(layout: ForestLayout, children: IntArray, name: str, colour: str, size: float) -> Marks:
    """Return the edges above some nodes: along the row to the parent's column, then up or down to the parent."""
    parents = layout.parent[children]
    gap = np.full(len(children), np.nan)
    across, turn = layout.layer[children].astype(float), layout.layer[parents].astype(float)
    x = np.column_stack([across, turn, turn, gap]).ravel()
    y = -np.column_stack([layout.position[children], layout.position[children], layout.position[parents], gap]).ravel()
    return Marks(kind="line", x=x, y=y, name=name, colour=colour, size=size, legend=False)


def _pair_arc(layout: ForestLayout, pair: tuple[int, int] | None) -> Marks:
    """Return a bow between the two leaves of the pair; empty before the first step."""
    x = y = np.empty(0)
    if pair is not None:
        share = np.linspace(0.0, 1.0, 25)
        ends = -layout.position[list(pair)]
        x, y = 0.32 * np.sin(np.pi * share), ends[0] + share * (ends[1] - ends[0])
    return Marks(kind="line", x=x, y=y, name="the pair", colour=VERMILION, size=1.6, dash=True, legend=False)


def _dots(
    layout: ForestLayout,
    nodes: IntArray,
    lit: npt.NDArray[np.bool_],
    name: str,
    colour: str,
    symbol: str,
    hover: tuple[str, ...],
) -> Marks:
    """Return some nodes as points, the marked ones in another colour and outlined."""
    return Marks(
        kind="points",
        x=layout.layer[nodes].astype(float),
        y=-layout.position[nodes],
        name=name,
        colour=tuple(VERMILION if flag else colour for flag in lit[nodes]) if lit[nodes].any() else colour,
        symbol=symbol,
        size=np.where(lit[nodes], 13.0, 10.0) if lit[nodes].any() else 10.0,
        emphasis=lit[nodes],
        hover=hover,
        ids=nodes,
        legend=False,
    )

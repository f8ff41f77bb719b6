"""A table of contents that a query induced, line by line, with what was found and what was read."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from psirag.errors import PsiragError
from psirag.transcript import Answer
from psirag.variants.rit_agent import parse_call, tables_of
from psirag.variants.table_of_contents import TableOfContents
from psirag.views.drawing import TITLE_SIZE, Drawing, FloatArray, IntArray, Label, Marks
from psirag.views.figure import draw_figure
from psirag.views.hover import hover_box, plain_text, text_width
from psirag.views.palette import INK, ORANGE, SKY, SOFT

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_STEP, _LINE, _SIZE, _MARGIN = 26, 28, 14.0, (24, 16, 56, 56)  # pixels: a depth, a line, a letter, around the picture
_NARROWEST, _WIDEST, _TITLE = 460, 800, 60  # pixels, of what titles take; letters of a heading


@dataclass(frozen=True)
class ContentsLayout:
    """One row a heading.

    Parameters
    ----------
    node : ndarray, shape (s,), int64
        Section, as numbered in its forest.
    x, y : ndarray, shape (s,), float64
        Depth of the heading, and its line from 0 downwards (negative).
    above : ndarray, shape (s,), int64
        Row of the heading that it belongs to, -1 for a document.
    found, read : ndarray, shape (s,), bool
        Whether the query found a chunk of it, and whether it was read.
    """

    node: IntArray
    x: FloatArray
    y: FloatArray
    above: IntArray
    found: npt.NDArray[np.bool_]
    read: npt.NDArray[np.bool_]

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        for each in fields(self):
            getattr(self, each.name).flags.writeable = False


def contents_layout(table: TableOfContents, *, read: Collection[int] = ()) -> ContentsLayout:
    """Place the headings of a table of contents.

    Parameters
    ----------
    table : TableOfContents
    read : collection of int
        Numbers of the sections that were read.

    Returns
    -------
    ContentsLayout

    Raises
    ------
    PsiragError
        No table of contents.

    Notes
    -----
    Source: RIT-RAG (2026), Figure 2b.
    """
    if not isinstance(table, TableOfContents):
        given = f"a {type(table).__name__}"
        raise PsiragError("contents_layout needs a TableOfContents", given, "Pass what RitRag.get_toc returned.")
    rows = np.arange(len(table.nodes))
    above = [max((j for j in range(i) if table.depth[j] < table.depth[i]), default=-1) for i in rows]
    return ContentsLayout(
        node=table.nodes.copy(),
        x=table.depth.astype(np.float64),
        y=-rows.astype(np.float64),
        above=np.array(above, dtype=np.int64),
        found=~np.isnan(table.scores),
        read=np.isin(table.nodes, list(read)),
    )


def contents(source: TableOfContents | Answer, *, title: str | None = None) -> Figure:
    r"""Draw the tables of contents of an answer of RIT-RAG, or one, with the sections found and read marked.

    Parameters
    ----------
    source : Answer or TableOfContents
        What `RitRag.ask` or `RitRag.get_toc` returned; of an answer every table is a panel.
    title : str, optional
        Above the first panel; the query when None.

    Returns
    -------
    plotly.graph_objects.Figure
        With `.svg`.

    Raises
    ------
    PsiragError
        Something else, or an answer without a table of contents.

    Source: RIT-RAG (2026), Figure 2b and 2c.

    Examples
    --------
    >>> from psirag.variants import RitRag
    >>> rit = RitRag.build(["# Bats\n\n## Food\n\nBats hunt moths.", "# Owls\n\n## Food\n\nOwls hunt mice."])
    >>> [trace.name for trace in contents(rit.ask("What do owls hunt?")).data]
    ['belongs to', 'a heading above', 'read']
    """
    tables, read = [source] if isinstance(source, TableOfContents) else [], list[int]()
    if isinstance(source, Answer):
        tables, content = tables_of(source.steps)
        read = [node for each in content for node in each.nodes.tolist()]
    if not tables:
        given = f"a {type(source).__name__}" + (" of another system" if isinstance(source, Answer) else "")
        raise PsiragError(
            "contents needs an answer of RitRag, or a table of contents", given, "Pass rit.ask(question)."
        )
    titles = [tables[0].query if title is None else title]
    titles += [f"table of contents {i}, for: {parse_call(each.query)[1]}" for i, each in enumerate(tables[1:], start=2)]
    room = max(*map(_room, tables), min(int(text_width(titles[0], TITLE_SIZE)), _WIDEST))
    return draw_figure([_drawing(t, read, words, room) for t, words in zip(tables, titles, strict=True)], columns=1)


def _line(table: TableOfContents, i: int) -> str:
    """Return what is written beside a heading's point."""
    size = f" · {table.tokens[i]} tokens" if table.tokens[i] else ""
    return plain_text(table.titles[i] or "(untitled)", _TITLE) + size


def _room(table: TableOfContents) -> int:
    """Return the pixels that the longest line needs, its indent included."""
    reach = [_STEP * (table.depth[i] + 0.5) + 24 + text_width(_line(table, i), _SIZE) for i in range(len(table.nodes))]
    return int(max(_NARROWEST, *reach, 0))


def _drawing(table: TableOfContents, read: list[int], title: str, room: int) -> Drawing:
    """Return one table as a picture."""
    layout, n = contents_layout(table, read=read), len(table.nodes)
    labels = []
    for i in range(n):
        label = Label(x=layout.x[i], y=layout.y[i], text=_line(table, i), size=_SIZE, anchor="left", shift=(12, 0))
        labels.append(replace(label, colour=INK if layout.found[i] or not layout.x[i] else SOFT))
    return Drawing(
        title=title,
        marks=_marks(table, layout),
        labels=tuple(labels),
        x_range=(-0.5, room / _STEP - 0.5),
        y_range=(-max(n, 1) + 0.2, 0.8),
        equal=False,
        width=room + _MARGIN[0] + _MARGIN[1],
        height=_LINE * max(n, 1) + _MARGIN[2] + _MARGIN[3],
        margin=_MARGIN,
    )


def _marks(table: TableOfContents, layout: ContentsLayout) -> tuple[Marks, ...]:
    """Return the lines from headings to what is above them, then three kinds of points; those that occur."""
    below = np.flatnonzero(layout.above >= 0)
    above, gap = layout.above[below], np.full(len(below), np.nan)
    x = np.column_stack([layout.x[above], layout.x[above], layout.x[below], gap]).ravel()
    y = np.column_stack([layout.y[above], layout.y[below], layout.y[below], gap]).ravel()
    marks = [Marks(kind="line", x=x, y=y, name="belongs to", colour=SOFT, size=1.0, legend=False)]
    groups = (
        ("a heading above", ~layout.found & ~layout.read, SOFT, 6.0, "circle"),
        ("found", layout.found & ~layout.read, SKY, 10.0, "circle"),
        ("read", layout.read, ORANGE, 11.0, "square"),
    )
    for name, mask, colour, size, symbol in groups:
        at = np.flatnonzero(mask)
        if len(at):
            boxes = tuple(_box(table, int(i)) for i in at)
            x, y, ids = layout.x[at], layout.y[at], layout.node[at]
            marks.append(
                Marks(kind="points", x=x, y=y, name=name, colour=colour, size=size, symbol=symbol, hover=boxes, ids=ids)
            )
    return tuple(marks)


def _box(table: TableOfContents, i: int) -> str:
    """Return one heading's hover box."""
    head = f"section {table.nodes[i]}"
    if not np.isnan(table.scores[i]):
        head += f" · score {table.scores[i]:.4f}"
    held = ", ".join(word for word, holds in zip(table.words, table.holds[i], strict=True) if holds)
    return hover_box(head, f"{table.titles[i]}" + (f": holds {held}" if held else ""))

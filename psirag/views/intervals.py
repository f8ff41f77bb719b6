"""Intervals: one measure of several systems, each a point on its interval, one below the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from psirag.errors import PsiragError
from psirag.views.curves import nice_ticks
from psirag.views.drawing import Drawing, FloatArray, Label, Marks
from psirag.views.figure import draw_figure
from psirag.views.hover import escaped
from psirag.views.palette import BLUE, FAINT, INK, SOFT

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_ROW, _ROOM = 30, 0.06
_LETTER = 6.4  # pixels


def intervals(rows: Mapping[str, npt.ArrayLike], *, x_title: str, zero: bool = False, title: str = "") -> Figure:
    """Draw each row as a point with a whisker, the first on top.

    Parameters
    ----------
    rows : mapping of str to array_like, shape (3,), real
        Value, lower and upper end; a row of NaN is named without a point.
    x_title : str
        Written below the axis.
    zero : bool
        Draw a line at 0, for differences.
    title : str
        Shown as written.

    Returns
    -------
    plotly.graph_objects.Figure
        With `.svg`.

    Raises
    ------
    PsiragError
        No rows, none with numbers, or a row that is not three numbers in the order low ≤ value ≤ high.

    Source: ours.

    Examples
    --------
    >>> figure = intervals({"tree": [0.5, 0.4, 0.6], "flat": [0.7, 0.6, 0.8]}, x_title="recall@5")
    >>> list(figure.data[-1].x), list(figure.data[-1].y)
    ([0.5, 0.7], [1.0, 0.0])
    """
    names, table = _checked(rows)
    there = np.isfinite(table).all(axis=1)
    shown = table[there]
    low, high = float(shown.min()), float(shown.max())
    low, high = (min(low, 0.0), max(high, 0.0)) if zero else (low, high)
    room = _ROOM * (high - low) or 0.5
    x_range, y_range = (low - room, high + room), (-0.7, len(names) - 0.3)
    ticks, places = nice_ticks(*x_range), np.arange(len(names))[::-1].astype(np.float64)
    whiskers = np.column_stack([shown[:, 1:], np.full(len(shown), np.nan)]).ravel()
    level = np.repeat(places[there], 3)
    boxes = tuple(f"<b>{escaped(names[i])}</b><br>{_told(table[i])}" for i in np.flatnonzero(there))
    marks = [
        Marks(kind="line", x=whiskers, y=level, name="", colour=BLUE, size=2.0, opacity=0.6, legend=False),
        Marks(
            kind="points", x=shown[:, 0], y=places[there], name="", colour=BLUE, size=10.0, hover=boxes, legend=False
        ),
    ]
    if zero:
        line = Marks(
            kind="line", x=np.zeros(2), y=np.array(y_range), name="", colour=INK, size=1.0, dash=True, legend=False
        )
        marks.insert(0, line)
    left = int(24 + _LETTER * max(map(len, names)))
    drawing = Drawing(
        title=title, marks=tuple(marks), x_range=x_range, y_range=y_range, equal=False,
        height=_ROW * len(names) + 74 + (40 if title else 10), margin=(left, 24, 50 if title else 14, 60),
    )  # fmt: skip
    figure = draw_figure([drawing])
    look = {"visible": True, "gridcolor": FAINT, "linecolor": SOFT, "showline": True, "zeroline": False}
    figure.update_xaxes(**look, tickvals=list(ticks), ticktext=list(ticks.values()), title={"text": escaped(x_title)})
    figure.update_yaxes(
        **look | {"showgrid": False}, tickvals=places.tolist(), ticktext=[escaped(name) for name in names]
    )
    figure.show_statically(_static(drawing, ticks, names, places, x_title))
    return figure


def _checked(rows: Mapping[str, npt.ArrayLike]) -> tuple[list[str], FloatArray]:
    """Return names and a float64 table, or say what is wrong with a row."""
    if not isinstance(rows, Mapping) or not rows:
        given = "none" if isinstance(rows, Mapping) else f"a {type(rows).__name__}"
        raise PsiragError("intervals needs a mapping of rows", given, 'Pass {"name": (value, low, high), …}.')
    for name, row in rows.items():
        try:
            numbers = np.asarray(row, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise PsiragError(f"row {name!r} must be numbers", f"{row!r:.60}", "Pass value, low, high.") from error
        missing = np.isnan(numbers).all()
        if numbers.shape != (3,) or not (missing or numbers[1] <= numbers[0] <= numbers[2]) or np.isinf(numbers).any():
            raise PsiragError(f"row {name!r} must be value, low, high", f"{row!r:.60}", "Pass low ≤ value ≤ high.")
    table = np.array([np.asarray(row, dtype=np.float64) for row in rows.values()])
    if np.isnan(table).all():
        raise PsiragError("intervals needs a row with numbers", "only rows of NaN", "Leave the figure out.")
    return [str(name) for name in rows], table


def _told(row: FloatArray) -> str:
    """Value and interval in words."""
    return f"{row[0]:.3f} ({row[1]:.3f} to {row[2]:.3f})"


def _static(drawing: Drawing, ticks: dict[float, str], names: list[str], places: FloatArray, x_title: str) -> Drawing:
    """The drawing with grid, names and axis, which plotly draws by itself."""
    (left, right), (bottom, top) = drawing.x_range, drawing.y_range
    upright = [(x, end) for x in ticks for end in (bottom, top, np.nan)]
    grid = np.array([*upright, (left, bottom), (right, bottom)], dtype=np.float64)
    grid[np.isnan(grid).any(axis=1)] = np.nan
    lines = Marks(kind="line", x=grid[:, 0], y=grid[:, 1], name="", colour=FAINT, size=1.0, legend=False)
    labels = [Label(x=x, y=bottom, text=words, shift=(0, -14)) for x, words in ticks.items()]
    labels += [
        Label(x=left, y=float(y), text=name, anchor="right", shift=(-8, 0), colour=INK)
        for name, y in zip(names, places, strict=True)
    ]
    labels.append(Label(x=(left + right) / 2, y=bottom, text=x_title, size=13, colour=INK, shift=(0, -36)))
    return replace(drawing, marks=(lines, *drawing.marks), labels=tuple(labels))

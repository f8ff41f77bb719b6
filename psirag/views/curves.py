"""Curves: a number against another, as lines with intervals, such as recall against nodes scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from psirag.errors import PsiragError
from psirag.views.drawing import Drawing, FloatArray, Label, Marks
from psirag.views.figure import draw_figure
from psirag.views.hover import escaped
from psirag.views.palette import CLASS_STYLES, FAINT, INK, SOFT, class_styles

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_ROOM = 0.06


def curves(
    series: Mapping[str, npt.ArrayLike], *, x_title: str, y_title: str, log_x: bool = False, title: str = ""
) -> Figure:
    """Draw each series as points joined by a line, with its interval as a band; one point alone gets a whisker.

    Parameters
    ----------
    series : mapping of str to array_like, shape (p, 2) or (p, 4), real
        Columns x, y, and, where there is an interval, its lower and upper end; at most 7 series.
    x_title, y_title : str
        Written along the axes.
    log_x : bool
        Equal ratios of x are equally far apart.
    title : str
        Shown as written.

    Returns
    -------
    plotly.graph_objects.Figure
        With `.svg`.

    Raises
    ------
    PsiragError
        No series or too many, another shape, numbers that are not finite, or x ≤ 0 with `log_x`.

    Source: ours.

    Examples
    --------
    >>> figure = curves({"tree": [[60, 0.5], [120, 0.7]], "flat": [[217, 0.8]]}, x_title="nodes", y_title="recall")
    >>> [trace.name for trace in figure.data]
    ['tree', 'tree', 'flat']
    """
    tables = _checked(series, log_x)
    if log_x:
        tables = {name: np.column_stack([np.log10(table[:, 0]), table[:, 1:]]) for name, table in tables.items()}
    x_range, y_range = _range([t[:, 0] for t in tables.values()]), _range([t[:, 1:] for t in tables.values()])
    x_ticks = _log_ticks(*x_range) if log_x else nice_ticks(*x_range)
    y_ticks = nice_ticks(*y_range)
    drawing = Drawing(
        title=title,
        marks=tuple(_marks(tables, log_x, x_title, y_title)),
        x_range=x_range,
        y_range=y_range,
        equal=False,
        height=440,
        margin=(72, 24, 56 if title else 20, 104),
    )
    figure = draw_figure([drawing])
    look = {"visible": True, "gridcolor": FAINT, "linecolor": SOFT, "showline": True, "zeroline": False}
    for update, ticks, words in ((figure.update_xaxes, x_ticks, x_title), (figure.update_yaxes, y_ticks, y_title)):
        update(**look, tickvals=list(ticks), ticktext=list(ticks.values()), title={"text": escaped(words)})
    lines, labels = _axes(drawing, x_ticks, y_ticks, x_title, y_title)
    figure.show_statically(replace(drawing, marks=(lines, *drawing.marks), labels=labels))
    return figure


def _checked(series: Mapping[str, npt.ArrayLike], log_x: bool) -> dict[str, FloatArray]:
    """Return the series as float64 tables, or say what is wrong with one."""
    if not isinstance(series, Mapping) or not 0 < len(series) <= len(CLASS_STYLES):
        given = f"{len(series)} series" if isinstance(series, Mapping) else f"a {type(series).__name__}"
        raise PsiragError(f"curves needs a mapping of 1 to {len(CLASS_STYLES)} series", given, "Draw several figures.")
    tables = {}
    for name, rows in series.items():
        try:
            table = np.asarray(rows, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise PsiragError(f"series {name!r} must be numbers", f"{rows!r:.60}", "Pass rows of x and y.") from error
        if table.ndim != 2 or table.shape[1] not in (2, 4) or not len(table) or not np.isfinite(table).all():
            given = f"shape {table.shape}" if np.isfinite(table).all() else "numbers that are not"
            raise PsiragError(f"series {name!r} must be finite, of shape (p, 2) or (p, 4)", given, "See curves.")
        if log_x and table[:, 0].min() <= 0:
            raise PsiragError("log_x needs x above 0", f"{table[:, 0].min():g} in {name!r}", "Leave log_x out.")
        tables[str(name)] = table
    return tables


def _range(columns: list[FloatArray]) -> tuple[float, float]:
    """Return limits a little wider than all numbers."""
    values = np.concatenate([column.ravel() for column in columns])
    low, high = float(values.min()), float(values.max())
    room = _ROOM * (high - low) or 0.5
    return low - room, high + room


def nice_ticks(low: float, high: float) -> dict[float, str]:
    """Return about five round numbers between two limits, each with how it is written.

    Examples
    --------
    >>> nice_ticks(0.47, 0.83)
    {0.5: '0.5', 0.6: '0.6', 0.7: '0.7', 0.8: '0.8'}
    """
    size = 10 ** np.floor(np.log10((high - low) / 5))
    step = next(float(size * m) for m in (1, 2, 5, 10) if (high - low) / (size * m) <= 6)
    digits = max(0, -int(np.floor(np.log10(step) + 1e-9)))
    places = np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1) * step + 0.0  # no −0
    return {round(float(place), 12): f"{place:,.{digits}f}" for place in places}


def _log_ticks(low: float, high: float) -> dict[float, str]:
    """Return 1, 2 and 5 times powers of ten between two logarithms, each with how it is written."""
    numbers = [m * 10.0**power for power in range(int(np.floor(low)), int(np.ceil(high)) + 1) for m in (1, 2, 5)]
    return {float(np.log10(n)): f"{n:,.6g}" for n in numbers if low <= np.log10(n) <= high}


def _marks(tables: dict[str, FloatArray], log_x: bool, x_title: str, y_title: str) -> list[Marks]:
    """Return bands, then lines, then points, each series in its colour and shape."""
    styles = class_styles(list(tables), len(CLASS_STYLES))
    bands, lines, points = [], [], []
    for name, table in tables.items():
        colour, symbol = styles[name]
        x, y = table[:, 0], table[:, 1]
        look: dict[str, Any] = {"name": name, "colour": colour, "legend": False}
        if len(x) > 1:
            lines.append(Marks(kind="line", x=x, y=y, size=2.0, **look))
        if table.shape[1] == 4 and len(x) > 1:
            band = np.r_[x, x[::-1]], np.r_[table[:, 2], table[::-1, 3]]
            bands.append(Marks(kind="area", x=band[0], y=band[1], opacity=0.13, **look))
        elif table.shape[1] == 4:
            lines.append(Marks(kind="line", x=np.r_[x, x], y=table[0, 2:], size=1.6, opacity=0.6, **look))
        boxes = tuple(_box(name, row, log_x, x_title, y_title) for row in table.tolist())
        size = 9.0 if len(x) > 1 else 12.0
        points.append(Marks(kind="points", x=x, y=y, size=size, symbol=symbol, hover=boxes, **look | {"legend": True}))
    return bands + lines + points


def _box(name: str, row: list[float], log_x: bool, x_title: str, y_title: str) -> str:
    """Return what is shown when the mouse is over a point."""
    x = 10 ** row[0] if log_x else row[0]
    interval = f" ({row[2]:.3f} to {row[3]:.3f})" if len(row) == 4 else ""
    return f"<b>{escaped(name)}</b><br>{escaped(x_title)}: {x:,.4g}<br>{escaped(y_title)}: {row[1]:.3f}{interval}"


def _axes(
    drawing: Drawing, x_ticks: dict[float, str], y_ticks: dict[float, str], x_title: str, y_title: str
) -> tuple[Marks, tuple[Label, ...]]:
    """Return grid lines, tick labels and titles for the static form; plotly draws its own."""
    (left, right), (bottom, top) = drawing.x_range, drawing.y_range
    upright = [(x, end) for x in x_ticks for end in (bottom, top, np.nan)]
    level = [(end, y) for y in y_ticks for end in (left, right, np.nan)]
    grid = np.array([*upright, (left, bottom), (right, bottom), (np.nan, np.nan), *level], dtype=np.float64)
    broken = np.isnan(grid).any(axis=1)
    grid[broken] = np.nan
    lines = Marks(kind="line", x=grid[:, 0], y=grid[:, 1], name="", colour=FAINT, size=1.0, legend=False)
    labels = [Label(x=x, y=bottom, text=words, shift=(0, -14)) for x, words in x_ticks.items()]
    labels += [Label(x=left, y=y, text=words, anchor="right", shift=(-8, 0)) for y, words in y_ticks.items()]
    middle = (left + right) / 2, (bottom + top) / 2
    labels.append(Label(x=middle[0], y=bottom, text=x_title, size=13, colour=INK, shift=(0, -36)))
    labels.append(Label(x=left, y=middle[1], text=y_title, size=13, colour=INK, angle=-90, shift=(-50, 0)))
    return lines, tuple(labels)

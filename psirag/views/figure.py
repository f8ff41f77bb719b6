"""The live form of a picture: a plotly figure that carries its static SVG too, so that any page shows one of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from psirag.checks import check_path, check_type
from psirag.errors import PsiragError
from psirag.optional import needed
from psirag.views.drawing import RIM_FROM, Drawing, Label, Marks
from psirag.views.hover import escaped
from psirag.views.palette import FAINT, INK, SCALE
from psirag.views.svg import draw_svg

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

WEBGL_FROM = 5_000
_FONT = {"family": "Arial, Helvetica, Liberation Sans, sans-serif", "size": 12, "color": INK}


def draw_figure(drawings: Sequence[Drawing], *, title: str = "", columns: int = 2) -> Figure:
    """Return a plotly figure of the panels; its display bundle holds plotly's JSON and an SVG of the same drawings.

    JupyterLab and an exported page show the live figure, a page that runs no script shows the SVG. Hover data, ids and
    coordinates are plain lists. `figure.save("tree.svg")` writes that SVG, `figure.save("tree.html")` the live figure.

    Source: ours.

    Examples
    --------
    >>> import numpy as np
    >>> dots = Marks(kind="points", x=np.array([0.0, 1.0]), y=np.array([0.0, 1.0]), name="dots")
    >>> figure = draw_figure([Drawing(title="two", marks=(dots,), x_range=(0, 1), y_range=(0, 1))])
    >>> len(figure.data), figure.svg[:4]
    (1, '<svg')
    """
    for named in (title, *(drawing.title for drawing in drawings)):
        check_type("title", named, str)
    columns = max(1, min(columns, len(drawings)))
    figure = _figure_class()()
    shown: set[str] = set()
    for i, drawing in enumerate(drawings):
        suffix = "" if i == 0 else str(i + 1)
        heavy = sum(len(marks.x) for marks in drawing.marks) > WEBGL_FROM
        figure.add_traces([trace_of(marks, drawing, suffix, shown, heavy) for marks in drawing.marks])
        figure.update_layout(_panel_layout(drawing, suffix, i, columns, len(drawings)))
        figure.layout.shapes += tuple(_ring(radius, suffix) for radius in drawing.rings)
        labels = [_annotation(label, suffix) for label in drawing.labels]
        figure.layout.annotations += tuple(labels + _panel_title(drawing, suffix, len(drawings)))
    figure.update_layout(_page_layout(drawings, title, columns))
    figure.show_statically(*drawings, title=title, columns=columns)
    return figure


@cache
def _figure_class() -> type[Figure]:
    """Return plotly's Figure with an SVG beside plotly's own JSON in what a notebook keeps."""
    plain: type[Figure] = needed("plotly.graph_objects", "notebooks", what="a figure").Figure

    class TwofoldFigure(plain):  # type: ignore[misc]  # plotly ships no types
        """A plotly figure that knows its static form."""

        _svg_source: tuple[tuple[Drawing, ...], str, int] | None = None

        @property
        def svg(self) -> str:
            """The picture as an SVG string, as it was first drawn; empty for a copy."""
            if self._svg_source is None:
                return ""
            drawings, title, columns = self._svg_source
            return draw_svg(drawings, title=title, columns=columns)

        def save(self, path: str | os.PathLike[str]) -> None:
            """Write a .svg file, as the picture was first drawn, or a .html file, a live page that needs no network."""
            target = check_path("path", path)
            suffix = target.suffix.lower()
            content = self.svg if suffix == ".svg" else self.to_html() if suffix == ".html" else ""
            if not content:
                raise PsiragError(
                    "figure.save writes a .svg or a .html file",
                    repr(str(target)),
                    "Name such a file; a copy has no SVG.",
                )
            _write_whole(target, content)

        def show_statically(self, *drawings: Drawing, title: str = "", columns: int = 2) -> None:
            """Set what the static form shows."""
            self._svg_source = (drawings, title, columns)

        def _repr_mimebundle_(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
            bundle: dict[str, Any] = dict(super()._repr_mimebundle_(*args, **kwargs))
            if bundle and self.svg:
                bundle.setdefault("image/svg+xml", self.svg)
                bundle.setdefault("text/plain", f"Figure({len(self.data)} traces)")
            return bundle

        def _ipython_display_(self) -> None:
            from IPython.display import display

            bundle = self._repr_mimebundle_()
            if bundle:
                display(bundle, raw=True)  # type: ignore[no-untyped-call]
            else:  # plotly was told to draw elsewhere, in a browser window
                super()._ipython_display_()

    TwofoldFigure.__name__ = TwofoldFigure.__qualname__ = "Figure"
    return TwofoldFigure


def _write_whole(target: Path, content: str) -> None:
    """Write a file beside its place and rename it, so that no half of it is left where writing fails."""
    partial = target.with_name(f".{target.name}.partial")
    try:
        partial.write_text(content, encoding="utf-8", newline="\n")
        partial.replace(target)
    except OSError as error:
        raise PsiragError(
            "figure.save needs a place to write", f"{target}: {error.strerror}", "Choose another."
        ) from error
    finally:
        with suppress(OSError):
            partial.unlink()


def trace_of(
    marks: Marks, drawing: Drawing, suffix: str = "", shown: set[str] | None = None, heavy: bool = False
) -> dict[str, Any]:
    """Return one plotly trace; all lines and points of a heavy panel go through WebGL, which lies above the rest."""
    shown = set() if shown is None else shown
    legend = marks.legend and marks.name not in shown
    if marks.legend:
        shown.add(marks.name)
    trace: dict[str, Any] = {
        "type": "scattergl" if heavy and marks.kind != "area" else "scatter",
        "x": plain_numbers(marks.x),
        "y": plain_numbers(marks.y),
        "xaxis": f"x{suffix}",
        "yaxis": f"y{suffix}",
        "name": escaped(marks.name),
        "legendgroup": escaped(marks.name),
        "showlegend": bool(legend and len(marks.x)),
        "hoverinfo": "text" if marks.hover else "skip",
    }
    if marks.kind == "points":
        return trace | _point_look(marks, drawing, 0.0 if heavy or np.max(marks.size, initial=0) < RIM_FROM else 0.6)
    line = {"color": marks.colour, "width": 0 if marks.kind == "area" else marks.size}
    if marks.dash:
        line["dash"] = "dot"
    trace |= {"mode": "lines", "line": line, "connectgaps": False}
    if marks.kind == "area":
        return trace | {"fill": "toself", "fillcolor": _translucent(str(marks.colour), marks.opacity)}
    return trace | {"opacity": marks.opacity}


def _point_look(marks: Marks, drawing: Drawing, rim: float) -> dict[str, Any]:
    """Return the part of a trace that points have and lines lack."""
    marker: dict[str, Any] = {
        "color": marks.colour if isinstance(marks.colour, str) else list(marks.colour),
        "size": marks.size if isinstance(marks.size, (int, float)) else plain_numbers(marks.size),
        "symbol": marks.symbol if isinstance(marks.symbol, str) else list(marks.symbol),
        "opacity": marks.opacity,
        "line": {"color": "#fff", "width": rim},
    }
    if marks.values is not None and drawing.value_range:
        marker |= {"color": plain_numbers(marks.values), "coloraxis": "coloraxis"}
    if marks.emphasis is not None and marks.emphasis.any():
        marker["line"] = {
            "color": [INK if strong else "#fff" for strong in marks.emphasis],
            "width": [1.6 if strong else rim for strong in marks.emphasis],
        }
    look: dict[str, Any] = {"mode": "markers", "marker": marker}
    if marks.hover:
        look["hovertext"] = list(marks.hover)
    if marks.ids is not None:
        look["customdata"] = [int(i) for i in marks.ids]
    return look


def plain_numbers(values: np.ndarray[Any, Any]) -> list[float | None]:
    """Return numbers as a plain list, rounded to what a screen can show, None where the line breaks.

    Examples
    --------
    >>> plain_numbers(np.array([0.123456, np.nan]))
    [0.1235, None]
    """
    return [None if number != number else number for number in np.round(values, 4).tolist()]


def _colour_axis(drawing: Drawing, y: float) -> dict[str, Any]:
    """Return the colour scale with its bar below the panel."""
    low, high = drawing.value_range or (0.0, 1.0)
    bar = {"orientation": "h", "thickness": 9, "len": 0.4, "x": 0.5, "y": y, "yanchor": "top", "outlinewidth": 0}
    title = {"text": escaped(drawing.value_title), "side": "top", "font": {"size": 11}}
    scale = [[i / (len(SCALE) - 1), colour] for i, colour in enumerate(SCALE)]
    return {"colorscale": scale, "cmin": low, "cmax": high, "colorbar": {**bar, "nticks": 5, "title": title}}


def _translucent(colour: str, opacity: float) -> str:
    """Return a hex colour with an opacity."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"


def _ring(radius: float, suffix: str) -> dict[str, Any]:
    """Return one guide circle, below the marks."""
    line = {"color": FAINT, "width": 1}
    box = {"x0": -radius, "x1": radius, "y0": -radius, "y1": radius}
    return {"type": "circle", "xref": f"x{suffix}", "yref": f"y{suffix}", "layer": "below", "line": line, **box}


def _annotation(label: Label, suffix: str) -> dict[str, Any]:
    """Return one label as an annotation without arrow."""
    return {
        "x": round(float(label.x), 4),
        "y": round(float(label.y), 4),
        "xref": f"x{suffix}",
        "yref": f"y{suffix}",
        "text": escaped(label.text),
        "showarrow": False,
        "textangle": round(label.angle, 1),
        "xanchor": label.anchor,
        "yanchor": "middle",
        "xshift": round(label.shift[0], 1),
        "yshift": round(label.shift[1], 1),
        "font": {"size": label.size, "color": label.colour},
        "borderpad": 0,
    }


def _panel_title(drawing: Drawing, suffix: str, n_panels: int) -> list[dict[str, Any]]:
    """Return the title above one panel of several."""
    if n_panels == 1 or not drawing.title:
        return []
    place = {"xref": f"x{suffix} domain", "yref": f"y{suffix} domain", "x": 0.5, "y": 1.0, "yanchor": "bottom"}
    text = f"<b>{escaped(drawing.title)}</b>"
    return [{**place, "text": text, "showarrow": False, "yshift": 14, "font": {"size": 14}}]


def _panel_layout(drawing: Drawing, suffix: str, i: int, columns: int, n_panels: int) -> dict[str, Any]:
    """Return the two axes of one panel, invisible, in its part of the page."""
    rows = -(-n_panels // columns)
    gap = 0.08
    row, column = divmod(i, columns)
    wide, high = (1 - gap * (columns - 1)) / columns, (1 - gap * 1.5 * (rows - 1)) / rows
    x0, y1 = column * (wide + gap), 1 - row * (high + gap * 1.5)
    hidden = {"visible": False, "fixedrange": False}
    x_axis = {**hidden, "range": list(drawing.x_range), "domain": [x0, x0 + wide], "anchor": f"y{suffix}"}
    y_axis = {**hidden, "range": list(drawing.y_range), "domain": [max(y1 - high, 0), y1], "anchor": f"x{suffix}"}
    if drawing.framed:
        look = {"visible": True, "showticklabels": False, "showgrid": False, "zeroline": False, "ticks": ""}
        frame = {"showline": True, "linecolor": FAINT, "mirror": True}
        x_axis, y_axis = x_axis | look | frame, y_axis | look | frame
    if drawing.equal:
        x_axis["constrain"] = y_axis["constrain"] = "range" if drawing.framed else "domain"
        y_axis["scaleanchor"] = f"x{suffix}"
    return {f"xaxis{suffix}": x_axis, f"yaxis{suffix}": y_axis}


def _page_layout(drawings: Sequence[Drawing], title: str, columns: int) -> dict[str, Any]:
    """Return what belongs to the whole figure: title, margins, legend below, colour bar."""
    first = drawings[0]
    left, right, top, bottom = (max(d.margin[side] for d in drawings) for side in range(4))
    rows = -(-len(drawings) // columns)
    height = max(d.height for d in drawings) * rows
    heading = title or (first.title if len(drawings) == 1 else "")
    layout: dict[str, Any] = {
        "template": "plotly_white",
        "font": _FONT,
        "title": {"text": escaped(heading), "x": 0.5, "y": 1 - 28 / height, "yanchor": "middle", "font": {"size": 16}},
        "height": height,
        "margin": {"l": left, "r": right, "t": top + (20 if len(drawings) > 1 else 0), "b": bottom},
        "hovermode": "closest",
        "hoverlabel": {"align": "left", "bgcolor": "#fff", "font": {"size": 12, "color": INK}, "namelength": 0},
        "dragmode": "pan",
        "plot_bgcolor": "#fff",
    }
    below = -max(bottom - 44, 4) / (height - top - bottom)
    place = {"orientation": "h", "x": 0.5, "xanchor": "center", "y": below, "yanchor": "top"}
    layout["legend"] = {**place, "itemsizing": "constant", "font": {"size": 12}}
    if first.value_range:
        layout["coloraxis"] = _colour_axis(first, below + 62 / (height - top - bottom))
    return layout

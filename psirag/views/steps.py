"""Pictures one after another, with a slider and a play button that need no kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from psirag.errors import PsiragError
from psirag.views.drawing import Drawing
from psirag.views.figure import draw_figure, trace_of
from psirag.views.hover import escaped

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def draw_steps(drawings: Sequence[Drawing]) -> Figure:
    """Return one figure that shows the drawings in turn, the first one first.

    Parameters
    ----------
    drawings : sequence of Drawing
        At least one, all with the same number of marks, of the same kinds, and the same size.

    Returns
    -------
    plotly.graph_objects.Figure
        One frame a drawing, with the marks that change; `.svg` is the last drawing.

    Raises
    ------
    PsiragError
        No drawing, or marks that do not correspond.

    Source: ours.

    Examples
    --------
    >>> import numpy as np
    >>> from psirag.views.drawing import Marks
    >>> dots = [Marks(kind="points", x=np.array([x]), y=np.array([0.0]), name="dot") for x in (0.2, 0.8)]
    >>> pages = [Drawing(title="", marks=(dot,), x_range=(0, 1), y_range=(0, 1)) for dot in dots]
    >>> len(draw_steps(pages).frames)
    2
    """
    from plotly.graph_objects import Frame

    kinds = {tuple(marks.kind for marks in drawing.marks) for drawing in drawings}
    if len(kinds) != 1:
        given = "none" if not drawings else f"{len(kinds)} kinds of drawing"
        raise PsiragError("draw_steps needs drawings with the same marks", given, "Leave marks empty, not out.")
    figure = draw_figure([drawings[0]])
    pages = [[_kept_visible(trace_of(marks, drawing)) for marks in drawing.marks] for drawing in drawings]
    for i, trace in enumerate(figure.data):
        ever = any(len(drawing.marks[i].x) for drawing in drawings)
        trace.update(x=pages[0][i]["x"], y=pages[0][i]["y"], showlegend=ever and drawings[0].marks[i].legend)
    moving = [i for i, first in enumerate(pages[0]) if any(page[i] != first for page in pages)]
    figure.frames = [
        Frame(
            name=str(k),
            data=[page[i] for i in moving],
            traces=moving,
            layout={"title": {"text": escaped(drawing.title)}},
        )
        for k, (drawing, page) in enumerate(zip(drawings, pages, strict=True))
    ]
    at_once = {"mode": "immediate", "frame": {"duration": 0, "redraw": True}, "transition": {"duration": 0}}
    playing = {"mode": "immediate", "fromcurrent": True, "frame": {"duration": 900, "redraw": True}}
    stops = [{"label": str(k), "method": "animate", "args": [[str(k)], at_once]} for k in range(len(drawings))]
    buttons = [
        {"label": "▶", "method": "animate", "args": [None, playing]},
        {"label": "❚❚", "method": "animate", "args": [[None], at_once]},
    ]
    below = -26 / (figure.layout.height - figure.layout.margin.t - figure.layout.margin.b)
    slider = {"steps": stops, "currentvalue": {"prefix": "step "}, "x": 0.0, "len": 1.0, "y": below, "pad": {"t": 0}}
    menu = {"type": "buttons", "direction": "left", "buttons": buttons, "showactive": False, "pad": {"t": 0, "r": 0}}
    place = {"x": 0.5, "xanchor": "center", "y": 4.2 * below, "yanchor": "top"}
    figure.update_layout(
        height=figure.layout.height + 110, margin={"b": 160}, sliders=[slider], updatemenus=[menu | place]
    )
    if any(marks.legend for marks in drawings[0].marks):  # below is the slider
        room = {"margin": {"t": figure.layout.margin.t + 56}, "height": figure.layout.height + 56}
        figure.update_layout(legend={"y": 1.01, "yanchor": "bottom", "bgcolor": "rgba(0,0,0,0)"}, **room)
    figure.show_statically(drawings[-1])
    return figure


def _kept_visible(trace: dict[str, Any]) -> dict[str, Any]:
    """Return a trace that plotly lists in the legend although it has no point yet."""
    return trace if trace["x"] else {**trace, "x": [None], "y": [None]}

"""What every panel is: live widgets, and after them a static form that shows the last state where no kernel is."""

from __future__ import annotations

import warnings
from base64 import b64encode
from collections.abc import Callable
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from psirag.errors import PsiragError, PsiragWarning
from psirag.views.widgets.style import HIDE_STATIC, STYLE

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


class Panel:
    """Live widgets in `box`; `last_state` says what a saved or exported page shows instead of them."""

    def __init__(self, name: str) -> None:
        if find_spec("ipywidgets") is None:
            remedy = "pip install ipywidgets anywidget, or use Agent, descent and circular_tree, which need none."
            raise PsiragError(f"{name} needs ipywidgets", "an environment without it", remedy)
        import ipywidgets

        self.widgets: Any = ipywidgets
        self.box: Any = ipywidgets.VBox()
        self.box.add_class("psirag-live")
        self._figure = LiveFigure(self)
        self.displayed = False
        self._static: Any = None

    def last_state(self) -> str:
        """Return the last state as HTML without its stylesheet."""
        return ""

    def static_html(self) -> str:
        """Return the last state as HTML, with its stylesheet."""
        return f'<div class="psirag-static">{STYLE}{self.last_state()}</div>'

    def keep_static(self) -> None:
        """Renew the static form in the notebook's output."""
        if self._static is not None:
            self._static.update(self._static_output())

    def _static_output(self) -> Any:
        """Return the static form as something to display."""
        from IPython.display import HTML

        return HTML(self.static_html())  # type: ignore[no-untyped-call]

    def _ipython_display_(self) -> None:
        """Show the widgets, then the static form, which the widgets hide while they are alive."""
        from IPython.display import display

        self.displayed = True
        self._figure.draw()
        display(self.box)  # type: ignore[no-untyped-call]
        self._static = display(self._static_output(), display_id=True)  # type: ignore[no-untyped-call]

    def lay_out(self, *rows: Any) -> None:
        """Set what the box holds, with the stylesheet first."""
        self.box.children = (self.html(STYLE + HIDE_STATIC), *rows)

    def html(self, value: str = "", **layout: str) -> Any:
        """Return a place for HTML."""
        return self.widgets.HTML(value, layout={"width": "auto", "min_width": "0", "margin": "0", **layout})

    def button(self, text: str, does: Callable[[], object], *, tip: str, style: str = "", wide: bool = False) -> Any:
        """Return a button as wide as its words, or as wide as the panel with its words at the left."""
        made = self.widgets.Button(description=text, tooltip=tip, button_style=style, layout={"width": "auto"})
        made.on_click(lambda _: does())
        if wide:
            made.add_class("psirag-wide")
        return made

    def on_enter(self, field: Any, does: Callable[[], object]) -> None:
        """Call something when Enter is pressed in a text field (leaving it with Tab is not meant)."""
        with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
            field.on_submit(lambda _: does())


class LiveFigure:
    """A place for one figure, renewed in place; a static picture where anywidget is missing.

    plotly loses colours that are changed before a figure is on a page, so it is made when the panel is displayed.
    """

    def __init__(self, panel: Panel, go: Callable[[int], object] | None = None) -> None:
        self._panel, self._go = panel, go
        self.figure: Figure | None = None
        self.live: Any = None
        self.box = panel.widgets.Box([], layout={"width": "100%", "min_width": "0", "display": "block"})
        self._static = find_spec("anywidget") is None
        if self._static:
            message = "the figure is live only with anywidget (pip install anywidget); a static picture is shown"
            warnings.warn(message, PsiragWarning, stacklevel=4)

    def static_html(self, says: str) -> str:
        """Return the figure as it is now, as a picture with words for those who do not see it."""
        svg = "" if self.figure is None else self.figure.svg
        return f'<img alt="{escape(says)}" src="data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}">'

    def show(self, figure: Figure) -> None:
        """Show another figure with the same traces."""
        self.figure = figure
        if self.live is None or self._static:
            if self._panel.displayed:
                self.draw()
            return
        with self.live.batch_update():
            for shown, new in zip(self.live.data, figure.data, strict=True):
                shown.update(new.to_plotly_json(), overwrite=True)

    def draw(self) -> None:
        """Put the figure on the page afresh, if there is one."""
        if self.figure is None:
            return
        if self._static:
            self.box.children = (self._panel.html(self.figure.svg),)
            return
        from plotly.graph_objects import FigureWidget

        self.live = FigureWidget(self.figure)
        self.live._config = {**self.live._config, "responsive": True}
        self.live.layout.width, self.live.layout.autosize = None, True
        for trace in self.live.data if self._go is not None else ():
            trace.on_click(self._clicked)
        self.box.children = (self.live,)

    def _clicked(self, trace: Any, points: Any, _: Any) -> None:
        """Go to the node that is clicked."""
        if self._go is not None and trace.customdata is not None and points.point_inds:
            self._go(int(trace.customdata[points.point_inds[0]]))

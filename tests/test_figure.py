"""The live form: one figure that is shown live or as SVG: FR-099, FR-102, FR-103."""

from __future__ import annotations

import copy
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from psirag.errors import PsiragError
from psirag.views.drawing import Drawing, Label, Marks
from psirag.views.figure import draw_figure, plain_numbers


def drawing(n: int = 3) -> Drawing:
    """Return points, a line and an area."""
    at = np.arange(n, dtype=float)
    dots = Marks(kind="points", x=at, y=at, name="dots", ids=np.arange(n), hover=("box",) * n)
    line = Marks(kind="line", x=np.array([0, 1, np.nan]), y=np.array([0, 1, np.nan]), name="line")
    area = Marks(kind="area", x=np.array([0, 1, 1, 0.0]), y=np.array([0, 0, 1, 0.0]), name="area", colour="#D55E00")
    labels = (Label(x=0, y=0, text="<b>"),)
    return Drawing(title="t", marks=(area, line, dots), labels=labels, rings=(1.0,), x_range=(0, n), y_range=(0, n))


@pytest.fixture(autouse=True)
def notebook_renderer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let plotly draw as in a notebook."""
    import plotly.io

    monkeypatch.setattr(plotly.io.renderers, "default", "plotly_mimetype")


def test_the_bundle_holds_plotly_and_svg() -> None:
    bundle = draw_figure([drawing()])._repr_mimebundle_()
    assert {"application/vnd.plotly.v1+json", "image/svg+xml", "text/plain"} <= set(bundle)
    ET.fromstring(bundle["image/svg+xml"])


def test_a_copy_is_a_figure_without_svg() -> None:
    figure = draw_figure([drawing()])
    twin = copy.deepcopy(figure)
    assert twin.to_dict() == figure.to_dict()
    assert twin.svg == ""
    assert "image/svg+xml" not in twin._repr_mimebundle_()


def test_exported_html_asks_nobody() -> None:
    page = draw_figure([drawing()]).to_html(include_plotlyjs=False)
    assert "src=" not in page
    assert "http" not in page.replace("http://www.w3.org", "")


def test_numbers_and_hover_are_plain_lists() -> None:
    content = draw_figure([drawing()]).to_json()
    assert "bdata" not in content
    assert plain_numbers(np.array([1 / 3, np.nan])) == [0.3333, None]


def test_heavy_panels_go_through_webgl_in_one_order() -> None:
    assert [trace.type for trace in draw_figure([drawing(6_000)]).data] == ["scatter", "scattergl", "scattergl"]
    assert {trace.type for trace in draw_figure([drawing(10)]).data} == {"scatter"}


def test_panels_take_their_own_axes_and_names_once_in_the_legend() -> None:
    figure = draw_figure([drawing(), drawing()], title="both")
    assert [trace.xaxis for trace in figure.data] == ["x"] * 3 + ["x2"] * 3
    assert [trace.showlegend for trace in figure.data] == [True] * 3 + [False] * 3
    assert figure.layout.title.text == "both"
    assert figure.layout.xaxis.domain[1] < figure.layout.xaxis2.domain[0]


def test_a_figure_is_saved_as_svg_and_as_a_page_that_asks_nobody(tmp_path: Path) -> None:
    figure = draw_figure([drawing()])
    for name in ("a.svg", "b.HTML"):
        figure.save(tmp_path / name)
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == figure.svg
    page = (tmp_path / "b.HTML").read_text(encoding="utf-8")
    assert "<script src=" not in page
    assert "Plotly.newPlot" in page
    figure.save(str(tmp_path / "a.svg"))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.svg", "b.HTML"]


def test_what_cannot_be_saved_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    figure = draw_figure([drawing()])
    for path in (tmp_path / "a.png", tmp_path / "a", tmp_path):
        with pytest.raises(PsiragError, match=r"\.svg or a \.html file"):
            figure.save(path)
    with pytest.raises(PsiragError, match="a copy has no SVG"):
        copy.deepcopy(figure).save(tmp_path / "a.svg")
    for path in (tmp_path / "nowhere" / "a.svg", tmp_path / ("a" * 250 + ".svg")):
        with pytest.raises(PsiragError, match="needs a place to write"):
            figure.save(path)
    with pytest.raises(PsiragError, match="path must be a path"):
        figure.save(None)
    assert not list(tmp_path.iterdir())


def test_without_plotly_the_error_says_what_to_install(monkeypatch):
    from psirag.views.figure import _figure_class

    _figure_class.cache_clear()
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    with pytest.raises(PsiragError, match=r"needs plotly.*psirag\[notebooks\]"):
        draw_figure([])
    _figure_class.cache_clear()

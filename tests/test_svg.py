"""The static form: well-formed, escaped, small."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from psirag.views.drawing import TITLE_SIZE, Drawing, Label, Marks
from psirag.views.hover import text_width
from psirag.views.palette import CLASS_STYLES
from psirag.views.svg import draw_svg

HOSTILE = "<img src=x onerror=alert(1)> <b>x</b> %{x} a<br>b & \x00"


def panel(*marks: Marks, title: str = "", **more: object) -> Drawing:
    """Return a panel of 10 by 10 units."""
    return Drawing(title=title, marks=marks, x_range=(0, 10), y_range=(0, 10), width=100, height=100, **more)  # type: ignore[arg-type]


def points(n: int, **more: object) -> Marks:
    """Return n points on the diagonal."""
    at = np.linspace(0, 10, n)
    return Marks(**{"kind": "points", "x": at, "y": at, "name": "dots", **more})  # type: ignore[arg-type]


def texts(svg: str) -> list[str]:
    """Return the words of a well-formed SVG."""
    return [element.text or "" for element in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_hostile_words_stay_words() -> None:
    label = Label(x=1, y=1, text=HOSTILE)
    wide = replace(panel(points(2, name=HOSTILE), labels=(label,)), title=HOSTILE, width=900)
    svg = draw_svg([wide], title=HOSTILE)
    shown = "<img src=x onerror=alert(1)> <b>x</b> %{x} a<br>b &"
    assert texts(svg) == [shown] * 4
    assert not re.search("<(img|script|b|br)[ >]", svg)


@pytest.mark.oracle
def test_points_land_where_arithmetic_puts_them() -> None:
    svg = draw_svg([panel(points(1, x=np.array([2.5]), y=np.array([10.0])), margin=(10, 10, 0, 20), equal=False)])
    assert "M30.0 0.0h0" in svg  # 10 + 80 · 0.25 from the left, at the top of 80 pixels


@pytest.mark.oracle
def test_equal_units_keep_a_square_square() -> None:
    svg = draw_svg([panel(points(2), margin=(0, 0, 0, 50))])
    assert "M25.0 50.0h0" in svg  # 10 units in 50 pixels, in the middle of 100
    assert "M75.0 0.0h0" in svg


def test_lines_break_at_nan() -> None:
    line = Marks(
        kind="line", x=np.array([0, 1, np.nan, 2, 3]), y=np.array([0, 1, np.nan, 2, 3]), name="l", legend=False
    )
    path = re.findall(' d="(M[^"]+)"', draw_svg([panel(line)]))
    assert len(path) == 1
    assert path[0].count("M") == 2
    assert "nan" not in draw_svg([panel(line)])


@pytest.mark.parametrize("symbol", [shape for _, shape in CLASS_STYLES] + ["star", "circle-open"])
def test_each_shape_is_drawn_and_they_differ(symbol: str) -> None:
    ET.fromstring(draw_svg([panel(points(3, symbol=symbol))]))
    plain = draw_svg([panel(points(3, symbol="circle"))])
    assert (draw_svg([panel(points(3, symbol=symbol))]) == plain) == (symbol == "circle")


def test_values_outlines_and_opacity_show() -> None:
    valued = points(3, values=np.array([0.0, 0.5, 1.0]), emphasis=np.array([True, False, False]), opacity=0.5)
    svg = draw_svg([panel(valued, value_range=(0.0, 1.0), value_title="cosine")])
    assert "cosine" in " ".join(texts(svg))
    assert 'opacity="0.5"' in svg
    assert svg.count('stroke="#22303C" stroke-width="9"') == 1  # the one outline, 3 wider than its dot of 6
    assert all(f'stroke="{colour}"' in svg for colour in ("#DCE9F5", "#4990C7", "#08305F"))


def test_one_value_only_is_no_division_by_zero() -> None:
    picture = ET.fromstring(draw_svg([panel(points(2, values=np.ones(2)), value_range=(1.0, 1.0))]))
    assert "nan" not in ET.tostring(picture, encoding="unicode").lower()


def test_many_points_are_thinned_and_outlined_ones_stay() -> None:
    outlined = np.zeros(50_000, dtype=bool)
    outlined[1] = True
    svg = draw_svg([panel(points(50_000, emphasis=outlined))])
    assert 1_000 < svg.count("h0") <= 2_600
    assert 'stroke-width="9"' in svg


def test_panels_stand_side_by_side_with_one_legend() -> None:
    svg = draw_svg([panel(points(2)), panel(points(2))])
    assert 'viewBox="0 0 200' in svg
    assert texts(svg).count("dots") == 1
    assert 'viewBox="0 0 100' in draw_svg([panel(points(2)), panel(points(2))], columns=1)


def test_a_long_title_is_cut_to_the_panel() -> None:
    shown = texts(draw_svg([replace(panel(points(2)), title="a title " * 20, width=300)]))[0]
    assert shown.endswith("…")
    assert 200 < text_width(shown, TITLE_SIZE) <= 276
    assert texts(draw_svg([replace(panel(points(2)), title="short", width=300)]))[0] == "short"


def test_the_legend_shows_points_as_they_are_drawn() -> None:
    some = {"values": np.array([0.0, 1.0]), "name": "some"}
    kept = points(2, **{**some, "name": "kept", "size": 20.0, "emphasis": np.ones(2, dtype=bool)})
    svg = draw_svg([panel(points(2, **some, size=3.0), kept, value_range=(0.0, 1.0))])
    keys = svg[svg.rindex("<g ") :]
    assert keys.count('stroke="#DCE9F5"') == 2  # of the first point
    assert 'stroke-width="7"' in keys  # not tiny
    assert 'stroke="#22303C" stroke-width="16"' in keys  # outlined, not huge


def test_no_name_is_left_on_a_line_of_its_own() -> None:
    marks = [points(2, name=f"a name {i}") for i in range(6)]
    height = {y: [] for y in re.findall(r'y="([\d.]+)" font-size="13"', draw_svg([replace(panel(*marks), width=480)]))}
    drawn = ET.fromstring(draw_svg([replace(panel(*marks), width=480)]))
    for element in drawn.iter("{http://www.w3.org/2000/svg}text"):
        height[element.get("y")].append(element.text)
    assert [len(row) for row in height.values()] == [3, 3]


def test_the_colour_bar_writes_zero_without_a_sign() -> None:
    dots = Marks(kind="points", x=np.arange(2.0), y=np.arange(2.0), name="dots", values=np.array([-0.001, 0.5]))
    drawing = Drawing(title="", marks=(dots,), x_range=(0, 1), y_range=(0, 1), value_range=(-0.001, 0.5))
    assert ">0.00<" in draw_svg([drawing])

"""Curves: what is drawn from a table of numbers, live and static."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from psirag.errors import PsiragError
from psirag.views.curves import curves, nice_ticks

TREE = [[60, 0.5, 0.4, 0.6], [120, 0.7, 0.6, 0.8]]
FLAT = [[217, 0.8, 0.7, 0.9]]
WORDS = {"x_title": "nodes scored", "y_title": "recall"}


def test_bands_lines_and_points_in_one_colour_a_series_with_one_legend_entry():
    figure = curves({"tree": TREE, "flat": FLAT}, **WORDS)
    assert [(t.name, t.mode) for t in figure.data] == [
        ("tree", "lines"), ("tree", "lines"), ("flat", "lines"), ("tree", "markers"), ("flat", "markers"),
    ]  # fmt: skip
    assert [t.showlegend for t in figure.data] == [False, False, False, True, True]
    assert figure.data[1].line.color == figure.data[3].marker.color != figure.data[4].marker.color


@pytest.mark.oracle
def test_places_are_the_numbers_given():
    figure = curves({"tree": TREE, "flat": FLAT}, **WORDS)
    band, line, whisker, points, _ = figure.data
    assert list(points.x) == list(line.x) == [60, 120]
    assert list(points.y) == [0.5, 0.7]
    assert list(band.y) == [0.4, 0.6, 0.8, 0.6]
    assert list(whisker.x), list(whisker.y) == ([217, 217], [0.7, 0.9])
    assert points.hovertext[0] == "<b>tree</b><br>nodes scored: 60<br>recall: 0.500 (0.400 to 0.600)"


@pytest.mark.oracle
def test_log_x_places_logarithms_and_writes_numbers():
    figure = curves({"a": [[10, 1], [1000, 2]]}, log_x=True, **WORDS)
    assert list(figure.data[1].x) == [1, 3]
    ticks = dict(zip(figure.layout.xaxis.ticktext, figure.layout.xaxis.tickvals, strict=True))
    assert ticks["100"] == 2
    assert ticks["1,000"] == 3
    assert "nodes scored: 1,000" in figure.data[1].hovertext[1]


def test_the_static_form_has_ticks_titles_and_legend_and_is_well_formed():
    figure = curves({"<b>&": TREE}, title="a < b", **WORDS)
    texts = [element.text for element in ET.fromstring(figure.svg).iter() if element.tag.endswith("text")]
    assert {"0.5", "0.7", "60", "nodes scored", "recall", "a < b"} <= {*texts}
    assert "&lt;b&gt;&amp;" in figure.data[0].name


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_are_few_and_inside(low, span):
    high = low + span
    ticks = list(nice_ticks(low, high))
    assert 2 <= len(ticks) <= 7
    assert all(low - 1e-6 * span <= tick <= high + 1e-6 * span for tick in ticks)
    assert np.all(np.diff(ticks) > 0)


def test_zero_is_written_without_a_sign():
    assert nice_ticks(-12, 245)[0] == "0"


def test_all_points_equal_are_drawn():
    assert curves({"a": [[3, 0.5]], "b": [[3, 0.5]]}, **WORDS).layout.yaxis.range == (0.0, 1.0)


@pytest.mark.parametrize(
    ("series", "match"),
    [
        ({}, "0 series"),
        ({str(i): FLAT for i in range(8)}, "8 series"),
        ([[1, 2]], "a list"),
        ({"a": [1, 2]}, r"shape \(2,\)"),
        ({"a": [[1, 2, 3]]}, r"shape \(1, 3\)"),
        ({"a": np.empty((0, 2))}, r"shape \(0, 2\)"),
        ({"a": [[1, np.nan]]}, "not finite|numbers that are not"),
        ({"a": [["x", "y"]]}, "must be numbers"),
        ({"a": None}, "shape"),
    ],
)
def test_wrong_series_are_named(series, match):
    with pytest.raises(PsiragError, match=match):
        curves(series, **WORDS)


def test_log_x_needs_positive_x():
    with pytest.raises(PsiragError, match="above 0"):
        curves({"a": [[0, 1]]}, log_x=True, **WORDS)

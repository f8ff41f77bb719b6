"""Intervals: every row a point with its whisker, and what cannot be drawn is told."""

from __future__ import annotations

import numpy as np
import pytest

from psirag.errors import PsiragError
from psirag.views import intervals

ROWS = {"flat": [0.7, 0.6, 0.8], "not run": [np.nan] * 3, "tree & <b>": [-0.1, -0.2, 0.0]}


def test_points_and_whiskers_stand_where_the_numbers_say():
    whiskers, points = intervals(ROWS, x_title="recall").data
    assert list(points.x) == [0.7, -0.1]
    assert list(points.y) == [2.0, 0.0]
    assert np.asarray(whiskers.x, float)[[0, 1, 3, 4]].tolist() == [0.6, 0.8, -0.2, 0.0]
    assert np.asarray(whiskers.y, float).tolist() == [2.0, 2.0, 2.0, 0.0, 0.0, 0.0]


def test_names_are_shown_as_text_in_both_forms():
    figure = intervals(ROWS, x_title="<script>")
    assert list(figure.layout.yaxis.ticktext) == ["flat", "not run", "tree &amp; &lt;b&gt;"]
    assert "tree &amp; &lt;b&gt;" in figure.svg
    assert "<script>" not in figure.svg
    assert "0.700 (0.600 to 0.800)" in figure.data[-1].hovertext[0]


def test_a_line_at_zero_is_drawn_for_differences():
    figure = intervals({"gain": [0.3, 0.2, 0.4]}, x_title="difference", zero=True)
    assert list(figure.data[0].x) == [0, 0]
    low, high = figure.layout.xaxis.range
    assert low < 0 < 0.4 < high


def test_one_row_of_one_value_has_room():
    low, high = intervals({"all": [1, 1, 1]}, x_title="x").layout.xaxis.range
    assert low < 1 < high


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ({}, "a mapping of rows, but got none"),
        ([1, 2, 3], "a mapping of rows, but got a list"),
        ({"a": ["x", 0, 1]}, "row 'a' must be numbers"),
        ({"a": [0.5, 0.6, 0.7]}, "row 'a' must be value, low, high"),
        ({"a": [0.5, np.nan, 0.7]}, "row 'a' must be value, low, high"),
        ({"a": [0.5, 0.4]}, "row 'a' must be value, low, high"),
        ({"a": [0.5, 0.4, np.inf]}, "row 'a' must be value, low, high"),
        ({"a": [np.nan] * 3}, "a row with numbers"),
    ],
)
def test_what_cannot_be_drawn_is_told(rows, told):
    with pytest.raises(PsiragError, match=told):
        intervals(rows, x_title="x")

"""Pictures one after another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from psirag.errors import PsiragError
from psirag.views.drawing import Drawing, Marks
from psirag.views.steps import draw_steps


def page(title: str, *x: float) -> Drawing:
    dots = Marks(kind="points", x=np.array(x), y=np.zeros(len(x)), name="dots")
    return Drawing(title=title, marks=(dots,), x_range=(0, 1), y_range=(0, 1))


def test_a_frame_and_a_stop_for_each_drawing() -> None:
    figure = draw_steps([page("one", 0.1), page("<two>", 0.5, 0.6), page("three")])
    assert [frame.layout.title.text for frame in figure.frames] == ["one", "&lt;two&gt;", "three"]
    assert [frame.data[0].x for frame in figure.frames] == [(0.1,), (0.5, 0.6), (None,)]
    assert [stop.args[0] for stop in figure.layout.sliders[0].steps] == [("0",), ("1",), ("2",)]
    assert list(figure.data[0].x) == [0.1]
    assert ">three<" in figure.svg


def test_marks_that_stay_are_kept_once() -> None:
    still = page("", 0.1, 0.2).marks
    pages = [replace(page(str(x), x), marks=(*still, *page("", x).marks)) for x in (0.3, 0.4)]
    assert [frame.traces for frame in draw_steps(pages).frames] == [(1,), (1,)]


def test_drawings_that_do_not_correspond() -> None:
    with pytest.raises(PsiragError, match="draw_steps needs drawings with the same marks, but got none"):
        draw_steps([])
    bare = Drawing(title="", marks=(), x_range=(0, 1), y_range=(0, 1))
    with pytest.raises(PsiragError, match="2 kinds of drawing"):
        draw_steps([page("one"), bare])

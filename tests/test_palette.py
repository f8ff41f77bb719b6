"""Colours can be told apart, in grey by their shapes."""

from __future__ import annotations

from itertools import pairwise

from psirag.views.palette import CLASS_STYLES, OTHER_STYLE, SCALE, class_styles, scale_colour


def _lightness(colour: str) -> float:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_each_class_has_a_colour_and_a_shape_of_its_own() -> None:
    assert len({colour for colour, _ in CLASS_STYLES}) == len({shape for _, shape in CLASS_STYLES}) == len(CLASS_STYLES)


def test_the_scale_darkens_all_the_way_so_that_it_survives_print() -> None:
    lightness = [_lightness(scale_colour(share / 50)) for share in range(51)]
    assert all(a > b for a, b in pairwise(lightness))


def test_the_scale_stays_within_its_ends() -> None:
    assert (scale_colour(-3), scale_colour(9)) == (SCALE[0], SCALE[-1])


def test_too_many_classes_share_the_last_style() -> None:
    styles = class_styles(list("abcde"), room=3)
    assert styles["a"] != styles["b"]
    assert {styles[name] for name in "cde"} == {OTHER_STYLE}

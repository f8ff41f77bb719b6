"""Text in pictures is shown as written: FR-104, FR-108."""

from __future__ import annotations

import html
import re

from hypothesis import given
from hypothesis import strategies as st

from psirag.views.hover import escaped, hover_box, hover_text, plain_text, text_width

HOSTILE = "<img src=x onerror=alert(1)> <b>x</b> %{x} a<br>b"


def test_markup_and_template_marks_stay_as_written() -> None:
    shown = hover_text(HOSTILE, width=200)
    assert shown == "&lt;img src=x onerror=alert(1)&gt; &lt;b&gt;x&lt;/b&gt; %{x} a&lt;br&gt;b"


def test_a_text_of_2000_words_is_cut_and_wrapped() -> None:
    lines = hover_text("word " * 2_000).split("<br>")
    assert lines[-1].endswith("…")
    assert max(map(len, lines)) <= 60
    assert len(" ".join(lines)) <= 200


def test_a_word_without_spaces_is_wrapped_too() -> None:
    assert max(map(len, hover_text("x" * 500).split("<br>"))) == 60


def test_a_dollar_starts_no_formula() -> None:
    assert "$" not in escaped("from $5 to $6")
    assert html.unescape(escaped("from $5 to $6")) == "from $5 to $6"


def test_control_characters_and_lone_surrogates_are_dropped() -> None:
    assert plain_text("a\x00b\x1b\ud800c\nd") == "a b c d"


def test_a_box_without_text_is_its_heading() -> None:
    assert hover_box("node 3", "  ") == "<b>node 3</b>"


@given(st.text(max_size=400), st.integers(10, 80))
def test_only_breaks_are_markup_and_nothing_is_lost_but_space(text: str, width: int) -> None:
    shown = hover_text(text, width=width, limit=1_000)
    assert set(re.findall("<[^>]*>", shown)) <= {"<br>"}
    squeezed = html.unescape(shown.replace("<br>", "")).replace(" ", "")
    assert squeezed == "".join(plain_text(text).split())


def test_width_grows_with_each_character() -> None:
    assert (
        text_width("", 10) == 0 < text_width("i", 10) < text_width("n", 10) < text_width("W", 10) < text_width("中", 10)
    )

"""Sentence ends."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psirag.corpus import split_into_sentences
from psirag.errors import PsiragError

PIECES = [
    "a",
    "B.",
    "U.S.",
    "3.14",
    "! ",
    "?",
    " ",
    "\n",
    "\n\n",
    "# h\n",
    "。",
    "」",
    "字",
    "”",
    "।",
    "\r",
    "\x85",
    "\u3000",
]


def sentences(text):
    return [text[start:end] for start, end in split_into_sentences(text)]


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("text", "by_eye"),
    [
        ("", []),
        ("   ", ["   "]),
        ("no mark", ["no mark"]),
        ("Pi is 3.14 and U.S. GDP rose 2.5%. Done!", ["Pi is 3.14 and U.S. GDP rose 2.5%. ", "Done!"]),
        ("Dr. Smith came, e.g. by car. He left.", ["Dr. Smith came, e.g. by car. ", "He left."]),
        ("巴黎是法国的首都。北京是中国的首都。", ["巴黎是法国的首都。", "北京是中国的首都。"]),
        ("「行く？」彼は言った。本当！", ["「行く？」", "彼は言った。", "本当！"]),
        ("你好!你是谁?我", ["你好!", "你是谁?", "我"]),
        ("यह एक वाक्य है। यह दूसरा है।", ["यह एक वाक्य है। ", "यह दूसरा है।"]),
        ("هل انت بخير؟ نعم.", ["هل انت بخير؟ ", "نعم."]),
        ("Привет. Как дела?", ["Привет. ", "Как дела?"]),
        ("a title without a mark\n\nThe text.", ["a title without a mark\n\n", "The text."]),
        ("# Heading\nThe text.", ["# Heading\n", "The text."]),
        ("  \n Indented. Text.", ["  \n Indented. ", "Text."]),
        ("one line\nand the next", ["one line\nand the next"]),
    ],
)
def test_sentences_as_a_reader_sees_them(text, by_eye):
    assert sentences(text) == by_eye


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join)))
def test_sentences_tile_any_text_and_start_with_a_word(text):
    assert "".join(sentences(text)) == text
    for sentence in sentences(text)[1:]:
        assert sentence[0] == sentence.lstrip()[:1]


@pytest.mark.parametrize("text", [None, 1, b"x", ["a"]])
def test_only_a_str_has_sentences(text):
    with pytest.raises(PsiragError, match="split_into_sentences' text must be a str"):
        split_into_sentences(text)


def test_the_splitter_is_loaded_when_it_is_used_and_says_nothing():
    code = (
        "import sys; from psirag.corpus import split_into_sentences as f; "
        "assert 'nupunkt' not in sys.modules; f('A b. C d.'); assert 'nupunkt' in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout == done.stderr == b""

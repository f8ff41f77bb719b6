"""Counting tokens: the one measure of length for chunks and abstracts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sized
from functools import cache
from typing import Any

from psirag.checks import check_texts
from psirag.errors import PsiragError

# Scripts written without spaces between words, as ranges of code points.
UNSPACED_SCRIPTS = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\U00020000-\U000323af"  # Han, supplementary planes
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f\U0001b000-\U0001b16f\u3100-\u312f\u31a0-\u31bf"  # Kana, Bopomofo
    "\u0e00-\u0eff\u1780-\u17ff\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"  # Thai, Lao, Khmer, Myanmar
    "\u1950-\u19df\u1a20-\u1aaf\uaa80-\uaadf\ua980-\ua9df\u1b00-\u1b7f"  # Tai Le, New Tai Lue, Tai Tham, Tai Viet, …
)
TokenCount = Callable[[str], int]

_ASCII_TOKEN = re.compile(r"\w+(?:['.]\w+|(?<=\d),(?=\d)\w+)*")


@cache
def _token_pattern() -> re.Pattern[str]:
    """Compile the pattern of one token: a word, or a character of an unspaced script, each with its marks."""
    points = (*range(0x300, 0x20000), *range(0xE0100, 0xE01F0))
    marks = {point: None for point in points if unicodedata.category(chr(point)).startswith("M")}
    firsts = [point for point in marks if point - 1 not in marks]
    lasts = [point for point in marks if point + 1 not in marks]
    ranges = "".join(f"{chr(first)}-{chr(last)}" for first, last in zip(firsts, lasts, strict=True))
    joined = f"[{ranges}\u00ad\u200c\u200d]"
    run = rf"(?:[^\W{UNSPACED_SCRIPTS}]+{joined}*)+"
    return re.compile(rf"{run}(?:['’.]{run}|(?<=\d),(?=\d){run})*|(?=[{UNSPACED_SCRIPTS}])\w{joined}*")


def count_tokens(text: str, tokenizer: Any = None) -> int:
    """Count the tokens of a text, without the whitespace around it.

    Parameters
    ----------
    text : str
        Whitespace at either end costs nothing, under every tokenizer.
    tokenizer : None, Hugging Face tokenizer or callable
        None counts Unicode words (a decimal number, an abbreviation such as U.S. and a word with an apostrophe are
        one) and each character of an unspaced script (Han, Kana, Thai, Lao, Khmer, Myanmar, …); punctuation is free.
        A tokenizer of transformers or tokenizers counts its tokens without special ones, padding or truncation.
        Any other callable takes the text and returns the count or a sized collection of tokens.

    Returns
    -------
    int

    Raises
    ------
    PsiragError
        For a text that is not a str, or a tokenizer of another kind.

    Notes
    -----
    Source: Ψ-RAG Appendix C.1 (chunks of at most 100 tokens); words and unspaced scripts after UAX #29.

    Examples
    --------
    >>> count_tokens("Pi is 3.14."), count_tokens("巴黎是首都。"), count_tokens("a b", tokenizer=list)
    (3, 5, 3)
    """
    (clean,) = check_texts("count_tokens' text", (text,))
    return token_counter(tokenizer)(clean)


def token_counter(tokenizer: Any) -> TokenCount:
    """Return the function that counts the tokens of one text under this tokenizer."""
    if tokenizer is None:
        return _count_words
    if hasattr(tokenizer, "encode_batch"):
        return lambda text: _length_of_encoding(tokenizer.encode(text.strip(), add_special_tokens=False))
    if hasattr(tokenizer, "encode") and hasattr(tokenizer, "model_max_length"):
        settings = {"add_special_tokens": False, "truncation": False, "padding": False, "verbose": False}
        return lambda text: len(tokenizer.encode(text.strip(), **settings))
    if not callable(tokenizer):
        remedy = "Pass None, a Hugging Face tokenizer, or a function from a text to its tokens or their number."
        raise PsiragError("tokenizer must be callable", f"a {type(tokenizer).__name__}", remedy)
    return lambda text: _length_of_result(tokenizer(text.strip()))


def _count_words(text: str) -> int:
    """Count words and characters of unspaced scripts; the shorter pattern says the same of ASCII, and is quicker."""
    pattern = _ASCII_TOKEN if text.isascii() else _token_pattern()
    return len(pattern.findall(text))


def _length_of_encoding(encoding: Any) -> int:
    """Count real tokens, also where the tokenizer's own file asks for truncation or padding."""
    return sum(sum(part.attention_mask) for part in (encoding, *encoding.overflowing))


def _length_of_result(result: Any) -> int:
    """Read a callable's result: a number of tokens, or the tokens."""
    if isinstance(result, Sized):
        return len(result)
    if isinstance(result, bool) or not isinstance(result, int) or result < 0:
        remedy = "Return a non-negative int or a list of tokens."
        raise PsiragError("tokenizer must return tokens or their number", repr(result), remedy)
    return result

"""Checks of arguments at the door: each returns the clean value or raises `PsiragError`."""

from __future__ import annotations

import operator
import re
import warnings
from collections.abc import Collection, Sequence
from typing import Any

from psirag.errors import PsiragError, PsiragWarning

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def check_count(what: str, value: Any, *, minimum: int = 1) -> int:
    """Return `value` as an int of at least `minimum`; numpy integers pass, booleans and floats do not.

    Examples
    --------
    >>> check_count("k", 5)
    5
    """
    try:
        count = operator.index(value)
    except TypeError:
        count = None
    if count is None or isinstance(value, bool):
        given = f"{value!r}, a {type(value).__name__}"
        raise PsiragError(f"{what} must be an integer", given, f"Pass an integer of at least {minimum}.")
    if count < minimum:
        raise PsiragError(f"{what} must be at least {minimum}", str(count), f"Pass an integer of at least {minimum}.")
    return count


def check_choice(what: str, value: Any, choices: Collection[str]) -> str:
    """Return `value` when it is one of `choices`.

    Examples
    --------
    >>> check_choice("nodes", "all", ("leaves", "all"))
    'all'
    """
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise PsiragError(f"{what} must be one of {listed}", repr(value), "Pass one of these names.")
    return value


def check_texts(what: str, texts: Any) -> tuple[str, ...]:
    """Return `texts` as a tuple of str, with lone surrogates replaced by U+FFFD and counted in one warning.

    Examples
    --------
    >>> check_texts("texts", ["a", "b"])
    ('a', 'b')
    """
    if isinstance(texts, (str, bytes)) or not isinstance(texts, Sequence):
        raise PsiragError(f"{what} must be a sequence of str", f"a {type(texts).__name__}", "Pass a list of texts.")
    wrong = [(i, type(text).__name__) for i, text in enumerate(texts) if not isinstance(text, str)]
    if wrong:
        listed = ", ".join(f"{i} ({kind})" for i, kind in wrong[:10]) + (" …" if len(wrong) > 10 else "")
        raise PsiragError(f"{what} must hold str only", f"other types at positions {listed}", "Drop or convert them.")
    clean = tuple(_LONE_SURROGATE.sub("�", text) for text in texts)
    changed = sum(a != b for a, b in zip(clean, texts, strict=True))
    if changed:
        message = f"{what}: lone surrogates replaced by U+FFFD in {changed} of {len(clean)} texts"
        warnings.warn(message, PsiragWarning, stacklevel=3)
    return clean

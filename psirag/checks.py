"""Checks of arguments at the door: each returns the clean value or raises `PsiragError`."""

from __future__ import annotations

import operator
import os
import re
import warnings
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import numpy.typing as npt

from psirag.errors import PsiragError, PsiragWarning

T = TypeVar("T")

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def check_count(what: str, value: Any, *, minimum: int = 1, maximum: int | None = None) -> int:
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
    if maximum is not None and count > maximum:
        raise PsiragError(f"{what} must be at most {maximum}", str(count), "Pass a smaller integer.")
    return count


def check_function(what: str, value: Any) -> None:
    """Raise where `value` is neither None nor something to call.

    Examples
    --------
    >>> check_function("watch", print)
    """
    if value is not None and not callable(value):
        raise PsiragError(f"{what} must be a function", f"{value!r:.80}, a {type(value).__name__}", "Pass a function.")


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


def check_path(what: str, value: Any) -> Path:
    """Return `value` as a path that this system can have, with "~" for the home; nothing need be there.

    Examples
    --------
    >>> check_path("folder", "a/b").name
    'b'
    """
    try:
        path = Path(value).expanduser()
        with suppress(FileNotFoundError):
            os.lstat(path)
    except (TypeError, ValueError, OSError, RuntimeError) as error:  # null character; below a file; unknown home
        given = f"{value!r:.80}, a {type(value).__name__}: {error}"
        raise PsiragError(f"{what} must be a path", given, "Pass a str or a Path.") from error
    return path


def check_type(what: str, value: Any, kind: type[T], remedy: str = "") -> T:
    """Return `value` when it is of this type.

    Examples
    --------
    >>> check_type("title", "Beaver", str)
    'Beaver'
    """
    if not isinstance(value, kind):
        given = f"{value!r:.80}, a {type(value).__name__}"
        wanted = f"{'an' if kind.__name__[0] in 'AEIOaeio' else 'a'} {kind.__name__}"
        raise PsiragError(f"{what} must be {wanted}", given, remedy or f"Pass {wanted}.")
    return value


def check_each(what: str, values: Iterable[Any], kind: type) -> None:
    """Raise where some of `values` are of another type, naming their positions and types.

    Examples
    --------
    >>> check_each("texts", ["a", "b"], str)
    """
    wrong = [f"{i} ({type(value).__name__})" for i, value in enumerate(values) if not isinstance(value, kind)]
    if wrong:
        asked, given = f"{what} must hold {kind.__name__} only", f"other types at positions {first_few(wrong)}"
        raise PsiragError(asked, given, "Drop or convert them.")


def check_texts(what: str, texts: Any) -> tuple[str, ...]:
    """Return `texts` as a tuple of str, with lone surrogates replaced by U+FFFD and counted in one warning.

    Examples
    --------
    >>> check_texts("texts", ["a", "b"])
    ('a', 'b')
    """
    if isinstance(texts, (str, bytes)) or not isinstance(texts, Sequence):
        raise PsiragError(f"{what} must be a sequence of str", f"a {type(texts).__name__}", "Pass a list of texts.")
    check_each(what, texts, str)
    clean = tuple(map(replace_surrogates, texts))
    changed = sum(a != b for a, b in zip(clean, texts, strict=True))
    if changed:
        message = f"{what}: lone surrogates replaced by U+FFFD in {changed} of {len(clean)} texts"
        warnings.warn(message, PsiragWarning, stacklevel=3)
    return clean


def replace_surrogates(text: str) -> str:
    r"""Replace lone surrogates, which UTF-8 cannot hold, by U+FFFD.

    Examples
    --------
    >>> replace_surrogates("a\ud800b")
    'a�b'
    """
    return _LONE_SURROGATE.sub("\ufffd", text)


def first_few(items: Sequence[Any] | npt.NDArray[Any]) -> str:
    """List the first ten of many, for a message.

    Examples
    --------
    >>> first_few(range(12))
    '0, 1, 2, 3, 4, 5, 6, 7, 8, 9 … (12 in all)'
    """
    return ", ".join(map(str, items[:10])) + (f" … ({len(items)} in all)" if len(items) > 10 else "")

"""Rows as they come from files and lists: their fields, checked, and their texts, cleaned."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from psirag.errors import PsiragError, PsiragWarning

Row = Mapping[str, Any]
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def as_list(asked: str, source: Any) -> list[Any]:
    """Return the items of a sequence or an iterator; a table or a set would give its columns or no order."""
    if isinstance(source, (str, bytes, bytearray)) or not isinstance(source, (Sequence, Iterator)):
        given, remedy = f"a {type(source).__name__}", "Pass a path, a name, a text or a list of these rows."
        raise PsiragError(asked, given, remedy)
    return list(source)


def same_type(place: str, rows: Sequence[Any], allowed: tuple[type, ...]) -> type:
    """Return the one allowed type that all rows have, or name the rows that have another."""
    found = next((kind for kind in allowed if rows and isinstance(rows[0], kind)), allowed[0])
    wrong = [(i, type(row).__name__) for i, row in enumerate(rows) if not isinstance(row, found)]
    if wrong:
        listed = ", ".join(f"{i} ({kind})" for i, kind in wrong[:10]) + (" …" if len(wrong) > 10 else "")
        asked = f"{place}: every row must be a {found.__name__}"
        raise PsiragError(asked, f"other types at positions {listed}", "Drop or convert them.")
    return found


def text_field(place: str, i: int, row: Row, name: str, *, optional: bool = False) -> str:
    """Return the text of one field; a missing or null one is "" where it is optional."""
    value = row.get(name)
    if value is None and optional:
        return ""
    if not isinstance(value, str):
        given = f"row {i} without it" if value is None else f"{value!r}, a {type(value).__name__}, in row {i}"
        raise PsiragError(f"{place}: every row needs a field '{name}' that holds a str", given, "Fill it in.")
    return value


def without_lone_surrogates(place: str, rows: Sequence[Any]) -> list[Any]:
    """Replace lone surrogates by U+FFFD wherever they are in a row, and count the rows in one warning."""
    clean = [_clean(row) for row in rows]
    changed = sum(before is not after for before, after in zip(rows, clean, strict=True))
    if changed:
        message = f"{place}: lone surrogates replaced by U+FFFD in {changed} of {len(clean)} rows"
        warnings.warn(message, PsiragWarning, stacklevel=4)
    return clean


def _clean(value: Any) -> Any:
    """Return the value itself, or a copy when a text in it had to change."""
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value) if _LONE_SURROGATE.search(value) else value
    if isinstance(value, Mapping):
        items = {_clean(key): _clean(each) for key, each in value.items()}
        same = all(items.get(key) is each for key, each in value.items())
        return value if same else items
    if isinstance(value, (list, tuple)):
        parts = [_clean(each) for each in value]
        return value if all(a is b for a, b in zip(value, parts, strict=True)) else parts
    return value

"""Rows as they come from files and lists: their fields, checked, and their texts, cleaned."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from psirag.checks import check_each, replace_surrogates
from psirag.errors import PsiragError, PsiragWarning

Row = Mapping[str, Any]


def as_list(asked: str, source: Any) -> list[Any]:
    """Return the items of a sequence or an iterator; a table or a set would give its columns or no order."""
    if isinstance(source, (str, bytes, bytearray)) or not isinstance(source, (Sequence, Iterator)):
        given, remedy = f"a {type(source).__name__}", "Pass a path, a name, a text or a list of these rows."
        raise PsiragError(asked, given, remedy)
    return list(source)


def same_type(place: str, rows: Sequence[Any], allowed: tuple[type, ...]) -> type:
    """Return the one allowed type that all rows have, or name the rows that have another."""
    found = next((kind for kind in allowed if rows and isinstance(rows[0], kind)), allowed[0])
    check_each(place, rows, found)
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


def other_fields(row: Row, known: Collection[str]) -> dict[str, Any]:
    """Return the fields that have no place of their own; those of an object named "metadata" count one by one."""
    rest = {str(key): value for key, value in row.items() if key not in known}
    inner = rest.pop("metadata", {})
    return {**rest, **inner} if isinstance(inner, Mapping) else {**rest, "metadata": inner}


def without_lone_surrogates(place: str, rows: Sequence[Any]) -> list[Any]:
    """Replace lone surrogates by U+FFFD wherever they are in a row, and count the rows in one warning."""
    try:
        clean = [_clean(row) for row in rows]
        changed = sum(before != after for before, after in zip(rows, clean, strict=True))
    except RecursionError as error:
        asked = f"{place}: rows must be plain"
        raise PsiragError(asked, "one that holds itself, or is nested too deeply", "Flatten it.") from error
    if changed:
        message = f"{place}: lone surrogates replaced by U+FFFD in {changed} of {len(clean)} rows"
        warnings.warn(message, PsiragWarning, stacklevel=4)
    return clean


def _clean(value: Any) -> Any:
    """Return a copy in which every text is clean; what is neither text, mapping, list nor tuple is kept."""
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, Mapping):
        return {_clean(key): _clean(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return (list if isinstance(value, list) else tuple)(map(_clean, value))
    return value

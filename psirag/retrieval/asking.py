"""Checks of what is asked of an index: queries, sides, document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from psirag.checks import check_choice, check_count, check_texts
from psirag.corpus.chunks import Chunks
from psirag.errors import PsiragError

SIDES = ("tree", "flat", "sparse")


def check_queries(query: Any) -> tuple[str, ...]:
    """Return one query, or a sequence of them, as a tuple of texts that are not blank."""
    queries = check_texts("query", [query] if isinstance(query, str) or query is None else query)
    blank = [i for i, text in enumerate(queries) if not text.strip()]
    if blank:
        given = repr(query) if isinstance(query, str) else f"blank ones at positions {blank[:10]}"
        raise PsiragError("A query needs at least one character that is not a space", given, "Write a question.")
    return queries


def check_sides(sides: Any) -> tuple[str, ...]:
    """Return the sides as a tuple: at least one, known, each once."""
    if isinstance(sides, str) or not isinstance(sides, Sequence):
        remedy = 'Pass a tuple, such as ("tree", "sparse").'
        raise PsiragError("sides must be a sequence of names", f"{sides!r}, a {type(sides).__name__}", remedy)
    checked = tuple(check_choice("each of sides", side, SIDES) for side in sides)
    if not checked or len(set(checked)) < len(checked):
        raise PsiragError("sides must name one side or more, each once", repr(sides), f"Choose from {SIDES}.")
    return checked


def check_document(document: Any, chunks: Chunks) -> int:
    """Return the id of a document that has chunks."""
    number = check_count("document", document, minimum=0)
    if not np.any(chunks.document == number):
        known = f"from {chunks.document.min()} to {chunks.document.max()}"
        raise PsiragError("document must be the id of a document with chunks", str(number), f"Ids go {known}.")
    return number

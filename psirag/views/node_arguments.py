"""What a caller tells a view about nodes, checked: one text per node."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from psirag.checks import check_texts
from psirag.errors import PsiragError


def sized_texts(what: str, values: Sequence[str] | None, lengths: tuple[int, ...]) -> tuple[str, ...]:
    """Return texts of one of the right lengths; none when there are none."""
    listed = values if isinstance(values, (str, bytes)) or not isinstance(values, Iterable) else list(values)
    texts = () if listed is None else check_texts(what, listed)
    if not texts:
        return ()
    if len(texts) not in lengths:
        wanted = " or ".join(str(length) for length in dict.fromkeys(lengths))
        raise PsiragError(f"{what} must hold {wanted} texts", str(len(texts)), "Pass one per leaf.")
    return texts

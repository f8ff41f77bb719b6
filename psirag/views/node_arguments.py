"""What a caller tells a view about nodes, checked: masks over nodes, and one text per node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from psirag.checks import check_texts
from psirag.errors import PsiragError


def node_flags(what: str, nodes: Any, n_nodes: int) -> npt.NDArray[np.bool_]:
    """Return a mask over nodes, from a mask or from node numbers.

    Examples
    --------
    >>> node_flags("minor", [0, 2], 4).tolist()
    [True, False, True, False]
    """
    array = np.asarray(nodes)
    if array.dtype == np.bool_ and array.shape == (n_nodes,):
        return array
    flags = np.zeros(n_nodes, dtype=bool)
    if array.size == 0:
        return flags
    if array.ndim != 1 or array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= n_nodes:
        given = f"{nodes!r}"[:120]
        raise PsiragError(f"{what} must be node numbers below {n_nodes} or a mask", given, "Pass a list of integers.")
    flags[array] = True
    return flags


def sized_texts(what: str, values: Sequence[str] | None, lengths: tuple[int, ...]) -> tuple[str, ...]:
    """Return texts of one of the right lengths; none when there are none."""
    if values is None or len(values) == 0:
        return ()
    texts = check_texts(what, values if isinstance(values, (str, bytes)) else list(values))
    if len(texts) not in lengths:
        wanted = " or ".join(str(length) for length in dict.fromkeys(lengths))
        raise PsiragError(f"{what} must hold {wanted} texts", str(len(texts)), "Pass one per leaf.")
    return texts

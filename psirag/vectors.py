"""Vectors at the door: any finite rows in, unit float32 rows out."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from psirag.checks import first_few
from psirag.errors import PsiragError, PsiragWarning

Vectors = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

ROWS_AT_ONCE = 1024  # bounds the float64 copy, which stays in the cache
UNIT_TOLERANCE = 1e-5  # float32 rows this close to unit length are taken for unit rows


def unit_rows(vectors: npt.ArrayLike, *, what: str = "vectors") -> Vectors:
    """Scale every row to unit length, in float64, and round it once to float32.

    Parameters
    ----------
    vectors : array_like, shape (n, d), real
        Rows of any length; a zero row stays zero (its similarity to every row is 0) and is named in one warning.
    what : str
        What the caller calls the argument, for messages.

    Returns
    -------
    ndarray, shape (n, d), float32, read-only

    Raises
    ------
    PsiragError
        Not a 2-d array of real numbers, no column, or rows with NaN or infinity.

    Notes
    -----
    Rows are divided by their largest magnitude first, so neither tiny nor huge rows lose their direction.

    Source: Ψ-RAG §3.1 (similarity ranking).

    Examples
    --------
    >>> unit_rows([[3.0, 4.0], [0.0, 2.0]]).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 1.0]]
    """
    unit, zero = _scale(_as_matrix(vectors, what), what)
    if zero:
        message = f"{what}: {_rows(zero)} zero, so similar to nothing; kept, with similarity 0 to every row"
        warnings.warn(message, PsiragWarning, stacklevel=3)
    return unit


def keep_unit_rows(vectors: npt.ArrayLike, *, what: str = "vectors") -> Vectors:
    """Return unit rows as `unit_rows` does, but unit float32 rows bit for bit, and zero rows without a warning.

    For vectors that went through an encoder or a builder, which have told of zero rows.

    Examples
    --------
    >>> keep_unit_rows([[3.0, 4.0], [0.0, 0.0]]).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    rows = _as_matrix(vectors, what)
    if rows.dtype == np.float32 and not _wrong_rows(rows):
        kept = rows.copy() if rows.flags.writeable else rows.view()
        kept.flags.writeable = False
        return kept
    return _scale(rows, what)[0]


def check_unit_rows(rows: Any) -> None:
    """Raise where `rows` is no float32 array of unit or zero rows, which would be compared by more than direction.

    Examples
    --------
    >>> check_unit_rows(unit_rows([[3.0, 4.0]]))
    """
    given = f"a {type(rows).__name__}"
    if isinstance(rows, np.ndarray):
        given = f"an array of shape {rows.shape} and dtype {rows.dtype}"
        if rows.ndim == 2 and rows.dtype == np.float32 and rows.shape[1]:
            wrong = _wrong_rows(rows)
            given = f"{_rows(wrong)} of another length" if wrong else ""
    if given:
        raise PsiragError("rows must be float32 rows of unit length", given, "Pass psirag.vectors.unit_rows(rows).")


def _wrong_rows(rows: npt.NDArray[np.float32]) -> list[int]:
    """Return the positions of rows that are neither of unit length nor zero."""
    length = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    wrong = np.flatnonzero(~(np.abs(length - 1) < UNIT_TOLERANCE))
    return [int(row) for row in wrong if rows[row].any()]


def _scale(rows: npt.NDArray[Any], what: str) -> tuple[Vectors, list[int]]:
    """Return unit rows, read-only, and the positions of zero rows."""
    unit = np.empty(rows.shape, dtype=np.float32)
    broken: list[int] = []
    zero: list[int] = []
    for start in range(0, len(rows), ROWS_AT_ONCE):
        with np.errstate(over="ignore"):  # a wider float that becomes infinite is named below
            block = rows[start : start + ROWS_AT_ONCE].astype(np.float64)
        finite = np.isfinite(block).all(axis=1)
        broken += (start + np.flatnonzero(~finite)).tolist()
        largest = np.abs(block).max(axis=1, keepdims=True)
        zero += (start + np.flatnonzero(largest[:, 0] == 0)).tolist()
        with np.errstate(invalid="ignore"):
            block /= np.where(largest > 0, largest, 1.0)
            length = np.sqrt(np.einsum("ij,ij->i", block, block))
            unit[start : start + ROWS_AT_ONCE] = block / np.where(length > 0, length, 1.0)[:, None]
    if broken:
        raise PsiragError(f"{what} must be finite", f"NaN or infinity in {_rows(broken)}", "Drop or re-encode them.")
    unit.flags.writeable = False
    return unit, zero


def as_array(values: npt.ArrayLike) -> npt.NDArray[Any]:
    """Return an array; an empty one of objects for what numpy cannot take, or would take without its mask.

    Examples
    --------
    >>> as_array([[1.0, 2.0], [3.0]]).dtype
    dtype('O')
    """
    try:
        array = np.asarray(values)
    except (ValueError, TypeError, RuntimeError):  # ragged rows; tensors with a gradient, of bfloat16 or on a GPU
        return np.empty(0, dtype=object)
    return np.empty(0, dtype=object) if np.ma.is_masked(values) else array


def _as_matrix(vectors: npt.ArrayLike, what: str) -> npt.NDArray[Any]:
    """Return the rows as a real 2-d array with at least one column."""
    rows = as_array(vectors)
    if rows.ndim != 2 or rows.dtype.kind not in "fiu" or rows.shape[1] == 0:
        kind = type(vectors).__name__
        given = f"a {kind} that makes an array of shape {rows.shape} and dtype {rows.dtype}"
        given = f"an empty {kind}" if rows.shape == (0,) and rows.dtype != object else given
        remedy = "Pass one row per chunk: of an index, index.vectors[:index.tree.n_leaves]."
        raise PsiragError(f"{what} must be an (n, d) array of real numbers", given, remedy)
    return rows


def _rows(rows: list[int]) -> str:
    """Name rows."""
    return f"row{'s' if len(rows) > 1 else ''} {first_few(rows)}"

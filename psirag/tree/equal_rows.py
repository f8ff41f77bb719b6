"""Equal rows, found by a hash and then compared: a group of equal rows is a star around its first row."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from psirag.vectors import Ints, Vectors

_ROWS_AT_ONCE = 4096


def first_equal_rows(rows: Vectors) -> Ints:
    """Return, for each row, the first row that equals it; itself where there is none, and for a zero row.

    Parameters
    ----------
    rows : ndarray, shape (n, d), float32

    Returns
    -------
    ndarray, shape (n,), int64

    Examples
    --------
    >>> first_equal_rows(np.array([[1, 0], [0, 1], [1, -0.0], [0, 0], [0, 0]], dtype=np.float32)).tolist()
    [0, 1, 0, 3, 4]
    """
    first = _first_of_kind(_hashes(rows))
    equal = np.empty(len(rows), dtype=bool)
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        equal[part] = (rows[part] == rows[first[part]]).all(axis=1) & rows[part].any(axis=1)
    strangers = np.flatnonzero(~equal & rows.any(axis=1))  # another row has the same hash
    first[~equal] = np.flatnonzero(~equal)
    if len(strangers):
        first[strangers] = strangers[_first_of_kind(np.unique(rows[strangers], axis=0, return_inverse=True)[1])]
    return first


def _hashes(rows: Vectors) -> npt.NDArray[np.uint64]:
    """Return a 64-bit hash of each row, the same for 0 and −0."""
    weights = np.random.default_rng(0).integers(1, 2**64, rows.shape[1], dtype=np.uint64) | np.uint64(1)
    hashes = np.empty(len(rows), dtype=np.uint64)
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        bits = (rows[start : start + _ROWS_AT_ONCE] + np.float32(0)).view(np.uint32)
        hashes[start : start + _ROWS_AT_ONCE] = bits.astype(np.uint64) @ weights
    return hashes


def _first_of_kind(labels: npt.NDArray[np.generic]) -> Ints:
    """Return, for each label, the place of its first occurrence."""
    _, first, inverse = np.unique(labels.reshape(-1), return_index=True, return_inverse=True)
    return np.asarray(first[inverse.reshape(-1)], dtype=np.int64)

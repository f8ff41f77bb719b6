"""Similarities as integers: the total order of all pairs, free of floating-point accidents.

A similarity summed in floating point depends on the order of summation, hence on the BLAS, the block size and the
number of threads; its last bit would decide between near ties. So the order is defined on integers:

    key(i, j) = Σ_t rint(x_it · x_jt · 2^60),  and 2^62 when the two rows are equal and not zero.

The product of two float32 is exact in float64, scaling by 2^60 is exact, `rint` works on each element, and integer
addition is associative; so the key is the same however it is computed, and |key / 2^60 − x_i·x_j| ≤ d · 2^−61. Pairs
are visited by key descending, then min(i, j), then max(i, j) ascending.
"""

from __future__ import annotations

import numpy as np

from psirag.vectors import Floats, Ints, Vectors

SCALE = 2.0**60
EQUAL_ROWS = 2**62
_PRODUCTS_AT_ONCE = 2**18  # products held at a time, so that a block stays in the cache


def similarity_keys(rows: Vectors, u: Ints, v: Ints) -> Ints:
    """Return the integer similarity of each pair of rows.

    Parameters
    ----------
    rows : ndarray, shape (n, d), float32
        Unit or zero rows.
    u, v : ndarray, shape (p,), int64
        The pairs.

    Returns
    -------
    ndarray, shape (p,), int64

    Notes
    -----
    key(i, j) = Σ_t rint(x_it · x_jt · 2^60); 2^62 for equal rows; 0 for a zero row.

    Source: Ψ-RAG §3.1 (similarity ranking); the integer form is ours.

    Examples
    --------
    >>> rows = np.array([[1, 0], [0.5, 0.5], [1, 0]], dtype=np.float32)
    >>> (similarity_keys(rows, np.array([0, 0]), np.array([1, 2])) / 2.0**60).tolist()
    [0.5, 4.0]
    """
    keys = np.empty(len(u), dtype=np.int64)
    step = max(1, _PRODUCTS_AT_ONCE // (2 * rows.shape[1]))
    for start in range(0, len(u), step):
        pair = slice(start, start + step)
        left, right = rows[u[pair]], rows[v[pair]]
        products = np.multiply(left, SCALE, dtype=np.float64)
        products *= right
        keys[pair] = np.rint(products, out=products).astype(np.int64).sum(axis=1)
        suspect = np.flatnonzero(keys[pair] > EQUAL_ROWS // 8)  # equal unit rows have a similarity near 1
        equal = suspect[(left[suspect] == right[suspect]).all(axis=1)]
        keys[start + equal] = EQUAL_ROWS
    return keys


def similarities(keys: Ints) -> Floats:
    """Return keys as cosine similarities in [−1, 1]; 1 for equal rows.

    Examples
    --------
    >>> similarities(np.array([EQUAL_ROWS, 2**59])).tolist()
    [1.0, 0.5]
    """
    return np.clip(keys / SCALE, -1.0, 1.0)


def rank_pairs(u: Ints, v: Ints, keys: Ints) -> Ints:
    """Return the indices that put pairs with u < v in visiting order: key descending, then u, then v ascending.

    Examples
    --------
    >>> rank_pairs(np.array([1, 0, 0]), np.array([2, 1, 2]), np.array([5, 5, 9])).tolist()
    [2, 1, 0]
    """
    return np.lexsort((v, u, -keys))

"""unit_rows: any finite rows in, unit float32 rows out."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from psirag.errors import PsiragError, PsiragWarning
from psirag.vectors import ROWS_AT_ONCE, unit_rows


@given(hnp.arrays(float, st.tuples(st.integers(1, 8), st.integers(1, 6)), elements=st.floats(-1e300, 1e300)))
def test_rows_have_unit_length_and_their_direction(vectors):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PsiragWarning)
        unit = unit_rows(vectors)
    length = np.linalg.norm(unit.astype(float), axis=1)
    zero = ~vectors.any(axis=1)
    assert np.allclose(length[~zero], 1, atol=1e-6)
    assert not unit[zero].any()
    assert np.array_equal(np.sign(unit[np.abs(unit) > 0]), np.sign(vectors[np.abs(unit) > 0]))


def test_a_length_that_is_a_power_of_two_changes_no_bit():
    rows = np.random.default_rng(0).normal(size=(50, 7))
    assert np.array_equal(unit_rows(rows), unit_rows(rows * 2.0**-40))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint8", "int64"])
def test_any_real_dtype_is_taken(dtype):
    unit = unit_rows(np.array([[3, 4], [0, 5]], dtype=dtype))
    assert unit.dtype == np.float32
    assert np.allclose(unit, [[0.6, 0.8], [0, 1]])
    assert not unit.flags.writeable


def test_many_rows_are_taken_in_blocks():
    rows = np.random.default_rng(1).normal(size=(ROWS_AT_ONCE + 3, 2))
    assert np.array_equal(unit_rows(rows)[-5:], unit_rows(rows[-5:]))


def test_rows_that_are_not_finite_are_named():
    rows = np.ones((20, 2))
    rows[3, 1], rows[5, 0] = np.nan, np.inf
    with pytest.raises(PsiragError, match="embeddings must be finite, but got NaN or infinity in rows 3, 5"):
        unit_rows(rows, what="embeddings")
    rows[:] = np.nan
    with pytest.raises(PsiragError, match=r"9 … \(20 in all\)"):
        unit_rows(rows)


def test_zero_rows_stay_and_are_named_in_one_warning():
    with pytest.warns(PsiragWarning, match="row 1 zero") as caught:
        unit = unit_rows([[1, 0], [0, 0], [0, 2]])
    assert len(caught) == 1
    assert unit.tolist() == [[1, 0], [0, 0], [0, 1]]


@pytest.mark.parametrize(
    "vectors",
    [[1.0, 2.0], [[[1.0]]], [["a"]], [[1j]], [[1, 2], [3]], None, [[]], np.ones((2, 2), dtype=object), [[True]]],
)
def test_what_is_no_matrix_of_numbers_is_refused(vectors):
    with pytest.raises(PsiragError, match="array of real numbers"):
        unit_rows(vectors)


def test_nothing_at_all_is_called_empty():
    with pytest.raises(PsiragError, match=r"but got an empty list.*index\.vectors\[:index\.tree\.n_leaves\]"):
        unit_rows([])


def test_no_rows_are_no_rows():
    assert unit_rows(np.empty((0, 3))).shape == (0, 3)

"""Vectors that trees are tried on: with and without ties, duplicates, zero rows, clumps."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st


@st.composite
def distinct_vectors(draw: st.DrawFn, max_rows: int = 40) -> np.ndarray:
    """Random directions: no ties, as real embeddings."""
    n = draw(st.integers(1, max_rows))
    d = draw(st.integers(2, 12))
    return np.random.default_rng(draw(st.integers(0, 2**32 - 1))).normal(size=(n, d))


@st.composite
def tied_vectors(draw: st.DrawFn, max_rows: int = 24) -> np.ndarray:
    """Small integer coordinates: many equal rows, equal directions and equal similarities, and zero rows."""
    n = draw(st.integers(1, max_rows))
    d = draw(st.integers(1, 4))
    largest = draw(st.integers(1, 2))
    cell = st.integers(-largest, largest)
    return np.array(draw(st.lists(st.lists(cell, min_size=d, max_size=d), min_size=n, max_size=n)), dtype=float)


@st.composite
def clumped_vectors(draw: st.DrawFn, max_rows: int = 30) -> np.ndarray:
    """Near-duplicates around a few directions, closer together than float32 can tell."""
    n = draw(st.integers(1, max_rows))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    centres = rng.normal(size=(draw(st.integers(1, 4)), 6))
    return centres[rng.integers(0, len(centres), n)] + 10.0 ** -draw(st.integers(5, 9)) * rng.normal(size=(n, 6))


any_vectors = st.one_of(distinct_vectors(), tied_vectors(), clumped_vectors())

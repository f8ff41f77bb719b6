"""Equal rows: found whatever the hash does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from psirag.tree import equal_rows
from psirag.tree.equal_rows import first_equal_rows

few_rows = st.lists(st.tuples(*[st.sampled_from([0.0, -0.0, 0.5, 1.0])] * 2), min_size=1, max_size=12)


def by_hand(rows):
    """The first row that equals each row, by comparing all pairs."""
    return [
        next((j for j in range(i) if rows[j].any() and np.array_equal(rows[i], rows[j])), i) for i in range(len(rows))
    ]


@pytest.mark.oracle
@given(few_rows)
def test_each_row_finds_the_first_that_equals_it(drawn):
    rows = np.array(drawn, dtype=np.float32)
    assert first_equal_rows(rows).tolist() == by_hand(rows)


@pytest.mark.oracle
@given(few_rows)
def test_also_when_all_rows_have_one_hash(drawn):
    rows = np.array(drawn, dtype=np.float32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(equal_rows, "_hashes", lambda rows: np.zeros(len(rows), dtype=np.uint64))
        assert first_equal_rows(rows).tolist() == by_hand(rows)


def test_rows_are_looked_at_in_parts(monkeypatch):
    rows = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)[np.random.default_rng(1).integers(0, 5, 40)]
    monkeypatch.setattr(equal_rows, "_ROWS_AT_ONCE", 7)
    assert first_equal_rows(rows).tolist() == by_hand(rows)

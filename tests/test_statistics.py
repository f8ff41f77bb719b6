"""Intervals and the sign test against scipy and hand arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

from psirag.errors import PsiragError
from psirag.evaluation import bootstrap_interval, paired_interval, sign_test


@pytest.mark.oracle
def test_the_interval_is_near_scipy_s():
    from scipy.stats import bootstrap

    values = np.random.default_rng(1).random(60)
    expected = bootstrap((values,), np.mean, method="percentile", rng=np.random.default_rng(2)).confidence_interval
    found = bootstrap_interval(values)
    assert found.mean == pytest.approx(values.mean())
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.01)


def test_the_seed_decides():
    values = np.arange(9.0)
    assert bootstrap_interval(values) == bootstrap_interval(values)
    assert bootstrap_interval(values) != bootstrap_interval(values, seed=1)


def test_one_value_has_no_interval_and_equal_values_one_without_width():
    one = bootstrap_interval([0.5])
    assert (one.mean, np.isnan(one.low), np.isnan(one.high)) == (0.5, True, True)
    assert np.isnan(paired_interval([1], [0])[1:]).all()
    assert bootstrap_interval([0.5, 0.5]) == (0.5, 0.5, 0.5)


def test_a_paired_interval_is_that_of_the_differences():
    first, second = np.array([1.0, 0.0, 1.0, 1.0]), np.array([0.0, 0.0, 1.0, 0.0])
    assert paired_interval(first, second) == bootstrap_interval([1.0, 0.0, 0.0, 1.0])


@pytest.mark.oracle
def test_sign_test_by_hand():
    assert sign_test([1, 1, 1, 0], [0, 0, 0, 0]) == pytest.approx(2 * (1 / 2) ** 3)
    assert sign_test([1, 0, 1], [0, 1, 1]) == 1.0
    assert sign_test([1, 1], [1, 1]) == 1.0


@pytest.mark.parametrize("values", [[], [[1.0]], [np.nan]])
def test_what_has_no_mean_is_refused(values):
    with pytest.raises(PsiragError, match="one finite figure"):
        bootstrap_interval(values)


def test_other_questions_are_refused():
    with pytest.raises(PsiragError, match="same questions"):
        paired_interval([1, 0], [1])
    with pytest.raises(PsiragError, match="same questions"):
        sign_test([1, 0], [1])

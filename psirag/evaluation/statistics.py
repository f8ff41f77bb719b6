"""How sure a mean, or the difference between two systems on the same questions, is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from psirag.errors import PsiragError
from psirag.vectors import Floats

RESAMPLES = 2000
LEVEL = 0.95


class Interval(NamedTuple):
    """A mean with the interval around it."""

    mean: float
    low: float
    high: float


NO_INTERVAL = Interval(math.nan, math.nan, math.nan)


def bootstrap_interval(values: npt.ArrayLike, *, seed: int = 0) -> Interval:
    """The mean and its 95 % percentile bootstrap interval, from 2,000 resamples.

    Parameters
    ----------
    values : array_like, shape (n,)
        One figure a question.
    seed : int
        Of the resampling.

    Returns
    -------
    Interval
        Its ends are NaN for one value, and both the mean for equal values.

    Raises
    ------
    PsiragError
        For no values, or values that are not finite.

    Notes
    -----
    Source: Efron (1979), doi:10.1214/aos/1176344552.

    Examples
    --------
    >>> bootstrap_interval([1.0, 1.0, 1.0])
    Interval(mean=1.0, low=1.0, high=1.0)
    >>> bootstrap_interval([1.0])
    Interval(mean=1.0, low=nan, high=nan)
    """
    row = np.asarray(values, dtype=np.float64)
    if row.ndim != 1 or row.size == 0 or not np.isfinite(row).all():
        given = f"shape {row.shape}" if row.ndim != 1 or row.size == 0 else "values that are not finite"
        raise PsiragError("bootstrap_interval needs one finite figure a question", given, "Leave out what has none.")
    if row.size == 1:
        return Interval(float(row.item()), math.nan, math.nan)
    drawn = np.random.default_rng(seed).integers(row.size, size=(RESAMPLES, row.size))
    low, high = np.quantile(row[drawn].mean(axis=1), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(row.mean()), float(low), float(high))


def paired_interval(first: npt.ArrayLike, second: npt.ArrayLike, *, seed: int = 0) -> Interval:
    """The mean of first − second on the same questions, and its 95 % bootstrap interval.

    Raises
    ------
    PsiragError
        For two rows of different lengths, or what `bootstrap_interval` refuses.

    Notes
    -----
    Source: Efron (1979), doi:10.1214/aos/1176344552.

    Examples
    --------
    >>> paired_interval([1, 1], [0, 0]).mean
    1.0
    """
    return bootstrap_interval(_differences(first, second), seed=seed)


def sign_test(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """The two-sided p-value of the paired sign test: how often each is the larger, ties left out.

    Raises
    ------
    PsiragError
        For two rows of different lengths.

    Notes
    -----
    Source: Conover, Practical Nonparametric Statistics, §3.4.

    Examples
    --------
    >>> sign_test([1, 1, 1, 1, 1], [0, 0, 0, 0, 0])
    0.0625
    """
    from scipy.stats import binomtest

    differences = _differences(first, second)
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    return float(binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0


def _differences(first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
    """Return first − second, question by question."""
    rows: Sequence[Floats] = [np.asarray(row, dtype=np.float64) for row in (first, second)]
    if rows[0].shape != rows[1].shape:
        given = f"shapes {rows[0].shape} and {rows[1].shape}"
        raise PsiragError("a paired comparison needs the same questions twice", given, "Pass one figure a question.")
    return rows[0] - rows[1]

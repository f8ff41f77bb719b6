"""Two systems on the same questions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from psirag.evaluation.statistics import NO_INTERVAL, Interval, paired_interval, sign_test


class Comparison(NamedTuple):
    """Two systems on the questions that both have a figure for: mean of first − second, and the sign test's p."""

    metric: str
    n: int
    difference: Interval
    p: float


def compared(metric: str, first: Mapping[str, float], second: Mapping[str, float], *, seed: int) -> Comparison:
    """Compare figures by question, on the questions of both; all is NaN where there is none.

    Examples
    --------
    >>> compared("em", {"a": 1.0, "b": 0.0}, {"b": 0.0, "c": 1.0}, seed=0).n
    1
    """
    shared = [question for question in first if question in second]
    if not shared:
        return Comparison(metric, 0, NO_INTERVAL, math.nan)
    pair = [first[question] for question in shared], [second[question] for question in shared]
    return Comparison(metric, len(shared), paired_interval(*pair, seed=seed), sign_test(*pair))

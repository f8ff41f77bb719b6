"""Rows of the tables of an evaluation: counts, means and intervals of outcomes, as numbers and in words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from psirag.evaluation.outcome import Outcome
from psirag.evaluation.statistics import NO_INTERVAL, bootstrap_interval
from psirag.vectors import Floats

if TYPE_CHECKING:
    from pandas import DataFrame


def means_of(outcomes: Collection[Outcome], metrics: Sequence[str], *, seed: int, counts: bool) -> dict[str, float]:
    """Mean and interval of every measure; NaN where no outcome has it."""
    row: dict[str, float] = {}
    for metric in metrics:
        values = [figures[metric] for figures in map(figures_of, outcomes) if metric in figures]
        interval = bootstrap_interval(values, seed=seed) if values else NO_INTERVAL
        row |= {metric: interval.mean, f"{metric} low": interval.low, f"{metric} high": interval.high}
        row |= {f"{metric} n": len(values)} if counts else {}
    return row


def figures_of(outcome: Outcome) -> dict[str, float]:
    """All measures of one outcome."""
    return {**outcome.figures, **outcome.seconds}


def in_words(numbers: Floats) -> list[str]:
    """Mean and interval of each row as text; all with two decimals, with one where a number passes 10, or none, 100."""
    decimals = 2 - (np.nanmax(np.abs(numbers)) >= 10) - (np.nanmax(np.abs(numbers)) >= 100)
    rows = ([f"{number:.{decimals}f}" for number in row] for row in numbers)
    return ["–" if mean == "nan" else mean if low == "nan" else f"{mean} ({low}–{high})" for mean, low, high in rows]


def with_whole_hops(frame: DataFrame) -> DataFrame:
    """The same table with hops as integers, missing ones included."""
    return frame.astype({"hops": "Int64"}) if "hops" in frame else frame


def counts_of(outcomes: Collection[Outcome]) -> dict[str, int]:
    """Questions, those that failed, and those that were answerable and had no gold."""
    kept = [each for each in outcomes if each.status != "failed"]
    bare = sum(each.answerable and not any(name.startswith("recall@") for name in each.figures) for each in kept)
    return {"questions": len(outcomes), "failed": len(outcomes) - len(kept), "without_gold": bare}

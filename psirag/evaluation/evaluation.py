"""What an evaluation found: an outcome for every system and question, and the tables made of them."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from psirag.checks import check_choice
from psirag.corpus.documents import Record, read_only
from psirag.errors import PsiragError
from psirag.evaluation.outcome import BY_DEPTH, COSTS, OF_ANSWERS, SECONDS, Outcome
from psirag.evaluation.statistics import Interval, bootstrap_interval, paired_interval, sign_test
from psirag.optional import needed
from psirag.vectors import Floats

if TYPE_CHECKING:
    from pandas import DataFrame

GROUPS = ("kind", "hops", "answerable")


class Comparison(NamedTuple):
    """Two systems on the questions that both have a figure for: mean of first − second, and the sign test's p."""

    metric: str
    n: int
    difference: Interval
    p: float


@dataclass(frozen=True, repr=False)
class Evaluation(Record):
    """Every system on every question; `evaluate` makes it, `Evaluation.load` reads it.

    Parameters
    ----------
    systems : mapping of str to str
        For each system "", or why it was not run.
    outcomes : tuple of Outcome
        System by system, in the order of the questions.
    k : tuple of int
        Depths of recall and answer presence.
    seed : int
        Of the resampling behind the intervals.
    manifest : mapping
        What is needed to repeat it: versions, seed, the systems' settings, a checksum of the questions.
    date : str
        When it was made; two evaluations that differ only in date and seconds are equal.

    Notes
    -----
    Source: Ψ-RAG §5.1, Tables 2 and 3; Efron (1979), doi:10.1214/aos/1176344552, for the intervals.
    """

    systems: Mapping[str, str]
    outcomes: tuple[Outcome, ...]
    k: tuple[int, ...]
    seed: int = 0
    manifest: Mapping[str, Any] = field(default_factory=dict, hash=False)
    date: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        for name in ("systems", "manifest"):
            object.__setattr__(self, name, read_only(f"Evaluation.{name}", getattr(self, name)))

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of all measures, in the order of the columns."""
        by_depth = (f"{name}@{k}" for name in BY_DEPTH for k in self.k)
        return (*by_depth, *OF_ANSWERS, *COSTS, *SECONDS)

    def questions(self) -> DataFrame:
        """One row a system and question: what it said, and every measure, NaN where it does not apply.

        Notes
        -----
        Source: ours.
        """
        pandas = needed("pandas", "evaluation", what="A table")
        columns = ("system", "question", *GROUPS, "status", "text", "error")
        rows = [{name: getattr(each, name) for name in columns} | _figures(each) for each in self.outcomes]
        return _with_whole_hops(pandas.DataFrame(rows, columns=[*columns, *self.metrics]))

    def table(self, metrics: Sequence[str] | None = None) -> DataFrame:
        """One row a system: counts, and for each measure its mean and the ends of its 95 % interval.

        Parameters
        ----------
        metrics : sequence of str, optional
            Some of `.metrics`; None takes all.

        Returns
        -------
        DataFrame
            Columns `system`, `note` ("not run: needs …"), `questions`, `failed` (left out of every mean),
            `without_gold` (left out of recall), then `recall@2`, `recall@2 low`, `recall@2 high`, …; NaN where no
            question has the measure.

        Raises
        ------
        PsiragError
            An unknown measure, or no pandas.

        Notes
        -----
        Source: Ψ-RAG Tables 2, 3 and 8.
        """
        return self._table([({}, self.outcomes)], metrics)

    def summary(self, metrics: Sequence[str] | None = None) -> DataFrame:
        """One row a system for a slide: each measure in one column of text, "0.75 (0.70–0.80)".

        Parameters
        ----------
        metrics : sequence of str, optional
            Some of `.metrics`; None takes all. Those that no system has are left out.

        Returns
        -------
        DataFrame
            Columns `system`, `note` if a system was not run, then the measures; "–" where a system has none.

        Raises
        ------
        PsiragError
            An unknown measure, or no pandas.

        Notes
        -----
        Source: Ψ-RAG Tables 2, 3 and 8; the interval beside the mean is ours.
        """
        table = self.table(metrics)
        shown = table[["system", "note"] if table["note"].any() else ["system"]].copy()
        for metric in self.metrics if metrics is None else metrics:
            numbers = table[[metric, f"{metric} low", f"{metric} high"]].to_numpy()
            if np.isfinite(numbers).any():
                shown[metric] = _in_words(numbers)
        return shown

    def by(self, column: str, metrics: Sequence[str] | None = None) -> DataFrame:
        """The table for each value of "kind", "hops" or "answerable", which is its first column.

        Raises
        ------
        PsiragError
            Another column, an unknown measure, or no pandas.

        Notes
        -----
        Source: Ψ-RAG §D.4 (query complexity).
        """
        check_choice("column", column, GROUPS)
        kept = {getattr(each, column) for each in self.outcomes}
        values = sorted(kept, key=lambda value: (value is None, 0 if value is None else value))
        parts = [({column: v}, [each for each in self.outcomes if getattr(each, column) == v]) for v in values]
        return self._table(parts, metrics)

    def compare(self, first: str, second: str, metric: str) -> Comparison:
        """Compare two systems on the questions that both have the measure for.

        Parameters
        ----------
        first, second : str
            Names of systems.
        metric : str
            One of `.metrics`.

        Returns
        -------
        Comparison
            `n` questions, the mean of first − second with its paired bootstrap interval, and `p` of the sign test.

        Raises
        ------
        PsiragError
            An unknown name, or no question that both have the measure for.

        Notes
        -----
        Source: Efron (1979), doi:10.1214/aos/1176344552; Conover, Practical Nonparametric Statistics, §3.4.
        """
        check_choice("metric", metric, self.metrics)
        a, b = (
            self._by_question(check_choice("system", name, tuple(self.systems)), metric) for name in (first, second)
        )
        shared = [question for question in a if question in b]
        if not shared:
            given = f"none with {metric} for {first!r} and {second!r}"
            raise PsiragError("A comparison needs questions that both systems have", given, "Choose another measure.")
        pair = [a[question] for question in shared], [b[question] for question in shared]
        return Comparison(metric, len(shared), paired_interval(*pair, seed=self.seed), sign_test(*pair))

    def save(self, folder: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write a folder: a manifest, the outcomes, and apart from them what differs from run to run.

        Parameters
        ----------
        folder : path
            A new or empty folder, or with `overwrite` a saved evaluation, which is replaced whole.
        overwrite : bool

        Raises
        ------
        PsiragError
            Something else is there already.

        Notes
        -----
        Source: ours; see `psirag.storage`.
        """
        from psirag.evaluation.saving import save_evaluation

        save_evaluation(self, folder, overwrite=overwrite)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Evaluation:
        """Read a saved evaluation; every file is checked against its SHA-256.

        Raises
        ------
        PsiragError
            No saved evaluation, or a file that is missing, truncated or altered, by name.

        Notes
        -----
        Source: ours; see `psirag.storage`.
        """
        from psirag.evaluation.saving import load_evaluation

        return load_evaluation(folder)

    def _by_question(self, system: str, metric: str) -> dict[str, float]:
        """One measure of one system, by question."""
        figures = {each.question: _figures(each) for each in self.outcomes if each.system == system}
        return {question: some[metric] for question, some in figures.items() if metric in some}

    def _table(self, parts: Sequence[tuple[dict[str, Any], Collection[Outcome]]], metrics: Any) -> DataFrame:
        """One row a part and system."""
        pandas = needed("pandas", "evaluation", what="A table")
        if isinstance(metrics, str):
            raise PsiragError("metrics must be a sequence of names", repr(metrics), f"Pass [{metrics!r}].")
        chosen = self.metrics if metrics is None else [check_choice("metric", name, self.metrics) for name in metrics]
        rows = []
        for part, outcomes in parts:
            for system, note in self.systems.items():
                own = [each for each in outcomes if each.system == system]
                if own or not part:
                    rows.append({**part, "system": system, "note": note, **_counts(own), **self._means(own, chosen)})
        return _with_whole_hops(pandas.DataFrame(rows))

    def _means(self, outcomes: Collection[Outcome], metrics: Sequence[str]) -> dict[str, float]:
        """Mean and interval of every measure; NaN where no outcome has it."""
        row: dict[str, float] = {}
        for metric in metrics:
            values = [figures[metric] for figures in map(_figures, outcomes) if metric in figures]
            interval = bootstrap_interval(values, seed=self.seed) if values else Interval(*[float("nan")] * 3)
            row |= {metric: interval.mean, f"{metric} low": interval.low, f"{metric} high": interval.high}
        return row

    def __repr__(self) -> str:
        """Return the sizes."""
        asked = len({each.question for each in self.outcomes})
        not_run = [f"{name} {note}" for name, note in self.systems.items() if note]
        return "; ".join([f"Evaluation({len(self.systems)} systems, {asked} questions, k={self.k})", *not_run])


def _figures(outcome: Outcome) -> dict[str, float]:
    """All measures of one outcome."""
    return {**outcome.figures, **outcome.seconds}


def _in_words(numbers: Floats) -> list[str]:
    """Mean and interval of each row as text; all with two decimals, with one where a number passes 10, or none, 100."""
    decimals = 2 - (np.nanmax(np.abs(numbers)) >= 10) - (np.nanmax(np.abs(numbers)) >= 100)
    rows = ([f"{number:.{decimals}f}" for number in row] for row in numbers)
    return ["–" if mean == "nan" else f"{mean} ({low}–{high})" for mean, low, high in rows]


def _with_whole_hops(frame: DataFrame) -> DataFrame:
    """The same table with hops as integers, missing ones included."""
    return frame.astype({"hops": "Int64"}) if "hops" in frame else frame


def _counts(outcomes: Collection[Outcome]) -> dict[str, int]:
    """Questions, those that failed, and those that were answerable and had no gold."""
    kept = [each for each in outcomes if each.status != "failed"]
    bare = sum(each.answerable and not any(name.startswith("recall@") for name in each.figures) for each in kept)
    return {"questions": len(outcomes), "failed": len(outcomes) - len(kept), "without_gold": bare}

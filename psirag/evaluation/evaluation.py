"""What an evaluation found: an outcome for every system and question, and the tables made of them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from psirag.checks import check_choice, first_few
from psirag.corpus.documents import Record, read_only
from psirag.errors import PsiragError
from psirag.evaluation.comparison import Comparison, compared
from psirag.evaluation.outcome import BY_DEPTH, COSTS, OF_ANSWERS, SECONDS, Outcome
from psirag.evaluation.rows import counts_of, figures_of, in_words, means_of, with_whole_hops
from psirag.optional import needed

if TYPE_CHECKING:
    from pandas import DataFrame

GROUPS = ("kind", "hops", "answerable")


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

    Raises
    ------
    PsiragError
        Two outcomes of one system on one question.

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
        pairs = Counter((each.system, each.question) for each in self.outcomes)
        repeated = [f"{system!r} on {question!r}" for (system, question), times in pairs.items() if times > 1]
        if repeated:
            asked, remedy = "An evaluation needs one outcome a system and question", "Rename the systems."
            raise PsiragError(asked, f"several for {first_few(repeated)}", remedy)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of all measures, in the order of the columns."""
        by_depth = (f"{name}@{k}" for name in BY_DEPTH for k in self.k)
        return (*by_depth, *OF_ANSWERS, *COSTS, *SECONDS)

    def questions(self) -> DataFrame:
        """One row a system and question: what was asked and said, gold answers, every measure, NaN where it has none.

        Notes
        -----
        Source: ours.
        """
        pandas = needed("pandas", "evaluation", what="A table")
        columns = ("system", "question", "asked", "answers", *GROUPS, "status", "text", "error")
        rows = [{name: getattr(each, name) for name in columns} | figures_of(each) for each in self.outcomes]
        return with_whole_hops(pandas.DataFrame(rows, columns=[*columns, *self.metrics]))

    def table(self, metrics: Sequence[str] | None = None, *, counts: bool = False) -> DataFrame:
        """One row a system: counts, and for each measure its mean and the ends of its 95 % interval.

        Parameters
        ----------
        metrics : sequence of str, optional
            Some of `.metrics`; None takes all.
        counts : bool
            Add a column `recall@2 n`, …: over how many questions the mean was taken.

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
        Of one question there is no interval: its ends are NaN. Of equal values it has no width, however few they are;
        that is no certainty, as no resample can hold what no question has shown.

        Source: Ψ-RAG Tables 2, 3 and 8.
        """
        return self._table([({}, self.outcomes)], self._chosen(metrics), counts=counts)

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
                shown[metric] = in_words(numbers)
        return shown

    def by(self, column: str, metrics: Sequence[str] | None = None, *, counts: bool = False) -> DataFrame:
        """The table for each value of "kind", "hops" or "answerable", which is its first column.

        A value is left out where none of the measures applies to any of its questions, and none of them failed; where
        none applies to any question at all, every value is there.

        Raises
        ------
        PsiragError
            Another column, an unknown measure, or no pandas.

        Notes
        -----
        Source: Ψ-RAG §D.4 (query complexity).
        """
        check_choice("column", column, GROUPS)
        chosen = self._chosen(metrics)
        measured = [each for each in self.outcomes if {*figures_of(each)} & {*chosen}]
        failed = [each for each in self.outcomes if each.status == "failed"]
        kept = {getattr(each, column) for each in ([*measured, *failed] if measured else self.outcomes)}
        values = sorted(kept, key=lambda value: (value is None, 0 if value is None else value))
        parts = [({column: v}, [each for each in self.outcomes if getattr(each, column) == v]) for v in values]
        return self._table(parts, chosen, counts=counts)

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
        found = self._compared(first, second, metric)
        if not found.n:
            given = f"none with {metric} for {first!r} and {second!r}"
            raise PsiragError("A comparison needs questions that both systems have", given, "Choose another measure.")
        return found

    def against(self, baseline: str, metric: str) -> DataFrame:
        """Compare every other system with one of them: a `compare` a row.

        Parameters
        ----------
        baseline : str
            Name of a system.
        metric : str
            One of `.metrics`.

        Returns
        -------
        DataFrame
            Columns `system`, `n` (questions that both have the measure for), `difference` (system − baseline),
            `difference low`, `difference high`, `p`; NaN where n is 0. The p of one row knows nothing of the others.

        Raises
        ------
        PsiragError
            An unknown name, or no pandas.

        Notes
        -----
        Source: Efron (1979), doi:10.1214/aos/1176344552; Conover, Practical Nonparametric Statistics, §3.4.
        """
        pandas = needed("pandas", "evaluation", what="A table")
        check_choice("system", baseline, tuple(self.systems))
        check_choice("metric", metric, self.metrics)
        others = [name for name in self.systems if name != baseline]
        found = [self._compared(name, baseline, metric) for name in others]
        columns = ("system", "n", "difference", "difference low", "difference high", "p")
        rows = [(name, each.n, *each.difference, each.p) for name, each in zip(others, found, strict=True)]
        return pandas.DataFrame(rows, columns=columns)

    @classmethod
    def joined(cls, first: Evaluation, second: Evaluation) -> Evaluation:
        """Return the systems of two evaluations of the same questions side by side.

        Parameters
        ----------
        first, second : Evaluation
            With the same questions, k and seed, and of other systems.

        Returns
        -------
        Evaluation
            Its manifest is that of the first, with the settings of all systems; `manifest["joined"]` lists what the
            manifest of the second says otherwise, such as versions.

        Raises
        ------
        PsiragError
            Other questions, k or seed, or a system that both have.

        Notes
        -----
        Source: ours.
        """
        from psirag.evaluation.joining import join

        return join(first, second)

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

    def _compared(self, first: str, second: str, metric: str) -> Comparison:
        """Two systems by one measure."""
        check_choice("metric", metric, self.metrics)
        names = (check_choice("system", name, tuple(self.systems)) for name in (first, second))
        return compared(metric, *(self._by_question(name, metric) for name in names), seed=self.seed)

    def _by_question(self, system: str, metric: str) -> dict[str, float]:
        """One measure of one system, by question."""
        figures = {each.question: figures_of(each) for each in self.outcomes if each.system == system}
        return {question: some[metric] for question, some in figures.items() if metric in some}

    def _chosen(self, metrics: Sequence[str] | None) -> tuple[str, ...]:
        """The measures asked for."""
        if isinstance(metrics, str):
            raise PsiragError("metrics must be a sequence of names", repr(metrics), f"Pass [{metrics!r}].")
        if metrics is None:
            return self.metrics
        return tuple(check_choice("metric", name, self.metrics) for name in metrics)

    def _table(
        self, parts: Sequence[tuple[dict[str, Any], Collection[Outcome]]], metrics: Sequence[str], *, counts: bool
    ) -> DataFrame:
        """One row a part and system."""
        pandas = needed("pandas", "evaluation", what="A table")
        rows = []
        for part, outcomes in parts:
            for system, note in self.systems.items():
                own = [each for each in outcomes if each.system == system]
                if own or not part:
                    means = means_of(own, metrics, seed=self.seed, counts=counts)
                    rows.append({**part, "system": system, "note": note, **counts_of(own), **means})
        return with_whole_hops(pandas.DataFrame(rows))

    def __repr__(self) -> str:
        """Return the sizes."""
        asked = len({each.question for each in self.outcomes})
        not_run = [f"{name} {note}" for name, note in self.systems.items() if note]
        return "; ".join([f"Evaluation({len(self.systems)} systems, {asked} questions, k={self.k})", *not_run])

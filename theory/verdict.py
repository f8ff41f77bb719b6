"""What a check found out about one statement, and the tally that a check keeps while it tries cases."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

Outcome = Literal["holds", "holds with a further hypothesis", "false as stated"]
Size = Literal["small", "default", "large"]

HOLDS: Outcome = "holds"
FURTHER: Outcome = "holds with a further hypothesis"
FALSE: Outcome = "false as stated"


@dataclass(frozen=True)
class Verdict:
    """One statement, what is on record about it, and what the cases of this run say.

    ``margin`` is the worst one seen: for an equation the largest |left − right|, for an inequality the smallest
    slack (below zero: violated); None where the statement is neither. ``counterexample`` is the smallest one
    tried to the statement *as stated*, or "".

    Source: house rules of this project; the statements carry their own.

    Examples
    --------
    >>> Verdict("1 + 1 = 2", "arithmetic", HOLDS, HOLDS, cases=1, margin=0).holds
    True
    """

    statement: str
    source: str
    recorded: Outcome
    found: Outcome
    cases: int
    margin: int | Fraction | float | None = None
    counterexample: str = ""
    note: str = ""

    @property
    def holds(self) -> bool:
        """Whether no case contradicted the statement as stated."""
        return self.found == HOLDS

    @property
    def changed(self) -> bool:
        """Whether this run disagrees with the record."""
        return self.found != self.recorded


class Tally:
    """Cases tried for one statement; the only mutable thing here, local to one check.

    ``allowed=False`` marks a case that the further hypothesis leaves out: it can refute the statement as stated,
    not the statement with the hypothesis.

    Source: house rules of this project.

    Examples
    --------
    >>> tally = Tally("n is even", "none", FALSE)
    >>> for n in (4, 2, 3):
    ...     tally.claim(n, f"n = {n}", n % 2 == 0)
    >>> tally.verdict().found, tally.verdict().counterexample
    ('false as stated', 'n = 3')
    """

    def __init__(self, statement: str, source: str, recorded: Outcome, note: str = "") -> None:
        self.statement, self.source, self.recorded, self.note = statement, source, recorded, note
        self.cases = 0
        self.margin: int | Fraction | float | None = None
        self.smallest: tuple[int, Any] | None = None
        self.fails_under_hypothesis = False
        self.excluded_some = False

    def claim(self, size: int, case: Any, holds: bool, *, allowed: bool = True) -> None:
        """Count one case; ``case`` (made text at the end) is kept when it fails and no smaller one has."""
        self.count(1)
        self.excluded_some = self.excluded_some or not allowed
        if not holds:
            self.fails_under_hypothesis = self.fails_under_hypothesis or allowed
            if self.smallest is None or size < self.smallest[0]:
                self.smallest = (size, case)

    def equal(self, size: int, case: Any, left: Any, right: Any, *, allowed: bool = True, within: float = 0) -> None:
        """Count one case of an equation; ``within`` is 0 for exact arithmetic."""
        gap = abs(left - right)
        self.margin = gap if self.margin is None else max(self.margin, gap)
        self.claim(size, case, bool(gap <= within), allowed=allowed)

    def at_least(self, size: int, case: Any, slack: Any, *, strict: bool = False, allowed: bool = True) -> None:
        """Count one case of an inequality: slack ≥ 0, or > 0 when strict."""
        self.margin = slack if self.margin is None else min(self.margin, slack)
        self.claim(size, case, bool(slack > 0 if strict else slack >= 0), allowed=allowed)

    def count(self, cases: int) -> None:
        """Add cases that were compared elsewhere (in bulk, by numpy) and agreed."""
        self.cases += cases

    def verdict(self) -> Verdict:
        """Return the frozen result."""
        found = HOLDS
        if self.smallest is not None:
            found = FURTHER if self.excluded_some and not self.fails_under_hypothesis else FALSE
        counterexample = "" if self.smallest is None else str(self.smallest[1])
        return Verdict(
            self.statement, self.source, self.recorded, found, self.cases, self.margin, counterexample, self.note
        )


def scaled(size: Size, cases: int) -> int:
    """Return the number of random cases for a size: a tenth, as given, or ten times as many."""
    return {"small": max(1, cases // 10), "default": cases, "large": 10 * cases}[size]

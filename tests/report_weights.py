"""Fit the rules reader's weights on one half of the questions and print both halves: run by hand, `report_weights.py`.

The weights of `scoring.WEIGHTS` began as round numbers and were drawn from there towards the answers of the first set
of "atlas" and of "newsroom" (regularised maximum likelihood: the odds of a candidate are exp of its score). Here the
same is done from the round numbers for each half (even and odd positions); the half that was not fitted tells how the
weights carry over. Only questions that are answered by a span are used, and nothing is refused.
"""

from __future__ import annotations

import argparse
import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from psirag.agent import Agent
from psirag.corpus import Question, load_questions
from psirag.evaluation import exact_match
from psirag.index import Index
from psirag.readers import AgentState, Decision
from psirag.readers.rules import RulesReader, scoring
from psirag.readers.rules.passages import PassageView
from psirag.readers.rules.spans import Reading

ROUND = {
    "covered": 5, "gained": 1, "told_here": 1.5, "names_missing": -2, "sentence": 1, "mixed": -1, "near": 0.5,
    "nearest": 1, "phrase": -1.5, "whole": 0.5, "short": -0.5, "verbal": -0.5, "agent": 1, "aligned": 0.5,
    "across": -0.3, "preposition": 1, "noun": 2, "nounless": -1.5, "misfit": -3, "placeless": -2.5, "place": 0.5,
    "person": 1, "full": 1, "opener": -1, "container": -1, "adjective": -1.5, "member": 2, "stranger": -2,
    "odd_phrase": -1.5, "on_path": -2, "value": 1, "subject_told": 1,
}  # fmt: skip
TIGHTNESS = 0.1
Floats = npt.NDArray[np.float64]


class Remembering:
    """The rules reader, which keeps the last evidence that it was shown."""

    name = "rules"

    def __init__(self) -> None:
        self.reader, self.state = RulesReader(), AgentState("?", (), (), 0, 0)

    def decide(self, state: AgentState, *, may_retrieve: bool) -> Decision:
        """As the rules reader does."""
        self.state = state
        return self.reader.decide(state, may_retrieve=may_retrieve)


def readings(name: str) -> list[tuple[Question, Reading]]:
    """Every answerable question that asks for a span, with the passages retrieved for it."""
    reader = Remembering()
    agent, found = Agent(Index.build(name), reader, max_retrievals=4, max_queries=8), []
    for question in load_questions(name):
        agent.ask(question.question, k=8)
        reading = Reading({item.id: PassageView.of(item) for item in reader.state.evidence})
        kind = reading.view(question.question).type.kind
        if question.answerable and kind not in {"choice", "yes_no"}:
            found.append((question, reading))
    return found


def right(question: Question, reading: Reading) -> bool:
    """Whether the best candidate is the answer."""
    fresh = Reading(reading.passages)
    best = fresh.best(fresh.view(question.question))
    return best is not None and bool(exact_match(best.candidate.text, question.answers))


def fit(some: list[tuple[Question, Reading]]) -> dict[str, float]:
    """The weights that make the answers likeliest, held near the round numbers."""
    names: list[str] = []
    data: list[tuple[Floats, Floats]] = []
    for question, reading in some:
        found = reading.scored(reading.view(question.question))
        names = names or list(found[0].signs)
        told = np.array([bool(exact_match(s.candidate.text, question.answers)) for s in found], dtype=float)
        if told.any():
            data.append((np.array([[float(s.signs[n]) for n in names] for s in found]), told))
    start = np.array([ROUND.get(name, 0.0) for name in names])

    def loss(weights: Floats) -> tuple[float, Floats]:
        total, slope = 0.0, np.zeros_like(weights)
        for signs, told in data:
            odds = np.exp(signs @ weights - (signs @ weights).max())
            shares = odds / odds.sum()
            hit = float(shares @ told) + 1e-12
            total -= np.log(hit)
            slope -= signs.T @ (shares * told / hit - shares)
        apart = weights - start
        return total / len(data) + TIGHTNESS * apart @ apart / 2, slope / len(data) + TIGHTNESS * apart

    return dict(zip(names, minimize(loss, start, jac=True, method="L-BFGS-B").x.tolist(), strict=True))


def measured(weights: dict[str, float], halves: list[list[tuple[Question, Reading]]]) -> list[float]:
    """Exact match of both halves with these weights."""
    kept = dict(scoring.WEIGHTS)
    scoring.WEIGHTS.clear()
    scoring.WEIGHTS.update(weights)
    try:
        return [round(float(np.mean([right(*pair) for pair in half])), 3) for half in halves]
    finally:
        scoring.WEIGHTS.clear()
        scoring.WEIGHTS.update(kept)


def main() -> None:
    """Fit, print, and write JSON when asked."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--json", type=Path, metavar="FILE")
    given, found = options.parse_args(), {}
    for name in ("atlas", "newsroom"):
        pairs = readings(name)
        halves = [pairs[::2], pairs[1::2]]
        found[name] = {
            "questions": [len(half) for half in halves],
            "round numbers": measured(ROUND, halves),
            "fitted on the first half": measured(fit(halves[0]), halves),
            "fitted on the second half": measured(fit(halves[1]), halves),
            "as committed": measured(dict(scoring.WEIGHTS), halves),
        }
        print(name, json.dumps(found[name]))
    if given.json:
        given.json.write_text(
            json.dumps({"date": datetime.now(UTC).date().isoformat(), **found}, indent=1) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()

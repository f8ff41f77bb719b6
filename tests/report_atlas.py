"""Print how right the rules reader's answers are on the set "atlas": run by hand, `report_atlas.py`.

The reader's rules and weights were made while looking at the whole first set, so its figures, in both halves, tell how
well the rules fit and not how they carry over: that is what the second and the third set are for, on which nothing
was tuned (`--unseen`). `--ablations` leaves each part out in turn, with paired intervals; `--json FILE` keeps the
results.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from psirag.agent import Agent
from psirag.corpus import Question, load_questions
from psirag.evaluation import Interval, bootstrap_interval, exact_match, paired_interval, sign_test, token_f1
from psirag.index import Index
from psirag.readers.protocol import NOT_MENTIONED
from psirag.readers.rules import PARTS, RulesReader

PASSAGES = 8
BUDGET = {"max_retrievals": 4, "max_queries": 8}
ONE_STEP = {"max_retrievals": 1, "max_queries": 1}
LIBRARIES = ("psirag", "numpy", "scipy", "bm25s", "sentence-transformers", "torch")


@dataclass(frozen=True)
class Asked:
    """One question with its answer's figures."""

    question: Question
    em: float
    f1: float
    not_mentioned: float
    recall: float
    queries: int


def ask_all(agent: Agent, questions: Sequence[Question]) -> list[Asked]:
    """Every question's figures; recall is of the supporting passages among the first five hits."""
    asked = []
    for question in questions:
        answer = agent.ask(question.question, k=PASSAGES)
        titles = {hit.chunk.title for hit in answer.hits[:5]}
        found = np.mean([title in titles for title in question.supporting_titles]) if question.answerable else 0.0
        em, f1 = exact_match(answer.text, question.answers), token_f1(answer.text, question.answers)
        missed = float(answer.text == NOT_MENTIONED)
        asked.append(Asked(question, em, f1, missed, float(found), len(answer.queries)))
    return asked


def figures(asked: Sequence[Asked]) -> dict[str, Any]:
    """EM, F1 and wrong refusals over the answerable, answers over the unanswerable, with intervals."""
    answerable = [row for row in asked if row.question.answerable]
    rest = [row for row in asked if not row.question.answerable]
    row: dict[str, Any] = {"answerable": len(answerable)}
    if answerable:
        row |= {name: told([getattr(a, name) for a in answerable]) for name in ("em", "f1", "not_mentioned", "recall")}
    if rest:
        row |= {"unanswerable": len(rest), "answered": told([1 - a.not_mentioned for a in rest])}
    return {**row, "queries": round(float(np.mean([a.queries for a in asked])), 2)}


def told(values: Sequence[float]) -> list[float]:
    """A mean and its interval, rounded."""
    return rounded(bootstrap_interval(values))


def rounded(interval: Interval) -> list[float]:
    """Mean, low, high."""
    return [round(float(value), 3) for value in interval]


def groups(asked: list[Asked]) -> Iterator[tuple[str, list[Asked]]]:
    """All, both halves, by hops, by kind."""
    yield "all", asked
    yield "first half", asked[::2]
    yield "second half", asked[1::2]
    for hops in (1, 2, 3, 4):
        yield f"{hops} hops", [row for row in asked if row.question.hops == hops]
    for kind in ("single", "bridge", "comparison"):
        yield kind, [row for row in asked if row.question.kind == kind]


def compared(name: str, asked: list[Asked], whole: list[Asked]) -> dict[str, Any]:
    """A line of the ablation table: figures, and the paired differences that the part makes."""
    pairs = [(a, b) for a, b in zip(whole, asked, strict=True) if a.question.answerable]
    line: dict[str, Any] = {"system": name, **figures(asked)}
    for measure in ("em", "f1", "recall"):
        first, second = ([getattr(pair[side], measure) for pair in pairs] for side in (0, 1))
        line[f"{measure} gained"] = [*rounded(paired_interval(first, second)), round(sign_test(first, second), 3)]
    rest = [(a.not_mentioned, b.not_mentioned) for a, b in zip(whole, asked, strict=True) if not a.question.answerable]
    line["answered less"] = rounded(paired_interval([a for a, _ in rest], [b for _, b in rest])) if rest else None
    return line


def ablations(index: Index) -> Iterator[tuple[str, Agent]]:
    """The agent without each part, without each side, and with the tree as a neighbourhood."""
    for part in PARTS:
        yield f"without {part}", Agent(index, RulesReader(without=[part]), **BUDGET)
    yield "without the tree side", Agent(index, "rules", **BUDGET, retrieve={"sides": ("sparse",)})
    yield "without BM25", Agent(index, "rules", **BUDGET, retrieve={"sides": ("tree",)})
    yield "flat search in place of the tree", Agent(index, "rules", **BUDGET, retrieve={"sides": ("flat", "sparse")})
    yield "with siblings=1", Agent(index, "rules", **BUDGET, retrieve={"siblings": 1})


def report(index: Index, questions: Sequence[Question], *, parts: bool, say: Callable[[str], None]) -> dict[str, Any]:
    """All figures of one set of questions."""
    started = time.perf_counter()
    whole = ask_all(Agent(index, "rules", **BUDGET), questions)
    spent = 1000 * (time.perf_counter() - started) / len(questions)
    one_step = ask_all(Agent(index, "rules", **ONE_STEP, retrieve={"sides": ("sparse",)}), questions)
    found: dict[str, Any] = {"ms a question": round(spent, 1)}
    for name, rows in (("agent", whole), ("one-step BM25", one_step)):
        found[name] = {group: figures(some) for group, some in groups(rows) if some}
        for group, some in found[name].items():
            say(f"{name:14} {group:12} {json.dumps(some)}")
    found["agent against one-step BM25"] = compared("one-step BM25", one_step, whole)
    found["ablations"] = []
    for name, agent in ablations(index) if parts else ():
        found["ablations"].append(compared(name, ask_all(agent, questions), whole))
        say(json.dumps(found["ablations"][-1]))
    return found


def main() -> None:
    """Build, ask, print, and write JSON when asked."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--ablations", action="store_true")
    options.add_argument("--unseen", action="store_true")
    options.add_argument("--json", type=Path, metavar="FILE")
    given = options.parse_args()
    index = Index.build("atlas")
    made = {"date": datetime.now(UTC).date().isoformat(), "python": platform.python_version()}
    made |= {"versions": {name: version(name) for name in LIBRARIES}, "encoder": index.encoder.name}
    settings = {"k": PASSAGES, "agent": BUDGET, "one-step BM25": ONE_STEP}
    found = {**made, "settings": settings}
    found["first set"] = report(index, load_questions("atlas"), parts=given.ablations, say=print)
    for name in ("second", "third") if given.unseen else ():
        print(f"\n{name} set")
        found[f"{name} set"] = report(index, load_questions(f"atlas-{name}"), parts=False, say=print)
    if given.json:
        given.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

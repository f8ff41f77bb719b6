"""Does the hop discriminator beat "always 2"? Run by hand: `hop_discriminator.py [FOLDER with 2WikiMultihopQA]`.

Each corpus is left out in turn: the discriminator learns from the questions of the others, says how many hops each
question of this one has, and the agent with the rules reader is asked with max(2, hops) retrievals of one query each,
with 2 for every question, with the true number and with 4. About five minutes on two cores, encoding apart.
"""

from __future__ import annotations

import json
import platform
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from psirag.agent import Agent
from psirag.corpus import Question, load_corpus, load_questions
from psirag.evaluation import Interval, bootstrap_interval, exact_match, paired_interval, sign_test
from psirag.hop_discriminator import train_hop_discriminator
from psirag.index import Index

RESULTS = Path(__file__).parent / "results" / "hop_discriminator.json"
BUILT_IN = {"atlas": ("atlas", "atlas-second"), "newsroom": ("newsroom",), "handbook": ("handbook",)}
LIBRARIES = ("psirag", "numpy", "scikit-learn", "sentence-transformers", "torch")
PASSAGES, DEPTH, SEEDS = 8, 5, range(5)


def asked_of(name: str) -> list[Question]:
    """The questions of one set whose number of hops is known."""
    return [question for question in load_questions(name) if question.hops is not None]


def told(interval: Interval) -> list[float]:
    """Mean, low, high."""
    return [round(float(value), 3) for value in interval]


def compared(ours: Sequence[float], twos: Sequence[float]) -> dict[str, Any]:
    """Both means, and the paired difference with its interval and the sign test's p."""
    means = {"discriminator": told(bootstrap_interval(ours)), "always 2": told(bootstrap_interval(twos))}
    return {**means, "difference": told(paired_interval(ours, twos)), "p": round(sign_test(ours, twos), 3)}


def answered(index: Index, questions: Sequence[Question], budgets: Sequence[int]) -> dict[str, list[float]]:
    """Recall of the first five hits, exact match (where answers are known) and queries, question by question."""
    figures: dict[str, list[float]] = {"recall": [], "em": [], "queries": []}
    for question, budget in zip(questions, budgets, strict=True):
        budget = int(budget)
        agent = Agent(index, "rules", max_retrievals=budget, max_queries=budget)
        answer = agent.ask(question.question, k=PASSAGES)
        titles = {hit.chunk.title for hit in answer.hits[:DEPTH]}
        figures["recall"].append(float(np.mean([title in titles for title in question.supporting_titles])))
        figures["queries"].append(len(answer.queries))
        if question.answers:
            figures["em"].append(exact_match(answer.text, question.answers))
    return figures


def measured(name: str, index: Index, sets: dict[str, list[Question]], questions: list[Question]) -> dict[str, Any]:
    """Everything about one corpus that was left out of the training."""
    vectors = index.encoder.encode_queries([question.question for question in questions])
    true = np.array([min(question.hops or 1, 4) for question in questions])
    made = [train_hop_discriminator(sets, evaluated=name, encoder=index.encoder, seed=seed) for seed in SEEDS]
    guessed = [each.predict(vectors) for each in made]
    budgets = {"always 2": np.full(len(true), 2), "discriminator": np.maximum(2, guessed[0])}
    budgets |= {"true hops": np.maximum(2, true), "always 4": np.full(len(true), 4)}
    found = {way: answered(index, questions, budget) for way, budget in budgets.items()}
    right = [float(np.mean(each == true)) for each in guessed]
    hits = [float(each) for each in guessed[0] == true], [float(each) for each in true == 2]
    allowed = [float(each) for each in budgets["discriminator"] == budgets["true hops"]]
    return {
        "trained on": sorted(sets),
        "questions": len(questions),
        "true hops": dict(sorted(Counter(true.tolist()).items())),
        "predicted hops": dict(sorted(Counter(guessed[0].tolist()).items())),
        "accuracy of the hops, against always 2": compared(*hits),
        "accuracy of the hops, by seed": [round(each, 3) for each in right],
        "accuracy of max(2, hops), against always 2": compared(allowed, [float(each) for each in true <= 2]),
        "agent": {way: {key: told(bootstrap_interval(v)) for key, v in row.items() if v} for way, row in found.items()},
        "agent, discriminator against always 2": {
            key: compared(values, found["always 2"][key]) for key, values in found["discriminator"].items() if values
        },
    }


def main() -> None:
    """Measure every corpus, print and keep."""
    folders = [Path(each) for each in sys.argv[1:]]
    sets = {name: asked_of(name) for names in BUILT_IN.values() for name in names}
    corpora = {name: load_corpus(name) for name in BUILT_IN}
    if folders:
        corpora["2wiki"], sets["2wiki"] = load_corpus(folders[0]), list(load_questions(folders[0]))
    found: dict[str, Any] = {"date": datetime.now(UTC).date().isoformat(), "python": platform.python_version()}
    found |= {"versions": {name: version(name) for name in LIBRARIES}, "corpora": {}}
    found["settings"] = {"passages a query": PASSAGES, "depth": DEPTH, "queries": "as many as retrievals"}
    for name, corpus in corpora.items():
        others = {other: asked for other, asked in sets.items() if other not in BUILT_IN.get(name, (name,))}
        row = measured(name, Index.build(corpus), others, sets[name])
        found["corpora"][name] = row
        print(name, json.dumps(row, indent=1), flush=True)
        RESULTS.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""100 questions of `atlas` answered by SmolLM2-135M: run by hand, `smollm2_atlas.py [likelihood] [tag]`.

They say what a model of this size can and cannot do, and are no measure of the method. 10 to 40 minutes.
"""

from __future__ import annotations

import json
import platform
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import mean
from time import perf_counter
from typing import Any

import numpy as np

from psirag.agent import Agent
from psirag.corpus import Question, load_questions
from psirag.index import Index
from psirag.readers import load_reader
from psirag.readers.parsing import normalised_query
from psirag.transcript import Answer

RESULTS = Path(__file__).parent / "results" / "smollm2_atlas.json"
LIBRARIES = ("psirag", "torch", "transformers")
QUESTIONS, K, MAX_THOUGHT = 100, 3, 48
BUDGET = {"max_retrievals": 2, "max_queries": 2}


def chosen_questions() -> list[Question]:
    """Questions at even distances, because the set is ordered by kind."""
    questions = load_questions("atlas")
    return [questions[i] for i in np.linspace(0, len(questions) - 1, QUESTIONS).astype(int)]


def ask_all(stopping: str) -> Iterator[tuple[Question, Answer]]:
    """Every question with its answer, at the paper's budget."""
    agent = Agent(Index.build("atlas"), load_reader("smollm2", stopping=stopping, max_thought=MAX_THOUGHT), **BUDGET)
    for question in chosen_questions():
        yield question, agent.ask(question.question, K)


def described(question: Question, answer: Answer) -> dict[str, Any]:
    """One question's row."""
    said, gold = normalised_query(answer.text), [normalised_query(text) for text in question.answers]
    titles = {hit.chunk.title for hit in answer.hits if hit.chunk is not None}
    supporting = set(question.supporting_titles)
    decisions = [step.decision for step in answer.steps if step.decision is not None]
    return {
        "id": question.id, "kind": question.kind, "answerable": question.answerable, "text": answer.text,
        "status": answer.status, "queries": list(answer.queries[1:]),
        "exact": said in gold, "holds": any(f" {text} " in f" {said} " for text in gold),
        "recall": len(supporting & titles) / len(supporting) if supporting else None,
        "tokens": sum(decision.tokens for decision in decisions),
        "answer probability": [round(d.probabilities["answer"], 4) for d in decisions if d.probabilities],
    }  # fmt: skip


def summed_up(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """What there is to say of all rows."""
    answerable = [row for row in rows if row["answerable"]]
    return {
        "questions": len(rows),
        "status": dict(Counter(row["status"] for row in rows)),
        "exact match, answerable": mean(row["exact"] for row in answerable),
        "answer held, answerable": mean(row["holds"] for row in answerable),
        "recall of what was retrieved": mean(row["recall"] for row in rows if row["recall"] is not None),
        "queries, mean": mean(1 + len(row["queries"]) for row in rows),
        "tokens, mean": mean(row["tokens"] for row in rows),
    }


def main() -> None:
    """Ask, print and keep."""
    results: dict[str, Any] = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    results |= {
        "date": datetime.now(UTC).date().isoformat(),
        "versions": {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}},
        "settings": {"k": K, "max_thought": MAX_THOUGHT, **BUDGET},
    }
    for stopping in sys.argv[1:] or ["likelihood"]:
        started, rows = perf_counter(), []
        for question, answer in ask_all(stopping):
            rows.append(described(question, answer))
            print(stopping, len(rows), f"{perf_counter() - started:.0f} s", answer.status, answer.text[:60], flush=True)
        results[stopping] = {**summed_up(rows), "seconds": round(perf_counter() - started), "rows": rows}
        RESULTS.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

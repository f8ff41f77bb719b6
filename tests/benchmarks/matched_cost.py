"""Compare systems at equal budgets of tokens: run by hand, `matched_cost.py [FOLDER …]`.

Without arguments: the built-in sets. FOLDER holds `corpus.json` and `questions.json` in the HippoRAG shape. All systems
share chunks, encoder and abstracts without a model; RAPTOR's tree takes minutes on thousands of chunks.
"""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from psirag.corpus import Corpus, Question, load_corpus, load_questions
from psirag.encoding import load_encoder
from psirag.evaluation import Evaluation, SearchSystem, by_budget, evaluate, matched_systems, packed
from psirag.evaluation.matched_cost import BUDGETS, MOST_HITS
from psirag.variants import NavTree

RESULTS = Path(__file__).parent / "results" / "matched_cost.json"
LIBRARIES = ("psirag", "numpy", "bm25s", "umap-learn", "scikit-learn")
BUILT_IN = ("atlas", "handbook", "minutes")
# One setting of NavTree changed at a time.
CHANGED: dict[str, dict[str, Any]] = {
    "NavTree without anchors": {"anchors": None},
    "NavTree, 48 anchors": {"anchors": 48},
    "NavTree, α = 0.65": {"alpha": 0.65},
    "NavTree, α = 1": {"alpha": 1.0},
}
PAIRS = (("Ψ-RAG, leaves", "Ψ-RAG, abstracts too"), ("RAPTOR traversal", "RAPTOR collapsed"), ("fused", "BM25"))


def parts(name: str, questions: Sequence[Question]) -> Iterator[tuple[str, list[Question]]]:
    """All questions that have a short answer, and those of one kind where there are several kinds."""
    asked = [question for question in questions if question.kind != "summary" and question.answerable]
    kinds = sorted({question.kind for question in asked})
    yield name, asked
    if name in BUILT_IN and len(kinds) > 1:
        yield from ((f"{name}, {kind}", [q for q in asked if q.kind == kind]) for kind in kinds)


def differences(found: Evaluation) -> list[dict[str, Any]]:
    """NavTree less every other system, and abstracts left out less abstracts in, at each budget."""
    names = list(dict.fromkeys(name.rsplit(" @ ", 1)[0] for name in found.systems))
    rows = []
    for first, second in [*(("NavTree", name) for name in names if name != "NavTree"), *PAIRS]:
        for budget in BUDGETS:
            for measure in ("recall", "answer_present"):
                done = found.compare(f"{first} @ {budget}", f"{second} @ {budget}", f"{measure}@{MOST_HITS}")
                interval = [round(value, 4) for value in done.difference]
                about = {"first": first, "second": second, "budget": budget, "measure": measure.replace("_", " ")}
                rows.append({**about, "n": done.n, "difference": interval, "p": round(done.p, 5)})
    return rows


def compared(name: str, corpus: Corpus, questions: Sequence[Question]) -> dict[str, Any]:
    """Tables and differences of one corpus."""
    encoder = load_encoder()
    systems = matched_systems(corpus, encoder=encoder)
    index = systems[0].index
    systems += tuple(SearchSystem(told, NavTree(index, budget=10**9, **some)) for told, some in CHANGED.items())
    several = packed(systems, tokenizer=encoder.tokenizer)
    told: dict[str, Any] = {"chunks": len(index.chunks), "documents": len(corpus), "questions": {}}
    for part, asked in parts(name, questions):
        found = evaluate(several, asked, k=[MOST_HITS], ask=False)
        rows = by_budget(found).drop(columns="note").round(4).to_dict("records")
        told["questions"][part] = {"table": rows, "differences": differences(found)}
        print(f"{part}: {len(asked)} questions, {len(index.chunks)} chunks of {len(corpus)} documents")
        wide = by_budget(found).pivot(index="system", columns="budget", values=["recall", "answer present"])
        print(wide.round(3).to_string(), flush=True)
    return told


def main() -> None:
    """Compare on each corpus, print the tables and keep them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    arguments = parser.parse_args()
    results: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {"corpora": {}}
    results["date"] = datetime.now(UTC).date().isoformat()
    results["versions"] = {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}}
    results |= {"encoder": load_encoder().name, "budgets": list(BUDGETS), "tokens": "of the encoder; texts only"}
    for name in map(str, arguments.folders or BUILT_IN):
        folder = Path(name)
        corpus, asked = (folder / "corpus.json", folder / "questions.json") if arguments.folders else (name, name)
        told = compared(folder.name, load_corpus(corpus), load_questions(asked))
        results["corpora"][folder.name] = told
        RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Compare systems at equal budgets of tokens: run by hand, `matched_cost.py [FOLDER …]`.

Without arguments: the built-in sets. FOLDER holds `corpus.json` and `questions.json` in the HippoRAG shape. All systems
share chunks, encoder and abstracts without a model; RAPTOR's tree takes minutes on thousands of chunks.
Both tables of a result are made by `pandas.DataFrame(part["table"]["data"], columns=part["table"]["columns"])`.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
from collections.abc import Sequence
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
BUILT_IN = ("handbook", "minutes", "atlas")
# One setting of NavTree changed at a time.
CHANGED: dict[str, dict[str, Any]] = {
    "NavTree without anchors": {"anchors": None},
    "NavTree, 48 anchors": {"anchors": 48},
    "NavTree, α = 0.65": {"alpha": 0.65},
    "NavTree, α = 1": {"alpha": 1.0},
}
# The same search without and with abstracts, twice, and two more.
PAIRS = (
    ("flat", "RAPTOR collapsed"),
    ("fused", "Ψ-RAG, abstracts too"),
    ("RAPTOR collapsed", "RAPTOR traversal"),
    ("fused", "BM25"),
)


def differences(found: Evaluation) -> dict[str, Any]:
    """NavTree less every other system, and the pairs, at each budget."""
    names = list(dict.fromkeys(name.rsplit(" @ ", 1)[0] for name in found.systems))
    depth = f"@{MOST_HITS}"
    measures = [
        name for name in ("recall", "answer_present") if found.table([name + depth])[name + depth].notna().any()
    ]
    rows = []
    for first, second in [*(("NavTree", name) for name in names if name != "NavTree"), *PAIRS]:
        for budget in BUDGETS:
            for measure in measures:
                done = found.compare(f"{first} @ {budget}", f"{second} @ {budget}", measure + depth)
                interval = [round(value, 4) for value in done.difference]
                rows.append([first, second, budget, measure.replace("_", " "), done.n, *interval, round(done.p, 5)])
    return {"columns": ["first", "second", "budget", "measure", "n", "difference", "low", "high", "p"], "data": rows}


def compared(name: str, corpus: Corpus, questions: Sequence[Question]) -> dict[str, Any]:
    """Tables and differences of one corpus."""
    encoder = load_encoder()
    systems = matched_systems(corpus, encoder=encoder)
    index = systems[0].index
    systems += tuple(SearchSystem(told, NavTree(index, budget=10**9, **some)) for told, some in CHANGED.items())
    several = packed(systems, tokenizer=encoder.tokenizer)
    asked = [question for question in questions if question.kind != "summary" and question.answerable]
    told: dict[str, Any] = {"chunks": len(index.chunks), "documents": len(corpus), "questions": {}}
    for part, some in ((name, asked), (f"{name}, cross", [question for question in asked if question.kind == "cross"])):
        if some:
            found = evaluate(several, some, k=[MOST_HITS], ask=False)
            table = by_budget(found).drop(columns="note").round(4)
            rows = {
                "columns": list(table.columns),
                "data": table.astype(object).where(table.notna(), None).values.tolist(),
            }
            told["questions"][part] = {"count": len(some), "table": rows, "differences": differences(found)}
            print(f"{part}: {len(some)} questions, {len(index.chunks)} chunks of {len(corpus)} documents")
            wide = table.pivot(index="system", columns="budget", values=["recall", "answer present"])
            print(wide.round(3).to_string(), flush=True)
    return told


def main() -> None:
    """Compare on each corpus, print the tables and keep them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    arguments = parser.parse_args()
    about = {
        "date": datetime.now(UTC).date().isoformat(),
        "versions": {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}},
        "encoder": load_encoder().name, "budgets": list(BUDGETS), "tokens": "the encoder's, of texts without titles",
    }  # fmt: skip
    for name in map(str, arguments.folders or BUILT_IN):
        folder = Path(name)
        corpus, asked = (folder / "corpus.json", folder / "questions.json") if arguments.folders else (name, name)
        told = compared(folder.name, load_corpus(corpus), load_questions(asked))
        kept = json.loads(RESULTS.read_text(encoding="utf-8"))["corpora"] if RESULTS.exists() else {}
        results = {**about, "corpora": {**kept, folder.name: told}}
        text = json.dumps(results, indent=1, ensure_ascii=False)
        one_line = re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda row: "[" + re.sub(r"\n\s*", " ", row[1]) + "]", text)
        RESULTS.write_text(one_line + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

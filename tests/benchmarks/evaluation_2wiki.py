"""The paper's tables on 2WikiMultihopQA, run by hand: `evaluation_2wiki.py FOLDER [--json FILE]`.

FOLDER holds `corpus.json` and `questions.json` in the HippoRAG shape. It evaluates the offline systems, measures
recall as the index grows (Figure 1b), counts the trees (Table 10) and makes every ablation that needs no model. The
first run encodes the corpus; later ones take its vectors from the encoder's cache. Notebook 12 shows the result.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from psirag import load_corpus, load_encoder, load_questions
from psirag.evaluation import Evaluation, ablations, evaluate, offline_systems, recall_by_size, tree_statistics

RESULTS = Path(__file__).parent / "results" / "evaluation_2wiki.json"
METRICS = "recall@2 recall@5 recall@10 nodes_scored queries seconds".split()  # these questions come without answers
COMPARED = ("recall@5", "recall@2")
LIBRARIES = ("psirag", "numpy", "scipy", "scikit-learn", "umap-learn", "bm25s", "sentence-transformers", "torch")


def rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """A table as JSON has it: numbers short, NaN as None."""
    return json.loads(table.round(4).to_json(orient="records", force_ascii=False))


def gains(found: Evaluation, whole: str) -> list[dict[str, Any]]:
    """What a system gains over each other on the same questions."""
    lines = []
    for name, note in found.systems.items():
        if name != whole and not note:
            pairs = {metric: found.compare(whole, name, metric) for metric in COMPARED}
            told = {metric: [round(v, 3) for v in (*pair.difference, pair.p)] for metric, pair in pairs.items()}
            lines.append({"over": name, **told})
    return lines


def measure(folder: Path) -> dict[str, Any]:
    """Everything, with seconds by part."""
    corpus, questions = load_corpus(folder / "corpus.json"), load_questions(folder / "questions.json")
    encoder = load_encoder()
    systems = offline_systems(corpus, encoder=encoder)
    seconds, started = {}, time.perf_counter()
    for system in systems:
        _ = system.chunks  # builds the index behind it
    seconds["building"] = round(time.perf_counter() - started, 1)
    started = time.perf_counter()
    found = evaluate(systems, questions)
    seconds["evaluating"] = round(time.perf_counter() - started, 1)
    started = time.perf_counter()
    parts = ablations(corpus, questions, encoder=encoder)
    seconds["ablations"] = round(time.perf_counter() - started, 1)
    started = time.perf_counter()
    sizes = recall_by_size(corpus, questions, encoder=encoder)
    seconds["sizes"] = round(time.perf_counter() - started, 1)
    trees = {}
    for system in systems:
        if system.name in ("Ψ-RAG keyword", "Ψ-RAG summary", "RAPTOR traversal"):
            told = tree_statistics(system.index)._asdict()
            trees[system.name] = {field: round(value, 4) for field, value in told.items()}
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "hardware": {"machine": platform.machine(), "cores": os.cpu_count(), "system": platform.system()},
        "versions": {name: version(name) for name in LIBRARIES},
        "encoder": encoder.name,
        "questions": len(questions),
        "seconds": seconds,
        "systems": rows(found.table(METRICS)),
        "gains of the agent": gains(found, "Ψ-RAG agent, rules"),
        "ablations": rows(parts.table([name for name in METRICS if name != "recall@10"])),
        "gains of the whole": gains(parts, "whole"),
        "sizes": rows(sizes),
        "trees": trees,
    }


def main() -> None:
    """Measure, print, and keep."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--json", type=Path, default=RESULTS, metavar="FILE")
    given = options.parse_args()
    made = measure(given.folder)
    given.json.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for part in ("systems", "ablations", "sizes"):
        print(pd.DataFrame(made[part]).to_string(), end="\n\n")
    print(json.dumps({name: made[name] for name in ("trees", "seconds")}, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()

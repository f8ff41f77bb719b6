"""Time retrieval, saving and loading on a corpus: run by hand, `retrieval.py FOLDER`.

FOLDER holds `corpus.json` (HippoRAG shape), and `questions.json` if there are any. The first run encodes the corpus
(minutes on a CPU), later ones take the vectors from the encoder's cache. Best of several runs, queries encoded before.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from psirag.corpus import load_corpus, load_questions
from psirag.index import Index
from psirag.retrieval import FlatIndex, retrieve_from_tree

RESULTS = Path(__file__).parent / "results" / "retrieval.json"
LIBRARIES = ("psirag", "numpy", "scipy", "bm25s")
MANY = 500
BEAM = 10


def best(run: Callable[[], Any], repeats: int = 5) -> float:
    """The shortest of several runs, in seconds."""
    seconds = []
    for _ in range(repeats):
        start = perf_counter()
        run()
        seconds.append(perf_counter() - start)
    return min(seconds)


def search_times(index: Index, questions: list[str]) -> dict[str, float]:
    """Seconds for one query and for many, side by side; vectors at hand."""
    queries = index.encoder.encode_queries(questions)
    leaves = FlatIndex(index.vectors[: len(index.chunks)], backend="numpy")
    retrieve_from_tree(index.tree, index.vectors, queries[:1], BEAM, beam=BEAM)  # the tree's arrays are made once

    def tree(some: np.ndarray) -> Callable[[], Any]:
        return lambda: retrieve_from_tree(index.tree, index.vectors, some, BEAM, beam=BEAM)

    return {
        "tree, one query": best(tree(queries[:1]), 200),
        f"tree, {MANY} queries": best(tree(queries)),
        "flat (numpy), one query": best(lambda: leaves.search(queries[:1], BEAM), 50),
        f"flat (numpy), {MANY} queries": best(lambda: leaves.search(queries, BEAM)),
        "sparse, one query": best(lambda: index.sparse.search(questions[:1], BEAM), 50),
        f"sparse, {MANY} queries": best(lambda: index.sparse.search(questions, BEAM)),
        f"retrieve, {MANY} queries, tree and sparse, encoder's cache included": best(lambda: index.retrieve(questions)),
    }


def storage_times(index: Index) -> dict[str, float]:
    """Seconds to save, and to load in both ways."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "index"
        return {
            "save": best(lambda: index.save(folder, overwrite=True)),
            "load": best(lambda: Index.load(folder)),
            "load, verify=False": best(lambda: Index.load(folder, verify=False)),
        }


def main() -> None:
    """Build the index, time everything, print it and keep it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--abstraction", default="centroid", choices=["centroid", "keyword", "summary"])
    arguments = parser.parse_args()
    index = Index.build(load_corpus(arguments.folder / "corpus.json"), abstraction=arguments.abstraction)
    asked = arguments.folder / "questions.json"
    pool = [q.question for q in load_questions(asked)] if asked.exists() else list(index.chunks.titles)
    questions = [pool[i % len(pool)] for i in range(MANY)]
    found = index.retrieve(questions[: len(pool)], BEAM, sides=["tree"])
    results = {
        "date": datetime.now(UTC).date().isoformat(),
        "hardware": {"machine": platform.machine(), "cores": os.cpu_count(), "system": platform.system()},
        "versions": {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}},
        "index": {
            "chunks": len(index.chunks), "nodes": index.tree.n_nodes, "depth": index.tree.depth,
            "dimension": int(index.vectors.shape[1]), "abstraction": arguments.abstraction, "beam": BEAM,
        },
        "nodes scored, mean of distinct questions": float(np.mean([r.trace.nodes_scored for r in found])),
        "seconds": {**search_times(index, questions), **storage_times(index)},
    }  # fmt: skip
    for name, seconds in results["seconds"].items():
        print(f"{seconds * 1000:10.2f} ms  {name}")
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Recall against nodes scored, for each kind of abstract and each beam: run by hand, `abstractions.py FOLDER`.

FOLDER holds `corpus.json` and `questions.json` in the HippoRAG shape. The first run encodes the corpus and the
abstracts (minutes on a CPU), later ones take the vectors from the encoder's cache. Notebooks 03 and 04 show the result.
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

import numpy as np
from scipy.stats import bootstrap

from psirag.abstraction import KINDS
from psirag.corpus import load_corpus, load_questions
from psirag.index import Index
from psirag.retrieval.trace import Retrieval

RESULTS = Path(__file__).parent / "results"
LIBRARIES = ("psirag", "numpy", "scipy", "bm25s", "sentence-transformers", "torch")
BEAMS = (2, 3, 5, 10, 20, 50, 100)


def recalls(found: Sequence[Retrieval], gold: list[set[int]]) -> np.ndarray:
    """The share of each question's gold passages among its hits that are chunks; a hit stands for its duplicates."""
    ids = [{i for hit in one if hit.chunk is not None for i in (hit.chunk.id, *hit.duplicates)} for one in found]
    return np.array([len(g & i) / len(g) for g, i in zip(gold, ids, strict=True)])


def mean(values: np.ndarray) -> float:
    """The mean over questions, rounded."""
    return round(float(values.mean()), 3)


def interval(values: np.ndarray) -> list[float]:
    """The 95 % bootstrap interval of a mean over questions."""
    if np.ptp(values) == 0:
        return [float(values[0])] * 2
    return np.round(bootstrap((values,), np.mean, method="percentile", rng=0).confidence_interval, 3).tolist()


def own_node_found(index: Index) -> list[float]:
    """For each layer above the leaves, the share of leaves to which no node there is nearer than their own ancestor."""
    tree, leaves = index.tree, index.vectors[: index.tree.n_leaves]
    above, shares = np.arange(tree.n_leaves), []
    for layer in range(1, tree.depth + 1):
        above, nodes = tree.parent[above], tree.layer_nodes(layer)
        cosine = leaves @ index.vectors[nodes.start : nodes.stop].T
        own = cosine[np.arange(tree.n_leaves), above - nodes.start]
        shares.append(round(float(np.mean(own >= cosine.max(axis=1))), 3))
    return shares


def searches(index: Index, kind: str, questions: list[str]) -> Iterator[tuple[str, int | None, list[Retrieval]]]:
    """Every way of searching one index that looks at its abstracts, with the beam."""
    for beam in BEAMS:
        yield f"tree, {kind}", beam, index.retrieve(questions, beam=beam, sides=["tree"])
        yield f"tree + BM25, {kind}", beam, index.retrieve(questions, beam=beam)
    yield f"tree + BM25, {kind}, 8 hits", 10, index.retrieve(questions, 8)
    yield f"tree + BM25, {kind}, 5 hits and siblings", 10, index.retrieve(questions, siblings=1)
    yield f"all nodes, {kind}, 10 hits", None, index.retrieve(questions, 10, nodes="all", sides=["tree"])


def plain_searches(index: Index, questions: list[str]) -> Iterator[tuple[str, int | None, list[Retrieval]]]:
    """Every way of searching without a tree; flat search is the first."""
    for name, sides in (("flat", ["flat"]), ("BM25", ["sparse"]), ("flat + BM25", ["flat", "sparse"])):
        yield name, None, index.retrieve(questions, sides=sides)


def measure(indexes: dict[str, Index], questions: list[str], gold: list[set[int]]) -> list[dict[str, Any]]:
    """One row a search: mean recall and its differences to the searches without a tree, with intervals, and counts."""
    plain = list(plain_searches(indexes["centroid"], questions))
    found = [*plain, *(row for kind, index in indexes.items() for row in searches(index, kind, questions))]
    baselines = {name: recalls(retrievals, gold) for name, _, retrievals in plain}
    rows = []
    for name, beam, retrievals in found:
        values = recalls(retrievals, gold)
        row: dict[str, Any] = {"search": name, "beam": beam, "recall": mean(values), "interval": interval(values)}
        row["nodes scored"] = mean(np.array([one.trace.nodes_scored for one in retrievals]))
        row["hits"] = mean(np.array([len(one) for one in retrievals]))
        for other, theirs in baselines.items():
            row[f"minus {other}"] = [mean(values - theirs), *interval(values - theirs)]
        rows.append(row)
    return rows


def main() -> None:
    """Build an index of each kind, measure, print and keep the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    corpus, asked = load_corpus(folder / "corpus.json"), load_questions(folder / "questions.json")
    indexes = {kind: Index.build(corpus, abstraction=kind) for kind in KINDS}
    plain = indexes["centroid"]
    places = {title: int(i) for title, i in zip(plain.chunks.titles, plain.chunks.ids, strict=True)}
    gold = [{places[title] for title in question.supporting_titles} for question in asked]
    rows = measure(indexes, [question.question for question in asked], gold)
    result = {
        "date": datetime.now(UTC).date().isoformat(),
        "versions": {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}},
        "encoder": plain.encoder.name,
        "questions": len(asked),
        "nodes per layer": list(plain.report.nodes_per_layer),
        "compression": {k: round(x.report.compression, 3) for k, x in indexes.items() if k != "centroid"},
        "own node found": {kind: own_node_found(index) for kind, index in indexes.items()},
        "rows": rows,
    }
    for row in rows:
        print(row)
    target = RESULTS / f"abstractions_{folder.name}.json"
    target.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

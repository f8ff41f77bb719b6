"""Beam against best-first search of the tree, by recall per node scored: `best_first.py FOLDER`.

FOLDER holds `corpus.json` and `questions.json` (HippoRAG shape). Best-first opens the most similar node seen so far,
scores its children, and stops at a budget. Kept in results/best_first.json; what came out: the beam finds more.
"""

from __future__ import annotations

import argparse
import heapq
import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from psirag.abstraction import centroids
from psirag.corpus import load_corpus, load_questions, passages_as_chunks
from psirag.encoding import load_encoder
from psirag.retrieval import retrieve_from_tree
from psirag.tree import AbstractTree, build_tree

RESULTS = Path(__file__).parent / "results" / "best_first.json"
K = 5


def best_first(tree: AbstractTree, scores: np.ndarray, budget: int) -> tuple[list[int], int]:
    """The best leaves among those scored within the budget, and how many nodes were scored."""
    waiting, leaves, scored = [(-scores[tree.root], tree.root)], [], 0
    while waiting and scored < budget:
        for child in tree.children(heapq.heappop(waiting)[1]).tolist():
            scored += 1
            if child < tree.n_leaves:
                leaves.append((-scores[child], child))
            else:
                heapq.heappush(waiting, (-scores[child], child))
    return [leaf for _, leaf in sorted(leaves)[:K]], scored


def main() -> None:
    """Compare both ways at several beams and budgets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    chunks = passages_as_chunks(load_corpus(folder / "corpus.json"))
    questions, encoder = load_questions(folder / "questions.json"), load_encoder()
    leaves = encoder.encode(chunks.indexed_texts)
    queries = encoder.encode_queries([question.question for question in questions])
    tree = build_tree(leaves)
    vectors = centroids(tree, leaves)
    gold = [set(question.supporting_titles) for question in questions]

    def recall(found: list[list[int]]) -> float:
        shares = [len({chunks.titles[i] for i in some} & g) / len(g) for some, g in zip(found, gold, strict=True)]
        return float(np.mean(shares))

    rows = []
    for beam in (5, 10, 20, 50, 100):
        results = retrieve_from_tree(tree, vectors, queries, K, beam=beam)
        found = [result.leaves.nodes[:K].tolist() for result in results]
        rows.append(("beam", beam, recall(found), float(np.mean([r.nodes_scored for r in results]))))
    for budget in (200, 400, 600, 1000, 1500):
        both = [best_first(tree, scores, budget) for scores in queries @ vectors.T]
        rows.append(("best-first", budget, recall([found for found, _ in both]), float(np.mean([n for _, n in both]))))
    for way, setting, found, scored in rows:
        print(f"{way:10} {setting:5} recall@{K} {found:.3f} at {scored:6.0f} nodes scored")
    columns = ("way", "setting", f"recall@{K}", "nodes scored")
    made = {"date": datetime.now(UTC).date().isoformat()}  # counts, the same on any hardware
    made["rows"] = [dict(zip(columns, row, strict=True)) for row in rows]
    RESULTS.write_text(json.dumps(made, indent=1) + "\n")


if __name__ == "__main__":
    main()

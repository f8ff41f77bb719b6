"""Other linkages through ψ: recall against nodes scored, by hand: `linkages.py [FOLDER]`.

Trees by single (Ψ-RAG's own), average, complete and Ward linkage over the same vectors, each with centroids, keyword
and summary abstracts as node vectors, searched by the tree alone under several beams. On atlas, and on 2Wiki when its
FOLDER is given. `at equal work` asks whether a linkage beats Ψ-RAG's tree per node scored: its recall at every beam
against the recall of Ψ-RAG's tree at the same number of nodes, read off between beams, question by question.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import warnings
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from psirag import Index, PsiragWarning, build_tree, linkage_tree, load_corpus, load_encoder, load_questions
from psirag.evaluation import SearchSystem, bootstrap_interval, evaluate, paired_interval

RESULTS = Path(__file__).parent / "results" / "linkages.json"
BEAMS = (5, 10, 20, 50, 100)
KINDS = ("centroid", "keyword", "summary")
TREES = {"single (Ψ-RAG)": build_tree} | {
    name: partial(linkage_tree, method=name) for name in ("average", "complete", "ward")
}


def measure(corpus: Any, questions: Any, encoder: Any) -> dict[str, Any]:
    """Recall@5 and nodes scored of every tree, representation and beam; then each linkage against Ψ-RAG's tree."""
    rows, by_question = [], {}
    for tree_name, tree in TREES.items():
        for kind in KINDS:
            index = Index.build(corpus, encoder=encoder, tree=tree, abstraction=kind)
            print(tree_name, kind, index, flush=True)
            systems = [SearchSystem(str(beam), index, sides=("tree",), beam=beam) for beam in BEAMS]
            told = evaluate(systems, questions, k=[5], ask=False).questions().dropna(subset=["recall@5"])
            for beam in BEAMS:
                own = told[told["system"] == str(beam)].set_index("question")
                by_question[tree_name, kind, beam] = own["recall@5"].to_numpy(), own["nodes_scored"].mean()
                interval = bootstrap_interval(own["recall@5"].to_numpy())
                rows.append({
                    "tree": tree_name, "vectors": kind, "beam": beam,
                    "nodes scored": round(float(own["nodes_scored"].mean()), 1),
                    "recall@5": [round(float(value), 4) for value in interval],
                    "depth": index.tree.depth, "abstract nodes": index.tree.n_nodes - index.tree.n_leaves,
                })  # fmt: skip
    return {"questions": len(own), "rows": rows, "at equal work": list(_at_equal_work(by_question))}


def _at_equal_work(by_question: dict[Any, Any]) -> Any:
    """The paired difference of each linkage to Ψ-RAG's tree, whose recalls are read off at the same nodes scored."""
    for kind in KINDS:
        recalls, scored = zip(*(by_question["single (Ψ-RAG)", kind, beam] for beam in BEAMS), strict=True)
        for name in list(TREES)[1:]:
            for beam in BEAMS:
                other, nodes = by_question[name, kind, beam]
                if scored[0] <= nodes <= scored[-1]:
                    place = float(np.interp(nodes, scored, range(len(BEAMS))))
                    low = min(int(place), len(BEAMS) - 2)
                    own = recalls[low] + (place - low) * (recalls[low + 1] - recalls[low])
                    gain = [round(float(value), 4) for value in paired_interval(other, own)]
                    yield {"tree": name, "vectors": kind, "beam": beam, "nodes scored": round(nodes, 1), "gain": gain}


def main() -> None:
    """Measure, print, and keep."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path, nargs="?")
    folder = options.parse_args().folder
    sets = {"atlas": ("atlas", "atlas")}
    if folder is not None:
        sets["2wiki"] = (folder / "corpus.json", folder / "questions.json")
    encoder = load_encoder()
    made: dict[str, Any] = {
        "date": datetime.now(UTC).date().isoformat(),
        "hardware": {"machine": platform.machine(), "cores": os.cpu_count(), "system": platform.system()},
        "encoder": encoder.name,
    }
    with warnings.catch_warnings(action="ignore", category=PsiragWarning):
        for name, (corpus, questions) in sets.items():
            made[name] = measure(load_corpus(corpus), load_questions(questions), encoder)
            RESULTS.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            for row in made[name]["rows"] + made[name]["at equal work"]:
                print(name, json.dumps(row, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()

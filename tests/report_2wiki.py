"""Print what every way of retrieving reaches on a folder with 2WikiMultihopQA: run by hand, `report_2wiki.py FOLDER`.

FOLDER holds `corpus.json` and `questions.json` in the HippoRAG shape. The first run encodes the corpus (minutes on a
CPU), later ones take the vectors from the encoder's cache. `--ablations` adds the agent without the tree side, without
BM25, at the paper's budget, with the titles emptied and without each part of the reader that bears on recall, each with
the paired difference to the whole; `--json FILE` keeps the results.
"""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from psirag.agent import Agent
from psirag.corpus import Corpus, load_corpus, load_questions
from psirag.evaluation import AgentSystem, Evaluation, SearchSystem, System, evaluate
from psirag.index import Index
from psirag.readers.rules import RulesReader
from psirag.tree import build_tree, reference_tree

DEPTHS = (2, 5, 10)
PAPER = {"max_retrievals": 2, "max_queries": 2}
OURS = {"max_retrievals": 3, "max_queries": 8}
PARTS = ("bridging", "descriptions", "path first")
WHOLE = "agent, 8 queries"
LIBRARIES = ("psirag", "numpy", "scipy", "bm25s", "sentence-transformers", "torch")


def agent(name: str, index: Index, reader: str | RulesReader = "rules", **settings: Any) -> System:
    """The agent with the rules reader, five passages a query."""
    return AgentSystem(name, Agent(index, reader, **settings))


def systems(index: Index, corpus: Corpus, *, ablations: bool) -> Iterator[System]:
    """What is compared."""
    yield SearchSystem("flat", index, sides=["flat"])
    yield SearchSystem("BM25", index, sides=["sparse"])
    yield SearchSystem("tree", index, sides=["tree"])
    yield SearchSystem("fused (tree + BM25)", index)
    yield agent(WHOLE, index, **OURS)
    if ablations:
        yield agent(f"{WHOLE}, without the tree", index, **OURS, retrieve={"sides": ("sparse",)})
        yield agent(f"{WHOLE}, without BM25", index, **OURS, retrieve={"sides": ("tree",)})
        yield agent(f"{WHOLE}, flat + BM25", index, **OURS, retrieve={"sides": ("flat", "sparse")})
        yield agent(f"{WHOLE}, siblings=1", index, **OURS, retrieve={"siblings": 1})
        for part in PARTS:
            yield agent(f"{WHOLE}, without {part}", index, RulesReader(without=[part]), **OURS)
        yield agent("agent, paper's budget", index, **PAPER)
        yield agent("agent, paper's budget, without the tree", index, **PAPER, retrieve={"sides": ("sparse",)})
        untitled = replace(corpus, documents=tuple(replace(document, title="") for document in corpus.documents))
        yield agent(f"{WHOLE}, titles emptied", Index.build(untitled), **OURS)


def row(found: Evaluation, system: str) -> dict[str, Any]:
    """A line of the table: recalls with intervals and by halves, nodes scored, queries and milliseconds a question."""
    figures = found.table().set_index("system").loc[system]
    of_each = found.questions().query("system == @system")
    line: dict[str, Any] = {"system": system}
    for depth in DEPTHS:
        name = f"recall@{depth}"
        line[name] = [round(float(figures[f"{name}{end}"]), 3) for end in ("", " low", " high")]
    for depth in DEPTHS[:2]:
        line[f"halves@{depth}"] = [round(float(of_each[f"recall@{depth}"][start::2].mean()), 3) for start in (0, 1)]
    line |= {"nodes_scored": round(float(figures["nodes_scored"]), 1), "queries": round(float(figures["queries"]), 2)}
    return {**line, "ms": round(1000 * float(figures["seconds"]), 1)}


def gained(found: Evaluation, over: str) -> dict[str, Any]:
    """What the whole agent gains over a system on the same questions: the paired difference and a sign test."""
    line: dict[str, Any] = {"over": over}
    for depth in DEPTHS[:2]:
        pair = found.compare(WHOLE, over, f"recall@{depth}")
        line[f"recall@{depth}"] = [round(float(value), 3) for value in (*pair.difference, pair.p)]
    return line


def describe(index: Index) -> dict[str, Any]:
    """The tree in numbers, and whether the readable builder gives the same one."""
    tree, leaves = index.tree, index.vectors[: index.tree.n_leaves]
    layers = np.bincount(tree.layer).tolist()
    same = build_tree(leaves) == reference_tree(leaves)
    about = {"chunks": len(index.chunks), "depth": tree.depth, "nodes_per_layer": layers}
    return {**about, "build_tree equals reference_tree": same}


def main() -> None:
    """Read the folder, build, measure, print, and write JSON when asked."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--ablations", action="store_true")
    options.add_argument("--json", type=Path, metavar="FILE")
    given = options.parse_args()
    corpus = load_corpus(given.folder / "corpus.json")
    questions = load_questions(given.folder / "questions.json", corpus=corpus)  # by document: titles may be emptied
    index = Index.build(corpus)
    shape = describe(index)
    print(*(f"{key}: {value}" for key, value in shape.items()), sep="\n")
    found = evaluate(list(systems(index, corpus, ablations=given.ablations)), questions, k=DEPTHS)
    rows, gains = [row(found, name) for name in found.systems], [gained(found, n) for n in found.systems if n != WHOLE]
    print(f"\n{len(questions)} questions; recall with its 95 % interval\n", *map(json.dumps, rows), sep="\n")
    print("\nthe whole agent gains (mean, low, high, p of the sign test)", *map(json.dumps, gains), sep="\n")
    if given.json:
        made = {"date": datetime.now(UTC).date().isoformat(), "python": platform.python_version()}
        made |= {"versions": {name: version(name) for name in LIBRARIES}, "encoder": index.encoder.name}
        report = {**made, "questions": len(questions), "tree": shape, "rows": rows, "gains": gains}
        given.json.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

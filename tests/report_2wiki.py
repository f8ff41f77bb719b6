"""Print what every way of retrieving reaches on a folder with 2WikiMultihopQA: run by hand, `report_2wiki.py FOLDER`.

FOLDER holds `corpus.json` and `questions.json` in the HippoRAG shape. The first run encodes the corpus (minutes on a
CPU), later ones take the vectors from the encoder's cache. `--ablations` adds the agent without the tree side, without
BM25, at the paper's budget and with the titles emptied; `--json FILE` keeps the results.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from psirag.agent import Agent
from psirag.corpus import Corpus, Question, load_corpus, load_questions
from psirag.index import Index
from psirag.retrieval.trace import Hit
from psirag.tree import build_tree, reference_tree

DEPTHS = (2, 5, 10)
PAPER = {"max_retrievals": 2, "max_queries": 2}
OURS = {"max_retrievals": 2, "max_queries": 8}
LIBRARIES = ("psirag", "numpy", "scipy", "bm25s", "sentence-transformers", "torch")


@dataclass(frozen=True)
class Found:
    """What one question brought: passages best first, cosines computed, queries made."""

    hits: Sequence[Hit]
    nodes_scored: int
    queries: int


def recall(found: Found, gold: set[int], depth: int) -> float:
    """Share of the gold passages among the first `depth` hits; a hit stands for its duplicates too."""
    ids = {i for hit in found.hits[:depth] for i in (hit.chunk.id, *hit.duplicates)}
    return len(gold & ids) / len(gold)


def one_step(index: Index, *sides: str) -> Callable[[str], Found]:
    """A single retrieval by these sides."""

    def find(question: str) -> Found:
        retrieval = index.retrieve(question, max(DEPTHS), sides=sides)
        return Found(retrieval.hits, retrieval.trace.nodes_scored, 1)

    return find


def with_agent(index: Index, **settings: Any) -> Callable[[str], Found]:
    """The agent with the rules reader, five passages a query."""
    agent = Agent(index, "rules", **settings)

    def find(question: str) -> Found:
        answer = agent.ask(question, k=5)
        scored = sum(found.trace.nodes_scored for step in answer.steps for found in step.retrievals)
        return Found(answer.hits, scored, len(answer.queries))

    return find


def measure(name: str, find: Callable[[str], Found], questions: Sequence[Question], gold: list[set[int]]) -> dict:
    """One row of the table: mean recalls, nodes scored, queries and milliseconds a question."""
    started = time.perf_counter()
    found = [find(question.question) for question in questions]
    seconds = (time.perf_counter() - started) / len(questions)
    recalls = {f"recall@{d}": np.mean([recall(f, g, d) for f, g in zip(found, gold, strict=True)]) for d in DEPTHS}
    scored, queries = np.mean([f.nodes_scored for f in found]), np.mean([f.queries for f in found])
    row = {**recalls, "nodes_scored": scored, "queries": queries, "ms": 1000 * seconds}
    return {"system": name, **{key: round(float(value), 3) for key, value in row.items()}}


def systems(index: Index, *, ablations: bool) -> Iterator[tuple[str, Callable[[str], Found]]]:
    """What is compared on one index."""
    yield "flat", one_step(index, "flat")
    yield "BM25", one_step(index, "sparse")
    yield "tree", one_step(index, "tree")
    yield "fused (tree + BM25)", one_step(index, "tree", "sparse")
    yield "agent, 8 queries", with_agent(index, **OURS)
    if ablations:
        yield "agent, 8 queries, without the tree", with_agent(index, **OURS, retrieve={"sides": ("sparse",)})
        yield "agent, 8 queries, without BM25", with_agent(index, **OURS, retrieve={"sides": ("tree",)})
        yield "agent, 8 queries, flat + BM25", with_agent(index, **OURS, retrieve={"sides": ("flat", "sparse")})
        yield "agent, paper's budget", with_agent(index, **PAPER)
        yield "agent, paper's budget, without the tree", with_agent(index, **PAPER, retrieve={"sides": ("sparse",)})


def without_titles(corpus: Corpus) -> Corpus:
    """The same passages with their titles emptied."""
    return replace(corpus, documents=tuple(replace(document, title="") for document in corpus.documents))


def describe(index: Index, *, compare: bool) -> dict[str, Any]:
    """The tree in numbers, and whether the readable builder gives the same one."""
    tree = index.tree
    layers = [len(tree.layer_nodes(layer)) for layer in range(tree.depth + 1)]
    row = {"chunks": len(index.chunks), "depth": tree.depth, "nodes_per_layer": layers}
    if compare:
        leaves = index.vectors[: tree.n_leaves]
        row["build_tree equals reference_tree"] = build_tree(leaves) == reference_tree(leaves)
    return row


def table(rows: list[dict[str, Any]]) -> str:
    """Rows as aligned columns."""
    names = list(rows[0])
    cells = [names, *([str(row[name]) for name in names] for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(names))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in cells)


def main() -> None:
    """Read the folder, build, measure, print, and write JSON when asked."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--ablations", action="store_true")
    options.add_argument("--json", type=Path, metavar="FILE")
    given = options.parse_args()
    corpus, questions = load_corpus(given.folder / "corpus.json"), load_questions(given.folder / "questions.json")
    index = Index.build(corpus)
    places = {title: int(i) for title, i in zip(index.chunks.titles, index.chunks.ids, strict=True)}
    gold = [{places[title] for title in question.supporting_titles} for question in questions]
    shape = describe(index, compare=True)
    print(*(f"{key}: {value}" for key, value in shape.items()), sep="\n")
    rows = [measure(name, find, questions, gold) for name, find in systems(index, ablations=given.ablations)]
    if given.ablations:
        bare = Index.build(without_titles(corpus))
        rows.append(measure("agent, 8 queries, titles emptied", with_agent(bare, **OURS), questions, gold))
    print(f"\n{len(questions)} questions\n\n{table(rows)}")
    if given.json:
        made = {"date": datetime.now(UTC).date().isoformat(), "python": platform.python_version()}
        made |= {"versions": {name: version(name) for name in LIBRARIES}, "encoder": index.encoder.name}
        report = {**made, "questions": len(questions), "tree": shape, "rows": rows}
        given.json.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

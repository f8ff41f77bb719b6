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
from psirag.evaluation import Interval, bootstrap_interval, paired_interval, sign_test
from psirag.index import Index
from psirag.readers.rules import RulesReader
from psirag.retrieval.trace import Hit
from psirag.tree import build_tree, reference_tree

DEPTHS = (2, 5, 10)
PAPER = {"max_retrievals": 2, "max_queries": 2}
OURS = {"max_retrievals": 3, "max_queries": 8}
PARTS = ("bridging", "chain names", "path first")
WHOLE = "agent, 8 queries"
LIBRARIES = ("psirag", "numpy", "scipy", "bm25s", "sentence-transformers", "torch")


@dataclass(frozen=True)
class Found:
    """What one question brought: passages best first, cosines computed, queries made."""

    hits: Sequence[Hit]
    nodes_scored: int
    queries: int


@dataclass(frozen=True)
class Row:
    """A line of the table, and the recall of every question by depth."""

    figures: dict[str, Any]
    recalls: dict[int, list[float]]


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


def with_agent(index: Index, reader: str | RulesReader = "rules", **settings: Any) -> Callable[[str], Found]:
    """The agent with the rules reader, five passages a query."""
    agent = Agent(index, reader, **settings)

    def find(question: str) -> Found:
        answer = agent.ask(question, k=5)
        scored = sum(found.trace.nodes_scored for step in answer.steps for found in step.retrievals)
        return Found(answer.hits, scored, len(answer.queries))

    return find


def measure(name: str, find: Callable[[str], Found], questions: Sequence[Question], gold: list[set[int]]) -> Row:
    """One row of the table: recalls with intervals and by halves, nodes scored, queries and milliseconds a question."""
    started = time.perf_counter()
    found = [find(question.question) for question in questions]
    spent = 1000 * (time.perf_counter() - started) / len(questions)
    recalls = {depth: [recall(f, g, depth) for f, g in zip(found, gold, strict=True)] for depth in DEPTHS}
    row: dict[str, Any] = {"system": name}
    row |= {f"recall@{depth}": rounded(bootstrap_interval(values)) for depth, values in recalls.items()}
    for depth in DEPTHS[:2]:
        row[f"halves@{depth}"] = [round(float(np.mean(recalls[depth][start::2])), 3) for start in (0, 1)]
    scored, queries = np.mean([f.nodes_scored for f in found]), np.mean([f.queries for f in found])
    row |= {"nodes_scored": round(float(scored), 1), "queries": round(float(queries), 2), "ms": round(spent, 1)}
    return Row(row, recalls)


def rounded(interval: Interval) -> list[float]:
    """Mean, low, high."""
    return [round(float(value), 3) for value in interval]


def systems(index: Index, *, ablations: bool) -> Iterator[tuple[str, Callable[[str], Found]]]:
    """What is compared on one index."""
    yield "flat", one_step(index, "flat")
    yield "BM25", one_step(index, "sparse")
    yield "tree", one_step(index, "tree")
    yield "fused (tree + BM25)", one_step(index, "tree", "sparse")
    yield WHOLE, with_agent(index, **OURS)
    if ablations:
        yield f"{WHOLE}, without the tree", with_agent(index, **OURS, retrieve={"sides": ("sparse",)})
        yield f"{WHOLE}, without BM25", with_agent(index, **OURS, retrieve={"sides": ("tree",)})
        yield f"{WHOLE}, flat + BM25", with_agent(index, **OURS, retrieve={"sides": ("flat", "sparse")})
        yield f"{WHOLE}, siblings=1", with_agent(index, **OURS, retrieve={"siblings": 1})
        for part in PARTS:
            yield f"{WHOLE}, without {part}", with_agent(index, RulesReader(without=[part]), **OURS)
        yield "agent, paper's budget", with_agent(index, **PAPER)
        yield "agent, paper's budget, without the tree", with_agent(index, **PAPER, retrieve={"sides": ("sparse",)})


def without_titles(corpus: Corpus) -> Corpus:
    """The same passages with their titles emptied."""
    return replace(corpus, documents=tuple(replace(document, title="") for document in corpus.documents))


def gained(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """What the whole agent gains over each other row on the same questions: the paired difference and a sign test."""
    whole = next(row for row in rows if row.figures["system"] == WHOLE)
    lines = []
    for row in rows:
        if row is not whole:
            line: dict[str, Any] = {"over": row.figures["system"]}
            for depth in DEPTHS[:2]:
                pair = whole.recalls[depth], row.recalls[depth]
                line[f"recall@{depth}"] = [*rounded(paired_interval(*pair)), round(sign_test(*pair), 3)]
            lines.append(line)
    return lines


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
        rows.append(measure(f"{WHOLE}, titles emptied", with_agent(bare, **OURS), questions, gold))
    print(f"\n{len(questions)} questions; recall with its 95 % interval\n\n{table([r.figures for r in rows])}")
    gains = gained(rows)
    print("\nthe whole agent gains (mean, low, high, p of the sign test)", *map(json.dumps, gains), sep="\n")
    if given.json:
        made = {"date": datetime.now(UTC).date().isoformat(), "python": platform.python_version()}
        made |= {"versions": {name: version(name) for name in LIBRARIES}, "encoder": index.encoder.name}
        report = {
            **made,
            "questions": len(questions),
            "tree": shape,
            "rows": [row.figures for row in rows],
            "gains": gains,
        }
        given.json.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

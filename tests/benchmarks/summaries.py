"""Summaries and narrative questions of `minutes`, inside one document each: run by hand, `summaries.py [smollm2]`.

Without a word, the rules reader on all six documents (about a minute); with "smollm2", SmolLM2-135M on the first ones,
which says what a model of this size can do and is no measure of the method. Six summaries and 24 questions: the
intervals are wide, and say so.
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from psirag.agent import Agent
from psirag.baselines import gmm_tree
from psirag.corpus import Chunks, Question, count_tokens, load_corpus, load_questions, split_into_sentences
from psirag.evaluation import AgentSystem, Evaluation, bootstrap_interval, evaluate
from psirag.index import Index
from psirag.readers import load_reader
from psirag.readers.rules.summary import SUMMARY_WORDS
from psirag.transcript import Answer
from psirag.tree import build_tree

RESULTS = Path(__file__).parent / "results" / "summaries.json"
LIBRARIES = ("psirag", "numpy", "rouge-score", "sentence-transformers", "torch")
K_SUMMARY, K_NARRATIVE = 15, 5
SMOLLM2_DOCUMENTS, SMOLLM2_SYSTEMS = 2, ("BM25", "RAPTOR collapsed", "Ψ-RAG summary")
# Name: abstracts, whether the tree is RAPTOR's, and how it is searched. BM25 and flat search read no tree.
SYSTEMS: Mapping[str, tuple[str, bool, Mapping[str, Any]]] = {
    "BM25": ("keyword", False, {"sides": ("sparse",)}),
    "flat": ("keyword", False, {"sides": ("flat",)}),
    "RAPTOR traversal": ("summary", True, {"sides": ("tree",)}),
    "RAPTOR collapsed": ("summary", True, {"sides": ("tree",), "nodes": "all"}),
    "Ψ-RAG keyword": ("keyword", False, {"sides": ("tree",)}),
    "Ψ-RAG summary": ("summary", False, {"sides": ("tree",)}),
    "Ψ-RAG collapsed": ("summary", False, {"sides": ("tree",), "nodes": "all"}),
}
# For narrative questions besides: with BM25, and with a beam too narrow to take every node of such short documents.
OTHERS: Mapping[str, tuple[str, bool, Mapping[str, Any]]] = {
    "flat + BM25": ("keyword", False, {"sides": ("flat", "sparse")}),
    "Ψ-RAG keyword + BM25": ("keyword", False, {}),
    "RAPTOR traversal, beam 2": ("summary", True, {"sides": ("tree",), "beam": 2}),
    "Ψ-RAG keyword, beam 2": ("keyword", False, {"sides": ("tree",), "beam": 2}),
    "Ψ-RAG summary, beam 2": ("summary", False, {"sides": ("tree",), "beam": 2}),
}
NOTE = (
    "A document has 30 to 32 chunks below fewer abstract nodes than the default beam takes, so a descent scores every "
    "chunk and finds what flat search finds; beam 2 shows the trees at work."
)


class Lead:
    """The document's first sentences, as many as a summary may have words: what a summary has to beat."""

    name, within_document = "lead", True

    def __init__(self, chunks: Chunks) -> None:
        self.chunks = chunks
        self.texts = {document.id: document.text for document in load_corpus("minutes")}

    def retrieve(self, question: str, k: int = 5, *, document: int | None = None) -> Sequence[Any]:
        """Nothing is retrieved."""
        return ()

    def ask(self, question: str, k: int = 5, *, document: int = 0) -> Answer:
        """The first sentences of the document."""
        text, chosen, words = self.texts[document], [], 0
        for start, end in split_into_sentences(text):
            words += count_tokens(text[start:end])
            if words > SUMMARY_WORDS:
                break
            chosen.append(" ".join(text[start:end].split()))
        return Answer(question, " ".join(chosen), "answered", (), (), self.name, {})


@cache
def index(abstraction: str, raptor: bool) -> Index:
    """A tree for each document."""
    tree = partial(gmm_tree, seed=0) if raptor else build_tree
    return Index.build("minutes", tree=tree, abstraction=abstraction, per_document=True)


def agents(names: Sequence[str], reader: Any, task: str, **budget: int) -> Iterator[AgentSystem]:
    """One agent for each way of retrieving."""
    for name in names:
        abstraction, raptor, settings = {**SYSTEMS, **OTHERS}[name]
        agent = Agent(index(abstraction, raptor), reader, retrieve=settings, **budget)
        k = K_SUMMARY if task == "summary" else K_NARRATIVE
        yield AgentSystem(name, agent, passages=k, task=task, within_document=True)


def of_kind(kind: str, documents: int = 6) -> list[Question]:
    """The questions of a kind about the first documents."""
    titles = [document.title for document in load_corpus("minutes")][:documents]
    return [one for one in load_questions("minutes") if one.kind == kind and one.supporting_titles[0] in titles]


def places_found(name: str, k: int) -> list[float]:
    """For each narrative question, the share of the places that bear its answer whose chunk is among the first k."""
    abstraction, raptor, settings = {**SYSTEMS, **OTHERS}[name]
    searched, shares = index(abstraction, raptor), []
    documents = {document.title: document for document in load_corpus("minutes")}
    for question in of_kind("narrative"):
        document = documents[question.supporting_titles[0]]
        found = searched.retrieve(question.question, k, document=document.id, **settings)
        spans = [(hit.chunk.start, hit.chunk.end) for hit in found if hit.chunk is not None]
        at = [document.text.index(place) for place in question.metadata["places"]]
        shares.append(float(np.mean([any(start <= one < end for start, end in spans) for one in at])))
    return shares


def rows(found: Evaluation, metrics: Sequence[str]) -> list[dict[str, Any]]:
    """One row a system: mean and interval of each measure, and every question's ROUGE-L."""
    table, values = found.table(metrics), found.questions()
    made = []
    for row in table.to_dict("records"):
        mine = values[values["system"] == row["system"]]
        figures = {name: [round(row[f"{name}{part}"], 4) for part in ("", " low", " high")] for name in metrics}
        by_question = dict(zip(mine["question"], mine["rouge_l"].round(4).tolist(), strict=True))
        made.append(
            {"system": row["system"], "questions": row["questions"], **figures, "rouge_l by question": by_question}
        )
    return made


def against(found: Evaluation, first: str, metric: str) -> dict[str, Any]:
    """One system minus each of the others, question by question."""
    others = [name for name in found.systems if name != first]
    compared = {name: found.compare(first, name, metric) for name in others}
    return {
        name: {"difference": [round(x, 4) for x in one.difference], "p": round(one.p, 3)}
        for name, one in compared.items()
    }


def with_rules() -> dict[str, Any]:
    """The rules reader on all documents."""
    lead = Lead(index("keyword", False).chunks)
    summaries = evaluate([lead, *agents([*SYSTEMS], "rules", "summary")], of_kind("summary"), k=[K_SUMMARY])
    every = [*SYSTEMS, *OTHERS]
    narrative = evaluate([*agents(every, "rules", "question")], of_kind("narrative"), k=[K_NARRATIVE])
    places = {name: places_found(name, K_NARRATIVE) for name in every}
    return {
        "note": NOTE,
        "summaries": rows(summaries, ["rouge_l", "f1", "nodes_scored"]),
        "summaries, Ψ-RAG summary minus": against(summaries, "Ψ-RAG summary", "rouge_l"),
        "summaries, lead minus": against(summaries, "lead", "rouge_l"),
        "narrative": rows(narrative, ["f1", "rouge_l", "not_mentioned", "false", "queries", "nodes_scored"]),
        "narrative, Ψ-RAG keyword + BM25 minus": against(narrative, "Ψ-RAG keyword + BM25", "f1"),
        "narrative, share of the answer's places among 5 chunks": {
            name: [round(x, 4) for x in bootstrap_interval(shares)] for name, shares in places.items()
        },
    }


def with_smollm2() -> dict[str, Any]:
    """SmolLM2 on the first documents, at the paper's budget."""
    reader, n = load_reader("smollm2", max_thought=48), SMOLLM2_DOCUMENTS
    budget = {"max_retrievals": 2, "max_queries": 2}
    told: dict[str, Any] = {"documents": [document.title for document in load_corpus("minutes")][:n]}
    for task, kind in (("summary", "summary"), ("question", "narrative")):
        systems = [*agents(SMOLLM2_SYSTEMS, reader, task, **budget)]
        found = evaluate(systems, of_kind(kind, n), k=[K_NARRATIVE], progress=True)
        told[kind] = rows(found, ["rouge_l", "f1", "tokens", "seconds"])
        told[f"{kind}, said"] = {f"{one.system}, {one.question}": one.text for one in found.outcomes}
    return told


def main() -> None:
    """Measure, print and keep."""
    name = "SmolLM2" if "smollm2" in sys.argv[1:] else "rules"
    started, measured = perf_counter(), with_smollm2() if name == "SmolLM2" else with_rules()
    results: dict[str, Any] = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    results |= {
        "date": datetime.now(UTC).date().isoformat(),
        "versions": {"python": platform.python_version(), **{one: version(one) for one in LIBRARIES}},
        "settings": {"k, summaries": K_SUMMARY, "k, narrative": K_NARRATIVE, "summary words": SUMMARY_WORDS},
        name: {**measured, "seconds": round(perf_counter() - started)},
    }
    RESULTS.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(measured, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()

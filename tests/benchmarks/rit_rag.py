"""RIT-RAG by rules beside flat and fused search that read as many tokens, on `handbook`: `rit_rag.py`.

For every question RIT-RAG reads sections; flat search (cosine) and fused search (cosine and BM25) then take chunks, the
best first, up to the tokens that it read: of the same section chunks (their headings encoded and searched with them),
and of plain chunks of 100 tokens under their document's title. Kept in results/rit_rag.json, with 95 % bootstrap
intervals: whether chunks of every document that a question needs were read, precision, recall and F1 of the sections
read (RIT-RAG, Table 4), whether an answer stands in what was read, tokens, and calls of the tools (Table 16); and
RIT-RAG with one setting changed (Figure 8 varies n). Tokens are those of the texts read; the tables of contents cost
what "ToC tokens" says besides. What the rules' second query carries was chosen by means over these questions; all other
settings were made before.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from psirag.corpus import Question, count_tokens, load_corpus, load_questions
from psirag.encoding import load_encoder
from psirag.evaluation import bootstrap_interval, normalised_answer, paired_interval
from psirag.index import Index
from psirag.retrieval.packing import pack_hits
from psirag.variants import RitRag, RulesPolicy, document_tree, tool_calls
from psirag.variants.rit_agent import tables_of

RESULTS = Path(__file__).parent / "results" / "rit_rag.json"
BUDGETS = (250, 500, 800)
MOST = 200  # hits that are packed from, at most


class Sections:
    """Which sections spans of a document's text lie in, as titles joined by " > "."""

    def __init__(self, corpus) -> None:
        self.trees = {each.id: document_tree(each.text, title=each.title) for each in corpus}

    def of(self, chunk) -> set[str]:
        """The sections whose own text a chunk holds some of."""
        tree = self.trees[chunk.document]
        text = [i for i in range(len(tree)) if tree.own_text(i)]
        return {self.path(tree, i) for i in text if tree.start[i] < chunk.end and chunk.start < tree.end[i]}

    def path(self, tree, node: int) -> str:
        """The titles down to a node."""
        titles = []
        while node >= 0:
            titles.insert(0, tree.titles[node])
            node = int(tree.parent[node])
        return " > ".join(titles)


def measure(question: Question, hits, sections: Sections, tokens: int) -> dict[str, float]:
    """What was read for one question, against what it needs."""
    gold = set(question.metadata["sections"])
    read = set().union(*(sections.of(hit.chunk) for hit in hits)) if hits else set()
    precision, recall = len(read & gold) / max(len(read), 1), len(read & gold) / len(gold)
    titles, text = {hit.chunk.title for hit in hits}, normalised_answer(" ".join(hit.text for hit in hits))
    return {
        "reads every document": float(set(question.supporting_titles) <= titles),
        "precision": precision,
        "recall": recall,
        "F1": 2 * precision * recall / max(precision + recall, 1e-12),
        "answer in what was read": float(any(normalised_answer(answer) in text for answer in question.answers)),
        "sections": float(len(read)),
        "tokens": float(tokens),
    }


def run(rit: RitRag, plain: Index, questions: list[Question], sections: Sections) -> dict[str, list[dict[str, float]]]:
    """Every system on every question, the others at the tokens that RIT-RAG read."""
    tokenizer = rit.index.encoder.tokenizer
    rows: dict[str, list[dict[str, float]]] = {}
    indexes = {"section chunks": rit.index, "plain chunks": plain}
    for question in questions:
        answer = rit.ask(question.question)
        calls = tool_calls(answer)
        spent = sum(count_tokens(hit.text, tokenizer) for hit in answer.hits)
        counted = {"ToC": calls.toc, "Cont.": calls.content, "Total": calls.total, "Nodes": calls.nodes}
        told = {name: float(number) for name, number in counted.items()}
        told["ToC tokens"] = float(sum(count_tokens(each.text, tokenizer) for each in tables_of(answer.steps)[0]))
        told["N/call"] = calls.nodes / max(calls.content, 1)
        rows.setdefault("RIT-RAG", []).append(measure(question, answer.hits, sections, spent) | told)
        for name, index in indexes.items():
            for way, sides in {"flat": ("flat",), "fused": ("flat", "sparse")}.items():
                found = index.retrieve(question.question, MOST, sides=sides)
                hits = pack_hits(found, max(spent, 1), tokenizer=tokenizer)
                used = sum(count_tokens(hit.text, tokenizer) for hit in hits)
                rows.setdefault(f"{way}, {name}", []).append(measure(question, hits, sections, used))
    return rows


def summarise(rows: dict[str, list[dict[str, float]]], kinds: list[str]) -> dict[str, object]:
    """Means with intervals by kind of question, and RIT-RAG less each other system."""
    told: dict[str, object] = {}
    for kind in ("cross", "section", "single", "all"):
        mask = np.array([kind in (each, "all") for each in kinds])
        table = {
            name: {
                what: [round(v, 3) for v in bootstrap_interval(np.array([row[what] for row in some])[mask])]
                for what in some[0]
            }
            for name, some in rows.items()
        }
        values = {name: {w: np.array([r[w] for r in some])[mask] for w in some[0]} for name, some in rows.items()}
        less = {
            name: {
                what: [round(v, 3) for v in paired_interval(values["RIT-RAG"][what], values[name][what])]
                for what in ("reads every document", "recall", "precision", "F1", "answer in what was read")
            }
            for name in rows
            if name != "RIT-RAG"
        }
        told[kind] = {"questions": int(mask.sum()), "systems": table, "RIT-RAG less": less}
    return told


def vary(rit: RitRag, questions: list[Question], sections: Sections) -> dict[str, dict[str, list[float]]]:
    """RIT-RAG alone on the questions across documents, with one setting changed."""
    settings = [{}, *({"n_nodes": n} for n in (3, 5, 20)), *({"n_chunks": k} for k in (10, 100)), {"max_calls": 2}]
    told = {}
    for changed in settings:
        system, rows = RitRag(rit.index, rit.forest, **changed), []
        for question in (each for each in questions if each.kind == "cross"):
            hits = system.ask(question.question).hits
            spent = sum(count_tokens(hit.text, rit.index.encoder.tokenizer) for hit in hits)
            rows.append(measure(question, hits, sections, spent))
        name = ", ".join(f"{key}={value}" for key, value in changed.items()) or "as it is"
        told[name] = {what: [round(v, 3) for v in bootstrap_interval([row[what] for row in rows])] for what in rows[0]}
        print(name, {what: values[0] for what, values in told[name].items()})
    return told


def main() -> None:
    """Measure at each budget of tokens to read."""
    corpus, encoder = load_corpus("handbook"), load_encoder()
    questions = [each for each in load_questions("handbook") if each.metadata.get("sections")]
    sections, rit = Sections(corpus), RitRag.build(corpus, encoder=encoder)
    plain = Index.build(corpus, encoder=encoder, abstraction="centroid")
    budgets = {}
    for budget in BUDGETS:
        reading = RitRag(rit.index, rit.forest, policy=RulesPolicy(read_tokens=budget))
        rows = run(reading, plain, questions, sections)
        budgets[str(budget)] = summarise(rows, [each.kind for each in questions])
        for name, some in rows.items():
            cross = [row for row, each in zip(some, questions, strict=True) if each.kind == "cross"]
            shown = {what: round(float(np.mean([row[what] for row in cross])), 3) for what in cross[0]}
            print(budget, name, shown)
    about = {
        "date": datetime.now(UTC).date().isoformat(), "corpus": "handbook",
        "documents": len(corpus), "sections": rit.forest.n_nodes, "chunks": len(rit.chunks),
        "encoder": encoder.name, "n_chunks": rit.n_chunks, "n_nodes": rit.n_nodes, "toc_tokens": rit.toc_tokens,
    }  # fmt: skip
    told = {"about": about, "by read_tokens": budgets, "cross, one setting changed": vary(rit, questions, sections)}
    RESULTS.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()

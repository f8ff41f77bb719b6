"""The transcript of one question: steps and answer as frozen data, the order of the hits, and two plain exports."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from psirag.readers.protocol import Decision, Evidence

if TYPE_CHECKING:
    from psirag.retrieval.trace import Hit, Retrieval

Status = Literal["answered", "not_mentioned", "unparsed", "budget_exhausted", "stopped", "failed"]


@dataclass(frozen=True)
class Step:
    """One decision of the reader, and the retrieval before it, if there was one.

    Attributes
    ----------
    number : int
        Counted from 1.
    queries : tuple of str
        What was sent to `retrieve` before this decision; empty after a correction.
    retrievals : tuple of Retrieval
        What each query returned, with its trace.
    decision : Decision or None
        What the reader decided, with prompt and raw output; None when it raised.
    may_retrieve : bool
        Whether the reader was allowed to ask for more.
    told : str
        The correction the reader was given: "unparsed", "repeated" or "".
    notes : tuple of str
        What was not done as the reader said, such as a repeated query that was not sent.
    retrieval_seconds, decision_seconds : float
        Wall time of the two halves.
    """

    number: int
    queries: tuple[str, ...]
    retrievals: tuple[Retrieval, ...]
    decision: Decision | None
    may_retrieve: bool
    told: str
    notes: tuple[str, ...]
    retrieval_seconds: float
    decision_seconds: float

    @property
    def seconds(self) -> float:
        """Wall time of the whole step."""
        return self.retrieval_seconds + self.decision_seconds


@dataclass(frozen=True)
class Answer:
    """What `Agent.ask` returns: the answer, its passages, and every step that led there.

    Attributes
    ----------
    question, text : str
        What was asked, and the answer or "Not mentioned".
    status : str
        "answered", "not_mentioned", "unparsed", "budget_exhausted", "stopped" or "failed".
    hits : tuple of Hit
        Every passage retrieved, once: by the reader's evidence score where it gave one, the others after them by
        their best score; ties by first step, then id.
    steps : tuple of Step
        The transcript.
    reader : str
        The reader's name.
    settings : mapping
        `k`, `max_retrievals`, `max_queries`, and the settings of `index.retrieve`.
    error : str
        What the reader raised, when the status is "failed".
    """

    question: str
    text: str
    status: Status
    hits: tuple[Hit, ...]
    steps: tuple[Step, ...]
    reader: str
    settings: Mapping[str, Any]
    error: str = ""

    @property
    def queries(self) -> tuple[str, ...]:
        """Every query sent to `retrieve`, the question first."""
        return tuple(query for step in self.steps for query in step.queries)

    @property
    def fused_hits(self) -> tuple[Hit, ...]:
        """The same passages ordered by their best retrieval score alone."""
        return order_hits(gather_evidence([step.retrievals for step in self.steps]), None)

    def to_dict(self) -> dict[str, Any]:
        """The answer and its transcript as plain lists, dicts, numbers and strings, ready for `json.dumps`."""
        return {
            "question": self.question,
            "text": self.text,
            "status": self.status,
            "error": self.error,
            "reader": self.reader,
            "settings": {name: _plain(value) for name, value in self.settings.items()},
            "hits": [_hit_as_dict(hit) for hit in self.hits],
            "steps": [_step_as_dict(step) for step in self.steps],
        }

    def to_markdown(self) -> str:
        """The answer and its transcript as Markdown, with the markup of passages and replies escaped."""
        lines = [f"# {_escaped(self.question)}", "", f"**{_escaped(self.text)}** ({self.status})", ""]
        lines += [f"Error: {_escaped(self.error)}", ""] if self.error else []
        for step in self.steps:
            lines += [f"## Step {step.number}", ""]
            for query, retrieval in zip(step.queries, step.retrievals, strict=True):
                lines += [f"Query: {_escaped(query)}", ""]
                lines += [_hit_as_line(rank, hit) for rank, hit in enumerate(retrieval, start=1)] + [""]
            lines += _decision_as_lines(step.decision) if step.decision is not None else []
            lines += [f"Note: {_escaped(note)}" for note in step.notes] + ([""] if step.notes else [])
        return "\n".join(lines).rstrip() + "\n"


def gather_evidence(retrievals: Sequence[Sequence[Retrieval]]) -> tuple[Evidence, ...]:
    """Each passage of all retrievals once, with its best hit; best score first, ties by first step, then id.

    Parameters
    ----------
    retrievals : sequence of sequence of Retrieval
        One inner sequence a step, empty ones are skipped and still count as a step.

    Notes
    -----
    Source: Ψ-RAG Algorithm 3, the union of what was retrieved; the order is ours.
    """
    best: dict[int, Evidence] = {}
    for step, found in enumerate(retrievals, start=1):
        for hit in (hit for retrieval in found for hit in retrieval):
            identity = hit.chunk.id if hit.chunk is not None else hit.node
            known = best.get(identity)
            if known is None or hit.score > known.score:
                best[identity] = Evidence(identity, hit, float(hit.score), known.first_step if known else step)
    return tuple(sorted(best.values(), key=lambda item: (-item.score, item.first_step, item.id)))


def order_hits(evidence: Sequence[Evidence], scores: Mapping[int, float] | None) -> tuple[Hit, ...]:
    """Hits by the reader's scores (passages without one after those with one, by retrieval score).

    Parameters
    ----------
    evidence : sequence of Evidence
        Each passage once.
    scores : mapping of int to float, optional
        Evidence id to the reader's score; ids that were not retrieved have no effect.

    Notes
    -----
    Source: ours; the paper shows the chunks of each attempt and does not order them together.
    """
    scores = scores or {}

    def rank(item: Evidence) -> tuple[bool, float, int, int]:
        unscored = item.id not in scores
        return (unscored, -item.score if unscored else -scores[item.id], item.first_step, item.id)

    return tuple(item.hit for item in sorted(evidence, key=rank))


def last_evidence_scores(steps: Sequence[Step]) -> Mapping[int, float] | None:
    """The evidence scores of the last decision that gave any, or None."""
    given = [step.decision.evidence for step in steps if step.decision is not None and step.decision.evidence]
    return given[-1] if given else None


def _plain(value: Any) -> Any:
    """A setting as JSON can hold it."""
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return value if value is None or isinstance(value, (bool, int, float, str)) else repr(value)


def _hit_as_dict(hit: Hit) -> dict[str, Any]:
    """A hit as plain data, without its metadata."""
    chunk = hit.chunk
    place = {} if chunk is None else {"chunk": int(chunk.id), "document": int(chunk.document), "title": chunk.title}
    sides = {name: {"rank": int(side.rank), "score": float(side.score)} for name, side in hit.sides.items()}
    scored = {"node": int(hit.node), "score": float(hit.score), "score_kind": hit.score_kind, "sides": sides}
    return {**scored, **place, "text": hit.text, "leaves": [int(leaf) for leaf in hit.leaves]}


def _step_as_dict(step: Step) -> dict[str, Any]:
    """A step as plain data."""
    decision = step.decision
    return {
        "number": step.number,
        "queries": list(step.queries),
        "hits": [[_hit_as_dict(hit) for hit in retrieval] for retrieval in step.retrievals],
        "nodes_scored": [int(retrieval.trace.nodes_scored) for retrieval in step.retrievals],
        "may_retrieve": step.may_retrieve,
        "told": step.told,
        "decision": None if decision is None else _decision_as_dict(decision),
        "notes": list(step.notes),
        "retrieval_seconds": step.retrieval_seconds,
        "decision_seconds": step.decision_seconds,
    }


def _decision_as_dict(decision: Decision) -> dict[str, Any]:
    """A decision as plain data."""
    evidence = decision.evidence
    return {
        "action": decision.action,
        "text": decision.text,
        "queries": list(decision.queries),
        "thought": decision.thought,
        "evidence": None if evidence is None else {str(key): float(score) for key, score in evidence.items()},
        "raw": decision.raw,
        "prompt": decision.prompt,
        "probability": decision.probability,
        "probabilities": None if decision.probabilities is None else dict(decision.probabilities),
        "tokens": decision.tokens,
    }


def _decision_as_lines(decision: Decision) -> list[str]:
    """A decision as Markdown lines."""
    lines = [f"Thought: {_escaped(decision.thought)}", ""] if decision.thought else []
    said = "; ".join(decision.queries) if decision.action == "retrieve" else decision.text
    sure = [f"{action} {share:.2f}" for action, share in (decision.probabilities or {}).items()]
    return [*lines, f"{decision.action}: {_escaped(said)}" + (f" ({', '.join(sure)})" if sure else ""), ""]


def _hit_as_line(rank: int, hit: Hit) -> str:
    """A hit as one Markdown list item."""
    title = f"**{_escaped(hit.chunk.title)}** " if hit.chunk is not None and hit.chunk.title else ""
    return f"{rank}. {title}{_escaped(hit.text)} ({hit.score_kind} {hit.score:.4f})"


def _escaped(text: str) -> str:
    """One line of text in which neither Markdown nor HTML acts."""
    return re.sub(r"([\\`*_\[\]#|$~])", r"\\\1", html.escape(" ".join(text.split()), quote=False))

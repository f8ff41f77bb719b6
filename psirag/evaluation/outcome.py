"""One system on one question: what came back, measured."""

from __future__ import annotations

import hashlib
import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from psirag.checks import check_each, check_type, replace_surrogates
from psirag.corpus import Chunks, Question
from psirag.corpus.documents import Record, read_only
from psirag.errors import PsiragError
from psirag.evaluation.gold import answer_present, document_of, gold_items, recall
from psirag.evaluation.metrics import exact_match, rouge_l, token_f1
from psirag.evaluation.odd_hits import odd_hits
from psirag.evaluation.systems import System
from psirag.readers.parsing import is_not_mentioned
from psirag.retrieval.trace import Hit
from psirag.transcript import Answer

BY_DEPTH = ("recall", "fused_recall", "answer_present")
OF_ANSWERS = ("em", "f1", "rouge_l", "false", "not_mentioned", "answered_unanswerable")
COSTS = ("nodes_scored", "queries", "model_calls", "tokens")
SECONDS = ("retrieval_seconds", "decision_seconds", "seconds")


@dataclass(frozen=True)
class Outcome(Record):
    """One system on one question.

    Parameters
    ----------
    system, question : str
        Name of the system, id of the question.
    kind, hops, answerable
        Of the question.
    status : str
        "retrieved", the status of the agent's answer, or "failed".
    text : str
        The answer; "" without one.
    error : str
        Why it failed; a failed question has no figures.
    hits : tuple of int
        Ids of the chunks found, as far down as the deepest k, best first; −1 for an abstract.
    prompts : str
        SHA-256 of all prompts of an agent; "" where there were none.
    figures : mapping of str to float
        The measures that apply to this question; see `evaluate`.
    seconds : mapping of str to float
        Wall time; two outcomes that differ in nothing else are equal.
    asked : str
        The words of the question.
    answers : tuple of str
        Its gold answers.

    Notes
    -----
    Source: ours.
    """

    system: str
    question: str
    kind: str
    hops: int | None
    answerable: bool
    status: str
    text: str = ""
    error: str = ""
    hits: tuple[int, ...] = ()
    prompts: str = ""
    figures: Mapping[str, float] = field(default_factory=dict, hash=False)
    seconds: Mapping[str, float] = field(default_factory=dict, hash=False, compare=False)
    asked: str = ""
    answers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("figures", "seconds"):
            object.__setattr__(self, name, read_only(f"Outcome.{name}", getattr(self, name)))
        for name in ("hits", "answers"):
            object.__setattr__(self, name, tuple(getattr(self, name)))


def run_question(
    system: System, question: Question, depths: Sequence[int], *, ask: bool, chunks: Chunks | None, odd: Counter[str]
) -> Outcome:
    """Let one system answer or retrieve, and measure what came back; a `PsiragError` of the system is an outcome.

    What is odd about the hits is counted in `odd`. Any other exception passes, with a note that names the question.

    Raises
    ------
    PsiragError
        A system that returns something else than hits or an `Answer`.
    """
    outcome = partial(
        Outcome, system.name, question.id, question.kind, question.hops, question.answerable,
        asked=replace_surrogates(question.question), answers=tuple(map(replace_surrogates, question.answers)),
    )  # fmt: skip
    asking = ask and hasattr(system, "ask")
    started = time.perf_counter()
    try:
        inside = {"document": document_of(question, chunks)} if chunks and _within_document(system) else {}
        with ExitStack() as on_error:
            on_error.push(partial(_note, f"system {system.name!r}, question {question.id!r}"))
            if asking:
                returned = system.ask(question.question, **inside)  # type: ignore[attr-defined]
            else:
                returned = system.retrieve(question.question, max(depths), **inside)
    except PsiragError as error:
        return outcome("failed", error=str(error))
    spent = time.perf_counter() - started
    if not asking:
        hits, costs = _checked_hits(system, returned), _search_costs(returned)
        odd.update(odd_hits(hits, chunks=chunks, most=max(depths)))
        seconds = {"retrieval_seconds": spent, "decision_seconds": 0.0, "seconds": spent}
        figures = {**_found(question, hits, hits, depths, chunks), **costs}
        return outcome("retrieved", hits=_ids(hits, depths), figures=figures, seconds=seconds)
    answer = check_type(f"what ask of {system.name!r} returns", returned, Answer, "Return psirag.transcript.Answer(…).")
    if answer.status == "failed":
        return outcome("failed", error=answer.error)
    hits = _checked_hits(system, answer.hits)
    odd.update(odd_hits(hits, chunks=chunks, most=None))
    figures = {**_found(question, hits, answer.fused_hits, depths, chunks), **_said(question, answer.text)}
    figures |= _answer_costs(answer)
    return outcome(
        answer.status, replace_surrogates(answer.text), hits=_ids(hits, depths), prompts=_prompts(answer),
        figures=figures, seconds=_answer_seconds(answer, spent),
    )  # fmt: skip


def _note(note: str, _kind: object, error: BaseException | None, _trace: object) -> None:
    """Add to an exception where it came from, and let it pass."""
    if error is not None:
        error.add_note(note)


def _within_document(system: System) -> bool:
    """Whether a system searches the question's document only."""
    return bool(getattr(system, "within_document", False))


def _checked_hits(system: System, returned: Any) -> tuple[Hit, ...]:
    """The hits that a system returned."""
    if not isinstance(returned, Sequence) or isinstance(returned, str):
        given = f"an object of class {type(returned).__name__} from {system.name!r}"
        raise PsiragError("retrieve returns a Retrieval, or a sequence of Hit", given, "Return hits, best first.")
    check_each(f"what retrieve of {system.name!r} returns", returned, Hit)
    return tuple(returned)


def _found(
    question: Question, hits: Sequence[Hit], fused: Sequence[Hit], depths: Sequence[int], chunks: Chunks | None
) -> dict[str, float]:
    """Recall in both orders and presence of an answer, for every depth where they apply."""
    if not question.answerable:
        return {}
    gold = gold_items(question)
    figures = {f"recall@{k}": recall(hits[:k], gold, chunks=chunks) for k in depths}
    figures |= {f"fused_recall@{k}": recall(fused[:k], gold, chunks=chunks) for k in depths}
    figures |= {f"answer_present@{k}": answer_present(hits[:k], question.answers) for k in depths}
    return {name: value for name, value in figures.items() if not math.isnan(value)}


def _said(question: Question, text: str) -> dict[str, float]:
    """How right an answer is, or whether there was one that could not be."""
    absent = not text.strip() or is_not_mentioned(text)
    if not question.answerable:
        return {"answered_unanswerable": float(not absent)}
    figures = {"not_mentioned": float(absent)}
    if question.answers:
        f1 = token_f1(text, question.answers)
        figures |= {"em": exact_match(text, question.answers), "f1": f1, "rouge_l": rouge_l(text, question.answers)}
        figures["false"] = float(not absent and f1 == 0)
    return figures


def _search_costs(returned: Any) -> dict[str, float]:
    """What a plain retrieval cost."""
    trace = getattr(returned, "trace", None)
    scored = {} if trace is None else {"nodes_scored": float(trace.nodes_scored)}
    queries = 1 if trace is None else trace.queries
    return {**scored, "queries": float(queries), "model_calls": 0.0, "tokens": 0.0}


def _answer_costs(answer: Answer) -> dict[str, float]:
    """What an answer cost: a decision with a prompt is a call of a model, corrections included."""
    decisions = [step.decision for step in answer.steps if step.decision is not None]
    retrievals = [found for step in answer.steps for found in step.retrievals]
    return {
        "nodes_scored": float(sum(found.trace.nodes_scored for found in retrievals)),
        "queries": float(len(answer.queries)),
        "model_calls": float(sum(bool(decision.prompt) for decision in decisions)),
        "tokens": float(sum(decision.tokens for decision in decisions)),
    }


def _answer_seconds(answer: Answer, spent: float) -> dict[str, float]:
    """Time by part."""
    retrieval = sum(step.retrieval_seconds for step in answer.steps)
    decision = sum(step.decision_seconds for step in answer.steps)
    return {"retrieval_seconds": retrieval, "decision_seconds": decision, "seconds": spent}


def _prompts(answer: Answer) -> str:
    """SHA-256 of the prompts of an answer, "" where there were none."""
    prompts = [step.decision.prompt for step in answer.steps if step.decision is not None and step.decision.prompt]
    return hashlib.sha256("\0".join(prompts).encode("utf-8", "replace")).hexdigest() if prompts else ""


def _ids(hits: Sequence[Hit], depths: Sequence[int]) -> tuple[int, ...]:
    """Chunk ids of the hits that count."""
    return tuple(-1 if hit.chunk is None else int(hit.chunk.id) for hit in hits[: max(depths)])

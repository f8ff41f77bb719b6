"""What was found: recall of the supporting passages, and whether an answer's words are in the passages at all."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

from psirag.corpus import Chunks, Question
from psirag.errors import PsiragError
from psirag.evaluation.metrics import YES_NO, normalised_answer
from psirag.retrieval.trace import Hit

SHORTEST_ANSWER = 3  # letters and digits


def gold_items(question: Question) -> frozenset[int] | frozenset[str]:
    """What a question's evidence is known by: ids of documents where it names them, else titles; empty without either.

    Notes
    -----
    Source: ours; titles may repeat, ids do not.

    Examples
    --------
    >>> gold_items(Question("q0", "Who builds dams?", supporting_titles=("Beaver",)))
    frozenset({'Beaver'})
    """
    return frozenset(question.supporting_documents) or frozenset(question.supporting_titles)


def recall(hits: Sequence[Hit], gold: Collection[int | str], *, chunks: Chunks | None = None) -> float:
    """The share of the gold items that some hit belongs to: recall@k of the first k hits.

    Parameters
    ----------
    hits : sequence of Hit
        Those that count, ``hits[:k]``; k may be more than there are.
    gold : collection of int or str
        See `gold_items`: ids of documents, or titles.
    chunks : Chunks, optional
        Of the system that found the hits; needed to credit the duplicates of a hit.

    Returns
    -------
    float
        NaN without gold items.

    Notes
    -----
    A hit stands for its chunk and for every other chunk with the same text. An abstract credits nothing: it is written
    from many passages (the root from all), and is none of them; `answer_present` looks at its text.

    Source: Ψ-RAG §5.1 (recall@2, recall@5).

    Examples
    --------
    >>> from psirag.index import Index
    >>> found = Index.build("toy").retrieve("Which planet orbits the Sun in 88 days?", k=2)
    >>> recall(found.hits[:1], {"Mercury", "Venus"})
    0.5
    """
    wanted = set(gold)
    if not wanted:
        return math.nan
    return len(wanted & _items(hits, chunks)) / len(wanted)


def answer_present(hits: Sequence[Hit], answers: Sequence[str]) -> float:
    """1.0 when the normalised words of an answer stand in the title or text of a hit, else 0.0.

    Returns
    -------
    float
        NaN when no answer can be looked for: yes, no, or fewer than three letters and digits.

    Notes
    -----
    Source: NavTree §I.2 (answer presence), arXiv:2610.06902.

    Examples
    --------
    >>> hit = Hit(0, 1.0, None, "The dam was built by beavers.", ())
    >>> answer_present([hit], ["the Beavers"]), answer_present([hit], ["otters"]), answer_present([hit], ["yes"])
    (1.0, 0.0, nan)
    """
    wanted = {normalised_answer(answer) for answer in answers}
    wanted = {w for w in wanted if w not in YES_NO and sum(map(str.isalnum, w)) >= SHORTEST_ANSWER}
    if not wanted:
        return math.nan
    read = (normalised_answer(f"{hit.chunk.title} {hit.text}" if hit.chunk else hit.text) for hit in hits)
    return float(any(answer in text for text in read for answer in wanted))


def lacking_gold(questions: Sequence[Question], chunks: Chunks) -> tuple[str, ...]:
    """Return the ids of the questions some of whose gold items have no chunk, so that full recall cannot be reached."""
    there = {*chunks.document.tolist(), *chunks.titles}
    return tuple(each.id for each in questions if not gold_items(each) <= there)


def document_of(question: Question, chunks: Chunks) -> int:
    """Return the id of the one document that a question is about.

    Raises
    ------
    PsiragError
        The question's evidence is in no document, or in several.
    """
    gold = gold_items(question)
    rows = zip(chunks.document.tolist(), chunks.titles, strict=True)
    found: set[int] = {document for document, title in rows if document in gold or title in gold}
    if len(found) != 1:
        asked = "A search within one document needs the document of the question"
        remedy = "Give the question one supporting title or document, or search the whole corpus."
        raise PsiragError(asked, f"{len(found)} of them for question {question.id!r}", remedy)
    return found.pop()


def _items(hits: Sequence[Hit], chunks: Chunks | None) -> set[int | str]:
    """Documents and titles of the hits and of their duplicates."""
    found: set[int | str] = set()
    for hit in hits:
        if hit.chunk is not None:
            found |= {hit.chunk.document, hit.chunk.title}
        if hit.duplicates and chunks is not None:
            same = np.flatnonzero(np.isin(chunks.ids, hit.duplicates)).tolist()
            found.update(chunks.document[same].tolist(), (chunks.titles[i] for i in same))
    return found

"""The shapes in which questions come: those of HotpotQA, MuSiQue, NQ, PopQA, MultiHop-RAG and of long documents."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from psirag.checks import first_few
from psirag.corpus.documents import Corpus, Question
from psirag.corpus.evidence import EvidencePlaces, evidence_of
from psirag.corpus.long_documents import long_questions, shape_of
from psirag.corpus.rows import Row, other_fields, same_type, text_field, without_lone_surrogates
from psirag.errors import PsiragError, PsiragWarning

_IDS = ("id", "_id")
_KINDS = ("kind", "type", "question_type")
_HOPS = ("hops", "num_hops")
_ANSWERS = ("answers", "answer", "reference", "obj", "possible_answers", "o_wiki_title", "o_aliases", "answer_aliases")
# Passages that came with a question are the corpus, so they are not repeated in its metadata.
_LEFT_OUT = ("query", "question", "answerable", "paragraphs", "contexts", "context", "supporting_titles")
_NAMED = {*_IDS, *_KINDS, *_HOPS, *_ANSWERS, *_LEFT_OUT, "supporting_documents"}


def questions_from_rows(rows: Sequence[Any], place: str, corpus: Corpus | None = None) -> tuple[Question, ...]:
    """Read str, dict or `Question` rows; the evidence of dict rows is looked up in the corpus, when there is one."""
    kind = same_type(place, rows, (str, dict, Question))
    if not rows:
        raise PsiragError(f"{place} must hold at least one question", "none", "Add a question.")
    if kind is Question:
        questions = list(rows)
    elif kind is str:
        questions = [Question(str(i), row) for i, row in enumerate(without_lone_surrogates(place, rows))]
    else:
        questions = _from_dicts(without_lone_surrogates(place, rows), place, corpus)
    repeated = [name for name, times in Counter(question.id for question in questions).items() if times > 1]
    if repeated:
        given = f"{', '.join(map(repr, repeated[:5]))} more than once"
        raise PsiragError(f"{place}: question ids must be distinct", given, "Renumber them, or leave the ids out.")
    return tuple(questions)


def _from_dicts(rows: Sequence[Row], place: str, corpus: Corpus | None) -> list[Question]:
    """Make questions of dict rows and tell whose evidence the corpus lacks."""
    shape = shape_of(rows[0])
    rows = long_questions(shape, place, rows) if shape else rows
    places = None if corpus is None else EvidencePlaces(corpus)
    questions = [_question(place, i, row, places) for i, row in enumerate(rows)]
    if places is not None:
        have = [
            (each, each.supporting_titles or row.get("document_id")) for each, row in zip(questions, rows, strict=True)
        ]
        lost = [each.id for each, evidence in have if evidence and not each.supporting_documents]
        if lost:
            message = f"{place}: the corpus lacks evidence of {len(lost)} of {len(rows)} questions: {first_few(lost)}"
            warnings.warn(message, PsiragWarning, stacklevel=4)
    return questions


def _question(place: str, i: int, row: Row, places: EvidencePlaces | None) -> Question:
    """Make one question from the fields that its shape has."""
    evidence = evidence_of(place, i, row)
    titles = tuple(dict.fromkeys(title for title, _ in evidence))
    documents = _supporting_documents(place, i, row)
    if places is not None and not documents:
        documents = places.find(evidence, row.get("document_id")) or ()
    kind, answerable = str(_first(row, _KINDS) or ""), row.get("answerable")
    if answerable is not None and not isinstance(answerable, bool):
        given = f"{answerable!r:.80} in row {i}"
        raise PsiragError(f"{place}: 'answerable' must be true or false", given, "Write a JSON boolean.")
    return Question(
        id=str(i if _first(row, _IDS) is None else _first(row, _IDS)),
        question=_question_text(place, i, row),
        answers=tuple(dict.fromkeys(_answers(place, i, row))),
        supporting_titles=titles,
        kind=kind,
        hops=_hops(row, documents or titles),
        answerable=answerable is not False and kind != "null_query",
        supporting_documents=documents,
        metadata=other_fields(row, _NAMED),
    )


def _first(row: Row, names: Iterable[str]) -> Any:
    """Return the first field of these names that is there and not null."""
    return next((row[name] for name in names if row.get(name) is not None), None)


def _question_text(place: str, i: int, row: Row) -> str:
    """Return the question, which must not be blank."""
    text = text_field(place, i, row, "query" if "query" in row and "question" not in row else "question")
    if not text.strip():
        raise PsiragError(f"{place}: a question must not be blank", f"{text!r} in row {i}", "Drop it or fill it in.")
    return text


def _hops(row: Row, evidence: Sequence[Any]) -> int | None:
    """Return the stated number of hops, else that of sub-questions, else that of supporting documents or titles."""
    steps = row.get("question_decomposition")
    counted = len(steps) if isinstance(steps, list) else len(evidence)
    stated = _first(row, _HOPS)
    return counted or None if stated is None else stated


def _answers(place: str, i: int, row: Row) -> Iterable[str]:
    """Yield the accepted answers, aliases after the answer itself; some sets keep a list as JSON in a str."""
    for name in _ANSWERS:
        value = row.get(name)
        if isinstance(value, str) and name in ("possible_answers", "o_aliases", "answer_aliases"):
            value = _list_in_str(value)
        for answer in value if isinstance(value, (list, tuple)) else [] if value is None else [value]:
            if isinstance(answer, bool) or not isinstance(answer, (str, int, float)) or answer != answer:  # NaN
                given = f"{answer!r}, a {type(answer).__name__}, in row {i}"
                raise PsiragError(f"{place}: '{name}' must hold str", given, "Write the answer as a str.")
            yield str(answer)


def _list_in_str(value: str) -> Any:
    """Return the list that a str holds as JSON, or the str."""
    try:
        inner = json.loads(value)
    except (ValueError, RecursionError):  # no JSON, or none that Python reads: the answer itself
        return value
    return inner if isinstance(inner, list) else value


def _supporting_documents(place: str, i: int, row: Row) -> tuple[int, ...]:
    """Return the ids of the documents that hold the evidence."""
    ids = row.get("supporting_documents")
    ids = () if ids is None else ids
    whole = isinstance(ids, (list, tuple)) and all(type(each) is int and each >= 0 for each in ids)
    if not whole or len(set(ids)) < len(ids):
        given, remedy = f"{ids!r:.80} in row {i}", "Give the places of the documents in the corpus, counted from 0."
        raise PsiragError(f"{place}: 'supporting_documents' must be a list of distinct ids", given, remedy)
    return tuple(ids)

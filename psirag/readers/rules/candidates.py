"""What in a sentence could be the answer: names, dates, numbers, quantities, or phrases without a capital letter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from psirag.readers.rules.dates import DATE, NUMBER, YEAR, number_value
from psirag.readers.rules.named_spans import FUNCTION_WORDS, contains_run, without_article
from psirag.readers.rules.passages import PassageView, Sentence
from psirag.readers.rules.questions import AnswerType, QuestionView

UNIT_WORDS = {
    "length": "metres|meters|kilometres|kilometers|miles|feet|inches|m|km|degrees",
    "extent": "metres|kilometres|kilometers|miles|feet|km|days|weeks|months|years|hours|minutes",
    "age": "years?",
    "times": "times?",
    "weight": "kilos|kilograms|tonnes|tons|pounds",
    "speed": "kilometres an hour|miles an hour|knots",
}
TIMES = r"\b(?:once|twice|thrice)\b"
PHRASE_WORDS = 5
PLAIN = frozenset("born people several together left".split())
_GAP = re.compile(r"\s+")


@dataclass(frozen=True)
class Candidate:
    """A possible answer: its text, its place in the sentence, and what sort of thing it looks like."""

    text: str
    start: int
    end: int
    form: str


def candidates(asked: AnswerType, question: QuestionView, passage: PassageView, sentence: Sentence) -> list[Candidate]:
    """The spans of a sentence that could answer a question of that type; what the question names is left out.

    Notes
    -----
    Source: ours; answer typing as in open question answering at large.
    """
    if asked.kind in {"date", "year"}:
        pattern = DATE if asked.kind == "date" else YEAR
        return [Candidate(found[0], found.start(), found.end(), "date") for found in pattern.finditer(sentence.text)]
    if asked.kind in {"number", "quantity"}:
        return list(_quantities(asked, sentence))
    named = list(_names(question, passage, sentence))
    if asked.pair:
        return [_joined(a, b, sentence) for a, b in pairwise(named) if sentence.text[a.end : b.start] == " and "]
    return named + (list(_phrases(question, sentence)) if asked.kind == "thing" else [])


def _names(question: QuestionView, passage: PassageView, sentence: Sentence) -> Iterator[Candidate]:
    """Names in the sentence, and what the passage is about as if it stood at the start."""
    subject = passage.subject_words
    if subject and not contains_run(question.words, without_article(subject)):
        yield Candidate(passage.subject, 0, 0, "subject")
    for span in sentence.names:
        opener = span.start == 0 and len(span.words) == 1 and _is_plain(span.words[0])
        asked = any(contains_run(span.words, without_article(name.words)) for name in question.names)
        if not (opener or asked or span.words == subject or contains_run(question.words, without_article(span.words))):
            yield Candidate(span.text, span.start, span.end, "name")
            if " of " in span.text:
                head = span.text.split(" of ")[0]
                yield Candidate(head, span.start, span.start + len(head), "name")


def _joined(first: Candidate, second: Candidate, sentence: Sentence) -> Candidate:
    """Two names with "and" between them as one candidate."""
    return Candidate(sentence.text[first.start : second.end], first.start, second.end, "name")


def _is_plain(word: str) -> bool:
    """Whether a word that opens a sentence with a capital letter is hardly a name: a number, a verb or the like."""
    return word in FUNCTION_WORDS or word.endswith(("ed", "ing")) or number_value(word) is not None or word in PLAIN


def _quantities(asked: AnswerType, sentence: Sentence) -> Iterator[Candidate]:
    """Numbers, with their unit when a quantity is asked for."""
    dated = [(found.start(), found.end()) for found in DATE.finditer(sentence.text)]
    units = UNIT_WORDS.get(asked.head, "") if asked.kind == "quantity" else ""
    for found in NUMBER.finditer(sentence.text):
        if any(start <= found.start() < end for start, end in dated):
            continue
        if asked.head == "age" and not re.match(r"\s*(?:[.,;:)]|$)| years| when", sentence.text[found.end() :]):
            continue
        unit = re.match(rf"[ -](?:{units})\b", sentence.text[found.end() :]) if units else None
        if asked.kind == "quantity" and asked.head != "age" and not unit and not re.fullmatch(TIMES, found[0], re.I):
            continue
        end = found.end() + (unit.end() if unit and asked.head != "age" else 0)
        yield Candidate(sentence.text[found.start() : end], found.start(), end, "number")


def _phrases(question: QuestionView, sentence: Sentence) -> Iterator[Candidate]:
    """Runs of words between function words and marks, and their ends, none of them in the question."""
    runs: list[list[tuple[str, int, int]]] = [[]]
    last = 0
    for token in sentence.tokens:
        if token.start < last:
            continue
        gap = sentence.text[last : token.start]
        if runs[-1] and _GAP.fullmatch(gap) is None:
            runs.append([])
        last = token.end
        if token.word in FUNCTION_WORDS:
            runs.append([])
        else:
            runs[-1].append((token.word, token.start, token.end))
    for run in runs:
        for first in range(max(0, len(run) - PHRASE_WORDS), len(run)):
            words = [word for word, _, _ in run[first:]]
            if not contains_run(question.words, words) and not words[0][0].isdigit():
                start, end = run[first][1], run[-1][2]
                yield Candidate(sentence.text[start:end], start, end, "phrase")
        if len(run) > 1:
            yield Candidate(sentence.text[run[0][1] : run[0][2]], run[0][1], run[0][2], "phrase")

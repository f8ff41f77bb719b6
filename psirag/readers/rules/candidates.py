"""What in a sentence could be the answer: names, dates, numbers with their units, or other phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from psirag.readers.rules.dates import DATE, NUMBER, YEAR, number_value
from psirag.readers.rules.named_spans import FUNCTION_WORDS, contains_run, without_article
from psirag.readers.rules.passages import PassageView, Sentence
from psirag.readers.rules.questions import DETERMINERS, AnswerType, QuestionView
from psirag.readers.rules.relation_words import VERBS

UNIT_WORDS = {
    "length": "metres|meters|kilometres|kilometers|miles|feet|inches|m|km|degrees",
    "extent": "metres|kilometres|kilometers|miles|feet|km|days|weeks|months|years|hours|minutes|seconds",
    "age": "years?",
    "times": "times?",
    "weight": "kilos|kilograms|grams|tonnes|tons|pounds|kg",
    "speed": "kilometres an hour|miles an hour|knots",
    "amount": r"(?!of\b|and\b|in\b|to\b|at\b|or\b)[a-z]+",
}
TIMES = r"\b(?:once|twice|thrice)\b"
PHRASE_WORDS = 4
PLAIN = frozenset("born people several together left".split())


@dataclass(frozen=True)
class Candidate:
    """A possible answer: its text, its place in the sentence, what sort of thing it looks like, and how well cut."""

    text: str
    start: int
    end: int
    form: str
    whole: bool = True


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
    return named if asked.kind == "person" else [*named, *_phrases(question, sentence)]


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
                yield Candidate(head, span.start, span.start + len(head), "name", whole=False)


def _joined(first: Candidate, second: Candidate, sentence: Sentence) -> Candidate:
    """Two names with "and" between them as one candidate."""
    return Candidate(sentence.text[first.start : second.end], first.start, second.end, "name")


def _is_plain(word: str) -> bool:
    """Whether a word that opens a sentence with a capital letter is hardly a name: a number, a verb or the like."""
    return word in FUNCTION_WORDS or word.endswith(("ed", "ing")) or number_value(word) is not None or word in PLAIN


def _quantities(asked: AnswerType, sentence: Sentence) -> Iterator[Candidate]:
    """Numbers, with their unit when a quantity is asked for."""
    text = sentence.text
    dated = [(found.start(), found.end()) for found in DATE.finditer(text)]
    units = UNIT_WORDS.get(asked.head, "") if asked.kind == "quantity" else ""
    for found in NUMBER.finditer(text):
        if any(start <= found.start() < end for start, end in dated):
            continue
        if asked.head == "age" and not re.match(
            r"\s*(?:[.,;:)]|$)|[ -]years?\b| when| (?:in|on|at)\b", text[found.end() :]
        ):
            continue
        unit = re.match(rf"[ -](?:{units})\b", text[found.end() :]) if units else None
        needed = asked.kind == "quantity" and asked.head not in {"age", "amount"}
        if needed and not unit and not re.fullmatch(TIMES, found[0], re.I):
            continue
        if unit and asked.head == "amount":
            more = rf"{re.escape(unit[0])}(?: and (?:{NUMBER.pattern}) (?:{units})\b)?"
            unit = re.match(more, text[found.end() :], re.IGNORECASE)
        end = found.end() + (unit.end() if unit and asked.head != "age" else 0)
        yield Candidate(text[found.start() : end], found.start(), end, "number")


def _phrases(question: QuestionView, sentence: Sentence) -> Iterator[Candidate]:
    """Runs of words between function words and marks: the ends of each, and its first word, none of the question's."""
    runs: list[list[int]] = [[]]
    for i, token in enumerate(sentence.tokens):
        broken = i and sentence.text[sentence.tokens[i - 1].end : token.start].strip()
        led = i > 0 and sentence.tokens[i - 1].word in DETERMINERS
        outside = token.word in FUNCTION_WORDS or (token.word in VERBS and not led)
        if broken or outside:
            runs.append([])
        if not outside:
            runs[-1].append(i)
    for run in runs:
        before = sentence.tokens[run[0] - 1].word if run and run[0] else ""
        for first in range(max(0, len(run) - PHRASE_WORDS), len(run)):
            yield from _phrase(question, sentence, run[first:], whole=first == 0 and before in DETERMINERS)
        if len(run) > 1:
            yield from _phrase(question, sentence, run[:1], whole=False)
    for run, then in pairwise(run for run in runs if run):
        if then[0] - run[-1] == 2 and sentence.tokens[run[-1] + 1].word in {"of", "for"}:
            yield from _phrase(question, sentence, [run[-1], then[-1]], whole=True)


def _phrase(question: QuestionView, sentence: Sentence, run: list[int], *, whole: bool) -> Iterator[Candidate]:
    """A run of words as a candidate, unless the question says it or it begins with a digit."""
    found = [sentence.tokens[i] for i in range(run[0], run[-1] + 1)]
    if found[0].word[0].isdigit() or contains_run(question.words, [token.word for token in found]):
        return
    start, end = found[0].start, found[-1].end
    if all(sentence.text[token.start].isupper() for token in found):
        return
    yield Candidate(sentence.text[start:end], start, end, "phrase", whole)

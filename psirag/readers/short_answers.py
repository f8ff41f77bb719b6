"""Short answers cut from ranked passages: a name, a date, a number, one of two options, yes or no, or none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from psirag.corpus import split_into_sentences
from psirag.readers.bridging import ABOUT, PassageView, QuestionView, Rank, akin
from psirag.readers.named_spans import MONTHS, WORD, Span, contains_run, folded, folded_words, without_article

Kind = Literal["name", "date", "number", "choice", "yes_no"]

# At least this share of what is asked must stand in the sentence or on the way to it.
NEEDED_COVERAGE = 0.5
STATED_COVERAGE = 0.75
PASSAGES_READ = 8

DATE = re.compile(
    rf"\b\d{{1,2}} (?:{MONTHS})\.? \d{{3,4}}\b|\b(?:{MONTHS})\.? \d{{1,2}}, \d{{3,4}}\b"
    rf"|\b(?:{MONTHS}) \d{{4}}\b|\b[12]\d{{3}}\b"
)
ONES = "one|two|three|four|five|six|seven|eight|nine"
TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
NUMBER = re.compile(
    rf"\b\d[\d,]*(?:\.\d+)?\b"
    rf"|\b(?:(?:{TENS})(?:-(?:{ONES}))?|{TEENS}|{ONES})\b(?: (?:hundred|thousand|million|billion))?",
    re.IGNORECASE,
)
YEAR = re.compile(r"\d{3,4}")
AUXILIARIES = frozenset("are can could did do does had has have is was were will would".split())
EARLY = frozenset("before earlier earliest elder eldest first older oldest".split())
LATE = frozenset("after last later latest newer newest recent youngest younger".split())
COMMON = frozenset("both common equal same share shared".split())
TIMES = frozenset("century date day month year".split())
ARTICLES = frozenset("a an the".split())
PLACING = frozenset("at from in near on".split())


@dataclass(frozen=True)
class ShortAnswer:
    """An answer with the passage's id and the sentence that it was cut from, and a score to compare it by."""

    text: str
    passage: int
    sentence: str
    score: float


@dataclass(frozen=True)
class Sentence:
    """A sentence of a passage, with the cues of the question that it holds and those met on the way to it."""

    text: str
    passage: int
    rank: Rank
    held: frozenset[str]
    coverage: float


def question_kind(question: QuestionView) -> Kind:
    """What sort of answer a question asks for, from its first words.

    Notes
    -----
    Source: ours; answer types as in open question answering at large.

    Examples
    --------
    >>> [question_kind(QuestionView(q)) for q in ("In which year did it open?", "Is Ada older than Bo?", "Who won?")]
    ['date', 'yes_no', 'name']
    """
    words = question.words
    if "or" in words and len(question.names) > 1:
        return "choice"
    if words and words[0] in AUXILIARIES:
        return "yes_no"
    if "when" in words[:3] or ({"which", "what"} & set(words[:2]) and TIMES & set(words[:5])):
        return "date"
    return "number" if "how" in words[:3] else "name"


def find_answer(
    question: QuestionView, passages: Mapping[int, PassageView], ranks: Mapping[int, Rank]
) -> ShortAnswer | None:
    """The best supported short answer, or None when the passages do not hold what is asked.

    A sentence supports an answer when every name of the question stands in its passage or on the way to it, and at
    least half of the question's other words do.

    Notes
    -----
    Source: ours; None is the paper's "Not mentioned" (Ψ-RAG §3.2).
    """
    kind = question_kind(question)
    if kind == "choice":
        return _chosen_option(question, passages, ranks)
    if kind == "yes_no" and len(question.names) > 1 and COMMON & set(question.words):
        return _shared_or_not(question, passages, ranks)
    sentences = [s for s in _sentences(question, passages, ranks) if s.held and s.coverage >= NEEDED_COVERAGE]
    if kind == "yes_no":
        stated = [s for s in sentences if s.coverage >= STATED_COVERAGE]
        return max((ShortAnswer("yes", s.passage, s.text, s.rank.score) for s in stated), key=_score, default=None)
    found = [answer for s in sentences for answer in _candidates(kind, question, passages[s.passage], s)]
    return max(found, key=_score, default=None)


def _sentences(
    question: QuestionView, passages: Mapping[int, PassageView], ranks: Mapping[int, Rank]
) -> Iterator[Sentence]:
    """The sentences of the best passages that account for every name of the question."""
    best = sorted(ranks, key=lambda key: (-ranks[key].score, key))[:PASSAGES_READ]
    for key in best:
        path = _path(key, ranks)
        words = [word for step in path for word in (*passages[step].title, *passages[step].words)]
        if all(_holds_name(words, name) for name in question.names):
            before = {word for step in path[1:] for word in passages[step].words} | set(passages[key].title)
            yield from _sentences_of(question, passages[key], ranks[key], before)


def _sentences_of(question: QuestionView, passage: PassageView, rank: Rank, before: set[str]) -> Iterator[Sentence]:
    """The sentences of one passage, with their coverage of the question's cues."""
    text, cues = passage.item.text, question.cues
    for start, end in split_into_sentences(text):
        words = set(folded_words(text[start:end]))
        held = frozenset(cue for cue in cues if any(akin(word, cue) for word in words))
        met = {cue for cue in cues if cue not in held and any(akin(word, cue) for word in before)}
        coverage = (len(held) + len(met)) / len(cues) if cues else 0.0
        yield Sentence(text[start:end].strip(), passage.item.id, rank, held, coverage)


def _path(key: int, ranks: Mapping[int, Rank]) -> list[int]:
    """A passage and those that led to it, itself first."""
    path, bridge = [key], ranks[key].bridge
    while bridge is not None and bridge.source not in path:
        path.append(bridge.source)
        bridge = ranks[bridge.source].bridge
    return path


def _holds_name(words: Sequence[str], name: Span) -> bool:
    """Whether a name, or for a long one all its words, stand among the words."""
    return contains_run(words, without_article(name.words)) or (len(name.words) > 1 and set(name.words) <= set(words))


def _candidates(kind: Kind, question: QuestionView, passage: PassageView, sentence: Sentence) -> Iterator[ShortAnswer]:
    """Spans of the right kind in a sentence, scored by coverage, the passage's rank and the distance to a cue.

    What the passage is about stands next to everything said of it, unless a bridge led there: then it is on the way to
    the answer and not the answer.
    """
    cues = [word for word in WORD.finditer(sentence.text) if any(akin(folded(word[0]), c) for c in sentence.held)]
    for text, start, end in _spans(kind, question, passage, sentence):
        gap = min((max(word.start() - end, start - word.end(), 0) for word in cues), default=len(sentence.text))
        if start == end:
            gap = 0 if sentence.rank.bridge is None else len(sentence.text)
        held = len(sentence.held) / len(question.cues)
        score = 2 * sentence.coverage + held + sentence.rank.score + 0.3 / (1 + gap)
        score *= 1.0 if _fits(question, sentence.text[:start]) else 0.5
        yield ShortAnswer(text, sentence.passage, sentence.text, score)


def _spans(
    kind: Kind, question: QuestionView, passage: PassageView, sentence: Sentence
) -> Iterator[tuple[str, int, int]]:
    """Dates, numbers or names in a sentence; for names also what the passage is about, standing at the start."""
    if kind in {"date", "number"}:
        pattern = DATE if kind == "date" else NUMBER
        yield from ((found[0], found.start(), found.end()) for found in pattern.finditer(sentence.text))
        return
    subject = passage.item.title or (passage.names[0].text if passage.names else "")
    if subject and not contains_run(question.words, without_article(folded_words(subject))):
        yield subject, 0, 0
    for span in QuestionView(sentence.text).names:
        opener = span.start == 0 and len(span.words) == 1
        if not (opener or span.text == subject or contains_run(question.words, without_article(span.words))):
            yield span.text, span.start, span.end


def _fits(question: QuestionView, before: str) -> bool:
    """Whether a name fits "who" (no article or preposition of place before it) or "where" (such a preposition)."""
    asked, last = set(question.words[:2]), next(reversed(folded_words(before)), "")
    if "where" in asked:
        return last in PLACING | {"to"} or before.endswith(", ") or not before
    return not ({"who", "whom", "whose"} & asked and last in ARTICLES | PLACING)


def _about_option(name: Span, passages: Mapping[int, PassageView], ranks: Mapping[int, Rank]) -> dict[int, Rank]:
    """The passage that is most surely about one name, and those reached from it."""
    sure = {key: passage.about(name.words) for key, passage in passages.items()}
    root = max(sure, key=lambda key: (sure[key], ranks[key].score), default=None)
    if root is None or sure[root] < ABOUT:
        return {}
    return {key: rank for key, rank in ranks.items() if root in _path(key, ranks)}


def _chosen_option(
    question: QuestionView, passages: Mapping[int, PassageView], ranks: Mapping[int, Rank]
) -> ShortAnswer | None:
    """The option with the earlier or later year, as the question's words have it."""
    sign = 1 if EARLY & set(question.words) else -1 if LATE & set(question.words) else 0
    dated = [(option, _year_of(option, question, passages, ranks)) for option in _options(question)]
    years = [(year, option, found) for option, found in dated if found and (year := _year(found.text)) is not None]
    if sign == 0 or len(years) < 2 or years[0][0] == years[1][0]:
        return None
    _, option, found = min(years, key=lambda entry: sign * entry[0])
    return ShortAnswer(option.text, found.passage, found.sentence, found.score)


def _options(question: QuestionView) -> tuple[Span, Span]:
    """The names on both sides of the last "or" that has one on each side."""
    cut = question.text.lower().rfind(" or ")
    before = [name for name in question.names if name.end <= cut] or [question.names[0]]
    after = [name for name in question.names if name.start > cut] or [question.names[-1]]
    return before[-1], after[0]


def _year_of(
    option: Span, question: QuestionView, passages: Mapping[int, PassageView], ranks: Mapping[int, Rank]
) -> ShortAnswer | None:
    """The date that best fits the question among the passages of one option."""
    about = QuestionView(" ".join([*(cue for cue in question.cues if cue not in EARLY | LATE), option.text]))
    within = _about_option(option, passages, ranks)
    sentences = _sentences(about, passages, within)
    found = [answer for s in sentences for answer in _candidates("date", about, passages[s.passage], s)]
    return max(found, key=_score, default=None)


def _year(date: str) -> int | None:
    """The year in a date."""
    years = YEAR.findall(date)
    return int(years[-1]) if years else None


def _shared_or_not(
    question: QuestionView, passages: Mapping[int, PassageView], ranks: Mapping[int, Rank]
) -> ShortAnswer | None:
    """Yes when the first two names' own passages mention a third name together, no when not."""
    sides = [_about_option(name, passages, ranks) for name in question.names[:2]]
    own = [max(side, key=lambda key: side[key].score, default=None) for side in sides]
    if own[0] is None or own[1] is None or own[0] == own[1]:
        return None
    first, second = passages[own[0]], passages[own[1]]
    shared = {span.words for span in first.names} & {span.words for span in second.names}
    shared = {words for words in shared if not contains_run(question.words, words)}
    return ShortAnswer("yes" if shared else "no", own[0], first.item.text, ranks[own[0]].score)


def _score(answer: ShortAnswer) -> float:
    """The key by which the best answer wins; of equals the first."""
    return answer.score

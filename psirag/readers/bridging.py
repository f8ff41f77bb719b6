"""Ranking by names: passages about what the question names, and those reached from them over a bridge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from psirag.readers.named_spans import (
    FUNCTION_WORDS,
    Span,
    contains_run,
    folded_words,
    match_quality,
    named_spans,
    without_article,
)
from psirag.readers.protocol import Evidence

# A passage is about a name from this match quality on; a bridge costs a little of its source's score.
ABOUT = 0.55
HOP_LOSS = 0.9
HOPS = 3
FUSED_SHARE = 0.3
OPENING_WORDS = 24
KIND_WORDS = frozenset("century date day month name year".split())
WINDOW_BEFORE, WINDOW_AFTER = 60, 20


@dataclass(frozen=True)
class QuestionView:
    """A question as the rules see it: its names, and its other words that carry meaning (the cues)."""

    text: str

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All words, folded."""
        return folded_words(self.text)

    @cached_property
    def names(self) -> tuple[Span, ...]:
        """The names in it, in order, each once."""
        return tuple({span.words: span for span in named_spans(self.text)}.values())

    @cached_property
    def cues(self) -> tuple[str, ...]:
        """Content words outside the names and outside the wording of what kind of answer is asked for."""
        outside = FUNCTION_WORDS | KIND_WORDS | {word for span in self.names for word in span.words}
        return tuple(dict.fromkeys(word for word in self.words if word not in outside))


@dataclass(frozen=True)
class PassageView:
    """A passage as the rules see it: its words and the names in it."""

    item: Evidence

    @cached_property
    def title(self) -> tuple[str, ...]:
        """Folded words of the title, without a part in brackets."""
        return folded_words(self.item.title.split("(")[0])

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All words of the text, folded."""
        return folded_words(self.item.text)

    @cached_property
    def names(self) -> list[Span]:
        """The names in the text, in reading order."""
        return named_spans(self.item.text)

    def about(self, name: Sequence[str]) -> float:
        """How surely the passage is about a name, in [0, 1]."""
        return match_quality(name, self.title, self.words[:OPENING_WORDS], self.words)


@dataclass(frozen=True)
class Bridge:
    """A name that a passage mentions and the question does not, with the passage's id and a weight."""

    name: Span
    source: int
    weight: float


@dataclass(frozen=True)
class Rank:
    """A passage's score, and the bridge that led to it (None when the question names it, or nothing does)."""

    score: float
    bridge: Bridge | None = None


def rank_passages(question: QuestionView, passages: Mapping[int, PassageView]) -> dict[int, Rank]:
    """Score every passage by the surest way to it: named in the question, or over at most three bridges.

    Parameters
    ----------
    question : QuestionView
    passages : mapping of int to PassageView
        What was retrieved, by id.

    Returns
    -------
    dict of int to Rank
        One a passage; a bridge gives ``0.9 · weight · quality of the match``; 0.3 · (retrieval score ÷ the best one) is
        added at the end.

    Notes
    -----
    Source: ours, for what Ψ-RAG §3.2 leaves to a language model.
    """
    ranks = {key: Rank(_named_in_question(question, passage)) for key, passage in passages.items()}
    for _ in range(HOPS):
        bridges = find_bridges(question, passages, ranks)
        raised = {key: max([ranks[key], *_arrivals(key, passages[key], bridges)], key=_score) for key in passages}
        if raised == ranks:
            break
        ranks = raised
    top = max((passage.item.score for passage in passages.values()), default=0.0)
    share = FUSED_SHARE / top if top > 0 else 0.0
    return {key: replace(rank, score=rank.score + share * passages[key].item.score) for key, rank in ranks.items()}


def find_bridges(
    question: QuestionView, passages: Mapping[int, PassageView], ranks: Mapping[int, Rank]
) -> list[Bridge]:
    """The names worth following, heaviest first, each once.

    A name weighs more when its passage is surely about something asked, when a word of the question stands near it,
    when it comes early, and when it has several words.

    Notes
    -----
    Source: ours; the paper calls what bridges make possible "multi-hop" (Ψ-RAG §3.2).
    """
    best: dict[tuple[str, ...], Bridge] = {}
    for key, passage in passages.items():
        if ranks[key].score < ABOUT:
            continue
        for position, span in enumerate(_unasked_names(question, passage)):
            weight = min(1.0, ranks[key].score) * _promise(question, passage, span, position)
            if span.words not in best or weight > best[span.words].weight:
                best[span.words] = Bridge(span, key, weight)
    return sorted(best.values(), key=lambda bridge: (-bridge.weight, bridge.name.words))


def akin(word: str, other: str) -> bool:
    """Whether two folded words share a stem: Snowball's, or the first five letters.

    Notes
    -----
    Source: Porter's Snowball stemmer; the five letters are ours ("director", "directed").

    Examples
    --------
    >>> akin("director", "directed"), akin("died", "die"), akin("man", "many")
    (True, True, False)
    """
    return word == other or (len(word) >= 5 and word[:5] == other[:5]) or _stem(word) == _stem(other)


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    """The English stem of a word."""
    from Stemmer import Stemmer

    return str(Stemmer("english").stemWord(word))


def _score(rank: Rank) -> float:
    """The key by which the surest way wins; of equals the first."""
    return rank.score


def _arrivals(key: int, passage: PassageView, bridges: Iterable[Bridge]) -> Iterable[Rank]:
    """What each bridge from another passage makes of this one."""
    for bridge in bridges:
        if bridge.source != key and (quality := passage.about(bridge.name.words)) >= ABOUT:
            yield Rank(HOP_LOSS * bridge.weight * quality, bridge)


def _named_in_question(question: QuestionView, passage: PassageView) -> float:
    """The better of two signs: a name of the question opens the passage, or its title stands in the question."""
    named = max((passage.about(span.words) for span in question.names), default=0.0)
    title = without_article(passage.title)
    if any(word not in FUNCTION_WORDS for word in title) and contains_run(question.words, title):
        return max(named, 1.0 if len(title) > 1 else 0.9)
    return named


def _unasked_names(question: QuestionView, passage: PassageView) -> list[Span]:
    """The names in a passage that are neither in the question nor made of its own title's words."""
    own = set(passage.title)
    asked = (span for span in passage.names if not contains_run(question.words, without_article(span.words)))
    return [span for span in asked if not set(span.words) <= own]


def _promise(question: QuestionView, passage: PassageView, span: Span, position: int) -> float:
    """How likely a name is the one that the question goes through, in [0.5, 1]."""
    near = folded_words(passage.item.text[max(0, span.start - WINDOW_BEFORE) : span.end + WINDOW_AFTER])
    cued = any(akin(word, cue) for word in near for cue in question.cues)
    return 0.5 + 0.25 * cued + 0.15 / (1 + position) + 0.1 * (len(span.words) > 1)

"""Ranking by names: passages about what the question names, and those reached from them over a bridge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from psirag.readers.rules.named_spans import FUNCTION_WORDS, Span, contains_run, without_article
from psirag.readers.rules.passages import PassageView
from psirag.readers.rules.questions import QuestionView

# A passage is about a name from this match quality on; a bridge costs a little of its source's score.
ABOUT = 0.55
HOP_LOSS = 0.9
HOPS = 3
FUSED_SHARE = 0.3
WINDOW_BEFORE, WINDOW_AFTER = 60, 20


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


def rank_passages(
    question: QuestionView, passages: Mapping[int, PassageView], fused: Mapping[int, float], *, hops: int = HOPS
) -> dict[int, Rank]:
    """Score every passage by the surest way to it: named in the question, or over at most three bridges.

    Parameters
    ----------
    question : QuestionView
    passages : mapping of int to PassageView
        What was retrieved, by id.
    fused : mapping of int to float
        The retrieval scores, by id.
    hops : int
        The most bridges on a way; 0 ranks by the question's own names alone.

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
    for _ in range(hops):
        bridges = find_bridges(question, passages, ranks)
        raised = {key: max([ranks[key], *_arrivals(key, passages[key], bridges)], key=_score) for key in passages}
        if raised == ranks:
            break
        ranks = raised
    top = max(fused.values(), default=0.0)
    share = FUSED_SHARE / top if top > 0 else 0.0
    return {key: replace(rank, score=rank.score + share * fused[key]) for key, rank in ranks.items()}


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
        cued = cued_places(question, passage)
        for position, span in enumerate(_unasked_names(question, passage)):
            weight = min(1.0, ranks[key].score) * _promise(span, position, cued)
            if span.words not in best or weight > best[span.words].weight:
                best[span.words] = Bridge(span, key, weight)
    return sorted(best.values(), key=lambda bridge: (-bridge.weight, bridge.name.words))


def cued_places(question: QuestionView, passage: PassageView) -> list[int]:
    """Where in a passage words akin to the question's cues stand.

    Notes
    -----
    Source: ours.
    """
    forms = {form for cue in question.cues for form in cue.token.forms}
    relations = {number for cue in question.cues for number in cue.token.relations}
    return [t.start for t in passage.tokens if t.forms & forms or t.relations & relations]


def _score(rank: Rank) -> float:
    """The key by which the surest way wins; of equals the first."""
    return rank.score


def _arrivals(key: int, passage: PassageView, bridges: Iterable[Bridge]) -> Iterable[Rank]:
    """What each bridge from another passage makes of this one."""
    unsaid = passage.vocabulary.isdisjoint
    for bridge in bridges:
        if bridge.source == key or unsaid(bridge.name.words):
            continue
        if (quality := passage.about(bridge.name.words)) >= ABOUT:
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


def _promise(span: Span, position: int, cued: list[int]) -> float:
    """How likely a name is the one that the question goes through, in [0.5, 1]."""
    near = any(span.start - WINDOW_BEFORE <= place < span.end + WINDOW_AFTER for place in cued)
    return 0.5 + 0.25 * near + 0.15 / (1 + position) + 0.1 * (len(span.words) > 1)

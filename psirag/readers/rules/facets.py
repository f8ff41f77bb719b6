"""What the evidence has to hold, and what each of its sentences tells of that."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from psirag.readers.rules.named_spans import Span, without_article
from psirag.readers.rules.passages import PassageView, Sentence
from psirag.readers.rules.questions import Cue, QuestionView
from psirag.readers.rules.relation_words import Token

Row = npt.NDArray[np.float64]

KIN = 0.8
NAME_WEIGHT = 1.5
NEAR, DECAY = 2.0, 0.1
LEAST, LEAST_LATE = 0.15, 0.4
# What is asked itself weighs this share of the rest together, or at least so much.
MAIN_SHARE, LEAST_MAIN = 0.35, 0.5


@dataclass(frozen=True)
class Facets:
    """What the evidence has to hold: the question's names, then its cues, each with a weight; weights sum to 1."""

    names: tuple[Span, ...]
    cues: tuple[Cue, ...]
    weights: Row

    @cached_property
    def main(self) -> npt.NDArray[np.bool_]:
        """Which facets belong to what is asked itself."""
        return np.array([False] * len(self.names) + [cue.main for cue in self.cues], dtype=bool)

    @cached_property
    def plainly(self) -> list[tuple[float, bool, float]]:
        """The weight of each facet, whether it is asked itself, and what it counts at the answer: more the later."""
        orders = [0.0] * len(self.names) + [cue.order for cue in self.cues]
        return [
            (weight, main, LEAST_LATE + (1 - LEAST_LATE) * order)
            for weight, main, order in zip(self.weights.tolist(), self.main.tolist(), orders, strict=True)
        ]

    def value(self, row: Row) -> float:
        """The weight of what a row holds of the way there; what is asked itself counts less."""
        return float(self._on_the_way @ row)

    @cached_property
    def _on_the_way(self) -> Row:
        """The weights without those of what is asked itself, unless there is nothing else."""
        return self.weights * np.where(self.main, self.main.all(), 1.0)


@dataclass(frozen=True)
class Told:
    """A sentence of a passage with the tokens that are akin to each cue, and the names of the question in it."""

    sentence: Sentence
    found: tuple[tuple[int, float, Token], ...]
    names: Row

    def around(self, start: int, end: int) -> Row:
        """How surely each cue is told of the span at that place: less with the words between."""
        row = self.names.copy()
        for facet, strength, token in self.found:
            if not (start <= token.start and token.end <= end and start < end):
                row[facet] = max(row[facet], strength * fading(self.apart(token, start, end)))
        return row

    def apart(self, token: Token, start: int, end: int) -> float:
        """Words between a token and a span; function words and names count little, a comma as half a word."""
        if token.end <= start:
            return self.sentence.apart(token.end, start)
        return self.sentence.apart(end, token.start)

    @cached_property
    def whole(self) -> Row:
        """How surely each cue is told in the sentence."""
        row = self.names.copy()
        for facet, strength, _ in self.found:
            row[facet] = max(row[facet], strength)
        return row


def fading(between: float) -> float:
    """What a word at that distance still counts, from 1 down.

    Notes
    -----
    Source: ours.

    Examples
    --------
    >>> fading(1), fading(12)
    (1.0, 0.5)
    """
    return 1 / (1 + DECAY * max(0.0, between - NEAR))


def read(facets: Facets, passage: PassageView, *, kin: float = KIN) -> tuple[Told, ...]:
    """What each sentence of a passage tells of the question; a word of the same relation counts `kin`.

    Notes
    -----
    Source: ours.
    """
    return tuple(_told(facets, sentence, kin) for sentence in passage.sentences)


def _told(facets: Facets, sentence: Sentence, kin: float) -> Told:
    """What a sentence tells: its tokens akin to each cue, and the share of each name's words in it."""
    found: list[tuple[int, float, Token]] = []
    for i, cue in enumerate(facets.cues, len(facets.names)):
        if not (cue.token.forms & sentence.forms or cue.token.relations & sentence.relations):
            continue
        for token in sentence.tokens:
            if token.forms & cue.token.forms:
                found.append((i, 1.0, token))
            elif kin and token.relations & cue.token.relations:
                found.append((i, kin, token))
    names = np.zeros(len(facets.weights))
    for i, name in enumerate(facets.names):
        wanted = without_article(name.words)
        share = sum(word in sentence.words for word in wanted) / len(wanted)
        names[i] = share if share == 1.0 else 0.6 * share * (share >= 0.5)
    return Told(sentence, tuple(found), names)


def weigh_facets(question: QuestionView, told: Iterable[Sequence[Told]]) -> Facets:
    """Names and cues with weights: the fewer of the retrieved passages hold one, the more it says.

    Notes
    -----
    Source: ours; inverse document frequency as in Spärck Jones (1972), doi:10.1108/eb026526.
    """
    bare = unweighed(question)
    rows = [np.max([t.whole for t in read] or [bare.weights * 0], axis=0) for read in told]
    frequency = (np.array(rows) > 0.5).sum(axis=0) if rows else np.zeros(len(bare.weights))
    weights = np.maximum(LEAST, np.log((1 + len(rows)) / (0.5 + frequency)) / math.log(2 + 2 * len(rows)))
    weights[: len(question.names)] *= NAME_WEIGHT
    main = bare.main
    if main.any():
        share = max(LEAST_MAIN, MAIN_SHARE * weights[~main].sum())
        weights[main] = share * np.sqrt(weights[main]) / np.sqrt(weights[main]).sum()
    total = weights.sum()
    return Facets(question.names, question.cues, weights / total if total else weights)


def unweighed(question: QuestionView) -> Facets:
    """Names and cues, all of weight 1.

    Notes
    -----
    Source: ours.
    """
    return Facets(question.names, question.cues, np.ones(len(question.names) + len(question.cues)))

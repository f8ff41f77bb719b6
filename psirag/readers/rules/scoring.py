"""How well a candidate answers: signs between 0 and 1, and what each one weighs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from psirag.readers.rules.candidates import Candidate
from psirag.readers.rules.chains import Chain
from psirag.readers.rules.facets import Facets, Row, Told
from psirag.readers.rules.named_spans import MONTHS, folded_words
from psirag.readers.rules.passages import PassageView
from psirag.readers.rules.questions import PERSONS, AnswerType
from psirag.readers.rules.relation_words import forms, relations

WEIGHTS = {
    "covered": 11.0, "gained": 2.0, "told_here": 1.5, "names_missing": -4.0, "near": 0.9, "follows": 0.3,
    "noun": 2.0, "nounless": -1.5, "misfit": -3.0, "placeless": -2.5, "place": 0.5,
    "person": 0.7, "container": -1.0,
    "adjective": -1.5, "on_path": -3.0, "subject": -1.5, "subject_told": 3.0, "hops": -0.1, "phrase": -1.0,
}  # fmt: skip
SUPPORT = {"told_here": 0.2, "gained": 1.1, "names_missing": -0.2, "heaviest_missing": -7.4}
SUPPORTED_FROM = 1.9
TYPE_SIGNS = ("noun", "nounless", "misfit", "placeless", "place", "person", "container", "adjective")
PERSON_BEFORE = PERSONS | frozenset("by with whom captain president".split())
PLACE_BEFORE = frozenset("across along at beneath from in near outside over through under".split())
LIES_IN = re.compile(rf", in (?!{MONTHS})[A-Z]|, an? (?:\w+ )*(?:town|city|village)\b")
WATERS_AND_HEIGHTS = frozenset(
    "river stream lake sea ocean mountain mountains forest forests plateau seaport port island".split()
)
SAID_BEFORE = re.compile(r"\W{1,2}|,? (?:of|called|named|is|was|,)(?: the| an?)? ?")
DETERMINED = re.compile(r"\b(?:the|an?|his|her|its|another) $")
FAR = 20.0


@dataclass(frozen=True)
class Looks:
    """How names are written in the evidence: after "in" or "at" like a place, after "by" or "actor" like a person."""

    places: Mapping[tuple[str, ...], int]
    persons: Mapping[tuple[str, ...], int]
    subjects: Mapping[tuple[str, ...], PassageView]

    @staticmethod
    def of(passages: Mapping[int, PassageView]) -> Looks:
        """Count them."""
        places: dict[tuple[str, ...], int] = {}
        persons: dict[tuple[str, ...], int] = {}
        for sentence in (s for passage in passages.values() for s in passage.sentences):
            for span in sentence.names:
                before = folded_words(sentence.text[max(0, span.start - 30) : span.start])[-1:]
                alone = len(span.words) == 1 and (LIES_IN.match(sentence.text[span.end :]) or before == ("to",))
                counted = (
                    places if alone or PLACE_BEFORE & set(before) else persons if PERSON_BEFORE & set(before) else None
                )
                if counted is not None:
                    counted[span.words] = counted.get(span.words, 0) + 1
        return Looks(places, persons, {passage.subject_words: passage for passage in passages.values()})

    def person(self, words: tuple[str, ...]) -> bool | None:
        """Whether a name is a person's; None when nothing tells."""
        if words in self.subjects:
            return self.subjects[words].is_person
        seen = self.persons.get(words, 0) - self.places.get(words, 0)
        return None if seen == 0 else seen > 0

    def place(self, words: tuple[str, ...]) -> bool:
        """Whether a name is written as a place, or has a passage of its own that is not about a person."""
        own = self.subjects.get(words)
        if own is not None and (own.is_person or "(" in own.title_text):
            return False
        return own is not None or bool(self.places.get(words))


@dataclass(frozen=True)
class Scored:
    """A candidate at the end of a chain, with its signs, its score and how well the evidence supports it."""

    candidate: Candidate
    chain: Chain
    sentence: str
    signs: Mapping[str, float]
    score: float

    @cached_property
    def support(self) -> float:
        """From how much of the question is held, and whether what is asked itself is told of the candidate."""
        return SUPPORTED_FROM + sum(weight * self.signs[name] for name, weight in SUPPORT.items())


def score(
    asked: AnswerType, facets: Facets, looks: Looks, passages: Mapping[int, PassageView],
    chain: Chain, told: Told, found: Candidate, *, typed: bool = True,
) -> Scored:  # fmt: skip
    """A candidate with its signs and the weighted sum of them."""
    here = _here(facets, chain, told, found)
    signs = _coverage(facets, chain, here, subject=found.form == "subject")
    signs |= _places(facets, told, found) | _kind(asked, looks, passages[chain.path[-1]], told, found)
    words = folded_words(found.text)
    signs["on_path"] = float(any(_overlap(words, passages[key].subject_words) for key in chain.path[:-1]))
    signs["hops"] = len(chain.path) - 1.0
    weights = {name: weight for name, weight in WEIGHTS.items() if typed or name not in TYPE_SIGNS}
    total = sum(weight * signs[name] for name, weight in weights.items())
    return Scored(found, chain, told.sentence.text, signs, total)


def _here(facets: Facets, chain: Chain, told: Told, found: Candidate) -> Row:
    """What is told of the candidate itself, names aside."""
    row = (chain.last if found.form == "subject" else told.around(found.start, found.end)).copy()
    row[: len(facets.names)] = 0.0
    return row


def _coverage(facets: Facets, chain: Chain, here: Row, *, subject: bool) -> dict[str, float]:
    """How much of the question chain and sentence hold together; what is asked itself counts only in the sentence."""
    weights, main, named = facets.weights, facets.main, len(facets.names)
    covered = np.where(main, here, np.maximum(chain.covered, here * (0.4 + 0.6 * facets.orders)))
    missing = 1.0 - covered
    before = np.where(main, 0.0, np.minimum(covered, chain.covered))
    told = float(weights[main] @ here[main]) / (weights[main].sum() or 1.0)
    return {
        "covered": float(weights @ covered),
        "gained": 0.0 if subject else float(weights @ (covered - before)),
        "told_here": told,
        "names_missing": float(weights[:named] @ missing[:named]) / (weights[:named].sum() or 1.0),
        "heaviest_missing": float((weights * missing).max(initial=0.0)),
        "subject": float(subject),
        "subject_told": told if subject else 0.0,
    }


def _places(facets: Facets, told: Told, found: Candidate) -> dict[str, float]:
    """How near the question's words stand, and whether what is asked itself is told right before."""
    main, near, before = facets.main, FAR, FAR
    if found.form != "subject":
        for facet, _, token in told.found:
            if not (found.start <= token.start and token.end <= found.end):
                apart = told.apart(token, found.start, found.end)
                near = min(near, apart + (0.0 if main[facet] else 3.0))
                before = min(before, apart if main[facet] and token.end <= found.start else FAR)
    return {
        "near": 1 / (1 + near) if near < FAR else 0.0,
        "follows": float(before < 0.9),
        "phrase": float(found.form == "phrase"),
    }


def _kind(asked: AnswerType, looks: Looks, passage: PassageView, told: Told, found: Candidate) -> dict[str, float]:
    """How well the candidate's looks fit what is asked for."""
    words, text, kind = folded_words(found.text), told.sentence.text, asked.kind
    person, place = looks.person(words), looks.place(words)
    # Rivers, seas and mountains take the article that persons and towns do without.
    place = place or (asked.head in WATERS_AND_HEIGHTS and text[: found.start].endswith(" the "))
    opens = found.start == 0 and found.form == "name" and re.match(r",| (?:was|is)\b", text[found.end :]) is not None
    inside = found.form in {"name", "phrase"} and _is_container(looks, told, found)
    noun = 0.0 if inside else _noun(asked, looks, passage, told, found)
    wanted = kind in {"number", "work"} or (kind == "place" and asked.head in WATERS_AND_HEIGHTS)
    alone = found.form == "name" and len(words) == 1 and re.match(r" [a-z-]+", text[found.end :])
    return {
        "noun": noun,
        "nounless": float(bool(asked.head) and wanted and noun == 0),
        "misfit": float(_misfit(asked, person, place, text[: found.start])),
        "placeless": float(kind == "place" and not place and noun < 1 and not opens),
        "place": float(kind == "place" and (place or opens)),
        "person": float(kind == "person" and person is True),
        "container": float(inside),
        "adjective": float(bool(alone) and DETERMINED.search(text[: found.start]) is not None),
    }  # fmt: skip


def _misfit(asked: AnswerType, person: bool | None, place: bool, before: str) -> bool:
    """Whether a name is a person's where none is asked for, or none's where one is."""
    if asked.kind == "person":
        return person is False or place or before.endswith((" a ", " an "))
    return bool(person) and (asked.kind == "place" or (asked.kind in {"thing", "work"} and bool(asked.head)))


def _is_container(looks: Looks, told: Told, found: Candidate) -> bool:
    """Whether a name stands right after a place that lies in it ("Dorking in Surrey")."""
    before = [span for span in told.sentence.names if span.end <= found.start]
    if not before or not (before[-1].start == 0 or looks.place(before[-1].words)):
        return False
    return re.fullmatch(r",? ?(?:in |near |on )?", told.sentence.text[before[-1].end : found.start]) is not None


def _noun(asked: AnswerType, looks: Looks, passage: PassageView, told: Told, found: Candidate) -> float:
    """Whether the noun that was asked for stands in the candidate, in apposition to it, or in its own passage."""
    if not asked.head or asked.kind in {"date", "year", "quantity"}:
        return 0.0
    wanted, kin = forms(asked.head), relations(asked.head) if asked.kind in {"thing", "work", "number"} else frozenset()
    heads = [token for token in told.sentence.tokens if token.forms & wanted or token.relations & kin]
    if asked.kind == "number":
        after = [token for token in told.sentence.tokens if token.start >= found.end][:3]
        return float(any(token in heads for token in after))
    if found.form != "subject":
        if any(found.start <= token.start and token.end <= found.end for token in heads):
            return 1.0
        if any(_in_apposition(told, found, token.start, token.end) for token in heads):
            return 1.0
    own = passage if found.form == "subject" else looks.subjects.get(folded_words(found.text))
    if own is not None and any(token.forms & wanted for s in own.sentences[:2] for token in s.tokens):
        return 0.2 if asked.kind == "place" else 0.5
    return 0.0


def _in_apposition(told: Told, found: Candidate, start: int, end: int) -> bool:
    """Whether a noun at that place says what the candidate is: "river Mur", "town of Graz", "Gary, a steel town"."""
    text = told.sentence.text
    if end <= found.start:
        return SAID_BEFORE.fullmatch(text[end : found.start]) is not None
    gap = text[found.end : start]
    if start < found.end or any(found.end <= span.start < start for span in told.sentence.names[1:]) or ";" in gap:
        return False
    near = re.match(r",? (?:is |was )?(?:an?|the|one of the|whose) ", gap) and gap.count(" ") <= 7
    return bool(near) or (gap[:1] == "," and gap.count(" ") <= 7)


def _overlap(words: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Whether one name's words are all among the other's."""
    return bool(words and others) and (set(words) <= set(others) or set(others) <= set(words))

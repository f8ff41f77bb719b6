"""How well a candidate answers: signs between 0 and 1, and what each one weighs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from psirag.readers.rules.candidates import Candidate
from psirag.readers.rules.chains import Chain
from psirag.readers.rules.facets import Facets, Told
from psirag.readers.rules.looks import Looks
from psirag.readers.rules.named_spans import folded_words
from psirag.readers.rules.passages import PassageView
from psirag.readers.rules.questions import NAMED_THINGS, PLACES, AnswerType
from psirag.readers.rules.relation_words import Token, forms, relations
from psirag.readers.rules.roles import Form, roles
from psirag.readers.rules.word_classes import is_agent, members

WEIGHTS = {
    "covered": 5.0,
    "gained": 1.0,
    "told_here": 1.5,
    "names_missing": -1.9,
    "heaviest_missing": 0.1,
    "subject": 0.3,
    "subject_told": 1.0,
    "sentence": 0.9,
    "mixed": -1.1,
    "near": 0.6,
    "nearest": 1.2,
    "phrase": -1.6,
    "whole": 0.6,
    "short": -0.6,
    "verbal": -0.5,
    "agent": 1.0,
    "aligned": 0.6,
    "across": -0.3,
    "preposition": 1.1,
    "noun": 1.9,
    "nounless": -1.4,
    "misfit": -2.5,
    "placeless": -2.5,
    "place": 0.5,
    "person": 1.0,
    "full": 1.2,
    "opener": -1.0,
    "container": -1.0,
    "adjective": -1.5,
    "member": 2.0,
    "stranger": -2.0,
    "odd_phrase": -1.7,
    "plain_name": -0.1,
    "on_path": -1.9,
    "hops": -0.1,
    "value": 1.0,
}
SUPPORT = {
    "told_here": 0.9, "gained": 5.0, "names_missing": -2.2, "heaviest_missing": -5.0,
    "noun": 0.7, "preposition": 0.6, "member": 2.0,
}  # fmt: skip
SUPPORTED_FROM = 0.75
TYPE_SIGNS = (
    "noun",
    "nounless",
    "misfit",
    "placeless",
    "place",
    "person",
    "container",
    "adjective",
    "member",
    "stranger",
)
WATERS_AND_HEIGHTS = frozenset(
    "river stream lake sea ocean mountain mountains forest forests plateau seaport port island".split()
)
SAID_BEFORE = re.compile(r"\W{1,2}|,? (?:of|called|named|is|was|,)(?: the| an?)? ?")
DETERMINED = re.compile(r"\b(?:the|an?|his|her|its|another) $")
WAYS = frozenset("avenue square lane alley boulevard gate park mountains river falls".split())
# Nouns for what a country or continent may be.
WIDE = frozenset("country continent place location birthplace region part island state site".split())
FAR = 20.0


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


@dataclass(frozen=True)
class Scale:
    """What candidates are weighed by: the type and form asked for, the facets, and how names look."""

    asked: AnswerType
    form: Form
    facets: Facets
    looks: Looks
    passages: Mapping[int, PassageView]
    typed: bool = True

    @cached_property
    def main(self) -> frozenset[int]:
        """The facets that belong to what is asked itself."""
        return frozenset(np.flatnonzero(self.facets.main).tolist())

    def score(self, chain: Chain, told: Told, found: Candidate) -> Scored:
        """A candidate with its signs and the weighted sum of them."""
        signs = _coverage(self.facets, chain, told, found) | _nearness(self.main, told, found)
        signs |= roles(self.form, told, found, self.main)
        signs |= _kind(self.asked, self.looks, self.passages[chain.path[-1]], told, found)
        words = folded_words(found.text)
        signs["preposition"] *= 1.0 - signs["container"]
        signs["on_path"] = float(any(_overlap(words, self.passages[key].subject_words) for key in chain.path[:-1]))
        signs["hops"] = len(chain.path) - 1.0
        signs["value"] = chain.value
        total = sum(weight * signs[name] for name, weight in self._weights)
        return Scored(found, chain, told.sentence.text, signs, total)

    @cached_property
    def _weights(self) -> list[tuple[str, float]]:
        """The weight of each sign that counts."""
        return [(name, weight) for name, weight in WEIGHTS.items() if self.typed or name not in TYPE_SIGNS]


def _coverage(facets: Facets, chain: Chain, told: Told, found: Candidate) -> dict[str, float]:
    """How much of the question chain and sentence hold together; what is asked itself counts only in the sentence."""
    named, subject = len(facets.names), found.form == "subject"
    here = (chain.last if subject else told.around(found.start, found.end)).tolist()
    passed = chain.covered.tolist()
    held = gained = said = asked = names = unnamed = heaviest = 0.0
    # Plain floats: a row has about six of them, too few for arrays to be worth their calls.
    for i, (weight, main, share) in enumerate(facets.plainly):
        this, before = 0.0 if i < named else here[i], 0.0 if main else passed[i]
        covered = this if main else max(before, this * share)
        held += weight * covered
        gained += weight * (covered - before)
        heaviest = max(heaviest, weight * (1.0 - covered))
        if main:
            said, asked = said + weight * this, asked + weight
        if i < named:
            unnamed, names = unnamed + weight * (1.0 - covered), names + weight
    said /= asked or 1.0
    return {
        "covered": held,
        "gained": 0.0 if subject else gained,
        "told_here": said,
        "names_missing": unnamed / (names or 1.0),
        "heaviest_missing": heaviest,
        "subject": float(subject),
        "subject_told": said if subject else 0.0,
        "sentence": 0.0 if subject else float(facets.weights @ told.whole),
    }


def _nearness(main: frozenset[int], told: Told, found: Candidate) -> dict[str, float]:
    """How near the question's words stand, and how a phrase is cut."""
    near, nearest = FAR, FAR
    if found.form != "subject":
        for facet, _, token in told.found:
            if not (found.start <= token.start and token.end <= found.end):
                apart = told.apart(token, found.start, found.end)
                nearest = min(nearest, apart)
                near = min(near, apart) if facet in main else near
    phrase = found.form == "phrase" and found.text == found.text.lower()
    return {
        "mixed": float(found.form == "phrase" and not phrase),  # a name with a plain word
        "near": 1 / (1 + near) if near < FAR else 0.0,
        "nearest": 1 / (1 + nearest) if nearest < FAR else 0.0,
        "phrase": float(phrase),
        "whole": float(phrase and found.whole),
        "short": 1 / (1 + found.text.count(" ")) if phrase else 0.0,
        "verbal": float(phrase and found.text.endswith(("ed", "ing", "ly"))),
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
    opener = found.start == 0 and found.form == "name" and words not in looks.inside and len(words) == 1
    known = members(asked.head) if kind == "thing" or asked.head in {"country", "continent"} else frozenset()
    member = bool(words) and (words[-1] in known or ("actor" in known and is_agent(words[-1])))
    foreign = (asked.kind == "person" or bool(asked.head)) and _is_elsewhere(asked, found, words)
    return {
        "noun": noun,
        "nounless": float(bool(asked.head) and wanted and noun == 0),
        "misfit": float(foreign or _misfit(asked, person, place, text[: found.start])),
        "placeless": float(kind == "place" and not place and noun < 1 and not opens),
        "place": float(kind == "place" and (place or opens)),
        "person": float(kind == "person") * person,
        "full": float(kind == "person" and 1 < len(words) < 5 and not DETERMINED.search(text[: found.start])),
        "opener": float(kind != "thing" and opener and not (kind == "place" and place)),
        "container": float(inside),
        "adjective": float(bool(alone) and DETERMINED.search(text[: found.start]) is not None),
        "member": float(member),
        "stranger": float(bool(known) and not member),
        "odd_phrase": float(found.form == "phrase" and kind != "thing"),
        "plain_name": float(found.form in {"name", "subject"} and kind == "thing" and not asked.head),
    }  # fmt: skip


def _is_elsewhere(asked: AnswerType, found: Candidate, words: tuple[str, ...]) -> bool:
    """Whether a name is a country's where something smaller is asked for, or ends like a place's where a person is."""
    if found.form == "phrase" or not words or asked.kind not in {"person", "place", "work"}:
        return False
    if asked.kind == "person" and len(words) > 1 and words[-1] in PLACES | NAMED_THINGS | WAYS:
        return True
    alone = len(words) == 1 or (len(words) == 2 and words[0] in {"new", "north", "south", "united"})
    country = alone and words[-1] in members("country") | members("continent")
    return country and asked.head not in WIDE


def _misfit(asked: AnswerType, person: float, place: bool, before: str) -> bool:
    """Whether a name is a person's where none is asked for, or none's where one is."""
    if asked.kind == "person":
        return person < 0 or place or before.endswith((" a ", " an "))
    return person > 0 and (asked.kind == "place" or (asked.kind in {"thing", "work"} and bool(asked.head)))


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
    heads: list[Token] = []
    if told.sentence.forms & wanted or told.sentence.relations & kin:
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

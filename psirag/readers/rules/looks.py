"""What the names in the evidence are: persons, places or neither, by how they are written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from psirag.readers.rules.named_spans import MONTHS, Span, folded_words
from psirag.readers.rules.passages import PassageView, Sentence
from psirag.readers.rules.questions import PERSONS
from psirag.readers.rules.word_classes import is_agent

Words = tuple[str, ...]

PERSON_BEFORE = frozenset("by with whom mr mrs miss ms dr sir lord lady captain king queen prince princess".split())
PERSON_AFTER = re.compile(
    r",? (?:who|whose|whom)\b| (?:was|is|were) (?:born|married|buried|baptised)\b|'s (?:wife|husband|father|mother|son"
    r"|daughter|brother|sister|widow)\b| (?:wrote|died|married|said|says|directed|composed|played|sang|painted)\b"
    r"| \((?:born|b\.|c\.|\d{3,4}\b)"
)
PLACE_BEFORE = frozenset("across along at beneath from in near outside over through under".split())
BY_THE = re.compile(r"\b(?:across|along|beside|over|down|up|on|near) the $")
LIES_IN = re.compile(rf", in (?!{MONTHS})[A-Z]|, an? (?:\w+ )*(?:town|city|village)\b")


@dataclass(frozen=True)
class Looks:
    """How names are written in the evidence: after "in" or "at" like a place, after "by" or "actor" like a person."""

    places: Mapping[Words, int]
    persons: Mapping[Words, int]
    subjects: Mapping[Words, PassageView]
    inside: frozenset[Words] = field(default_factory=frozenset)
    parts: Mapping[str, int] = field(default_factory=dict)

    @staticmethod
    def of(passages: Mapping[int, PassageView]) -> Looks:
        """Count them."""
        places: Counter[Words] = Counter()
        persons: Counter[Words] = Counter()
        inside: set[Words] = set()
        for passage in passages.values():
            for words, opens, look in _written(passage):
                if not opens:
                    inside.add(words)
                if look == "person":
                    persons[words] += 1
                elif look == "place":
                    places[words] += 1
        subjects = {passage.subject_words: passage for passage in passages.values()}
        parts: Counter[str] = Counter()
        for words in [*persons, *(words for words, passage in subjects.items() if passage.is_person)]:
            parts.update({word: 1 for word in {words[0], words[-1]} if len(words) > 1})
        return Looks(places, persons, subjects, frozenset(inside), parts)

    def person(self, words: Words) -> float:
        """How surely a name is a person's, from -1 to 1; 0 when nothing tells."""
        own = self.subjects.get(words)
        seen = float(self.persons.get(words, 0) - self.places.get(words, 0))
        if own is not None and (own.is_person or not _is_untold(own, seen)):
            return 1.0 if own.is_person else -1.0
        seen += 0.5 * (bool(self.parts.get(words[-1], 0)) if words else False)
        return max(-1.0, min(1.0, seen))

    def place(self, words: Words) -> bool:
        """Whether a name is written as a place, or has a passage of its own that is not about a person."""
        own, seen = self.subjects.get(words), self.places.get(words, 0)
        if own is not None and (own.is_person or "(" in own.title_text):
            return False
        return bool(seen) or (own is not None and not _is_untold(own, self.persons.get(words, 0) - seen))


@lru_cache(maxsize=1 << 12)
def _written(passage: PassageView) -> tuple[tuple[Words, bool, str], ...]:
    """Every name in a passage: its words, whether it opens its sentence, and "person", "place" or ""."""
    return tuple(
        (
            span.words,
            span.start == 0,
            "person" if _like_a_person(sentence, span) else "place" if _like_a_place(sentence, span) else "",
        )
        for sentence in passage.sentences
        for span in sentence.names
    )


def _like_a_person(sentence: Sentence, span: Span) -> bool:
    """Whether a name stands where persons do: behind "by" or a role, before "who" or "was born"."""
    before = folded_words(sentence.text[max(0, span.start - 30) : span.start])[-1:]
    if before and (before[0] in PERSON_BEFORE | PERSONS or is_agent(before[0])):
        return True
    return before != ("the",) and PERSON_AFTER.match(sentence.text[span.end :]) is not None


def _like_a_place(sentence: Sentence, span: Span) -> bool:
    """Whether a name stands where places do: behind "in" or "at", before ", in" and another name."""
    before = folded_words(sentence.text[max(0, span.start - 30) : span.start])[-1:]
    alone = len(span.words) == 1 and (LIES_IN.match(sentence.text[span.end :]) or before == ("to",))
    return bool(alone) or bool(PLACE_BEFORE & set(before)) or (len(span.words) == 1 and _by_the(sentence, span))


def _is_untold(own: PassageView, seen: float) -> bool:
    """Whether a passage without "he" or "she" leaves open what it is about: no title, or a person's verb beside it."""
    return not own.title_text or (seen > 0 and len(own.subject_words) > 1)


def _by_the(sentence: Sentence, span: Span) -> bool:
    """Whether a name stands where waters and heights do: behind "over the" or "along the"."""
    return BY_THE.search(sentence.text[max(0, span.start - 30) : span.start]) is not None

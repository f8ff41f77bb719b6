"""A passage as the rules see it: its sentences with their words, the names in it, and whom or what it is about."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import accumulate

from psirag.corpus import split_into_sentences
from psirag.readers.protocol import Evidence
from psirag.readers.rules.named_spans import (
    FUNCTION_WORDS,
    Span,
    contains_run,
    folded_words,
    is_name,
    match_quality,
    named_spans,
    without_article,
)
from psirag.readers.rules.questions import NAMED_THINGS, PLACES
from psirag.readers.rules.relation_words import Token, tokens
from psirag.readers.rules.word_classes import is_agent

OPENING_WORDS = 24
PERSONAL = frozenset("he she his her him hers himself herself".split())


LIVES = frozenset("born birth birthplace baptised married died".split())


@dataclass(frozen=True)
class Sentence:
    """A sentence with its words, and the stems and relations among them."""

    text: str
    tokens: tuple[Token, ...]
    names: tuple[Span, ...]
    forms: frozenset[str]
    relations: frozenset[int]

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words, folded."""
        return frozenset(token.word for token in self.tokens)

    def index(self, place: int) -> int:
        """How many of its words begin before a place."""
        return bisect_left(self._starts, place)

    def apart(self, end: int, start: int) -> float:
        """Words between two places; function words and names count little, a comma as half a word."""
        if end >= start:
            return 0.0
        between = self._costs[self.index(start)] - self._costs[self.index(end)]
        return between + 0.5 * self.text.count(",", end, start) + 2.0 * self.text.count(";", end, start)

    @cached_property
    def _starts(self) -> list[int]:
        """Where its words begin."""
        return [token.start for token in self.tokens]

    @cached_property
    def _costs(self) -> list[float]:
        """What the words before each one count together."""
        named = {i for span in self.names for i in range(self.index(span.start), self.index(span.end))}
        light = (0.2 if i in named or t.word in FUNCTION_WORDS else 1.0 for i, t in enumerate(self.tokens))
        return [0.0, *accumulate(light)]


@dataclass(frozen=True)
class PassageView:
    """A passage's title and text, taken apart."""

    title_text: str
    text: str
    _named: dict[tuple[str, ...], float] = field(default_factory=dict, init=False, repr=False, compare=False)
    _about: dict[tuple[str, ...], float] = field(default_factory=dict, init=False, repr=False, compare=False)

    @staticmethod
    def of(item: Evidence) -> PassageView:
        """The view of a piece of evidence; the same text is taken apart once."""
        return _view(item.title, item.text)

    @cached_property
    def title(self) -> tuple[str, ...]:
        """Folded words of the title, without a part in brackets."""
        return folded_words(self.title_text.split("(")[0])

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All words of the text, folded."""
        return folded_words(self.text)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The words of title and text."""
        return frozenset(self.title) | frozenset(self.words)

    @cached_property
    def names(self) -> tuple[Span, ...]:
        """The names in the text, in reading order."""
        return tuple(named_spans(self.text))

    @cached_property
    def subject(self) -> str:
        """What it is about: its title without a part in brackets if that is a name, or the first name in it."""
        title = self.title_text.split(" (")[0]
        if title and (contains_run(self.words, self.title) or is_name(title)):
            return title
        return self.names[0].text if self.names else ""

    @cached_property
    def subject_words(self) -> tuple[str, ...]:
        """The subject's words, folded."""
        return folded_words(self.subject)

    @cached_property
    def is_person(self) -> bool:
        """Whether it speaks of its subject as he or she."""
        bracket = folded_words(self.title_text.partition("(")[2])
        if bracket and not any(is_agent(word) or word.isdigit() for word in bracket):
            return False
        words = self.subject_words
        if not words or words[0] in {"the", "a", "an"} or len(words) > 6 or set(words) & (NAMED_THINGS | PLACES):
            return False
        if self.subject.split()[0].isupper() and len(words[0]) > 1 and len(words) > 1:
            return False
        said = sum(word in PERSONAL for word in self.words)
        return said > 3 or (said > 0 and bool(LIVES & self.vocabulary))

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The words of the text with their stems and relations."""
        return tokens(self.text)

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """Its sentences."""
        return tuple(_sentence(self.text[start:end]) for start, end in split_into_sentences(self.text))

    def named(self, name: tuple[str, ...]) -> float:
        """How surely a name is the name of what the passage is about, in [0, 1]."""
        if name not in self._named:
            self._named[name] = self._is_named(name)
        return self._named[name]

    def about(self, name: tuple[str, ...]) -> float:
        """How surely the passage is about a name, in [0, 1]."""
        if self.vocabulary.isdisjoint(name):
            return 0.0
        if name not in self._about:
            self._about[name] = match_quality(name, self.title, self.words[:OPENING_WORDS], self.words)
        return self._about[name]

    def _is_named(self, name: tuple[str, ...]) -> float:
        """The same as `named`, worked out."""
        subject, name = without_article(self.subject_words), without_article(name)
        if not subject or not name or not set(subject) & set(name):
            return 0.0
        if subject == name:
            return 1.0
        if self.is_person:
            return 0.9 if subject[-len(name) :] == name or name[-len(subject) :] == subject else 0.0
        inner, outer = sorted((subject, name), key=len)
        return 0.8 if contains_run(outer, inner) and 2 * len(inner) >= len(outer) else 0.0


@lru_cache(maxsize=1 << 12)
def _view(title: str, text: str) -> PassageView:
    """The view of a title and a text."""
    return PassageView(title, text)


def _sentence(text: str) -> Sentence:
    """A sentence taken apart."""
    found = tokens(text)
    forms = frozenset(form for token in found for form in token.forms)
    relations = frozenset(number for token in found for number in token.relations)
    return Sentence(text.rstrip(), found, tuple(named_spans(text)), forms, relations)

"""A passage as the rules see it: its sentences with their words, the names in it, and whom or what it is about."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from psirag.corpus import split_into_sentences
from psirag.readers.protocol import Evidence
from psirag.readers.rules.named_spans import (
    Span,
    contains_run,
    folded_words,
    match_quality,
    named_spans,
    without_article,
)
from psirag.readers.rules.relation_words import Token, tokens

OPENING_WORDS = 24
PERSONAL = frozenset("he she his her him hers himself herself".split())


LIVES = frozenset("born birthplace baptised".split())


@dataclass(frozen=True)
class Sentence:
    """A sentence with its words, and the stems and relations among them."""

    text: str
    tokens: tuple[Token, ...]
    names: tuple[Span, ...]
    forms: frozenset[str]
    relations: frozenset[int]


@dataclass(frozen=True)
class PassageView:
    """A passage's title and text, taken apart."""

    title_text: str
    text: str

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
        """What it is about: its title without a part in brackets, or the first name in it."""
        if self.title_text:
            return self.title_text.split(" (")[0]
        return self.names[0].text if self.names else ""

    @cached_property
    def subject_words(self) -> tuple[str, ...]:
        """The subject's words, folded."""
        return folded_words(self.subject)

    @cached_property
    def is_person(self) -> bool:
        """Whether it speaks of its subject as he or she."""
        said = sum(word in PERSONAL for word in self.words)
        return said >= 3 or (said > 0 and bool(LIVES & self.vocabulary))

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The words of the text with their stems and relations."""
        return tokens(self.text)

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """Its sentences."""
        return tuple(_sentence(self.text[start:end]) for start, end in split_into_sentences(self.text))

    @lru_cache(maxsize=1 << 10)  # noqa: B019
    def named(self, name: tuple[str, ...]) -> float:
        """How surely a name is the name of what the passage is about, in [0, 1]."""
        subject, name = without_article(self.subject_words), without_article(name)
        if not subject or not name or not set(subject) & set(name):
            return 0.0
        if subject == name:
            return 1.0
        if self.is_person:
            return 0.9 if subject[-len(name) :] == name or name[-len(subject) :] == subject else 0.0
        inner, outer = sorted((subject, name), key=len)
        return 0.8 if contains_run(outer, inner) and 2 * len(inner) >= len(outer) else 0.0

    @lru_cache(maxsize=1 << 10)  # noqa: B019  views live in a cache of their own
    def about(self, name: tuple[str, ...]) -> float:
        """How surely the passage is about a name, in [0, 1]."""
        if not self.vocabulary.intersection(name):
            return 0.0
        return match_quality(name, self.title, self.words[:OPENING_WORDS], self.words)


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

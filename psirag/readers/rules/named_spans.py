"""Names in running text, found by their capital letters, and how well a passage's opening matches one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

WORD = re.compile(r"[^\W_]+(?:['’.\-&][^\W_]+)*")
# Lower-case words that may stand inside a name ("Duke of York", "Vincent van Gogh").
PARTICLES = frozenset("al bin da das de del der des di do dos du el ibn la las le les los of the van von y zu".split())
MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
    "|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec"
)
CALENDAR_DATE = re.compile(
    rf"\b\d{{1,2}} (?:{MONTHS})\b\.?(?: \d{{3,4}}\b)?|\b(?:{MONTHS})\b\.? \d{{1,4}}\b(?:, \d{{3,4}}\b)?"
)
CALENDAR = frozenset(
    "january february march april may june july august september october november december monday tuesday wednesday"
    " thursday friday saturday sunday".split()
)
FUNCTION_WORDS = frozenset(
    "a about after again all also although am an and another any are as at be because been before being between both"
    " but by can could did do does done during each either else ever every few first for from further had has have he"
    " her here hers him his how however i if in into is it its itself just later last least less many me more most much"
    " my name neither no nor not now of off on once one only or other our out over own per same she should since so"
    " some still such than that the their them then there these they this those through to too under until up upon us"
    " very was we were what when where whether which while who whom whose why will with within without would yes you"
    " your".split()
)
OPENING_WORDS = 24


@dataclass(frozen=True)
class Span:
    """A name in a text: as written, its words folded for comparison, and where it stands.

    Notes
    -----
    Source: ours.
    """

    text: str
    words: tuple[str, ...]
    start: int
    end: int


@lru_cache(maxsize=1 << 16)
def folded(word: str) -> str:
    """A word for comparison: no accents, lower case, no possessive ending.

    Notes
    -----
    Source: ours.

    Examples
    --------
    >>> folded("Beyoncé's")
    'beyonce'
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
    return re.sub(r"['’]s$|['’]$", "", plain.casefold()).replace("’", "'")


@lru_cache(maxsize=1 << 15)
def folded_words(text: str) -> tuple[str, ...]:
    """All words of a text, folded.

    Notes
    -----
    Source: ours.

    Examples
    --------
    >>> folded_words("St. Émile’s café")
    ('st', 'emile', 'cafe')
    """
    return tuple(folded(word) for word in WORD.findall(text))


def named_spans(text: str) -> list[Span]:
    """Names in reading order: runs of capitalised words, numbers beside them, and particles between them.

    A function word is part of a name only inside a sentence ("song When the Stars Go Blue"); dates are not names.

    Notes
    -----
    Source: ours; the paper's agent leaves names to a language model (Ψ-RAG §3.2).

    Examples
    --------
    >>> [span.text for span in named_spans("On 3 May 1920 Hugh of Tours met Ada Lee.")]
    ['Hugh of Tours', 'Ada Lee']
    """
    text = CALENDAR_DATE.sub(lambda date: "," * len(date[0]), text)
    spans: list[Span] = []
    run: list[re.Match[str]] = []
    for word in WORD.finditer(text):
        if run and not _joins(run[-1][0], text[run[-1].end() : word.start()]):
            spans += _closed(text, run)
            run = []
        if _is_capital(word[0]) or (run and word[0] in PARTICLES) or word[0][0].isdigit():
            run.append(word)
        else:
            spans += _closed(text, run)
            run = []
    return spans + _closed(text, run)


def match_quality(name: Sequence[str], title: Sequence[str], opening: Sequence[str], text: Sequence[str]) -> float:
    """How surely a passage is about a name: 1 for its title, less for its opening words, least for a mention.

    Parameters
    ----------
    name, title, opening, text : sequence of str
        Folded words of the name, of the passage's title, of its first words, and of all of it.

    Notes
    -----
    Source: ours.

    Examples
    --------
    >>> match_quality(("graz",), ("graz",), (), ()), match_quality(("graz",), ("mur",), (), ("in", "graz"))
    (1.0, 0.3)
    """
    name, title = without_article(name), without_article(title)
    if not name:
        return 0.0
    if name == title:
        return 1.0
    if without_article(opening)[: len(name)] == name:
        return 0.95
    if contains_run(without_article(opening)[: len(name) + 2], name):
        return 0.85
    if title and (contains_run(title, name) or contains_run(name, title)):
        return 0.5 + 0.4 * min(len(name), len(title)) / max(len(name), len(title))
    if contains_run(opening, name):
        return 0.6
    return 0.3 if contains_run(text, name) else 0.0


def contains_run(words: Sequence[str], run: Sequence[str]) -> bool:
    """Whether `run` stands in `words` without a gap.

    Notes
    -----
    Source: ours.

    Examples
    --------
    >>> contains_run(("a", "b", "c"), ("b", "c")), contains_run(("a", "b", "c"), ("a", "c"))
    (True, False)
    """
    words, run, size = tuple(words), tuple(run), len(run)
    if not size or run[0] not in words:
        return False
    return any(words[i : i + size] == run for i, word in enumerate(words) if word == run[0])


def without_article(words: Sequence[str]) -> tuple[str, ...]:
    """The words without a leading article.

    Notes
    -----
    Source: ours.

    Examples
    --------
    >>> without_article(("the", "blue", "ferry"))
    ('blue', 'ferry')
    """
    return tuple(words[1:] if len(words) > 1 and words[0] in {"the", "a", "an"} else words)


def is_name(title: str) -> bool:
    """Whether a title is written like a name: no word without a capital letter but small ones, and no sentence mark.

    Notes
    -----
    Source: ours.

    Examples
    --------
    >>> is_name("The Blue Ferry"), is_name("Ferry sinks in the night")
    (True, False)
    """
    words = WORD.findall(title)
    plain = [w for w in words if not _is_capital(w) and not w[0].isdigit() and folded(w) not in FUNCTION_WORDS]
    return not [w for w in plain if folded(w) not in PARTICLES]


def _is_capital(word: str) -> bool:
    """Whether a word is written like a name."""
    return word[0].isupper() or (len(word) > 2 and any(c.isupper() for c in word))


def _joins(before: str, gap: str) -> bool:
    """Whether what stands between two words keeps them in one name; a full stop does so after an initial."""
    if gap.isspace():
        return gap.count("\n") < 2
    return gap in {": ", " & "} or (gap == ". " and len(before) <= 2)


def _closed(text: str, run: list[re.Match[str]]) -> list[Span]:
    """The span of a run, trimmed to what is a name; none when nothing is left."""
    words = list(run)
    while words and (words[-1][0].islower() or words[-1][0] in PARTICLES):
        words.pop()
    while words and folded(words[0][0]) in FUNCTION_WORDS and _opens_sentence(text, words[0].start()):
        words.pop(0)
    named = [folded(word[0]) for word in words if _is_capital(word[0])]
    if all(word in FUNCTION_WORDS | CALENDAR for word in named):
        return []
    start, end = words[0].start(), words[-1].end()
    written = re.sub(r"['’][sS]?$", "", text[start:end])
    return [Span(written, tuple(folded(word[0]) for word in words), start, end)]


def _opens_sentence(text: str, position: int) -> bool:
    """Whether a sentence begins there."""
    before = text[:position].rstrip(" \"'“”‘’([")
    return not before or before[-1] in ".?!:;\n"

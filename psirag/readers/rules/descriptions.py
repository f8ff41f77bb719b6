"""Descriptions in a question ("the director of Emma"), the question that each one answers, and what takes its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from psirag.readers.rules.named_spans import FUNCTION_WORDS, folded_words
from psirag.readers.rules.questions import (
    ASKING,
    AUXILIARIES,
    BEING,
    NAMED_THINGS,
    PARTICIPLE,
    PERSONS,
    PLACES,
    PREPOSITIONS,
    RELATIVE,
    QuestionView,
)
from psirag.readers.rules.relation_words import relations, tokens
from psirag.readers.rules.word_classes import is_agent

ARTICLES = frozenset("the a an".split())
POINTING = frozenset("the that this those these".split())
OWNERS = frozenset("his her its their".split())
HUMAN = frozenset("his her he she him whom who".split())
PRONOUNS = OWNERS | frozenset("he she him it they them".split())
POSSESSIVE = ("'s", "’s", "s'", "s’")
OBJECTIVE = frozenset("that which whom where".split())
LONGEST_CLAUSE = 12


@dataclass(frozen=True)
class Description:
    """Where a description stands, the question whose answer it means, and what is kept of it ("born")."""

    start: int
    end: int
    asks: str
    kept: str = ""


@dataclass(frozen=True)
class _Item:
    """A word, or a whole name."""

    word: str
    start: int
    end: int
    name: bool
    owns: bool


def is_role(word: str) -> bool:
    """Whether a noun can head a description: a person, a place, a work or the like.

    Notes
    -----
    Source: ours.
    """
    return word in PERSONS or word in PLACES or word in NAMED_THINGS or is_agent(word)


def innermost(question: QuestionView) -> Description | None:
    """The shortest description with a name in it, or a clause without one, unless it is all that is asked.

    Notes
    -----
    Source: ours; it stands for the decomposition that Ψ-RAG §3.2 leaves to a language model.

    Examples
    --------
    >>> innermost(QuestionView("Where was the director of Emma born?")).asks
    'Who was the director of Emma?'
    """
    items = _items(question)
    start, end = question.parts[0] if len(question.parts) > 1 else question.asking
    inside = [item for item in items if start <= item.start < end]
    found = [d for i, item in enumerate(inside) if item.name for d in _around(question, inside, i)]
    best = min(found, key=lambda d: d.end - d.start, default=None)
    if best is None and len(question.parts) > 1:
        return _taken_up(question, inside, [item for item in items if item.start >= end])
    if best is None and not any(item.name for item in inside):
        clauses = (d for j, item in enumerate(inside) if item.word in RELATIVE for d in _clause(question, inside, j, j))
        best = next(clauses, None)
    return best


def replaced(question: QuestionView, description: Description, name: str) -> QuestionView:
    """The question with a name in the place of a description.

    Notes
    -----
    Source: ours.
    """
    text, start, end = question.text, description.start, description.end
    owner = "'s" if text[start:end].endswith(POSSESSIVE) or text[start:end].lower() in OWNERS else ""
    first = question.parts[1][0] if description.kept == "first part" else 0
    kept = "" if first else description.kept
    return QuestionView(f"{text[first:start]}{name}{owner}{kept}{text[end:]}", question.titles)


def _items(question: QuestionView) -> list[_Item]:
    """The question's names and the words between them."""
    text = question.text
    names = [_Item("", s.start, s.end, True, text[s.start : s.end].endswith(POSSESSIVE)) for s in question.names]
    outside = (t for t in tokens(text) if not any(a.start < t.end and t.start < a.end for a in names))
    words = [
        _Item(
            folded_words(text[t.start : t.end])[-1], t.start, t.end, False, text[t.start : t.end].endswith(POSSESSIVE)
        )
        for t in outside
    ]
    return sorted(names + words, key=lambda item: item.start)


def _around(question: QuestionView, items: list[_Item], i: int) -> Iterator[Description]:
    """The descriptions that hold the name at that place."""
    text = question.text
    if items[i].owns:
        owned = _owned(items, i)
        if owned > i:
            asks = f"{_asking(items[owned].word)} {text[items[i].start : items[owned].end]}?"
            yield from _told(question, items, i, owned, asks)
        return
    for j in range(i - 1, max(-1, i - LONGEST_CLAUSE), -1):
        word = items[j].word
        if items[j].name or word in ASKING - RELATIVE:
            return
        if word == "of" and j and is_role(items[j - 1].word):
            first = _noun_start(items, j - 1)
            asks = f"{_asking(items[j - 1].word)} {text[items[first].start : items[i].end]}?"
            yield from _told(question, items, first, i, asks)
            return
        if word in RELATIVE | {"by"} and j:
            yield from _clause(question, items, i, j)
            return


def _owned(items: list[_Item], i: int) -> int:
    """The noun that belongs to a name with "'s": the first that can head a description; i when none can."""
    last = i
    while last + 1 < len(items) and not items[last + 1].name and items[last + 1].word not in FUNCTION_WORDS:
        last += 1
        if is_role(items[last].word):
            return last
    return i


def _clause(question: QuestionView, items: list[_Item], i: int, j: int) -> Iterator[Description]:
    """A noun with a relative clause, or with a participle and "by", that holds the name at place i."""
    text, word = question.text, items[j].word
    whole = items[0].start >= question.asking[0]
    asking = next((k for k, item in enumerate(items) if item.word in ASKING and whole), -1)
    noun = j - 2 if word == "by" or (items[j - 1].word in PREPOSITIONS and j > 1) else j - 1
    preposition = f"{items[j - 1].word.capitalize()} " if noun == j - 2 and word != "by" else ""
    verb = None
    if noun > 0 and not is_role(items[noun].word) and (is_role(items[noun - 1].word) or items[noun - 1].owns):
        verb, noun = noun, noun - 1
    plain = (
        noun > asking
        and items[noun].word not in {"one", "ones"}
        and not items[noun].name
        and items[noun].word not in FUNCTION_WORDS
    )
    if not plain or j == asking or (word == "by" and not PARTICIPLE.search(items[noun + 1].word)):
        return
    last = i
    objective = all(item.word in ARTICLES for item in items[j + 1 : i]) and i > j and word in OBJECTIVE
    if word != "by" and (verb is not None or objective or not _verb_follows(items, asking, noun, i)):
        last = len(items) - 1
    head, clause = items[noun].word, text[items[j].end : items[last].end].strip()
    if word == "by":
        asks = f"Which {head} was {text[items[noun + 1].start : items[last].end]}?"
    elif word == "whose":
        asks = f"Which {head}'s {clause}?"
    else:
        led = preposition or ("In " if word == "where" else "")
        asks = f"{led}{'which' if led else 'Which'} {head} {clause}?"
    kept = f" {text[items[verb].start : items[verb].end]}" if verb is not None else ""
    yield from _told(question, items, _noun_start(items, noun), last, asks, kept)


def _verb_follows(items: list[_Item], asking: int, noun: int, i: int) -> bool:
    """Whether the verb of the question comes only behind the clause: "did the man who … die"."""
    turned = next((k for k in range(asking + 1, noun) if items[k].word in AUXILIARIES), None)
    if asking < 0 or turned is None or i + 1 >= len(items) or items[i + 1].word in AUXILIARIES:
        return False
    if items[turned].word in BEING and items[turned + 1].word in PREPOSITIONS:
        return False
    between = [item.word for item in items[turned + 1 : noun] if not item.name and item.word not in FUNCTION_WORDS]
    return not any(relations(word) and not is_role(word) for word in between)


def _noun_start(items: list[_Item], noun: int) -> int:
    """Where the noun phrase of a noun begins: at its article, else at the noun."""
    first = noun
    while first and not items[first - 1].name and items[first - 1].word not in FUNCTION_WORDS and noun - first < 3:
        first -= 1
    return first - 1 if first and items[first - 1].word in ARTICLES else noun


def _told(
    question: QuestionView, items: list[_Item], first: int, last: int, asks: str, kept: str = ""
) -> Iterator[Description]:
    """The description, when something more is asked."""
    rest = [item.word for item in items[:first] + items[last + 1 :] if not item.name]
    left = [word for word in rest if word not in FUNCTION_WORDS | ASKING | BEING]
    if left or kept or len(question.parts) > 1:
        yield Description(items[first].start, items[last].end, asks, kept)


def _taken_up(question: QuestionView, said: list[_Item], then: list[_Item]) -> Description | None:
    """What a later part takes up from the first: "a lake" as "that lake", a woman as "her"."""
    nouns = {item.word: i for i, item in enumerate(said) if i and not item.name and _is_new(said, i)}
    for j, item in enumerate(then):
        if j and item.word in nouns and then[j - 1].word in POINTING:
            return Description(then[j - 1].start, item.end, _which(question, said, nouns[item.word]), "first part")
    taken = next((item for item in then if item.word in PRONOUNS), None)
    if taken is None:
        return None
    human = taken.word in HUMAN
    fitting = [i for word, i in nouns.items() if (word in PERSONS or is_agent(word)) == human]
    if human and not fitting:
        fitting = [i for i, item in enumerate(said) if i and item.word in PERSONS and said[i - 1].word == "the"]
    if fitting:
        return Description(taken.start, taken.end, _which(question, said, fitting[-1]), "first part")
    name = next((item for item in said if item.name), None)
    if name is None or (human and any(c.isdigit() for c in question.text[name.start : name.end])):
        return None
    return Description(taken.start, taken.end, question.text[name.start : name.end].rstrip("'’s"), "first part")


def _is_new(said: list[_Item], i: int) -> bool:
    """Whether a noun is brought in by "a" or "an", a few words before."""
    for item in reversed(said[max(0, i - 3) : i]):
        if item.word in {"a", "an", "another"}:
            return True
        if item.name or item.word in FUNCTION_WORDS:
            return False
    return False


def _which(question: QuestionView, said: list[_Item], noun: int) -> str:
    """The question that asks for a noun of a statement: "Which lake did … above?"."""
    first = next(i for i in range(noun - 1, -1, -1) if said[i].word in {"a", "an", "another", "the"})
    text = question.text
    before, after = text[said[0].start : said[first].start].strip(), text[said[noun].end : said[-1].end].strip()
    return f"Which {text[said[first].end : said[noun].end].strip()} {before} {after}?"


def _asking(noun: str) -> str:
    """The words that ask for what a noun means."""
    return "Who was" if noun in PERSONS or is_agent(noun) else "What was"

"""A question as the rules see it: its names, its other words that carry meaning, and the sort of answer it asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Literal

from psirag.readers.rules.dates import number_value
from psirag.readers.rules.named_spans import FUNCTION_WORDS, Span, folded_words, named_spans
from psirag.readers.rules.relation_words import Token, tokens
from psirag.readers.rules.word_classes import is_agent, members

Kind = Literal["person", "place", "date", "year", "number", "quantity", "work", "thing", "choice", "yes_no"]

ASKING = frozenset("who whom whose what which when where why how name".split())
AUXILIARIES = frozenset("are can could did do does had has have is was were will would".split())
RELATIVE = frozenset("who whom whose which that where".split())
OBJECT_RELATIVE = frozenset("where which whom that".split())
PREPOSITIONS = frozenset("of over beside for to from by in on at with about into after before".split())
PLACES = frozenset(
    "part city town village country place capital state birthplace site island continent district part county province"
    " region location river stream lake sea ocean mountain mountains forest forests plateau seaport port street area"
    " hometown harbour valley".split()
)
PERSONS = frozenset(
    "maker sculptor discoverer founder designer person man woman king queen emperor actor actress director composer"
    " author writer painter architect engineer singer musician producer brother sister father mother son daughter"
    " child husband wife thief captain officer athlete star virtuoso baker president novelist poet inventor scientist"
    " explorer footballer player partner friend nephew uncle aunt cousin grandfather grandmother shipwright performer"
    " soprano producers actors colleague idol rival teacher pupil student assistant mentor successor predecessor"
    " lover guest hero heroine leader head owner buyer seller winner loser champion finalist scorer neighbour"
    " stepfather stepmother father-in-law mother-in-law brother-in-law sister-in-law boy girl lady gentleman".split()
)
NAMED_THINGS = frozenset(
    "film movie song book novel story opera album musical series play documentary work poem magazine newspaper"
    " painting institution school university college company band club team museum ship boat craft sloop spacecraft"
    " vessel aircraft bridge building theatre dam station palace church award prize party operas symphony house"
    " hall".split()
)
KINSHIP = frozenset(
    "brother sister father mother son daughter child husband wife partner friend nephew uncle aunt cousin grandfather"
    " grandmother stepfather stepmother father-in-law mother-in-law brother-in-law sister-in-law".split()
)
DATES = frozenset("date day".split())
YEARS = frozenset("year century decade".split())
UNITS = {
    "long": "extent", "tall": "length", "high": "length", "wide": "length", "deep": "length", "far": "length",
    "old": "age", "often": "times", "heavy": "weight", "fast": "speed",
}  # fmt: skip
AMOUNTS = {
    "age": "age", "height": "length", "length": "extent", "width": "length", "depth": "length", "distance": "length",
    "weight": "weight", "speed": "speed", "price": "amount", "cost": "amount", "fee": "amount", "sum": "amount",
    "salary": "amount", "amount": "amount", "rate": "amount",
}  # fmt: skip
STOPS = AUXILIARIES | PREPOSITIONS | RELATIVE
STOPS |= frozenset("above below under over near behind beneath through across during per against not and".split())
PAYING = frozenset("pay cost earn".split())
COUNTS = frozenset("number population attendance".split())
KINDS = frozenset("kind sort type breed species form".split())
# Words that say what sort of answer is wanted, not what has to stand in the evidence.
WORDING = DATES | YEARS | frozenset("name place kind sort time times number called both same common".split())
MORE_FUNCTION_WORDS = frozenset(
    "beneath beside beyond among across along toward towards near ever much also somebody someone anyone".split()
)


SUBORDINATE = frozenset("before after when while because if until since".split())
DETERMINERS = frozenset("the a an his her its their this that other of".split())


LIGHT = frozenset("held given made taken".split())
BEING = frozenset("is are was were".split())
PARTICIPLE = re.compile(r"(?:ed|en|orn|eld|ght|ung|uilt|ade|ound|one|unk)$")


def _is_verb(token: Token, *, passive: bool) -> bool:
    """Whether a word may be the verb that belongs to an auxiliary."""
    return bool(PARTICIPLE.search(token.word)) if passive else bool(token.relations)


def _outer(rest: list[Token]) -> list[Token]:
    """The tokens before the first description of a noun ("of …", "who …")."""
    return rest[: next((i for i, token in enumerate(rest) if i and token.word in RELATIVE | {"of"}), len(rest))]


def _clause(rest: list[Token]) -> list[Token]:
    """The tokens up to the first preposition behind the verb."""
    return rest[: next((i for i, token in enumerate(rest) if i > 1 and token.word in PREPOSITIONS), len(rest))]


@dataclass(frozen=True)
class AnswerType:
    """The sort of answer asked for, and the noun that names it ("river" in "Which river …?"), if there is one."""

    kind: Kind
    head: str = ""
    pair: bool = False


@dataclass(frozen=True)
class Cue:
    """A word of the question that the evidence should hold; `main` when it belongs to what is asked itself."""

    token: Token
    main: bool
    order: float = 1.0


@dataclass(frozen=True)
class QuestionView:
    """A question with its names, its cues and its answer type."""

    text: str
    titles: frozenset[tuple[str, ...]] = frozenset()

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All words, folded."""
        return folded_words(self.text)

    @cached_property
    def names(self) -> tuple[Span, ...]:
        """The names in it, in order, each once."""
        found = [span for span in named_spans(self.text) if not set(span.words) <= MORE_FUNCTION_WORDS]
        titled = self._titled
        inside = [span for span in found if not any(a.start < span.end and span.start < a.end for a in titled)]
        return tuple({span.words: span for span in sorted(inside + titled, key=lambda span: span.start)}.values())

    @cached_property
    def _titled(self) -> list[Span]:
        """Where titles stand in it, the longest first, none across another."""
        words, spans = tokens(self.text), list[Span]()
        said = {token.word for token in words}
        titles = (title for title in self.titles if said.issuperset(title))
        for title in sorted(titles, key=lambda title: (-len(title), title)):
            for some in (words[i : i + len(title)] for i in range(len(words) - len(title) + 1)):
                free = not any(a.start < some[-1].end and some[0].start < a.end for a in spans)
                if tuple(token.word for token in some) == title and free:
                    start, end = some[0].start, some[-1].end
                    spans.append(Span(re.sub(r"['’][sS]?$", "", self.text[start:end]), title, start, end))
        return spans

    @cached_property
    def asking(self) -> tuple[int, int]:
        """Where the part that asks stands: the last sentence with an asking word, else the last sentence."""
        asking = [part for part in self.parts if ASKING & set(folded_words(self.text[part[0] : part[1]]))]
        return (asking or self.parts)[-1]

    @cached_property
    def parts(self) -> list[tuple[int, int]]:
        """Where its sentences and clauses between semicolons stand."""
        ends = [0, *(mark.end() for mark in re.finditer(r"(?<! [A-Z])[.?!;]+(?:\s+|$)", self.text)), len(self.text)]
        return [(a, b) for a, b in pairwise(ends) if self.text[a:b].strip()] or [(0, 0)]

    @cached_property
    def type(self) -> AnswerType:
        """The sort of answer asked for."""
        found = answer_type(self)
        return replace(found, pair=any(a in {"which", "what"} and b == "two" for a, b in pairwise(self.words)))

    @cached_property
    def cues(self) -> tuple[Cue, ...]:
        """Content words outside the names and outside the wording of what sort of answer is asked for, each once."""
        named = [(span.start, span.end) for span in self.names]
        skipped = FUNCTION_WORDS | MORE_FUNCTION_WORDS | WORDING | {self.type.head if self.type.head in PLACES else ""}
        main = self._main
        found: dict[str, Cue] = {}
        for token in tokens(self.text):
            inside = any(start <= token.start < end for start, end in named)
            if not inside and token.word not in skipped:
                earlier = found.get(token.word)
                asked = (token.start, token.end) in main or (earlier is not None and earlier.main)
                found[token.word] = Cue(token, asked, earlier.order if earlier else self._place(token))
        if not found:
            called = (token for token in tokens(self.text) if token.word in {"called", "named", "name", "known"})
            found = {token.word: Cue(token, main=True) for token in called}
        places = sorted({cue.order for cue in found.values() if not cue.main})
        return tuple(
            replace(cue, order=1.0 if cue.main else places.index(cue.order) / len(places)) for cue in found.values()
        )

    def _place(self, token: Token) -> float:
        """When what the token tells is found out: sentence by sentence, in each the innermost description first."""
        start = max(part[0] for part in self.parts if part[0] <= token.start)
        between = [other.word for other in tokens(self.text) if start <= other.start < token.start]
        skip = next((i for i, word in enumerate(between) if word in ASKING), -1) if start == self.asking[0] else -1
        return start - sum(word in RELATIVE | {"of"} for word in between[skip + 1 :]) / 10

    @cached_property
    def _main(self) -> frozenset[tuple[int, int]]:
        """Places of the words that say what is asked itself, as against what describes the things in it."""
        start, end = self.asking
        asked = [token for token in tokens(self.text) if start <= token.start < end]
        first = next((i for i, token in enumerate(asked) if token.word in ASKING), -1)
        before, rest = asked[:first] if first > 0 else [], asked[first + 1 :]
        turned = next((i for i, token in enumerate(rest[:7]) if token.word in AUXILIARIES), None)
        if turned is not None and any(token.word in RELATIVE for token in rest[:turned]):
            turned = None
        if turned is None and self._content(before) and not self._content(rest, self.type.head):
            main = self._content(before)[-1:]
        elif turned is None or self._content(rest[:turned], self.type.head, 2):
            main = self._content(_clause(_outer(rest)), self.type.head)
        else:
            main = self._verb(rest[turned].word, rest[turned + 1 :])
        return frozenset((token.start, token.end) for token in main)

    def _verb(self, auxiliary: str, rest: list[Token]) -> list[Token]:
        """After an auxiliary: the verb before or behind its subject's description, else what the subject is."""
        rest = rest[: next((i for i, token in enumerate(rest) if i and token.word in SUBORDINATE), len(rest))]
        outer = _outer(rest)
        named = [span.end for span in self.names if rest and rest[0].start <= span.start <= rest[-1].start]
        if len(outer) == len(rest):
            after = self._content([t for t in rest if t.start >= named[0] - 2]) if named else []
            if len(after) > 1 and self.text[: after[0].start].endswith(("'s ", "’s ", "' ")):
                after = after[1:]
            return after or self._content(rest)
        passive = auxiliary in BEING or rest[0].word == "be"
        for i in range(1, len(rest) - 1):
            token, then = rest[i], rest[i + 1 : i + 3]
            described = then[0].word in RELATIVE or (then[0].word in PREPOSITIONS and then[-1].word in RELATIVE)
            plain = rest[i - 1].word not in DETERMINERS and not self._in_name(token)
            described = described or (passive and then[0].word == "of")
            if plain and described and _is_verb(token, passive=passive):
                return self._content(rest[: i + 1]) if token.word in LIGHT else [token]
        content = self._content(rest)
        tail = [token for token in content if token.start >= named[-1]][-3:] if named else content[-1:]
        if passive:
            tail = [token for token in tail[-1:] if _is_verb(token, passive=True) and not self._told_of_a_noun(rest)]
        return tail or self._content(outer)

    def _told_of_a_noun(self, rest: list[Token]) -> bool:
        """Whether the last verb belongs to a noun's description that has a subject of its own ("where Haydn died")."""
        opened = next((i for i, token in enumerate(rest) if token.word in OBJECT_RELATIVE), None)
        return opened is not None and opened + 1 < len(rest) - 1 and self._in_name(rest[opened + 1])

    def _content(self, some: list[Token], head: str = "", more_than: int = 0) -> list[Token]:
        """The tokens that carry meaning, outside names, or none when there are not more than so many."""
        skipped = FUNCTION_WORDS | MORE_FUNCTION_WORDS | WORDING | {head}
        found = [t for t in some if t.word not in skipped and not self._in_name(t) and not t.word[0].isdigit()]
        return found if len(found) > more_than else []

    def _in_name(self, token: Token) -> bool:
        """Whether a token is part of a name."""
        return any(span.start <= token.start < span.end for span in self.names)


def answer_type(question: QuestionView) -> AnswerType:
    """The sort of answer, from the asking word and the noun beside it.

    Notes
    -----
    Source: ours; answer types as in open question answering at large.

    Examples
    --------
    >>> [answer_type(QuestionView(q)).kind for q in ("In which year did it open?", "Is Ada older than Bo?", "Who won?")]
    ['year', 'yes_no', 'person']
    """
    start, end = question.asking
    said = [token for token in tokens(question.text) if start <= token.start < end]
    words = tuple(token.word for token in said)
    if not words:
        return AnswerType("thing")
    if len(question.names) > 1 and _offers_options(question):
        return AnswerType("choice")
    if words[0] in AUXILIARIES:
        return AnswerType("yes_no")
    asked = next((i for i, word in enumerate(words) if word in ASKING), None)
    if asked is None:
        return AnswerType("thing")
    word, rest = words[asked], words[asked + 1 :]
    if word in {"who", "whom", "whose"}:
        return AnswerType("person")
    if word in {"when", "where"}:
        return AnswerType("date" if word == "when" else "place")
    if word == "how":
        return _how(rest)
    if rest[:1] and rest[0] in AUXILIARIES and PAYING & set(rest):
        return AnswerType("quantity", "amount")
    return _typed(*_asked_noun(question, said[asked + 1 :], said[:asked]))


def _offers_options(question: QuestionView) -> bool:
    """Whether the question lets choose between two things and asks which of them."""
    words = question.words
    if words[0] in AUXILIARIES:
        return False
    paired = " or " in question.text or words[0] in {"of", "between"} or "of the two" in question.text
    return bool(paired and {"who", "which", "whose", "what"} & set(words))


def _how(rest: tuple[str, ...]) -> AnswerType:
    """The type after "how"."""
    if rest and rest[0] == "much":
        return AnswerType("quantity", "amount")
    if rest and rest[0] == "many":
        return AnswerType("number", rest[1] if len(rest) > 1 and rest[1] not in AUXILIARIES else "")
    if rest and rest[0] in UNITS:
        return AnswerType("quantity", UNITS[rest[0]])
    return AnswerType("thing")


def _asked_noun(question: QuestionView, rest: list[Token], before: list[Token]) -> tuple[str, str]:
    """The nouns that say what is asked for: "town" in "which old town was", "height" in "what was the height of"."""
    if not rest:
        return _last_noun(question, before or [t for t in tokens(question.text) if t.end <= question.asking[0]]), ""
    if rest[0].word in {"is", "was", "are", "were"}:
        if rest[-1].word in {"called", "named"}:
            return ("person" if {"he", "she"} & {t.word for t in rest} else _last_noun(question, rest[:-1])), ""
        named = len(rest) > 2 and any(span.start <= rest[2].start < span.end for span in question.names)
        if (
            len(rest) > 1
            and not named
            and (rest[1].word in DETERMINERS or question.text[: rest[1].end].endswith(("'s", "’s")))
        ):
            phrase = rest[2:]
            if phrase and phrase[0].word == "name" and len(phrase) > 2 and phrase[1].word == "of":
                phrase = phrase[3:] if phrase[2].word in DETERMINERS else phrase[2:]
            return _last_noun(question, _phrase(question, phrase)), ""
        owned = next((i for i, t in enumerate(rest) if question.text[t.start : t.end].endswith(("'s", "’s"))), None)
        return ("", "") if owned is None else (_last_noun(question, _phrase(question, rest[owned + 1 :])), "")
    if rest[0].word in KINDS and len(rest) > 2 and rest[1].word == "of":
        rest = rest[2:]
    if rest[0].word == "of":
        return "", ""
    phrase = _phrase(question, rest)
    then = rest[len(phrase)].word if len(phrase) < len(rest) else ""
    content = [t for t in phrase if t.word not in FUNCTION_WORDS and number_value(t.word) is None]
    known = [t.word for t in content if t.word in PLACES | PERSONS | DATES | YEARS | NAMED_THINGS or members(t.word)]
    if then not in AUXILIARIES and len(content) > 1 and not (known and known[0] == content[-1].word):
        content = content[:-1]
    return (content[-1].word if content else ""), (known[0] if known else "")


def _phrase(question: QuestionView, rest: list[Token]) -> list[Token]:
    """The words up to the first that cannot belong to a noun phrase: an auxiliary, a preposition, a name behind it."""
    behind = False
    for i, token in enumerate(rest):
        named = any(span.start <= token.start < span.end for span in question.names)
        own = token.word in STOPS or (i and token.word in DETERMINERS) or (i and number_value(token.word) is not None)
        if own or (behind and named):
            return rest[: i - 1] if i > 1 and token.word == "by" and rest[i - 1].word.endswith("ed") else rest[:i]
        behind = behind or not named
    return rest


def _last_noun(question: QuestionView, some: list[Token]) -> str:
    """The last word that carries meaning and is not in a name."""
    outside = (t for t in reversed(some) if not any(span.start <= t.start < span.end for span in question.names))
    return next((t.word for t in outside if t.word not in FUNCTION_WORDS), "")


def _typed(head: str, other: str) -> AnswerType:
    """The type for a noun, or for another noun of its phrase when that one tells more."""
    for noun in (head, other):
        if noun in PLACES:
            return AnswerType("place", noun)
        if noun in DATES | YEARS:
            return AnswerType("date" if noun in DATES else "year", noun)
        if noun in AMOUNTS:
            return AnswerType("quantity", AMOUNTS[noun])
        if noun in COUNTS:
            return AnswerType("number", noun)
        if noun in NAMED_THINGS:
            return AnswerType("work", noun)
        if noun in PERSONS or (is_agent(noun) and not members(noun)):
            return AnswerType("person", noun)
    return AnswerType("thing", head)

"""Comparing two things: which comes first, which is more, and whether both share something."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from psirag.readers.rules.dates import DATE, date_value, number_value
from psirag.readers.rules.named_spans import FUNCTION_WORDS, contains_run, folded_words, without_article
from psirag.readers.rules.passages import PassageView, Sentence
from psirag.readers.rules.questions import PERSONS, PLACES, QuestionView
from psirag.readers.rules.relation_words import Token, tokens
from psirag.readers.rules.spans import Reading

EARLY = frozenset("before earlier earliest elder eldest first older oldest sooner".split())
LATE = frozenset("after last later latest newer newest recent younger youngest".split())
OLD = frozenset("elder eldest older oldest younger youngest".split())
MORE = frozenset("more most longer longest taller tallest higher highest greater wider larger bigger deeper".split())
LESS = frozenset("fewer fewest less least shorter shortest smaller lower narrower".split())
# A claim is stated when a sentence holds this share of its words, and hinted at, so not so, from the lower one on.
STATED, HINTED = 0.6, 0.4
AGES = frozenset("lived live age reached".split())
SHARED = frozenset("same both common share shared also alike".split())
DENIALS = frozenset("never not no nobody none without refused declined nothing failed".split())
# What may go on with the sentence after the second thing.
GOING_ON = "born|located|situated|win|won|have|has|from the same|given|empty|natives|share"
AGE = re.compile(r"(?:lived to(?: be)?|aged|at the age of|died at|at) ([a-z]+(?:-[a-z]+)?(?: (?:and )?[a-z]+)*|\d+)")
ASKED = frozenset("who which what whose of between two".split())


@dataclass(frozen=True)
class Verdict:
    """A short answer with the sentence that decided it."""

    text: str
    sentence: str


@dataclass(frozen=True)
class Option:
    """One of the things compared: how the question names it, and the passage about it."""

    text: str
    passage: PassageView
    described: bool
    alone: bool = False


def compare(question: QuestionView, reading: Reading) -> Verdict | None:
    """The option that a comparison picks, or None when the evidence does not hold both values."""
    options = find_options(question, reading)
    if len(options) < 2:
        return None
    order = _order(question, options, reading)
    if order is None:
        return None
    picked, sentence = order
    text = picked.passage.subject if picked.described else picked.text
    return Verdict(text, sentence)


def decide_yes_no(question: QuestionView, reading: Reading) -> Verdict | None:
    """Yes or no: by comparing values, by something shared, or by a sentence that says it."""
    words = set(question.words)
    options = find_options(question, reading)
    if len(options) > 1 and SHARED & words:
        return _share(question, options, reading)
    if len(options) > 1 and (EARLY | LATE | MORE | LESS) & words:
        order = _order(question, options, reading)
        return None if order is None else Verdict("yes" if order[0] == options[0] else "no", order[1])
    return _stated(question, reading)


def find_options(question: QuestionView, reading: Reading) -> list[Option]:
    """The two things compared, each resolved to a passage: by its name, or by answering "Who is …?"."""
    found: list[Option] = []
    for text in _halves(question):
        option = _resolve(text, reading)
        if option is not None and all(option.passage is not other.passage for other in found):
            found.append(option)
    mixed = any(option.described for option in found)
    return [replace(option, alone=mixed) for option in found]


def _halves(question: QuestionView) -> list[str]:
    """The texts of the two things: around "or", else around "than", "and", "before" or "after"."""
    text = re.sub(r"[?.]\s*$", "", question.text)
    names = question.names
    for joint in (" or ", " than ", " and ", " before ", " after "):
        for found in re.finditer(joint, text):
            inside = any(span.start < found.start() < span.end for span in names)
            left, right = text[: found.start()], text[found.end() :]
            if not inside and any(s.end <= found.start() for s in names) and any(s.start >= found.end() for s in names):
                return _distributed(_tail(left), _lead(right))
    return [span.text for span in names[:2]]


def _distributed(left: str, right: str) -> list[str]:
    """From "the authors of Emma" and "Ulysses" to "the author of Emma" and "the author of Ulysses"."""
    shared = re.match(r"(?:the )?((?:\w+ )*?(\w+)s of (?:the \w+ of )?)(?=[A-Z]|the [A-Z])", left)
    if shared is None or shared[2].lower() not in PERSONS:
        return [left, right]
    description = f"the {shared[2]} of "
    return [description + left[shared.end() :], description + right]


def _tail(text: str) -> str:
    """The noun phrase that ends a text: after the last comma or colon and without the words that begin a question."""
    piece = re.split(r"[,:;]\s|\bout of\s|\bfirst,?\s|\blater,?\s", text)[-1]
    piece = re.sub(r"^(?:Is|Are|Was|Were|Do|Does|Did|Has|Have|Can)\s(?:both\s(?:\w+\s(?=[A-Z]))?)?", "", piece)
    piece = re.sub(r"^(?:Of|Between)\s", "", piece)
    return re.sub(r"\s(?:born|older|younger|longer|a longer|taller|die|died)\b.*$", "", piece).strip()


def _lead(text: str) -> str:
    """The noun phrase that begins a text: up to a comma, a colon, or a word that goes on with the sentence."""
    return re.split(rf"[,:;]\s|\s(?:{GOING_ON})\b", text)[0]


def _resolve(text: str, reading: Reading) -> Option | None:
    """The passage that a name or a description means."""
    view = QuestionView(text)
    words = [word for word in view.words if word not in FUNCTION_WORDS]
    names = view.names
    named = {word for span in names for word in span.words}
    if names and all(word in named for word in words):
        passage = reading.about(view.words) or next(filter(None, (reading.about(n.words) for n in names)), None)
        return None if passage is None else Option(text, passage, described=False)
    passage = reading.meant(text)
    return None if passage is None else Option(passage.subject, passage, described=True)


def _order(question: QuestionView, options: list[Option], reading: Reading) -> tuple[Option, str] | None:
    """The option whose value comes first as the question has it."""
    words = set(question.words)
    value, sign = _measure(words)
    first, second = value(question, options[0], reading), value(question, options[1], reading)
    if first is None or second is None or first[0] == second[0]:
        return None
    picked = 0 if (first[0] < second[0]) == (sign > 0) else 1
    return options[picked], (first, second)[picked][1]


Measured = tuple[tuple[float, ...], str] | None


def _measure(words: set[str]) -> tuple[Callable[[QuestionView, Option, Reading], Measured], int]:
    """What to compare, and whether the smaller (1) or the larger (-1) is asked for."""
    if AGES & words and (MORE | LESS) & words:
        return _age, -1 if MORE & words else 1
    if (MORE | LESS) & words and not (EARLY | LATE) & words:
        return _amount, -1 if MORE & words else 1
    return _moment, -1 if LATE & words and not EARLY & words else 1


def _moment(question: QuestionView, option: Option, reading: Reading) -> Measured:
    """The date that the question asks for of an option: of its birth, or of what the question's verb says."""
    passage = _meant(question, option, reading)
    return _date_in(
        passage, "born" if OLD & set(question.words) and passage.is_person else _verb(question, option), reading
    )


def _meant(question: QuestionView, option: Option, reading: Reading) -> PassageView:
    """The passage of what is compared: the option's own, or its director's when directors are compared."""
    noun = "" if option.described or option.alone else _noun_between(question)
    if not noun:
        return option.passage
    return reading.meant(f"the {noun} of {option.text}") or option.passage


def _date_in(passage: PassageView, verb: str, reading: Reading) -> Measured:
    """The date of what the verb says in a passage, or else the first date in it."""
    found = reading.only(passage).best(QuestionView(f"When was {passage.subject} {verb}?"))
    if found is not None and found.signs["told_here"] > 0 and (moment := date_value(found.candidate.text)):
        return moment, found.sentence
    dated = (date_value(date[0]) for date in DATE.finditer(passage.text))
    first = next((moment for moment in dated if moment is not None), None)
    return None if first is None else (first, passage.text)


def _age(_question: QuestionView, option: Option, _reading: Reading) -> Measured:
    """An option's age at death: stated, or from the years of birth and death."""
    for sentence in option.passage.sentences:
        stated = AGE.search(sentence.text)
        value = number_value(stated[1]) if stated else None
        if value is not None and 10 < value < 125 and ("lived" in sentence.text or "died" in sentence.text):
            return (value,), sentence.text
    return _lifespan(option)


def _lifespan(option: Option) -> Measured:
    """The years between the first two dates of a passage, as reference works give birth and death."""
    years = [int(year) for year in re.findall(r"\b1\d{3}\b|\b20\d{2}\b", option.passage.text)][:2]
    return ((float(years[1] - years[0]),), option.passage.text) if len(years) == 2 and years[1] > years[0] else None


def _amount(question: QuestionView, option: Option, reading: Reading) -> Measured:
    """The number that the question compares: with a unit for length, else of the noun after "more"."""
    words = question.words
    noun = next((words[i + 1] for i, word in enumerate(words[:-1]) if word in {"more", "most", "fewer"}), "")
    text = f"How many {noun} does {option.passage.subject} have?" if noun else f"How long is {option.passage.subject}?"
    found = reading.only(option.passage).best(QuestionView(text))
    number = (
        re.match(r"[\d,.]+|[a-z-]+(?: (?:hundred|thousand|million))?", found.candidate.text.lower()) if found else None
    )
    value = number_value(number[0]) if number else None
    return None if value is None or found is None else ((value,), found.sentence)


def _verb(question: QuestionView, option: Option) -> str:
    """The words of the question that say what is dated."""
    skipped = FUNCTION_WORDS | EARLY | LATE | MORE | ASKED | SHARED | PLACES | {"year"} | set(folded_words(option.text))
    named = {word for span in question.names for word in span.words}
    kept = [t.word for t in tokens(question.text) if t.word not in skipped | named]
    return " ".join(word for word in kept if word in {"born", "died", "die", "birth"}) or (
        "born" if {"native", "natives"} & set(kept) else " ".join(kept)
    )


def _noun_between(question: QuestionView) -> str:
    """The noun "director" when the question compares the directors of what it names, else ""."""
    named = {word for span in question.names for word in span.words}
    nouns = [word.rstrip("s") for word in question.words if word.rstrip("s") in PERSONS and word not in named]
    return nouns[0] if nouns and nouns[0] not in {"person", "man", "woman"} else ""


def _share(question: QuestionView, options: list[Option], reading: Reading) -> Verdict | None:
    """Whether the two have the place that is asked for in common, or else a name or a year told of both."""
    passages = [_meant(question, option, reading) for option in options[:2]]
    noun = next((b for a, b in pairwise(question.words) if a == "same"), "")
    if noun in PLACES and noun != "country":
        found = [reading.only(p).best(QuestionView(f"In which {noun} was {p.subject} {_verb(question, o)}?"))
                 for p, o in zip(passages, options, strict=False)]  # fmt: skip
        if found[0] is None or found[1] is None:
            return None
        texts = [folded_words(scored.candidate.text) for scored in found if scored is not None]
        return Verdict("yes" if texts[0] == texts[1] else "no", found[0].sentence)
    sides = [_told_of(question, passage, noun) for passage in passages]
    if not all(values for values, _ in sides):
        return None
    return Verdict("yes" if sides[0][0] & sides[1][0] else "no", sides[0][1])


def _told_of(question: QuestionView, passage: PassageView, noun: str) -> tuple[set[tuple[str, ...]], str]:
    """The names (or years) in the sentences of a passage that fit the question best."""
    cues = [cue.token for cue in question.cues if cue.token.word not in SHARED | {noun}]
    ranked = sorted(passage.sentences, key=lambda s: -_fit(cues, s))
    if not ranked:
        return set(), ""
    best = [s for s in ranked if _fit(cues, s) == _fit(cues, ranked[0])][:2]
    if noun == "year":
        return {(year,) for s in best for year in re.findall(r"\b1\d{3}\b|\b20\d{2}\b", s.text)}, best[0].text
    asked = {word for span in question.names for word in span.words}
    names_told = {span.words for s in best for span in s.names if not set(span.words) & asked}
    return names_told - {passage.subject_words}, best[0].text


def _fit(cues: Sequence[Token], sentence: Sentence) -> float:
    """How many of the cues a sentence holds."""
    return sum(1.0 if c.forms & sentence.forms else 0.8 if c.relations & sentence.relations else 0.0 for c in cues)


def _stated(question: QuestionView, reading: Reading) -> Verdict | None:
    """Yes when a passage about what is named says it, no when it denies it."""
    names = question.names
    passage = next(filter(None, (reading.about(name.words) for name in names)), None)
    if passage is None:
        return None
    cues = [cue.token for cue in question.cues]
    best = max(passage.sentences, key=lambda s: _fit(cues, s), default=None)
    held = {span.words: contains_run(passage.words + passage.title, without_article(span.words)) for span in names}
    if best is None or not cues or not all(held.values()):
        return None
    said = _fit(cues, best) / len(cues)
    if said < HINTED:
        return None
    denied = DENIALS & {token.word for token in best.tokens} and not DENIALS & set(question.words)
    return Verdict("no" if denied or said < STATED else "yes", best.text)

"""Words that tell the same relation: by stem, by their first letters, or as listed forms of one relation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from psirag.readers.rules.named_spans import WORD, folded

# Everyday words for one relation, whichever side it is told from.
RELATIONS = tuple(
    frozenset(line.split())
    for line in """
    born birth birthplace birthday native natal come
    died die death dead deathplace killed murdered drowned perished
    married marry marriage wed wedding wife husband spouse widow widower bride partner
    father mother parent son daughter child children offspring baby
    brother sister sibling elder younger
    grandfather grandmother grandson granddaughter grandparent
    director directed directing filmmaker maker made filmed
    producer produced financed backed
    composer composed score scored music tune symphony
    author writer wrote written novelist novel book poet penned
    singer sang sung performer performed recorded song album vocalist
    actor actress played plays portrayed starred star role part cast lead leading heroine
    architect designer designed engineer drew drawn plans built build constructed
    founder founded established
    inventor invented patented created creator developed
    discoverer discovered discovery found find
    painter painted painting picture portrait canvas artist
    sculptor sculpted statue
    won winner win winning victory champion gold beat
    received receive awarded award awards oscar oscars prize prizes given brought collected honoured
    opened opening inaugurated opens
    released release appeared published publication premiere premiered
    flows flow runs run passes crosses empties enters
    rises rise begins begin springs spring starts start source
    joins join meets mingles gives joined
    ends end mouth reaches
    stands stand lies lie located situated hangs bank
    call calls called named nickname nicknamed known term coined name
    studied study educated trained school university college attended graduated
    worked work employed taught professor
    captain commanded commander led leader
    sank sink sunk sinks
    bought buyer paid pay purchased sold cost
    divorced divorce separated former
    nationality citizen country national
    movie film picture documentary
    term word
    tall height high
    wide width span
    long length longest longer
    old age aged lived died
    """.strip().splitlines()
)
# What is said in several words, and the one word that stands for it.
PHRASES = {
    "born": r"\b(?:came|come|comes) into the world|\b(?:first )?(?:see|sees|saw|seen) the light(?: of day)?"
    r"|\bstarted life|\barrived (?:in|on)\b|\bhome ?town|\bnative (?:town|city)",
    "died": r"\bcarried (?:him |her |them )?off|\bended (?:his|her|their) life|\bt(?:oo|a)ke? (?:his|her) own life"
    r"|\bfinished (?:him|her) at|\bmeet (?:his|her) death|\blived to\b|\bpassed away",
    "released": r"\bcame out|\bcome out|\bcomes out|\breached cinemas",
    "sank": r"\bwent down|\bgo down|\bgoes down",
    "married": r"\bman and wife",
    "designed": r"\bput up|\bdrew up",
    "played": r"\btitle (?:part|role)",
}
_PHRASE = {word: re.compile(pattern, re.IGNORECASE) for word, pattern in PHRASES.items()}
PREFIX = 5
# Verbs whose past forms have another stem: the base form, the past, and the participle where it differs.
IRREGULAR = {
    past: line.split("-")[0]
    for line in """
    be-was-were-been bear-bore-borne beat-beaten become-became begin-began-begun bend-bent bind-bound
    bite-bit-bitten bleed-bled blow-blew-blown break-broke-broken bring-brought build-built burn-burnt
    buy-bought catch-caught choose-chose-chosen come-came creep-crept deal-dealt dig-dug do-did-done
    draw-drew-drawn drink-drank-drunk drive-drove-driven eat-ate-eaten fall-fell-fallen feed-fed feel-felt
    fight-fought find-found flee-fled fly-flew-flown forbid-forbade-forbidden forget-forgot-forgotten
    freeze-froze-frozen get-got-gotten give-gave-given go-went-gone grow-grew-grown hang-hung have-had
    hear-heard hide-hid-hidden hold-held keep-kept know-knew-known lay-laid lead-led leave-left lend-lent
    lie-lay-lain lose-lost make-made mean-meant meet-met pay-paid ride-rode-ridden ring-rang-rung
    rise-rose-risen run-ran say-said see-saw-seen seek-sought sell-sold send-sent shake-shook-shaken shine-shone
    shoot-shot show-shown shrink-shrank-shrunk sing-sang-sung sink-sank-sunk sit-sat sleep-slept slide-slid
    speak-spoke-spoken spend-spent spin-spun spring-sprang-sprung stand-stood steal-stole-stolen stick-stuck
    strike-struck swear-swore-sworn swim-swam-swum swing-swung take-took-taken teach-taught tear-tore-torn
    tell-told think-thought throw-threw-thrown understand-understood wake-woke wear-wore-worn weave-wove-woven
    win-won write-wrote-written
    """.split()
    for past in line.split("-")[1:]
}
VERBS = frozenset(IRREGULAR) | frozenset(IRREGULAR.values())


@dataclass(frozen=True)
class Token:
    """A word of a text, folded, with its place and the two ways in which it can be akin to another word."""

    word: str
    start: int
    end: int
    forms: frozenset[str]
    relations: frozenset[int]


def tokens(text: str) -> tuple[Token, ...]:
    """The words of a text in order, a phrase that tells a relation as one of them.

    Notes
    -----
    Source: ours.

    Examples
    --------
    >>> [token.word for token in tokens("He came into the world.")]
    ['he', 'born']
    """
    phrases = [(found.start(), found.end(), word) for word, said in _PHRASE.items() for found in said.finditer(text)]
    words = [
        (found.start(), found.end(), folded(found[0]))
        for found in WORD.finditer(text)
        if not any(start <= found.start() < end for start, end, _ in phrases)
    ]
    return tuple(_token(word, start, end) for start, end, word in sorted(words + phrases))


@lru_cache(maxsize=1 << 16)
def forms(word: str) -> frozenset[str]:
    """A folded word's stem, of an irregular verb its base form's, and the first five letters when it has as many.

    Notes
    -----
    Source: Porter's Snowball stemmer.
    """
    base = IRREGULAR.get(word, word)
    stem = str(_stemmer().stemWord(base))
    return frozenset({stem, f"{base[:PREFIX]}-"} if len(base) >= PREFIX else {stem})


@lru_cache(maxsize=1 << 16)
def relations(word: str) -> frozenset[int]:
    """The numbers of the relations that a folded word tells.

    Notes
    -----
    Source: ours.
    """
    return frozenset(number for number, listed in enumerate(RELATIONS) if word in listed)


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    """The stemmer, made once."""
    from Stemmer import Stemmer

    return Stemmer("english")


def _token(word: str, start: int, end: int) -> Token:
    """A token of a folded word."""
    return Token(word, start, end, forms(word), relations(word))

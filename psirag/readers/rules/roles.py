"""Where a candidate stands to the verb and the preposition that the question asks with."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from psirag.readers.rules.candidates import Candidate
from psirag.readers.rules.facets import Told
from psirag.readers.rules.passages import Sentence
from psirag.readers.rules.questions import ASKING, AUXILIARIES, PARTICIPLE, PERSONS, PREPOSITIONS, QuestionView
from psirag.readers.rules.relation_words import Token, relations, tokens
from psirag.readers.rules.word_classes import is_agent

WHERE = frozenset("in at near on from to".split())
TRANSPARENT = frozenset("the a an his her its their this that these those".split())
ADVERBIAL = PREPOSITIONS | frozenset("through across over under beneath near outside along behind".split())
BEING = frozenset("is are was were be been being".split())
REACH = 2.5
NAMING = relations("called")
SAID_OF = re.compile(r",? (?:(?:is|was) )?")
COPULAS = BEING | frozenset("become becomes became as called named".split())


@dataclass(frozen=True)
class Form:
    """How a question asks: for what stands before its verb, behind it, or either; and with which preposition."""

    side: Literal["before", "behind", ""]
    prepositions: frozenset[str]


@lru_cache(maxsize=1 << 10)
def form_of(question: QuestionView) -> Form:
    """The form of a question.

    Notes
    -----
    Source: ours.

    Examples
    --------
    >>> form_of(QuestionView("Who built it?")).side, form_of(QuestionView("On what did she sit?")).prepositions
    ('before', frozenset({'on'}))
    """
    start, end = question.asking
    words = [token.word for token in tokens(question.text) if start <= token.start < end]
    asked = next((i for i, word in enumerate(words) if word in ASKING), None)
    if asked is None:
        return Form("", frozenset())
    fronted = frozenset({words[asked - 1]} if asked and words[asked - 1] in ADVERBIAL else ())
    if not fronted and words[-1] in ADVERBIAL:
        fronted = frozenset({words[-1]})
    if words[asked] == "where":
        fronted = WHERE
    then = next((word for word in words[asked + 1 : asked + 6] if word in AUXILIARIES), "")
    if fronted or then in AUXILIARIES - BEING:
        return Form("behind", fronted)
    return Form("" if then else "before", fronted)


def roles(form: Form, told: Told, found: Candidate, main: frozenset[int]) -> dict[str, float]:
    """Signs of a candidate's place: on the side of the verb asked for or the other, after its "by", its preposition.

    Notes
    -----
    Source: ours; subject, object and agent as in any grammar.
    """
    sentence, signs = told.sentence, dict.fromkeys(("agent", "aligned", "across", "preposition", "copula"), 0.0)
    if found.form == "subject":
        return signs
    before = _word_before(sentence, found.start)
    signs["preposition"] = float(before in form.prepositions)
    signs["copula"] = float(before in COPULAS)
    for facet, strength, token in told.found:
        behind = token.end <= found.start
        apart = sentence.apart(token.end, found.start) if behind else sentence.apart(found.end, token.start)
        if facet in main and apart < REACH:
            side = form.side or ("behind" if token.relations & NAMING else "")
            role = "aligned" if side == ("behind" if behind else "before") else "across"
            if behind and form.side != "behind" and _does_it(sentence, token, found.start, before):
                role = "agent"
            if side or role == "agent":
                signs[role] = max(signs[role], strength / (1 + apart))
    return signs


def _does_it(sentence: Sentence, token: Token, start: int, before: str) -> bool:
    """Whether a name behind a verb is the doer's: after "by", or after a noun for one ("its director was …")."""
    if before == "by":
        return PARTICIPLE.search(token.word) is not None
    doer = token.word in PERSONS or is_agent(token.word)
    return doer and SAID_OF.fullmatch(sentence.text[token.end : start]) is not None


def _word_before(sentence: Sentence, start: int) -> str:
    """The word before a place, articles and the like passed over."""
    here = sentence.index(start)
    words = (sentence.tokens[i].word for i in range(here - 1, max(-1, here - 4), -1))
    return next((word for word in words if word not in TRANSPARENT), "")

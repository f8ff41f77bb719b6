"""From the evidence to the best span: chains of hops, candidates at their ends, and the best supported of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from psirag.readers.rules.candidates import Candidate, candidates
from psirag.readers.rules.chains import Chain, find_chains
from psirag.readers.rules.facets import KIN, Facets, Told, read, weigh_facets
from psirag.readers.rules.hops import find_hops
from psirag.readers.rules.passages import PassageView
from psirag.readers.rules.questions import NAMED_THINGS, PERSONS, PLACES, PREPOSITIONS, RELATIVE, QuestionView
from psirag.readers.rules.relation_words import forms
from psirag.readers.rules.scoring import Looks, Scored, score

CHAINS_READ = 40
HOPS, HOPS_OF_A_DESCRIPTION = 3, 2
AT_HAND = 1.0


@dataclass(frozen=True)
class Reading:
    """The passages retrieved so far, and which parts of the reader are switched off.

    Notes
    -----
    Source: ours.
    """

    passages: Mapping[int, PassageView]
    without: frozenset[str] = field(default_factory=frozenset)

    def only(self, passage: PassageView) -> Reading:
        """The same for a single passage."""
        return Reading({0: passage}, self.without)

    @cached_property
    def looks(self) -> Looks:
        """How the names are written."""
        return Looks.of(self.passages)

    def facets(self, question: QuestionView) -> tuple[Facets, dict[int, tuple[Told, ...]]]:
        """What the question asks the evidence to hold, and what each sentence tells of it."""
        kin = 0.0 if "relations" in self.without else KIN
        facets = weigh_facets(question, list(self.passages.values()), kin=kin)
        return facets, {key: read(facets, passage, kin=kin) for key, passage in self.passages.items()}

    def chains(
        self, question: QuestionView, facets: Facets, told: Mapping[int, Sequence[Told]], *, hops: int = HOPS
    ) -> list[Chain]:
        """The best chains, those first that cover most of the question; no more hops than words that describe one."""
        moves = find_hops(facets, self.passages, told, shared="shared names" not in self.without)
        main = sum(cue.main for cue in facets.cues)
        most = max(len(facets.cues) - main, main - 1)
        hops = 0 if "hops" in self.without else min(hops, most)
        return sorted(
            find_chains(question, facets, self.passages, told, moves, hops=hops), key=lambda chain: -chain.value
        )

    def meant(self, description: str) -> PassageView | None:
        """The passage that a description such as "the director of Emma" means: where the shortest good chain ends."""
        view = QuestionView(description)
        facets, told = self.facets(view)
        facets = replace(facets, cues=tuple(replace(cue, main=False) for cue in facets.cues))
        named, noun = len(facets.names), _head_noun(view)
        ends = [
            chain
            for chain in self.chains(view, facets, told, hops=HOPS_OF_A_DESCRIPTION)
            if len(chain.path) > 1
            and chain.covered[:named].min(initial=1.0) > 0.5
            and chain.covered[named:].any()
            and _is_a(noun, self.passages[chain.path[-1]])
        ]
        best = max(ends, key=lambda chain: (-len(chain.path), chain.value), default=None)
        return None if best is None else self.passages[best.path[-1]]

    def best(self, question: QuestionView) -> Scored | None:
        """The candidate with the highest score, or None when there is none."""
        facets, told = self.facets(question)
        typed = "types" not in self.without
        found = (
            score(question.type, facets, self.looks, self.passages, chain, sentence, candidate, typed=typed)
            for chain in self.chains(question, facets, told)[:CHAINS_READ]
            for sentence, candidate in self._candidates(question, chain, told[chain.path[-1]])
        )
        return max(found, key=lambda scored: scored.score, default=None)

    def _candidates(
        self, question: QuestionView, chain: Chain, told: Sequence[Told]
    ) -> Iterator[tuple[Told, Candidate]]:
        """The candidates in the last passage of a chain; its subject once, phrases only beside what is asked."""
        passage, subject_seen = self.passages[chain.path[-1]], False
        for sentence in told:
            for candidate in candidates(question.type, question, passage, sentence.sentence):
                if candidate.form == "subject" and subject_seen:
                    continue
                subject_seen = subject_seen or candidate.form == "subject"
                if candidate.form != "phrase" or _at_hand(question, sentence, candidate):
                    yield sentence, candidate


def _head_noun(description: QuestionView) -> str:
    """The noun that a description begins with: "bridge" in "the bridge planned by the engineer of …"."""
    for word in description.words:
        if word in PREPOSITIONS | RELATIVE:
            break
        if word in PERSONS | PLACES | NAMED_THINGS:
            return word
    return ""


def _is_a(noun: str, passage: PassageView) -> bool:
    """Whether a passage may be about such a thing: a person for a role, else one whose words hold the noun."""
    if noun in PERSONS:
        return passage.is_person
    return not noun or bool(forms(noun) & passage.sentences[0].forms) or noun in passage.subject_words


def _at_hand(question: QuestionView, told: Told, found: Candidate) -> bool:
    """Whether a word of what is asked stands beside a phrase."""
    wanted = forms(question.type.head) if question.type.head else frozenset()
    wanted = wanted.union(*(cue.token.forms for cue in question.cues if cue.main))
    related = frozenset().union(*(cue.token.relations for cue in question.cues if cue.main))
    return any(
        (token.forms & wanted or token.relations & related) and told.apart(token, found.start, found.end) <= AT_HAND
        for token in told.sentence.tokens
    )

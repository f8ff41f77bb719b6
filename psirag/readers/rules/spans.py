"""From the evidence to the best span: chains of hops, candidates at their ends, and the best supported of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from psirag.readers.rules.candidates import Candidate, candidates
from psirag.readers.rules.chains import Chain, find_chains
from psirag.readers.rules.descriptions import innermost, replaced
from psirag.readers.rules.facets import KIN, Facets, Told, read, unweighed, weigh_facets
from psirag.readers.rules.hops import find_hops
from psirag.readers.rules.looks import Looks
from psirag.readers.rules.named_spans import FUNCTION_WORDS, folded_words
from psirag.readers.rules.passages import PassageView
from psirag.readers.rules.questions import QuestionView
from psirag.readers.rules.roles import form_of
from psirag.readers.rules.scoring import Scale, Scored

ENDS_READ = 12
HOPS = 3
DESCRIPTIONS = 4
# Readings kept after each description, the weight of the question as it was asked, and how far scores stand apart.
WIDTH, AS_ASKED, SHARPNESS = 3, 0.3, 1.6
SURE = 0.6


@dataclass(frozen=True)
class Resolved:
    """A question with names in the place of descriptions, and how likely these are."""

    view: QuestionView
    weight: float


@dataclass(frozen=True)
class Reading:
    """The passages retrieved so far, and which parts of the reader are switched off.

    Notes
    -----
    Source: ours.
    """

    passages: Mapping[int, PassageView]
    without: frozenset[str] = field(default_factory=frozenset)
    _read: dict[str, list[Scored]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _weighed: dict[QuestionView, tuple[Facets, dict[int, tuple[Told, ...]]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def only(self, passage: PassageView) -> Reading:
        """The same for a single passage."""
        return Reading({0: passage}, self.without)

    @cached_property
    def looks(self) -> Looks:
        """How the names are written."""
        return Looks.of(self.passages)

    def facets(self, question: QuestionView) -> tuple[Facets, dict[int, tuple[Told, ...]]]:
        """What the question asks the evidence to hold, and what each sentence tells of it."""
        if question not in self._weighed:
            kin, bare = 0.0 if "relations" in self.without else KIN, unweighed(question)
            told = {key: read(bare, passage, kin=kin) for key, passage in self.passages.items()}
            self._weighed[question] = weigh_facets(question, told.values()), told
        return self._weighed[question]

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

    @cached_property
    def titles(self) -> frozenset[tuple[str, ...]]:
        """The titles that a question may hold in small letters."""
        titles = (passage.title for passage in self.passages.values())
        return frozenset(t for t in titles if any(len(word) > 2 and word not in FUNCTION_WORDS for word in t))

    def view(self, text: str) -> QuestionView:
        """A question that knows the titles at hand."""
        return QuestionView(text, self.titles)

    def resolved(self, question: QuestionView) -> list[Resolved]:
        """The question with names in the place of its descriptions, innermost first: the likeliest few readings."""
        as_asked = Resolved(question, 1.0)
        done, ahead = list[Resolved](), [as_asked]
        for _ in range(0 if "descriptions" in self.without else DESCRIPTIONS):
            further: list[Resolved] = []
            for reading in ahead:
                described = innermost(reading.view)
                named = {} if described is None else self._named(described.asks)
                if described is None or not named:
                    done.append(reading)
                else:
                    further += [
                        Resolved(replaced(reading.view, described, n), reading.weight * p) for n, p in named.items()
                    ]
            ahead = sorted(further, key=lambda reading: -reading.weight)[:WIDTH]
        done += ahead
        return done if done == [as_asked] else [*done, Resolved(question, AS_ASKED)]

    def _named(self, asks: str) -> dict[str, float]:
        """The likeliest names that answer a question, each with its share; a name itself as it is."""
        if not asks.endswith("?"):
            return {asks: 1.0}
        shares: dict[str, float] = {}
        for scored, share in self._shares(self.view(asks)):
            if scored.candidate.form != "phrase":
                shares[scored.candidate.text] = shares.get(scored.candidate.text, 0.0) + share
        total = sum(shares.values()) or 1.0
        return {name: shares[name] / total for name in sorted(shares, key=lambda name: -shares[name])[:WIDTH]}

    def _shares(self, question: QuestionView) -> list[tuple[Scored, float]]:
        """The candidates for a question with the share of each by its score."""
        found = self.scored(question)
        scores = np.array([scored.score for scored in found])
        odds = np.exp(SHARPNESS * (scores - scores.max(initial=-np.inf)))
        return list(zip(found, (odds / odds.sum()).tolist(), strict=True))

    def meant(self, description: str) -> PassageView | None:
        """The passage that a name, or a description such as "the director of Emma", means."""
        best = self.best(self.view(f"Who was {description}?"), named=True)
        return None if best is None else self.about(folded_words(best.candidate.text))

    def path_to(self, question: QuestionView, found: Scored) -> tuple[int, ...]:
        """The passages of the question's best chain, and the one in which an answer was found."""
        facets, told = self.facets(question)
        best = next((chain.path for chain in self.chains(question, facets, told)), ())
        return tuple(dict.fromkeys([*best, found.chain.path[-1]]))

    def about(self, name: tuple[str, ...]) -> PassageView | None:
        """The passage that is most surely about a name."""
        sure = {key: max(p.named(name), p.about(name)) for key, p in self.passages.items()}
        best = max(sure, key=lambda key: sure[key], default=None)
        return None if best is None or sure[best] < SURE else self.passages[best]

    def scored(self, question: QuestionView) -> list[Scored]:
        """Every candidate of the most promising passages, each at the end of its best chain."""
        if question.text not in self._read:
            self._read[question.text] = self._scored(question)
        return self._read[question.text]

    def _scored(self, question: QuestionView) -> list[Scored]:
        """The same, worked out."""
        facets, told = self.facets(question)
        scale = Scale(question.type, form_of(question), facets, self.looks, self.passages, "types" not in self.without)
        ends: dict[int, Chain] = {}
        for chain in self.chains(question, facets, told):
            ends.setdefault(chain.path[-1], chain)
        return [
            scale.score(chain, sentence, candidate)
            for chain in list(ends.values())[:ENDS_READ]
            for sentence, candidate in self._candidates(question, chain, told[chain.path[-1]])
        ]

    def best(self, question: QuestionView, *, named: bool = False) -> Scored | None:
        """The candidate that has the greatest share over all resolved questions, or None when there is none."""
        totals: dict[str, float] = {}
        strongest: dict[str, tuple[float, Scored]] = {}
        for reading in self.resolved(question):
            for text, (share, scored) in self._best_of(reading, named=named).items():
                totals[text] = totals.get(text, 0.0) + share
                strongest[text] = max(strongest.get(text, (-1.0, scored)), (share, scored), key=_share)
        return strongest[max(totals, key=lambda text: totals[text])][1] if totals else None

    def _best_of(self, reading: Resolved, *, named: bool) -> dict[str, tuple[float, Scored]]:
        """For one reading the best place of every text, with its share."""
        best: dict[str, tuple[float, Scored]] = {}
        for scored, share in self._shares(reading.view):
            form, text = scored.candidate.form, scored.candidate.text
            if not (named and form in {"phrase", "date", "number"}) and share > best.get(text, (-1.0,))[0]:
                best[text] = share, scored
        return {text: (reading.weight * share, scored) for text, (share, scored) in best.items()}

    def _candidates(
        self, question: QuestionView, chain: Chain, told: Sequence[Told]
    ) -> Iterator[tuple[Told, Candidate]]:
        """The candidates in the last passage of a chain; its subject once."""
        passage, subject_seen = self.passages[chain.path[-1]], False
        for sentence in told:
            for candidate in candidates(question.type, question, passage, sentence.sentence):
                if candidate.form != "subject" or not subject_seen:
                    yield sentence, candidate
                subject_seen = subject_seen or candidate.form == "subject"


def _share(held: tuple[float, Scored]) -> float:
    """The key by which the greater share wins."""
    return held[0]

"""Chains of hops from what the question names to the passage that holds the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from psirag.readers.rules.bridging import ABOUT
from psirag.readers.rules.facets import Facets, Row, Told
from psirag.readers.rules.hops import Passages, Reads
from psirag.readers.rules.named_spans import FUNCTION_WORDS, contains_run, without_article
from psirag.readers.rules.passages import PassageView
from psirag.readers.rules.questions import QuestionView

# A hop costs this much of the question's weight, and may win a little less than it costs.
HOP_COST, SLACK = 0.04, 0.04
KEPT = 2
NAMED, SURELY_NAMED, DESCRIBED = 0.5, 0.85, 0.9


@dataclass(frozen=True)
class Chain:
    """Passages from the question to the last one, what they cover together, and what the last hop covers alone."""

    path: tuple[int, ...]
    covered: Row
    last: Row
    value: float


def entry(question: QuestionView, facets: Facets, passage: PassageView, told: Sequence[Told]) -> Row:
    """What the question says of a passage's subject: by its name, or by a sentence that describes it.

    Notes
    -----
    Source: ours.
    """
    row = np.zeros(len(facets.weights))
    for i, name in enumerate(facets.names):
        row[i] = passage.named(name.words)
    title = without_article(passage.title)
    if any(word not in FUNCTION_WORDS for word in title) and contains_run(question.words, title):
        for i, name in enumerate(facets.names):
            if set(without_article(name.words)) <= set(title):
                row[i] = 1.0
        return np.where(row >= ABOUT, row, 0.0)
    if row.max(initial=0.0) >= 0.85:
        return np.where(row >= ABOUT, row, 0.0)
    described = max((t.whole for t in told), key=facets.value, default=row)
    return np.maximum(described * DESCRIBED, np.where(row >= ABOUT, row, 0.0))


def find_chains(
    question: QuestionView,
    facets: Facets,
    passages: Passages,
    told: Reads,
    moves: Mapping[int, Sequence[tuple[int, Row]]],
    *,
    hops: int,
) -> list[Chain]:
    """The best chains that end in each passage, of each length at most two.

    A chain starts at a passage that the question names, when there is one; each hop adds what its sentences tell.

    Notes
    -----
    Source: ours; it stands for the reasoning that Ψ-RAG §3.2 leaves to a language model.
    """
    fresh = _starts(question, facets, passages, told)
    found = list(fresh)
    for _ in range(hops):
        grown = [longer for chain in fresh for longer in _grown(facets, chain, moves[chain.path[-1]])]
        fresh, ends = [], dict.fromkeys(passages, 0)
        for chain in sorted(grown, key=lambda chain: -chain.value):
            if ends[chain.path[-1]] < KEPT:
                ends[chain.path[-1]] += 1
                fresh.append(chain)
        found += fresh
    return found


def _starts(question: QuestionView, facets: Facets, passages: Passages, told: Reads) -> list[Chain]:
    """One chain a passage: those about a name of the question, else those that hold one, else all."""
    rows = {key: entry(question, facets, passage, told[key]) for key, passage in passages.items()}
    named = {key: row[: len(facets.names)].max(initial=0.0) for key, row in rows.items()}
    surest = max(named.values(), default=0.0)
    least = next((least for least in (SURELY_NAMED, NAMED) if surest >= least), 0.0)
    return [Chain((key,), row, row, facets.value(row)) for key, row in rows.items() if named[key] >= least]


def _grown(facets: Facets, chain: Chain, moves: Sequence[tuple[int, Row]]) -> list[Chain]:
    """The chain with one more hop, for each that wins about what it costs."""
    grown = []
    for onward, row in moves:
        if onward not in chain.path:
            covered = np.maximum(chain.covered, row)
            value = facets.value(covered) - HOP_COST * len(chain.path)
            if value > chain.value - SLACK:
                grown.append(Chain((*chain.path, onward), covered, row, value))
    return grown

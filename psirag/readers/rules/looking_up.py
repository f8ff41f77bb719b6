"""What to look up next: names that lead on, from what the question names and from the best chains so far."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain as joined

import numpy as np

from psirag.readers.rules.bridging import Rank, find_bridges
from psirag.readers.rules.named_spans import Span
from psirag.readers.rules.questions import QuestionView
from psirag.readers.rules.spans import Reading

# A passage about a name this surely makes looking the name up again needless.
FOUND, NAMES_IT = 0.9, 0.8
STEP, SEVERAL_WORDS = 0.03, 0.02
DESCRIBED = 2


def names_to_look_up(
    question: QuestionView, reading: Reading, ranks: Mapping[int, Rank], *, without: Collection[str] = ()
) -> list[str]:
    """The question's names that no passage is about, then bridges and names on the chains in turn.

    The chains are asked only for a question that describes the way in several words, one name for two bridges.

    Notes
    -----
    Source: ours; it stands for the query reorganization of Ψ-RAG §3.2.
    """

    def missing(name: Span) -> bool:
        return all(passage.about(name.words) < FOUND for passage in reading.passages.values())

    names = [span.text for span in question.names if missing(span)]
    bridges = [] if "bridging" in without else find_bridges(question, reading.passages, ranks)
    ahead = [bridge.name.text for bridge in bridges if missing(bridge.name)]
    resolved = (
        [] if "descriptions" in without else [name.text for name in names_resolved(question, reading) if missing(name)]
    )
    described = sum(not cue.main for cue in question.cues) >= DESCRIBED
    on_chains = names_on_chains(question, reading) if described and "chain names" not in without else []
    further = [*joined.from_iterable(zip(ahead[::2], ahead[1::2], on_chains, strict=False)), *ahead, *on_chains]
    return [*names, *resolved, *further]


def names_resolved(question: QuestionView, reading: Reading) -> list[Span]:
    """The names that take the place of the question's descriptions, the likeliest first.

    Notes
    -----
    Source: ours; it stands for the query reorganization of Ψ-RAG §3.2.
    """
    asked = {span.words for span in question.names}
    found = (span for resolved in reading.resolved(reading.view(question.text)) for span in resolved.view.names)
    return [span for span in found if span.words not in asked]


def names_on_chains(question: QuestionView, reading: Reading) -> list[str]:
    """Names at the ends of the best chains that no passage is about yet: what they would add to the chain decides.

    Notes
    -----
    Source: ours.
    """
    facets, told = reading.facets(question)
    best: dict[tuple[str, ...], tuple[float, str]] = {}
    for chain in reading.chains(question, facets, told):
        here = reading.passages[chain.path[-1]].subject_words
        for sentence in told[chain.path[-1]]:
            for span in sentence.sentence.names:
                if _is_known(span, question.names, here, reading):
                    continue
                value = facets.value(np.maximum(chain.covered, sentence.around(span.start, span.end)))
                value += SEVERAL_WORDS * (len(span.words) > 1) - STEP * len(chain.path)
                if value > best.get(span.words, (0.0, ""))[0]:
                    best[span.words] = (value, span.text)
    return [text for _, text in sorted(best.values(), reverse=True)]


def _is_known(span: Span, asked: Sequence[Span], here: tuple[str, ...], reading: Reading) -> bool:
    """Whether a name is the question's, the passage's own, or that of a passage at hand."""
    words = set(span.words)
    if words <= set(here) or any(words <= set(name.words) for name in asked):
        return True
    return any(passage.named(span.words) >= NAMES_IT for passage in reading.passages.values())

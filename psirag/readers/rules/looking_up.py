"""What to look up next: names that lead on, from what the question names and describes, and bridges."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from psirag.readers.rules.bridging import Rank, find_bridges
from psirag.readers.rules.named_spans import Span
from psirag.readers.rules.questions import QuestionView
from psirag.readers.rules.spans import Reading

# A passage about a name this surely makes looking the name up again needless.
FOUND = 0.9


def names_to_look_up(
    question: QuestionView, reading: Reading, ranks: Mapping[int, Rank], *, without: Collection[str] = ()
) -> list[str]:
    """The question's names that no passage is about, then names for its descriptions, then bridges.

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
    return [*names, *resolved, *ahead]


def names_resolved(question: QuestionView, reading: Reading) -> list[Span]:
    """The names that take the place of the question's descriptions, the likeliest first.

    Notes
    -----
    Source: ours; it stands for the query reorganization of Ψ-RAG §3.2.
    """
    asked = {span.words for span in question.names}
    found = (span for resolved in reading.resolved(reading.view(question.text)) for span in resolved.view.names)
    return [span for span in found if span.words not in asked]

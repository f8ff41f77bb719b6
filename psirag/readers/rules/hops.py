"""The steps from passage to passage: over a name that the other is about, or over a name that both mention."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from psirag.readers.rules.facets import Facets, Row, Told
from psirag.readers.rules.named_spans import Span
from psirag.readers.rules.passages import PassageView
from psirag.readers.rules.questions import KINSHIP, PERSONS

NAMES_IT = 0.8
# What a step back, a step over a name without a passage, and a person's own passage tell, against a step ahead.
BACKWARDS, SHARED, OWN_ROLE = 0.9, 0.9, 0.7
MOST_SHARED = 3

Passages = Mapping[int, PassageView]
Reads = Mapping[int, Sequence[Told]]


def find_hops(
    facets: Facets, passages: Passages, told: Reads, *, shared: bool = True
) -> dict[int, list[tuple[int, Row]]]:
    """From each passage the passages one hop on, with what the sentences of the hop tell of the question.

    Parameters
    ----------
    facets : Facets
    passages, told : mapping of int
        The passages and what their sentences tell, by id.
    shared : bool
        Also hop between passages that mention one rare name that no passage is about.

    Notes
    -----
    Source: ours.
    """
    rows: dict[tuple[int, int], list[Row]] = {}
    for source, target, row in _over_subjects(passages, told):
        rows.setdefault((source, target), []).append(row)
        rows.setdefault((target, source), []).append(row * BACKWARDS)
    for source, target, row in _over_shared_names(facets, passages, told) if shared else ():
        rows.setdefault((source, target), []).append(row * SHARED)
    roles = _own_roles(facets, passages, told)
    hops: dict[int, list[tuple[int, Row]]] = {key: [] for key in passages}
    for (source, target), found in rows.items():
        hops[source].append((target, np.max([*found, roles[target]], axis=0)))
    return hops


def _spans(told: Reads) -> Iterator[tuple[int, Told, Span]]:
    """Every name in every sentence."""
    return (
        (key, sentence, span) for key, read in told.items() for sentence in read for span in sentence.sentence.names
    )


def _over_subjects(passages: Passages, told: Reads) -> Iterator[tuple[int, int, Row]]:
    """Steps from a passage that names what another is about."""
    by_word: dict[str, set[int]] = {}
    for key, passage in passages.items():
        for word in passage.subject_words:
            by_word.setdefault(word, set()).add(key)
    for source, sentence, span in _spans(told):
        for target in sorted(set().union(*(by_word.get(word, set()) for word in span.words)) - {source}):
            if passages[target].named(span.words) >= NAMES_IT:
                yield source, target, sentence.around(span.start, span.end)


def _over_shared_names(facets: Facets, passages: Passages, told: Reads) -> Iterator[tuple[int, int, Row]]:
    """Steps between passages that mention the same rare name, of which no passage tells and the question neither."""
    skipped = {name.words for name in facets.names} | {passage.subject_words for passage in passages.values()}
    places: dict[tuple[str, ...], list[tuple[int, Row]]] = {}
    for key, sentence, span in _spans(told):
        if span.words not in skipped and not span.words[0].isdigit():
            places.setdefault(span.words, []).append((key, sentence.around(span.start, span.end)))
    for found in places.values():
        if len({key for key, _ in found}) <= MOST_SHARED:
            yield from ((a, b, np.maximum(row, other)) for a, row in found for b, other in found if a != b)


def _own_roles(facets: Facets, passages: Passages, told: Reads) -> dict[int, Row]:
    """What a person's own passage tells of the roles asked for ("composer", "captain")."""
    roles = np.array(
        [False] * len(facets.names) + [cue.token.word in PERSONS - KINSHIP for cue in facets.cues], dtype=bool
    )
    nothing = np.zeros(len(roles))
    return {
        key: np.max([nothing, *(t.whole * OWN_ROLE * roles for t in told[key])], axis=0)
        if passage.is_person
        else nothing
        for key, passage in passages.items()
    }

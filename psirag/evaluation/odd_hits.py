"""What a system of one's own may return by mistake: too many hits, the same hit twice, chunks of another corpus."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from psirag.corpus import Chunk, Chunks
from psirag.retrieval.trace import Hit

TOO_MANY = "more hits than were asked for, which are cut"
TWICE = "a hit twice"
FOREIGN = "chunks that are not those of the same id in its `chunks`"


def odd_hits(hits: Sequence[Hit], *, chunks: Chunks | None, most: int | None) -> tuple[str, ...]:
    """Say what is odd about the hits for one question; `most` is how many were asked for.

    Notes
    -----
    Source: ours.

    Examples
    --------
    >>> hit = Hit(0, 1.0, None, "The dam was built by beavers.", ())
    >>> odd_hits([hit, hit], chunks=None, most=1)
    ('more hits than were asked for, which are cut', 'a hit twice')
    """
    keys = [("node", hit.node) if hit.chunk is None else ("chunk", hit.chunk.id) for hit in hits]
    told = {
        TOO_MANY: most is not None and len(hits) > most,
        TWICE: len(set(keys)) < len(keys),
        FOREIGN: chunks is not None and not all(hit.chunk is None or _is_of(hit.chunk, chunks) for hit in hits),
    }
    return tuple(what for what, is_so in told.items() if is_so)


def _is_of(chunk: Chunk, chunks: Chunks) -> bool:
    """Whether a chunk is that of its id."""
    places = np.flatnonzero(chunks.ids == chunk.id)
    return places.size == 1 and chunks[int(places[0])] == chunk

"""What a retrieval hands back: hits, and the trace that says how they were found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from psirag.checks import check_each
from psirag.corpus.chunks import Chunk
from psirag.corpus.documents import Record
from psirag.vectors import Floats, Ints

ScoreKind = Literal["cosine", "bm25", "rrf", "logit", "probability", "mixed"]


class Ranking(NamedTuple):
    """Nodes from best to worst with their scores: two arrays of equal length."""

    nodes: Ints
    scores: Floats

    @staticmethod
    def read_only(nodes: npt.ArrayLike = (), scores: npt.ArrayLike = ()) -> Ranking:
        """Return a ranking whose arrays cannot be written to."""
        ranking = Ranking(np.asarray(nodes, np.int64), np.asarray(scores, np.float64))
        ranking.nodes.flags.writeable = ranking.scores.flags.writeable = False
        return ranking


class SideScore(NamedTuple):
    """Where one side put a hit: its rank there, from 1, and its score there."""

    rank: int
    score: float


@dataclass(frozen=True)
class Hit(Record):
    """One result: a chunk, or with `nodes="all"` an abstract.

    Parameters
    ----------
    node : int
        Number in the tree; it may change when the tree does, chunk ids do not.
    score : float
        By this the hits are ranked; `score_kind` says what it is.
    chunk : Chunk or None
        None for an abstract.
    text : str
        Text of the chunk or of the abstract ("" for a centroid).
    leaves : tuple of int
        Ids of the chunks below, ascending; of a chunk its own id.
    duplicates : tuple of int
        Ids of the other chunks with the same text, ascending.
    sides : mapping of str to SideScore
        The sides that found it.
    score_kind : str
        "cosine", "bm25", "rrf", "logit", "probability", or "mixed" (a weighted sum of scaled scores).

    Notes
    -----
    Source: Ψ-RAG §3.2 (multi-granular retrieval).
    """

    node: int
    score: float
    chunk: Chunk | None
    text: str
    leaves: tuple[int, ...]
    duplicates: tuple[int, ...] = ()
    sides: Mapping[str, SideScore] = field(default_factory=dict)
    score_kind: ScoreKind = "cosine"


@dataclass(frozen=True, eq=False)
class LayerTrace:
    """One layer of a descent.

    Parameters
    ----------
    layer : int
        Layer of the tree, 0 for the leaves.
    candidates : ndarray, int64
        Nodes looked at, ascending.
    scores : ndarray, float64
        Cosine of each candidate; NaN throughout where the layer passed whole.
    kept : ndarray, int64
        Candidates whose children came next, best first; at the leaves, the result. Ascending where unscored.
    scored : bool
        False where at most `beam` candidates passed whole.

    Notes
    -----
    Source: Ψ-RAG Appendix A, Algorithm 2.
    """

    layer: int
    candidates: Ints
    scores: Floats
    kept: Ints
    scored: bool


class SiblingTrace(NamedTuple):
    """Sibling leaves that were added on account of one hit, best first, with their cosine."""

    hit: int
    nodes: Ints
    scores: Floats


@dataclass(frozen=True, eq=False)
class Trace(Record):
    """How the hits of one query were found.

    Parameters
    ----------
    layers : tuple of LayerTrace
        The descent, root first (within a document: its root); empty where no descent was made.
    nodes_scored : int
        Cosines computed for this query, alone or in a batch: a descent's scored candidates, all rows for a flat search.
    sides : mapping of str to Ranking
        What each side returned, as nodes and scores, equal texts once.
    fused : Ranking
        The order that the hits are the head of.
    siblings : tuple of SiblingTrace
        Leaves added by `siblings=m`.
    queries : int
        Searches behind the hits: 1, or more after `Retrieval.joined`.

    Notes
    -----
    Source: Ψ-RAG Appendix A, Algorithm 2.
    """

    layers: tuple[LayerTrace, ...]
    nodes_scored: int
    sides: Mapping[str, Ranking] = field(default_factory=dict)
    fused: Ranking = field(default_factory=Ranking.read_only)
    siblings: tuple[SiblingTrace, ...] = ()
    queries: int = 1


@dataclass(frozen=True, eq=False, repr=False)
class Retrieval(Sequence[Hit]):
    """Hits of one query, best first: a sequence of `Hit` that knows its query and its trace.

    Notes
    -----
    Source: Ψ-RAG Appendix A, Algorithm 2.

    Examples
    --------
    >>> found = Retrieval("Who?", (), Trace((), 0))
    >>> len(found), found.trace.nodes_scored
    (0, 0)
    """

    query: str
    hits: tuple[Hit, ...]
    trace: Trace

    @classmethod
    def joined(cls, query: str, hits: Iterable[Hit], retrievals: Iterable[Retrieval]) -> Retrieval:
        """Return the hits chosen after several searches, at the cost of them all.

        Parameters
        ----------
        query : str
            What was asked in the first place.
        hits : iterable of Hit
            What was chosen, best first.
        retrievals : iterable of Retrieval
            Every search made on the way.

        Returns
        -------
        Retrieval
            Its trace has the sums of `nodes_scored` and of `queries`, and no layers or sides, which are many.

        Raises
        ------
        PsiragError
            Something else among the hits or the retrievals.

        Notes
        -----
        Source: Ψ-RAG §3.2 (one question, several queries).

        Examples
        --------
        >>> searches = [Retrieval("Who builds?", (), Trace((), 7)), Retrieval("Who hunts?", (), Trace((), 5))]
        >>> trace = Retrieval.joined("Who builds, and who hunts?", [], searches).trace
        >>> trace.nodes_scored, trace.queries
        (12, 2)
        """
        chosen, searches = tuple(hits), tuple(retrievals)
        check_each("hits", chosen, Hit)
        check_each("retrievals", searches, Retrieval)
        traces = [each.trace for each in searches]
        scored, queries = sum(each.nodes_scored for each in traces), sum(each.queries for each in traces)
        return cls(query, chosen, Trace((), scored, queries=queries))

    def __len__(self) -> int:
        """Return the number of hits."""
        return len(self.hits)

    @overload
    def __getitem__(self, position: int) -> Hit: ...

    @overload
    def __getitem__(self, position: slice) -> tuple[Hit, ...]: ...

    def __getitem__(self, position: int | slice) -> Hit | tuple[Hit, ...]:
        """Return the hit at a rank counted from 0, or a slice of hits."""
        return self.hits[position]

    def __repr__(self) -> str:
        """Return one line a hit: what was found, with which score."""
        head = f"Retrieval({self.query!r}, {len(self)} hits, {self.trace.nodes_scored} nodes scored)"
        return "\n".join([head, *(f"  {hit.score:.4f}  node {hit.node}: {hit.text[:60]!r}" for hit in self.hits)])

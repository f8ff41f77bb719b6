"""NavTree: a walk through segment trees, from anchors, that hands on nothing but chunks, within a budget of tokens."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from psirag.checks import check_count, check_type
from psirag.corpus.tokens import token_counter
from psirag.errors import PsiragError
from psirag.index import Index
from psirag.retrieval.asking import check_queries
from psirag.retrieval.hybrid import HybridSearch
from psirag.retrieval.packing import fitting_positions
from psirag.retrieval.ranking import best_of_each_query, cosines
from psirag.retrieval.reranking import Reranker, check_reranker, rerank_scores
from psirag.retrieval.trace import Hit, Ranking, Retrieval, ScoreKind, SideScore, Trace
from psirag.variants.frontier_walk import Walk, steiner_active, walk_frontier
from psirag.variants.segment_tree import segment_forest
from psirag.variants.span_texts import first_sentence, span_texts
from psirag.vectors import Floats, Ints, Mask


@dataclass(frozen=True, eq=False)
class NavTrace(Trace):
    """A trace with the walk in it; its sides are "anchors" (by cosine), "walk" and "fill" (by priority).

    Notes
    -----
    Source: NavTree §3.2 and §3.3, arXiv:2610.06902.
    """

    walk: Walk = field(default_factory=Walk.of_no_step)


class NavTree:
    """Retrieval by navigation, with no abstracts: NavTree, on the chunks, vectors and BM25 of an index.

    Every document has a segment tree (see `SegmentTree`); no model writes anything. For a question:

    1. The `anchors` most similar leaves of all documents, by cosine, mark the nodes that the walk may enter: those on
       the paths from the roots to the anchors.
    2. The first frontier holds the root of every document with an anchor, so documents compete by the same priority
       as the parts of one. The node of highest priority comes next; an inner node is split, a leaf is emitted.
    3. What is left of the budget goes to the other leaves, from the highest priority on.

    priority(v) = α · cosine(v) + (1 − α) · BM25(v). An inner node's cosine is that of its text, the representative
    sentences of at most `sentences` chunks spread evenly over its span; its BM25 is the largest of its chunks. Both
    are scaled for each question so that the leaves range from 0 to 1.

    Parameters
    ----------
    index : Index
        Its chunks, leaf vectors, sparse index and encoder are shared; its tree is not used.
    budget : int
        Tokens of all hits' texts together, at most: the encoder's tokens, or words where it has no tokenizer.
    anchors : int or None
        Leaves that mark the paths. None: the walk may go anywhere.
    alpha : float
        Weight of the cosine, from 0 to 1.
    rerank : Reranker, optional
        Scores the emitted leaves together with the `extras` best others; this pool is packed from its best on, and
        then comes the rest.
    extras : int
    representative : callable
        From a chunk's text to the sentence that stands for it.
    sentences : int
        Sentences in the text of an inner node, at most.

    Attributes
    ----------
    chunks : Chunks
    forest : SegmentForest
        Leaves are numbered as in the index.
    node_texts : tuple of str
        Texts of the inner nodes.

    Raises
    ------
    PsiragError
        A wrong setting; a budget that not even the shortest chunk fits into.

    Notes
    -----
    With anchors the walk reaches no leaf that is not one of them: it decides their order, and so which of them a small
    budget holds. Where every document is one chunk there is nothing to navigate, and the ranking is flat.

    Source: NavTree §3, arXiv:2610.06902. Left open there, as far as we know it, and so our choices: what α weighs,
    which sentences are representative, the BM25 of a span, the scaling, more than one document, the reranker's pool.

    Examples
    --------
    >>> from psirag.corpus import Corpus, Document
    >>> text = "Beavers build dams. Dams slow rivers. Fish like slow rivers. Bats hunt moths at night."
    >>> index = Index.build(Corpus((Document(0, text),), "documents"), max_tokens=8, abstraction="centroid")
    >>> found = NavTree(index, budget=16, anchors=2).retrieve("Who builds dams, and who hunts?")
    >>> [(hit.chunk.position, *hit.sides) for hit in found], found.trace.walk.action
    ([(0, 'walk'), (1, 'walk'), (3, 'fill')], ('split', 'split', 'emitted', 'emitted'))
    """

    name = "NavTree"

    def __init__(
        self,
        index: Index,
        *,
        budget: int = 1024,
        anchors: int | None = 10,
        alpha: float = 0.35,
        rerank: Reranker | None = None,
        extras: int = 10,
        representative: Callable[[str], str] = first_sentence,
        sentences: int = 8,
    ) -> None:
        check_type("NavTree's index", index, Index, "Pass Index.build(corpus).")
        self.anchors = None if anchors is None else check_count("anchors", anchors)
        self.alpha, self.extras = _checked_weight(alpha), check_count("extras", extras, minimum=0)
        self.rerank, self._pool_kind = rerank, None if rerank is None else check_reranker(rerank)
        self.chunks, self._encoder, self._sparse = index.chunks, index.encoder, index.sparse
        count = token_counter(self._encoder.tokenizer)
        self._tokens = np.array([count(text) for text in self.chunks.texts], dtype=np.int64)
        self.budget = check_count("budget", budget)
        if self.budget < self._tokens.min():
            asked = f"budget must hold the shortest chunk, of {self._tokens.min()} tokens"
            raise PsiragError(asked, str(self.budget), "Pass a larger one.")
        self.forest = segment_forest(self.chunks.document, self.chunks.position)
        self.node_texts = span_texts(self.chunks, self.forest, representative, check_count("sentences", sentences))
        leaves = index.vectors[: len(self.chunks)]
        self._vectors = np.concatenate([leaves, self._encoder.encode(self.node_texts)]) if self.node_texts else leaves
        search = HybridSearch(index.tree, index.chunks, index.vectors, index.abstracts.texts, index.sparse)
        self._copies = search.copies
        same_text = np.arange(len(self.chunks)) if search.same_text is None else search.same_text
        self._same_text = same_text[: len(self.chunks)]

    def retrieve(self, question: str, k: int = 100) -> Retrieval:
        """Return what fits into the budget, in the order in which it was taken, and at most k hits.

        Parameters
        ----------
        question : str
        k : int
            By default more than a budget of a few thousand tokens holds.

        Returns
        -------
        Retrieval
            With a `NavTrace`.

        Raises
        ------
        PsiragError
            A blank question, or a wrong k.

        Notes
        -----
        Source: NavTree §3.3, arXiv:2610.06902.
        """
        (query,) = check_queries(check_type("question", question, str))
        k, forest, n = check_count("k", k), self.forest, len(self.chunks)
        active, anchors, priority = self._scores(query)
        walk = walk_frontier(
            forest.left, forest.right, forest.roots, priority, active, self._tokens,
            budget=self.budget, limit=k, same_text=self._same_text,
        )  # fmt: skip
        fill = self._fill(walk, priority)
        sides = {"walk": _by_priority(walk.emitted, priority), "fill": _by_priority(fill, priority)}
        taken = self._reranked(query, walk.emitted, fill, priority)
        kept = fitting_positions([int(self._tokens[node]) for node, _, _ in taken], self.budget)[:k]
        hits = tuple(self._hit(*taken[i], sides) for i in kept)
        fused = Ranking.read_only([hit.node for hit in hits], [hit.score for hit in hits])
        scored, told = n + int(active[n:].sum()), MappingProxyType({"anchors": anchors, **sides})
        return Retrieval(query, hits, NavTrace((), scored, told, fused, walk=walk))

    def _scores(self, query: str) -> tuple[Mask, Ranking, Floats]:
        """Return the nodes that the walk may enter, the anchors, and every node's priority (NaN where not active)."""
        n, m, forest = len(self.chunks), len(self._vectors), self.forest
        vector, zero, leaves = self._encoder.encode_queries([query]), np.zeros(m, np.int64), np.arange(n)
        cosine = np.full(m, np.nan)
        cosine[:n] = cosines(vector, self._vectors, zero[:n], leaves)
        active, best = np.ones(m, dtype=bool), np.empty(0, np.int64)
        if self.anchors is not None:
            best = best_of_each_query(zero[:n], leaves, cosine[:n], self.anchors, same_text=self._same_text)
            active = steiner_active(forest.parent, best)
        inner = n + np.flatnonzero(active[n:])
        cosine[inner] = cosines(vector, self._vectors, zero[inner], inner)
        (found,) = self._sparse.search([query], n)
        sparse = np.zeros(n + 1)  # one more, because a span may end behind the last chunk
        sparse[found.nodes] = found.scores
        ends = np.column_stack([forest.start, forest.end]).ravel()
        span = np.maximum.reduceat(sparse[np.append(forest.order, n)], ends)[::2]
        priority = self.alpha * _scaled(cosine, n) + (1 - self.alpha) * _scaled(span, n)
        return active, Ranking.read_only(best, cosine[best]), priority

    def _fill(self, walk: Walk, priority: Floats) -> Ints:
        """Rank the leaves whose text was not emitted, by priority."""
        n = len(self.chunks)
        zero, same = np.zeros(n, np.int64), self._same_text
        ranked = best_of_each_query(zero, np.arange(n), priority[:n], n, same_text=same)
        return ranked[~np.isin(same[ranked], same[walk.emitted])]

    def _reranked(self, query: str, emitted: Ints, fill: Ints, priority: Floats) -> list[tuple[int, float, ScoreKind]]:
        """Return leaves with score and its kind in the order of packing: the reranker's pool, if any, then the rest."""
        rest = np.concatenate([emitted, fill])
        pool: list[tuple[int, float, ScoreKind]] = []
        if self.rerank is not None and self._pool_kind is not None:
            rest, nodes = np.split(rest, [len(emitted) + self.extras])[::-1]
            texts = self.chunks.indexed_texts
            scores = rerank_scores(self.rerank, query, [texts[node] for node in nodes])
            pool = [(int(nodes[i]), float(scores[i]), self._pool_kind) for i in np.lexsort((nodes, -scores))]
        return [*pool, *((int(node), float(priority[node]), "mixed") for node in rest)]

    def _hit(self, node: int, score: float, kind: ScoreKind, sides: Mapping[str, Ranking]) -> Hit:
        """Dress a leaf with its chunk, its duplicates and the side that found it."""
        same = self._copies.get(int(self._same_text[node]), np.empty(0, np.int64))
        duplicates = tuple(np.sort(self.chunks.ids[same[same != node]]).tolist())
        places = {}
        for side, ranking in sides.items():
            for rank in np.flatnonzero(ranking.nodes == node).tolist():
                places[side] = SideScore(rank + 1, float(ranking.scores[rank]))
        chunk = self.chunks[node]
        return Hit(node, score, chunk, chunk.text, (chunk.id,), duplicates, MappingProxyType(places), kind)


def _by_priority(nodes: Ints, priority: Floats) -> Ranking:
    """Return nodes in the order given, with their priorities."""
    return Ranking.read_only(nodes, priority[nodes])


def _scaled(values: Floats, n_leaves: int) -> Floats:
    """Scale values so that the leaves range from 0 to 1; 0 throughout where the leaves are all equal."""
    low, high = values[:n_leaves].min(), values[:n_leaves].max()
    return (values - low) / (high - low) if high > low else np.zeros_like(values)


def _checked_weight(alpha: Any) -> float:
    """Return a number from 0 to 1."""
    if isinstance(alpha, bool) or not isinstance(alpha, numbers.Real) or not 0 <= float(alpha) <= 1:
        raise PsiragError("alpha must be a number from 0 to 1", repr(alpha), "Pass the weight of the cosine.")
    return float(alpha)

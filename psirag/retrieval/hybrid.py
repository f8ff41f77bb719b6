"""Multi-granular retrieval: sides search, their rankings are fused or reranked, and the best become hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from psirag.corpus.chunks import Chunks
from psirag.retrieval.document_scope import DocumentScope
from psirag.retrieval.flat import FlatIndex
from psirag.retrieval.fusion import reciprocal_rank_fusion
from psirag.retrieval.ranking import best_of_each_query, cosines
from psirag.retrieval.reranking import check_reranker, rerank_scores
from psirag.retrieval.sparse_index import SparseIndex
from psirag.retrieval.trace import Hit, LayerTrace, Ranking, Retrieval, ScoreKind, SiblingTrace, SideScore, Trace
from psirag.retrieval.tree_retrieval import retrieve_from_tree
from psirag.tree import AbstractTree
from psirag.vectors import Ints, Mask, Vectors

HITS_WITH_SIBLINGS = 3  # siblings=m looks beside this many hits, from the top


@dataclass(frozen=True)
class _Side:
    """What one side found, by query: rankings, cosines needed, and the layers of a descent."""

    rankings: list[Ranking]
    scored: list[int]
    layers: list[tuple[LayerTrace, ...]]


@dataclass(frozen=True, eq=False)
class HybridSearch:
    """All that retrieval reads: the tree, the chunks, a vector for every node, abstracts' texts, the sparse index.

    `filling` marks, where each document has a tree of its own, the nodes that only fill layers above its root.
    """

    tree: AbstractTree
    chunks: Chunks
    vectors: Vectors
    abstracts: tuple[str, ...]
    sparse: SparseIndex
    filling: Mask | None = None
    _sparse_of: dict[int, SparseIndex] = field(default_factory=dict)

    @cached_property
    def same_text(self) -> Ints | None:
        """For every node the lowest leaf with its text, itself for an abstract; None where all leaves' texts differ."""
        first: dict[str, int] = {}
        group = np.arange(self.tree.n_nodes)
        group[: len(self.chunks)] = [first.setdefault(text, i) for i, text in enumerate(self.chunks.texts)]
        return None if len(first) == len(self.chunks) else group

    @cached_property
    def copies(self) -> Mapping[int, Ints]:
        """For the lowest leaf of each text that occurs more than once, all leaves that have the text."""
        if self.same_text is None:
            return {}
        group = self.same_text[: len(self.chunks)]
        order = np.argsort(group, kind="stable")
        starts = np.flatnonzero(np.r_[True, np.diff(group[order]) > 0])
        return {int(group[part[0]]): part for part in np.split(order, starts[1:]) if len(part) > 1}

    @cached_property
    def indexed_texts(self) -> tuple[str, ...]:
        """Title and text of every chunk: what a reranker reads."""
        return self.chunks.indexed_texts

    @cached_property
    def flat_leaves(self) -> FlatIndex:
        """Flat search over the leaves."""
        return FlatIndex(self.vectors[: len(self.chunks)])

    @cached_property
    def flat_nodes(self) -> FlatIndex:
        """Flat search over all nodes: collapsed retrieval."""
        return FlatIndex(self.vectors)

    def node_text(self, node: int) -> str:
        """Return the text of a chunk or of an abstract."""
        return self.chunks.texts[node] if node < len(self.chunks) else self.abstracts[node - len(self.chunks)]

    def retrieve(
        self, queries: Sequence[str], query_vectors: Vectors, k: int, *, beam: int, size: int, rerank: Any | None,
        siblings: int, nodes: str, sides: Sequence[str], document: int | None,
    ) -> list[Retrieval]:  # fmt: skip
        """Let every side find `size` nodes, fuse or rerank them, and keep k; then add siblings.

        Notes
        -----
        Source: Ψ-RAG §3.2 and Appendix A, Algorithm 3 (hybrid retrieval).
        """
        allowed = None if document is None else self.chunks.document == document
        scope = None if allowed is None else DocumentScope.over(self.tree, allowed)
        find = {
            "tree": lambda: self._tree_side(query_vectors, size, beam, nodes, scope),
            "flat": lambda: self._flat_side(query_vectors, size, nodes, scope),
            "sparse": lambda: self._sparse_side(queries, size, document, allowed),
        }
        found = {side: find[side]() for side in sides}
        results = []
        for i, query in enumerate(queries):
            rankings = {side: found[side].rankings[i] for side in sides}
            fused, kind = self._fuse(query, rankings, rerank)
            hits = self._hits(Ranking(fused.nodes[:k], fused.scores[:k]), rankings, kind, allowed)
            beside = self._siblings(hits, query_vectors[i : i + 1], siblings, allowed) if siblings else ()
            for pair in beside:
                ranking = Ranking(pair.nodes, pair.scores)
                hits += self._hits(ranking, {"siblings": ranking}, "cosine", allowed)
            scored = sum(found[side].scored[i] for side in sides) + sum(len(pair.scores) for pair in beside)
            layers = found["tree"].layers[i] if "tree" in sides else ()
            trace = Trace(layers, scored, MappingProxyType(rankings), fused, beside)
            results.append(Retrieval(query, hits, trace))
        return results

    def _tree_side(
        self, query_vectors: Vectors, size: int, beam: int, nodes: str, scope: DocumentScope | None
    ) -> _Side:
        """Descend the tree, or with nodes="all" search all its nodes at once."""
        if nodes == "all":
            return self._flat_side(query_vectors, size, nodes, scope)
        start, allowed = (None, None) if scope is None else (scope.start, scope.allowed)
        descents = retrieve_from_tree(
            self.tree, self.vectors, query_vectors, size,
            beam=beam, allowed=allowed, same_text=self.same_text, start=start,
        )  # fmt: skip
        return _Side([d.leaves for d in descents], [d.nodes_scored for d in descents], [d.layers for d in descents])

    def _flat_side(self, query_vectors: Vectors, size: int, nodes: str, scope: DocumentScope | None) -> _Side:
        """Search all leaves, or all nodes; of a document's nodes those with no leaf of another."""
        if nodes == "all":
            filled = None if self.filling is None else ~self.filling
            flat, allowed = self.flat_nodes, filled if scope is None else scope.within
        else:
            flat, allowed = self.flat_leaves, None if scope is None else scope.leaves
        rankings = flat.search(query_vectors, size, allowed=allowed, same_text=self.same_text)
        scored = len(flat.vectors) if allowed is None else int(allowed.sum())
        return _Side(rankings, [scored] * len(rankings), [()] * len(rankings))

    def _sparse_side(self, queries: Sequence[str], size: int, document: int | None, allowed: Mask | None) -> _Side:
        """Search the sparse index; where each document has a tree of its own, that of the document alone."""
        if document is None or allowed is None or self.filling is None:
            rankings = self.sparse.search(queries, size, allowed=allowed, same_text=self.same_text)
        else:
            leaves = np.flatnonzero(allowed)
            if document not in self._sparse_of:
                self._sparse_of[document] = SparseIndex.build([self.indexed_texts[leaf] for leaf in leaves])
            groups = None if self.same_text is None else self.same_text[leaves]
            found = self._sparse_of[document].search(queries, size, same_text=groups)
            rankings = [Ranking.read_only(leaves[one.nodes], one.scores) for one in found]
        return _Side(rankings, [0] * len(rankings), [()] * len(rankings))

    def _fuse(self, query: str, rankings: Mapping[str, Ranking], rerank: Any | None) -> tuple[Ranking, ScoreKind]:
        """Make one ranking of the sides': by the reranker, by rank fusion, or the only side's own."""
        if rerank is None and len(rankings) == 1:
            side, ranking = next(iter(rankings.items()))
            return ranking, "bm25" if side == "sparse" else "cosine"
        copy: dict[int, int] = {}  # of equal texts, the copy that the first side found
        for ranking in rankings.values():
            for node in ranking.nodes.tolist():
                copy.setdefault(self._group(node), node)
        if rerank is None:
            groups = [[self._group(node) for node in ranking.nodes.tolist()] for ranking in rankings.values()]
            return _ranking([(copy[group], score) for group, score in reciprocal_rank_fusion(groups)]), "rrf"
        read = self.indexed_texts
        texts = [read[node] if node < len(read) else self.node_text(node) for node in copy.values()]
        scores = rerank_scores(rerank, query, texts).tolist()
        ranked = sorted(zip(copy.values(), scores, strict=True), key=lambda pair: (-pair[1], pair[0]))
        return _ranking(ranked), check_reranker(rerank)

    def _hits(
        self, ranking: Ranking, rankings: Mapping[str, Ranking], kind: ScoreKind, allowed: Mask | None
    ) -> tuple[Hit, ...]:
        """Dress ranked nodes with text, chunk, leaves, duplicates and the sides that found them."""
        places: dict[int, dict[str, SideScore]] = {}
        for side, found in rankings.items():
            for i, node in enumerate(found.nodes.tolist()):
                places.setdefault(self._group(node), {})[side] = SideScore(i + 1, float(found.scores[i]))
        hits = []
        for node, score in zip(ranking.nodes.tolist(), ranking.scores.tolist(), strict=True):
            group = self._group(node)
            chunk = self.chunks[node] if node < len(self.chunks) else None
            leaves = tuple(np.sort(self.chunks.ids[self.tree.leaves(node)]).tolist())
            same = self.copies.get(group, np.empty(0, np.int64))
            others = same[(same != node) & (True if allowed is None else allowed[same])]
            duplicates = tuple(np.sort(self.chunks.ids[others]).tolist())
            sides = MappingProxyType(places[group])
            hits.append(Hit(node, score, chunk, self.node_text(node), leaves, duplicates, sides, kind))
        return tuple(hits)

    def _siblings(
        self, hits: Sequence[Hit], query_vector: Vectors, m: int, allowed: Mask | None
    ) -> tuple[SiblingTrace, ...]:
        """Find, beside each of the top hits that is a leaf, the m best sibling leaves that are not hits yet."""
        taken = {self._group(hit.node) for hit in hits}
        found = []
        for hit in [hit for hit in hits[:HITS_WITH_SIBLINGS] if hit.chunk is not None and self.tree.depth > 0]:
            beside = self.tree.children(int(self.tree.parent[hit.node])).tolist()
            free = [v for v in beside if self._group(v) not in taken and (allowed is None or allowed[v])]
            node = np.array(free, dtype=np.int64)
            query = np.zeros_like(node)
            scores = cosines(query_vector, self.vectors, query, node)
            best = best_of_each_query(query, node, scores, m, same_text=self.same_text)
            found.append(SiblingTrace(hit.node, node[best], scores[best]))
            taken.update(map(self._group, node[best].tolist()))
        return tuple(found)

    def _group(self, node: int) -> int:
        """Return the lowest leaf with the same text, the node itself where there is no other."""
        return node if self.same_text is None else int(self.same_text[node])


def _ranking(ranked: Sequence[tuple[int, float]]) -> Ranking:
    """Turn (node, score) pairs into read-only arrays."""
    return Ranking.read_only([node for node, _ in ranked], [score for _, score in ranked])

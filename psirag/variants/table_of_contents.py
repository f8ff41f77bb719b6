"""What the two tools hand over: a table of contents made for one query, and the text of sections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import NamedTuple

import numpy as np

from psirag.retrieval.trace import Retrieval
from psirag.variants.sections import SectionForest
from psirag.vectors import Floats, Ints, Mask

TokenCount = Callable[[str], int]

SHOWN_WORDS = 6  # words of the query that a line shows, at most


class QueryTerms(NamedTuple):
    """The words of a query that a keyword index keeps, their weights (t,), and which of them a node holds."""

    words: tuple[str, ...]
    weights: Floats
    held_by: Callable[[int], Mask]


@dataclass(frozen=True, eq=False, repr=False)
class TableOfContents(Retrieval):
    """The sub-forest that a query induces: the best nodes of the chunks found, and all nodes above them.

    It is a retrieval without hits: headings are shown, no passage is.

    Parameters
    ----------
    nodes : (s,) int64
        Nodes shown, line by line: documents by their best node, within a document in the order of its text.
    depth : (s,) int64
        0 for a document.
    documents : (s,) int64
        Id of each node's document.
    scores : (s,) float64
        The best score of the node's chunks; NaN for a node that is shown only as an ancestor.
    tokens : (s,) int64
        Tokens of the node's own text.
    titles : tuple of str
    words : tuple of str
        Words of the query that the keyword index keeps.
    weights : (t,) float64
        Their inverse frequency among the sections; 0 for a word that no section holds.
    holds : (s, t) bool
        Which of them stand in the node's headings or own text; all False for an ancestor.
    found : Retrieval
        The chunks that it was made of.
    dropped : tuple of int
        Nodes left out because the budget of tokens was full, the last one dropped first.

    Notes
    -----
    Source: RIT-RAG (2026), Figure 2b and 2c.
    """

    nodes: Ints
    depth: Ints
    documents: Ints
    scores: Floats
    tokens: Ints
    titles: tuple[str, ...]
    words: tuple[str, ...]
    weights: Floats
    holds: Mask
    found: Retrieval
    dropped: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        _freeze(self)

    @cached_property
    def text(self) -> str:
        """The table as a reader sees it: number, heading, tokens and words of the query, indented by depth."""
        return "\n".join(map(self._line, range(len(self.nodes))))

    def _line(self, i: int) -> str:
        """One line of the table, with the heaviest of the words it holds."""
        held = [int(j) for j in np.argsort(-self.weights, kind="stable") if self.holds[i, j]][:SHOWN_WORDS]
        size = [f"{self.tokens[i]} tokens"] if self.tokens[i] else []
        told = "; ".join([*size, *([", ".join(self.words[j] for j in sorted(held))] if held else [])])
        return f"{'  ' * self.depth[i]}[{self.nodes[i]}] {self.titles[i] or '(untitled)'}" + (told and f" ({told})")

    def __repr__(self) -> str:
        """Return the table."""
        return f"TableOfContents({self.query!r}, {len(self.nodes)} nodes)\n{self.text}"


@dataclass(frozen=True, eq=False, repr=False)
class Content(Retrieval):
    """The own text of sections, whole: all their chunks.

    Parameters
    ----------
    nodes : (s,) int64
        The sections, in the order in which they were asked for.
    tokens : (s,) int64
        Tokens of each.

    Notes
    -----
    Source: RIT-RAG (2026), Figure 2c (GetContent).
    """

    nodes: Ints
    tokens: Ints

    def __post_init__(self) -> None:
        _freeze(self)


def induce_contents(
    found: Retrieval, forest: SectionForest, terms: QueryTerms, *, n_nodes: int, max_tokens: int, count: TokenCount
) -> TableOfContents:
    """Make the table of contents of the n nodes whose chunks were found with the highest scores.

    A node's score is that of its best chunk (ties: the earlier node). While the table has more than `max_tokens`
    tokens the node with the lowest score goes, of equals the deepest, and with it what stood there only above it; the
    best node stays.

    Notes
    -----
    Source: RIT-RAG (2026), Figure 2b; the score and what is dropped are ours, the summary at hand leaves both open.
    """
    scores = node_scores(found, forest)
    depth = {node: len(forest.ancestors(node)) for node in scores}
    kept = sorted(scores, key=lambda node: (-scores[node], node))[:n_nodes]
    dropped: list[int] = []
    while True:
        table = _table(found, forest, terms, {node: scores[node] for node in kept}, count, dropped)
        if len(kept) <= 1 or count(table.text) <= max_tokens:
            return table
        worst = min(kept, key=lambda node: (scores[node], -depth[node], -node))
        kept.remove(worst)
        dropped.append(worst)


def node_scores(found: Retrieval, forest: SectionForest) -> dict[int, float]:
    """The best score of each node that a chunk found, or a copy of it, belongs to."""
    scores: dict[int, float] = {}
    for hit in found:
        ids = np.array([*hit.leaves, *hit.duplicates], dtype=np.int64)
        for node in forest.node[np.searchsorted(forest.chunks.ids, ids)].tolist():
            scores[node] = max(hit.score, scores.get(node, -np.inf))
    return scores


def _table(
    found: Retrieval, forest: SectionForest, terms: QueryTerms, scores: dict[int, float], count: TokenCount,
    dropped: Sequence[int],
) -> TableOfContents:  # fmt: skip
    """The table of these nodes and their ancestors."""
    shown = {each for node in scores for each in (node, *forest.ancestors(node))}
    best: dict[int, float] = {}
    for node, score in scores.items():
        document = int(forest.document[node])
        best[document] = max(score, best.get(document, -np.inf))
    order = sorted(shown, key=lambda node: (-best[int(forest.document[node])], node))
    none = np.zeros(len(terms.words), dtype=bool)
    holds = [terms.held_by(node) if node in scores else none for node in order]
    nodes = np.array(order, dtype=np.int64)
    return TableOfContents(
        query=found.query,
        hits=(),
        trace=found.trace,
        nodes=nodes,
        depth=np.array([len(forest.ancestors(node)) for node in order], dtype=np.int64),
        documents=forest.document[nodes],
        scores=np.array([scores.get(node, np.nan) for node in order]),
        tokens=section_tokens(forest, order, count),
        titles=tuple(forest.titles[node] for node in order),
        words=terms.words,
        weights=terms.weights,
        holds=np.array(holds, dtype=bool).reshape(len(order), len(terms.words)),
        found=found,
        dropped=tuple(dropped),
    )


def section_tokens(forest: SectionForest, nodes: Sequence[int], count: TokenCount) -> Ints:
    """Tokens of the own text of each node, counted chunk by chunk."""
    texts = forest.chunks.texts
    return np.array([sum(count(texts[i]) for i in forest.chunk_range(node)) for node in nodes], dtype=np.int64)


def _freeze(record: Retrieval) -> None:
    """Make a record's arrays read-only."""
    for field in fields(record):
        value = getattr(record, field.name)
        if isinstance(value, np.ndarray):
            value.flags.writeable = False

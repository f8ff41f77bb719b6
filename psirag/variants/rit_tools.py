"""RIT-RAG's two tools over an index of sections: a table of contents for a query, and the content of sections."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from psirag.checks import check_count, check_type
from psirag.corpus import Chunks
from psirag.corpus.tokens import token_counter
from psirag.errors import PsiragError
from psirag.index import Index
from psirag.retrieval.asking import check_queries, check_sides
from psirag.retrieval.trace import Hit, Trace
from psirag.variants.sections import SectionForest
from psirag.variants.table_of_contents import Content, QueryTerms, TableOfContents, induce_contents, section_tokens

if TYPE_CHECKING:
    from psirag.vectors import Mask


class SectionTools:
    """`get_toc` and `get_content` over sections; see `RitRag`, which adds the agent that calls them.

    Parameters
    ----------
    index, forest, n_chunks, n_nodes, toc_tokens, sides
        See `RitRag`.

    Raises
    ------
    PsiragError
        An index of other chunks, or a wrong setting.

    Notes
    -----
    Source: RIT-RAG (2026), Figure 2.
    """

    def __init__(
        self, index: Index, forest: SectionForest, *, n_chunks: int = 30, n_nodes: int = 10, toc_tokens: int = 800,
        sides: Sequence[str] = ("flat", "sparse"),
    ) -> None:  # fmt: skip
        self.index, self.forest = check_type("index", index, Index), check_type("forest", forest, SectionForest)
        if index.chunks != forest.chunks:
            given = f"an index of {len(index.chunks)} other chunks"
            raise PsiragError("RitRag needs an index over the forest's chunks", given, "Use index_sections(forest).")
        self.n_chunks, self.n_nodes = check_count("n_chunks", n_chunks), check_count("n_nodes", n_nodes)
        self.toc_tokens, self.sides = check_count("toc_tokens", toc_tokens), check_sides(sides)

    @property
    def chunks(self) -> Chunks:
        """The chunks, none across the end of a section."""
        return self.forest.chunks

    def get_toc(self, query: str) -> TableOfContents:
        """Return the table of contents that a query induces: the first tool.

        Raises
        ------
        PsiragError
            A blank query.

        Notes
        -----
        Source: RIT-RAG (2026), Figure 2b and 2c.
        """
        (query,) = check_queries(check_type("query", query, str))
        found = self.index.retrieve(query, self.n_chunks, pool=self.n_chunks, sides=self.sides)
        return induce_contents(
            found, self.forest, self._terms(query),
            n_nodes=self.n_nodes, max_tokens=self.toc_tokens, count=self._count,
        )  # fmt: skip

    def get_content(self, nodes: Sequence[int]) -> Content:
        """Return the own text of sections as hits, one a chunk, in the order of the text: the second tool.

        Raises
        ------
        PsiragError
            No numbers of sections.

        Notes
        -----
        Source: RIT-RAG (2026), Figure 2c.
        """
        return self.content(nodes, {})

    def content(self, nodes: Sequence[int], scores: Mapping[int, float]) -> Content:
        """Return the sections' chunks as hits with these scores, 0 where there is none."""
        if isinstance(nodes, str) or not isinstance(nodes, Iterable):
            asked = "get_content needs a sequence of nodes"
            raise PsiragError(asked, f"{nodes!r:.80}", "Pass numbers from a table of contents.")
        numbers = [check_count("get_content's nodes", node, minimum=0) for node in nodes]
        if unknown := [node for node in numbers if node >= self.forest.n_nodes]:
            asked = f"get_content needs nodes below {self.forest.n_nodes}"
            raise PsiragError(asked, f"node {unknown[0]}", "Pass numbers from a table of contents.")
        distinct = list(dict.fromkeys(numbers))
        hits = tuple(self.hit_of(i, scores) for node in distinct for i in self.forest.chunk_range(node))
        tokens = section_tokens(self.forest, distinct, self._count)
        query = f"get_content({', '.join(map(str, distinct))})"
        return Content(query, hits, Trace((), 0), np.array(distinct, dtype=np.int64), tokens)

    def hit_of(self, position: int, scores: Mapping[int, float]) -> Hit:
        """Return a chunk as a hit."""
        chunk = self.chunks[position]
        copies = tuple(each for each in self._same_text[chunk.text] if each != chunk.id)
        return Hit(position, scores.get(chunk.id, 0.0), chunk, chunk.text, (chunk.id,), copies, {}, "rrf")

    def _count(self, text: str) -> int:
        """Tokens of a text by the encoder's tokenizer."""
        return token_counter(self.index.encoder.tokenizer)(text)

    def _terms(self, query: str) -> QueryTerms:
        """The query's keywords, their inverse frequency among the sections, and which a node holds."""
        tokens = self.index.sparse.tokens
        asked = re.findall(r"\w+", query)
        words: dict[str, str] = {}
        for word, found in zip(asked, tokens(asked), strict=True):
            for token in found:
                words.setdefault(token, word.casefold() if len(found) == 1 else token)
        counts, n = self._frequency
        weights = [np.log(1 + (n - counts[t] + 0.5) / (counts[t] + 0.5)) if counts[t] else 0.0 for t in words]

        def held_by(node: int) -> Mask:
            (held,) = map(set, tokens([self._indexed(node)]))
            return np.array([token in held for token in words], dtype=bool)

        return QueryTerms(tuple(words.values()), np.array(weights, dtype=np.float64), held_by)

    def _indexed(self, node: int) -> str:
        """Headings and own text of a node."""
        return "\n".join([*self.forest.path(node), self.forest.own_text(node)])

    @cached_property
    def _frequency(self) -> tuple[Counter[str], int]:
        """How many sections with text hold each keyword, and how many there are."""
        nodes = np.unique(self.forest.node).tolist()
        held = self.index.sparse.tokens(self._indexed(node) for node in nodes)
        return Counter(token for each in held for token in set(each)), len(nodes)

    @cached_property
    def _same_text(self) -> Mapping[str, list[int]]:
        """Ids of the chunks with each text."""
        ids: dict[str, list[int]] = {}
        for number, text in zip(self.chunks.ids.tolist(), self.chunks.texts, strict=True):
            ids.setdefault(text, []).append(number)
        return ids

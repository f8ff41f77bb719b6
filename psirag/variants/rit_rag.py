"""RIT-RAG: the chunks found induce a table of contents across documents, from which an agent chooses what to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from psirag.agent import Agent
from psirag.checks import check_count
from psirag.encoding import as_encoder
from psirag.errors import PsiragError
from psirag.index import Index
from psirag.readers import Reader
from psirag.retrieval.trace import Hit, Retrieval, Trace
from psirag.variants.rit_agent import RulesPolicy, parse_call, parse_numbers, tables_of
from psirag.variants.rit_tools import SectionTools
from psirag.variants.sections import SectionForest, index_sections, section_forest
from psirag.variants.table_of_contents import TableOfContents

if TYPE_CHECKING:
    from psirag.transcript import Answer


class RitRag(SectionTools):
    r"""Retrieval-induced trees over the headings of documents, with an agent that calls two tools.

    `get_toc(query)` shows the headings around the best chunks, `get_content(nodes)` the text of sections. A policy
    calls them: `RulesPolicy` without a model, `ModelPolicy` with one.

    Parameters
    ----------
    index : Index
        Over `forest.chunks`; see `index_sections`.
    forest : SectionForest
    policy : Reader, optional
        `RulesPolicy()` when None.
    n_chunks : int
        Chunks a query retrieves (k′; the summary of the paper at hand gives no value).
    n_nodes : int
        Nodes that a table of contents keeps, its ancestors not counted (n).
    toc_tokens : int
        Tokens of a table of contents, at most, by the encoder's tokenizer.
    max_calls : int
        Calls of the tools a question may cost, the first `get_toc` included.
    sides : sequence of str
        Sides of the index that are searched.

    Raises
    ------
    PsiragError
        An index of other chunks, or a wrong setting.

    Notes
    -----
    Source: RIT-RAG (2026), Figure 2.

    Examples
    --------
    >>> rit = RitRag.build(["# Bats\n\n## Food\n\nBats hunt moths.", "# Owls\n\n## Food\n\nOwls hunt mice."])
    >>> print(rit.get_toc("What do owls hunt?").text)
    [2] Owls
      [3] Food (4 tokens; owls, hunt)
    [0] Bats
      [1] Food (4 tokens; hunt)
    >>> rit.ask("What do owls hunt?").text
    'mice'
    """

    name = "RIT-RAG"

    def __init__(
        self, index: Index, forest: SectionForest, *, policy: Reader | None = None, n_chunks: int = 30,
        n_nodes: int = 10, toc_tokens: int = 800, max_calls: int = 4, sides: Sequence[str] = ("flat", "sparse"),
    ) -> None:  # fmt: skip
        super().__init__(index, forest, n_chunks=n_chunks, n_nodes=n_nodes, toc_tokens=toc_tokens, sides=sides)
        self.policy = RulesPolicy() if policy is None else policy
        if not isinstance(self.policy, Reader):
            given = f"a {type(policy).__name__}"
            raise PsiragError("RitRag's policy must be a reader", given, "Pass RulesPolicy() or ModelPolicy(model).")
        self.max_calls = check_count("max_calls", max_calls)

    @property
    def settings(self) -> dict[str, Any]:
        """How it searches and reads, for the record of an evaluation."""
        sizes = {"n_chunks": self.n_chunks, "n_nodes": self.n_nodes, "toc_tokens": self.toc_tokens}
        return {**sizes, "max_calls": self.max_calls, "sides": self.sides, "policy": self.policy.name}

    @classmethod
    def build(
        cls,
        corpus: Any,
        *,
        encoder: Any = "auto",
        max_tokens: int = 100,
        format: str = "auto",  # noqa: A002
        **settings: Any,
    ) -> RitRag:
        """Build forest and index from anything that `load_corpus` reads.

        Parameters
        ----------
        corpus, max_tokens, format
            See `section_forest`.
        encoder : str, Path or object
            See `as_encoder`.
        **settings
            Of `RitRag`.

        Raises
        ------
        PsiragError
            What `section_forest`, `as_encoder` and `RitRag` refuse.

        Notes
        -----
        Source: RIT-RAG (2026), Figure 2a.
        """
        model = as_encoder(encoder)
        forest = section_forest(corpus, max_tokens, tokenizer=model.tokenizer, format=format)
        return cls(index_sections(forest, encoder=model), forest, **settings)

    def ask(self, question: str, k: int = 5) -> Answer:
        """Let the policy call the tools, read and answer.

        Parameters
        ----------
        question : str
        k : int
            Sections that one call of `get_content` reads, at most.

        Returns
        -------
        Answer
            `.hits` are the chunks read; a query of its steps is a call of a tool, the first one `get_toc` of the
            question. `tool_calls(answer)` counts them.

        Raises
        ------
        PsiragError
            A blank question, or a k below 1.

        Notes
        -----
        Source: RIT-RAG (2026), Figure 2c, Table 16.
        """
        agent = Agent(cast(Index, _Tools(self)), self.policy, max_retrievals=self.max_calls, max_queries=self.max_calls)
        return agent.ask(question, k)

    def retrieve(self, question: str, k: int = 5) -> Retrieval:
        """Return the chunks that `ask` reads, then those of the other nodes in its tables of contents.

        Of the sections read, in their order, the best chunk of each comes first, then the second of each, and so on;
        then the sections shown and not read, by their score. A chunk's score is that of the retrieval behind the
        tables, 0 where that did not find it.

        Parameters
        ----------
        question : str
        k : int
            Chunks, at most.

        Raises
        ------
        PsiragError
            What `ask` refuses.

        Notes
        -----
        Source: ours; the paper evaluates what is read (Table 4).
        """
        check_count("k", k)
        answer = self.ask(question)
        tables, contents = tables_of(answer.steps)
        scores = _chunk_scores(tables)
        read = [node for content in contents for node in content.nodes.tolist()]
        shown = {n: s for t in tables for n, s in zip(t.nodes.tolist(), t.scores.tolist(), strict=True) if s == s}
        others = sorted(set(shown) - set(read), key=lambda node: (-shown[node], node))
        hits = [*self._by_turns(read, scores), *(h for node in others for h in self._by_turns([node], scores))][:k]
        scored = sum(table.trace.nodes_scored for table in tables)
        trace = Trace((), scored, tables[0].trace.sides, tables[0].trace.fused, queries=len(tables))
        return Retrieval(question, tuple(hits), trace)

    def _by_turns(self, nodes: Sequence[int], scores: Mapping[int, float]) -> list[Hit]:
        """The best chunk of each section, then the second of each, and so on."""
        turns = []
        for place, node in enumerate(dict.fromkeys(nodes)):
            hits = sorted((self.hit_of(i, scores) for i in self.forest.chunk_range(node)), key=lambda h: -h.score)
            turns += [(turn, place, hit) for turn, hit in enumerate(hits)]
        return [hit for _, _, hit in sorted(turns, key=lambda each: each[:2])]


@dataclass
class _Tools:
    """The two tools as what an `Agent` searches: a query is a call, or the question itself."""

    rit: RitRag
    tables: list[TableOfContents] = field(default_factory=list)

    def retrieve(self, calls: Sequence[str], k: int) -> list[Retrieval]:
        """Carry out each call; numbers of no section are passed over, and k sections read at most."""
        return [self._call(call, k) for call in calls]

    def _call(self, call: str, k: int) -> Retrieval:
        tool, argument = parse_call(call) if self.tables else ("get_toc", call)  # the question is no call
        if tool == "get_content":
            known = [number for number in parse_numbers(argument) if number < self.rit.forest.n_nodes]
            content = self.rit.content(known[:k], _chunk_scores(self.tables))
            return replace(content, query=call)
        self.tables.append(replace(self.rit.get_toc(argument), query=call))
        return self.tables[-1]


def _chunk_scores(tables: Sequence[TableOfContents]) -> dict[int, float]:
    """The best score of every chunk found for some table."""
    scores: dict[int, float] = {}
    for hit in (hit for table in tables for hit in table.found):
        for number in (*hit.leaves, *hit.duplicates):
            scores[number] = max(hit.score, scores.get(number, 0.0))
    return scores

"""Calls of RIT-RAG's two tools, and rules that make them without a model, as a reader of the R&A agent."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from psirag.checks import check_count
from psirag.readers import AgentState, Decision, Reader, RulesReader
from psirag.variants.table_of_contents import Content, TableOfContents

if TYPE_CHECKING:
    from psirag.transcript import Answer

AT_LEAST = 3  # sections that the rules read even where they hold no word that is still looked for
MISSING = 0.2  # share of the question's weight that must be missing for a second table of contents
LEARNED, READ_AFTER = 3, 2  # sections whose text a second query carries, and sections read from its table

_CALL = re.compile(r"\s*(get_toc|get_content)\s*[(:]\s*(.*?)\s*\)?\s*", re.IGNORECASE | re.DOTALL)
_NUMBERS = re.compile(r"[\s\[\](),;and]*\d[\d\s\[\](),;and]*")


class ToolCalls(NamedTuple):
    """Calls of the two tools, and sections read."""

    toc: int
    content: int
    nodes: int

    @property
    def total(self) -> int:
        """Calls of both tools."""
        return self.toc + self.content


def tool_calls(answer: Answer) -> ToolCalls:
    r"""Count what an answer of `RitRag.ask` cost.

    Notes
    -----
    Source: RIT-RAG (2026), Table 16.

    Examples
    --------
    >>> from psirag.variants.rit_rag import RitRag
    >>> tool_calls(RitRag.build(["# Owls\n\n## Food\n\nOwls hunt mice."]).ask("What do owls hunt?"))
    ToolCalls(toc=1, content=1, nodes=1)
    """
    tables, contents = tables_of(answer.steps)
    return ToolCalls(len(tables), len(contents), len({node for each in contents for node in each.nodes.tolist()}))


def tables_of(steps: Sequence[Any]) -> tuple[list[TableOfContents], list[Content]]:
    """The tables of contents and the contents of steps, or of one state's tuples of retrievals, in their order."""
    found = [each for step in steps for each in getattr(step, "retrievals", step)]
    return (
        [each for each in found if isinstance(each, TableOfContents)],
        [each for each in found if isinstance(each, Content)],
    )


def parse_call(call: str) -> tuple[str, str]:
    """Read a call as its tool and its argument; numbers alone are sections to read, other words a query.

    Notes
    -----
    Source: ours.

    Examples
    --------
    >>> parse_call("get_content(3, 5)"), parse_call("[3] and [5]"), parse_call("get_toc(owls)"), parse_call("Who?")
    (('get_content', '3, 5'), ('get_content', '[3] and [5]'), ('get_toc', 'owls'), ('get_toc', 'Who?'))
    """
    found = _CALL.fullmatch(call)
    if found and found[2]:
        return found[1].lower(), found[2]
    return ("get_content" if _NUMBERS.fullmatch(call) else "get_toc"), call.strip()


def parse_numbers(argument: str) -> list[int]:
    """Read the numbers of sections, each once.

    Examples
    --------
    >>> parse_numbers("[3], 5 and 3")
    [3, 5]
    """
    return list(dict.fromkeys(int(number) for number in re.findall(r"\d{1,9}", argument)))


class RulesPolicy:
    """Call the tools by fixed rules, then let a reader answer from what was read.

    The question's table of contents first. Of its sections those are read, one after the other, that add most: the
    weight of the question's words that no section read holds, counted again for words that no shown section of a
    document read so far holds (so that another document is preferred where one does not cover the question), and
    1 / rank. Reading ends at the budget of tokens, or after three sections when nothing is added. When words of a fifth
    of the question's weight are still missing, a second table is asked for with these words and the text of the first
    three sections read, and two sections of it are read.

    Parameters
    ----------
    reader : Reader, optional
        Who answers; `RulesReader()` when None.
    read_tokens : int
        Tokens of all sections read. A section that does not fit is passed over; the first may be longer.

    Raises
    ------
    PsiragError
        A budget below 1.

    Notes
    -----
    It sees what the tools return and nothing else.
    Source: ours, for what RIT-RAG leaves to a language model.

    Examples
    --------
    >>> RulesPolicy(read_tokens=500).name
    'rules over headings'
    """

    def __init__(self, reader: Reader | None = None, *, read_tokens: int = 800) -> None:
        self.reader = RulesReader() if reader is None else reader
        self.read_tokens = check_count("read_tokens", read_tokens)
        self.name = f"{self.reader.name} over headings"

    def decide(self, state: AgentState, *, may_retrieve: bool) -> Decision:
        """Call a tool while there is something to call for; then answer."""
        tables, contents = tables_of(state.retrievals)
        call = self._call(state, tables, contents) if may_retrieve and tables else ""
        if not call:
            return self.reader.decide(state, may_retrieve=False)
        why = "Words of the question are still missing." if call.startswith("get_toc") else "These sections add most."
        return Decision("retrieve", queries=(call,), thought=why, prompt=tables[-1].text)

    def _call(self, state: AgentState, tables: Sequence[TableOfContents], contents: Sequence[Content]) -> str:
        """The next call, or nothing."""
        read = [node for each in contents for node in each.nodes.tolist()]
        if isinstance(state.retrievals[-1][-1], TableOfContents):
            left = self.read_tokens - sum(int(each.tokens.sum()) for each in contents)
            limits = {"at_least": READ_AFTER, "at_most": READ_AFTER} if read else {}
            chosen = choose_sections(tables[-1], read, left, **limits)
            return f"get_content({', '.join(map(str, chosen))})" if chosen else ""
        missing = missing_words(tables[0], read)
        if len(tables) > 1 or not missing or state.retrievals_left < 2:
            return ""
        texts = [hit.text for hit in contents[0] if hit.chunk and hit.chunk.metadata["node"] in read[:LEARNED]]
        return f"get_toc({' '.join([*missing, *texts])})"


def choose_sections(
    table: TableOfContents, read: Sequence[int], tokens: int, *, at_least: int = AT_LEAST, at_most: int | None = None
) -> list[int]:
    """Choose sections greedily by the words they add; see `RulesPolicy`.

    Parameters
    ----------
    table : TableOfContents
    read : sequence of int
        Sections read before.
    tokens : int
        What the chosen sections may hold together; the first of all may hold more.
    at_least : int
        Sections chosen even where they add no word.
    at_most : int, optional
        Sections chosen.

    Returns
    -------
    list of int
        Numbers of nodes, the best first.

    Notes
    -----
    Source: ours.
    """
    weights = table.weights / max(table.weights.sum(), np.finfo(float).tiny)
    ranked = np.argsort(np.argsort(-np.nan_to_num(table.scores, nan=-np.inf), kind="stable"), kind="stable")
    done = np.isin(table.nodes, read)
    free = ~np.isnan(table.scores) & (table.tokens > 0) & ~done
    chosen: list[int] = []
    while True:
        covered = table.holds[done].any(axis=0)
        known = table.holds[np.isin(table.documents, table.documents[done])].any(axis=0)
        added = (table.holds & ~covered) @ weights + (table.holds & ~known) @ weights
        fits = free & ((table.tokens <= tokens) | (not chosen and not read))
        wanted = fits & (added > 0) if len(chosen) >= at_least else fits
        if not wanted.any() or len(chosen) == at_most:
            return chosen
        best = int(np.argmax(np.where(wanted, added + 1 / (1 + ranked), -np.inf)))
        chosen.append(int(table.nodes[best]))
        done[best], free[best] = True, False
        tokens -= int(table.tokens[best])


def missing_words(table: TableOfContents, read: Sequence[int]) -> list[str]:
    """The query's words that no section read holds, when together they weigh a fifth of the query or more.

    Notes
    -----
    Source: ours.
    """
    held = table.holds[np.isin(table.nodes, read)].any(axis=0)
    missing = ~held & (table.weights > 0)
    if table.weights[missing].sum() < MISSING * table.weights.sum() or not missing.any():
        return []
    return [word for word, absent in zip(table.words, missing, strict=True) if absent]

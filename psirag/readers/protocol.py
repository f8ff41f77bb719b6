"""The seam between the R&A agent and whoever answers: what a reader is shown, and what it may decide."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, Protocol, get_args, runtime_checkable

from psirag.errors import PsiragError

if TYPE_CHECKING:
    from psirag.corpus.chunks import Chunk
    from psirag.retrieval.trace import Hit, Retrieval

NOT_MENTIONED = "Not mentioned"

Action = Literal["answer", "retrieve", "not_mentioned", "unparsed", "stopped"]
Task = Literal["question", "summary"]
Correction = Literal["", "unparsed", "repeated"]


@dataclass(frozen=True)
class Evidence:
    """One passage retrieved so far: its best hit over all queries, and where it was first seen.

    Attributes
    ----------
    id : int
        The chunk's id, or the node's number when the hit is an abstract.
    hit : Hit
        The hit with the highest score.
    score : float
        That score.
    first_step : int
        The step, counted from 1, whose retrieval first returned it.
    """

    id: int
    hit: Hit
    score: float
    first_step: int

    @property
    def chunk(self) -> Chunk | None:
        """The passage, or None for an abstract."""
        return self.hit.chunk

    @property
    def title(self) -> str:
        """The passage's title, empty when it has none."""
        return self.hit.chunk.title if self.hit.chunk is not None else ""

    @property
    def text(self) -> str:
        """The passage's text."""
        return self.hit.text


@dataclass(frozen=True)
class AgentState:
    """All that a reader sees: the question, what `index.retrieve` returned so far, and what is left to spend.

    Attributes
    ----------
    question : str
        The question as it was asked.
    evidence : tuple of Evidence
        Each passage once, best score first; ties by first step, then id.
    retrievals : tuple of tuple of Retrieval
        One tuple a step: what each of its queries returned, in order.
    retrievals_left, queries_left : int
        How many more times the agent may retrieve, and with how many queries in all.
    told : str
        A correction: "unparsed" (the last reply could not be used), "repeated" (it asked only what was asked), or "".
    task : str
        "question", or "summary" when the evidence is to be summarised for it.
    """

    question: str
    evidence: tuple[Evidence, ...]
    retrievals: tuple[tuple[Retrieval, ...], ...]
    retrievals_left: int
    queries_left: int
    told: Correction = ""
    task: Task = "question"

    @property
    def queries(self) -> tuple[str, ...]:
        """Every query sent so far, the question first."""
        return tuple(retrieval.query for step in self.retrievals for retrieval in step)


@dataclass(frozen=True)
class Decision:
    """What a reader decided: the action, its text or queries, and how it got there.

    Attributes
    ----------
    action : str
        "answer", "retrieve", "not_mentioned", "unparsed", or "stopped" when `on_text` ended it.
    text : str
        The answer; for "unparsed" what was said instead of one.
    queries : tuple of str
        What to look up next, for "retrieve".
    thought : str
        The reasoning before the action.
    evidence : mapping of int to float, optional
        Evidence id to score, the higher the better; None when the reader gives none.
    raw, prompt : str
        What the reader said and what it was given, word for word; empty when there is no prompt.
    probability : float, optional
        How sure the reader is of the action, in [0, 1].
    tokens : int
        Tokens generated.
    probabilities : mapping of str to float, optional
        The probability of each action that was weighed, such as ``{"answer": 0.8, "retrieve": 0.2}``.
    notes : tuple of str
        What the transcript should say besides, such as passages that the context had no room for.

    Raises
    ------
    PsiragError
        For an unknown action, or an evidence score or probability that is not a finite number.

    Notes
    -----
    Source: Ψ-RAG §3.2, the triple (R, action, ·).

    Examples
    --------
    >>> Decision("retrieve", queries=("Who was David Gest's wife?",)).action
    'retrieve'
    """

    action: Action
    text: str = ""
    queries: tuple[str, ...] = ()
    thought: str = ""
    evidence: Mapping[int, float] | None = None
    raw: str = ""
    prompt: str = ""
    probability: float | None = None
    tokens: int = 0
    probabilities: Mapping[str, float] | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.action not in get_args(Action):
            allowed = ", ".join(get_args(Action))
            raise PsiragError(f"a Decision's action is one of {allowed}", repr(self.action), "Use one of these.")
        if not isinstance(self.text, str):
            raise PsiragError("a Decision's text is a string", repr(self.text), 'Leave it "" when there is none.')
        if isinstance(self.queries, str) or not all(isinstance(query, str) for query in self.queries):
            raise PsiragError("a Decision's queries are a tuple of strings", repr(self.queries), "Give (query,).")
        object.__setattr__(self, "queries", tuple(self.queries))
        for name in ("evidence", "probabilities"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        scores = [*(self.evidence or {}).values(), *(self.probabilities or {}).values()]
        scores += [] if self.probability is None else [self.probability]
        if not all(math.isfinite(score) for score in scores):
            raise PsiragError("a Decision's scores are finite numbers", repr(scores), "Leave out what has no score.")


@runtime_checkable
class Reader(Protocol):
    """Whoever reads the evidence and decides: a model, fixed rules, or a few lines in a cell."""

    @property
    def name(self) -> str:
        """The reader's name, kept in the transcript."""
        ...

    def decide(self, state: AgentState, *, may_retrieve: bool) -> Decision:
        """Answer, or ask for more when `may_retrieve` is true."""
        ...


@runtime_checkable
class StreamingReader(Reader, Protocol):
    """A reader whose words can be watched as they come, and which can be stopped between two of them.

    Set `on_text` before `Agent.ask`, from any thread; a decision keeps the one that was set when it began. It is
    called, in the thread that called `ask`, with every new piece of text, and with "" while the prompt is still being
    read, so that a stop takes effect then too. Returning True ends the generation before the next token: `decide`
    returns a Decision with action "stopped" and what was said so far in `raw`, and `ask` returns an Answer with status
    "stopped". What it raises is a failure of the reader. None turns it off. A panel needs two lines::

        reader.on_text = lambda piece: show(piece) or stop.is_set()
        answer = agent.ask(question, watch=lambda step: draw(step) or stop.is_set())
    """

    on_text: Callable[[str], object] | None

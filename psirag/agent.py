"""The R&A agent: retrieve, let a reader decide, retrieve again, answer; the budget is kept here, not in a prompt."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import signature
from typing import TYPE_CHECKING, Any

from psirag.checks import check_count, check_function, check_texts
from psirag.errors import PsiragError
from psirag.readers import AgentState, Decision, Reader, load_reader
from psirag.readers.parsing import is_not_mentioned, normalised_query
from psirag.readers.protocol import NOT_MENTIONED, Correction, Task
from psirag.transcript import Answer, Status, Step, gather_evidence, last_evidence_scores, order_hits

if TYPE_CHECKING:
    from psirag.index import Index
    from psirag.retrieval.trace import Retrieval

# What a model or its connection raises. Anything else is a mistake in the reader's code and reaches the caller.
READER_FAILURES = (RuntimeError, OSError, ValueError)


class Agent:
    """The retrieve-and-answer loop over one index, with one reader and one budget.

    Parameters
    ----------
    index : Index
        What is searched; anything with the same `retrieve` will do.
    reader : str or Reader
        A name for `load_reader`, or an object with a `name` and `decide(state, *, may_retrieve) -> Decision`.
    max_retrievals : int
        Retrievals a question may cost, the first one included. The reader decides at most this many times, the last
        time without the right to ask.
    max_queries : int
        Queries a question may send to `retrieve`, itself included; one retrieval may carry several.
    retrieve : mapping, optional
        Keyword settings passed on to `index.retrieve`, such as ``{"sides": ("sparse",), "siblings": 1}``.

    Raises
    ------
    PsiragError
        For a budget below 1, a reader without `decide`, or a setting that `ask` sets itself.

    Notes
    -----
    The paper's budget is two retrievals of one query: ``max_retrievals=2, max_queries=2``.
    Source: Ψ-RAG §3.2, Algorithm 3.

    Examples
    --------
    >>> from psirag.index import Index
    >>> answer = Agent(Index.build("toy")).ask("Which planet orbits the Sun in 88 days?")
    >>> answer.text, answer.status, len(answer.steps)
    ('Mercury', 'answered', 2)
    """

    def __init__(
        self,
        index: Index,
        reader: str | Reader = "auto",
        *,
        max_retrievals: int = 2,
        max_queries: int = 8,
        retrieve: Mapping[str, Any] | None = None,
    ) -> None:
        self.index, self.settings = index, _checked_settings(index, retrieve)
        self.reader = load_reader(reader) if isinstance(reader, str) else _checked_reader(reader)
        self.max_retrievals = check_count("max_retrievals", max_retrievals)
        self.max_queries = check_count("max_queries", max_queries)

    def ask(
        self, question: str, k: int = 5, *, document: int | None = None, watch: Callable[[Step], object] | None = None
    ) -> Answer:
        """Retrieve and decide until there is an answer or the budget is spent.

        Parameters
        ----------
        question : str
            What to answer; also the first query.
        k : int
            Passages each query returns.
        document : int, optional
            Id of the document that every query stays in (narrative questions), as `index.retrieve` takes it.
        watch : callable, optional
            Called with every finished step; when it returns True the run ends with status "stopped".

        Returns
        -------
        Answer
            `.text`, `.status`, `.hits` (every passage retrieved, best first) and the whole transcript in `.steps`.

        Raises
        ------
        PsiragError
            For a blank question or a k below 1, and whatever `index.retrieve` refuses.

        Notes
        -----
        A repeated query (same words) or an empty one is not sent. A step that asks nothing new is told so, and the next
        decision may only answer. The first reply of a question that cannot be parsed is asked for once more, outside
        the budget; a `Retrieve` with only empty queries counts as unparsable.
        Source: Ψ-RAG §3.2, Algorithm 3.
        """
        pending = (_checked_question("ask", question),)
        return _Run(self._within(document), *pending, check_count("k", k), pending=pending).finish(watch)

    def summarize(
        self, question: str = "Summarize the text.", k: int = 15, *,
        document: int | None = None, watch: Callable[[Step], object] | None = None,
    ) -> Answer:  # fmt: skip
        """Retrieve once, from the tree alone, and have the passages summarised in the order of the corpus.

        Parameters
        ----------
        question : str
            What the summary is to be about; also the query.
        k : int
            Passages to summarise; the paper takes 15 of a news event and 20 of a meeting.
        document : int, optional
            Id of the document to summarise, as `index.retrieve` takes it.
        watch : callable, optional
            As in `ask`.

        Returns
        -------
        Answer
            `.text` is the summary: what a model wrote, or with the rules reader sentences of the passages, at most 150
            words. Other sides than the tree are searched when this agent's `retrieve` says so.

        Raises
        ------
        PsiragError
            A reader that cannot write summaries (it says so by `summarizes = True`), and what `ask` raises.

        Notes
        -----
        Source: Ψ-RAG §5.1 (document-level summarization: no sparse index, one retrieval), App. C.2 (k).

        Examples
        --------
        >>> from psirag.index import Index
        >>> Agent(Index.build("Beavers build dams. Dams slow rivers.")).summarize(document=0).text
        'Beavers build dams. Dams slow rivers.'
        """
        if not getattr(self.reader, "summarizes", False):
            remedy = 'Use a model, such as load_reader("smollm2").'
            raise PsiragError("summarize needs a reader that writes", f"the reader {self.reader.name!r}", remedy)
        pending = (_checked_question("summarize", question),)
        settings = {"sides": ("tree",), **self._within(document).settings}
        once = Agent(self.index, self.reader, max_retrievals=1, max_queries=1, retrieve=settings)
        return _Run(once, *pending, check_count("k", k), pending=pending, task="summary").finish(watch)

    def resume(
        self, answer: Answer, step: int, queries: Sequence[str], *, watch: Callable[[Step], object] | None = None
    ) -> Answer:
        """Go back to a step of an earlier answer, send other queries there, and go on from it as `ask` does.

        Parameters
        ----------
        answer : Answer
            Its steps before `step` are kept as they are, and count towards this agent's budget. It stays in the
            document that was asked.
        step : int
            Number of the step, from 1.
        queries : sequence of str
            What to send instead, in one retrieval.
        watch : callable, optional
            As in `ask`, for the new steps.

        Raises
        ------
        PsiragError
            No answer, no such step, no query that is new, or no retrieval left for it.

        Notes
        -----
        Source: ours.

        Examples
        --------
        >>> from psirag.index import Index
        >>> agent = Agent(Index.build("toy"))
        >>> first = agent.ask("Which planet orbits the Sun in 88 days?")
        >>> agent.resume(first, 1, ["a year of 88 days"]).queries[0]
        'a year of 88 days'
        """
        if not isinstance(answer, Answer):
            raise PsiragError("resume needs an answer", f"a {type(answer).__name__}", "Pass what ask returned.")
        number = check_count("step", step)
        if number > len(answer.steps):
            raise PsiragError("resume needs a step of the answer", f"step {number} of {len(answer.steps)}", "Go back.")
        kept = list(answer.steps[: number - 1])
        asked = [query for earlier in kept for query in earlier.queries]
        room = max(self.max_queries - len(asked), 0)
        pending, dropped = new_queries(check_texts("queries", queries), asked, room=room)
        spent = sum(bool(earlier.retrievals) for earlier in kept)
        if not pending or spent >= self.max_retrievals:
            given = f"{list(queries)} after {spent} retrievals and {len(asked)} queries"
            raise PsiragError("resume needs a new query and a retrieval left", given, "Change one, or the budget.")
        told = any(earlier.told == "unparsed" for earlier in kept)
        state: dict[str, Any] = {"reprompted": told, "notes": ("queries changed by hand", *dropped)}
        agent = self._within(answer.settings["retrieve"].get("document"))
        return _Run(agent, answer.question, answer.settings["k"], kept, pending, **state).finish(watch)

    def _within(self, document: int | None) -> Agent:
        """Return the agent kept within a document."""
        if document is None:
            return self
        settings = {**self.settings, "document": document}
        return Agent(
            self.index, self.reader, max_retrievals=self.max_retrievals, max_queries=self.max_queries, retrieve=settings
        )


@dataclass
class _Run:
    """One question on its way: the only mutable state of the loop."""

    agent: Agent
    question: str
    k: int
    steps: list[Step] = field(default_factory=list)
    pending: tuple[str, ...] = ()
    told: Correction = ""
    reprompted: bool = False
    last_chance: bool = False
    status: Status | None = None
    text: str = NOT_MENTIONED
    error: str = ""
    notes: tuple[str, ...] = ()
    task: Task = "question"

    def finish(self, watch: Callable[[Step], object] | None) -> Answer:
        """Go step by step until there is a status, or until `watch` says stop."""
        check_function("watch", watch)
        while self.status is None:
            step = self.advance()
            if watch is not None and watch(step) is True:
                break
        return self.answer()

    def advance(self) -> Step:
        """Send the pending queries, let the reader decide, and note what follows from it."""
        started = time.perf_counter()
        queries, told, retrievals = self.pending, self.told, self._retrieve()
        retrieved = time.perf_counter()
        state = self._state(retrievals)
        may_retrieve = not self.last_chance and state.retrievals_left > 0 and state.queries_left > 0
        decision = self._decide(state, may_retrieve=may_retrieve)
        decided = time.perf_counter()
        notes, self.notes = self.notes, ()
        notes += () if decision is None else self._follow(decision, state, may_retrieve=may_retrieve)
        seconds = {"retrieval_seconds": retrieved - started, "decision_seconds": decided - retrieved}
        step = Step(len(self.steps) + 1, queries, retrievals, decision, may_retrieve, told, notes, **seconds)
        self.steps.append(step)
        return step

    def answer(self) -> Answer:
        """The finished run as an `Answer`."""
        agent, steps = self.agent, tuple(self.steps)
        budget = {"k": self.k, "max_retrievals": agent.max_retrievals, "max_queries": agent.max_queries}
        settings = {**budget, "retrieve": dict(agent.settings)}
        hits = order_hits(gather_evidence([step.retrievals for step in steps]), last_evidence_scores(steps))
        status = self.status or "stopped"
        return Answer(self.question, self.text, status, hits, steps, agent.reader.name, settings, self.error)

    def _retrieve(self) -> tuple[Retrieval, ...]:
        """What the pending queries return, sent as one batch."""
        queries, self.pending = self.pending, ()
        if not queries:
            return ()
        return tuple(self.agent.index.retrieve(list(queries), self.k, **self.agent.settings))

    def _state(self, latest: tuple[Retrieval, ...]) -> AgentState:
        """What the reader may see now."""
        by_step = [*(step.retrievals for step in self.steps), latest]
        retrievals = tuple(found for found in by_step if found)
        return AgentState(
            question=self.question,
            evidence=gather_evidence(by_step),
            retrievals=retrievals,
            retrievals_left=self.agent.max_retrievals - len(retrievals),
            queries_left=self.agent.max_queries - sum(len(found) for found in retrievals),
            told=self.told,
            task=self.task,
        )

    def _decide(self, state: AgentState, *, may_retrieve: bool) -> Decision | None:
        """The reader's decision, or None and status "failed" when it raised."""
        try:
            decision = self.agent.reader.decide(state, may_retrieve=may_retrieve)
        except READER_FAILURES as error:
            self.status, self.error = "failed", f"{type(error).__name__}: {error}"
            return None
        if not isinstance(decision, Decision):
            given = f"a {type(decision).__name__} from the reader {self.agent.reader.name!r}"
            raise PsiragError("a reader's decide returns a Decision", given, "Return psirag.readers.Decision(…).")
        return decision

    def _follow(self, decision: Decision, state: AgentState, *, may_retrieve: bool) -> tuple[str, ...]:
        """Set what comes next, and return notes on what was not done as the reader said."""
        forged = sorted(set(decision.evidence or ()) - {item.id for item in state.evidence})
        notes = [f"evidence {', '.join(map(str, forged))} was never retrieved: ignored"] if forged else []
        notes += decision.notes
        if decision.action == "stopped":
            self.status = "stopped"
        elif _is_unusable(decision):
            self._reprompt_or_end(decision)
        elif decision.action != "retrieve":
            absent = decision.action == "not_mentioned" or is_not_mentioned(decision.text)
            self.status = "not_mentioned" if absent else "answered"
            self.text = NOT_MENTIONED if absent else decision.text
        elif not may_retrieve:
            self.status = "budget_exhausted"
        else:
            self.pending, dropped = new_queries(decision.queries, state.queries, room=state.queries_left)
            self.told, self.last_chance = ("", False) if self.pending else ("repeated", True)
            notes += dropped
        return tuple(notes)

    def _reprompt_or_end(self, decision: Decision) -> None:
        """Ask once more after the first reply that cannot be used; end after the second."""
        if self.reprompted:
            self.status, self.text = "unparsed", decision.text.strip() or NOT_MENTIONED
        self.told, self.reprompted = "unparsed", True


def new_queries(queries: Sequence[str], asked: Sequence[str], *, room: int) -> tuple[tuple[str, ...], list[str]]:
    """The queries worth sending: not blank, not asked before (as `normalised_query` compares), at most `room` of them.

    Returns
    -------
    tuple of (tuple of str, list of str)
        The queries to send, and one note for each that was left out.

    Notes
    -----
    Source: ours (the paper leaves repeats open).

    Examples
    --------
    >>> new_queries(["Who?", "who", " ", "where", "when"], ["Why?"], room=2)[0]
    ('Who?', 'where')
    """
    seen = {normalised_query(query) for query in asked}
    kept: list[str] = []
    notes: list[str] = []
    for query in queries:
        key = normalised_query(query)
        if not key:
            notes.append("an empty query was not sent")
        elif key in seen:
            notes.append(f"not sent, asked before: {query}")
        elif len(kept) == room:
            notes.append(f"not sent, no query left: {query}")
        else:
            seen.add(key)
            kept.append(query.strip())
    return tuple(kept), notes


def _is_unusable(decision: Decision) -> bool:
    """Whether a decision says nothing to act on: untagged, only empty queries, or an empty answer."""
    if decision.action == "retrieve":
        return not any(normalised_query(query) for query in decision.queries)
    return decision.action == "unparsed" or (decision.action == "answer" and not decision.text.strip())


def _checked_question(call: str, question: Any) -> str:
    """The question, with lone surrogates replaced."""
    if not isinstance(question, str) or not question.strip():
        raise PsiragError(f"{call} needs a question", repr(question), "Pass a string with at least one word.")
    return check_texts("question", (question,))[0]


def _checked_reader(reader: Any) -> Reader:
    """The reader, when it has a name and a decide."""
    if not isinstance(reader, Reader) or isinstance(reader, type):
        given = f"{reader!r}"
        raise PsiragError("Agent needs a reader", given, 'Pass "auto", or an object with `name` and `decide`.')
    return reader


def _checked_settings(index: Any, retrieve: Any) -> dict[str, Any]:
    """A copy of the retrieval settings, which this index takes, without what `ask` decides."""
    if not callable(getattr(index, "retrieve", None)):
        raise PsiragError("Agent needs an index to retrieve from", f"{index!r:.80}", "Pass Index.build(corpus).")
    if retrieve is not None and not isinstance(retrieve, Mapping):
        raise PsiragError("Agent's retrieve is a mapping of settings", repr(retrieve), 'For example {"siblings": 1}.')
    settings = dict(retrieve or {})
    try:
        signature(index.retrieve).bind("", 1, **settings)
    except TypeError as error:
        given = f"{', '.join(map(str, settings))}: {error}"
        raise PsiragError("Agent's retrieve holds settings of index.retrieve", given, "Give k to ask.") from error
    return settings

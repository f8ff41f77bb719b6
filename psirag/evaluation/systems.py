"""What can be evaluated: anything with a name that retrieves, and where it applies answers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

from psirag.agent import Agent
from psirag.checks import check_choice, check_count, check_type
from psirag.corpus import Chunks
from psirag.errors import PsiragError
from psirag.index import Index
from psirag.retrieval.trace import Retrieval
from psirag.transcript import Answer


@runtime_checkable
class System(Protocol):
    """Anything that `evaluate` takes: a name, and passages for a question, best first.

    Read where they are there: ``ask(question) -> Answer``; ``chunks``, needed to credit duplicates; ``settings``, a
    mapping for the manifest; ``needs``, what is missing ("a Hugging Face model"), and then nothing is run;
    ``within_document``, and then `retrieve` and `ask` get ``document=`` the id of the question's document (recall of
    documents is then 1 by construction). For a question that cannot be run,
    ``raise PsiragError(asked, given, remedy)``: it is counted as failed.
    """

    @property
    def name(self) -> str:
        """What the table calls it."""
        ...

    def retrieve(self, question: str, k: int = 5) -> Retrieval:
        """Find at most k hits."""
        ...


class SearchSystem:
    """An index under one way of retrieving.

    Parameters
    ----------
    name : str
    index : Index or callable
        Anything with the same `retrieve`, or a function without arguments that builds it when it is first needed.
    within_document : bool
        Each question names one document, and only its chunks may be found.
    **retrieve
        Settings of `Index.retrieve`.

    Notes
    -----
    Source: Ψ-RAG §5.1 (baselines).

    Examples
    --------
    >>> SearchSystem("BM25", Index.build("toy"), sides=["sparse"]).retrieve("88 days", k=1)[0].chunk.title
    'Mercury'
    """

    def __init__(
        self, name: str, index: Index | Callable[[], Index], *, within_document: bool = False, **retrieve: Any
    ) -> None:
        self.name, self.within_document = check_type("name", name, str), within_document
        self._index, self._retrieve = index, retrieve

    @cached_property
    def index(self) -> Index:
        """The index, built when first needed."""
        return self._index() if callable(self._index) else self._index

    @property
    def chunks(self) -> Chunks:
        """The chunks of the index."""
        return self.index.chunks

    @property
    def settings(self) -> dict[str, Any]:
        """How it retrieves, from which index."""
        return {"index": _described(self.index), "retrieve": self._retrieve}

    def retrieve(self, question: str, k: int = 5, *, document: int | None = None) -> Retrieval:
        """Find the k best hits, with `document` among its chunks only."""
        settings = self._retrieve if document is None else {**self._retrieve, "document": document}
        found: Retrieval = self.index.retrieve(question, k, **settings)
        return found


class AgentSystem:
    """An agent that is asked every question.

    Parameters
    ----------
    name : str
    agent : Agent or callable
        An agent, or a function without arguments that makes it when it is first needed.
    passages : int
        Passages that each query returns.
    task : {"question", "summary"}
        Whether the agent is to answer or to summarise.
    within_document : bool
        Each question names one document, and only its chunks may be found.

    Notes
    -----
    Source: Ψ-RAG §3.2, Algorithm 3; §5.1 (k = 15 for summaries).

    Examples
    --------
    >>> AgentSystem("Ψ-RAG", Agent(Index.build("toy"))).ask("Which planet orbits the Sun in 88 days?").text
    'Mercury'
    """

    def __init__(
        self, name: str, agent: Agent | Callable[[], Agent], *, passages: int = 5, task: str = "question",
        within_document: bool = False,
    ) -> None:  # fmt: skip
        self.name, self.within_document = check_type("name", name, str), within_document
        self.passages = check_count("passages", passages)
        self.task = check_choice("task", task, ("question", "summary"))
        self._agent = agent

    @cached_property
    def agent(self) -> Agent:
        """The agent, made when first needed."""
        return self._agent() if callable(self._agent) else self._agent

    @property
    def chunks(self) -> Chunks:
        """The chunks of the index."""
        return self.agent.index.chunks

    @property
    def settings(self) -> dict[str, Any]:
        """Reader, budget and index."""
        agent = self.agent
        budget = {"max_retrievals": agent.max_retrievals, "max_queries": agent.max_queries, "passages": self.passages}
        reader = {"reader": agent.reader.name, "identity": getattr(agent.reader, "identity", "")}
        return {"index": _described(agent.index), **reader, **budget, "task": self.task, "retrieve": agent.settings}

    def retrieve(self, question: str, k: int = 5, *, document: int | None = None) -> Retrieval:
        """Find the k best hits for the question alone, as the agent's first query does."""
        inside = {} if document is None else {"document": document}
        found: Retrieval = self.agent.index.retrieve(question, k, **{**self.agent.settings, **inside})
        return found

    def ask(self, question: str, k: int | None = None, *, document: int | None = None) -> Answer:
        """Ask the agent, with k passages a query where it is given."""
        answer = self.agent.summarize if self.task == "summary" else self.agent.ask
        return answer(question, self.passages if k is None else k, document=document)


@dataclass(frozen=True)
class NotRun:
    """A system that cannot run here: a line of the table without a figure.

    Parameters
    ----------
    name : str
    needs : str
        What is missing.

    Notes
    -----
    Source: ours.

    Examples
    --------
    >>> NotRun("IRCoT", "a Hugging Face model").needs
    'a Hugging Face model'
    """

    name: str
    needs: str

    def retrieve(self, question: str, k: int = 5) -> Retrieval:
        """Raise: it cannot run here."""
        raise PsiragError(f"{self.name} needs {self.needs}", f"none for {question!r} (k={k})", "Give it what it needs.")


def as_systems(systems: Any) -> tuple[System, ...]:
    """Return one system or several, an Index or an Agent among them, as a tuple of systems with distinct names."""
    several = [systems] if hasattr(systems, "retrieve") or hasattr(systems, "ask") else systems
    if isinstance(several, (str, Mapping)) or not hasattr(several, "__iter__"):
        remedy = "Pass an object with `name` and `retrieve`, or a list of them."
        given = f"an object of class {type(systems).__name__}"
        raise PsiragError("evaluate needs a system, or several", given, remedy)
    found = tuple(map(_as_system, several))
    if not found:
        raise PsiragError("evaluate needs at least one system", "none", "Pass an Index, say.")
    names = [system.name for system in found]
    if len(set(names)) < len(names):
        given = ", ".join(map(repr, names))
        raise PsiragError("evaluate needs systems with distinct names", given, "Rename, as in SearchSystem(name, …).")
    return found


def _as_system(system: Any) -> System:
    """Wrap an Index or an Agent; check anything else."""
    if isinstance(system, Index):
        return SearchSystem("index", system)
    if isinstance(system, Agent):
        return AgentSystem("agent", system)
    named = isinstance(getattr(system, "name", None), str) and not isinstance(system, type)
    if not named or not callable(getattr(system, "retrieve", None)):
        given = f"{system!r:.80}, an object of class {type(system).__name__}"
        remedy = "Give it a `name` and a method `retrieve(question, k) -> Retrieval`."
        raise PsiragError("A system has a name and retrieves", given, remedy)
    return system  # type: ignore[no-any-return]


def _described(index: Any) -> dict[str, Any]:
    """How an index was made, and the SHA-256 of its tree, texts and vectors."""
    if not isinstance(index, Index):
        return {"type": type(index).__name__}
    digest = hashlib.sha256(index.tree.parent.tobytes())
    digest.update(index.vectors.tobytes())
    for text in (*index.chunks.indexed_texts, *index.abstracts.texts):
        digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return {**index.manifest, "sha256": digest.hexdigest()}

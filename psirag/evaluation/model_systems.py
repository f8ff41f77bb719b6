"""The systems of the paper's tables that need a model: run with one, named with what they need without it."""

from __future__ import annotations

from psirag.agent import Agent
from psirag.baselines import IRCoT
from psirag.evaluation.systems import AgentSystem, NotRun, SearchSystem, System
from psirag.index import Index
from psirag.readers import Reader, TextModel
from psirag.retrieval.reranking import Reranker

A_MODEL = "a language model: HuggingFaceModel(name) or EndpointModel(…), on a GPU for a large one"
A_READER = "a reader on a language model: load_reader(name)"
A_RERANKER = "a cross-encoder: sentence_transformers.CrossEncoder(name)"


def model_systems(
    index: Index, *, model: TextModel | None = None, reader: Reader | None = None, reranker: Reranker | None = None,
    max_retrievals: int = 4,
) -> tuple[System, ...]:  # fmt: skip
    """A reranked hybrid, IRCoT with and without the reranker, and Ψ-RAG's agent on a model.

    Parameters
    ----------
    index : Index
    model : TextModel, optional
        Behind IRCoT.
    reader : Reader, optional
        Behind Ψ-RAG's agent.
    reranker : CrossEncoder or object with predict(pairs), optional
    max_retrievals : int
        Of the agents, the first with the question.

    Returns
    -------
    tuple of System
        A system whose model is None is there as `NotRun`, so that a table shows it without a figure.

    Notes
    -----
    Source: Ψ-RAG §5.1 (baselines), Tables 2 and 3; one query a step, as there.

    Examples
    --------
    >>> for system in model_systems(Index.build("toy")):
    ...     print(f"{system.name}: not run, needs {system.needs.split(':')[0]}")
    fused + reranker: not run, needs a cross-encoder
    IRCoT: not run, needs a language model
    IRCoT + reranker: not run, needs a language model
    Ψ-RAG agent, model: not run, needs a reader on a language model
    """

    def agent(reader: Reader, **retrieve: object) -> Agent:
        return Agent(index, reader, max_retrievals=max_retrievals, max_queries=max_retrievals, retrieve=retrieve)

    def chain(name: str, **retrieve: object) -> System:
        if model is None:
            return NotRun(name, A_MODEL)
        return AgentSystem(name, agent(IRCoT(model), **retrieve))

    reranked: System = NotRun("fused + reranker", A_RERANKER)
    both: System = NotRun("IRCoT + reranker", A_RERANKER if model is not None else A_MODEL)
    if reranker is not None:
        reranked = SearchSystem("fused + reranker", index, sides=("flat", "sparse"), rerank=reranker)
        both = chain("IRCoT + reranker", sides=("flat",), rerank=reranker)
    own: System = NotRun("Ψ-RAG agent, model", A_READER)
    if reader is not None:
        own = AgentSystem("Ψ-RAG agent, model", agent(reader))
    return reranked, chain("IRCoT", sides=("flat",)), both, own

"""Ψ-RAG with one thing changed at a time: the paper's ablations and sensitivities in one call."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import Any

from psirag.agent import Agent
from psirag.corpus import load_corpus
from psirag.encoding import as_encoder
from psirag.evaluation.evaluating import evaluate
from psirag.evaluation.evaluation import Evaluation
from psirag.evaluation.model_systems import A_READER, A_RERANKER
from psirag.evaluation.systems import AgentSystem, NotRun, SearchSystem, System
from psirag.index import Index
from psirag.readers import ModelReader, Reader, load_reader
from psirag.retrieval.reranking import Reranker
from psirag.tree import build_tree

WHOLE = "whole"


def ablations(
    corpus: Any,
    questions: Any,
    *,
    encoder: Any = "auto",
    reader: str | Reader = "rules",
    reranker: Reranker | None = None,
    encoders: Sequence[Any] = (),
    beams: Sequence[int] = (5, 20, 50),
    max_children: Sequence[int | None] = (5, 10, 20, None),
    max_retrievals: Sequence[int] = (1, 2, 4),
    k: Sequence[int] = (2, 5),
    seed: int = 0,
    progress: bool | None = None,
) -> Evaluation:
    """Evaluate the whole agent, and the agent with each part taken away or each setting changed.

    Parameters
    ----------
    corpus, questions
        See `load_corpus`, `load_questions`.
    encoder : str, Path or object
        Of every system but those of `encoders`.
    reader : str or Reader
        "rules", or a reader on a language model.
    reranker : CrossEncoder or object with predict(pairs), optional
        Part of the whole when given.
    encoders, beams, max_children, max_retrievals : sequence
        What else to try, one at a time; the whole has `encoder`, a beam of 10, 40 children, 3 retrievals and 8 queries.
    k, seed, progress
        See `evaluate`.

    Returns
    -------
    Evaluation
        Its first system is "whole"; `.compare("whole", name, metric)` says what a change costs. What needs a model
        that was not given is there as not run.

    Notes
    -----
    Source: Ψ-RAG §5.4 (Figure 6, Table 5), §5.5 (Table 6), Appendix D (Figures 11 and 12, Table 13).

    Examples
    --------
    >>> found = ablations("toy", "toy", beams=[], max_children=[], max_retrievals=[1])
    >>> [name for name, note in found.systems.items() if not note][:3]
    ['whole', 'without BM25', 'without the tree']
    """
    mind = load_reader(reader) if isinstance(reader, str) else reader
    source, model = load_corpus(corpus), cache(as_encoder)

    @cache
    def index(abstraction: str = "keyword", children: int | None = 40, vectors: Any = encoder) -> Index:
        tree = partial(build_tree, max_children=children)
        return Index.build(source, encoder=model(vectors), tree=tree, abstraction=abstraction)

    whole: dict[str, Any] = {} if reranker is None else {"rerank": reranker}

    def agent(name: str, of: Any = index, *, by: Reader = mind, retrievals: int = 3, **retrieve: Any) -> System:
        def make() -> Agent:
            settings = {name: value for name, value in {**whole, **retrieve}.items() if value is not None}
            return Agent(of(), by, max_retrievals=retrievals, max_queries=8, retrieve=settings)

        return AgentSystem(name, make)

    bare: System = NotRun("without reorganization", A_READER)
    if isinstance(mind, ModelReader):
        plain = ModelReader(mind.model, stopping=mind.stopping, reorganize=False, max_thought=mind.max_thought)
        bare = agent(bare.name, by=plain)
    unranked: System = NotRun("without the reranker", A_RERANKER)
    if reranker is not None:
        unranked = agent(unranked.name, rerank=None)
    systems = (
        agent(WHOLE),
        agent("without BM25", sides=("tree",)),
        agent("without the tree", sides=("sparse",)),
        agent("flat for the tree", sides=("flat", "sparse")),
        SearchSystem("without the agent", index, **whole),
        bare,
        unranked,
        *(agent(f"{kind} abstracts", partial(index, kind)) for kind in ("summary", "centroid")),
        *(agent(f"beam {beam}", beam=beam) for beam in beams),
        *(agent(f"{_limit(limit)} children", partial(index, children=limit)) for limit in max_children),
        *(agent(f"{count} retrievals", retrievals=count) for count in max_retrievals),
        *(agent(f"encoder {_name(other)}", partial(index, vectors=other)) for other in encoders),
    )
    return evaluate(systems, questions, k=k, seed=seed, progress=progress)


def _limit(limit: int | None) -> str:
    """A limit of children in words."""
    return "unlimited" if limit is None else str(limit)


def _name(encoder: Any) -> str:
    """What an encoder is called."""
    return str(getattr(encoder, "name", None) or encoder)

"""The systems of the paper's tables that need no language model, over one corpus and one encoder."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

from psirag.agent import Agent
from psirag.baselines import gmm_tree
from psirag.checks import check_count
from psirag.corpus import load_corpus
from psirag.encoding import as_encoder
from psirag.evaluation.systems import AgentSystem, SearchSystem, System
from psirag.index import Index
from psirag.tree import AbstractTree, build_tree
from psirag.vectors import Vectors


def offline_systems(
    corpus: Any, *, encoder: Any = "auto", max_tokens: int = 100, per_document: bool = False, seed: int = 0
) -> tuple[System, ...]:
    """BM25, flat search, both fused, RAPTOR twice, Ψ-RAG with each kind of abstract, and its agent with rules.

    Parameters
    ----------
    corpus : str, path, list or Corpus
        See `load_corpus`.
    encoder : str, Path or object
        See `as_encoder`; one for all systems.
    max_tokens : int
        Longest chunk of a document.
    per_document : bool
        A tree for each document, and retrieval inside the document that a question is about.
    seed : int
        Of RAPTOR's clustering.

    Returns
    -------
    tuple of System
        Four indexes stand behind them, each built when the first system that needs it is evaluated.

    Raises
    ------
    PsiragError
        What `load_corpus` and `as_encoder` raise.

    Notes
    -----
    RAPTOR is its GMM tree with summaries, searched by descent (traversal) or all nodes at once (collapsed). Flat search
    and BM25 do not depend on the tree, so they read the same index as Ψ-RAG with keywords.

    Source: Ψ-RAG §5.1 (baselines), Tables 2 and 3.

    Examples
    --------
    >>> [system.name for system in offline_systems("toy")][:5]
    ['BM25', 'flat', 'fused', 'RAPTOR traversal', 'RAPTOR collapsed']
    """
    source, seed = load_corpus(corpus), check_count("seed", seed, minimum=0)
    model = cache(partial(as_encoder, encoder))

    def raptor(vectors: Vectors) -> AbstractTree:
        return gmm_tree(vectors, seed=seed)

    raptor.__name__ = f"gmm_tree(seed={seed})"  # what the index says it was built with

    @cache
    def index(abstraction: str, tree: Any = build_tree) -> Index:
        return Index.build(
            source, encoder=model(), tree=tree, abstraction=abstraction,
            max_tokens=max_tokens, per_document=per_document,
        )  # fmt: skip

    def system(name: str, abstraction: str, tree: Any = build_tree, **retrieve: Any) -> SearchSystem:
        made = partial(index, abstraction, tree)
        return SearchSystem(name, made, within_document=per_document, **retrieve)

    return (
        system("BM25", "keyword", sides=("sparse",)),
        system("flat", "keyword", sides=("flat",)),
        system("fused", "keyword", sides=("flat", "sparse")),
        system("RAPTOR traversal", "summary", raptor, sides=("tree",)),
        system("RAPTOR collapsed", "summary", raptor, sides=("tree",), nodes="all"),
        *(system(f"Ψ-RAG {kind}", kind) for kind in ("keyword", "summary", "centroid")),
        AgentSystem("Ψ-RAG agent, rules", lambda: Agent(index("keyword"), "rules"), within_document=per_document),
    )

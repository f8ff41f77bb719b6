"""Multi-granular retrieval: the tree's descent, flat and sparse search, their fusion, and the trace."""

from __future__ import annotations

from psirag.retrieval.flat import FlatIndex
from psirag.retrieval.fusion import reciprocal_rank_fusion
from psirag.retrieval.packing import pack_hits
from psirag.retrieval.reranking import Reranker
from psirag.retrieval.sparse_index import SparseIndex
from psirag.retrieval.trace import Hit, LayerTrace, Ranking, Retrieval, SiblingTrace, SideScore, Trace
from psirag.retrieval.tree_retrieval import Descent, retrieve_from_tree

__all__ = [
    "Descent",
    "FlatIndex",
    "Hit",
    "LayerTrace",
    "Ranking",
    "Reranker",
    "Retrieval",
    "SiblingTrace",
    "SideScore",
    "SparseIndex",
    "Trace",
    "pack_hits",
    "reciprocal_rank_fusion",
    "retrieve_from_tree",
]

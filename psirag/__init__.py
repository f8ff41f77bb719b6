"""Hierarchical abstract trees for retrieval-augmented generation: build them, see them, check and vary them."""

# fmt: off
# isort: off
from psirag.abstraction import write_abstracts
from psirag.agent import Agent
from psirag.baselines import gmm_memberships, gmm_tree
from psirag.corpus import count_tokens, load_corpus, load_questions, split_into_chunks
from psirag.dasgupta import dasgupta_cost
from psirag.encoding import load_encoder
from psirag.errors import PsiragError, PsiragWarning
from psirag.evaluation import evaluate
from psirag.index import Index
from psirag.readers import load_reader
from psirag.tree import (
    AbstractTree, MergeStep, bucketed_tree, build_tree, collapse, hnsw_tree, linkage_tree, merge_steps, rebalance,
    reference_tree, spanning_tree,
)
from psirag.views import (
    circular_tree, circular_tree_layout, descent, descent_layout, embedding_map, embedding_map_layout, explore_agent,
    explore_tree,
)

__all__ = [
    "AbstractTree", "Agent", "Index", "MergeStep", "PsiragError", "PsiragWarning", "bucketed_tree", "build_tree",
    "circular_tree", "circular_tree_layout", "collapse", "count_tokens", "dasgupta_cost", "descent",
    "descent_layout", "embedding_map", "embedding_map_layout", "evaluate", "explore_agent", "explore_tree",
    "gmm_memberships", "gmm_tree", "hnsw_tree", "linkage_tree", "load_corpus", "load_encoder", "load_questions",
    "load_reader", "merge_steps", "rebalance", "reference_tree", "spanning_tree", "split_into_chunks",
    "write_abstracts",
]

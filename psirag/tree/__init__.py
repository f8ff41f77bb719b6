"""The abstract tree and its builders."""

from psirag.tree.abstract_tree import AbstractTree
from psirag.tree.agreement import agreement
from psirag.tree.bucketing import bucketed_tree
from psirag.tree.building import build_tree, reference_tree
from psirag.tree.collapsing import collapse
from psirag.tree.hnsw import hnsw_tree
from psirag.tree.linkage import linkage_tree
from psirag.tree.merging import MergeStep, merge_steps
from psirag.tree.rebalancing import rebalance
from psirag.tree.spanning_tree import SpanningTree, spanning_tree

__all__ = [
    "AbstractTree",
    "MergeStep",
    "SpanningTree",
    "agreement",
    "bucketed_tree",
    "build_tree",
    "collapse",
    "hnsw_tree",
    "linkage_tree",
    "merge_steps",
    "rebalance",
    "reference_tree",
    "spanning_tree",
]

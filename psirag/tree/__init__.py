"""The abstract tree and its builders."""

from psirag.tree.abstract_tree import AbstractTree
from psirag.tree.building import build_tree, reference_tree
from psirag.tree.collapsing import collapse
from psirag.tree.linkage import linkage_tree
from psirag.tree.merging import MergeStep, merge_steps
from psirag.tree.rebalancing import rebalance
from psirag.tree.spanning_tree import SpanningTree, spanning_tree

__all__ = [
    "AbstractTree",
    "MergeStep",
    "SpanningTree",
    "build_tree",
    "collapse",
    "linkage_tree",
    "merge_steps",
    "rebalance",
    "reference_tree",
    "spanning_tree",
]

"""Confused nodes: abstract nodes without a minor leaf beside one that has some."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from psirag.tree.abstract_tree import AbstractTree
from psirag.views.drawing import IntArray
from psirag.views.node_arguments import node_flags

BoolArray = npt.NDArray[np.bool_]


def confused_nodes(tree: AbstractTree, minor: npt.ArrayLike) -> IntArray:
    """Return the abstract nodes with no minor leaf below whose parent has one, ascending.

    Parameters
    ----------
    tree : AbstractTree
        Any tree.
    minor : array_like of int, or mask of shape (n_leaves,)
        The minor leaves.

    Source: Ψ-RAG §4.2, D.2 (confused nodes).

    Examples
    --------
    >>> confused_nodes(AbstractTree.from_parents([4, 4, 5, 5, 6, 6, -1], n_leaves=4), [3]).tolist()
    [4]
    """
    below = with_ancestors(tree, node_flags("minor", minor, tree.n_leaves))
    inner = np.arange(tree.n_leaves, tree.root)
    return inner[~below[inner] & below[tree.parent[inner]]]


def with_ancestors(tree: AbstractTree, chosen: BoolArray) -> BoolArray:
    """Return a mask of the chosen nodes and all their ancestors; `chosen` covers the leaves or all nodes."""
    marked = np.zeros(tree.n_nodes, dtype=bool)
    marked[: len(chosen)] = chosen
    for layer in range(tree.depth):
        nodes = np.asarray(tree.layer_nodes(layer))
        marked[tree.parent[nodes[marked[nodes]]]] = True
    return marked

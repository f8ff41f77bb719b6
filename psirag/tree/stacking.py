"""Stacking: trees of their own become the lowest parts of one tree, below a tree whose leaves they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from psirag.errors import PsiragError
from psirag.tree.abstract_tree import AbstractTree
from psirag.tree.renumbering import from_layer_labels
from psirag.vectors import Ints


@dataclass(frozen=True, eq=False)
class StackedTree:
    """One tree over the leaves of several, and where the nodes of each are in it.

    Parameters
    ----------
    tree : AbstractTree
    nodes : tuple of ndarray, int64
        For each of the trees, the number of each of its nodes in `tree`; its last entry is its root's.
    """

    tree: AbstractTree
    nodes: tuple[Ints, ...]


def stack_trees(trees: Sequence[AbstractTree], top: AbstractTree) -> StackedTree:
    """Put trees, side by side in their order, below another tree: tree i hangs where its leaf i was.

    Parameters
    ----------
    trees : sequence of AbstractTree
        At least one. Those lower than the highest get a line of nodes with one child each above their root, so that
        all leaves stay equally deep.
    top : AbstractTree
        Its leaf i stands for tree i.

    Returns
    -------
    StackedTree
        The leaves of the first tree come first. No node of `trees` or `top` gains or loses a child.

    Raises
    ------
    PsiragError
        Not as many trees as `top` has leaves.

    Notes
    -----
    Source: ours; Ψ-RAG Appendix C.1, Table 10 (one tree a document).

    Examples
    --------
    >>> pair, one = AbstractTree([2, 2, -1], [0, 0, 1]), AbstractTree([-1], [0])
    >>> stacked = stack_trees([pair, one], pair)
    >>> stacked.tree.parent.tolist(), [nodes.tolist() for nodes in stacked.nodes]
    ([3, 3, 4, 5, 5, -1], [[0, 1, 3], [2]])
    """
    if len(trees) != top.n_leaves:
        given = f"{len(trees)} trees for {top.n_leaves} leaves"
        raise PsiragError("stack_trees needs one tree for each leaf of the top tree", given, "Pass as many.")
    height = max(tree.depth for tree in trees)
    first_leaf = np.cumsum([0, *(tree.n_leaves for tree in trees)])
    first_node = np.cumsum([0, *(tree.n_nodes for tree in trees)])
    below = [_layer_labels(tree, height) for tree in trees]
    labels = [
        np.concatenate([own[layer] + first_node[i] for i, own in enumerate(below)]) for layer in range(height + 1)
    ]
    tree_of = np.repeat(np.arange(len(trees)), np.diff(first_leaf))
    labels += [label[tree_of] for label in _layer_labels(top, top.depth)[1:]]
    stacked = AbstractTree(*from_layer_labels(labels))
    nodes = []
    for i, tree in enumerate(trees):
        above = np.arange(first_leaf[i], first_leaf[i + 1])
        place = np.empty(tree.n_nodes, dtype=np.int64)
        for layer in range(tree.depth + 1):
            place[below[i][layer]] = above
            above = stacked.parent[above]
        nodes.append(place)
    return StackedTree(stacked, tuple(nodes))


def _layer_labels(tree: AbstractTree, height: int) -> list[Ints]:
    """Return each leaf's ancestor in layer 0, 1, … up to a height; the root again above the root."""
    labels = [np.arange(tree.n_leaves)]
    for layer in range(height):
        labels.append(tree.parent[labels[-1]] if layer < tree.depth else labels[-1])
    return labels

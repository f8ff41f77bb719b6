"""The part of the tree that a search within one document sees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from psirag.retrieval.tree_retrieval import nodes_with_allowed_leaves
from psirag.tree import AbstractTree
from psirag.vectors import Mask


@dataclass(frozen=True, eq=False)
class DocumentScope:
    """One document's leaves, and the lowest node over all of them, where its descents start.

    Parameters
    ----------
    leaves : ndarray, shape (n_leaves,), bool
    start : int
        The root of the document's own tree, where it has one.
    allowed : ndarray, shape (n_nodes,), bool, or None
        Nodes over one of the leaves; None where all leaves below `start` are the document's.
    within : ndarray, shape (n_nodes,), bool
        Nodes over leaves of this document alone, none of them above `start`.

    Notes
    -----
    Source: Ψ-RAG §5.1 (narrative QA and summarization stay within a document); the scope is ours.

    Examples
    --------
    >>> tree = AbstractTree.from_parents(np.array([4, 4, 5, 5, 6, 6, -1]), 4)
    >>> scope = DocumentScope.over(tree, np.array([False, False, True, True]))
    >>> scope.start, scope.allowed, np.flatnonzero(scope.within).tolist()
    (5, None, [2, 3, 5])
    """

    leaves: Mask
    start: int
    allowed: Mask | None
    within: Mask

    @staticmethod
    def over(tree: AbstractTree, leaves: Mask) -> DocumentScope:
        """Find the scope of some leaves, at least one."""
        nodes = np.flatnonzero(leaves)
        while len(nodes) > 1:
            nodes = np.unique(tree.parent[nodes])
        start = int(nodes[0])
        within = ~nodes_with_allowed_leaves(tree, ~leaves)
        within[start + 1 :] = False
        return DocumentScope(leaves, start, None if within[start] else nodes_with_allowed_leaves(tree, leaves), within)

"""Cheap growth, as the paper proposes it: leaves or a whole subtree join a tree that stays as it is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from psirag.errors import PsiragError
from psirag.tree.abstract_tree import AbstractTree
from psirag.tree.merging import Forest, join
from psirag.tree.renumbering import from_layer_labels


def attach_leaves(tree: AbstractTree, nearest: npt.ArrayLike) -> AbstractTree:
    """Let each new leaf join the parent of its most similar leaf.

    Parameters
    ----------
    tree : AbstractTree
    nearest : array_like, shape (m,), int
        For new leaf i, numbered n + i, the leaf it joins: an old one or a new one before it.

    Returns
    -------
    AbstractTree
        Over n + m leaves; no node is split, however many children it has.

    Raises
    ------
    PsiragError
        A leaf that is not there yet.

    Source: Ψ-RAG Appendix G (insertion of a single chunk).

    Examples
    --------
    >>> attach_leaves(AbstractTree([2, 2, -1], [0, 0, 1]), [1, 2]).parent.tolist()
    [4, 4, 4, 4, -1]
    """
    joined = np.asarray(nearest, dtype=np.int64)
    n, m = tree.n_leaves, len(joined)
    if np.any((joined < 0) | (joined >= n + np.arange(m))):
        raise PsiragError(f"nearest must name leaves before the new one, from {n} on", str(joined[:5]), "Name others.")
    if tree.depth == 0:
        return AbstractTree.from_parents([n + m] * (n + m) + [-1], n + m) if m else tree
    parent = np.concatenate([tree.parent[:n], np.empty(m, dtype=np.int64), tree.parent[n:]])
    parent[parent >= 0] += m
    parent[-1] = -1
    for leaf, other in enumerate(joined, n):
        parent[leaf] = parent[other]
    return AbstractTree.from_parents(parent, n + m)


def attach_subtree(tree: AbstractTree, subtree: AbstractTree, u: int, v: int) -> AbstractTree:
    """Join a tree over new leaves to a tree by one merge step; leaf u of the one and v of the other say where.

    Parameters
    ----------
    tree, subtree : AbstractTree
    u, v : int
        A leaf of the tree and one of the subtree, the most similar pair.

    Returns
    -------
    AbstractTree
        Over n + m leaves; the subtree's leaf i is n + i.

    Source: Ψ-RAG Appendix G (batch insertion by abstract node collapse).

    Examples
    --------
    >>> pair = AbstractTree([2, 2, -1], [0, 0, 1])
    >>> attach_subtree(pair, pair, 0, 1)
    AbstractTree(4 leaves, 3 abstract nodes, depth 2)
    """
    n, m = tree.n_leaves, subtree.n_leaves
    place = np.concatenate([np.arange(n), n + m + np.arange(tree.n_nodes - n)])
    below = np.concatenate([n + np.arange(m), tree.n_nodes + m + np.arange(subtree.n_nodes - m)])
    forest = Forest(tree.n_nodes + subtree.n_nodes)
    for one, numbers in ((tree, place), (subtree, below)):
        for node, number in enumerate(numbers.tolist()):
            forest.height[number] = int(one.layer[node])
            forest.parent[number] = -1 if node == one.root else int(numbers[one.parent[node]])
    join(forest, u, n + v)
    return AbstractTree.from_parents(forest.parent, n + m)


def detach_leaves(tree: AbstractTree, gone: npt.ArrayLike) -> AbstractTree:
    """Take leaves out, and nodes without leaves with them; the other leaves are numbered anew in their order.

    Parameters
    ----------
    tree : AbstractTree
    gone : array_like of int
        Leaves; at least one other must stay.

    Raises
    ------
    PsiragError
        No leaf stays.

    Source: ours, the reverse of Appendix G's insertion.

    Examples
    --------
    >>> detach_leaves(AbstractTree([4, 4, 5, 5, 6, 6, -1], [0, 0, 0, 0, 1, 1, 2]), [0, 1]).parent.tolist()
    [2, 2, -1]
    """
    stay = np.setdiff1d(np.arange(tree.n_leaves), gone)
    if len(stay) == 0:
        raise PsiragError("detach_leaves needs a leaf that stays", f"all {tree.n_leaves} leaves", "Keep one.")
    above, labels = stay, [np.arange(len(stay))]
    for _ in range(tree.depth):
        above = tree.parent[above]
        labels.append(above)
    while len(labels) > 1 and np.ptp(labels[-2]) == 0:  # a root over a single node
        labels.pop()
    return AbstractTree(*from_layer_labels(labels))

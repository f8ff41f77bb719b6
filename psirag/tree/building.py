"""The tree from vectors: fast, from the n − 1 accepted pairs; and as the paper says it, visiting all pairs."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from psirag.errors import PsiragError
from psirag.tree.abstract_tree import AbstractTree
from psirag.tree.layering import boruvka_layers
from psirag.tree.merging import Forest, join
from psirag.tree.rebalancing import check_max_children, rebalance
from psirag.tree.similarity_keys import similarity_keys
from psirag.tree.spanning_tree import SpanningTree, spanning_tree
from psirag.vectors import Ints, Vectors, unit_rows


def build_tree(
    vectors: npt.ArrayLike,
    *,
    max_children: int | None = 40,
    device: str | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> AbstractTree:
    """Build Ψ-RAG's abstract tree, exactly, from the vectors of the chunks.

    Parameters
    ----------
    vectors : array_like, shape (n, d)
        One row per chunk, of any length: only directions count. A zero row is similar to nothing. A memory map is read
        by blocks into the one copy that the build makes.
    max_children : int or None
        Abstract nodes with more children are halved; at least 3; None for no limit.
    device : str, optional
        Multiply by torch there, "cuda" for example; by numpy when None. The tree is the same.
    checkpoint : path, optional
        Folder that keeps how far the build has come; the same call goes on from there after an interruption.
    progress : bool
        Show a bar that counts pairs.

    Returns
    -------
    AbstractTree
        n leaves in the order of the rows; the same on any number of threads; ties go to the lower pair.

    Raises
    ------
    PsiragError
        No row, NaN or infinity, not a matrix, a limit below 3, no such device, or a checkpoint that cannot be read or
        written.

    Notes
    -----
    Runs on all processors, or wherever `joblib.parallel_config` says.

    Source: Ψ-RAG §3.1, Algorithm 1.

    Examples
    --------
    >>> build_tree([[1, 0], [0.9, 0.1], [0, 1], [0.6, 0.7]])
    AbstractTree(4 leaves, 3 abstract nodes, depth 2)
    """
    check_max_children(max_children)
    rows = unit_rows(vectors)  # nobody else holds them, so they may be laid out in place
    pairs = spanning_tree(rows, device=device, checkpoint=checkpoint, progress=progress, overwrite_rows=True)
    return tree_of_pairs(pairs, max_children=max_children)


def tree_of_pairs(pairs: SpanningTree, *, max_children: int | None = 40) -> AbstractTree:
    """Build the abstract tree of accepted pairs, by whichever way they were found.

    Parameters
    ----------
    pairs : SpanningTree
    max_children : int or None
        As for `build_tree`.

    Source: Ψ-RAG §3.1.

    Examples
    --------
    >>> tree_of_pairs(spanning_tree(np.eye(4, dtype=np.float32)), max_children=3).depth
    2
    """
    return rebalance(boruvka_layers(pairs), pairs.u, pairs.v, max_children)


def reference_tree(vectors: npt.ArrayLike, *, max_children: int | None = 40) -> AbstractTree:
    """Build the same tree the slow way: rank all n(n − 1)/2 pairs, visit each, merge or collapse.

    Parameters
    ----------
    vectors, max_children
        As for `build_tree`.

    Notes
    -----
    Time n² log n and 40 bytes a pair: for teaching, and as the oracle of the fast builder.

    Source: Ψ-RAG §3.1, Algorithm 1 (read so that "rank 1 to n − 1" means accepted pairs).

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(30, 8))
    >>> reference_tree(rows) == build_tree(rows)
    True
    """
    check_max_children(max_children)
    rows = unit_rows(vectors)
    if len(rows) == 0:
        raise PsiragError("a tree needs at least one vector", f"an array of shape {rows.shape}", "Add a chunk.")
    forest = Forest(len(rows))
    accepted = []
    for u, v in _pairs_of_different_trees(*_ranked_pairs(rows), np.arange(len(rows))):
        join(forest, u, v)
        accepted.append((u, v))
    tree = AbstractTree.from_parents(forest.parent, len(rows))
    pairs = np.array(accepted, dtype=np.int64).reshape(-1, 2)
    return rebalance(tree, pairs[:, 0], pairs[:, 1], max_children)


def _ranked_pairs(rows: Vectors) -> tuple[Ints, Ints]:
    """Return all pairs u < v, from the most to the least similar, ties by u and then v."""
    u, v = np.triu_indices(len(rows), k=1)  # already ascending by u, then v: a stable sort keeps that among ties
    order = np.argsort(-similarity_keys(rows, u, v), kind="stable")
    return u[order], v[order]


def _pairs_of_different_trees(u: Ints, v: Ints, tree_of: Ints) -> Iterator[tuple[int, int]]:
    """Yield, in order, the pairs whose leaves are not yet in one tree; `tree_of` tells the tree of each leaf."""
    for start in range(0, len(u), 100_000):  # most pairs are skipped, so many are looked at together first
        block = slice(start, start + 100_000)
        for i in start + np.flatnonzero(tree_of[u[block]] != tree_of[v[block]]):
            if tree_of[u[i]] != tree_of[v[i]]:
                yield int(u[i]), int(v[i])
                tree_of[tree_of == tree_of[v[i]]] = tree_of[u[i]]

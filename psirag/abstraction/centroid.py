"""Centroids: the direction of all leaves below a node, each leaf counted once."""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt

from psirag.checks import first_few
from psirag.errors import PsiragError, PsiragWarning
from psirag.tree import AbstractTree
from psirag.vectors import Vectors, keep_unit_rows


def centroids(tree: AbstractTree, leaf_vectors: npt.ArrayLike) -> Vectors:
    """Give every node the normalised mean of the unit vectors of the leaves below it.

    Parameters
    ----------
    tree : AbstractTree
    leaf_vectors : array_like, shape (n_leaves, d), real

    Returns
    -------
    ndarray, shape (n_nodes, d), float32, read-only
        c(a) = S_a / ‖S_a‖ with S_a = Σ of the vectors below a; a leaf keeps its own direction.

    Raises
    ------
    PsiragError
        Another number of rows than leaves, or rows that are not finite.

    Source: Ψ-RAG §3.1 (abstraction); the centroid in place of a text is ours.

    Examples
    --------
    >>> from psirag.tree import build_tree
    >>> vectors = np.eye(3)[[0, 0, 1]]
    >>> centroids(build_tree(vectors), vectors).round(2)[-1].tolist()
    [0.8899999856948853, 0.44999998807907104, 0.0]
    """
    leaves = leaf_rows(tree, leaf_vectors)
    sums = np.zeros((tree.n_nodes, leaves.shape[1]))
    sums[: tree.n_leaves] = leaves
    for layer in range(tree.depth):
        nodes = tree.layer_nodes(layer)
        np.add.at(sums, tree.parent[nodes.start : nodes.stop], sums[nodes.start : nodes.stop])
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    rows = (sums / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    rows[: tree.n_leaves] = leaves
    zero = tree.n_leaves + np.flatnonzero(~rows[tree.n_leaves :].any(axis=1))
    if zero.size:
        message = f"{zero.size} centroids are zero, so similar to nothing: nodes {first_few(zero)}"
        warnings.warn(message, PsiragWarning, stacklevel=2)
    rows.flags.writeable = False
    return rows


def leaf_rows(tree: AbstractTree, leaf_vectors: npt.ArrayLike) -> Vectors:
    """Return the leaves' unit rows, one for each leaf of the tree."""
    rows = keep_unit_rows(leaf_vectors, what="leaf_vectors")
    if len(rows) != tree.n_leaves:
        asked, given = "leaf_vectors must have one row for each leaf", f"{len(rows)} rows for {tree.n_leaves} leaves"
        raise PsiragError(asked, given, "Pass the chunks' vectors.")
    return rows

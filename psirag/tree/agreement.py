"""How much of the exact tree an approximate one has: the share of its nodes and of its accepted pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from psirag.errors import PsiragError
from psirag.tree.abstract_tree import AbstractTree
from psirag.tree.spanning_tree import SpanningTree


@dataclass(frozen=True)
class Agreement:
    """Shares between 0 and 1; 1 is an equal tree.

    Parameters
    ----------
    nodes : float
        Of the exact tree's abstract nodes, those whose leaves are the leaves of a node of the other tree.
    pairs : float
        Of the exact spanning tree's pairs, those that the other one has; NaN when no pairs were given.
    weight : float
        Sum of the other pairs' similarities ÷ that of the exact ones: near 1 even where most nodes are lost.
    """

    nodes: float
    pairs: float
    weight: float


def agreement(
    tree: AbstractTree, exact: AbstractTree, pairs: SpanningTree | None = None, exact_pairs: SpanningTree | None = None
) -> Agreement:
    """Compare an approximate tree with the exact one.

    Parameters
    ----------
    tree, exact : AbstractTree
        Over the same leaves.
    pairs, exact_pairs : SpanningTree, optional
        The accepted pairs of either.

    Raises
    ------
    PsiragError
        Trees over different leaves.

    Notes
    -----
    nodes = |{leaves(v)} ∩ {leaves(w)}| / |{leaves(w)}| over abstract nodes v of `tree` and w of `exact`.

    Source: Ψ-RAG Appendix E reports cost only; the shares are ours.

    Examples
    --------
    >>> exact = AbstractTree([4, 4, 5, 5, 6, 6, -1], [0, 0, 0, 0, 1, 1, 2])
    >>> agreement(AbstractTree([4, 4, 4, 4, -1], [0, 0, 0, 0, 1]), exact).nodes
    0.3333333333333333
    """
    if tree.n_leaves != exact.n_leaves:
        given = f"{tree.n_leaves} and {exact.n_leaves}"
        raise PsiragError("agreement compares trees over the same leaves", given, "Build both from the same vectors.")
    marks = leaf_marks(exact.n_leaves)
    found, truth = (np.unique(leaf_sums(one, marks)[one.n_leaves :]) for one in (tree, exact))
    nodes = float(np.isin(truth, found).mean()) if len(truth) else 1.0
    if pairs is None or exact_pairs is None or exact.n_leaves == 1:
        return Agreement(nodes, np.nan, np.nan)
    same = np.isin(exact_pairs.u * exact.n_leaves + exact_pairs.v, pairs.u * exact.n_leaves + pairs.v)
    return Agreement(nodes, float(same.mean()), float(pairs.similarity.sum() / exact_pairs.similarity.sum()))


def leaf_sums(tree: AbstractTree, numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return, for each node, the sum of its leaves' numbers: with random numbers, a fingerprint of its set of leaves.

    Parameters
    ----------
    tree : AbstractTree
    numbers : ndarray, shape (n_leaves,), uint64

    Examples
    --------
    >>> leaf_sums(AbstractTree([2, 2, -1], [0, 0, 1]), np.array([3, 4], dtype=np.uint64)).tolist()
    [3, 4, 7]
    """
    sums = np.zeros(tree.n_nodes, dtype=np.uint64)
    sums[: tree.n_leaves] = numbers
    for layer in range(tree.depth):
        nodes = tree.layer_nodes(layer)
        np.add.at(sums, tree.parent[nodes.start : nodes.stop], sums[nodes.start : nodes.stop])
    return sums


def leaf_marks(n: int) -> npt.NDArray[np.uint64]:
    """Return n random 64-bit numbers, always the same."""
    return np.random.default_rng(0).integers(0, 2**64, n, dtype=np.uint64)

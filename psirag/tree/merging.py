"""Merging and collapse, as the paper tells them: the only place where a tree is mutable, because here it grows.

Pairs of leaves arrive one by one; a pair whose leaves have different roots joins two trees of heights g ≤ h:

    0 and 0         merging                  a new abstract node over the two leaves
    0 and h ≥ 1     leaf node collapse       the lone leaf joins the parent of the other leaf
    1 ≤ g < h       abstract node collapse   the lower root joins the ancestor, at height g + 1, of the other leaf
    h and h, h ≥ 1  abstract node collapse   a new abstract node over the two roots
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy.typing as npt

from psirag.tree.similarity_keys import similarities
from psirag.tree.spanning_tree import spanning_tree
from psirag.vectors import unit_rows

MERGING, LEAF_NODE_COLLAPSE, ABSTRACT_NODE_COLLAPSE = "merging", "leaf node collapse", "abstract node collapse"


class Forest:
    """Trees over `n_leaves` leaves while they grow; abstract nodes are numbered as they are created.

    Examples
    --------
    >>> forest = Forest(3)
    >>> join(forest, 0, 1), join(forest, 1, 2)
    (('merging', 3, (0, 1)), ('leaf node collapse', 3, (2,)))
    >>> forest.parent
    [3, 3, 3, -1]
    """

    def __init__(self, n_leaves: int) -> None:
        self.parent = [-1] * n_leaves
        self.height = [0] * n_leaves

    def root(self, node: int) -> int:
        """Climb to the root; at most log2 n steps, because a tree of height h has at least 2^h leaves."""
        while self.parent[node] != -1:
            node = self.parent[node]
        return node

    def ancestor(self, leaf: int, height: int) -> int:
        """Return a leaf's ancestor of a given height: all trees are equi-depth, so that many steps up."""
        for _ in range(height):
            leaf = self.parent[leaf]
        return leaf

    def new_node(self, height: int) -> int:
        """Create an abstract node without children."""
        self.parent.append(-1)
        self.height.append(height)
        return len(self.parent) - 1

    def attach(self, node: int, *children: int) -> tuple[int, ...]:
        """Put roots below a node."""
        for child in children:
            self.parent[child] = node
        return children


def merging(forest: Forest, u: int, v: int) -> tuple[str, int, tuple[int, ...]]:
    """Put a new abstract node over two lone leaves; return the kind of step, the receiving node, the nodes attached."""
    node = forest.new_node(height=1)
    return MERGING, node, forest.attach(node, u, v)


def leaf_node_collapse(forest: Forest, lone: int, other: int) -> tuple[str, int, tuple[int, ...]]:
    """Let a lone leaf join the parent of the other leaf."""
    node = forest.parent[other]
    return LEAF_NODE_COLLAPSE, node, forest.attach(node, lone)


def abstract_node_collapse(forest: Forest, u: int, v: int) -> tuple[str, int, tuple[int, ...]]:
    """Join two trees with abstract nodes: below the ancestor that fits, or below a new root when equally high."""
    low, high = forest.root(u), forest.root(v)
    if forest.height[low] == forest.height[high]:
        node = forest.new_node(height=forest.height[low] + 1)
        return ABSTRACT_NODE_COLLAPSE, node, forest.attach(node, low, high)
    if forest.height[low] > forest.height[high]:
        low, v = high, u
    node = forest.ancestor(v, forest.height[low] + 1)
    return ABSTRACT_NODE_COLLAPSE, node, forest.attach(node, low)


def join(forest: Forest, u: int, v: int) -> tuple[str, int, tuple[int, ...]]:
    """Take the step that the heights of the two leaves' trees call for."""
    lone_u, lone_v = forest.parent[u] == -1, forest.parent[v] == -1
    if lone_u and lone_v:
        return merging(forest, u, v)
    if lone_u or lone_v:
        return leaf_node_collapse(forest, u, v) if lone_u else leaf_node_collapse(forest, v, u)
    return abstract_node_collapse(forest, u, v)


@dataclass(frozen=True)
class MergeStep:
    """One accepted pair and what it did.

    Parameters
    ----------
    u, v : int
        The pair of leaves, u < v.
    similarity : float
        Their cosine similarity.
    kind : str
        "merging", "leaf node collapse" or "abstract node collapse".
    node : int
        The abstract node that received children; leaves are 0 … n−1, abstract nodes n, n+1, … as they are created.
        An `AbstractTree` numbers them layer by layer instead, so the same node may have another number there.
    attached : tuple of int
        The nodes whose parent became `node`. Replaying the first k steps gives the forest after k steps.

    Source: Ψ-RAG §3.1, Figure 3.

    Examples
    --------
    >>> merge_steps([[1, 0], [0.8, 0.6]])
    [MergeStep(u=0, v=1, similarity=0.800000011920929, kind='merging', node=2, attached=(0, 1))]
    """

    u: int
    v: int
    similarity: float
    kind: str
    node: int
    attached: tuple[int, ...]


def merge_steps(vectors: npt.ArrayLike) -> list[MergeStep]:
    """Return the n − 1 steps that build the tree, one for each accepted pair, in order.

    Parameters
    ----------
    vectors : array_like, shape (n, d)
        One row per chunk, of any length (see `unit_rows`). Of an index, `index.vectors[: index.tree.n_leaves]`: the
        rows after these belong to abstract nodes, and would be taken for chunks.

    Notes
    -----
    `collapse([(s.u, s.v) for s in merge_steps(X)], n)` equals `build_tree(X, max_children=None)`.

    Source: Ψ-RAG §3.1, Algorithm 1, Figure 3.

    Examples
    --------
    >>> for step in merge_steps([[1, 0], [0.9, 0.1], [0, 1], [0.6, 0.7]]):
    ...     print(step.u, step.v, round(step.similarity, 2), step.kind)
    0 1 0.99 merging
    2 3 0.76 merging
    1 3 0.73 abstract node collapse
    """
    pairs = spanning_tree(unit_rows(vectors))
    forest = Forest(pairs.n_leaves)
    return [
        MergeStep(u, v, similarity, *join(forest, u, v))
        for u, v, similarity in zip(pairs.u.tolist(), pairs.v.tolist(), similarities(pairs.key).tolist(), strict=True)
    ]

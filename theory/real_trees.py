"""With real data: how often moving one leaf lowers the cost, and how often a closed class is no subtree.

With d = 1 the cost ignores the data and the algorithm never looks at the cost, so the theorems say nothing about a
given corpus. Here the weights are the data's: similarities x·y, or squared distances ‖x − y‖² = 2 − 2·x·y of unit
vectors.

**One move in closed form (ours).** Let S_b be the sum of the rows below b, c(b) = ½(‖S_b‖² − Σ_children ‖S‖²) the
weight of the pairs that meet at b. Leaf x leaves the path b_0 … b_p (b_0 its bottom node) and enters c_0 … c_q; both
end below their LCA a. Then D = Σ_r [c(c_r) + (|c_r| + 1)·x·(S_{c_r} − S_{c_{r−1}})] − Σ_r [c(b_r) + (|b_r| −
1)·x·(S_{b_r} − S_{b_{r−1}})] + |a|·x·(S_{b_p} − x − S_{c_q}), with S below c_0 taken as 0 and below b_0 as x. All
targets of a leaf come out of one product S·x.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from psirag.checks import check_count
from psirag.errors import PsiragError
from psirag.tree import AbstractTree
from psirag.vectors import Floats, Ints, Mask, unit_rows

_TOLERANCE = 1e-9  # times n: changes that float64 cannot tell from 0


@dataclass(frozen=True)
class LeafMoves:
    """Moves of one leaf to another bottom node: how many were tried, how many change the cost which way.

    Source: Ψ-RAG §4.1, Theorems 4.3 and 4.4 (the moves).

    Examples
    --------
    >>> LeafMoves(moves=10, lower=2, equal=1).share_lower
    0.2
    """

    moves: int
    lower: int
    equal: int

    @property
    def share_lower(self) -> float:
        """Share of moves that lower the cost; nan without a move."""
        return self.lower / self.moves if self.moves else float("nan")


@dataclass(frozen=True)
class ClosedClass:
    """A class of chunks: its size, whether each member's nearest neighbour is inside, whether it is a node.

    Source: Ψ-RAG Appendix B.3, Remark after Theorem 4.4.

    Examples
    --------
    >>> ClosedClass("minutes", size=3, closed=True, is_node=False).refutes
    True
    """

    label: Hashable
    size: int
    closed: bool
    is_node: bool

    @property
    def refutes(self) -> bool:
        """Whether the class is closed and no node, which the remark excludes."""
        return self.closed and not self.is_node


def three_layer_tree(tree: AbstractTree) -> AbstractTree:
    """Return the root over the layer-1 nodes of a tree: the shape of Theorems 4.3 and 4.4.

    Source: Ψ-RAG §4.1.

    Examples
    --------
    >>> three_layer_tree(AbstractTree([4, 4, 5, 5, 6, 6, -1], [0, 0, 0, 0, 1, 1, 2])).depth
    2
    """
    if tree.depth < 2:
        return tree
    bottom, n = tree.parent[: tree.n_leaves], tree.n_leaves
    root = n + len(tree.layer_nodes(1))
    return AbstractTree.from_parents(np.concatenate([bottom, np.full(root - n, root), [-1]]), n)


def move_differences(tree: AbstractTree, vectors: npt.ArrayLike) -> Floats:
    """Return by how much the cost under inner products changes when one leaf moves to another bottom node.

    Parameters
    ----------
    tree : AbstractTree
        n leaves, b layer-1 nodes.
    vectors : array_like, shape (n, d)
        Rows whose inner products are the weights; one column of ones gives unit weights.

    Returns
    -------
    ndarray, shape (n, b), float64
        nan at a leaf's own bottom node.

    Source: ours.

    Examples
    --------
    >>> tree = AbstractTree([12] * 2 + [13] * 3 + [14] * 7 + [15] * 3 + [-1], [0] * 12 + [1] * 3 + [2])
    >>> move_differences(tree, np.ones((12, 1)))[11].tolist()  # from 7 to 2: 650 → 648
    [-2.0, -6.0, nan]
    """
    rows = np.asarray(vectors, dtype=np.float64)
    if rows.ndim != 2 or len(rows) != tree.n_leaves:
        raise PsiragError(f"vectors must have shape ({tree.n_leaves}, d)", str(rows.shape), "Pass one row per leaf.")
    if tree.depth == 0:
        return np.empty((1, 0))
    sums, inner = _sums_below(tree, rows)
    path = _paths(tree)
    return np.stack([_from_leaf(tree, sums, inner, path, leaf) for leaf in range(tree.n_leaves)])


def _sums_below(tree: AbstractTree, rows: Floats) -> tuple[Floats, Floats]:
    """Return the sum of rows below each node, and the weight of the pairs that meet there."""
    sums = np.zeros((tree.n_nodes, rows.shape[1]))
    sums[: tree.n_leaves] = rows
    for node in range(tree.n_leaves, tree.n_nodes):
        sums[node] = sums[tree.children(node)].sum(axis=0)
    square = (sums**2).sum(axis=1)
    below = np.bincount(tree.parent[:-1], square[:-1], minlength=tree.n_nodes)
    return sums, (square - below) / 2


def _paths(tree: AbstractTree) -> Ints:
    """Return, shape (depth, b), the ancestor of each layer-1 node at each layer from 1 on."""
    path = [np.array(tree.layer_nodes(1))]
    for _ in range(tree.depth - 1):
        path.append(tree.parent[path[-1]])
    return np.stack(path)


def _from_leaf(tree: AbstractTree, sums: Floats, inner: Floats, path: Ints, leaf: int) -> Floats:
    """Return the differences for one leaf and every bottom node."""
    product, size = sums @ sums[leaf], tree.leaf_counts
    own = path[:, tree.parent[leaf] - tree.n_leaves]
    before = np.concatenate([[product[leaf]], product[own[:-1]]])
    leaving = np.cumsum(inner[own] + (size[own] - 1) * (product[own] - before))
    entering = np.zeros(path.shape[1])
    difference = np.full(path.shape[1], np.nan)
    for layer in range(1, tree.depth):
        here, below = path[layer - 1], path[layer - 2] if layer > 1 else None
        entering += inner[here] + (size[here] + 1) * (product[here] - (0 if below is None else product[below]))
        met = (path[layer] == own[layer]) & (here != own[layer - 1])
        at_lca = size[own[layer]] * (product[own[layer - 1]] - product[leaf] - product[here])
        difference[met] = (entering - leaving[layer - 1] + at_lca)[met]
    return difference


def leaf_moves(
    tree: AbstractTree, vectors: npt.ArrayLike, *, weights: str, minor_only: bool = False, leaves_left: int = 2
) -> LeafMoves:
    """Count the moves of one leaf that lower the cost.

    Parameters
    ----------
    tree : AbstractTree
        A Ψ tree, or a `three_layer_tree`.
    vectors : array_like, shape (n, d)
        Scaled to unit rows.
    weights : str
        "similarity" (a lower cost is better), "distance" (squared; a lower cost is worse), or "unit".
    minor_only : bool
        Only moves as in Theorem 4.4, from a larger bottom node into one of the smallest.
    leaves_left : int
        Leaves that the giving node keeps at least; 2 as in the theorems, so that no node is left with one child.

    Source: Ψ-RAG §4.1, Theorems 4.3 and 4.4 (the moves).

    Examples
    --------
    >>> tree = AbstractTree([12] * 2 + [13] * 3 + [14] * 7 + [15] * 3 + [-1], [0] * 12 + [1] * 3 + [2])
    >>> leaf_moves(tree, np.eye(12), weights="unit", minor_only=True)  # 7 leaves from 7 to 2, 3 leaves from 3 to 2
    LeafMoves(moves=10, lower=7, equal=3)
    """
    if weights not in ("similarity", "distance", "unit"):
        raise PsiragError(
            "weights must be 'similarity', 'distance' or 'unit'", repr(weights), "Pass one of these names."
        )
    check_count("leaves_left", leaves_left)
    rows = unit_rows(vectors).astype(np.float64)
    ones = np.ones((len(rows), 1))
    difference = move_differences(tree, ones if weights == "unit" else rows)
    if weights == "distance":  # ‖x − y‖² = 2 − 2·x·y for unit rows
        difference = 2 * move_differences(tree, ones) - 2 * difference
    if tree.depth == 0:
        return LeafMoves(0, 0, 0)
    bottom = np.diff(tree.child_start)[list(tree.layer_nodes(1))]
    giving = bottom[tree.parent[: tree.n_leaves] - tree.n_leaves]
    allowed = ~np.isnan(difference) & (giving > leaves_left)[:, None]
    if minor_only:
        allowed &= (bottom == bottom.min()) & (giving > bottom.min())[:, None]
    changes = difference[allowed]
    equal = np.abs(changes) <= _TOLERANCE * tree.n_leaves
    return LeafMoves(len(changes), int(np.count_nonzero((changes < 0) & ~equal)), int(np.count_nonzero(equal)))


def closed_classes(tree: AbstractTree, vectors: npt.ArrayLike, labels: Sequence[Hashable]) -> tuple[ClosedClass, ...]:
    """Say of each labelled class (a document, a category) whether it is closed and whether it is a node's leaf set.

    Parameters
    ----------
    tree : AbstractTree
        Its n leaves are the chunks.
    vectors : array_like, shape (n, d)
        Scaled to unit rows; a tie for the nearest neighbour must be inside the class too.
    labels : sequence of n hashable values
        The class of each chunk.

    Source: Ψ-RAG Appendix B.3, Remark after Theorem 4.4.

    Examples
    --------
    >>> from psirag.tree import build_tree
    >>> points = [[np.cos(t), np.sin(t)] for t in (0.0, 0.1, 0.25)]
    >>> closed_classes(build_tree(points), points, ["a", "a", "b"])[0]
    ClosedClass(label='a', size=2, closed=True, is_node=False)
    """
    rows = unit_rows(vectors).astype(np.float64)
    if len(labels) != len(rows) or len(rows) != tree.n_leaves:
        given = f"{len(labels)} labels, {len(rows)} vectors, {tree.n_leaves} leaves"
        raise PsiragError("closed_classes needs one label and one vector per leaf", given, "Pass one of each.")
    similarity = rows @ rows.T
    np.fill_diagonal(similarity, -np.inf)
    names = list(dict.fromkeys(labels))
    label = np.array([names.index(name) for name in labels])
    return tuple(_looked_at(tree, similarity, name, label == at) for at, name in enumerate(names))


def _looked_at(tree: AbstractTree, similarity: Floats, name: Hashable, inside: Mask) -> ClosedClass:
    """Say whether one class is closed, and whether it is a node."""
    best_inside = similarity[np.ix_(inside, inside)].max(axis=1)
    best_outside = similarity[np.ix_(inside, ~inside)].max(axis=1, initial=-np.inf)
    return ClosedClass(name, int(inside.sum()), bool((best_inside > best_outside).all()), _is_node(tree, inside))


def _is_node(tree: AbstractTree, inside: Mask) -> bool:
    """Return whether a set of leaves is the leaf set of a node."""
    members = np.flatnonzero(inside)
    path = (int(members[0]), *tree.ancestors(int(members[0])))
    return any(np.array_equal(tree.leaves(node), members) for node in path)


def closed_pairs_of_nodes(tree: AbstractTree, *, layer: int = 1) -> tuple[int, int]:
    """Return, for every two nodes of a layer, how many unions are no node, and how many there are.

    A node of layer l ≥ 1 is closed in Borůvka's sense: each leaf's nearest neighbour is inside. So every union of two
    is a closed class, whose rest is closed as well, and the remark would have each be a subtree.

    Source: ours, on Ψ-RAG Appendix B.3, Remark after Theorem 4.4.

    Examples
    --------
    >>> closed_pairs_of_nodes(AbstractTree([6, 6, 7, 7, 8, 8, 9, 9, 9, -1], [0] * 6 + [1] * 3 + [2]))
    (3, 3)
    """
    nodes = tree.layer_nodes(layer)
    unions = len(nodes) * (len(nodes) - 1) // 2
    above = tree.layer_nodes(layer + 1) if layer < tree.depth else range(0)
    return unions - sum(len(tree.children(node)) == 2 for node in above), unions

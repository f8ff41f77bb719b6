"""The abstract tree: two read-only arrays, and walks over them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from psirag.errors import PsiragError
from psirag.vectors import Floats, Ints

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True, eq=False, repr=False)
class AbstractTree:
    """An equi-depth tree over n chunks; a node is an integer.

    Nodes are numbered layer by layer: leaves 0 … n−1 in corpus order, then layer 1, layer 2, … and the root last;
    within a layer by the smallest leaf below, ascending. So two trees are equal exactly when `parent` is equal, a
    layer is a slice, and a child's number is smaller than its parent's. (`merge_steps` numbers abstract nodes as they
    are created, so the same node may have another number there.)

    Parameters
    ----------
    parent : ndarray, shape (m,), int64
        Parent of each node; −1 for the root alone.
    layer : ndarray, shape (m,), int64
        0 for a leaf, one more at each step towards the root. (The paper counts from the root, we from the leaves.)

    Raises
    ------
    PsiragError
        The arrays break an invariant; the message names it.

    Notes
    -----
    The tree carries no texts and no vectors: those belong to the index.

    Source: Ψ-RAG §2 (tree index), §3.1.

    Examples
    --------
    >>> tree = AbstractTree(parent=[4, 4, 5, 5, 6, 6, -1], layer=[0, 0, 0, 0, 1, 1, 2])
    >>> tree
    AbstractTree(4 leaves, 3 abstract nodes, depth 2)
    >>> tree.leaves(5).tolist(), tree.lca(0, 3)
    ([2, 3], 6)
    """

    parent: Ints
    layer: Ints

    def __post_init__(self) -> None:
        """Take read-only copies and check every invariant."""
        object.__setattr__(self, "parent", _frozen(self.parent, "parent"))
        object.__setattr__(self, "layer", _frozen(self.layer, "layer"))
        _check_invariants(self)

    @staticmethod
    def from_parents(parent: npt.ArrayLike, n_leaves: int) -> AbstractTree:
        """Renumber any equi-depth parent array, so that any other builder can hand in its tree.

        Parameters
        ----------
        parent : array_like, shape (m,), int
            Parent of each node in any numbering whose first `n_leaves` nodes are the leaves; −1 for the root.
        n_leaves : int
            Number of leaves.

        Raises
        ------
        PsiragError
            Not one root, a cycle, an abstract node without a child, or leaves at different depths.

        Examples
        --------
        >>> AbstractTree.from_parents([3, 3, 4, 5, 5, -1], n_leaves=3).parent.tolist()
        [3, 3, 4, 5, 5, -1]
        """
        from psirag.tree.renumbering import renumber

        return AbstractTree(*renumber(parent, n_leaves))

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves and abstract nodes together."""
        return len(self.parent)

    @cached_property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.layer == 0))

    @property
    def depth(self) -> int:
        """Steps from a leaf to the root; 0 when the root is the only leaf."""
        return int(self.layer[-1])

    @property
    def root(self) -> int:
        """Number of the root, the last node."""
        return self.n_nodes - 1

    @cached_property
    def child_start(self) -> Ints:
        """Where each node's children start in `child_list`, shape (m + 1,)."""
        counts = np.bincount(self.parent[:-1], minlength=self.n_nodes)
        return _frozen(np.concatenate([[0], np.cumsum(counts)]), "child_start")

    @cached_property
    def child_list(self) -> Ints:
        """Children of node 0, then of node 1, …, ascending within a node, shape (m − 1,)."""
        return _frozen(np.argsort(self.parent[:-1], kind="stable"), "child_list")

    @cached_property
    def leaf_counts(self) -> Ints:
        """Number of leaves below each node, shape (m,); 1 for a leaf."""
        counts = np.zeros(self.n_nodes, dtype=np.int64)
        counts[: self.n_leaves] = 1
        for layer in range(self.depth):
            nodes = self.layer_nodes(layer)
            np.add.at(counts, self.parent[nodes.start : nodes.stop], counts[nodes.start : nodes.stop])
        return _frozen(counts, "leaf_counts")

    @cached_property
    def _layer_start(self) -> Ints:
        """Return the first node of each layer, and one past the root."""
        return np.searchsorted(self.layer, np.arange(self.depth + 2))

    @cached_property
    def _leaf_order(self) -> tuple[Ints, Ints]:
        """Leaves from left to right, and where each node's leaves start among them."""
        start = np.zeros(self.n_nodes, dtype=np.int64)
        for layer in range(self.depth, 0, -1):
            first, last = self.child_start[self._layer_start[layer]], self.child_start[self._layer_start[layer + 1]]
            children = self.child_list[first:last]
            parents = self.parent[children]
            before = np.cumsum(self.leaf_counts[children]) - self.leaf_counts[children]
            start[children] = start[parents] + before - before[self.child_start[parents] - first]
        order = np.empty(self.n_leaves, dtype=np.int64)
        order[start[: self.n_leaves]] = np.arange(self.n_leaves)
        return order, start

    def layer_nodes(self, layer: int) -> range:
        """Return the nodes of one layer, counted from the leaves."""
        if not 0 <= layer <= self.depth:
            raise PsiragError(f"layer must be between 0 and {self.depth}", repr(layer), "Layer 0 holds the leaves.")
        return range(int(self._layer_start[layer]), int(self._layer_start[layer + 1]))

    def children(self, node: int) -> Ints:
        """Return the children of a node, ascending; none for a leaf."""
        node = self._check_node(node)
        return self.child_list[self.child_start[node] : self.child_start[node + 1]]

    def leaves(self, node: int) -> Ints:
        """Return the leaves below a node, ascending; a leaf's own number for a leaf."""
        node = self._check_node(node)
        order, start = self._leaf_order
        return np.sort(order[start[node] : start[node] + self.leaf_counts[node]])

    def ancestors(self, node: int) -> tuple[int, ...]:
        """Return the path from a node's parent to the root."""
        path = []
        node = int(self.parent[self._check_node(node)])
        while node != -1:
            path.append(node)
            node = int(self.parent[node])
        return tuple(path)

    def lca(self, u: int, v: int) -> int:
        """Return the least common ancestor of two nodes (a node counts as its own ancestor)."""
        u, v = self._check_node(u), self._check_node(v)
        while u != v:  # a child's number is smaller than its parent's, so the smaller number is the one to lift
            u, v = (int(self.parent[u]), v) if u < v else (u, int(self.parent[v]))
        return u

    def _check_node(self, node: int) -> int:
        """Return a node's number, or say that there is no such node."""
        if isinstance(node, (bool, np.bool_)) or not isinstance(node, (int, np.integer)):
            raise PsiragError("a node is an integer", f"{node!r}, a {type(node).__name__}", "Pass a node's number.")
        if not 0 <= node < self.n_nodes:
            raise PsiragError(f"a node must be between 0 and {self.root}", str(node), "The root is the last node.")
        return int(node)

    def __eq__(self, other: object) -> bool:
        """Two trees are equal exactly when their parents are."""
        return isinstance(other, AbstractTree) and np.array_equal(self.parent, other.parent)

    def __hash__(self) -> int:
        """Hash the parents."""
        return hash(self.parent.tobytes())

    def __repr__(self) -> str:
        """Tell the sizes."""
        n_abstract = self.n_nodes - self.n_leaves
        return f"AbstractTree({self.n_leaves} leaves, {n_abstract} abstract nodes, depth {self.depth})"

    def to_networkx(self) -> nx.DiGraph[int]:
        """Return a directed graph with an edge from each parent to each child and the attribute `layer`.

        Examples
        --------
        >>> sorted(AbstractTree([2, 2, -1], [0, 0, 1]).to_networkx().edges)
        [(2, 0), (2, 1)]
        """
        from psirag.tree.exports import to_networkx

        return to_networkx(self)

    def to_newick(self) -> str:
        """Return the tree in Newick format, nodes named by number, one unit of length per layer.

        Examples
        --------
        >>> AbstractTree([2, 2, -1], [0, 0, 1]).to_newick()
        '(0:1,1:1)2;'
        """
        from psirag.tree.exports import to_newick

        return to_newick(self)

    def to_scipy_linkage(self) -> Floats:
        """Return a binary tree as SciPy's linkage matrix, shape (n − 1, 4), with the layer as height.

        Raises
        ------
        PsiragError
            The tree is not binary.

        Examples
        --------
        >>> AbstractTree([2, 2, -1], [0, 0, 1]).to_scipy_linkage().tolist()
        [[0.0, 1.0, 1.0, 2.0]]
        """
        from psirag.tree.exports import to_scipy_linkage

        return to_scipy_linkage(self)


def _frozen(values: Any, what: str) -> Ints:
    """Return a read-only int64 copy of one array of node numbers."""
    array = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        given = f"shape {array.shape} and dtype {array.dtype}"
        raise PsiragError(f"{what} must be a 1-d array of integers", given, "Pass one integer per node.")
    array = array.astype(np.int64)
    array.flags.writeable = False
    return array


def _broken(invariant: str, given: str) -> PsiragError:
    """Say which invariant is broken, and by what."""
    remedy = "AbstractTree.from_parents renumbers any parent array."
    return PsiragError(f"an AbstractTree needs {invariant}", given, remedy)


def _check_invariants(tree: AbstractTree) -> None:
    """Raise the error of the first invariant that the arrays break."""
    parent, layer = tree.parent, tree.layer
    m = len(parent)
    if len(layer) != m or m == 0:
        raise _broken("as many layers as parents, and at least one", f"{m} parents and {len(layer)} layers")
    roots = np.flatnonzero(parent == -1)
    if roots.tolist() != [m - 1]:
        raise _broken("one root, numbered last", f"roots {roots[:5].tolist()} among {m} nodes")
    wrong = np.flatnonzero((parent[:-1] <= np.arange(m - 1)) | (parent[:-1] >= m))
    if len(wrong):
        raise _broken("parents numbered above their children", f"parent {parent[wrong[0]]} of node {wrong[0]}")
    if layer[0] != 0 or np.any(np.diff(layer) < 0):
        raise _broken("nodes numbered layer by layer from the leaves", f"layers {layer[:8].tolist()} …")
    wrong = np.flatnonzero(layer[parent[:-1]] != layer[:-1] + 1)
    if len(wrong):
        node = int(wrong[0])
        given = f"node {node} in layer {layer[node]} below node {parent[node]} in layer {layer[parent[node]]}"
        raise _broken("equal depth: each parent one layer above its children", given)
    childless = np.flatnonzero((np.bincount(parent[:-1], minlength=m) == 0) & (layer > 0))
    if len(childless):
        raise _broken("a child below every abstract node", f"none below node {childless[0]}")
    order = _smallest_leaves(parent, layer)
    wrong = np.flatnonzero((np.diff(layer) == 0) & (np.diff(order) <= 0))
    if len(wrong):
        given = f"nodes {wrong[0]} and {wrong[0] + 1} the other way round"
        raise _broken("the nodes of a layer ordered by their smallest leaf", given)


def _smallest_leaves(parent: Ints, layer: Ints) -> Ints:
    """Return the smallest leaf below each node."""
    smallest = np.where(layer == 0, np.arange(len(parent)), len(parent))
    starts = np.searchsorted(layer, np.arange(layer[-1] + 1))
    for start, stop in pairwise(starts):
        np.minimum.at(smallest, parent[start:stop], smallest[start:stop])
    return smallest

"""What a tree does to a minor class, by layer: confused nodes, noise, evenness of cluster sizes, centroid drift."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from psirag.errors import PsiragError
from psirag.tree import AbstractTree
from psirag.tree.marking import node_flags
from psirag.vectors import Floats, Ints, Mask, unit_rows


@dataclass(frozen=True, eq=False)
class SkewMeasures:
    """The measures of one tree and one minor class; entry i belongs to layer i + 1, up to the layer below the root.

    Parameters
    ----------
    layer : ndarray, shape (depth − 1,), int64
        1 … depth − 1, from the leaves.
    n_nodes : ndarray, int64
        Nodes of the layer.
    confused : ndarray, int64
        Nodes of the layer without a minor leaf that have a parent with one.
    noise : ndarray, float64
        Of the leaves below the nodes that hold minor leaves, the share that is major; NaN without minor leaves.
    evenness : ndarray, float64
        Entropy of the nodes' shares of the leaves ÷ its maximum: 1 for equal sizes; NaN for a single node.
    drift : ndarray, float64
        How far nodes are pulled away from their minor leaves: ‖mean of all leaves below − mean of the minor ones‖,
        averaged over (minor leaf, node above it).

    Source: Ψ-RAG §4.1, Figure 4 (drift), §4.2, Figure 5 (confused nodes, noise); the exact definitions are ours.
    """

    layer: Ints
    n_nodes: Ints
    confused: Ints
    noise: Floats
    evenness: Floats
    drift: Floats

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        for one in fields(self):
            getattr(self, one.name).flags.writeable = False

    @property
    def confused_share(self) -> Floats:
        """Confused nodes ÷ nodes of the layer."""
        return np.asarray(self.confused / self.n_nodes, dtype=np.float64)


def skew_measures(
    tree: AbstractTree, minor: Any, vectors: npt.ArrayLike, *, memberships: npt.ArrayLike | None = None
) -> SkewMeasures:
    """Measure, layer by layer, what a tree does to the minor leaves.

    With x the unit vectors, ℓ(a) the leaves below node a and M the minor leaves, over the layer's nodes a that have
    minor leaves: noise = 1 − |∪ ℓ(a) ∩ M| ÷ |∪ ℓ(a)|, drift = Σ |ℓ(a) ∩ M|·‖mean x(ℓ(a)) − mean x(ℓ(a) ∩ M)‖ ÷
    Σ |ℓ(a) ∩ M|. Over all k nodes of the layer, with p the shares |ℓ(a)| ÷ Σ |ℓ(b)|: evenness = −Σ p ln p ÷ ln k.

    Parameters
    ----------
    tree : AbstractTree
    minor : array_like of int, or mask of shape (n_leaves,)
        The minor leaves.
    vectors : array_like, shape (n_leaves, d)
        Of the leaves; scaled to unit rows.
    memberships : array_like, shape (p, 2), int, optional
        Soft (child, parent) pairs, as from `gmm_memberships`, in place of the tree's edges. A leaf that lies below a
        node by two ways counts there once.

    Returns
    -------
    SkewMeasures

    Raises
    ------
    PsiragError
        Not a tree, unknown leaves, another number of vectors, or pairs that do not join neighbouring layers.

    Source: Ψ-RAG §4.2; the exact definitions are ours. Evenness: Pielou, 1966, doi:10.1016/0022-5193(66)90013-0.

    Examples
    --------
    >>> tree = AbstractTree.from_parents([4, 4, 5, 5, 6, 6, -1], n_leaves=4)
    >>> found = skew_measures(tree, [3], np.eye(4))
    >>> found.confused.tolist(), found.noise.tolist(), found.evenness.tolist()
    ([1], [0.5], [1.0])
    """
    flags, below, pairs = _opened(tree, minor, memberships)
    rows = unit_rows(vectors).astype(np.float64)
    if len(rows) != tree.n_leaves:
        raise PsiragError(f"vectors must have {tree.n_leaves} rows", str(len(rows)), "Pass one row per leaf.")
    confused = tree.layer[_confused(flags, below, pairs)]
    inner = below[1 : tree.depth]
    return SkewMeasures(
        layer=np.arange(1, tree.depth),
        n_nodes=np.array([one.shape[0] for one in inner], dtype=np.int64),
        confused=np.bincount(confused, minlength=tree.depth)[1 : tree.depth],
        noise=np.array([_noise(one, flags) for one in inner]),
        evenness=np.array([_evenness(one) for one in inner]),
        drift=np.array([_drift(one, flags, rows) for one in inner]),
    )


def confused_nodes(tree: AbstractTree, minor: Any, *, memberships: npt.ArrayLike | None = None) -> Ints:
    """Return the abstract nodes with no minor leaf below that have a parent with one, ascending.

    Parameters
    ----------
    tree : AbstractTree
        Any tree.
    minor : array_like of int, or mask of shape (n_leaves,)
        The minor leaves.
    memberships : array_like, shape (p, 2), int, optional
        As in `skew_measures`.

    Source: Ψ-RAG §4.2, D.2 (confused nodes).

    Examples
    --------
    >>> confused_nodes(AbstractTree.from_parents([4, 4, 5, 5, 6, 6, -1], n_leaves=4), [3]).tolist()
    [4]
    """
    return _confused(*_opened(tree, minor, memberships))


def _opened(tree: AbstractTree, minor: Any, memberships: npt.ArrayLike | None) -> tuple[Mask, list[Any], Ints]:
    """Return the minor leaves as a mask, per layer which leaves (columns) lie below its nodes (rows), and the edges."""
    from scipy.sparse import csr_array, eye_array

    if not isinstance(tree, AbstractTree):
        raise PsiragError("the measures need an AbstractTree", f"a {type(tree).__name__}", "Build a tree first.")
    flags = node_flags("minor", minor, tree.n_leaves)
    pairs = np.column_stack([np.arange(tree.root), tree.parent[:-1]])
    if memberships is not None:
        pairs = _checked_pairs(memberships, tree)
    below = [csr_array(eye_array(tree.n_leaves, dtype=np.int64))]
    for layer in range(1, tree.depth + 1):
        nodes, children = tree.layer_nodes(layer), tree.layer_nodes(layer - 1)
        child, parent = pairs[tree.layer[pairs[:, 1]] == layer].T
        shape, places = (len(nodes), len(children)), (parent - nodes.start, child - children.start)
        step = csr_array((np.ones(len(child), dtype=np.int64), places), shape=shape)
        below.append((step @ below[-1]).astype(bool).astype(np.int64))
    return flags, below, pairs


def _checked_pairs(memberships: npt.ArrayLike, tree: AbstractTree) -> Ints:
    """Return (child, parent) pairs that join each layer to the next."""
    pairs = np.asarray(memberships)
    numbers = pairs.ndim == 2 and pairs.shape[1] == 2 and pairs.dtype.kind in "iu"
    known = numbers and (pairs.size == 0 or (pairs.min() >= 0 and pairs.max() < tree.n_nodes))
    if not known or np.any(tree.layer[pairs[:, 1]] != tree.layer[pairs[:, 0]] + 1):
        given = f"an array of shape {pairs.shape} and dtype {pairs.dtype}" if not known else "pairs that skip a layer"
        raise PsiragError("memberships must be (child, parent) pairs of nodes", given, "Pass gmm_memberships(…).")
    return pairs.astype(np.int64)


def _confused(flags: Mask, below: list[Any], pairs: Ints) -> Ints:
    """Return the abstract nodes without a minor leaf below that have a parent with one."""
    holds = np.concatenate([one @ flags > 0 for one in below])
    child, parent = pairs.T
    return np.unique(child[~holds[child] & holds[parent] & (child >= len(flags))])


def _noise(below: Any, flags: Mask) -> float:
    """Return the share of major leaves among all leaves below the nodes that have a minor one."""
    reached = (below @ flags > 0) @ below > 0
    return float(1 - flags.sum() / reached.sum()) if flags.any() else float("nan")


def _evenness(below: Any) -> float:
    """Return the entropy of the nodes' shares of the leaves, divided by its maximum."""
    sizes = below.sum(axis=1)
    share = sizes[sizes > 0] / sizes.sum()
    return float(-(share * np.log(share)).sum() / np.log(len(sizes))) if len(sizes) > 1 else float("nan")


def _drift(below: Any, flags: Mask, rows: Floats) -> float:
    """Return the distance from the mean of a node's minor leaves to the mean of all its leaves, per minor leaf."""
    minor = below @ flags
    holding = np.flatnonzero(minor)
    if not len(holding):
        return float("nan")
    some, weight = below[holding], minor[holding]
    means = some @ rows / some.sum(axis=1)[:, None]
    minor_means = some @ (rows * flags[:, None]) / weight[:, None]
    return float(weight @ np.linalg.norm(means - minor_means, axis=1) / weight.sum())

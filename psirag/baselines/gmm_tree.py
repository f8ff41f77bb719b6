"""RAPTOR's tree: layer by layer, clusters of clusters by UMAP and Gaussian mixtures, made to fit Ψ's data structure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from psirag.baselines.mixture import SEARCHES, mixture_probabilities, reduce_dimensions
from psirag.checks import check_choice, check_count
from psirag.errors import PsiragError
from psirag.tree import AbstractTree
from psirag.vectors import Floats, Ints, Vectors, unit_rows

_THRESHOLD = 0.1
_MAX_CLUSTERS = 50
_LOCAL_NEIGHBOURS = 10
_LARGEST_SHARE = 2 / 3  # a layer that keeps more of its nodes than this is closed with one parent


@dataclass(frozen=True)
class GmmLayer:
    """How one layer was clustered: nodes in it, global clusters, clusters in all, and why it was closed ("" if not)."""

    n_nodes: int
    n_global: int
    n_clusters: int
    closed: str


@dataclass(frozen=True, eq=False)
class GmmClustering:
    """A GMM tree with what was found on the way.

    Parameters
    ----------
    tree : AbstractTree
        Each node below its most probable cluster.
    memberships : ndarray, shape (p, 2), int64
        Soft (child, parent) pairs in the numbering of the tree, ascending; every edge of the tree is one of them.
    layers : tuple of GmmLayer
        From the leaves up.
    seed : int
        Of every UMAP and every mixture.
    """

    tree: AbstractTree
    memberships: Ints
    layers: tuple[GmmLayer, ...]
    seed: int


@dataclass(frozen=True)
class _Settings:
    """The keyword arguments of `gmm_clustering`, checked."""

    seed: int
    reduction: int
    max_children: int | None
    search: str


def gmm_tree(
    vectors: npt.ArrayLike, *, seed: int, reduction: int = 10, max_children: int | None = 40, search: str = "quick"
) -> AbstractTree:
    """Build RAPTOR's tree from the vectors of the chunks, with one parent for every node.

    Parameters
    ----------
    vectors, seed, reduction, max_children, search
        As in `gmm_clustering`, which also returns the soft memberships and a record of every layer.

    Returns
    -------
    AbstractTree
        The same for the same seed on one machine; nodes with a single child may occur.

    Raises
    ------
    PsiragError
        No row, rows that are not finite, a wrong setting, or no umap-learn.

    Source: RAPTOR §3 (arXiv:2401.18059); Ψ-RAG §4.1, §4.2.

    Examples
    --------
    >>> gmm_tree([[1, 0], [0.9, 0.1], [0, 1], [0.6, 0.7]], seed=0)
    AbstractTree(4 leaves, 1 abstract nodes, depth 1)
    """
    return gmm_clustering(vectors, seed=seed, reduction=reduction, max_children=max_children, search=search).tree


def gmm_memberships(
    vectors: npt.ArrayLike, *, seed: int, reduction: int = 10, max_children: int | None = 40, search: str = "quick"
) -> Ints:
    """Return RAPTOR's soft memberships: all pairs of a node and a cluster it belongs to with probability above 0.1.

    Parameters
    ----------
    vectors, seed, reduction, max_children, search
        As in `gmm_clustering`.

    Returns
    -------
    ndarray, shape (p, 2), int64, read-only
        (child, parent) pairs in the numbering of `gmm_tree` with the same arguments. They form a DAG, not a tree:
        leaves below a node are to be counted once.

    Raises
    ------
    PsiragError
        As for `gmm_tree`.

    Source: RAPTOR §3 (arXiv:2401.18059).

    Examples
    --------
    >>> gmm_memberships([[1, 0], [0.9, 0.1], [0, 1]], seed=0).tolist()
    [[0, 3], [1, 3], [2, 3]]
    """
    return gmm_clustering(vectors, seed=seed, reduction=reduction, max_children=max_children, search=search).memberships


def gmm_clustering(
    vectors: npt.ArrayLike, *, seed: int, reduction: int = 10, max_children: int | None = 40, search: str = "quick"
) -> GmmClustering:
    """Cluster chunks, then clusters, up to one root; keep the hard tree, the soft memberships and a record.

    A layer's nodes are reduced by UMAP (√(n − 1) neighbours) and split into global clusters by a Gaussian mixture whose
    size has the lowest BIC; each global cluster is reduced again from its own vectors (10 neighbours) and split into
    local clusters the same way. A node belongs to every cluster in which both probabilities exceed 0.1; in the tree, to
    the one with the largest product.

    Parameters
    ----------
    vectors : array_like, shape (n, d)
        One row per chunk, of any length.
    seed : int
        Of every UMAP and every mixture. UMAP runs on one thread, so that the seed decides.
    reduction : int, default 10
        Dimensions that UMAP leaves. Groups of at most `reduction` + 1 different rows are not clustered further.
    max_children : int or None, default 40
        A cluster with more members is cut into equal parts along its main direction, at once and only once.
    search : {"quick", "full"}
        How the size of a mixture is found, at most 50: see `psirag.baselines.mixture.best_size`.

    Notes
    -----
    Where this differs from RAPTOR's code: the vector of an upper node is the direction of the sum of all leaves below
    it (RAPTOR encodes a summary); equal rows are clustered as one, so they stay together; UMAP is seeded and
    starts from principal components, because its spectral start does not follow the seed; a layer of at
    most `reduction` + 1 different rows, of one cluster, or that would keep more than two thirds of its nodes is closed
    with one root (or, where that would have too many children, cut), and the record says why; a cluster that is too
    large is cut by size, never clustered again; there is no limit on the number of layers.

    Source: RAPTOR §3 (arXiv:2401.18059); Ψ-RAG §4.2.

    Examples
    --------
    >>> found = gmm_clustering([[1, 0], [0.9, 0.1], [0, 1], [0.6, 0.7]], seed=0)
    >>> found.layers[0].closed
    '4 different rows, at most 11'
    """
    given = _Settings(
        seed=check_count("seed", seed, minimum=0),
        reduction=check_count("reduction", reduction),
        max_children=None if max_children is None else check_count("max_children", max_children, minimum=3),
        search=check_choice("search", search, SEARCHES),
    )
    rows = unit_rows(vectors)
    if len(rows) == 0:
        raise PsiragError("a tree needs at least one vector", f"an array of shape {rows.shape}", "Add a chunk.")
    return _layer_by_layer(rows, given)


def _layer_by_layer(rows: Vectors, given: _Settings) -> GmmClustering:
    """Cluster the leaves, then their clusters, until one node is left; number the nodes as the tree does."""
    parents: list[Ints] = []
    pairs: list[Ints] = []
    layers: list[GmmLayer] = []
    sums, offset = rows.astype(np.float64), 0
    while len(sums) > 1:
        probabilities, layer = _cluster_layer(_directions(sums), given)
        hard, n = probabilities.argmax(axis=1), len(sums)
        parents.append(offset + n + hard)
        child, cluster = np.nonzero(probabilities)
        pairs.append(np.column_stack([offset + child, offset + n + cluster]))
        layers.append(layer)
        above = np.zeros((probabilities.shape[1], sums.shape[1]))
        np.add.at(above, hard, sums)
        sums, offset = above, offset + n
    parent = np.concatenate([*parents, [-1]])
    tree = AbstractTree.from_parents(parent, len(rows))
    number = _numbers_in(tree, parent, len(rows))
    soft = number[np.concatenate(pairs)] if pairs else np.empty((0, 2), dtype=np.int64)
    soft = soft[np.lexsort((soft[:, 1], soft[:, 0]))]
    soft.flags.writeable = False
    return GmmClustering(tree, soft, tuple(layers), given.seed)


def _directions(sums: Floats) -> Vectors:
    """Return unit rows; a sum of nothing keeps no direction."""
    length = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.asarray(sums / np.where(length > 0, length, 1.0), dtype=np.float32)


def _numbers_in(tree: AbstractTree, parent: Ints, n_leaves: int) -> Ints:
    """Return each node's number in the tree, from its number by creation, following the leaves upwards."""
    number = np.arange(len(parent))
    ours = theirs = np.arange(n_leaves)
    while ours[0] != len(parent) - 1:
        ours, theirs = parent[ours], tree.parent[theirs]
        number[ours] = theirs
    return number


def _cluster_layer(rows: Vectors, given: _Settings) -> tuple[Floats, GmmLayer]:
    """Return memberships (n, k) of one layer's nodes, 0 where a node is no member, and how they came about."""
    n, n_global, closed = len(rows), 1, ""
    different, which = _different(rows)
    if len(different) <= given.reduction + 1:
        closed = f"{len(different)} different rows, at most {given.reduction + 1}"
    else:
        clusters, n_global = _global_then_local(different, given)
        members = _without_empty(_cut_large(rows, clusters[which], given.max_children))
        k = members.shape[1]
        if k == 1:
            closed = "one cluster"
        elif k > _LARGEST_SHARE * n:
            closed = f"{k} clusters of {n} nodes, more than two thirds"
    if closed:
        members = _cut_large(rows, np.ones((n, 1)), given.max_children)
    return members, GmmLayer(n, n_global, members.shape[1], closed)


def _different(rows: Vectors) -> tuple[Vectors, Ints]:
    """Return the different rows by first occurrence, and which of them each row equals."""
    _, first, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rows[first[order]], rank[inverse.ravel()]


def _global_then_local(rows: Vectors, given: _Settings) -> tuple[Floats, int]:
    """Return memberships in the local clusters of the global clusters, and how many global ones there are."""
    overall = _mixture(rows, given, neighbours=int((len(rows) - 1) ** 0.5))
    columns = []
    for cluster in range(overall.shape[1]):
        members = np.flatnonzero(overall[:, cluster])
        within = _mixture(rows[members], given, neighbours=_LOCAL_NEIGHBOURS)
        part = np.zeros((len(rows), within.shape[1]))
        part[members] = overall[members, cluster][:, None] * within
        columns.append(part)
    return np.concatenate(columns, axis=1), overall.shape[1]


def _mixture(rows: Vectors, given: _Settings, neighbours: int) -> Floats:
    """Return the probabilities above the threshold, and each row's largest; a small group is one cluster."""
    if len(rows) <= given.reduction + 1:
        return np.ones((len(rows), 1))
    points = reduce_dimensions(rows, dimensions=given.reduction, neighbours=neighbours, seed=given.seed)
    found = mixture_probabilities(points, seed=given.seed, max_clusters=_MAX_CLUSTERS, search=given.search)
    largest = np.arange(found.shape[1]) == found.argmax(axis=1)[:, None]
    return np.where((found > _THRESHOLD) | largest, found, 0.0)


def _cut_large(rows: Vectors, members: Floats, limit: int | None) -> Floats:
    """Cut clusters with more hard members than the limit; their other members go to the most similar part."""
    hard = members.argmax(axis=1)
    columns = []
    for cluster in range(members.shape[1]):
        inside = np.flatnonzero(hard == cluster)
        if limit is None or len(inside) <= limit:
            columns.append(members[:, [cluster]])
            continue
        centred = rows[inside] - rows[inside].mean(axis=0)
        along = centred @ np.linalg.svd(centred, full_matrices=False)[2][0]
        parts = np.array_split(inside[np.argsort(along, kind="stable")], -(-len(inside) // limit))
        part = (rows @ np.stack([rows[one].sum(axis=0) for one in parts]).T).argmax(axis=1)
        for i, one in enumerate(parts):
            part[one] = i
        columns.append(np.where(part[:, None] == np.arange(len(parts)), members[:, [cluster]], 0.0))
    return np.concatenate(columns, axis=1)


def _without_empty(members: Floats) -> Floats:
    """Drop clusters that are nobody's most probable one: in the tree they would have no child."""
    return members[:, np.unique(members.argmax(axis=1))]

"""Tree retrieval, Algorithm 2: from the root down, keep the most similar candidates of each layer."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from psirag.retrieval.ranking import best_of_each_query, cosines
from psirag.retrieval.trace import LayerTrace, Ranking
from psirag.tree import AbstractTree
from psirag.vectors import Floats, Ints, Mask, Vectors


@dataclass(frozen=True)
class Descent:
    """One query's way down: the ranked leaves, and the layers passed, root first.

    `nodes_scored` counts the cosines of the scored layers.

    Notes
    -----
    Source: Ψ-RAG Appendix A, Algorithm 2.
    """

    leaves: Ranking
    layers: tuple[LayerTrace, ...]
    nodes_scored: int


@dataclass(frozen=True)
class _Layer:
    """One layer of all queries at once: flat arrays of (query, node) pairs, and positions of those kept."""

    number: int
    query: Ints
    node: Ints
    scores: Floats
    scored: Mask  # by query
    kept: npt.NDArray[np.intp]


def retrieve_from_tree(
    tree: AbstractTree, vectors: Vectors, queries: Vectors, k: int, *, beam: int,
    allowed: Mask | None = None, same_text: Ints | None = None, start: int | None = None,
) -> list[Descent]:  # fmt: skip
    """Descend from the root for every query: `beam` candidates go on at each layer, `k` leaves are returned.

    At most `beam` candidates pass whole, unscored; of more, the `beam` with the largest cosine pass. Their children
    are the next candidates. Leaves are always scored. Ties: the lower node number first.

    Parameters
    ----------
    tree : AbstractTree
    vectors : ndarray, shape (n_nodes, d), float32
        Unit rows, one a node.
    queries : ndarray, shape (q, d), float32
        Unit rows.
    k, beam : int
        Leaves returned, and candidates that pass a layer.
    allowed : ndarray, shape (n_nodes,), bool, optional
        Nodes that may be candidates; see `nodes_with_allowed_leaves`.
    same_text : ndarray, shape (n_leaves,), int64, optional
        A group number for every leaf; of a group only the best leaf is returned.
    start : int, optional
        The node to descend from, in place of the root.

    Returns
    -------
    list of Descent
        One a query; a query gets the same bits alone and in a batch.

    Notes
    -----
    Source: Ψ-RAG Appendix A, Algorithm 2 (which tests the size of the whole layer; here the candidates count).

    Examples
    --------
    >>> import numpy as np
    >>> from psirag.tree import AbstractTree
    >>> tree = AbstractTree.from_parents(np.array([4, 4, 5, 5, 6, 6, -1]), 4)
    >>> x = np.eye(4, dtype=np.float32)
    >>> vectors = np.vstack([x, (x[:2].sum(0), x[2:].sum(0)) / np.float32(2**0.5), np.full((1, 4), 0.5, np.float32)])
    >>> descent, = retrieve_from_tree(tree, vectors, x[2:3], 1, beam=1)
    >>> descent.leaves.nodes.tolist(), descent.nodes_scored
    ([2], 4)
    """
    start = tree.root if start is None else start
    query, node = np.arange(len(queries), dtype=np.int64), np.full(len(queries), start, dtype=np.int64)
    if allowed is not None:
        query, node = query[allowed[node]], node[allowed[node]]
    layers = []
    for number in range(int(tree.layer[start]), -1, -1):
        layer = _pass_layer(number, query, node, vectors, queries, k if number == 0 else beam, same_text)
        layers.append(layer)
        if number > 0:
            query, node = _children(tree, layer.query[layer.kept], layer.node[layer.kept], allowed)
    traces = zip(*(_traces(layer, len(queries)) for layer in layers), strict=True)
    return [_descent(layers[-1], trace, i) for i, trace in enumerate(traces)]


def nodes_with_allowed_leaves(tree: AbstractTree, leaves: Mask) -> Mask:
    """Return, for every node, whether one of the marked leaves lies below it."""
    allowed = np.zeros(tree.n_nodes, dtype=bool)
    allowed[: tree.n_leaves] = leaves
    for number in range(tree.depth):
        nodes = np.asarray(tree.layer_nodes(number))
        allowed[tree.parent[nodes[allowed[nodes]]]] = True
    return allowed


def _pass_layer(
    number: int, query: Ints, node: Ints, vectors: Vectors, queries: Vectors, limit: int, same_text: Ints | None
) -> _Layer:
    """Score the candidates of the queries that have more than `limit` (at the leaves, of all); keep the best."""
    scored = (np.bincount(query, minlength=len(queries)) > limit) | (number == 0)
    pairs = np.flatnonzero(scored[query])
    scores = np.full(len(node), np.nan)
    scores[pairs] = cosines(queries, vectors, query[pairs], node[pairs])
    groups = same_text if number == 0 else None
    best = pairs[best_of_each_query(query[pairs], node[pairs], scores[pairs], limit, same_text=groups)]
    kept = np.r_[best, np.flatnonzero(~scored[query])]
    kept = kept[np.argsort(query[kept], kind="stable")]
    return _Layer(number, query, node, scores, scored, kept)


def _children(tree: AbstractTree, query: Ints, node: Ints, allowed: Mask | None) -> tuple[Ints, Ints]:
    """Return the children of (query, node) pairs as pairs, query ascending, then node ascending."""
    start, count = tree.child_start[node], tree.child_start[node + 1] - tree.child_start[node]
    ends = np.cumsum(count)
    position = np.arange(ends[-1] if len(ends) else 0) + np.repeat(start - (ends - count), count)
    children, owner = tree.child_list[position], np.repeat(query, count)
    if allowed is not None:
        children, owner = children[allowed[children]], owner[allowed[children]]
    order = np.lexsort((children, owner))
    return owner[order], children[order]


def _traces(layer: _Layer, n_queries: int) -> list[LayerTrace]:
    """Cut one layer's flat arrays into one trace a query."""
    kept_node, kept_query = layer.node[layer.kept], layer.query[layer.kept]
    for array in (layer.node, layer.scores, kept_node):
        array.flags.writeable = False
    numbers = np.arange(n_queries + 1)
    at, kept_at = np.searchsorted(layer.query, numbers).tolist(), np.searchsorted(kept_query, numbers).tolist()
    return [
        LayerTrace(layer.number, layer.node[a:b], layer.scores[a:b], kept_node[c:d], scored)
        for scored, (a, b), (c, d) in zip(layer.scored.tolist(), pairwise(at), pairwise(kept_at), strict=True)
    ]


def _descent(leaves: _Layer, layers: tuple[LayerTrace, ...], number: int) -> Descent:
    """Gather one query's result: the kept leaves with their scores, and the count of cosines."""
    low, high = np.searchsorted(leaves.query[leaves.kept], (number, number + 1))
    scored = sum(len(layer.candidates) for layer in layers if layer.scored)
    return Descent(Ranking.read_only(layers[-1].kept, leaves.scores[leaves.kept[low:high]]), layers, scored)

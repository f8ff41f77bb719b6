"""Rebalancing: an abstract node with too many children is halved, until none is too large."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

import numpy as np

from psirag.checks import check_count
from psirag.tree.abstract_tree import AbstractTree
from psirag.tree.renumbering import from_layer_labels
from psirag.vectors import Ints


def check_max_children(max_children: int | None) -> int | None:
    """Return the limit, None for no limit; below 3 is an error, because half of three children is one child."""
    return None if max_children is None else check_count("max_children", max_children, minimum=3)


def rebalance(tree: AbstractTree, u: Ints, v: Ints, max_children: int | None) -> AbstractTree:
    """Split every abstract node with more than `max_children` children into halves that stay siblings.

    Parameters
    ----------
    tree : AbstractTree
        The tree as merging and collapse left it.
    u, v : ndarray, shape (n − 1,), int64
        The accepted pairs in order, u < v: `.u` and `.v` of `spanning_tree(vectors)` or of `index.pairs`. Replaying
        them puts the children of a node in order before it is halved.
    max_children : int or None
        The limit, at least 3; a node exactly at the limit is not split. None leaves the tree alone.

    Notes
    -----
    From the lowest layer up, because a split adds a child to the parent. c children become ⌈c/2⌉ and ⌊c/2⌋. A root that
    is split gets a new root above it, so all leaves stay equally deep. What was joined first lies close in that order,
    but the cut goes through its middle: it may part two leaves of one pair, even identical ones.

    Source: Ψ-RAG §3.1 (rebalancing), Appendix C.2 (limit 40). The order of the children is ours.

    Examples
    --------
    >>> import numpy as np
    >>> star = AbstractTree([5, 5, 5, 5, 5, -1], [0, 0, 0, 0, 0, 1])
    >>> rebalance(star, np.zeros(4, int), np.arange(1, 5), max_children=4).parent.tolist()
    [5, 5, 5, 6, 6, 7, 7, -1]
    """
    limit = check_max_children(max_children)
    if limit is None or np.diff(tree.child_start).max() <= limit:
        return tree
    above = np.arange(tree.n_leaves)
    labels = [above]
    for _ in range(tree.depth):
        above = tree.parent[above]
        labels.append(above)
    layer = 1
    while layer < len(labels):
        labels[layer] = _split_layer(labels[layer - 1], labels[layer], u, v, limit)
        if layer == len(labels) - 1 and np.ptp(labels[layer]) > 0:
            labels.append(np.zeros(tree.n_leaves, dtype=np.int64))
        layer += 1
    return AbstractTree(*from_layer_labels(labels))


def _split_layer(child: Ints, node: Ints, u: Ints, v: Ints, limit: int) -> Ints:
    """Return the layer's node above each leaf after every node with too many children has been halved."""
    children, leaf = np.unique(child, return_index=True)
    nodes, counts = np.unique(node[leaf], return_counts=True)
    split = node.copy()
    fresh = int(node.max()) + 1
    for large in nodes[counts > limit]:
        inside = (node[u] == large) & (node[v] == large)
        ordered = _in_dendrogram_order(children[node[leaf] == large], child[u[inside]], child[v[inside]])
        for part in _halves(ordered, limit)[1:]:
            split[(node == large) & np.isin(child, part)] = fresh
            fresh += 1
    return split


def _in_dendrogram_order(children: Ints, left: Ints, right: Ints) -> list[int]:
    """Order children by replaying pairs: the lists of a pair's two children are joined, the smaller leaf's first."""
    list_of = {int(child): deque([int(child)]) for child in children}
    for a, b in zip(left.tolist(), right.tolist(), strict=True):
        first, second = list_of[a], list_of[b]
        if first is second:
            continue
        joined, moved = (first, second) if len(first) >= len(second) else (second, first)
        joined.extend(second) if joined is first else joined.extendleft(reversed(first))
        _point_to(joined, moved, list_of)
    return list(list_of[int(children[0])])


def _point_to(joined: deque[int], moved: Iterable[int], list_of: dict[int, deque[int]]) -> None:
    """Let every moved child know the list that holds it now."""
    for child in moved:
        list_of[child] = joined


def _halves(children: Sequence[int], limit: int) -> list[Sequence[int]]:
    """Cut a list into halves, ⌈c/2⌉ first, again until none is longer than the limit."""
    if len(children) <= limit:
        return [children]
    middle = (len(children) + 1) // 2
    return _halves(children[:middle], limit) + _halves(children[middle:], limit)

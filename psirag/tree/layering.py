"""The abstract tree, read off the spanning tree in rounds: layer l is what Borůvka's algorithm has joined in l rounds.

In each round every component follows its first outgoing pair in visiting order; components that meet become one.
Their leaf sets are the nodes of the next layer (affinity clustering; `psirag.theory` proves that merging and collapse
build the same tree). Each round at least halves the number of components, so the depth is at most ⌊log2 n⌋.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from psirag.tree.abstract_tree import AbstractTree
from psirag.tree.renumbering import from_layer_labels
from psirag.tree.spanning_tree import SpanningTree
from psirag.vectors import Ints


def boruvka_rounds(pairs: SpanningTree) -> list[Ints]:
    """Return, for each round, the component of every leaf.

    Parameters
    ----------
    pairs : SpanningTree
        The accepted pairs in visiting order.

    Returns
    -------
    list of depth + 1 ndarrays, each shape (n,), int64
        Entry 0 tells all leaves apart; the last is all zeros.

    Source: Bateni et al., Affinity Clustering, NeurIPS 2017; Ψ-RAG §3.1.

    Examples
    --------
    >>> import numpy as np
    >>> from psirag.tree.spanning_tree import spanning_tree
    >>> pairs = spanning_tree(np.array([[1, 0], [1, 0], [0, 1], [0, 1]], dtype=np.float32))
    >>> [labels.tolist() for labels in boruvka_rounds(pairs)]
    [[0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0]]
    """
    rounds = [np.arange(pairs.n_leaves)]
    u, v, size = pairs.u, pairs.v, pairs.n_leaves
    while size > 1:
        size, component = _follow_first_pairs(u, v, size)
        rounds.append(component[rounds[-1]])
        u, v = component[u], component[v]
        apart = u != v
        u, v = u[apart], v[apart]
    return rounds


def _follow_first_pairs(u: Ints, v: Ints, size: int) -> tuple[int, Ints]:
    """Join each of `size` components to the other end of its first pair; return the new count and components."""
    rank = np.arange(len(u))
    first = np.full(size, len(u))
    np.minimum.at(first, u, rank)
    np.minimum.at(first, v, rank)
    chosen = np.flatnonzero(np.bincount(first, minlength=len(u)))
    graph = coo_array((np.ones(len(chosen)), (u[chosen], v[chosen])), shape=(size, size))
    count, component = connected_components(graph, directed=False)
    return int(count), component.astype(np.int64)


def boruvka_layers(pairs: SpanningTree) -> AbstractTree:
    """Return the abstract tree of the accepted pairs, before rebalancing.

    Parameters
    ----------
    pairs : SpanningTree
        The accepted pairs in visiting order.

    Source: Ψ-RAG §3.1 (merging and collapse), as Borůvka's rounds.

    Examples
    --------
    >>> import numpy as np
    >>> from psirag.tree.spanning_tree import spanning_tree
    >>> boruvka_layers(spanning_tree(np.eye(5, dtype=np.float32)))
    AbstractTree(5 leaves, 1 abstract nodes, depth 1)
    """
    return AbstractTree(*from_layer_labels(boruvka_rounds(pairs)))

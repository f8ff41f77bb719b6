"""A tree handed on: networkx, Newick, SciPy's linkage matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from psirag.errors import PsiragError
from psirag.vectors import Floats

if TYPE_CHECKING:
    import networkx as nx

    from psirag.tree.abstract_tree import AbstractTree


def to_networkx(tree: AbstractTree) -> nx.DiGraph[int]:
    """Return a directed graph, parents to children, with the node attribute `layer`."""
    import networkx as nx

    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from((node, {"layer": int(layer)}) for node, layer in enumerate(tree.layer))
    graph.add_edges_from((int(parent), node) for node, parent in enumerate(tree.parent[:-1]))
    return graph


def to_newick(tree: AbstractTree) -> str:
    """Return the tree in Newick format; numbers as names, one unit of length per layer."""
    written = [str(leaf) for leaf in range(tree.n_leaves)]
    for node in range(tree.n_leaves, tree.n_nodes):
        below = ",".join(f"{written[child]}:1" for child in tree.children(node))
        written.append(f"({below}){node}")
    return written[-1] + ";"


def to_scipy_linkage(tree: AbstractTree) -> Floats:
    """Return a binary tree as an (n − 1, 4) linkage matrix: children, layer as height, leaf count."""
    counts = np.diff(tree.child_start)[tree.n_leaves :]
    wrong = tree.n_leaves + np.flatnonzero(counts != 2)
    if len(wrong):
        given = f"{counts[wrong[0] - tree.n_leaves]} children below node {wrong[0]}"
        raise PsiragError("a linkage matrix needs a binary tree", given, "Use to_networkx or to_newick.")
    pairs = tree.child_list.reshape(-1, 2)
    above = slice(tree.n_leaves, None)
    return np.column_stack([pairs, tree.layer[above], tree.leaf_counts[above]]).astype(np.float64)

"""Marked nodes of a tree as masks: from node numbers, and upwards to their ancestors."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from psirag.errors import PsiragError
from psirag.tree.abstract_tree import AbstractTree
from psirag.vectors import as_array

BoolArray = npt.NDArray[np.bool_]


def node_flags(what: str, nodes: Any, n_nodes: int) -> BoolArray:
    """Return a mask over nodes, from a mask or from node numbers.

    Examples
    --------
    >>> node_flags("minor", [0, 2], 4).tolist()
    [True, False, True, False]
    """
    array = as_array(nodes)
    if array.dtype == np.bool_ and array.shape == (n_nodes,):
        return array
    flags = np.zeros(n_nodes, dtype=bool)
    if array.size == 0 and array.dtype.kind != "O":
        return flags
    if array.ndim != 1 or array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= n_nodes:
        given = f"{nodes!r}"[:120]
        raise PsiragError(f"{what} must be node numbers below {n_nodes} or a mask", given, "Pass a list of integers.")
    flags[array] = True
    return flags


def with_ancestors(tree: AbstractTree, chosen: BoolArray) -> BoolArray:
    """Return a mask of the chosen nodes and all their ancestors; `chosen` covers the leaves or all nodes."""
    marked = np.zeros(tree.n_nodes, dtype=bool)
    marked[: len(chosen)] = chosen
    for layer in range(tree.depth):
        nodes = np.asarray(tree.layer_nodes(layer))
        marked[tree.parent[nodes[marked[nodes]]]] = True
    return marked

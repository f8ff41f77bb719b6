"""From any numbering of an equi-depth tree to the one numbering: layer by layer, by smallest leaf."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from psirag.checks import check_count
from psirag.errors import PsiragError
from psirag.vectors import Ints


def renumber(parent: npt.ArrayLike, n_leaves: int) -> tuple[Ints, Ints]:
    """Return `parent` and `layer` of the same tree in the one numbering.

    Parameters
    ----------
    parent : array_like, shape (m,), int
        Parents in any numbering whose first `n_leaves` nodes are the leaves; −1 for the root.
    n_leaves : int
        Number of leaves.
    """
    above = np.asarray(parent)
    n_leaves = check_count("n_leaves", n_leaves)
    if above.ndim != 1 or above.dtype.kind not in "iu" or len(above) < n_leaves:
        given = f"shape {above.shape}, dtype {above.dtype} and n_leaves={n_leaves}"
        raise PsiragError("parent must be a 1-d array of integers, leaves first", given, "Pass one parent per node.")
    roots = np.flatnonzero(above == -1)
    wrong = np.flatnonzero((above < -1) | (above >= len(above)) | ((above >= 0) & (above < n_leaves)))
    if len(roots) != 1 or len(wrong):
        given = f"roots {roots[:5].tolist()}"
        given += f" and parent {above[wrong[0]]} of node {wrong[0]}" if len(wrong) else ""
        raise PsiragError("parent must hold one −1 and abstract nodes", given, "A leaf is nobody's parent.")
    labels = [np.arange(n_leaves)]
    while above[labels[-1][0]] != -1:
        labels.append(above[labels[-1]])
        if np.any(labels[-1] == -1) or len(labels) > len(above):
            raise _not_equi_depth("leaves at different depths")
    if np.any(labels[-1] != labels[-1][0]):
        raise _not_equi_depth("leaves at different depths")
    used = np.concatenate([np.unique(label) for label in labels])
    if len(used) != len(above):
        missing = np.setdiff1d(np.arange(len(above)), used)
        if len(missing):
            raise PsiragError("every abstract node needs a leaf below it", f"none below node {missing[0]}", "Drop it.")
        raise _not_equi_depth("a node in two layers")
    return from_layer_labels(labels)


def _not_equi_depth(given: str) -> PsiragError:
    """Say that the leaves are not equally far from the root."""
    return PsiragError(
        "all leaves must be equally far from the root", given, "`collapse` makes a dendrogram equi-depth."
    )


def from_layer_labels(labels: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Return `parent` and `layer` of the tree whose layers are given as labels of the leaves.

    Parameters
    ----------
    labels : sequence of depth + 1 arrays, each shape (n,), int
        Entry l says, for each leaf, which layer-l node is above it; any integers. Entry 0 tells all leaves apart, the
        last entry is constant, and each entry is a coarsening of the one before.

    Examples
    --------
    >>> import numpy as np
    >>> parent, layer = from_layer_labels([np.arange(4), np.array([7, 7, 3, 3]), np.zeros(4, int)])
    >>> parent.tolist(), layer.tolist()
    ([4, 4, 5, 5, 6, 6, -1], [0, 0, 0, 0, 1, 1, 2])
    """
    parent: list[Ints] = []
    layer: list[Ints] = []
    first_leaves, offset = np.arange(len(labels[0])), 0
    for height, above in enumerate([*labels[1:], None]):
        layer.append(np.full(len(first_leaves), height))
        offset += len(first_leaves)
        if above is None:
            parent.append(np.array([-1]))
            break
        number, next_first_leaves = _by_smallest_leaf(above)
        parent.append(offset + number[first_leaves])
        first_leaves = next_first_leaves
    return np.concatenate(parent), np.concatenate(layer)


def _by_smallest_leaf(label: Ints) -> tuple[Ints, Ints]:
    """Number the labels 0, 1, … by first occurrence; return each leaf's number and each number's first leaf."""
    _, first, inverse = np.unique(label, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse], np.sort(first)

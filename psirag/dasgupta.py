"""Dasgupta's cost of an abstract tree, with three kinds of weights, without a table of least common ancestors."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
import numpy.typing as npt

from psirag.errors import PsiragError
from psirag.tree.abstract_tree import AbstractTree
from psirag.vectors import Ints, as_array

_WEIGHTS_AT_ONCE = 2**22  # weights gathered at a time, so that the root needs no second copy of the array


@overload
def dasgupta_cost(tree: AbstractTree) -> int: ...
@overload
def dasgupta_cost(tree: AbstractTree, weights: npt.ArrayLike | None) -> int | float: ...
@overload
def dasgupta_cost(tree: AbstractTree, weights: None = None, *, vectors: npt.ArrayLike) -> float: ...


def dasgupta_cost(
    tree: AbstractTree, weights: npt.ArrayLike | None = None, *, vectors: npt.ArrayLike | None = None
) -> int | float:
    """Return the sum over all pairs of leaves of their weight times the leaves under their least common ancestor.

    Parameters
    ----------
    tree : AbstractTree
        n leaves; nodes with one child are allowed and cost nothing. All its leaves are equally deep; what a tree of
        another shape costs, written as nested tuples, says `psirag.theory.definition.cost_by_definition`.
    weights : array_like, shape (n, n), integer or real, symmetric, or None
        Weight of each pair; the diagonal is not read. None stands for weight 1.
    vectors : array_like, shape (n, d), real, or None
        Rows, taken as they are, whose inner products are the weights; the (n, n) array is never made. Of an index,
        `index.vectors[: index.tree.n_leaves]`.

    Returns
    -------
    int or float
        An exact Python int for unit, boolean and integer weights, else a float.

    Raises
    ------
    PsiragError
        Not a tree; weights and vectors together; a wrong shape or dtype; NaN or infinity; asymmetric weights.

    Notes
    -----
    c(T) = Σ_{i<j} w(i, j) · |ℓ(LCA(i, j))|. With the pairs grouped by LCA, a sum over abstract nodes a with children c:

    - unit weights: Σ_a |ℓ(a)| · ½(|ℓ(a)|² − Σ_c |ℓ(c)|²), in O(nodes);
    - weights: Σ_a |ℓ(a)| · (weights between different children of a), each pair read once;
    - vectors: Σ_a |ℓ(a)| · ½(‖S_a‖² − Σ_c ‖S_c‖²), S the sum of the rows below, in O(nodes · d).

    **Which way to optimise.** With *similarities* a good tree has a low cost: similar pairs sit under small nodes. With
    *distances* the sign turns: a low cost puts distant pairs deep, so a good tree has a high cost, and that is only
    comparable among binary trees, because over all trees the star, where every pair pays n, is always the dearest. With
    unit weights the cost ignores the data. For unit rows, squared distances need no code of their own:
    cost under ‖x − y‖² = 2·dasgupta_cost(tree) − 2·dasgupta_cost(tree, vectors=X).

    Source: Ψ-RAG §4.1, Definition 4.2, equation (6); Dasgupta, 2016, doi:10.1145/2897518.2897527.

    Examples
    --------
    >>> tree = AbstractTree([4, 4, 5, 5, 6, 6, -1], [0, 0, 0, 0, 1, 1, 2])
    >>> dasgupta_cost(tree)  # two pairs pay 2, four pay 4
    20
    >>> dasgupta_cost(tree, vectors=[[1, 0], [1, 0], [0, 1], [0, 1]])  # only the two deep pairs have a weight
    4.0
    """
    if not isinstance(tree, AbstractTree):
        remedy = "Build a tree, or pass index.tree; for nested tuples call psirag.theory.definition.cost_by_definition."
        raise PsiragError("dasgupta_cost needs an AbstractTree", f"a {type(tree).__name__}", remedy)
    if weights is not None and vectors is not None:
        raise PsiragError("dasgupta_cost takes weights or vectors", "both", "Pass one of the two.")
    if weights is not None:
        return _weighted_cost(tree, _checked_weights(weights, tree.n_leaves))
    if vectors is not None:
        return _inner_product_cost(tree, _checked_vectors(vectors, tree.n_leaves))
    return _unit_cost(tree)


def _unit_cost(tree: AbstractTree) -> int:
    """Return the cost when every pair weighs 1; squares fit in int64, the total is summed in Python's integers."""
    pairs = _per_parent(tree, tree.leaf_counts**2)
    sizes = tree.leaf_counts[tree.n_leaves :]
    return sum(size * pair for size, pair in zip(sizes.tolist(), pairs.tolist(), strict=True))


def _per_parent(tree: AbstractTree, square: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return ½(square of a node − Σ squares of its children) for every abstract node."""
    if tree.n_leaves == tree.n_nodes:
        return square[:0]
    below = np.add.reduceat(square[tree.child_list], tree.child_start[tree.n_leaves : -1])
    difference = square[tree.n_leaves :] - below
    return difference // 2 if difference.dtype.kind == "i" else difference / 2


def _inner_product_cost(tree: AbstractTree, rows: npt.NDArray[Any]) -> float:
    """Return the cost under inner products; only one layer's sums of rows are held at a time."""
    square = np.empty(tree.n_nodes)
    sums = rows
    square[: tree.n_leaves] = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
    for layer in range(1, tree.depth + 1):
        nodes, below = tree.layer_nodes(layer), tree.layer_nodes(layer - 1)
        first, last = tree.child_start[nodes.start], tree.child_start[nodes.stop]
        starts = tree.child_start[nodes.start : nodes.stop] - first
        sums = np.add.reduceat(sums[tree.child_list[first:last] - below.start], starts, dtype=np.float64)
        square[nodes.start : nodes.stop] = np.einsum("ij,ij->i", sums, sums)
    return float(tree.leaf_counts[tree.n_leaves :] @ _per_parent(tree, square))


def _weighted_cost(tree: AbstractTree, weights: npt.NDArray[Any]) -> int | float:
    """Return the cost under an array of weights."""
    total: int | float = 0
    for node in range(tree.n_leaves, tree.n_nodes):
        below = [tree.leaves(int(child)) for child in tree.children(node)]
        leaves, ends = np.concatenate(below), np.cumsum([len(part) for part in below])
        across = sum(_block_sum(weights, part, leaves[end:]) for part, end in zip(below, ends, strict=True))
        total += int(tree.leaf_counts[node]) * across
    return total


def _block_sum(weights: npt.NDArray[Any], rows: Ints, columns: Ints) -> int | float:
    """Return the sum of the weights between two sets of leaves."""
    step = max(1, _WEIGHTS_AT_ONCE // max(1, len(columns)))
    parts = (weights[np.ix_(rows[start : start + step], columns)].sum() for start in range(0, len(rows), step))
    return sum(float(part) if weights.dtype.kind == "f" else int(part) for part in parts)


def _checked_weights(weights: npt.ArrayLike, n_leaves: int) -> npt.NDArray[Any]:
    """Return symmetric, finite weights; integers in a type whose sums cannot overflow."""
    array = _as_numbers(weights, "weights", "biuf")
    if array.shape != (n_leaves, n_leaves):
        raise PsiragError(f"weights must have shape ({n_leaves}, {n_leaves})", str(array.shape), "One row per leaf.")
    _check_finite(array, "weights")
    exact = array.dtype.kind != "f"
    if exact:
        largest = max((abs(int(array.max())), abs(int(array.min()))), default=0)
        array = array.astype(np.int64 if largest * n_leaves**2 < 2**63 else object)
    for i in range(n_leaves):
        row, column = array[i, i + 1 :], array[i + 1 :, i]
        same = row == column if exact else np.isclose(row, column, rtol=1e-5, atol=1e-6)
        wrong = np.flatnonzero(~same.astype(bool))
        if len(wrong):
            j = i + 1 + int(wrong[0])
            given = f"{array[i, j]} at ({i}, {j}) and {array[j, i]} at ({j}, {i})"
            raise PsiragError("weights must be symmetric", given, "Pass (W + W.T) / 2 if that is what you mean.")
    return array


def _checked_vectors(vectors: npt.ArrayLike, n_leaves: int) -> npt.NDArray[Any]:
    """Return one finite row per leaf."""
    array = _as_numbers(vectors, "vectors", "iuf")
    if array.ndim != 2 or len(array) != n_leaves or array.shape[1] == 0:
        remedy = "Pass one row per leaf: of an index, index.vectors[:index.tree.n_leaves]."
        raise PsiragError(f"vectors must have shape ({n_leaves}, d)", str(array.shape), remedy)
    _check_finite(array, "vectors")
    return array


def _as_numbers(values: npt.ArrayLike, what: str, kinds: str) -> npt.NDArray[Any]:
    """Return an array of one of the numeric kinds."""
    array = as_array(values)
    if array.dtype.kind not in kinds:
        raise PsiragError(f"{what} must be real numbers", f"dtype {array.dtype}", "Pass an array of numbers.")
    return array


def _check_finite(array: npt.NDArray[Any], what: str) -> None:
    """Raise when a row holds NaN or infinity, naming rows."""
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        rows = np.flatnonzero(~np.isfinite(array).all(axis=1))
        listed = ", ".join(map(str, rows[:10])) + (" …" if len(rows) > 10 else "")
        raise PsiragError(f"{what} must be finite", f"NaN or infinity in row(s) {listed}", "Drop or recompute them.")

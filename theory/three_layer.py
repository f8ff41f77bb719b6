"""Three-layer trees, told by the leaf counts of the root's children: their cost grouped by LCA, and one leaf moved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from psirag.vectors import Ints

from .small_trees import size_vectors

Sizes = Sequence[int]


def cost_of_sizes(sizes: Sizes) -> int:
    """Return the cost: pairs with their LCA inside a child pay its size, all other pairs pay n.

    Source: Ψ-RAG §4.1, Definition 4.2, for d = 1.

    Examples
    --------
    >>> cost_of_sizes((2, 3, 7)), cost_of_sizes((3, 3, 6))
    (650, 648)
    """
    n = sum(sizes)
    inside = [size * (size - 1) // 2 for size in sizes]
    return sum(pairs * size for pairs, size in zip(inside, sizes, strict=True)) + (n * (n - 1) // 2 - sum(inside)) * n


def moved(sizes: Sizes, source: int, target: int) -> tuple[int, ...]:
    """Return the leaf counts after one leaf has moved from child ``source`` to child ``target``."""
    change = {source: -1, target: 1}
    return tuple(size + change.get(i, 0) for i, size in enumerate(sizes))


def costs_of_sizes(sizes: Ints) -> Ints:
    """Return the cost of each row of leaf counts (zeros are absent children); exact below n = 2,000,000.

    Parameters
    ----------
    sizes : ndarray, shape (cases, k), int64
    """
    n = sizes.sum(axis=1)
    inside = sizes * (sizes - 1) // 2
    total: Ints = (inside * sizes).sum(axis=1) + (n * (n - 1) // 2 - inside.sum(axis=1)) * n
    return total


def minor_cases(branches: int, below: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield (ascending sizes, j) with 2 ≤ n_0 < every other size and n < ``below``, for each different donor j."""
    for total in range(2 + 3 * (branches - 1), below):
        for sizes in size_vectors(total, 2, branches):
            if sizes[0] < sizes[1]:
                for j in range(1, branches):
                    if sizes[j] != sizes[j - 1] or j == 1:
                        yield sizes, j


def random_moves(rng: np.random.Generator, cases: int, largest: int) -> tuple[Ints, Ints]:
    """Return random leaf counts of 3 to 8 children (zeros for absent ones), and those after one move.

    Returns
    -------
    before, after : ndarray, shape (cases, 8), int64
        Child 1 gives a leaf to child 0; no order among sizes is asked for.
    """
    before = rng.integers(1, largest, size=(cases, 8), endpoint=True)
    before[np.arange(8) >= rng.integers(3, 8, size=cases, endpoint=True)[:, None]] = 0
    after = before.copy()
    after[:, 0] += 1
    after[:, 1] -= 1
    return before, after

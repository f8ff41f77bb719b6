"""All small trees of a kind, and random large ones, as nested tuples; no abstract node has just one child."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from itertools import combinations, product
from typing import Any

from .definition import Nested, height


def partitions(items: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield every way to part the items into blocks."""
    if not items:
        yield ()
        return
    first, rest = items[0], items[1:]
    for size in range(len(items)):
        for others in combinations(rest, size):
            left = tuple(item for item in rest if item not in others)
            for blocks in partitions(left):
                yield ((first, *others), *blocks)


@cache
def all_trees(leaves: tuple[int, ...]) -> tuple[Nested, ...]:
    """Return all trees on the given labelled leaves: 1, 1, 4, 26, 236, 2752 for 1 … 6 leaves.

    Source: OEIS A000311.

    Examples
    --------
    >>> [len(all_trees(tuple(range(n)))) for n in range(1, 6)]
    [1, 1, 4, 26, 236]
    """
    if len(leaves) == 1:
        return leaves
    return tuple(
        children
        for blocks in partitions(leaves)
        if len(blocks) > 1
        for children in product(*(all_trees(block) for block in blocks))
    )


@cache
def binary_trees(leaves: tuple[int, ...]) -> tuple[Nested, ...]:
    """Return all binary trees on the given labelled leaves: 1, 1, 3, 15, 105, 945, 10395 for 1 … 7 leaves.

    Source: OEIS A001147.

    Examples
    --------
    >>> [len(binary_trees(tuple(range(n)))) for n in range(1, 7)]
    [1, 1, 3, 15, 105, 945]
    """
    if len(leaves) == 1:
        return leaves
    return tuple(
        (left, right)
        for blocks in partitions(leaves)
        if len(blocks) == 2
        for left in binary_trees(blocks[0])
        for right in binary_trees(blocks[1])
    )


def equi_depth_trees(leaves: tuple[int, ...]) -> tuple[Nested, ...]:
    """Return all equi-depth trees on the given labelled leaves: 1, 1, 1, 4, 11, 41, 162 for 1 … 7 leaves."""
    return tuple(tree for deep in range(len(leaves).bit_length()) for tree in _of_height(leaves, deep))


@cache
def _of_height(leaves: tuple[int, ...], deep: int) -> tuple[Nested, ...]:
    """Return the equi-depth trees of one height."""
    if deep == 0:
        return leaves if len(leaves) == 1 else ()
    return tuple(
        children
        for blocks in partitions(leaves)
        if len(blocks) > 1
        for children in product(*(_of_height(block, deep - 1) for block in blocks))
    )


@cache
def equi_depth_shapes(n_leaves: int, deep: int) -> tuple[Any, ...]:
    """Return the shapes of equi-depth trees, children in ascending order; a node over leaves is their number.

    Examples
    --------
    >>> equi_depth_shapes(7, 2)
    ((2, 5), (3, 4), (2, 2, 3))
    """
    if deep <= 1:
        return (n_leaves,) if (n_leaves == 1) == (deep == 0) else ()
    found: list[Any] = []
    for sizes in size_vectors(n_leaves, 2 ** (deep - 1)):
        choices = product(*(equi_depth_shapes(size, deep - 1) for size in sizes))
        found += sorted({tuple(sorted(shape, key=str)) for shape in choices}, key=str)
    return tuple(found)


def size_vectors(total: int, smallest: int, branches: int | None = None) -> Iterator[tuple[int, ...]]:
    """Yield the ascending tuples of two or more numbers, none below ``smallest``, that add up to ``total``."""
    for count in (branches,) if branches else range(2, total // smallest + 1):
        yield from _ascending(total, smallest, count)


def _ascending(total: int, smallest: int, count: int) -> Iterator[tuple[int, ...]]:
    """Yield the ascending tuples of ``count`` numbers that add up to ``total``."""
    if count == 1:
        yield (total,)
        return
    for first in range(smallest, total // count + 1):
        for rest in _ascending(total - first, first, count - 1):
            yield (first, *rest)


def from_sizes(shape: Any) -> Nested:
    """Return a tree with the given shape; a number stands for a node over so many leaves (all labelled 0)."""
    if isinstance(shape, int):
        return (0,) * shape
    return tuple(from_sizes(child) for child in shape)


def random_tree(rng: random.Random, n_leaves: int) -> Nested:
    """Return a random tree on the leaves 0 … n−1, made by joining two to four random roots at a time."""
    forest: list[Nested] = list(range(n_leaves))
    while len(forest) > 1:
        rng.shuffle(forest)
        joined = min(len(forest), rng.choice((2, 2, 2, 3, 4)))
        forest = [tuple(forest[:joined]), *forest[joined:]]
    return forest[0]


def random_equi_depth_tree(rng: random.Random, deep: int, most: int = 4) -> Nested:
    """Return a random equi-depth tree of the given height with 2 … ``most`` children per node (leaves labelled 0)."""
    if deep == 0:
        return 0
    return tuple(random_equi_depth_tree(rng, deep - 1, most) for _ in range(rng.randint(2, most)))


def random_binary_tree(rng: random.Random, n_leaves: int) -> Nested:
    """Return a random binary tree on the leaves 0 … n−1."""
    forest: list[Nested] = list(range(n_leaves))
    while len(forest) > 1:
        rng.shuffle(forest)
        forest = [(forest[0], forest[1]), *forest[2:]]
    return forest[0]


def psi_images(tree: Nested) -> frozenset[Nested]:
    """Return every equi-depth tree that collapsing a binary dendrogram can give, over all choices of receivers.

    The lower root may go under any node of the deeper side whose height is one more; a witness pair settles which.
    Trees come in a canonical order of children (by smallest leaf), so that equal trees are equal.

    Source: Ψ-RAG Appendix B.2, Lemma B.2.

    Examples
    --------
    >>> sorted(psi_images((((0, 1), (2, 4)), 3)))
    [((0, 1), (2, 3, 4)), ((0, 1, 3), (2, 4))]
    """
    if isinstance(tree, int):
        return frozenset({tree})
    left, right = tree
    return frozenset(image for a, b in product(psi_images(left), psi_images(right)) for image in _collapsed(a, b))


def _collapsed(a: Nested, b: Nested) -> Iterator[Nested]:
    """Yield the trees that joining two equi-depth trees can give."""
    low, high = sorted((a, b), key=height)
    if height(low) == height(high):
        yield canonical((low, high))
    else:
        for tree in _attached(high, low):
            yield canonical(tree)


def _attached(high: Nested, low: Nested) -> Iterator[Nested]:
    """Yield the higher tree with the lower one under each node of the right height in turn."""
    children: tuple[Nested, ...] = () if isinstance(high, int) else high
    if height(high) == height(low) + 1:
        yield (*children, low)
        return
    for turn, child in enumerate(children):
        for grown in _attached(child, low):
            yield (*children[:turn], grown, *children[turn + 1 :])


def canonical(tree: Nested) -> Nested:
    """Return the tree with children in the order of their smallest leaf."""
    if isinstance(tree, int):
        return tree
    return tuple(sorted((canonical(child) for child in tree), key=smallest_leaf))


def smallest_leaf(tree: Nested) -> int:
    """Return the smallest leaf below."""
    return tree if isinstance(tree, int) else min(smallest_leaf(child) for child in tree)

"""Dasgupta's cost and fans straight from their definitions: root paths, common prefixes, leaves counted one by one.

Here a tree is written down as nested tuples: a leaf is its number, an abstract node the tuple of its children, so
``((0, 1), 2)`` is readable on paper. Nothing in this module knows a closed form; every check compares with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias

from psirag.errors import PsiragError

Nested: TypeAlias = "int | tuple[Nested, ...]"
Weight: TypeAlias = "Callable[[int, int], int | Fraction]"


def children_of(tree: Nested) -> tuple[Nested, ...]:
    """Return the children; a leaf has none."""
    return () if isinstance(tree, int) else tree


def leaves_of(tree: Nested) -> tuple[int, ...]:
    """Return the leaves below, from left to right."""
    if isinstance(tree, int):
        return (tree,)
    return tuple(leaf for child in tree for leaf in leaves_of(child))


def root_paths(tree: Nested, path: tuple[int, ...] = ()) -> dict[int, tuple[int, ...]]:
    """Return, per leaf, which child to take at each step from the root."""
    if isinstance(tree, int):
        return {tree: path}
    return {leaf: way for turn, child in enumerate(tree) for leaf, way in root_paths(child, (*path, turn)).items()}


def common_prefix(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """Return the path of the lowest common ancestor of two leaves."""
    length = 0
    while length < min(len(a), len(b)) and a[length] == b[length]:
        length += 1
    return a[:length]


def cost_by_definition(tree: Nested, weight: Weight | None = None) -> int | Fraction:
    """Return Σ_{x<y} w(x, y)·|ℓ(LCA(x, y))| by walking root paths and counting leaves.

    The tree is nested tuples, of any shape; an `AbstractTree`, whose leaves are equally deep, goes to `dasgupta_cost`.

    Source: Ψ-RAG §4.1, Definition 4.2, equation (6); Dasgupta 2016.

    Examples
    --------
    >>> cost_by_definition(((0, 1), 2)), cost_by_definition((0, 1, 2))
    (8, 9)
    """
    if not isinstance(tree, (int, tuple)):
        remedy = "For an AbstractTree call psirag.dasgupta_cost."
        raise PsiragError("cost_by_definition needs nested tuples, as ((0, 1), 2)", f"a {type(tree).__name__}", remedy)
    paths = root_paths(tree)
    below = Counter(path[:depth] for path in paths.values() for depth in range(len(path) + 1))
    total: int | Fraction = 0
    for x, y in combinations(sorted(paths), 2):
        total += (1 if weight is None else weight(x, y)) * below[common_prefix(paths[x], paths[y])]
    return total


def fans_by_definition(tree: Nested) -> int:
    """Return the number of leaf triples whose three pairwise LCAs are one node.

    Source: ours.

    Examples
    --------
    >>> fans_by_definition(((0, 1), 2)), fans_by_definition((0, 1, 2))
    (0, 1)
    """
    paths = root_paths(tree)
    ancestors = {(x, y): common_prefix(paths[x], paths[y]) for x, y in combinations(sorted(paths), 2)}
    triples = combinations(sorted(paths), 3)
    return sum(ancestors[x, y] == ancestors[x, z] == ancestors[y, z] for x, y, z in triples)


def height(tree: Nested) -> int:
    """Return the number of steps from the leftmost leaf up to the root (all leaves agree in an equi-depth tree)."""
    return 0 if isinstance(tree, int) else 1 + height(tree[0])


def is_binary(tree: Nested) -> bool:
    """Return whether every abstract node has exactly two children."""
    return isinstance(tree, int) or (len(tree) == 2 and all(is_binary(child) for child in tree))


def is_equi_depth(tree: Nested) -> bool:
    """Return whether all leaves are equally far from the root."""
    return len({len(path) for path in root_paths(tree).values()}) == 1


def subtree(tree: Nested, path: tuple[int, ...]) -> Nested:
    """Return the subtree that a path of child positions leads to."""
    for turn in path:
        tree = children_of(tree)[turn]
    return tree


def replaced(tree: Nested, path: tuple[int, ...], new: Nested) -> Nested:
    """Return the tree with the subtree at the path exchanged."""
    if not path:
        return new
    (turn, *rest), children = path, children_of(tree)
    return (*children[:turn], replaced(children[turn], tuple(rest), new), *children[turn + 1 :])


def abstract_paths(tree: Nested, path: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """Return the paths of all abstract nodes, the root's first."""
    if isinstance(tree, int):
        return []
    return [path, *(below for turn, child in enumerate(tree) for below in abstract_paths(child, (*path, turn)))]


def relabelled(tree: Nested, start: int = 0) -> Nested:
    """Return the tree with its leaves numbered from left to right."""
    if isinstance(tree, int):
        return start
    children: list[Nested] = []
    for child in tree:
        children.append(relabelled(child, start))
        start += len(leaves_of(child))
    return tuple(children)

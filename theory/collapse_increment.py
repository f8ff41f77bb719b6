"""Lemma B.3, Corollary B.4: what a collapse adds to the cost. False; right at a root or below binary ancestors.

**Statement** (Ψ-RAG Appendix B.2, Lemma B.3). Let a tree T_u with n′ leaves, whose parent also holds T, collapse onto
the node a of T whose branches have n_1 … n_k leaves. The cost grows by n′·Σ_{i<j} n_i n_j; for a leaf and a node a over
leaves, by C(n_a, 2). **False as stated.**

**True increment (ours).** n′·Σ over the nodes b on the path from a to T's root of e2(children of b off the path; all
for b = a).
**Proof.** By the fan lemma, count fans. Before, the root over T and T_u is binary and no fan holds a leaf of T_u and
one of T. After, a leaf of T_u is in a fan with two leaves of T exactly when those lie below two different children of
some b on the path, both off the path (at a: any two): then the three part at b. Other fans are untouched. ∎ So the
lemma holds **iff every strict ancestor of a in T has exactly two children** (or a is T's root); otherwise it is too
small. Figure 8's "unmentioned components" do change: pairs between two other children of an ancestor gain n′. Smallest
equi-depth case, with pencil and paper: ((0,1),(2,3),(4,5)) beside 6; put 6 under (0,1): 120 → 125, by 5, not by C(2,2)
= 1; the four pairs of {2,3}×{4,5} pay 7 instead of 6.

**Corollary B.4** (34), (35). n − 2 leaf collapses on a binary branch add Σ C(i, 2) = C(n, 3); K − k collapses of trees
with n′ leaves add n′·Σ_κ e2(n_1 … n_κ) with n_κ = n′ for κ > k. **Right under the same condition.**
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import chain
from math import comb

from .definition import (
    Nested,
    abstract_paths,
    children_of,
    cost_by_definition,
    height,
    leaves_of,
    relabelled,
    replaced,
    subtree,
)
from .fan_lemma import e2
from .small_trees import equi_depth_shapes, from_sizes, random_equi_depth_tree, random_tree
from .verdict import FALSE, FURTHER, HOLDS, Size, Tally, Verdict, scaled

Path = tuple[int, ...]


def sizes_below(tree: Nested, path: Path) -> list[int]:
    """Return the leaf counts of the children of the node that a path leads to."""
    return [len(leaves_of(child)) for child in children_of(subtree(tree, path))]


def lemma_increment(tree: Nested, path: Path, attached: int) -> int:
    """Return n′·Σ_{i<j} n_i n_j over the branches of the receiving node, the lemma's value.

    Source: Ψ-RAG Appendix B.2, Lemma B.3.

    Examples
    --------
    >>> lemma_increment(((0, 1), (2, 3), (4, 5)), path=(0,), attached=1)
    1
    """
    return attached * e2(sizes_below(tree, path))


def true_increment(tree: Nested, path: Path, attached: int) -> int:
    """Return n′·Σ over the path from the receiving node to the root of e2(children off the path).

    Source: ours.

    Examples
    --------
    >>> true_increment(((0, 1), (2, 3), (4, 5)), path=(0,), attached=1)
    5
    """
    total = e2(sizes_below(tree, path))
    for depth, turn in enumerate(path):
        sizes = sizes_below(tree, path[:depth])
        total += e2(sizes[:turn] + sizes[turn + 1 :])
    return attached * total


def has_binary_ancestors(tree: Nested, path: Path) -> bool:
    """Return whether every strict ancestor of the node has exactly two children."""
    return all(len(children_of(subtree(tree, path[:depth]))) == 2 for depth in range(len(path)))


def attached_under(tree: Nested, path: Path, low: Nested) -> Nested:
    """Return the tree with a further child at the node that the path leads to."""
    return replaced(tree, path, (*children_of(subtree(tree, path)), low))


def increment_by_definition(tree: Nested, path: Path, low: Nested) -> int:
    """Return the cost after the collapse minus the cost of the root over both trees, by the definition."""
    after = cost_by_definition(relabelled(attached_under(tree, path, low)))
    return int(after - cost_by_definition(relabelled((tree, low))))


def collapses(size: Size, rng: random.Random) -> Iterator[tuple[Nested, Path, Nested]]:
    """Yield (higher tree, receiving node, lower tree): small equi-depth shapes, then random ones."""
    for n in range(2, 10 if size == "small" else 13):
        for shape in (shape for deep in (1, 2, 3) for shape in equi_depth_shapes(n, deep)):
            tree = from_sizes(shape)
            for path in abstract_paths(tree):
                deep = height(subtree(tree, path)) - 1
                yield tree, path, from_sizes(equi_depth_shapes(2**deep, deep)[0]) if deep else 0
    for _ in range(scaled(size, 200)):
        tree = random_equi_depth_tree(rng, rng.randint(1, 4), most=3)
        path = rng.choice(abstract_paths(tree))
        yield tree, path, random_equi_depth_tree(rng, height(subtree(tree, path)) - 1, most=3)


def check(size: Size, seed: int) -> tuple[Verdict, ...]:
    """All small equi-depth shapes with every receiving node, random ones, and random trees of any kind."""
    rng = random.Random(seed)
    return (
        _lemma(size, rng),
        _condition(size, rng),
        _increment(size, rng),
        _corollary(size, rng),
    )


def _lemma(size: Size, rng: random.Random) -> Verdict:
    """The lemma's value as stated."""
    tally = Tally("Lemma B.3", "Ψ-RAG Appendix B.2, Lemma B.3", FALSE, "in general only a lower bound")
    for tree, path, low in collapses(size, rng):
        lemma = lemma_increment(tree, path, len(leaves_of(low)))
        true = increment_by_definition(tree, path, low)
        case = f"{relabelled((tree, low))}, attached at {path}: +{true}, not +{lemma}"
        tally.equal(len(leaves_of((tree, low))), case, lemma, true)
    return tally.verdict()


def _condition(size: Size, rng: random.Random) -> Verdict:
    """The lemma's value is right if and only if all strict ancestors are binary."""
    tally = Tally("Lemma B.3 is right iff all strict ancestors are binary", "ours", HOLDS, "otherwise too small")
    for tree, path, low in collapses(size, rng):
        gap = increment_by_definition(tree, path, low) - lemma_increment(tree, path, len(leaves_of(low)))
        holds = gap >= 0 and (gap == 0) == has_binary_ancestors(tree, path)
        tally.claim(len(leaves_of((tree, low))), (tree, path, low), holds)
    return tally.verdict()


def _increment(size: Size, rng: random.Random) -> Verdict:
    """The increment along the whole path, on equi-depth and on arbitrary trees."""
    tally = Tally("True increment: n′·Σ e2(off-path children)", "ours", HOLDS)
    any_trees = (random_tree(rng, rng.randint(2, 20)) for _ in range(scaled(size, 300)))
    arbitrary = ((tree, rng.choice(abstract_paths(tree)), (0,) * rng.randint(2, 4)) for tree in any_trees)
    for tree, path, low in chain(collapses(size, rng), arbitrary):
        true = true_increment(tree, path, len(leaves_of(low)))
        tally.equal(len(leaves_of((tree, low))), (tree, path, low), true, increment_by_definition(tree, path, low))
    return tally.verdict()


def repeated(tree: Nested, path: Path, low: Nested, times: int) -> int:
    """Return what attaching ``times`` copies one after the other adds, each step by the definition."""
    total = 0
    for _ in range(times):
        total += increment_by_definition(tree, path, low)
        tree = attached_under(tree, path, low)
    return total


def corollary_increment(branches: list[int], attached: int, times: int) -> int:
    """Return Σ_{κ=k}^{K−1} n′·e2(n_1 … n_κ), equation (35); with two leaves and n′ = 1 it is C(n, 3), equation (34).

    Source: Ψ-RAG Appendix B.2, Corollary B.4.

    Examples
    --------
    >>> corollary_increment([1, 1], attached=1, times=5), comb(7, 3)
    (35, 35)
    """
    return sum(attached * e2(branches + [attached] * done) for done in range(times))


def _corollary(size: Size, rng: random.Random) -> Verdict:
    """Stars from caterpillars, identical and different branches, at a root and inside a tree."""
    note = "hypothesis: a is the root of its tree meanwhile (or its strict ancestors are binary)"
    tally = Tally("Corollary B.4 (34), (35)", "Ψ-RAG Appendix B.2, Corollary B.4", FURTHER, note)
    for n in range(3, 9):
        tally.equal(n, f"star of {n}", repeated((0, 0), (), 0, n - 2), comb(n, 3))
        tally.equal(n, f"star of {n}", corollary_increment([1, 1], 1, n - 2), comb(n, 3))
    for tree, path, low in collapses(size, rng):
        times = rng.randint(1, 3)
        expected = corollary_increment(sizes_below(tree, path), len(leaves_of(low)), times)
        true = repeated(tree, path, low, times)
        case = f"{relabelled(tree)}, {times} times {low} at {path}: +{true}, not +{expected}"
        allowed = has_binary_ancestors(tree, path)
        tally.equal(len(leaves_of(tree)) + times * len(leaves_of(low)), case, expected, true, allowed=allowed)
    return tally.verdict()

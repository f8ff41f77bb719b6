"""The two remarks that carry Theorems 4.3 and 4.4 over to deeper trees (δ > 3): what is left of them.

A **bottom node** is an abstract node over leaves; a leaf moves from one bottom node to another; a is their LCA.

**Remark after 4.3** (Ψ-RAG Appendix B.2): the theorem generalises to deeper uniform trees. **Holds with a further
hypothesis**: every node has at least three children. *Exact (ours)*: D = p − 1 − (k − 2)·m, with p leaves per bottom
node, k children of a and m leaves under each. With k ≥ 3 and m ≥ p it is negative; a binary node on the way spoils it:
branching (3, 2, 3) from the root down, a move inside a binary node, or (2, 3, 3), a move across the root: D = +2 both
times.

**Remark after 4.4** (Ψ-RAG Appendix B.3): the same for minor clusters. **False**, also where Theorem 4.4 itself is
right: the sizes of off-path siblings enter. Bottom nodes with 2,3,4 | 3,3,3 | 3,3,3 leaves (27), a leaf from a 3 of the
second group to the 2: the cost falls by 6, though n_j = n_i + 1 and every node has three children. *Exact (ours), any
equi-depth tree*: D = C(p_i, 2) − C(p_j − 1, 2) + E_i − E_j + n_o·(n_A − 1 − n_B), where p_i, p_j are the leaf counts of
the receiving and the giving bottom node, B and A the children of a above them, n_o the leaves of a outside both, and
E_i, E_j the sums of e2(children off the path) over the nodes from above the bottom node up to B or A.
**Proof.** Fan lemma: only fans with the moved leaf change; at a node above it, it is in e2(children off its path) of
them. ∎
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, product
from math import comb, prod

from .definition import (
    Nested,
    abstract_paths,
    children_of,
    common_prefix,
    cost_by_definition,
    leaves_of,
    relabelled,
    replaced,
    subtree,
)
from .fan_lemma import e2
from .small_trees import from_sizes, random_equi_depth_tree
from .verdict import FALSE, FURTHER, HOLDS, Size, Tally, Verdict, scaled

Path = tuple[int, ...]


def bottom_paths(tree: Nested) -> list[Path]:
    """Return the paths of the bottom nodes."""
    return [path for path in abstract_paths(tree) if isinstance(subtree(tree, (*path, 0)), int)]


def leaf_moved(tree: Nested, source: Path, target: Path) -> Nested:
    """Return the tree after the last leaf of one bottom node has moved to another."""
    giving, receiving = leaves_of(subtree(tree, source)), leaves_of(subtree(tree, target))
    return replaced(replaced(tree, source, giving[:-1]), target, (*receiving, giving[-1]))


def difference_by_definition(tree: Nested, source: Path, target: Path) -> int:
    """Return c(T′) − c(T) by root paths."""
    return int(cost_by_definition(leaf_moved(tree, source, target)) - cost_by_definition(tree))


def uniform_tree(branching: Sequence[int]) -> Nested:
    """Return the tree whose nodes have branching[0] children at the root, branching[1] below, …; leaves numbered.

    Examples
    --------
    >>> uniform_tree((2, 3))
    ((0, 1, 2), (3, 4, 5))
    """
    tree: Nested = 0
    for children in reversed(branching):
        tree = (tree,) * children
    return relabelled(tree)


def uniform_difference(branching: Sequence[int], turn: int) -> int:
    """Return p − 1 − (k − 2)·m for a move between bottom nodes that part at depth ``turn``.

    Source: ours.

    Examples
    --------
    >>> uniform_difference((3, 2, 3), turn=1), uniform_difference((2, 3, 3), turn=0)
    (2, 2)
    """
    return branching[-1] - 1 - (branching[turn] - 2) * prod(branching[turn + 1 :])


def difference(tree: Nested, source: Path, target: Path) -> int:
    """Return the exact difference for any equi-depth tree.

    Source: ours.

    Examples
    --------
    >>> difference(((0, 1), (2, 3, 4), (5, 6, 7, 8, 9, 10, 11)), source=(2,), target=(0,))
    -2
    """
    above = len(common_prefix(source, target))
    giving, receiving = len(leaves_of(subtree(tree, source))), len(leaves_of(subtree(tree, target)))
    n_a, n_b = (len(leaves_of(subtree(tree, path[: above + 1]))) for path in (source, target))
    others = len(leaves_of(subtree(tree, source[:above]))) - n_a - n_b
    sides = _off_path(tree, target, above + 1) - _off_path(tree, source, above + 1)
    return comb(receiving, 2) - comb(giving - 1, 2) + sides + others * (n_a - 1 - n_b)


def _off_path(tree: Nested, path: Path, first: int) -> int:
    """Return Σ e2(children off the path) over the nodes at depths first … len(path) − 1."""
    total = 0
    for depth in range(first, len(path)):
        sizes = [len(leaves_of(child)) for child in children_of(subtree(tree, path[:depth]))]
        total += e2(sizes[: path[depth]] + sizes[path[depth] + 1 :])
    return total


def minor_trees(largest: int) -> Iterator[Nested]:
    """Yield trees with three times three bottom nodes, one of 2 leaves, the others larger, up to a total."""
    for extra in range(largest - 25):
        for places in _distributions(extra, 8):
            sizes = (2, *(3 + more for more in places))
            yield relabelled(from_sizes((sizes[:3], sizes[3:6], sizes[6:])))


def _distributions(total: int, places: int) -> Iterator[Path]:
    """Yield every way to give out ``total`` among so many places."""
    for bars in combinations(range(total + places - 1), places - 1):
        edges = (-1, *bars, total + places - 1)
        yield tuple(b - a - 1 for a, b in pairwise(edges))


def check(size: Size, seed: int) -> tuple[Verdict, ...]:
    """Uniform trees up to 40 leaves; three times three bottom nodes up to 27; random equi-depth trees of any kind."""
    rng = random.Random(seed)
    return *_uniform(size), _minor(), _any_tree(size, rng)


def _uniform(size: Size) -> tuple[Verdict, Verdict]:
    """All branchings of heights 3 and 4 with bounded products, one move at each possible LCA."""
    source = "Ψ-RAG Appendix B.2, Remark"
    remark = Tally("4.3, Remark: also for δ > 3", source, FURTHER, "hypothesis: every node has at least three children")
    exact = Tally("4.3 deeper, exact: D = p − 1 − (k − 2)·m", "ours", HOLDS, "uniform trees")
    most = {"small": 30, "default": 40, "large": 120}[size]
    for branching in (found for height in (3, 4) for found in product(range(2, 7), repeat=height)):
        tree = uniform_tree(branching) if prod(branching) <= most and branching[-1] > 2 else 0
        for turn in range(len(branching) - 1) if tree else ():
            target = (0,) * (len(branching) - 1)
            source_path = tuple(1 if at == turn else 0 for at in range(len(branching) - 1))
            true = difference_by_definition(tree, source_path, target)
            case = f"branching {branching}, parting at depth {turn}: {true:+d}"
            if branching[0] >= 3:  # as in the theorem, the root has at least three children
                remark.at_least(prod(branching), case, -true, strict=True, allowed=min(branching) >= 3)
            exact.equal(prod(branching), case, uniform_difference(branching, turn), true)
    return remark.verdict(), exact.verdict()


def _minor() -> Verdict:
    """Every move into the only smallest bottom node, all nodes with three children."""
    tally = Tally("4.4, Remark: also for δ > 3", "Ψ-RAG Appendix B.3, Remark", FALSE, "here even with n_j = n_i + 1")
    for tree in minor_trees(27):
        target, *sources = bottom_paths(tree)
        for source in sources:
            sizes = [[len(children_of(node)) for node in children_of(group)] for group in children_of(tree)]
            true = difference_by_definition(tree, source, target)
            tally.at_least(len(leaves_of(tree)), f"{sizes}, a leaf from {source} to {target}: {true:+d}", true)
    return tally.verdict()


def _any_tree(size: Size, rng: random.Random) -> Verdict:
    """Random equi-depth trees of heights 2 to 4 and random moves."""
    tally = Tally("4.4 deeper, exact: fans along both paths", "ours", HOLDS, "any equi-depth tree")
    for _ in range(scaled(size, 300)):
        tree = relabelled(random_equi_depth_tree(rng, rng.randint(2, 4), most=3))
        source, target = rng.sample(bottom_paths(tree), 2)
        true = difference_by_definition(tree, source, target)
        tally.equal(len(leaves_of(tree)), (tree, source, target), difference(tree, source, target), true)
    return tally.verdict()

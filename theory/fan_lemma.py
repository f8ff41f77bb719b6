"""The fan lemma (ours): c(T) = (n³ − n)/3 + F(T), for unit weights and any tree.

**Statement.** F(T), the number of fans, counts the leaf triples whose three pairwise LCAs are one and the same node: F
= Σ over abstract nodes of e3(leaf counts of its children), e3 the sum of products of three different ones.

**Proof.** Under LCA(x, y) are x, y and, besides, so many third leaves. Summing over the pairs, c(T) = 2·C(n, 2) + Σ
over the triples of the number of its three pairs whose LCA covers the third leaf. Draw a triple: either two of its
leaves part from the third first, xy|z, and then the pairs xz and yz count, 2; or all three part at one node, a fan, and
all 3 pairs count. So c(T) = 2·C(n, 2) + 2·C(n, 3) + F(T), and 2·C(n, 2) + 2·C(n, 3) = (n³ − n)/3. A fan picks three
children of one node and a leaf below each: e3. ∎

**What follows at once.** The clique identity; Δc = F(ψ(T)) for every collapse; B.4, 4.3 and 4.4 by counting new fans.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import combinations
from math import prod

from .definition import Nested, children_of, cost_by_definition, fans_by_definition, leaves_of
from .small_trees import all_trees, random_tree
from .verdict import HOLDS, Size, Tally, Verdict, scaled


def e2(sizes: Iterable[int]) -> int:
    """Return Σ_{i<j} s_i·s_j."""
    return sum(prod(two) for two in combinations(sizes, 2))


def e3(sizes: Iterable[int]) -> int:
    """Return Σ_{i<j<l} s_i·s_j·s_l."""
    return sum(prod(three) for three in combinations(sizes, 3))


def cost_of_binary(n: int) -> int:
    """Return (n³ − n)/3, the cost of every binary tree on n leaves.

    Source: Dasgupta 2016 (the clique identity).

    Examples
    --------
    >>> cost_of_binary(9)
    240
    """
    return (n**3 - n) // 3


def fans(tree: Nested) -> int:
    """Return Σ over abstract nodes of e3(leaf counts of the children).

    Source: ours.

    Examples
    --------
    >>> fans((0, 1, (2, 3)))
    2
    """
    children = children_of(tree)
    return e3([len(leaves_of(child)) for child in children]) + sum(fans(child) for child in children)


def cost_by_fans(tree: Nested) -> int:
    """Return (n³ − n)/3 + F(T).

    Source: ours.

    Examples
    --------
    >>> cost_by_fans((0, 1, (2, 3))), cost_by_definition((0, 1, (2, 3)))
    (22, 22)
    """
    return cost_of_binary(len(leaves_of(tree))) + fans(tree)


def check(size: Size, seed: int) -> tuple[Verdict, ...]:
    """Compare with the definition, and count fans one by one, on all trees with up to 6 leaves and random ones."""
    rng = random.Random(seed)
    lemma = Tally("Fan lemma: c(T) = (n³−n)/3 + fans", "ours", HOLDS, "fans = Σ e3(children's leaf counts)")
    most = 5 if size == "small" else 6
    for tree in (tree for n in range(1, most + 1) for tree in all_trees(tuple(range(n)))):
        lemma.equal(len(leaves_of(tree)), tree, cost_by_fans(tree), cost_by_definition(tree))
        lemma.equal(len(leaves_of(tree)), tree, fans(tree), fans_by_definition(tree))
    for _ in range(scaled(size, 200)):
        tree = random_tree(rng, rng.randint(7, 30))
        lemma.equal(len(leaves_of(tree)), tree, cost_by_fans(tree), cost_by_definition(tree))
    return (lemma.verdict(),)

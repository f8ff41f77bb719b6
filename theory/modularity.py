"""Lemma B.1: replacing a subtree by another on the same leaves changes the cost by the difference of their costs.

**Statement** (Ψ-RAG Appendix B.2, Lemma B.1; Dasgupta 2016). If T′ is T with the subtree T_a replaced by T_a′ on the
same leaves, then c(T′) = c(T) − c(T_a) + c(T_a′). **True**, for any weights. **Proof.** A pair inside T_a has its LCA,
and so its leaves, inside T_a; a pair that is not inside keeps its LCA's leaf set. ∎ (The paper's (28) sets a sum over
pairs equal to one LCA's size; read it as the size of one LCA. The cost of "T without T_a" must count leaves as T does.)
"""

from __future__ import annotations

import random
from fractions import Fraction

from .definition import Nested, abstract_paths, children_of, cost_by_definition, leaves_of, replaced, subtree
from .small_trees import all_trees, random_tree
from .verdict import HOLDS, Size, Tally, Verdict, scaled


def check(size: Size, seed: int) -> tuple[Verdict, ...]:
    """All replacements in all trees with 4 leaves (5 when large), and random ones, under signed rational weights."""
    rng = random.Random(seed)
    tally = Tally("Lemma B.1 (modularity)", "Ψ-RAG Appendix B.2, Lemma B.1", HOLDS, "any weights")
    for tree in all_trees(tuple(range(5 if size == "large" else 4))):
        for path in abstract_paths(tree):
            for other in all_trees(tuple(sorted(leaves_of(subtree(tree, path))))):
                _compare(tally, rng, tree, path, other)
    for _ in range(scaled(size, 300)):
        tree = random_tree(rng, rng.randint(6, 16))
        path = rng.choice(abstract_paths(tree))
        leaves = leaves_of(subtree(tree, path))
        _compare(tally, rng, tree, path, _with_leaves(random_tree(rng, len(leaves)), leaves))
    return (tally.verdict(),)


def _compare(tally: Tally, rng: random.Random, tree: Nested, path: tuple[int, ...], other: Nested) -> None:
    """Compare both sides for one replacement."""
    n = len(leaves_of(tree))
    weights = {(x, y): Fraction(rng.randint(-9, 9), rng.randint(1, 9)) for x in range(n) for y in range(x + 1, n)}
    costs = [
        cost_by_definition(part, lambda x, y: weights[x, y])
        for part in (replaced(tree, path, other), tree, subtree(tree, path), other)
    ]
    tally.equal(n, (tree, path, other), costs[0], costs[1] - costs[2] + costs[3])


def _with_leaves(tree: Nested, leaves: tuple[int, ...]) -> Nested:
    """Return the tree with leaf i renamed to leaves[i]."""
    if isinstance(tree, int):
        return leaves[tree]
    return tuple(_with_leaves(child, leaves) for child in children_of(tree))

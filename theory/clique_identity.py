"""The clique identity, and what the paper draws from it.

**Statement** (Dasgupta 2016; Ψ-RAG Appendix B, used in the proofs of Theorems 4.3 and 4.4). With unit weights every
binary tree on n leaves costs (n³ − n)/3. **Proof.** A node with two children has no three different ones, so F = 0 in
the fan lemma. ∎
**Converse (ours).** Only binary trees do: a node with three children makes a fan. (One-child nodes apart.)

**Statement** (Theorems 4.3 (2) and 4.4 (2), first part). c(T′) − c(T) = Δc′ − Δc, where Δc is what ψ added to the cost
of the dendrogram. **Proof.** Both dendrograms are binary on the same leaves, so both cost (n³ − n)/3. ∎ It is true for
unit weights, and then it says no more than part (1); with other weights the two dendrograms differ in cost.
"""

from __future__ import annotations

import random
from itertools import chain

from .definition import cost_by_definition, is_binary, leaves_of
from .fan_lemma import cost_of_binary, fans
from .small_trees import all_trees, binary_trees, psi_images, random_binary_tree, random_tree
from .verdict import HOLDS, Size, Tally, Verdict, scaled


def check(size: Size, seed: int) -> tuple[Verdict, ...]:
    """Try all labelled binary trees with up to 7 leaves (6 when small), all trees with up to 6 (5), and random ones."""
    rng = random.Random(seed)
    return _identity(size, rng), _converse(size, rng), _increments(size, rng)


def _identity(size: Size, rng: random.Random) -> Verdict:
    """Every binary tree costs the same."""
    tally = Tally("Clique identity: binary trees cost (n³−n)/3", "Dasgupta 2016; Ψ-RAG Appendix B", HOLDS)
    most = 6 if size == "small" else 7
    small = (tree for n in range(2, most + 1) for tree in binary_trees(tuple(range(n))))
    large = (random_binary_tree(rng, rng.randint(8, 40)) for _ in range(scaled(size, 200)))
    for tree in chain(small, large):
        n = len(leaves_of(tree))
        tally.equal(n, tree, cost_by_definition(tree), cost_of_binary(n))
    return tally.verdict()


def _converse(size: Size, rng: random.Random) -> Verdict:
    """Only binary trees cost so little."""
    tally = Tally("Clique identity, converse: only binary trees do", "ours", HOLDS)
    small = (tree for n in range(2, 6 if size == "small" else 7) for tree in all_trees(tuple(range(n))))
    large = (random_tree(rng, rng.randint(7, 25)) for _ in range(scaled(size, 100)))
    for tree in chain(small, large):
        n = len(leaves_of(tree))
        tally.claim(n, tree, (cost_by_definition(tree) == cost_of_binary(n)) == is_binary(tree))
    return tally.verdict()


def _increments(size: Size, rng: random.Random) -> Verdict:
    """The difference of two costs is the difference of the two increments."""
    note = "unit weights only; then part (2) says no more than part (1)"
    tally = Tally("4.3 (2), 4.4 (2): c(T′) − c(T) = Δc′ − Δc", "Ψ-RAG §4.1, Theorems 4.3, 4.4", HOLDS, note)
    for _ in range(scaled(size, 200)):
        n = rng.randint(3, 10)
        before, after = random_binary_tree(rng, n), random_binary_tree(rng, n)
        tree, moved = min(psi_images(before), key=str), max(psi_images(after), key=str)
        increments = [
            cost_by_definition(image) - cost_by_definition(dendrogram)
            for image, dendrogram in ((tree, before), (moved, after))
        ]
        tally.equal(n, (before, after), increments[0], fans(tree))
        difference = cost_by_definition(moved) - cost_by_definition(tree)
        tally.equal(n, (before, after), increments[1] - increments[0], difference)
    return tally.verdict()

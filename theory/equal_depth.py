"""Equi-depth after every step, and depth ≤ ⌊log2 n⌋ (ours).

**Statement.** After each step of merging and collapse, all leaves of each tree in the forest are equally deep, and
every node of height h has at least 2^h leaves; so, before rebalancing, the depth is at most ⌊log2 n⌋.
**Proof.** A root of height g becomes a child of a node of height g + 1, old or new: equal depth is kept. In an
equi-depth tree a leaf has exactly one ancestor at each height up to the root's, so the receiving node exists and is
unique. A node of height h is made over two roots of height h − 1 and only gains children: at least 2·2^(h−1) leaves. ∎
Rebalancing may add a layer: it halves nodes and splits roots.
"""

from __future__ import annotations

import random

from .definition import Nested, abstract_paths, height, is_equi_depth, leaves_of, subtree
from .exact_similarity import growing_forest, similarity_cases
from .verdict import HOLDS, Size, Tally, Verdict, scaled


def fewest_leaves_ratio(tree: Nested) -> float:
    """Return the smallest leaf count ÷ 2^height over the abstract nodes (1 for a single leaf)."""
    nodes = [subtree(tree, path) for path in abstract_paths(tree)]
    return min((len(leaves_of(node)) / 2 ** height(node) for node in nodes), default=1.0)


def check(size: Size, seed: int) -> tuple[Verdict, ...]:
    """Every tree of the forest after every step, on small and random exact matrices with ties."""
    rng = random.Random(seed)
    equal = Tally("Every tree is equi-depth after every step", "ours; Ψ-RAG §3.1", HOLDS)
    bound = Tally(
        "Depth ≤ ⌊log2 n⌋: height h has ≥ 2^h leaves", "ours", HOLDS, "before rebalancing; margin: leaves ÷ 2^h − 1"
    )
    for similarity in similarity_cases(rng, scaled(size, 200), largest=20):
        for _, roots in growing_forest(similarity):
            equal.claim(len(similarity), similarity, all(is_equi_depth(root) for root in roots))
            bound.at_least(len(similarity), similarity, min(fewest_leaves_ratio(root) for root in roots) - 1)
    return equal.verdict(), bound.verdict()

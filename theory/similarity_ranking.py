"""Algorithm 1's bound: "for rank(u, v) = 1 to n − 1". Read literally it is too early; it means accepted pairs.

**Statement** (Ψ-RAG Appendix A, Algorithm 1). The loop over the ranked pairs ends at rank n − 1. **False as stated**:
the n − 1 most similar pairs may contain a cycle and leave chunks out. n = 3 always works; n = 4 fails when the top
three pairs are a triangle, 4 of the 20 triples.
**True instead**: exactly n − 1 pairs are *accepted* (each joins two trees, so each lowers their number by one).
"""

from __future__ import annotations

import random
from itertools import combinations

from .exact_similarity import accepted_pairs, similarity_cases
from .verdict import FALSE, HOLDS, Size, Tally, Verdict, scaled


def spans(n: int, pairs: tuple[tuple[int, int], ...]) -> bool:
    """Return whether the pairs connect all of 0 … n−1."""
    reached = {0}
    for _ in range(n):
        reached |= {leaf for pair in pairs if reached.intersection(pair) for leaf in pair}
    return len(reached) == n


def check(size: Size, seed: int) -> tuple[Verdict, ...]:
    """Every set of n − 1 pairs for n ≤ 5 (each can be the top); accepted pairs on small and random matrices."""
    rng = random.Random(seed)
    source = "Ψ-RAG Appendix A, Algorithm 1"
    literal = Tally(
        "Algorithm 1: ranks 1 to n − 1 suffice", source, FALSE, "4 of the 20 triples at n = 4 are triangles"
    )
    accepted = Tally(
        "Algorithm 1: exactly n − 1 pairs are accepted", source, HOLDS, "ranks counted among accepted pairs"
    )
    for n in range(2, 6):
        for top in combinations(combinations(range(n), 2), n - 1):
            literal.claim(n, f"n = {n}, most similar pairs {top}", spans(n, top))
    for similarity in similarity_cases(rng, scaled(size, 300)):
        accepted.claim(len(similarity), similarity, len(accepted_pairs(similarity)) == len(similarity) - 1)
    return literal.verdict(), accepted.verdict()

"""Theorem 4.3: from k equal clusters, moving one leaf to another lowers the cost. True.

**Statement** (Ψ-RAG §4.1, Theorem 4.3 (1)). A three-layer tree has k ≥ 3 children with m = n/k ≥ 3 leaves each; T′
moves one leaf from one child to another. Then c(T′) < c(T). **True**, by 3m − n − 1 = −((k − 3)m + 1), equation (38);
for every m ≥ 1 (m ≥ 3 only keeps T′ free of one-child nodes). For k = 2 the difference is m − 1 ≥ 0.

**Proof by fans (ours).** Only fans with the moved leaf x change. Before: C(m−1, 2) inside its child, and at the root
m·(k−2)m with one leaf of the receiving child. After: C(m, 2) inside the receiving child, and (m−1)·(k−2)m at the root
with one leaf of the child it left. Difference C(m, 2) − C(m−1, 2) − (k−2)m = m − 1 − (k−2)m = 3m − n − 1. ∎

Equations (36)–(41) are right as algebra; (40) only with its last term bracketed as (m+1)·[C(k−2, 2)m² + (k−2)m(m−1)].
"""

from __future__ import annotations

from math import comb

from .definition import cost_by_definition, leaves_of, relabelled
from .fan_lemma import cost_of_binary
from .small_trees import from_sizes
from .three_layer import cost_of_sizes, moved
from .verdict import HOLDS, Size, Tally, Verdict


def uniform_difference(k: int, m: int) -> int:
    """Return c(T′) − c(T) = 3m − n − 1 with n = k·m, equation (38).

    Source: Ψ-RAG Appendix B.2, equation (38).

    Examples
    --------
    >>> uniform_difference(k=3, m=3), cost_of_sizes((4, 2, 3)) - cost_of_sizes((3, 3, 3))
    (-1, -1)
    """
    return 3 * m - k * m - 1


def increment_before(k: int, m: int) -> int:
    """Return Δc of the uniform tree, equation (39)."""
    return k * comb(m, 3) + comb(k, 3) * m**3


def increment_after(k: int, m: int) -> int:
    """Return Δc′ after the move, equation (40), the last term bracketed."""
    inside = (k - 2) * comb(m, 3) + comb(m + 1, 3) + comb(m - 1, 3)
    others = comb(k - 2, 3) * m**3 + (m - 1) * m**2 * comb(k - 2, 2)
    return inside + others + (m + 1) * (comb(k - 2, 2) * m**2 + (k - 2) * m * (m - 1))


def cost_before(k: int, m: int) -> int:
    """Return c(T) of the uniform tree, equation (36)."""
    return k * comb(m, 2) * m + comb(k, 2) * m**2 * k * m


def cost_after(k: int, m: int) -> int:
    """Return c(T′), equation (37)."""
    n = k * m
    inside = (k - 2) * comb(m, 2) * m + comb(m + 1, 2) * (m + 1) + comb(m - 1, 2) * (m - 1)
    across = comb(k - 2, 2) * m**2 + (m + 1) * (m - 1) + (k - 2) * (m + 1) * m + (k - 2) * (m - 1) * m
    return inside + across * n


def check(size: Size, seed: int) -> tuple[Verdict, ...]:
    """Every k and m up to a bound: by root paths while n ≤ 30, by grouped pairs above."""
    del seed
    source = "Ψ-RAG §4.1, Theorem 4.3"
    theorem = Tally("Theorem 4.3 (1): c(T′) < c(T)", source, HOLDS, "by 3m − n − 1; true for every m ≥ 1")
    equations = Tally("Equations (36)–(41)", "Ψ-RAG Appendix B.2", HOLDS, "(40) with its last term bracketed")
    most = {"small": 10, "default": 30, "large": 100}[size]
    for k in range(3, most):
        for m in range(1, most):
            before, case = (m,) * k, f"{k} children with {m} leaves"
            after = moved(before, source=1, target=0)
            costs = [_cost(before), _cost(after)]
            theorem.at_least(k * m, case, costs[0] - costs[1], strict=True)
            for left, right in (
                (uniform_difference(k, m), costs[1] - costs[0]),
                (cost_before(k, m), costs[0]),
                (cost_after(k, m), costs[1]),
                (increment_before(k, m), costs[0] - cost_of_binary(k * m)),
                (increment_after(k, m), costs[1] - cost_of_binary(k * m)),
            ):
                equations.equal(k * m, case, left, right)
    return theorem.verdict(), equations.verdict()


def _cost(sizes: tuple[int, ...]) -> int:
    """Return the cost by the definition: root paths when small, pairs grouped by LCA when large."""
    if sum(sizes) > 30 or 0 in sizes:
        return cost_of_sizes(sizes)
    tree = relabelled(from_sizes(sizes))
    return int(cost_by_definition(tree)) if len(leaves_of(tree)) == sum(sizes) else -1

"""What the paper draws from Theorem 4.1: equal sizes, and mixtures of Gaussians. Both need more than the theorem.

**Remark** (Ψ-RAG §4.1, Appendix B.1). If n_i n_j and ‖μ_i − μ_j‖² were independent, the optimum would have clusters of
equal size. **False in general**: the two are not independent. The points 0, 1, …, 7, 100 on a line have their best two
clusters at sizes 8 and 1 (distortion 42; the next best split, sizes 7 and 2, has 4352.5). The uniform effect is a
tendency, to be measured.

**Remark** (Ψ-RAG §4.1). Soft k-means, that is a Gaussian mixture, shares the optimum of k-means. **False**: the soft
distortion is linear in the responsibilities, so its optimum over them is hard k-means, while a mixture with free
weights and variances maximises a likelihood that is no function of the distortion. 1,900 points spread like N(0, 3²)
and 100 like N(10, ½²): the best two clusters of k-means cut the wide group and mix its right tail into the narrow one;
the likelihood prefers the true groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from scipy.special import ndtri

from psirag.vectors import Floats, Mask

from .verdict import FALSE, Size, Tally, Verdict


def best_two_clusters(points: list[int]) -> tuple[int, int]:
    """Return the sizes of the exact optimum of 2-means on a line: the best cut of the sorted points.

    Source: Ψ-RAG §4.1, equation (4).

    Examples
    --------
    >>> best_two_clusters([0, 1, 2, 3, 4, 5, 6, 7, 100])
    (8, 1)
    """
    points = sorted(points)
    cut = min(range(1, len(points)), key=lambda cut: scatter(points[:cut]) + scatter(points[cut:]))
    return cut, len(points) - cut


def scatter(points: Sequence[int]) -> Fraction:
    """Return the sum of squared distances to the mean, exactly."""
    return sum(x * x for x in points) - Fraction(sum(points) ** 2, len(points))


def log_likelihood(points: Floats, is_left: Mask) -> float:
    """Return the log-likelihood of the two-part mixture whose weights, means and spreads are those of a split."""
    parts = [points[is_left], points[~is_left]]
    scores = [((points - part.mean()) / part.std(), len(part) / len(points) / part.std()) for part in parts]
    density = np.sum([height * np.exp(-(score**2) / 2) for score, height in scores], axis=0)
    return float(np.log(density / np.sqrt(2 * np.pi)).sum())


def distortion(points: Floats, is_left: Mask) -> float:
    """Return the k-means objective of a split in two."""
    return sum(float(((part - part.mean()) ** 2).sum()) for part in (points[is_left], points[~is_left]))


def wide_and_narrow() -> tuple[Floats, Mask]:
    """Return 1,900 quantiles of N(0, 3²) and 100 of N(10, ½²), and which are the wide group's."""
    wide = 3 * ndtri((np.arange(1900) + 0.5) / 1900)
    narrow = 10 + ndtri((np.arange(100) + 0.5) / 100) / 2
    return np.concatenate([wide, narrow]), np.arange(2000) < 1900


def check(size: Size, seed: int) -> tuple[Verdict, ...]:
    """Redo the two refutations; they need no random case."""
    del size, seed
    sizes = Tally("Remark: the optimum has equal sizes", "Ψ-RAG §4.1; Appendix B.1, Remark", FALSE, "a tendency only")
    points = [0, 1, 2, 3, 4, 5, 6, 7, 100]
    left, right = best_two_clusters(points)
    sizes.claim(9, f"points {points}: sizes {left} and {right}", abs(left - right) <= 1)
    mixture = Tally("Remark: a Gaussian mixture shares the optimum of k-means", "Ψ-RAG §4.1", FALSE, "float64")
    values, truth = wide_and_narrow()
    cuts = [values < cut for cut in np.linspace(-5, 9, 141)]
    best = min(cuts, key=lambda cut: distortion(values, cut))
    slack = log_likelihood(values, best) - log_likelihood(values, truth)
    case = f"k-means splits {best.sum()} : {2000 - best.sum()}; the true groups are likelier by {-slack:.0f} nats"
    mixture.at_least(2000, case, round(slack, 1))
    return sizes.verdict(), mixture.verdict()

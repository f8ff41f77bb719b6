"""Theorem 4.1: the k-means objective, rewritten as how far apart the means are; hard and soft.

**Statement** (Ψ-RAG §4.1, Theorem 4.1, equations (4), (5)). For points x_1 … x_n in k clusters of sizes n_i with means
μ_i, Σ_i Σ_{x in i} ‖x − μ_i‖² = B − A·Σ_{i<j} n_i n_j ‖μ_i − μ_j‖², with A, B depending on the data only. **True**,
with A = 1/n and B = (1/2n)·Σ_x Σ_y ‖x − y‖² over ordered pairs. (The paper's last line has A = −1/n: a slip of sign
against (5).)

**Proof.** Let μ be the mean of all points. Scatter about μ splits: Σ_x ‖x − μ‖² = Σ_i Σ_{x in i} ‖x − μ_i‖² + Σ_i
n_i‖μ_i − μ‖². For any weighted points, Σ_i n_i‖μ_i − μ‖² = (1/n)·Σ_{i<j} n_i n_j‖μ_i − μ_j‖² (expand the right side;
the cross terms are n·μ). With all n_i = 1 the same line says Σ_x ‖x − μ‖² = (1/2n)·Σ_x Σ_y ‖x − y‖² = B. ∎

**Soft form** (ours, for the paper's pointer to soft k-means). For responsibilities r_xi ≥ 0 that add up to 1 for each
point, with N_i = Σ_x r_xi and μ_i the weighted means, the same holds with the same A, B: the proof never used that r is
0 or 1. It says nothing about a mixture's likelihood (see `uniform_sizes`), and it needs the means: moving every centre
by 1 adds n.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

import numpy as np

from .small_trees import partitions
from .verdict import HOLDS, Size, Tally, Verdict, scaled

Point = Sequence[Fraction]


def squared_distance(x: Point, y: Point) -> Fraction:
    """Return ‖x − y‖²."""
    return sum(((a - b) ** 2 for a, b in zip(x, y, strict=True)), Fraction(0))


def weighted_mean(points: Sequence[Point], weights: Sequence[Fraction]) -> Point:
    """Return the mean of weighted points."""
    total = sum(weights, Fraction(0))
    weighed = list(zip(points, weights, strict=True))
    return [sum((w * x[t] for x, w in weighed), Fraction(0)) / total for t in range(len(points[0]))]


def distortion(points: Sequence[Point], shares: Sequence[Sequence[Fraction]], centres: Sequence[Point]) -> Fraction:
    """Return Σ_i Σ_x r_xi ‖x − c_i‖², equation (4) with soft counts."""
    return sum(
        (
            r * squared_distance(x, c)
            for c, row in zip(centres, shares, strict=True)
            for x, r in zip(points, row, strict=True)
        ),
        Fraction(0),
    )


def between_means(counts: Sequence[Fraction], means: Sequence[Point]) -> Fraction:
    """Return Σ_{i<j} n_i n_j ‖μ_i − μ_j‖²."""
    clusters = list(zip(counts, means, strict=True))
    return sum((n * m * squared_distance(x, y) for (n, x), (m, y) in combinations(clusters, 2)), Fraction(0))


def distortion_by_theorem(points: Sequence[Point], counts: Sequence[Fraction], means: Sequence[Point]) -> Fraction:
    """Return B − A·Σ_{i<j} n_i n_j‖μ_i − μ_j‖² with A = 1/n and B = (1/2n)·Σ_x Σ_y ‖x − y‖².

    Source: Ψ-RAG §4.1, Theorem 4.1, equation (5); the constants are ours.

    Examples
    --------
    >>> points = [[Fraction(0)], [Fraction(2)], [Fraction(7)]]
    >>> distortion_by_theorem(points, [Fraction(2), Fraction(1)], [[Fraction(1)], [Fraction(7)]])
    Fraction(2, 1)
    """
    return total_scatter(points) - between_means(counts, means) / len(points)


def total_scatter(points: Sequence[Point]) -> Fraction:
    """Return B = (1/2n)·Σ over ordered pairs of ‖x − y‖²."""
    return sum((squared_distance(x, y) for x, y in product(points, points)), Fraction(0)) / (2 * len(points))


def check(size: Size, seed: int) -> tuple[Verdict, ...]:
    """Exact rationals over every partition of small sets, random soft shares, and float64 on large sets."""
    rng = random.Random(seed)
    return _hard(size, rng), _soft(size, rng), _in_floating_point(size, seed)


def _compare(tally: Tally, points: Sequence[Point], shares: Sequence[Sequence[Fraction]]) -> None:
    """Compare both sides for one set of points and shares; empty clusters have no mean and are left out."""
    shares = [row for row in shares if any(row)]
    means = [weighted_mean(points, row) for row in shares]
    counts = [sum(row, Fraction(0)) for row in shares]
    right = distortion_by_theorem(points, counts, means)
    tally.equal(len(points), (points, shares), distortion(points, shares, means), right)


def _hard(size: Size, rng: random.Random) -> Verdict:
    """Every partition of up to five points, and random partitions of more."""
    note = "A = 1/n (the paper's −1/n is a slip), B over ordered pairs, means as centres"
    tally = Tally("Theorem 4.1, hard k-means", "Ψ-RAG §4.1, Theorem 4.1", HOLDS, note)
    for n in range(1, 6):
        points = _random_points(rng, n)
        for blocks in partitions(tuple(range(n))):
            _compare(tally, points, [[Fraction(x in block) for x in range(n)] for block in blocks])
    for _ in range(scaled(size, 200)):
        points = _random_points(rng, rng.randint(6, 12))
        k = rng.randint(1, 5)
        label = [rng.randrange(k) for _ in points]
        _compare(tally, points, [[Fraction(i == a) for a in label] for i in range(k)])
    return tally.verdict()


def _soft(size: Size, rng: random.Random) -> Verdict:
    """Random rational responsibilities."""
    note = "with soft counts and weighted means; not a statement about a likelihood"
    tally = Tally("Theorem 4.1, soft k-means", "ours, after Ψ-RAG §4.1", HOLDS, note)
    for _ in range(scaled(size, 200)):
        points = _random_points(rng, rng.randint(1, 9))
        k = rng.randint(1, 4)
        raw = [[Fraction(rng.randint(0, 5)) for _ in range(k)] for _ in points]
        shares = [[part / sum(row) if any(row) else Fraction(1, k) for part in row] for row in raw]
        _compare(tally, points, list(zip(*shares, strict=True)))
    return tally.verdict()


def _in_floating_point(size: Size, seed: int) -> Verdict:
    """Real vectors; the difference is taken relative to B, because the distortion itself can be 0 (duplicates)."""
    tally = Tally("Theorem 4.1 in float64, relative to B", "Ψ-RAG §4.1, Theorem 4.1", HOLDS, "tolerance 1e-10·B")
    rng = np.random.default_rng(seed)
    for _ in range(scaled(size, 30)):
        points, label = rng.normal(size=(200, 16)), rng.integers(5, size=200)
        label[:5] = np.arange(5)
        counts = np.bincount(label)
        means = np.stack([points[label == i].mean(axis=0) for i in range(5)])
        left = ((points - means[label]) ** 2).sum()
        apart = ((means[:, None] - means) ** 2).sum(axis=2)
        scatter = ((points[:, None] - points) ** 2).sum() / 400
        right = scatter - (counts[:, None] * counts * apart).sum() / 2 / 200
        tally.equal(200, f"random points of seed {seed}", float(left / scatter), float(right / scatter), within=1e-10)
    return tally.verdict()


def _random_points(rng: random.Random, n: int) -> list[list[Fraction]]:
    """Return n points with one to three small integer coordinates."""
    dimension = rng.randint(1, 3)
    return [[Fraction(rng.randint(-9, 9)) for _ in range(dimension)] for _ in range(n)]

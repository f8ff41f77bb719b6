"""Sympy proves the closed forms of Theorems 4.3 and 4.4, and that counting fans gives them."""

from __future__ import annotations

import pytest
import sympy
from psirag.theory import adaptability, adaptability_equations, non_uniformity
from sympy import Rational, expand, simplify, symbols

n_i, n_j, k, m = symbols("n_i n_j k m", integer=True, positive=True)
p1, p2, p3 = symbols("p1 p2 p3")  # power sums of the other clusters' sizes: Σ s, Σ s², Σ s³
x = symbols("x", positive=True)


def choose(n, r):
    """A binomial coefficient as a polynomial."""
    return expand(sympy.ff(n, r) / sympy.factorial(r))


def e2(*power_sums):
    """e2 by Newton's identity from the first two power sums."""
    return (power_sums[0] ** 2 - power_sums[1]) / 2


def e3(*power_sums):
    """e3 by Newton's identity."""
    return (power_sums[0] ** 3 - 3 * power_sums[0] * power_sums[1] + 2 * power_sums[2]) / 6


def power_sums(a, b):
    """The power sums of all sizes: two named clusters and the others."""
    return p1 + a + b, p2 + a**2 + b**2, p3 + a**3 + b**3


def cost(a, b):
    """By the definition, pairs grouped by LCA: Σ C(s, 2)·s + n·e2(all sizes), for any number of other clusters."""
    total = power_sums(a, b)
    return (total[2] - total[1]) / 2 + total[0] * e2(*total)  # C(s, 2)·s = (s³ − s²)/2


def fans(a, b):
    """Σ C(s, 3) + e3(all sizes); C(s, 3) = (s³ − 3s² + 2s)/6."""
    total = power_sums(a, b)
    return (total[2] - 3 * total[1] + 2 * total[0]) / 6 + e3(*total)


def fans_with_moved_leaf(own, other):
    """The fans that hold one leaf x of the cluster of size ``own``, which ends next to a cluster of size ``other``."""
    return choose(own - 1, 2) + other * p1 + e2(p1, p2)


def test_the_fan_lemma_for_three_layer_trees():
    n = p1 + n_i + n_j
    assert simplify(cost(n_i, n_j) - ((n**3 - n) / 3 + fans(n_i, n_j))) == 0


def test_theorem_4_4_closed_form():
    difference = cost(n_i + 1, n_j - 1) - cost(n_i, n_j)
    assert simplify(2 * difference - adaptability.doubled_difference(n_i, n_j, p1)) == 0


def test_theorem_4_4_by_counting_fans():
    before, after = fans_with_moved_leaf(n_j, n_i), fans_with_moved_leaf(n_i + 1, n_j - 1)
    assert simplify(fans(n_i + 1, n_j - 1) - fans(n_i, n_j) - (after - before)) == 0
    assert simplify(2 * (after - before) - adaptability.doubled_difference(n_i, n_j, p1)) == 0
    assert simplify(after - before - (n_j - n_i - 1) * (p1 - (n_i + n_j - 2) / 2)) == 0


def uniform(formula):
    """Put k − 2 other clusters of size m, and both named ones too."""
    return formula.subs({p1: (k - 2) * m, p2: (k - 2) * m**2, p3: (k - 2) * m**3})


def test_theorem_4_3_closed_form():
    difference = uniform(cost(m + 1, m - 1) - cost(m, m))
    assert simplify(difference - non_uniformity.uniform_difference(k, m)) == 0
    assert simplify(difference + (k - 3) * m + 1) == 0  # negative for k ≥ 3


def test_theorem_4_3_by_counting_fans():
    before, after = fans_with_moved_leaf(m, m), fans_with_moved_leaf(m + 1, m - 1)
    assert simplify(uniform(after - before) - non_uniformity.uniform_difference(k, m)) == 0
    assert simplify(choose(m, 2) - choose(m - 1, 2) - (k - 2) * m - non_uniformity.uniform_difference(k, m)) == 0


def test_theorem_4_4_contains_4_3():
    both = adaptability.doubled_difference(m, m, (k - 2) * m)
    assert expand(both - 2 * non_uniformity.uniform_difference(k, m)) == 0


def test_equations_36_and_39():
    before = k * choose(m, 2) * m + choose(k, 2) * m**2 * k * m
    assert simplify(uniform(cost(m, m)) - before) == 0
    assert simplify(uniform(fans(m, m)) - (k * choose(m, 3) + choose(k, 3) * m**3)) == 0


def test_equation_40_needs_its_brackets():
    inside = (k - 2) * choose(m, 3) + choose(m + 1, 3) + choose(m - 1, 3)
    others = choose(k - 2, 3) * m**3 + (m - 1) * m**2 * choose(k - 2, 2)
    bracketed = inside + others + (m + 1) * (choose(k - 2, 2) * m**2 + (k - 2) * m * (m - 1))
    flat = inside + others + (m + 1) * choose(k - 2, 2) * m**2 + (k - 2) * m * (m - 1)
    true = uniform(fans(m + 1, m - 1))
    assert simplify(true - bracketed) == 0
    assert simplify(true - flat - m**2 * (k - 2) * (m - 1)) == 0


def test_44_follows_from_the_double_count_and_misses_the_truth():
    n = p1 + n_i + n_j

    def printed(a, b):
        return choose(a, 2) * a + choose(b, 2) * b + a * (n - a) * n + b * (n - b) * n

    doubled = adaptability_equations.doubled_44(n_i, n_j, n)
    assert simplify(doubled - 2 * (printed(n_i + 1, n_j - 1) - printed(n_i, n_j))) == 0
    assert simplify(doubled - adaptability.doubled_difference(n_i, n_j, p1) - 2 * n * (n_j - n_i - 1)) == 0


def test_48_follows_from_44_and_the_true_chain_differs():
    n = p1 + n_i + n_j
    claimed = (x - 1) * (n_i + 2 * p1 + x / 2 + 1)
    true = (x - 1) * (p1 + 1 - n_i - x / 2)
    at = {n_j: n_i + x}
    assert simplify((adaptability_equations.doubled_44(n_i, n_j, n) / 2).subs(at) - claimed) == 0
    assert simplify((adaptability.doubled_difference(n_i, n_j, p1) / 2).subs(at) - true) == 0


def test_50_to_53():
    n = p1 + n_i + n_j
    before = choose(n_i, 3) + choose(n_j, 3) + p1 * n_i * n_j
    after = before.subs({n_i: n_i + 1, n_j: n_j - 1}, simultaneous=True)
    assert simplify(2 * (after - before) - adaptability_equations.doubled_52(n_i, n_j, n)) == 0
    assert simplify(adaptability_equations.doubled_52(n_i, n_j, n) - adaptability.doubled_difference(n_i, n_j, p1)) == 0
    at_n_j = adaptability.doubled_difference(n_i, n_j, n_j)
    assert simplify(at_n_j - adaptability_equations.doubled_53(n_i, n_j)) == 0
    least = adaptability.doubled_difference(n_i, n_j, n_i + 1)  # k = 3: the other cluster as small as allowed
    assert simplify(least - (n_j - n_i - 1) * (n_i + 4 - n_j)) == 0


def test_where_some_other_cluster_is_as_large_the_second_factor_is_positive():
    factor = 2 * (n_j + 1) - n_i - n_j  # n_o ≥ n_j
    assert expand(factor - (n_j - n_i + 2)) == 0


@pytest.mark.parametrize("attached", [1, 2, 5])
def test_33_as_algebra(attached):
    a, b, c = symbols("a b c")
    pairs = a * b + a * c + b * c
    gain = pairs * (a + b + c + attached) - pairs * (a + b + c)
    assert expand(gain - attached * pairs) == 0


def test_32_as_algebra():
    n, n_a = symbols("n n_a")
    within = choose(n_a, 2) * (n_a + 1 - n_a)
    between = n_a * (n_a + 1) - n_a * (n + 1)
    outside = n_a * (n - n_a) * (n + 1 - n)
    assert simplify(within + between + outside - choose(n_a, 2)) == 0
    assert Rational(1, 2) * n_a * (n_a - 1) == choose(n_a, 2).factor()

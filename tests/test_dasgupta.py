"""Dasgupta's cost against its definition, with unit, tabled and inner-product weights."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psirag.dasgupta import dasgupta_cost
from psirag.errors import PsiragError
from psirag.tree import AbstractTree, build_tree
from tests.strategies import any_vectors, distinct_vectors

STAR_OF_THREE = AbstractTree([3, 3, 3, -1], [0, 0, 0, 1])
TWO_PAIRS = AbstractTree([4, 4, 5, 5, 6, 6, -1], [0, 0, 0, 0, 1, 1, 2])
ONE_LEAF = AbstractTree([-1], [0])
ONE_CHILD = AbstractTree([2, 2, 3, 4, -1], [0, 0, 1, 2, 3])  # a GMM tree may have nodes with one child


def three_layer(*sizes: int) -> AbstractTree:
    """The tree whose root's children have the given leaf counts."""
    n, k = sum(sizes), len(sizes)
    parent = [*np.repeat(np.arange(n, n + k), sizes).tolist(), *[n + k] * k, -1]
    return AbstractTree.from_parents(parent, n)


def cost_by_definition(tree: AbstractTree, weight=lambda _x, _y: 1):
    """Walk up from both leaves of every pair, count the leaves below where they meet."""
    total = 0
    for x, y in combinations(range(tree.n_leaves), 2):
        above = set(tree.ancestors(x))
        meeting = next(node for node in tree.ancestors(y) if node in above)
        total += weight(x, y) * sum(meeting in tree.ancestors(leaf) for leaf in range(tree.n_leaves))
    return total


@st.composite
def trees(draw) -> AbstractTree:
    """Ψ trees, and random equi-depth trees in which nodes may have one child."""
    if draw(st.booleans()):
        return build_tree(draw(distinct_vectors(max_rows=20)), max_children=draw(st.sampled_from([3, 5, None])))
    n = draw(st.integers(1, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    parent, layer, created = [], list(range(n)), n
    while len(layer) > 1:
        above = rng.integers(0, max(1, len(layer) - 1), size=len(layer))
        names = {label: created + i for i, label in enumerate(sorted(set(above.tolist())))}
        parent += [names[label] for label in above.tolist()]
        layer, created = list(names.values()), created + len(names)
    return AbstractTree.from_parents([*parent, -1], n)


def test_a_star_of_three_costs_nine_by_hand():
    assert dasgupta_cost(STAR_OF_THREE) == 3 + 3 + 3  # three pairs, three leaves below each LCA


def test_two_pairs_cost_twenty_by_hand():
    assert dasgupta_cost(TWO_PAIRS) == 2 + 2 + 4 * 4


def test_2_3_7_costs_650_and_drops_to_648():
    assert dasgupta_cost(three_layer(2, 3, 7)) == 1 * 2 + 3 * 3 + 21 * 7 + (2 * 3 + 2 * 7 + 3 * 7) * 12 == 650
    assert dasgupta_cost(three_layer(3, 3, 6)) == 3 * 3 + 3 * 3 + 15 * 6 + (3 * 3 + 3 * 6 + 3 * 6) * 12 == 648


def test_2_3_6_and_3_3_5_cost_497():
    assert dasgupta_cost(three_layer(2, 3, 6)) == dasgupta_cost(three_layer(3, 3, 5)) == 497


def test_three_times_three_costs_270_and_drops_to_269():
    assert dasgupta_cost(three_layer(3, 3, 3)) == 3 * 3 * 3 + 27 * 9 == 270
    assert dasgupta_cost(three_layer(4, 2, 3)) == 269


def test_weights_by_hand():
    weights = np.array([[9, 5, 1, 1], [5, 9, 1, 1], [1, 1, 9, 7], [1, 1, 7, 9]])
    assert dasgupta_cost(TWO_PAIRS, weights) == 2 * 5 + 2 * 7 + 4 * 4 * 1


@pytest.mark.parametrize("tree", [ONE_LEAF, AbstractTree([2, 2, -1], [0, 0, 1]), STAR_OF_THREE, ONE_CHILD])
def test_degenerate_trees_meet_the_definition(tree):
    n = tree.n_leaves
    expected = cost_by_definition(tree)
    assert dasgupta_cost(tree) == expected
    assert dasgupta_cost(tree, np.ones((n, n), dtype=int)) == expected
    assert dasgupta_cost(tree, vectors=np.ones((n, 1))) == expected


@pytest.mark.oracle
@settings(max_examples=60, deadline=None)
@given(trees(), st.integers(0, 2**32 - 1))
def test_integer_weights_equal_the_definition_exactly(tree, seed):
    n = tree.n_leaves
    weights = np.random.default_rng(seed).integers(-9, 9, size=(n, n))
    weights = weights + weights.T
    found = dasgupta_cost(tree, weights)
    assert isinstance(found, int)
    assert found == cost_by_definition(tree, lambda x, y: int(weights[x, y]))
    assert dasgupta_cost(tree) == cost_by_definition(tree)


@pytest.mark.oracle
@settings(max_examples=40, deadline=None)
@given(trees(), st.integers(0, 2**32 - 1))
def test_inner_products_equal_the_definition(tree, seed):
    rows = np.random.default_rng(seed).integers(-5, 5, size=(tree.n_leaves, 3))  # integers: float64 is exact here
    assert dasgupta_cost(tree, vectors=rows) == cost_by_definition(tree, lambda x, y: int(rows[x] @ rows[y]))
    assert dasgupta_cost(tree, rows @ rows.T) == dasgupta_cost(tree, vectors=rows)


@pytest.mark.oracle
@settings(max_examples=40, deadline=None)
@given(any_vectors)
@pytest.mark.filterwarnings("ignore:vectors")
def test_squared_distances_are_twice_unit_minus_twice_inner_products(vectors):
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = (vectors / np.where(lengths > 0, lengths, 1))[lengths[:, 0] > 0]
    if len(unit) == 0:
        return
    tree = build_tree(unit)
    squared = ((unit[:, None] - unit) ** 2).sum(axis=2)
    expected = 2 * dasgupta_cost(tree) - 2 * dasgupta_cost(tree, vectors=unit)
    assert dasgupta_cost(tree, squared) == pytest.approx(expected, rel=1e-9, abs=1e-6)


def test_float_weights_and_booleans():
    half = np.full((4, 4), 0.5)
    assert dasgupta_cost(TWO_PAIRS, half) == 10.0
    assert isinstance(dasgupta_cost(TWO_PAIRS, half), float)
    assert dasgupta_cost(TWO_PAIRS, half > 0) == 20


def test_large_integer_weights_do_not_overflow():
    weights = np.full((4, 4), 2**62, dtype=np.int64)
    assert dasgupta_cost(TWO_PAIRS, weights) == 20 * 2**62


def test_the_diagonal_is_not_read():
    weights = np.ones((4, 4)) + np.diag([10.0**6] * 4)
    assert dasgupta_cost(TWO_PAIRS, weights) == 20


def test_100_000_leaves_are_exact():
    n = 100_000
    star = AbstractTree.from_parents([n] * n + [-1], n)
    assert dasgupta_cost(star) == n * (n * (n - 1) // 2)
    blocks = three_layer(*[1000] * 100)
    assert dasgupta_cost(blocks) == 100 * 499_500 * 1000 + (n * (n - 1) // 2 - 100 * 499_500) * n


def test_a_star_of_three_million_leaves_is_beyond_int64_and_exact():
    n = 3_000_000
    star = AbstractTree(np.append(np.full(n, n), -1), np.append(np.zeros(n, int), 1))
    assert dasgupta_cost(star) == n * n * (n - 1) // 2 > 2**63


def test_no_table_of_least_common_ancestors_is_made():
    n = 1500
    tree = build_tree(np.random.default_rng(0).normal(size=(n, 16)))
    weights = np.ones((n, n), dtype=np.float32)
    tracemalloc.start()
    dasgupta_cost(tree, vectors=np.ones((n, 4)))
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert held < n * n  # bytes: not even a table of booleans
    assert dasgupta_cost(tree, weights) == dasgupta_cost(tree)


def test_which_way_to_optimise_is_in_the_docstring():
    said = dasgupta_cost.__doc__
    assert "Which way to optimise" in said
    assert "2·dasgupta_cost(tree) − 2·dasgupta_cost(tree, vectors=X)" in said


WRONG = [
    (("tree",), {}, "needs an AbstractTree, but got a str"),
    ((None,), {}, "needs an AbstractTree, but got a NoneType"),
    ((TWO_PAIRS, np.ones((4, 4))), {"vectors": np.ones((4, 2))}, "weights or vectors, but got both"),
    ((TWO_PAIRS, np.ones((3, 4))), {}, r"shape \(4, 4\), but got \(3, 4\)"),
    ((TWO_PAIRS, [[1, 2], [3]]), {}, "weights must be real numbers, but got dtype object"),
    ((TWO_PAIRS, np.full((4, 4), "a")), {}, "weights must be real numbers"),
    ((TWO_PAIRS, np.full((4, 4), 1j)), {}, "weights must be real numbers, but got dtype complex128"),
    ((TWO_PAIRS, np.full((4, 4), np.nan)), {}, r"weights must be finite, but got NaN or infinity in row\(s\) 0, 1"),
    ((TWO_PAIRS, np.arange(16).reshape(4, 4)), {}, r"symmetric, but got 1 at \(0, 1\) and 4 at \(1, 0\)"),
    ((TWO_PAIRS, np.triu(np.ones((4, 4)))), {}, "weights must be symmetric"),
    ((TWO_PAIRS,), {"vectors": np.ones((3, 2))}, r"vectors must have shape \(4, d\), but got \(3, 2\)"),
    ((TWO_PAIRS,), {"vectors": np.ones(4)}, r"vectors must have shape \(4, d\)"),
    ((TWO_PAIRS,), {"vectors": np.ones((4, 0))}, r"vectors must have shape \(4, d\)"),
    ((TWO_PAIRS,), {"vectors": [[1, np.inf]] * 4}, "vectors must be finite"),
    ((TWO_PAIRS,), {"vectors": [["a"]] * 4}, "vectors must be real numbers"),
]


@pytest.mark.parametrize(("arguments", "keywords", "message"), WRONG)
def test_wrong_input_is_named(arguments, keywords, message):
    with pytest.raises(PsiragError, match=message):
        dasgupta_cost(*arguments, **keywords)


def test_rational_weights_scaled_to_integers_are_exact():
    thirds = [[Fraction(abs(x - y), 3) for y in range(4)] for x in range(4)]
    scaled = np.array([[int(3 * entry) for entry in row] for row in thirds])
    expected = cost_by_definition(TWO_PAIRS, lambda x, y: thirds[x][y])
    assert Fraction(dasgupta_cost(TWO_PAIRS, scaled), 3) == expected


def test_at_most_ten_wrong_rows_are_listed():
    rows = np.full((11, 2), np.nan)
    tree = build_tree(np.random.default_rng(0).normal(size=(11, 2)))
    with pytest.raises(PsiragError, match=r"row\(s\) 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 …\."):
        dasgupta_cost(tree, vectors=rows)
    rows[10] = 1
    with pytest.raises(PsiragError, match=r"row\(s\) 0, 1, 2, 3, 4, 5, 6, 7, 8, 9\."):
        dasgupta_cost(tree, vectors=rows)


@pytest.mark.oracle
def test_float32_rows_are_summed_in_float64():
    rows = np.abs(np.random.default_rng(0).normal(size=(30, 300))).astype(np.float32)
    tree = build_tree(rows)
    products = rows.astype(np.float64) @ rows.astype(np.float64).T
    expected = cost_by_definition(tree, lambda x, y: Fraction(products[x, y]))
    assert dasgupta_cost(tree, vectors=rows) == pytest.approx(float(expected), rel=1e-12)

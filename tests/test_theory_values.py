"""The values that must come out, each by hand arithmetic and by the definition, and the formulas that predict them."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from psirag.theory import (
    adaptability,
    adaptability_equations,
    collapse_increment,
    cost_sign,
    deeper_trees,
    fan_lemma,
    minor_class,
    non_uniformity,
    similarity_ranking,
    small_trees,
    three_layer,
    uniform_effect,
    uniform_sizes,
)
from psirag.theory.definition import (
    cost_by_definition,
    fans_by_definition,
    is_binary,
    is_equi_depth,
    leaves_of,
    relabelled,
    root_paths,
)
from psirag.theory.exact_similarity import (
    accepted_pairs,
    boruvka_layers,
    growing_forest,
    layers,
    on_a_line,
    prim_pairs,
    psi_tree,
    single_linkage_pairs,
)

from psirag.dasgupta import dasgupta_cost
from psirag.errors import PsiragError
from psirag.tree import AbstractTree


def tree_of(*sizes):
    """The three-layer tree with these leaf counts, leaves numbered."""
    return relabelled(tuple((0,) * size for size in sizes))


def cost(*sizes):
    """Its cost by root paths."""
    return cost_by_definition(tree_of(*sizes))


def test_the_two_costs_send_the_other_kind_of_tree_to_each_other():
    tree = AbstractTree.from_parents([3, 3, 3, -1], 3)
    with pytest.raises(PsiragError, match=r"nested tuples.* AbstractTree.*dasgupta_cost"):
        cost_by_definition(tree)
    with pytest.raises(PsiragError, match=r"AbstractTree.* tuple.*cost_by_definition"):
        dasgupta_cost((0, 1, 2))
    assert dasgupta_cost(tree) == cost_by_definition((0, 1, 2))


# Theorem 4.4


def test_2_3_7_falls_from_650_to_648():
    assert cost(2, 3, 7) == 2 + 9 + 147 + 12 * 41 == 650
    assert cost(3, 3, 6) == 9 + 9 + 90 + 12 * 45 == 648
    assert adaptability.doubled_difference(2, 7, 3) == 2 * (648 - 650)
    assert not adaptability.inequality_holds(2, 7, 3)


def test_2_3_6_and_3_3_5_tie_at_497():
    assert cost(2, 3, 6) == 2 + 9 + 90 + 11 * 36 == 497
    assert cost(3, 3, 5) == 9 + 9 + 50 + 11 * 39 == 497
    assert adaptability.doubled_difference(2, 6, 3) == 0
    assert adaptability.equality_holds(2, 6, 3)  # though 6 is not 2 + 1
    assert adaptability.inequality_holds(2, 6, 3)


def test_by_fans_2_3_7_has_21_with_the_moved_leaf_then_19():
    assert comb(6, 2) + 2 * 3 == 21
    assert comb(2, 2) + 6 * 3 == 19
    assert fans_by_definition(tree_of(3, 3, 6)) - fans_by_definition(tree_of(2, 3, 7)) == 19 - 21


def test_four_children_fail_first_at_12_and_13():
    assert (cost(2, 3, 3, 12), cost(3, 3, 3, 11)) == (3152, 3152)
    assert (cost(2, 3, 3, 13), cost(3, 3, 3, 12)) == (3659, 3654)
    failures = {}
    for sizes, j in three_layer.minor_cases(4, below=22):
        difference = three_layer.cost_of_sizes(three_layer.moved(sizes, j, 0)) - three_layer.cost_of_sizes(sizes)
        if difference < 0:
            failures.setdefault("at least", sizes)
        if (difference == 0) != (sizes[j] == sizes[0] + 1):
            failures.setdefault("iff", sizes)
    assert failures == {"iff": (2, 3, 3, 12), "at least": (2, 3, 3, 13)}


def test_three_children_fail_first_at_6_and_7():
    failures = [
        sizes
        for sizes, j in three_layer.minor_cases(3, below=13)
        if three_layer.cost_of_sizes(three_layer.moved(sizes, j, 0)) < three_layer.cost_of_sizes(sizes)
    ]
    assert failures == [(2, 3, 7)]


@pytest.mark.parametrize("k", range(3, 9))
def test_two_threes_and_6k_minus_11_fails_for_every_k(k):
    sizes = (2, *[3] * (k - 2), 6 * k - 11)
    assert three_layer.cost_of_sizes(three_layer.moved(sizes, k - 1, 0)) < three_layer.cost_of_sizes(sizes)
    smaller = (*sizes[:-1], sizes[-1] - 1)
    assert three_layer.cost_of_sizes(three_layer.moved(smaller, k - 1, 0)) == three_layer.cost_of_sizes(smaller)


def test_near_equal_sizes_fail_too():
    assert three_layer.cost_of_sizes((10, 11, 15)) == 17930
    assert three_layer.cost_of_sizes((11, 11, 14)) == 17928


def test_a_majority_is_not_enough_to_fail():
    assert three_layer.cost_of_sizes((3, 5, 7)) - three_layer.cost_of_sizes((2, 5, 8)) == 5


def test_it_fails_also_when_the_minor_cluster_stays_the_smallest():
    assert (cost(2, 4, 9), cost(3, 4, 8)) == (1280, 1277)


def test_the_closed_form_equals_root_paths():
    for sizes in small_trees.size_vectors(14, 1):
        for i, j in combinations(range(len(sizes)), 2):
            for source, target in ((j, i), (i, j)):
                if sizes[source] == 1:
                    continue  # an empty child is no tree
                after = three_layer.moved(sizes, source, target)
                true = cost(*after) - cost(*sizes)
                n_o = 14 - sizes[source] - sizes[target]
                assert adaptability.doubled_difference(sizes[target], sizes[source], n_o) == 2 * true


def test_the_closed_form_in_a_million_cases():
    verdict = next(v for v in adaptability.check("default", 1) if v.statement.startswith("4.4, exact: D"))
    assert (verdict.cases, verdict.margin, verdict.holds) == (1_000_000, 0, True)


def test_the_exact_region_on_every_small_case():
    for sizes, j, difference in adaptability.cases("small"):
        n_i, n_j, n_o = sizes[0], sizes[j], sum(sizes) - sizes[0] - sizes[j]
        assert (difference >= 0) == adaptability.inequality_holds(n_i, n_j, n_o)
        assert (difference == 0) == adaptability.equality_holds(n_i, n_j, n_o)


def test_grouped_costs_equal_root_paths():
    for sizes in small_trees.size_vectors(12, 2):
        assert three_layer.cost_of_sizes(sizes) == cost(*sizes)
    rows = np.array([[2, 3, 7, 0], [5, 1, 1, 9]])
    assert three_layer.costs_of_sizes(rows).tolist() == [650, cost(5, 1, 1, 9)]


# The equations of its proof


def test_42_counts_the_pairs_between_the_two_clusters_twice():
    for sizes in ((2, 3, 7), (3, 4, 4), (4, 9, 5, 6)):
        n, others = sum(sizes), sizes[1:-1]
        inside = sum(comb(size, 2) * size for size in others)
        across = sum(a * b for a, b in combinations(others, 2)) * n
        printed = adaptability_equations.printed_42(sizes[0], sizes[-1], n) + inside + across
        assert printed - three_layer.cost_of_sizes(sizes) == n * sizes[0] * sizes[-1]


def test_43_as_printed_misses_by_its_signs_as_well():
    assert adaptability_equations.printed_43(2, 7, 12) == 3 * 3 + 15 * 6 + 1 * 11 * 12 + 6 * 6 * 12
    assert adaptability_equations.corrected_43(2, 7, 12) == 3 * 3 + 15 * 6 + 3 * 9 * 12 + 6 * 6 * 12


def test_44_follows_from_the_double_count_and_says_plus_46_for_2_3_7():
    found = adaptability_equations.corrected_43(2, 7, 12) - adaptability_equations.printed_42(2, 7, 12)
    assert found == 2 * 12 * 4 + (3 * 4 + 2 - 3 * 49 + 35 - 2) // 2 == 46  # the truth is −2
    assert adaptability_equations.doubled_44(2, 7, 12) == 2 * 46
    assert 46 - (-2) == 12 * (7 - 2 - 1)


def test_52_says_minus_2_for_2_3_7():
    assert (
        adaptability_equations.doubled_52(2, 7, 12) == 2 * (7 - 2 - 1) * (12 - 9) - (7 - 2 - 1) * (2 + 7) + 2 * 4 == -4
    )


def test_53_is_no_minimum_at_2_3_7():
    assert adaptability_equations.doubled_53(2, 7) == 2 * 14  # (n_j − n_i − 1)·(½(n_j − n_i) + 1) = 4·3.5
    assert adaptability.doubled_difference(2, 7, 7) == 2 * 14  # n_o = n_j, as the paper takes it
    assert adaptability.doubled_difference(2, 7, 3) < 2 * 14


# Theorem 4.3


def test_three_times_three_falls_from_270_to_269():
    assert cost(3, 3, 3) == 3 * 9 + 9 * 27 == 270
    assert cost(4, 2, 3) == 24 + 2 + 9 + 9 * 26 == 269
    assert non_uniformity.uniform_difference(3, 3) == -1


@pytest.mark.parametrize(("k", "m"), [(3, 3), (4, 3), (5, 4), (3, 1)])
def test_equations_36_to_40_by_hand_arithmetic(k, m):
    n = k * m
    before = k * (m * (m - 1) // 2) * m + (k * (k - 1) // 2) * m * m * n
    assert non_uniformity.cost_before(k, m) == before == three_layer.cost_of_sizes((m,) * k)
    assert non_uniformity.cost_after(k, m) == before + 3 * m - n - 1
    binary = (n**3 - n) // 3
    assert non_uniformity.increment_before(k, m) == before - binary
    assert non_uniformity.increment_after(k, m) == before + 3 * m - n - 1 - binary


def test_two_equal_clusters_do_not_lower_the_cost():
    assert cost(5, 3) - cost(4, 4) == 4 - 1


# Clique identity and fans


def test_every_binary_tree_on_nine_leaves_costs_240():
    assert (9**3 - 9) // 3 == 240
    rng = random.Random(0)
    for _ in range(20):
        assert cost_by_definition(small_trees.random_binary_tree(rng, 9)) == 240
    assert fan_lemma.cost_of_binary(9) == 240


def test_all_10_395_binary_trees_on_seven_leaves_cost_the_same():
    costs = [cost_by_definition(tree) for tree in small_trees.binary_trees(tuple(range(7)))]
    assert len(costs) == 10_395
    assert set(costs) == {(343 - 7) // 3}


def test_two_to_seven_leaves_have_11_464_binary_trees():
    assert sum(len(small_trees.binary_trees(tuple(range(n)))) for n in range(2, 8)) == 11_464


def test_only_binary_trees_cost_so_little():
    for tree in small_trees.all_trees(tuple(range(5))):
        assert (cost_by_definition(tree) == 40) == is_binary(tree)


def test_enumerations_have_the_known_counts():
    assert [len(small_trees.all_trees(tuple(range(n)))) for n in range(2, 7)] == [1, 4, 26, 236, 2752]
    assert [len(small_trees.equi_depth_trees(tuple(range(n)))) for n in range(2, 8)] == [1, 1, 4, 11, 41, 162]
    assert all(is_equi_depth(tree) for tree in small_trees.equi_depth_trees(tuple(range(6))))


def test_the_three_leaves_of_a_star_are_one_fan():
    assert (fans_by_definition((0, 1, 2)), fans_by_definition(((0, 1), 2))) == (1, 0)
    assert fan_lemma.cost_by_fans((0, 1, 2)) == 8 + 1
    assert fan_lemma.e3([2, 3, 7]) == 42
    assert fan_lemma.e2([2, 3, 7]) == 6 + 14 + 21


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 18))
def test_the_fan_lemma_on_random_trees(seed, n):
    tree = small_trees.random_tree(random.Random(seed), n)
    assert sorted(leaves_of(tree)) == list(range(n))
    assert fan_lemma.fans(tree) == fans_by_definition(tree)
    assert fan_lemma.cost_by_fans(tree) == cost_by_definition(tree)


@pytest.mark.oracle
def test_the_definition_here_and_dasgupta_cost_agree():
    for tree in small_trees.equi_depth_trees(tuple(range(7))):
        assert dasgupta_cost(as_abstract_tree(tree)) == cost_by_definition(tree)


def as_abstract_tree(tree):
    """An AbstractTree with the same shape and leaves."""
    paths = root_paths(tree)
    n = len(paths)
    prefixes = sorted(
        {path[:depth] for path in paths.values() for depth in range(len(path))}, key=lambda p: (-len(p), p)
    )
    number = {prefix: n + i for i, prefix in enumerate(prefixes)}
    above = [number[paths[leaf][:-1]] for leaf in range(n)]
    return AbstractTree.from_parents(above + [number[p[:-1]] if p else -1 for p in prefixes], n)


# Lemma B.3, Corollary B.4, Lemma B.2


def test_the_seven_leaf_tree_goes_from_120_to_125():
    before, after = (((0, 1), (2, 3), (4, 5)), 6), ((0, 1, 6), (2, 3), (4, 5))
    assert cost_by_definition(before) == 3 * 2 + 12 * 6 + 6 * 7 == 120
    assert cost_by_definition(after) == 3 * 3 + 2 * 2 + 16 * 7 == 125
    assert collapse_increment.lemma_increment(before[0], (0,), 1) == 1
    assert collapse_increment.true_increment(before[0], (0,), 1) == 1 + 2 * 2 == 5
    assert not collapse_increment.has_binary_ancestors(before[0], (0,))


def test_no_smaller_equi_depth_tree_refutes_b3():
    verdict = collapse_increment.check("small", 0)[0]
    assert verdict.counterexample.startswith("(((0, 1), (2, 3), (4, 5)), 6), attached at (0,): +5, not +1")


def test_b3_is_right_at_the_root_and_below_binary_ancestors():
    tree = ((0, 1), (2, 3))
    assert collapse_increment.lemma_increment(tree, (), 2) == 2 * 4
    assert collapse_increment.increment_by_definition(tree, (), (8, 9)) == 2 * 4
    assert collapse_increment.lemma_increment(tree, (0,), 1) == 1
    assert collapse_increment.increment_by_definition(tree, (0,), 9) == 1


@pytest.mark.parametrize("n", range(3, 9))
def test_b4_a_star_costs_n_choose_3_more_than_a_caterpillar(n):
    caterpillar = 0
    for leaf in range(1, n):
        caterpillar = (caterpillar, leaf)
    assert cost_by_definition(tuple(range(n))) - cost_by_definition(caterpillar) == comb(n, 3)
    assert collapse_increment.corollary_increment([1, 1], 1, n - 2) == comb(n, 3)


def test_psi_without_a_witness_is_ambiguous_first_at_five():
    assert all(
        len(small_trees.psi_images(tree)) == 1 for n in (2, 3, 4) for tree in small_trees.binary_trees(tuple(range(n)))
    )
    images = small_trees.psi_images((((0, 1), (2, 4)), 3))
    assert images == {((0, 1, 3), (2, 4)), ((0, 1), (2, 3, 4))}
    ambiguous = [tree for tree in small_trees.binary_trees(tuple(range(5))) if len(small_trees.psi_images(tree)) > 1]
    assert len(ambiguous) == 15


def test_psi_gives_two_shapes_and_costs_first_at_six():
    images = small_trees.psi_images(((((0, 1), (2, 5)), 3), 4))
    assert {cost_by_definition(image) for image in images} == {72, 74}
    trees = small_trees.binary_trees(tuple(range(6)))
    differ = [t for t in trees if len({cost_by_definition(image) for image in small_trees.psi_images(t)}) > 1]
    assert (len(differ), len(trees)) == (270, 945)


# Definition 4.2's sign


def test_four_points_cheapest_128_dearest_binary_164_star_168():
    weights = cost_sign.two_pairs(near=1, far=10)
    costs = {tree: cost_sign.cost(tree, weights) for tree in small_trees.all_trees((0, 1, 2, 3))}
    assert len(costs) == 26
    assert min(costs.values()) == 128
    assert {tree for tree, value in costs.items() if value == 128} == {((0, 2), (1, 3)), ((0, 3), (1, 2))}
    binary = {tree: value for tree, value in costs.items() if is_binary(tree)}
    assert (max(binary.values()), binary[(0, 1), (2, 3)]) == (164, 164)
    assert costs[0, 1, 2, 3] == (2 * 1 + 4 * 10) * 4 == 168 == max(costs.values())


def test_the_cheapest_tree_by_hand():
    """((0,2),(1,3)): two far pairs pay 2, two far and two near pairs pay 4."""
    assert 2 * 10 * 2 + (2 * 10 + 2 * 1) * 4 == 128


def test_with_similarities_the_sign_is_right():
    weights = cost_sign.two_pairs(near=10, far=1)
    costs = {tree: cost_sign.cost(tree, weights) for tree in small_trees.all_trees((0, 1, 2, 3))}
    assert min(costs, key=costs.get) == ((0, 1), (2, 3))
    assert costs[(0, 1), (2, 3)] == 2 * 10 * 2 + 4 * 1 * 4 == 56


# Theorem 4.1


def test_theorem_4_1_by_hand():
    """Points 0, 2 | 7: distortion 1 + 1 = 2; B = (4 + 49 + 25)/3 = 26; between 2·1·(7 − 1)² = 72, and 26 − 72/3 = 2."""
    points = [[Fraction(0)], [Fraction(2)], [Fraction(7)]]
    assert uniform_effect.total_scatter(points) == 26
    counts, means = [Fraction(2), Fraction(1)], [[Fraction(1)], [Fraction(7)]]
    assert uniform_effect.between_means(counts, means) == 72
    assert uniform_effect.distortion_by_theorem(points, counts, means) == 2
    shares = [[Fraction(1), Fraction(1), Fraction(0)], [Fraction(0), Fraction(0), Fraction(1)]]
    assert uniform_effect.distortion(points, shares, means) == 2


def test_theorem_4_1_needs_the_means():
    points = [[Fraction(0)], [Fraction(2)], [Fraction(7)]]
    shares = [[Fraction(1)] * 3]
    moved = [[Fraction(4)]]  # the mean is 3
    assert (
        uniform_effect.distortion(points, shares, moved) - uniform_effect.distortion(points, shares, [[Fraction(3)]])
        == 3
    )


def test_theorem_4_1_to_1e_10_relative_to_b():
    verdict = uniform_effect.check("small", 3)[2]
    assert verdict.holds
    assert verdict.margin <= 1e-10


def test_two_means_on_a_line_prefer_sizes_8_and_1():
    points = [0, 1, 2, 3, 4, 5, 6, 7, 100]
    assert uniform_sizes.scatter(points[:8]) == 42
    assert uniform_sizes.best_two_clusters(points) == (8, 1)
    assert float(uniform_sizes.scatter(points[:7]) + uniform_sizes.scatter(points[7:])) == 4352.5


def test_a_mixture_prefers_the_true_groups_and_k_means_does_not():
    values, truth = uniform_sizes.wide_and_narrow()
    best = min((values < cut for cut in np.linspace(-5, 9, 141)), key=lambda cut: uniform_sizes.distortion(values, cut))
    assert uniform_sizes.distortion(values, best) < uniform_sizes.distortion(values, truth)
    assert uniform_sizes.log_likelihood(values, truth) > uniform_sizes.log_likelihood(values, best)


# Deeper trees


def test_deeper_uniform_trees_need_three_children_everywhere():
    assert deeper_trees.uniform_difference((3, 2, 3), turn=1) == 2
    assert deeper_trees.uniform_difference((2, 3, 3), turn=0) == 2
    assert deeper_trees.uniform_difference((3, 3, 3), turn=0) == 3 - 1 - 9 == -7
    tree = deeper_trees.uniform_tree((3, 2, 3))
    assert deeper_trees.difference_by_definition(tree, (0, 1), (0, 0)) == 2


def test_27_leaves_refute_the_remark_after_4_4():
    tree = relabelled(small_trees.from_sizes(((2, 3, 4), (3, 3, 3), (3, 3, 3))))
    assert deeper_trees.difference_by_definition(tree, (1, 0), (0, 0)) == -6
    assert deeper_trees.difference(tree, (1, 0), (0, 0)) == 1 - 1 + 3 * 4 - 3 * 3 + 9 * (9 - 1 - 9) == -6


# The remark after 4.4


def test_0_1_2_and_a_half_is_one_star():
    points = on_a_line((0, 2, 5))  # 0, 1, 2.5, doubled
    assert minor_class.is_closed(points, frozenset({0, 1}))
    assert psi_tree(points) == (0, 1, 2)
    assert not minor_class.is_node(points, frozenset({0, 1}))


def test_0_1_3_4_beside_10_11_is_no_subtree():
    points = on_a_line(minor_class.TWO_PAIRS_AND_ONE)
    class_, rest = frozenset({0, 1, 2, 3}), frozenset({4, 5})
    assert minor_class.is_closed(points, class_)
    assert minor_class.is_closed(points, rest)
    assert [pair for pair, _ in growing_forest(points)] == [(0, 1), (2, 3), (4, 5), (1, 2), (3, 4)]
    assert psi_tree(points) == ((0, 1), (2, 3), (4, 5))
    assert single_linkage_pairs(points)[3] == (1, 2)  # single linkage does make the class a cluster


def test_nine_points_with_a_strictly_minor_class():
    points = on_a_line(minor_class.STRICTLY_MINOR)
    class_ = frozenset({0, 1, 2, 3})
    assert minor_class.is_closed(points, class_)
    assert minor_class.is_closed(points, frozenset(range(9)) - class_)
    assert not minor_class.is_node(points, class_)


def test_a_scattered_class_is_closed_and_never_together():
    points = on_a_line((0, 2, 20, 22, 41, 43))  # 0, 1, 10, 11, 20.5, 21.5, doubled
    assert minor_class.is_closed(points, frozenset({0, 1, 4, 5}))
    assert not minor_class.is_node(points, frozenset({0, 1, 4, 5}))


# Algorithm 1, spanning trees, Borůvka


def test_algorithm_1_read_literally_fails_at_four():
    triples = list(combinations(combinations(range(4), 2), 3))
    failing = [triple for triple in triples if not similarity_ranking.spans(4, triple)]
    assert (len(triples), len(failing)) == (20, 4)
    assert all(len({leaf for pair in triple for leaf in pair}) == 3 for triple in failing)  # triangles


def test_borůvka_by_hand():
    """Points 0, 1, 3, 4, 10, 11: three pairs follow each other in round 1; in round 2 all three join."""
    points = on_a_line((0, 1, 3, 4, 10, 11))
    rounds = boruvka_layers(points)
    assert rounds[1] == {frozenset({0, 1}), frozenset({2, 3}), frozenset({4, 5})}
    assert len(rounds) == 3
    assert layers(psi_tree(points)) == rounds


def test_the_order_of_tied_edges_matters():
    """The path 0–1–2–3 with three equal edges: 01, 12, 23 is the total order, and gives one star."""
    similarity = [[0, 5, 0, 0], [5, 0, 5, 0], [0, 5, 0, 5], [0, 0, 5, 0]]
    assert accepted_pairs(similarity) == [(0, 1), (1, 2), (2, 3)]
    assert prim_pairs(similarity) == {(0, 1), (1, 2), (2, 3)}
    assert psi_tree(similarity) == (0, 1, 2, 3)

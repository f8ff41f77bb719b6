"""Rebalancing: halves of one kind, none too large, equal depth kept."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from psirag.tree import build_tree, collapse
from psirag.tree.rebalancing import rebalance
from psirag.tree.spanning_tree import spanning_tree
from psirag.vectors import unit_rows
from tests.strategies import any_vectors

pytestmark = pytest.mark.filterwarnings("ignore:.*zero:psirag.errors.PsiragWarning")


def n_children(tree):
    """Count the children of each abstract node."""
    return np.diff(tree.child_start)[tree.n_leaves :]


@given(any_vectors, st.integers(3, 9))
def test_no_node_is_too_large_and_no_leaf_is_lost(vectors, limit):
    tree = build_tree(vectors, max_children=limit)
    assert np.all(n_children(tree) <= limit)
    assert np.all(n_children(tree) >= 2)
    assert tree.leaves(tree.root).tolist() == list(range(len(vectors)))


@given(any_vectors, st.integers(3, 9))
def test_a_tree_within_the_limit_is_left_alone(vectors, limit):
    tree = build_tree(vectors, max_children=None)
    if n_children(tree).max(initial=0) <= limit:
        assert build_tree(vectors, max_children=limit) == tree


@given(any_vectors, st.integers(3, 9))
def test_layer_one_is_cut_only_where_it_was_too_large(vectors, limit):
    plain, tree = build_tree(vectors, max_children=None), build_tree(vectors, max_children=limit)
    if plain.depth > 0:
        before = {frozenset(plain.leaves(v).tolist()) for v in plain.layer_nodes(1)}
        after = {frozenset(tree.leaves(v).tolist()) for v in tree.layer_nodes(1)}
        assert {node for node in before if len(node) <= limit} <= after


def test_a_node_at_the_limit_stays_and_one_more_is_halved():
    star = np.eye(5)
    assert n_children(build_tree(star, max_children=5)).tolist() == [5]
    tree = build_tree(star, max_children=4)
    assert [tree.leaves(v).tolist() for v in tree.layer_nodes(1)] == [[0, 1, 2], [3, 4]]


def test_a_root_is_split_and_gets_a_new_root_above():
    equal = np.ones((100, 3))
    tree = build_tree(equal, max_children=10)
    assert n_children(tree).max() <= 10
    assert tree.depth in (2, 3)
    assert tree.leaves(tree.root).tolist() == list(range(100))


def test_splitting_a_low_layer_is_followed_upwards():
    rows = np.random.default_rng(0).normal(size=(60, 3))
    plain, tree = build_tree(rows, max_children=None), build_tree(rows, max_children=3)
    assert n_children(tree).max() <= 3
    assert len(tree.layer_nodes(1)) > len(plain.layer_nodes(1))
    assert tree.depth > plain.depth


def test_halves_are_of_one_kind():
    """Two orthogonal directions, alternating in the corpus, under one node: each half holds one direction."""
    rows = np.tile([[1.0, 0.0], [0.0, 1.0]], (4, 1))
    tree = build_tree(rows, max_children=4)
    assert [tree.leaves(v).tolist() for v in tree.layer_nodes(1)] == [[0, 2, 4, 6], [1, 3, 5, 7]]
    star = collapse([(0, i) for i in range(1, 8)], 8)
    pairs = spanning_tree(unit_rows(rows))
    split = rebalance(star, pairs.u, pairs.v, 4)
    assert [split.leaves(v).tolist() for v in split.layer_nodes(1)] == [[0, 2, 4, 6], [1, 3, 5, 7]]


def test_the_replayed_order_by_hand():
    """Pairs (2,3) (0,4) (1,2) (3,4): lists 23, 04, 123 (1 holds the smaller leaf), 12304 (3's list before 4's)."""
    star = collapse([(0, i) for i in range(1, 5)], 5)
    split = rebalance(star, np.array([2, 0, 1, 3]), np.array([3, 4, 2, 4]), 3)
    assert [split.leaves(v).tolist() for v in split.layer_nodes(1)] == [[0, 4], [1, 2, 3]]


def test_a_pair_within_one_list_is_skipped():
    star = collapse([(0, i) for i in range(1, 5)], 5)
    once = rebalance(star, np.array([2, 0, 1, 3]), np.array([3, 4, 2, 4]), 3)
    again = rebalance(star, np.array([2, 2, 0, 1, 1, 3]), np.array([3, 3, 4, 2, 3, 4]), 3)
    assert once == again


@pytest.mark.parametrize(
    ("n", "sizes"), [(41, [21, 20]), (80, [40, 40]), (81, [21, 20, 40]), (1_000, [32, 31, 31, 31] * 8)]
)
def test_sizes_of_halves_of_a_long_chain_of_pairs(n, sizes):
    star = collapse([(0, i) for i in range(1, n)], n)
    split = rebalance(star, np.arange(n - 1), np.arange(1, n), 40)
    assert n_children(split)[: len(split.layer_nodes(1))].tolist() == sizes
    assert [split.leaves(v)[0] for v in split.layer_nodes(1)] == np.cumsum([0, *sizes[:-1]]).tolist()

"""Moves and classes on data: the closed form against dasgupta_cost move by move, and the built-in sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from psirag.theory.real_trees import (
    LeafMoves,
    closed_classes,
    closed_pairs_of_nodes,
    leaf_moves,
    move_differences,
    three_layer_tree,
)

from psirag.dasgupta import dasgupta_cost
from psirag.errors import PsiragError
from psirag.tree import AbstractTree, build_tree
from psirag.vectors import unit_rows
from tests.strategies import distinct_vectors

SIZES_2_3_7 = AbstractTree([12] * 2 + [13] * 3 + [14] * 7 + [15] * 3 + [-1], [0] * 12 + [1] * 3 + [2])
SIZES_2_3_6 = AbstractTree([11] * 2 + [12] * 3 + [13] * 6 + [14] * 3 + [-1], [0] * 11 + [1] * 3 + [2])


def moved(tree: AbstractTree, leaf: int, bottom: int) -> AbstractTree:
    """The tree after one leaf has another parent."""
    parent = np.array(tree.parent)
    parent[leaf] = bottom
    return AbstractTree.from_parents(parent, tree.n_leaves)


@pytest.mark.oracle
@settings(max_examples=15, deadline=None)
@given(distinct_vectors(max_rows=20), st.booleans())
def test_every_move_equals_the_difference_of_two_costs(vectors, flat):
    tree = build_tree(vectors, max_children=None)
    tree = three_layer_tree(tree) if flat else tree
    differences = move_differences(tree, vectors)
    cost = dasgupta_cost(tree, vectors=vectors)
    for leaf, row in enumerate(differences):
        for bottom, found in zip(tree.layer_nodes(1) if tree.depth else (), row, strict=True):
            if tree.parent[leaf] == bottom:
                assert np.isnan(found)
            else:
                true = dasgupta_cost(moved(tree, leaf, bottom), vectors=vectors) - cost
                assert found == pytest.approx(true, rel=1e-8, abs=1e-8)


@pytest.mark.oracle
def test_unit_weights_give_theorem_4_4():
    differences = move_differences(SIZES_2_3_7, np.ones((12, 1)))
    assert differences[11].tolist()[:2] == [-2.0, -6.0]  # ½·(7 − 2 − 1)·(8 − 9) and ½·(7 − 3 − 1)·(6 − 10)
    assert leaf_moves(SIZES_2_3_7, np.eye(12), weights="unit", minor_only=True) == LeafMoves(10, lower=7, equal=3)
    assert leaf_moves(SIZES_2_3_6, np.eye(11), weights="unit", minor_only=True) == LeafMoves(9, lower=0, equal=9)


@pytest.mark.oracle
def test_the_counts_are_those_of_brute_force():
    vectors = unit_rows(np.random.default_rng(5).normal(size=(24, 4)))
    tree = build_tree(vectors, max_children=None)
    exact = vectors.astype(float)
    squared = ((exact[:, None] - exact) ** 2).sum(axis=2)
    for weights, table in (("similarity", exact @ exact.T), ("distance", squared), ("unit", np.ones((24, 24)))):
        cost, lower, moves = dasgupta_cost(tree, table), 0, 0
        for leaf in range(24):
            for bottom in tree.layer_nodes(1):
                if tree.parent[leaf] != bottom and len(tree.children(int(tree.parent[leaf]))) > 2:
                    moves += 1
                    lower += dasgupta_cost(moved(tree, leaf, bottom), table) < cost - 1e-7
        found = leaf_moves(tree, vectors, weights=weights)
        assert (found.moves, found.lower) == (moves, lower)
        assert found.share_lower == pytest.approx(lower / moves)


def test_minor_only_keeps_moves_into_the_smallest_bottom_nodes():
    assert leaf_moves(SIZES_2_3_7, np.eye(12), weights="unit").moves == 3 * 2 + 7 * 2  # two leaves stay
    assert leaf_moves(SIZES_2_3_7, np.eye(12), weights="unit", minor_only=True).moves == 3 + 7


def test_a_node_may_be_left_with_one_leaf_when_asked():
    assert leaf_moves(SIZES_2_3_7, np.eye(12), weights="unit", leaves_left=1).moves == 12 * 2
    assert leaf_moves(SIZES_2_3_7, np.eye(12), weights="unit", leaves_left=3).moves == 7 * 2
    with pytest.raises(PsiragError, match="leaves_left must be at least 1"):
        leaf_moves(SIZES_2_3_7, np.eye(12), weights="unit", leaves_left=0)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_tiny_trees_have_no_move(n):
    vectors = np.eye(3)[:n] + 0.1
    tree = build_tree(vectors)
    found = leaf_moves(tree, vectors, weights="similarity")
    assert (found.moves, found.lower, found.equal) == (0, 0, 0)
    assert np.isnan(found.share_lower)


def test_three_layers():
    tree = build_tree(np.random.default_rng(0).normal(size=(80, 4)), max_children=None)
    flat = three_layer_tree(tree)
    assert (tree.depth > 2, flat.depth) == (True, 2)
    assert flat.parent[:80].tolist() == tree.parent[:80].tolist()
    assert three_layer_tree(SIZES_2_3_7) == SIZES_2_3_7
    star = AbstractTree([3, 3, 3, -1], [0, 0, 0, 1])
    assert three_layer_tree(star) == star


def on_a_circle(*angles: float) -> np.ndarray:
    """Unit vectors at the given angles: near on the circle is similar."""
    return np.column_stack([np.cos(angles), np.sin(angles)])


def test_the_three_point_refutation_on_a_circle():
    points = on_a_circle(0, 0.1, 0.25)
    found, lone = closed_classes(build_tree(points), points, ["near", "near", "far"])
    assert (found.size, found.closed, found.is_node, found.refutes) == (2, True, False, True)
    assert (lone.closed, lone.is_node, lone.refutes) == (False, True, False)  # one point has no neighbour inside


def test_the_six_point_refutation_on_a_circle():
    points = on_a_circle(0, 0.1, 0.3, 0.4, 1.0, 1.1)
    first, rest = closed_classes(build_tree(points), points, list("aaaabb"))
    assert (first.refutes, rest.refutes) == (True, False)
    assert (rest.closed, rest.is_node) == (True, True)


def test_a_class_that_is_a_node_and_one_that_is_not_closed():
    points = on_a_circle(0, 0.1, 1.0, 1.1)
    whole = closed_classes(build_tree(points), points, list("aabb"))
    assert [(c.closed, c.is_node) for c in whole] == [(True, True)] * 2
    mixed = closed_classes(build_tree(points), points, list("abab"))
    assert [(c.closed, c.is_node, c.refutes) for c in mixed] == [(False, False, False)] * 2
    everything = closed_classes(build_tree(points), points, list("aaaa"))
    assert [(c.closed, c.is_node) for c in everything] == [(True, True)]


def test_a_tie_across_the_border_is_not_closed():
    points = np.array([[1, 0], [1, 0], [1, 0]], dtype=float)
    assert not closed_classes(build_tree(points), points, list("aab"))[0].closed


@settings(max_examples=20, deadline=None)
@given(distinct_vectors(max_rows=16))
def test_unions_of_two_nodes_are_counted_right(vectors):
    tree = build_tree(vectors, max_children=None)
    if tree.depth == 0:
        return
    sets = {frozenset(tree.leaves(node).tolist()) for node in range(tree.n_nodes)}
    nodes = [frozenset(tree.leaves(node).tolist()) for node in tree.layer_nodes(1)]
    unions = [a | b for at, a in enumerate(nodes) for b in nodes[:at]]
    assert closed_pairs_of_nodes(tree) == (sum(union not in sets for union in unions), len(unions))


def test_the_layer_is_read():
    tree = build_tree(np.random.default_rng(0).normal(size=(80, 4)), max_children=None)
    assert closed_pairs_of_nodes(tree, layer=2)[1] < closed_pairs_of_nodes(tree, layer=1)[1]
    assert closed_pairs_of_nodes(tree, layer=tree.depth) == (0, 0)


def test_wrong_input_is_named():
    with pytest.raises(PsiragError, match=r"vectors must have shape \(12, d\), but got \(3, 1\)"):
        move_differences(SIZES_2_3_7, np.ones((3, 1)))
    with pytest.raises(PsiragError, match="weights must be 'similarity', 'distance' or 'unit', but got 'cosine'"):
        leaf_moves(SIZES_2_3_7, np.eye(12), weights="cosine")
    with pytest.raises(PsiragError, match="one label and one vector per leaf, but got 2 labels, 12 vectors, 12 leaves"):
        closed_classes(SIZES_2_3_7, np.eye(12), ["a", "b"])

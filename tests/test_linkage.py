"""Trees from SciPy's linkages: the witness of every merge by brute force, single linkage against the exact builder."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage

from psirag.errors import PsiragError, PsiragWarning
from psirag.tree import AbstractTree, build_tree
from psirag.tree.linkage import linkage_tree, linkage_witnesses
from psirag.tree.similarity_keys import similarity_keys
from psirag.vectors import unit_rows
from tests.strategies import clumped_vectors, distinct_vectors, tied_vectors

METHODS = ["average", "complete", "single", "ward"]


def brute_force_witnesses(rows, merged):
    """For each merge, rank all pairs across the two sides: key descending, then u, then v."""
    below = [{leaf} for leaf in range(len(rows))]
    witnesses = []
    for a, b in merged:
        pairs = [(min(x, y), max(x, y)) for x, y in product(below[a], below[b])]
        keys = [int(similarity_keys(rows, np.array([u]), np.array([v]))[0]) for u, v in pairs]
        witnesses.append(min(zip(keys, pairs, strict=True), key=lambda pair: (-pair[0], pair[1]))[1])
        below.append(below[a] | below[b])
    return witnesses


@pytest.mark.oracle
@settings(max_examples=25, deadline=None)
@given(st.one_of(distinct_vectors(max_rows=14), tied_vectors(max_rows=10)), st.sampled_from(METHODS))
@pytest.mark.filterwarnings("ignore:vectors")
def test_each_witness_is_the_first_pair_across_the_two_sides(vectors, method):
    rows = unit_rows(vectors)
    exact = rows.astype(float)
    exact /= np.maximum(np.linalg.norm(exact, axis=1, keepdims=True), 0.5)
    i, j = np.triu_indices(len(rows), 1)
    squared = ((exact[i] - exact[j]) ** 2).sum(axis=1).round(12)
    distances = np.sqrt(squared) if method == "ward" else (1 - (exact[i] * exact[j]).sum(axis=1)).round(12)
    merged = linkage(distances, method)[:, :2].astype(int).tolist() if len(rows) > 1 else []
    u, v = linkage_witnesses(rows, method)
    assert list(zip(u.tolist(), v.tolist(), strict=True)) == brute_force_witnesses(rows, merged)


@pytest.mark.oracle
@settings(max_examples=40, deadline=None)
@given(distinct_vectors(max_rows=40), st.sampled_from([3, 4, 40, None]))
def test_single_linkage_is_the_exact_tree(vectors, max_children):
    found = linkage_tree(vectors, "single", max_children=max_children)
    assert found == build_tree(vectors, max_children=max_children)


@settings(max_examples=40, deadline=None)
@given(st.one_of(distinct_vectors(), tied_vectors(), clumped_vectors()), st.sampled_from(METHODS))
@pytest.mark.filterwarnings("ignore:vectors")
def test_every_method_gives_a_tree_of_the_same_kind(vectors, method):
    tree = linkage_tree(vectors, method, max_children=None)
    assert isinstance(tree, AbstractTree)
    assert tree.n_leaves == len(vectors)
    assert tree.depth <= len(vectors).bit_length() - 1
    assert np.diff(tree.child_start)[tree.n_leaves :].min(initial=2) >= 2


def test_average_linkage_by_hand():
    """Angles 0°, 4°, 10°, 18°, 40°: 0–1 and then 2–3 merge, the two pairs join on a new node, 40° comes last.

    The lone leaf at 40° goes to the parent of its most similar leaf, 18°.
    """
    angles = np.deg2rad([0, 4, 10, 18, 40])
    vectors = np.column_stack([np.cos(angles), np.sin(angles)])
    assert linkage_tree(vectors, "average").parent.tolist() == [5, 5, 6, 6, 6, 7, 7, -1]
    u, v = linkage_witnesses(unit_rows(vectors), "average")
    assert list(zip(u.tolist(), v.tolist(), strict=True)) == [(0, 1), (2, 3), (1, 2), (3, 4)]


def test_the_four_methods_give_four_trees():
    vectors = np.random.default_rng(0).normal(size=(60, 6))
    assert len({linkage_tree(vectors, method, max_children=None) for method in METHODS}) == 4


def test_the_default_is_average_linkage_with_forty_children():
    vectors = np.random.default_rng(1).normal(size=(300, 8))
    assert linkage_tree(vectors) == linkage_tree(vectors, "average", max_children=40)
    assert np.diff(linkage_tree(vectors, max_children=3).child_start).max() <= 3


@pytest.mark.parametrize("method", METHODS)
def test_small_and_equal_inputs(method):
    assert linkage_tree([[1.0, 0.0]], method).parent.tolist() == [-1]
    assert linkage_tree([[1.0, 0.0], [0.0, 1.0]], method).parent.tolist() == [2, 2, -1]
    assert linkage_tree(np.ones((30, 3)), method, max_children=None).parent.tolist() == [30] * 30 + [-1]
    with pytest.warns(PsiragWarning, match="rows 0, 1 zero"):
        assert linkage_tree(np.zeros((2, 3)), method).n_leaves == 2


@pytest.mark.parametrize("method", METHODS)
def test_renaming_the_chunks_renames_the_tree(method):
    vectors = np.random.default_rng(3).normal(size=(40, 6))
    order = np.random.default_rng(4).permutation(40)
    tree, shuffled = linkage_tree(vectors, method), linkage_tree(vectors[order], method)
    sets = {frozenset(tree.leaves(node).tolist()) for node in range(tree.n_nodes)}
    assert sets == {frozenset(order[shuffled.leaves(node)].tolist()) for node in range(shuffled.n_nodes)}


def test_wrong_input_is_named():
    with pytest.raises(
        PsiragError, match="method must be one of 'average', 'complete', 'single', 'ward', but got 'median'"
    ):
        linkage_tree(np.eye(3), "median")
    with pytest.raises(PsiragError, match="at least one vector"):
        linkage_tree(np.empty((0, 3)))
    with pytest.raises(PsiragError, match="max_children must be at least 3"):
        linkage_tree(np.eye(3), max_children=2)

"""The approximate route: always a tree, and how much of the exact one it keeps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psirag.errors import PsiragError
from psirag.tree import AbstractTree, build_tree
from psirag.tree.agreement import agreement
from psirag.tree.building import tree_of_pairs
from psirag.tree.hnsw import hnsw_pairs, hnsw_tree
from psirag.tree.spanning_tree import spanning_tree
from psirag.vectors import unit_rows
from tests.strategies import any_vectors

pytest.importorskip("faiss")
pytestmark = pytest.mark.filterwarnings("ignore:.*zero:psirag.errors.PsiragWarning")


def clustered(n=1500, d=24):
    rng = np.random.default_rng(4)
    return unit_rows(rng.normal(size=(40, d))[rng.integers(0, 40, n)] + 0.7 * rng.normal(size=(n, d)))


@settings(max_examples=40, deadline=None)
@given(any_vectors, st.integers(1, 40), st.integers(2, 8))
def test_every_input_gives_a_tree_even_with_more_neighbours_than_rows(vectors, neighbours, links):
    tree = hnsw_tree(vectors, neighbours=neighbours, links=links, exact_below=1)
    assert tree.n_leaves == len(vectors)
    assert tree.leaves(tree.root).tolist() == list(range(len(vectors)))


def test_below_the_threshold_it_is_the_exact_tree():
    rows = clustered(300)
    assert hnsw_tree(rows) == build_tree(rows)
    assert hnsw_tree(rows[:3], neighbours=32) == build_tree(rows[:3])


def test_three_thousand_chunks_of_thirty_texts():
    rows = unit_rows(np.random.default_rng(0).normal(size=(30, 16)))[np.arange(3000) % 30]
    assert hnsw_tree(rows, neighbours=32) == build_tree(rows)
    assert hnsw_tree(rows, neighbours=2, exact_below=1).n_leaves == 3000


def test_two_runs_are_equal_and_every_setting_counts():
    rows = clustered()
    plain = {"neighbours": 8, "links": 8, "ef_construction": 40, "ef_search": 16, "exact_below": 100}
    trees = [hnsw_pairs(rows, **plain), hnsw_pairs(rows, **plain)]
    assert np.array_equal(trees[0].key, trees[1].key)
    for name, other in [
        ("neighbours", 1),
        ("links", 3),
        ("ef_construction", 2),
        ("ef_search", 1),
        ("exact_below", 5000),
    ]:
        changed = hnsw_pairs(rows, **{**plain, name: other})
        assert not np.array_equal(trees[0].key, changed.key), name


def test_a_better_graph_keeps_more_nodes_and_the_weight_hides_it():
    rows = clustered()
    exact_pairs = spanning_tree(rows)
    exact = tree_of_pairs(exact_pairs)
    shares = []
    for search in (1, 200):
        pairs = hnsw_pairs(rows, neighbours=4, links=4, ef_construction=8, ef_search=search, exact_below=100)
        shares.append(agreement(tree_of_pairs(pairs), exact, pairs, exact_pairs))
    assert shares[0].nodes < shares[1].nodes
    assert shares[0].nodes < shares[0].pairs < shares[0].weight <= 1 + 1e-9


@pytest.mark.parametrize(
    "wrong", [{"neighbours": 0}, {"links": 1}, {"ef_search": True}, {"ef_construction": 2.0}, {"threads": 0}]
)
def test_wrong_settings(wrong):
    with pytest.raises(PsiragError, match=next(iter(wrong))):
        hnsw_tree(np.eye(3), **wrong)
    with pytest.raises(PsiragError, match="max_children"):
        hnsw_tree(np.eye(3), max_children=2)
    with pytest.raises(PsiragError, match="at least one vector"):
        hnsw_tree(np.empty((0, 3)))


def test_without_faiss_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr("psirag.tree.hnsw.find_spec", lambda _: None)
    with pytest.raises(PsiragError, match=r"hnsw_tree needs faiss.*psirag\[cpu\]"):
        hnsw_tree(clustered(200), exact_below=10)
    assert hnsw_tree(clustered(200)).n_leaves == 200  # the exact tree needs none


@pytest.mark.oracle
def test_agreement_by_hand():
    exact = AbstractTree([6, 6, 7, 7, 8, 8, 9, 9, 9, -1], [0, 0, 0, 0, 0, 0, 1, 1, 1, 2])
    other = AbstractTree([6, 6, 7, 7, 7, 7, 8, 8, -1], [0, 0, 0, 0, 0, 0, 1, 1, 2])
    assert agreement(other, exact).nodes == 2 / 4  # {0, 1} and the root
    assert agreement(exact, other).nodes == 2 / 3
    assert np.isnan(agreement(other, exact).pairs)
    rows = unit_rows(np.eye(4) + 0.1)
    pairs, star = spanning_tree(rows), spanning_tree(rows[[1, 0, 2, 3]])
    assert agreement(tree_of_pairs(pairs), tree_of_pairs(star), pairs, star).pairs == 1.0
    with pytest.raises(PsiragError, match="same leaves"):
        agreement(exact, tree_of_pairs(pairs))
    lone = spanning_tree(rows[:1])
    assert agreement(tree_of_pairs(lone), tree_of_pairs(lone), lone, lone).nodes == 1.0

"""Tree retrieval against a plain loop that does Algorithm 2 for one query, node by node."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psirag.retrieval import FlatIndex, retrieve_from_tree
from psirag.retrieval.ranking import cosines, ranks_within_query
from psirag.retrieval.tree_retrieval import nodes_with_allowed_leaves
from psirag.tree import AbstractTree, build_tree
from psirag.vectors import unit_rows
from tests.strategies import any_vectors


def quiet_unit_rows(rows: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(length > 0, length, 1)).astype(np.float32)


def tree_and_vectors(rows: np.ndarray) -> tuple[AbstractTree, np.ndarray]:
    """A tree over the rows, with the sum of the leaves below as each node's direction."""
    leaves = quiet_unit_rows(rows)
    rng = np.random.default_rng(len(leaves))
    parent, layer = list(range(len(leaves))), [list(range(len(leaves)))]
    while len(layer[-1]) > 1:  # groups of two or three neighbours: any equi-depth tree will do here
        below, above = layer[-1], []
        position = 0
        while position < len(below):
            size = min(int(rng.integers(2, 4)), len(below) - position)
            node = len(parent)
            parent.append(node)
            for child in below[position : position + size]:
                parent[child] = node
            above.append(node)
            position += size
        layer.append(above)
    parent[-1] = -1
    tree = AbstractTree.from_parents(np.array(parent), len(leaves))
    sums = np.array([leaves[tree.leaves(v)].sum(axis=0) for v in range(tree.n_nodes)])
    vectors = quiet_unit_rows(sums)
    vectors[: len(leaves)] = leaves
    return tree, vectors


def descend_slowly(tree, vectors, query, k, beam):
    """Algorithm 2 as one reads it: candidates, cut where there are more than the beam, children."""

    def score(v):
        return float(np.clip(np.float64(np.einsum("ij,ij->i", vectors[v : v + 1], query[None])[0]), -1, 1))

    candidates, layers, scored = [tree.root], [], 0
    for layer in range(tree.depth, -1, -1):
        scores = [float("nan")] * len(candidates)
        kept = candidates
        if layer == 0 or len(candidates) > beam:
            scores = [score(v) for v in candidates]
            scored += len(candidates)
            limit = k if layer == 0 else beam
            kept = [v for _, v in sorted(zip([-s for s in scores], candidates, strict=True))][:limit]
        layers.append((layer, candidates, scores, kept))
        candidates = sorted(int(c) for v in kept for c in tree.children(v)) if layer else []
    return layers, scored


def assert_same(descent, layers, scored):
    assert descent.nodes_scored == scored
    assert len(descent.layers) == len(layers)
    for trace, (layer, candidates, scores, kept) in zip(descent.layers, layers, strict=True):
        assert trace.layer == layer
        assert trace.candidates.tolist() == candidates
        np.testing.assert_array_equal(trace.scores, scores)
        assert trace.kept.tolist() == list(kept)
        assert trace.scored == (not np.isnan(scores).any())
    assert descent.leaves.nodes.tolist() == list(layers[-1][3])


@pytest.mark.oracle
@settings(deadline=None)
@given(rows=any_vectors, k=st.integers(1, 8), beam=st.integers(1, 8), seed=st.integers(0, 99))
def test_equals_the_plain_loop(rows, k, beam, seed):
    tree, vectors = tree_and_vectors(rows)
    rng = np.random.default_rng(seed)
    queries = quiet_unit_rows(np.vstack([rng.normal(size=(3, rows.shape[1])), rows[:2], np.zeros((1, rows.shape[1]))]))
    for query, descent in zip(queries, retrieve_from_tree(tree, vectors, queries, k, beam=beam), strict=True):
        assert_same(descent, *descend_slowly(tree, vectors, query, k, beam))


@settings(deadline=None, max_examples=50)
@given(rows=any_vectors, k=st.integers(1, 8), beam=st.integers(1, 8), repeats=st.integers(1, 40))
def test_a_batch_gives_each_query_the_same_bits_as_alone(rows, k, beam, repeats):
    tree, vectors = tree_and_vectors(rows)
    queries = quiet_unit_rows(np.repeat(np.random.default_rng(1).normal(size=(5, rows.shape[1])), repeats, axis=0))
    batch = retrieve_from_tree(tree, vectors, queries, k, beam=beam)
    for i in range(0, len(queries), repeats):
        (alone,) = retrieve_from_tree(tree, vectors, queries[i : i + 1], k, beam=beam)
        for at in (batch[i], batch[min(i + repeats - 1, len(queries) - 1)]):
            assert at.leaves.scores.tobytes() == alone.leaves.scores.tobytes()
            assert at.nodes_scored == alone.nodes_scored
            for a, b in zip(at.layers, alone.layers, strict=True):
                assert a.candidates.tobytes() == b.candidates.tobytes()
                assert a.scores.tobytes() == b.scores.tobytes()
                assert a.kept.tobytes() == b.kept.tobytes()


@pytest.mark.parametrize("dimension", [1, 7, 384, 1024])
def test_a_cosine_has_the_same_bits_wherever_it_stands(dimension):
    rng = np.random.default_rng(0)
    vectors, queries = unit_rows(rng.normal(size=(700, dimension))), unit_rows(rng.normal(size=(3, dimension)))
    query, node = np.repeat(np.arange(3), 700), np.tile(np.arange(700), 3)
    together = cosines(queries, vectors, query, node)
    for i in range(0, len(node), 97):
        alone = cosines(queries[query[i] : query[i] + 1], vectors, np.zeros(1, np.int64), node[i : i + 1])
        assert alone.tobytes() == together[i : i + 1].tobytes()


@settings(deadline=None)
@given(rows=any_vectors, seed=st.integers(0, 99))
def test_a_beam_of_the_widest_layer_is_flat_search(rows, seed):
    tree, vectors = tree_and_vectors(rows)
    queries = quiet_unit_rows(np.random.default_rng(seed).normal(size=(4, rows.shape[1])))
    n = len(rows)
    flat = FlatIndex(vectors[:n], backend="numpy").search(queries, n)
    for descent, ranking in zip(retrieve_from_tree(tree, vectors, queries, n, beam=n), flat, strict=True):
        assert descent.leaves.nodes.tolist() == ranking.nodes.tolist()
        assert descent.leaves.scores.tobytes() == ranking.scores.tobytes()
        assert descent.nodes_scored == n  # only the leaves are scored


def test_layers_that_fit_pass_unscored_and_uncounted():
    tree = AbstractTree.from_parents(np.array([4, 4, 5, 5, 6, 6, -1]), 4)
    leaves = np.eye(4, dtype=np.float32)
    vectors = quiet_unit_rows(np.vstack([leaves, leaves[:2].sum(0), leaves[2:].sum(0), leaves.sum(0)]))
    (wide,) = retrieve_from_tree(tree, vectors, leaves[2:3], 4, beam=2)
    assert [(t.layer, t.scored, len(t.kept)) for t in wide.layers] == [(2, False, 1), (1, False, 2), (0, True, 4)]
    assert wide.nodes_scored == 4
    assert np.isnan(wide.layers[1].scores).all()
    (narrow,) = retrieve_from_tree(tree, vectors, leaves[2:3], 4, beam=1)
    assert narrow.layers[1].kept.tolist() == [5]
    assert narrow.layers[1].scores.tolist() == pytest.approx([0, 2**-0.5])
    assert narrow.leaves.nodes.tolist() == [2, 3]
    assert narrow.nodes_scored == 2 + 2


def test_beam_may_differ_from_the_number_returned():
    rng = np.random.default_rng(3)
    rows = unit_rows(rng.normal(size=(200, 8)))
    tree, vectors = tree_and_vectors(rows)
    (descent,) = retrieve_from_tree(tree, vectors, rows[:1], 3, beam=20)
    assert len(descent.leaves.nodes) == 3
    assert max(len(t.kept) for t in descent.layers) == 20


def test_ties_go_to_the_lower_node():
    tree, vectors = tree_and_vectors(np.eye(3)[[0] * 12])
    (descent,) = retrieve_from_tree(tree, vectors, vectors[:1], 4, beam=2)
    assert descent.leaves.nodes.tolist() == sorted(descent.leaves.nodes.tolist())
    assert descent.leaves.nodes[0] == 0
    assert (descent.leaves.scores <= 1).all()


def test_one_chunk_is_found_whatever_its_score():
    tree = AbstractTree.from_parents(np.array([-1]), 1)
    (descent,) = retrieve_from_tree(tree, np.ones((1, 1), np.float32), -np.ones((1, 1), np.float32), 5, beam=5)
    assert (descent.leaves.nodes.tolist(), descent.leaves.scores.tolist()) == ([0], [-1.0])
    assert (descent.nodes_scored, len(descent.layers)) == (1, 1)


def test_no_queries_give_no_descents():
    tree, vectors = tree_and_vectors(np.eye(3))
    assert retrieve_from_tree(tree, vectors, np.empty((0, 3), np.float32), 5, beam=5) == []


def test_cosines_stay_within_one_and_zero_rows_score_zero():
    rng = np.random.default_rng(0)
    rows = unit_rows(rng.normal(size=(400, 384)))
    every = np.arange(400)
    scores = cosines(rows, rows, every, every)
    assert scores.max() == 1.0
    assert (1 - scores >= 0).all()
    assert cosines(np.zeros((1, 384), np.float32), rows, np.zeros(400, np.int64), every).tolist() == [0.0] * 400


@pytest.mark.parametrize("leaves", [[0], [3, 4], [0, 7, 11], []])
def test_only_allowed_leaves_are_reached(leaves):
    rng = np.random.default_rng(5)
    tree, vectors = tree_and_vectors(rng.normal(size=(12, 4)))
    mask = np.isin(np.arange(12), leaves)
    below = nodes_with_allowed_leaves(tree, mask)
    assert [bool(b) for b in below] == [bool(mask[tree.leaves(v)].any()) for v in range(tree.n_nodes)]
    (descent,) = retrieve_from_tree(tree, vectors, vectors[5:6], 12, beam=1, allowed=below)
    assert set(descent.leaves.nodes.tolist()) <= set(leaves)
    assert bool(leaves) == bool(len(descent.leaves.nodes))
    (wide,) = retrieve_from_tree(tree, vectors, vectors[5:6], 12, beam=12, allowed=below)
    assert sorted(wide.leaves.nodes.tolist()) == leaves


def test_of_equal_texts_only_the_best_leaf_is_returned():
    tree, vectors = tree_and_vectors(np.array([[1, 0], [1, 0.1], [1, 0], [0, 1], [1, 0.1]]))
    group = np.array([0, 1, 0, 3, 1])
    (descent,) = retrieve_from_tree(tree, vectors, vectors[:1], 5, beam=99, same_text=group)
    assert descent.leaves.nodes.tolist() == [0, 1, 3]


def test_arrays_of_a_trace_are_read_only():
    tree, vectors = tree_and_vectors(np.eye(4))
    (descent,) = retrieve_from_tree(tree, vectors, vectors[:1], 2, beam=1)
    arrays = [descent.leaves.nodes, descent.leaves.scores]
    arrays += [a for t in descent.layers for a in (t.candidates, t.scores, t.kept)]
    assert not any(a.flags.writeable for a in arrays)


@pytest.mark.oracle
def test_psi_tree_of_random_vectors_equals_the_plain_loop():
    rows = unit_rows(np.random.default_rng(11).normal(size=(300, 16)))
    tree = build_tree(rows)
    vectors = quiet_unit_rows(np.array([rows[tree.leaves(v)].sum(axis=0) for v in range(tree.n_nodes)]))
    vectors[:300] = rows
    queries = unit_rows(np.random.default_rng(12).normal(size=(20, 16)))
    for query, descent in zip(queries, retrieve_from_tree(tree, vectors, queries, 5, beam=7), strict=True):
        assert_same(descent, *descend_slowly(tree, vectors, query, 5, 7))


def test_ranks_restart_with_each_query():
    assert ranks_within_query(np.array([0, 0, 2, 2, 2, 5])).tolist() == [0, 1, 0, 1, 2, 0]
    assert ranks_within_query(np.array([], dtype=np.int64)).tolist() == []

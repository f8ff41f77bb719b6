"""Buckets: no chunk lost, no bucket too large, and the same tree wherever the buckets run."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psirag.errors import PsiragError
from psirag.tree import build_tree
from psirag.tree.agreement import agreement
from psirag.tree.bucketing import _cut, bucketed_pairs, bucketed_tree
from psirag.tree.hnsw import hnsw_pairs
from psirag.tree.similarity_keys import similarity_keys
from psirag.tree.spanning_tree import SpanningTree, spanning_tree
from psirag.vectors import unit_rows
from tests.strategies import any_vectors

pytestmark = pytest.mark.filterwarnings("ignore:.*zero:psirag.errors.PsiragWarning")


@settings(max_examples=60, deadline=None)
@given(any_vectors, st.integers(2, 12), st.integers(0, 3))
def test_every_input_gives_a_tree_over_all_leaves(vectors, bucket_size, seed):
    tree = bucketed_tree(vectors, bucket_size=bucket_size, seed=seed)
    assert tree.leaves(tree.root).tolist() == list(range(len(vectors)))
    buckets = _cut(unit_rows(vectors), np.arange(len(vectors)), bucket_size, np.random.default_rng(seed))
    assert max(map(len, buckets)) <= bucket_size
    assert sorted(np.concatenate(buckets).tolist()) == list(range(len(vectors)))


@given(any_vectors)
def test_one_bucket_is_the_exact_tree(vectors):
    assert bucketed_tree(vectors, bucket_size=max(2, len(vectors))) == build_tree(vectors)


def test_buckets_of_equal_rows_are_cut_by_position():
    assert bucketed_tree(np.ones((50, 3)), bucket_size=4).n_leaves == 50
    opposite = np.repeat([[1.0, 0], [-1.0, 0]], 10, axis=0)  # their sum has no direction
    assert bucketed_tree(opposite, bucket_size=3).n_leaves == 20


def test_pairs_inside_buckets_come_first_and_every_setting_counts():
    rng = np.random.default_rng(6)
    rows = unit_rows(rng.normal(size=(20, 12))[rng.integers(0, 20, 500)] + 0.5 * rng.normal(size=(500, 12)))
    u, v = bucketed_pairs(rows, bucket_size=60)
    assert len(u) == 499
    assert np.all(u < v)
    plain = bucketed_tree(rows, bucket_size=60)
    assert plain != bucketed_tree(rows, bucket_size=60, seed=9)
    assert plain != bucketed_tree(rows, bucket_size=30)
    assert plain != bucketed_tree(rows, bucket_size=60, max_children=3)
    weak = bucketed_tree(
        rows, bucket_size=60, pairs=lambda some: hnsw_pairs(some, neighbours=1, links=2, ef_search=1, exact_below=1)
    )
    assert plain != weak
    pairs = SpanningTree(u, v, similarity_keys(rows, u, v), len(rows))
    shares = agreement(plain, build_tree(rows), pairs, spanning_tree(rows))
    assert 0.05 < shares.nodes < shares.pairs < shares.weight < 1


@pytest.mark.parametrize("size", [0, 1, -3, True, 2.0, None])
def test_a_bucket_holds_at_least_two(size):
    with pytest.raises(PsiragError, match="bucket_size"):
        bucketed_tree(np.eye(3), bucket_size=size)


def test_wrong_input():
    with pytest.raises(PsiragError, match="at least one vector"):
        bucketed_tree(np.empty((0, 3)))
    with pytest.raises(PsiragError, match="seed"):
        bucketed_tree(np.eye(3), seed=-1)
    with pytest.raises(PsiragError, match="max_children"):
        bucketed_tree(np.eye(3), max_children=1)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_other_workers_give_the_same_bits(backend):
    from joblib import parallel_config

    rng = np.random.default_rng(8)
    rows = unit_rows(rng.normal(size=(900, 16)))
    plain, buckets = spanning_tree(rows, block=100), bucketed_tree(rows, bucket_size=200)
    with parallel_config(backend=backend, n_jobs=2):
        elsewhere = spanning_tree(rows, block=100)
        assert np.array_equal([plain.u, plain.v, plain.key], [elsewhere.u, elsewhere.v, elsewhere.key])
        assert bucketed_tree(rows, bucket_size=200) == buckets


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_bits():
    distributed = pytest.importorskip("dask.distributed")
    from joblib import parallel_config

    rng = np.random.default_rng(9)
    rows = unit_rows(rng.normal(size=(60, 32))[rng.integers(0, 60, 3000)] + 0.6 * rng.normal(size=(3000, 32)))
    plain, buckets = spanning_tree(rows), bucketed_tree(rows, bucket_size=400)
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client, parallel_config(backend="dask"):
        elsewhere = spanning_tree(rows, block=256)
        assert np.array_equal([plain.u, plain.v, plain.key], [elsewhere.u, elsewhere.v, elsewhere.key])
        assert bucketed_tree(rows, bucket_size=400) == buckets
        assert client.scheduler_info()["workers"]

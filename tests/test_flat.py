"""Flat search: numpy and faiss must agree with a full sort, with each other, and with themselves in a batch."""

from __future__ import annotations

import sys
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psirag.errors import PsiragError
from psirag.retrieval import FlatIndex
from psirag.retrieval import flat as flat_module
from psirag.retrieval.flat import check_one_faiss
from psirag.vectors import unit_rows
from tests.strategies import any_vectors
from tests.test_tree_retrieval import quiet_unit_rows

BACKENDS = ["numpy", pytest.param("faiss", marks=pytest.mark.skipif(find_spec("faiss") is None, reason="no faiss"))]


def full_sort(vectors, query, k):
    scores = [float(np.clip(np.float64(np.einsum("ij,ij->i", v[None], query[None])[0]), -1, 1)) for v in vectors]
    return sorted(zip([-s for s in scores], range(len(scores)), strict=True))[:k]


@pytest.mark.oracle
@pytest.mark.parametrize("backend", BACKENDS)
@settings(deadline=None, max_examples=60)
@given(rows=any_vectors, k=st.integers(1, 12), seed=st.integers(0, 99))
def test_equals_a_full_sort(backend, rows, k, seed):
    vectors = quiet_unit_rows(rows)
    random = np.random.default_rng(seed).normal(size=(3, rows.shape[1]))
    queries = quiet_unit_rows(np.vstack([random, rows[:2], np.zeros((1, rows.shape[1]))]))
    for query, found in zip(queries, FlatIndex(vectors, backend=backend).search(queries, k), strict=True):
        expected = full_sort(vectors, query, k)
        assert found.nodes.tolist() == [i for _, i in expected]
        assert found.scores.tolist() == [-s for s, _ in expected]


@pytest.mark.oracle
@pytest.mark.skipif(find_spec("faiss") is None, reason="no faiss")
@pytest.mark.parametrize("k", [1, 5, 100, 3000])
def test_both_backends_agree_bit_for_bit_with_many_ties(k):
    rng = np.random.default_rng(0)
    rows = unit_rows(rng.normal(size=(300, 24)))[rng.integers(0, 300, 2500)]
    queries = unit_rows(rng.normal(size=(7, 24)))
    by_numpy, by_faiss = (FlatIndex(rows, backend=b).search(queries, k) for b in ("numpy", "faiss"))
    for a, b in zip(by_numpy, by_faiss, strict=True):
        assert a.nodes.tobytes() == b.nodes.tobytes()
        assert a.scores.tobytes() == b.scores.tobytes()


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_batch_gives_the_same_bits_as_one_query(backend):
    rng = np.random.default_rng(1)
    flat = FlatIndex(unit_rows(rng.normal(size=(900, 48))), backend=backend)
    queries = unit_rows(rng.normal(size=(33, 48)))
    for i, found in enumerate(flat.search(queries, 10)):
        (alone,) = flat.search(queries[i : i + 1], 10)
        assert alone.nodes.tobytes() + alone.scores.tobytes() == found.nodes.tobytes() + found.scores.tobytes()


def test_blocks_of_queries_change_nothing(monkeypatch):
    rng = np.random.default_rng(2)
    flat = FlatIndex(unit_rows(rng.normal(size=(50, 8))), backend="numpy")
    queries = unit_rows(rng.normal(size=(9, 8)))
    whole = flat.search(queries, 4)
    monkeypatch.setattr(flat_module, "SIMILARITIES_AT_ONCE", 60)
    assert [r.nodes.tolist() for r in flat.search(queries, 4)] == [r.nodes.tolist() for r in whole]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_k_above_the_corpus_returns_it_once(backend, n):
    vectors = unit_rows(np.random.default_rng(n).normal(size=(n, 4)))
    (found,) = FlatIndex(vectors, backend=backend).search(vectors[:1], 5)
    assert sorted(found.nodes.tolist()) == list(range(n))
    assert np.isfinite(found.scores).all()
    assert (np.diff(found.scores) <= 0).all()


@pytest.mark.parametrize("backend", BACKENDS)
def test_allowed_rows_and_equal_texts(backend):
    vectors = quiet_unit_rows(np.array([[1, 0], [1, 0], [1, 0.2], [0, 1], [1, 0.2], [1, 0]]))
    flat = FlatIndex(vectors, backend=backend)
    allowed = np.array([False, True, True, True, False, True])
    (found,) = flat.search(vectors[:1], 3, allowed=allowed)
    assert found.nodes.tolist() == [1, 5, 2]
    (distinct,) = flat.search(vectors[:1], 3, same_text=np.array([0, 0, 2, 3, 2, 0]))
    assert distinct.nodes.tolist() == [0, 2, 3]
    (both,) = flat.search(vectors[:1], 9, allowed=allowed, same_text=np.array([0, 0, 2, 3, 2, 0]))
    assert both.nodes.tolist() == [1, 2, 3]
    (none,) = flat.search(vectors[:1], 3, allowed=np.zeros(6, bool))
    assert none.nodes.tolist() == []


def test_enough_distinct_texts_are_found_behind_many_copies():
    vectors = quiet_unit_rows(np.array([[1, 0]] * 40 + [[1, 1], [0, 1], [-1, 0]]))
    group = np.r_[np.zeros(40, np.int64), 40, 41, 42]
    for k in range(1, 6):
        (found,) = FlatIndex(vectors, backend="numpy").search(vectors[:1], k, same_text=group)
        assert found.nodes.tolist() == [0, 40, 41, 42][:k]


def test_no_queries():
    assert FlatIndex(np.eye(3, dtype=np.float32), backend="numpy").search(np.empty((0, 3), np.float32), 2) == []


@pytest.mark.parametrize("k", [0, -1, True, 2.0, None])
def test_wrong_k(k):
    with pytest.raises(PsiragError, match="k must be"):
        FlatIndex(np.eye(3, dtype=np.float32), backend="numpy").search(np.eye(3, dtype=np.float32), k)


def test_wrong_backend():
    with pytest.raises(PsiragError, match="backend must be one of"):
        FlatIndex(np.eye(3, dtype=np.float32), backend="hnsw")


def test_two_distributions_of_faiss_are_an_error():
    with pytest.raises(PsiragError, match=r"faiss-cpu and faiss-gpu.*pip uninstall -y faiss-cpu faiss-gpu"):
        check_one_faiss(["faiss-gpu", "faiss-cpu"])
    check_one_faiss(["faiss-cpu"])


def test_two_distributions_are_noticed_when_an_index_is_made(monkeypatch):
    monkeypatch.setattr(flat_module, "find_spec", lambda name: object())
    monkeypatch.setattr(flat_module, "_faiss_distributions", lambda: ["faiss-cpu", "faiss-gpu"])
    with pytest.raises(PsiragError, match="faiss must come from one distribution"):
        FlatIndex(np.eye(3, dtype=np.float32))


def test_without_faiss_auto_is_numpy_and_faiss_is_an_error(monkeypatch):
    monkeypatch.setattr(flat_module, "find_spec", lambda name: None)
    assert FlatIndex(np.eye(3, dtype=np.float32)).backend == "numpy"
    with pytest.raises(PsiragError, match="backend='faiss' needs faiss"):
        FlatIndex(np.eye(3, dtype=np.float32), backend="faiss")


def test_the_module_does_not_import_faiss():
    assert "faiss" not in vars(sys.modules["psirag.retrieval.flat"])


@pytest.mark.skipif(find_spec("faiss") is None, reason="no faiss")
def test_the_packages_are_searched_for_faiss_once_and_not_for_every_index(monkeypatch):
    calls = []
    flat_module._faiss_distributions.cache_clear()
    monkeypatch.setattr(flat_module, "packages_distributions", lambda: calls.append(1) or {})
    for _ in range(3):
        FlatIndex(np.eye(3, dtype=np.float32), backend="faiss")
    flat_module._faiss_distributions.cache_clear()
    assert len(calls) == 1

"""Places on the map: FR-093, FR-095, FR-096, FR-097, FR-098."""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psirag.errors import PsiragError, PsiragWarning
from psirag.views import embedding_layout
from psirag.views.embedding_layout import embedding_map_layout, nearest_rows, place_query

RANDOM = np.random.default_rng(0)
THREE_TOPICS = np.repeat(RANDOM.normal(size=(3, 24)), 14, axis=0) + 0.2 * RANDOM.normal(size=(42, 24))


@given(st.integers(1, 11), st.integers(1, 9), st.integers(0, 1_000))
def test_few_points_are_finite_and_apart(n: int, d: int, seed: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(n, d))
    places = embedding_map_layout(rows)
    assert places.shape == (n, 2)
    assert places.dtype == np.float64
    assert np.isfinite(places).all()
    assert len(np.unique(places, axis=0)) == n


def test_one_point_is_the_origin() -> None:
    assert embedding_map_layout([[3.0, 4.0]]).tolist() == [[0.0, 0.0]]


def test_equal_vectors_share_a_place_and_different_ones_do_not_even_in_one_direction() -> None:
    places = embedding_map_layout([[1.0, 0.0], [2.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert np.array_equal(places[0], places[2])
    assert len(np.unique(places, axis=0)) == 3


def test_all_equal_vectors_are_one_point() -> None:
    assert embedding_map_layout(np.ones((20, 4))).tolist() == [[0.0, 0.0]] * 20


def test_points_apart_only_in_a_third_dimension_are_set_apart() -> None:
    rows = np.array([[9, 0, 0.1], [9, 0, -0.1], [0, 9, 0.1], [0, 9, -0.1]])
    assert len(np.unique(embedding_map_layout(rows), axis=0)) == 4


def test_umap_gives_the_same_places_at_every_call_in_any_order_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first = embedding_map_layout(THREE_TOPICS)
        turned = embedding_map_layout(THREE_TOPICS[::-1])
    assert np.array_equal(first[::-1], turned)
    assert embedding_map_layout(THREE_TOPICS) is first
    middles = first.reshape(3, 14, 2).mean(axis=1)
    spread = np.linalg.norm(first.reshape(3, 14, 2) - middles[:, None], axis=2).max()
    assert spread < min(np.linalg.norm(middles[i] - middles[i - 1]) for i in range(3))


@pytest.mark.slow
def test_seed_and_neighbours_change_the_map_and_a_second_run_does_not() -> None:
    first = embedding_map_layout(THREE_TOPICS)
    embedding_layout._KNOWN.clear()
    assert np.array_equal(first, embedding_map_layout(THREE_TOPICS))
    assert not np.array_equal(first, embedding_map_layout(THREE_TOPICS, seed=1))
    assert not np.array_equal(first, embedding_map_layout(THREE_TOPICS, neighbours=4))


def test_without_umap_there_is_a_map_and_one_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "umap", None)
    with pytest.warns(PsiragWarning, match=r"umap-learn \d.* and scikit-learn \d") as told:
        places = embedding_map_layout(RANDOM.normal(size=(30, 5)))
    assert len(told) == 1
    assert len(np.unique(places, axis=0)) == 30


def test_a_umap_that_does_not_fit_its_scikit_learn_is_told_with_both_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def __init__(self, **settings: object) -> None:
            raise TypeError("unexpected keyword argument 'ensure_all_finite'")

    monkeypatch.setitem(sys.modules, "umap", type(sys)("umap"))
    sys.modules["umap"].UMAP = Broken  # type: ignore[attr-defined]
    with pytest.warns(PsiragWarning, match=r"umap-learn .* and scikit-learn .*ensure_all_finite"):
        embedding_map_layout(RANDOM.normal(size=(31, 5)))


def test_the_cache_is_bounded_and_places_are_read_only() -> None:
    for i in range(40):
        embedding_map_layout([[1.0, float(i)]])
    assert len(embedding_layout._KNOWN) <= 16
    with pytest.raises(ValueError, match="read-only"):
        embedding_map_layout([[1.0, 0.0]])[0] = 1


@pytest.mark.oracle
def test_a_query_is_the_weighted_mean_by_hand() -> None:
    rows = np.array([[1.0, 0.0], [0.0, 1.0]])
    query = np.array([0.8, 0.6])  # cosines 0.8 and 0.6: weights 1/0.04 = 25 and 1/0.16 = 6.25
    assert np.allclose(place_query([[0, 0], [1, 2]], rows, query), [6.25 / 31.25, 2 * 6.25 / 31.25], atol=1e-5)


def test_a_query_equal_to_a_chunk_stands_on_it_and_moves_nothing() -> None:
    places = RANDOM.normal(size=(42, 2))
    before = places.copy()
    assert np.allclose(place_query(places, THREE_TOPICS, 7 * THREE_TOPICS[5]), places[5], atol=1e-6)
    assert np.array_equal(places, before)


@settings(max_examples=30)
@given(st.integers(1, 12), st.integers(0, 99))
def test_a_query_stays_among_the_chunks(n: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    places, rows = random.normal(size=(n, 2)), random.normal(size=(n, 3))
    spot = place_query(places, rows, random.normal(size=3), neighbours=4)
    assert (spot >= places.min(axis=0) - 1e-9).all()
    assert (spot <= places.max(axis=0) + 1e-9).all()


def test_nearest_rows_break_ties_by_number() -> None:
    nearest, cosine = nearest_rows(np.eye(3, dtype=np.float32), np.array([0, 1, 1], dtype=np.float32), 3)
    assert nearest.tolist() == [1, 2, 0]
    assert cosine.tolist() == [1, 1, 0]


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: embedding_map_layout(np.empty((0, 3))), "at least one vector"),
        (lambda: embedding_map_layout([[np.nan, 1.0]]), "finite"),
        (lambda: embedding_map_layout([[1.0, 1.0]], seed=True), "seed"),
        (lambda: embedding_map_layout([[1.0, 1.0]], neighbours=1), "neighbours"),
        (lambda: place_query([[0.0, 0.0]], [[1.0, 0.0]], [1.0, 0.0, 0.0]), "place_query needs"),
        (lambda: place_query([[0.0]], [[1.0, 0.0]], [1.0, 0.0]), "place_query needs"),
        (lambda: place_query([[0.0, 0.0]], [[1.0, 0.0]], [1.0, 0.0], neighbours=0), "neighbours"),
    ],
)
def test_wrong_input_is_named(call: object, match: str) -> None:
    with pytest.raises(PsiragError, match=match):
        call()  # type: ignore[operator]

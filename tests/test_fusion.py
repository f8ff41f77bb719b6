"""Reciprocal rank fusion by hand arithmetic."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psirag.errors import PsiragError
from psirag.retrieval import reciprocal_rank_fusion

X, A, Y, B, C = 10, 11, 12, 13, 14
rankings = st.lists(st.lists(st.integers(0, 20), unique=True, max_size=12), max_size=4)


@pytest.mark.oracle
def test_sixty_by_hand():
    fused = reciprocal_rank_fusion([[X, A, Y], [B, C, Y]])
    assert fused == [
        (Y, pytest.approx(1 / 63 + 1 / 63)),
        (X, pytest.approx(1 / 61)),
        (B, pytest.approx(1 / 61)),
        (A, pytest.approx(1 / 62)),
        (C, pytest.approx(1 / 62)),
    ]
    assert fused[0][1] == pytest.approx(0.031746, abs=1e-6)


@pytest.mark.oracle
def test_the_constant_counts():
    fused = reciprocal_rank_fusion([[X, A, Y], [B, C, Y]], constant=1)
    assert fused[:3] == [(X, 0.5), (Y, 0.5), (B, 0.5)]  # a tie: by id


@pytest.mark.oracle
def test_constant_zero_is_the_sum_of_reciprocal_ranks():
    assert reciprocal_rank_fusion([[1, 2], [2]], constant=0) == [(2, 1.5), (1, 1.0)]


def test_missing_gets_nothing_and_nothing_gives_nothing():
    assert reciprocal_rank_fusion([]) == []
    assert reciprocal_rank_fusion([[], []]) == []
    assert reciprocal_rank_fusion([[5], []]) == [(5, 1 / 61)]


def test_a_repeated_id_counts_once():
    assert reciprocal_rank_fusion([[5, 5, 6]]) == [(5, 1 / 61), (6, 1 / 62)]


@given(rankings)
def test_the_order_of_the_rankings_leaves_no_trace(lists):
    assert reciprocal_rank_fusion(lists) == reciprocal_rank_fusion(lists[::-1])


@given(rankings, st.integers(0, 100))
def test_every_id_once_scores_descending(lists, constant):
    fused = reciprocal_rank_fusion(lists, constant=constant)
    assert sorted(i for i, _ in fused) == sorted({i for ranking in lists for i in ranking})
    assert fused == sorted(fused, key=lambda pair: (-pair[1], pair[0]))


@given(st.lists(st.integers(0, 50), unique=True))
def test_one_ranking_keeps_its_order(ranking):
    assert [i for i, _ in reciprocal_rank_fusion([ranking])] == ranking


@pytest.mark.parametrize("constant", [-1, 60.0, True, None])
def test_wrong_constant(constant):
    with pytest.raises(PsiragError, match="constant must be"):
        reciprocal_rank_fusion([[1]], constant=constant)

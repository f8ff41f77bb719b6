"""Exact match and F1 by hand arithmetic."""

from __future__ import annotations

import pytest

from psirag.errors import PsiragError
from psirag.evaluation import exact_match, normalised_answer, token_f1


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("said", "answers", "em", "f1"),
    [
        ("Paris", ["Paris"], 1, 1),
        ("the Paris!", ["paris"], 1, 1),
        ("Paris, France", ["Paris"], 0, 2 * 1 / (2 + 1)),
        ("Lake of Constance", ["Lake Constance", "Bodensee"], 0, 2 * 2 / (3 + 2)),
        ("a", ["The"], 1, 1),  # nothing left on both sides: they agree
        ("A", ["A"], 1, 1),
        ("the", ["Paris"], 0, 0),  # nothing left on one side
        ("O’Brien", ["O'Brien"], 1, 1),
        ("twenty one", ["twenty-one"], 1, 1),
        ("twenty–one", ["twenty-one"], 1, 1),
        ("答案是巴黎", ["巴黎"], 0, 2 * 2 / (5 + 2)),
        ("no one", ["no"], 0, 0),  # yes and no agree only with themselves
        ("No.", ["no"], 1, 1),
        ("to be to", ["to to go"], 0, 2 * 2 / (3 + 3)),
        ("x", [], 0, 0),
    ],
)
def test_by_hand(said, answers, em, f1):
    assert exact_match(said, answers) == em
    assert token_f1(said, answers) == pytest.approx(f1)


def test_normalised_answer():
    assert normalised_answer("  The  Élan—vital ") == "élan vital"


@pytest.mark.parametrize("metric", [exact_match, token_f1])
def test_what_is_no_text_is_refused(metric):
    with pytest.raises(PsiragError):
        metric(None, ["x"])
    with pytest.raises(PsiragError):
        metric("x", [1])

"""Checks of arguments, and the error's three parts."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from psirag.checks import check_choice, check_count, check_texts
from psirag.errors import PsiragError, PsiragWarning


def test_an_error_is_a_value_error_with_three_parts_and_survives_a_process_boundary():
    error = PsiragError("k must be an integer", "True, a bool", "Pass an integer.")
    assert isinstance(error, ValueError)
    assert str(error) == "k must be an integer, but got True, a bool. Pass an integer."
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize("value", [1, np.int64(1), np.uint8(1)])
def test_integers_of_any_kind_are_counts(value):
    assert check_count("k", value) == 1
    assert type(check_count("k", value)) is int


@pytest.mark.parametrize("value", [True, np.True_, 2.0, np.float64(2), "2", None, [2]])
def test_what_is_no_integer_is_no_count(value):
    with pytest.raises(PsiragError, match="k must be an integer"):
        check_count("k", value)


@pytest.mark.parametrize(("value", "minimum"), [(0, 1), (-1, 0), (2, 3)])
def test_a_count_has_a_minimum(value, minimum):
    with pytest.raises(PsiragError, match=f"k must be at least {minimum}, but got {value}"):
        check_count("k", value, minimum=minimum)


def test_a_choice_is_one_of_its_names():
    assert check_choice("nodes", "all", ("leaves", "all")) == "all"
    for wrong in ("leaf", None, 1, ["all"]):
        with pytest.raises(PsiragError, match="nodes must be one of 'leaves', 'all'"):
            check_choice("nodes", wrong, ("leaves", "all"))


@pytest.mark.parametrize("texts", ["abc", b"abc", None, 3, {"a"}, iter(["a"])])
def test_texts_are_a_sequence(texts):
    with pytest.raises(PsiragError, match="must be a sequence of str"):
        check_texts("texts", texts)


def test_wrong_types_are_named_with_their_positions():
    with pytest.raises(PsiragError, match=r"positions 1 \(NoneType\), 2 \(float\), 3 \(bytes\)"):
        check_texts("texts", ["a", None, 3.5, b"x"])
    with pytest.raises(PsiragError, match=r"9 \(int\) …"):
        check_texts("texts", [1] * 12)


def test_lone_surrogates_become_the_replacement_character_in_one_warning():
    with pytest.warns(PsiragWarning, match="2 of 3 texts") as caught:
        assert check_texts("texts", ["bad \ud800 text", "fine é中😀", "\udfff"]) == ("bad � text", "fine é中😀", "�")
    assert len(caught) == 1

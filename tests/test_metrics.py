"""Exact match, F1 and ROUGE-L by hand arithmetic."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psirag.errors import PsiragError
from psirag.evaluation import exact_match, normalised_answer, rouge_l, token_f1

WORDS = st.lists(st.sampled_from("a b c dog".split()), max_size=7)


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


@pytest.mark.parametrize(("gold", "said"), [("The", "a"), ("A", "A")])
def test_fr_081_exact_match_and_f1_agree_where_nothing_is_left(gold, said):
    assert exact_match(said, [gold]) == token_f1(said, [gold]) == 1.0
    assert exact_match(said, ["Paris"]) == token_f1(said, ["Paris"]) == 0.0
    assert exact_match("Paris", [gold]) == token_f1("Paris", [gold]) == 0.0


def test_fr_082_quotes_dashes_and_unspaced_scripts_match():
    assert exact_match("O’Brien", ["O'Brien"]) == 1.0
    assert token_f1("twenty one", ["twenty-one"]) == 1.0
    assert token_f1("答案是巴黎", ["巴黎"]) > 0
    assert rouge_l("答案是巴黎", ["巴黎"]) > 0


def test_fr_083_yes_and_no_earn_no_partial_credit():
    assert token_f1("no one", ["no"]) == 0.0


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("said", "answers", "expected"),
    [
        ("the cat sat on the mat", ["the cat on mat"], 2 * 4 / (6 + 4)),
        ("cat the", ["the cat"], 2 * 1 / (2 + 2)),  # order counts
        ("The CAT!", ["a dog", "the cat"], 1),  # the best answer
        ("答案是巴黎", ["巴黎"], 2 * 2 / (5 + 2)),
        ("Élan vital", ["élan"], 2 * 1 / (2 + 1)),
        ("", ["cat"], 0),
        ("cat", [], 0),
    ],
)
def test_rouge_l_by_hand(said, answers, expected):
    assert rouge_l(said, answers) == pytest.approx(expected)


@pytest.mark.oracle
@given(WORDS, WORDS)
def test_rouge_l_is_the_longest_common_subsequence(said, wanted):
    length = [[0] * (len(wanted) + 1) for _ in range(len(said) + 1)]
    for i, a in enumerate(said):
        for j, b in enumerate(wanted):
            length[i + 1][j + 1] = length[i][j] + 1 if a == b else max(length[i][j + 1], length[i + 1][j])
    expected = 2 * length[-1][-1] / max(len(said) + len(wanted), 1)
    assert rouge_l(" ".join(said), [" ".join(wanted)]) == pytest.approx(expected)


@pytest.mark.oracle
@given(st.text(st.characters(max_codepoint=127)), st.text(st.characters(max_codepoint=127)))
def test_rouge_l_of_ascii_is_the_library_s_own(said, wanted):
    from rouge_score.rouge_scorer import RougeScorer

    assert rouge_l(said, [wanted]) == RougeScorer(["rougeL"]).score(wanted, said)["rougeL"].fmeasure


@pytest.mark.parametrize("metric", [exact_match, token_f1, rouge_l])
def test_what_is_no_text_is_refused(metric):
    with pytest.raises(PsiragError):
        metric(None, ["x"])
    with pytest.raises(PsiragError):
        metric("x", [1])

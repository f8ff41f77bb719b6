"""Packing hits into a budget of tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psirag.corpus import count_tokens
from psirag.errors import PsiragError
from psirag.retrieval import Hit, Retrieval, Trace
from psirag.retrieval.packing import fitting_positions, pack_hits


def hits_of(*lengths: int) -> list[Hit]:
    """Return hits numbered from 0 whose texts have so many words."""
    return [Hit(i, 1.0, None, " ".join(["word"] * length), ()) for i, length in enumerate(lengths)]


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("lengths", "budget", "kept"),
    [
        ([3, 4, 2], 9, [0, 1, 2]),  # exactly full
        ([3, 4, 2], 8, [0, 1]),
        ([3, 9, 4, 1], 7, [0, 2]),  # what does not fit is skipped, not the end
        ([5, 5], 4, []),
        ([], 4, []),
        ([0, 3, 0], 2, [0, 2]),  # a text of no token is free
        ([2, 2, 2], 4, [0, 1]),
    ],
)
def test_by_hand(lengths, budget, kept):
    assert [hit.node for hit in pack_hits(hits_of(*lengths), budget)] == kept


@given(lengths=st.lists(st.integers(0, 9), max_size=12), budget=st.integers(1, 30))
def test_never_above_the_budget_and_nothing_fits_that_was_left_out(lengths, budget):
    kept = fitting_positions(lengths, budget)
    assert kept == sorted(set(kept))
    left = budget - sum(lengths[i] for i in kept)
    assert left >= 0
    assert all(lengths[i] > left for i in set(range(len(lengths))) - set(kept))


def test_a_retrieval_is_packed_and_the_tokenizer_counts():
    found = Retrieval("Who?", tuple(hits_of(2, 2)), Trace((), 0))
    assert len(pack_hits(found, 4)) == 2
    assert [hit.node for hit in pack_hits(found, 9, tokenizer=list)] == [0]  # characters: "word word" has nine
    assert sum(count_tokens(hit.text) for hit in pack_hits(found, 3)) == 2


@pytest.mark.parametrize("budget", [0, -1, True, 2.0, None, "9"])
def test_wrong_budget(budget):
    with pytest.raises(PsiragError, match="budget must be"):
        pack_hits(hits_of(1), budget)


def test_wrong_hits_and_tokenizer():
    with pytest.raises(PsiragError, match="pack_hits' hits must hold Hit only"):
        pack_hits(["text"], 5)  # type: ignore[list-item]
    with pytest.raises(PsiragError, match="tokenizer must be callable"):
        pack_hits(hits_of(1), 5, tokenizer=3)

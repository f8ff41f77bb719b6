"""Places of the nodes of a forest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from psirag.errors import PsiragError
from psirag.views.tree_placement import forest_layout

FOREST = [5, 6, 5, 6, -1, 7, 7, -1]  # ((0, 2), (1, 3)) and 4 alone


def test_subtrees_stand_together_smallest_leaf_first() -> None:
    layout = forest_layout(FOREST, 5)
    assert layout.position.tolist() == [0, 2, 1, 3, 4, 0.5, 2.5, 1.5]
    assert layout.layer.tolist() == [0, 0, 0, 0, 0, 1, 1, 2]
    assert (layout.first[7], layout.last[7]) == (0, 3)
    assert layout.roots.tolist() == [4, 7]


def test_a_given_order_is_kept() -> None:
    layout = forest_layout(FOREST, 5, leaf_order=[4, 3, 1, 2, 0])
    assert layout.position[:5].tolist() == [4, 2, 3, 1, 0]


def test_parents_may_be_numbered_below_their_children() -> None:
    assert forest_layout([3, 3, 4, -1, 3], 3).layer.tolist() == [0, 0, 0, 2, 1]


def test_one_leaf_and_a_chain_of_2000_nodes() -> None:
    assert forest_layout([-1], 1).position.tolist() == [0.0]
    chain = forest_layout([*range(1, 2_000), -1], 1)
    assert chain.layer.tolist() == list(range(2_000))


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30))
def test_leaves_take_each_place_once_and_parents_stand_over_their_children(groups: list[int]) -> None:
    n = len(groups)
    names = {group: n + i for i, group in enumerate(sorted(set(groups)))}
    parent = [names[group] for group in groups] + [-1] * len(names)
    layout = forest_layout(parent, n)
    assert sorted(layout.position[:n]) == list(range(n))
    for node in names.values():
        below = layout.position[:n][np.array(parent[:n]) == node]
        assert layout.position[node] == (below.min() + below.max()) / 2
        assert layout.last[node] - layout.first[node] + 1 == len(below)


@pytest.mark.parametrize(
    ("parent", "n", "match"),
    [
        ([[1, -1]], 1, "one parent per node"),
        ([0.5, -1], 1, "one parent per node"),
        ([-1], 2, "one parent per node"),
        ([1, -1], 2, "an abstract node or −1"),
        ([7, -1], 1, "an abstract node or −1"),
        ([1, 2, 1], 1, "no cycle"),
        ([-1, -1], 1, "needs a leaf below"),
    ],
)
def test_what_is_no_forest_is_refused(parent: list[int], n: int, match: str) -> None:
    with pytest.raises(PsiragError, match=match):
        forest_layout(parent, n)


def test_an_order_names_each_leaf_once() -> None:
    with pytest.raises(PsiragError, match="each leaf once"):
        forest_layout([2, 2, -1], 2, leaf_order=[0, 0])

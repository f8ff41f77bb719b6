"""Inserting and removing rows: the spanning tree is always the one that a rebuild finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from psirag.errors import PsiragError
from psirag.tree import insertion
from psirag.tree.building import tree_of_pairs
from psirag.tree.insertion import complete_forest, insert_rows, remove_rows
from psirag.tree.kruskal import Pairs
from psirag.tree.spanning_tree import spanning_tree
from psirag.vectors import unit_rows
from tests.strategies import any_vectors

pytestmark = pytest.mark.filterwarnings("ignore:.*zero:psirag.errors.PsiragWarning")


def as_array(pairs):
    return np.array([pairs.u, pairs.v, pairs.key])


@pytest.mark.oracle
@given(any_vectors, st.data())
def test_inserting_equals_building_anew(vectors, data):
    rows = unit_rows(vectors)
    n_old = data.draw(st.integers(1, len(rows)))
    grown = insert_rows(spanning_tree(rows[:n_old]), rows)
    assert np.array_equal(as_array(grown), as_array(spanning_tree(rows)))


@pytest.mark.oracle
@given(any_vectors, st.data())
def test_removing_equals_building_anew(vectors, data):
    rows = unit_rows(vectors)
    gone = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=len(rows) - 1, unique=True))
    left = remove_rows(spanning_tree(rows), rows, gone)
    assert np.array_equal(as_array(left), as_array(spanning_tree(np.delete(rows, gone, axis=0))))


class Growing(RuleBasedStateMachine):
    """Rows of a small grid come and go, so that ties and equal rows are the rule."""

    def __init__(self):
        super().__init__()
        self.rows = unit_rows([[1.0, 0.0, 0.0]])
        self.pairs = spanning_tree(self.rows)

    @rule(new=st.lists(st.tuples(*[st.sampled_from([-1.0, 0.0, 0.5, 1.0])] * 3), min_size=1, max_size=5))
    def add(self, new):
        self.rows = np.vstack([self.rows, unit_rows(new)])
        self.pairs = insert_rows(self.pairs, self.rows)

    @precondition(lambda self: len(self.rows) > 1)
    @rule(data=st.data())
    def remove(self, data):
        gone = data.draw(st.lists(st.integers(0, len(self.rows) - 1), max_size=len(self.rows) - 1, unique=True))
        self.pairs = remove_rows(self.pairs, self.rows, gone)
        self.rows = np.delete(self.rows, gone, axis=0)

    @invariant()
    def equals_a_rebuild(self):
        rebuilt = spanning_tree(self.rows)
        assert np.array_equal(as_array(self.pairs), as_array(rebuilt))
        assert tree_of_pairs(self.pairs, max_children=3) == tree_of_pairs(rebuilt, max_children=3)


TestGrowing = Growing.TestCase
TestGrowing.settings = settings(max_examples=15, stateful_step_count=6, deadline=None)


@pytest.mark.oracle
def test_small_blocks_and_a_few_hundred_clustered_rows(monkeypatch):
    monkeypatch.setattr(insertion, "_TILE", 1)  # 16 rows at a time
    monkeypatch.setattr(insertion, "_COLUMNS", 50)
    rng = np.random.default_rng(5)
    rows = unit_rows(rng.normal(size=(12, 20))[rng.integers(0, 12, 400)] + 0.6 * rng.normal(size=(400, 20)))
    whole = spanning_tree(rows)
    assert np.array_equal(as_array(insert_rows(spanning_tree(rows[:300]), rows)), as_array(whole))
    gone = rng.choice(400, 60, replace=False)
    assert np.array_equal(as_array(remove_rows(whole, rows, gone)), as_array(spanning_tree(np.delete(rows, gone, 0))))


def test_a_hub_whose_removal_leaves_many_pieces():
    rows = unit_rows(np.vstack([np.ones(6), np.eye(6) + 0.3]))
    assert set(spanning_tree(rows).u.tolist()) == {0}
    assert np.array_equal(as_array(remove_rows(spanning_tree(rows), rows, [0])), as_array(spanning_tree(rows[1:])))


@pytest.mark.oracle
@given(any_vectors)
def test_a_forest_of_single_rows_is_completed_to_the_spanning_tree(vectors):
    rows = unit_rows(vectors)
    assert np.array_equal(as_array(complete_forest(Pairs.none(), rows)), as_array(spanning_tree(rows)))


@pytest.mark.parametrize("gone", [[3], [-1], [0, 1, 2]])
def test_removing_what_is_not_there_or_everything(gone):
    rows = unit_rows(np.eye(3))
    with pytest.raises(PsiragError, match="remove_rows needs rows that exist, and one that stays"):
        remove_rows(spanning_tree(rows), rows, gone)


def test_inserting_fewer_rows_than_there_are():
    rows = unit_rows(np.eye(3))
    with pytest.raises(PsiragError, match="2 rows for a tree of 3 leaves"):
        insert_rows(spanning_tree(rows), rows[:2])

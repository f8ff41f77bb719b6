"""The mask of paths to the anchors, and the walk."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from psirag.variants.frontier_walk import Walk, steiner_active, walk_frontier
from psirag.variants.segment_tree import SegmentForest, segment_forest


def forest_of(*sizes: int) -> SegmentForest:
    """Return the forest of documents of so many chunks."""
    return segment_forest(np.repeat(np.arange(len(sizes)), sizes), np.concatenate([np.arange(s) for s in sizes]))


def walk_of(forest: SegmentForest, priority, tokens, *, active=None, budget=10**6, limit=10**6, same_text=None) -> Walk:
    """Walk a forest."""
    active = np.ones(len(forest.parent), bool) if active is None else active
    return walk_frontier(
        forest.left, forest.right, forest.roots, np.asarray(priority, float), active, np.asarray(tokens),
        budget=budget, limit=limit, same_text=same_text,
    )  # fmt: skip


@st.composite
def situations(draw):
    """Return a forest, priorities with ties, lengths, anchors, a budget and groups of equal texts."""
    forest = forest_of(*draw(st.lists(st.integers(1, 12), min_size=1, max_size=5)))
    n, m = len(forest.order), len(forest.parent)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    priority = rng.integers(0, draw(st.sampled_from([1, 3, 1000])), m) / 10
    anchors = rng.choice(n, draw(st.integers(1, n)), replace=False)
    same_text = np.minimum(np.arange(n), rng.integers(0, n, n))
    return forest, priority, rng.integers(0, 9, n), anchors, draw(st.integers(1, 40)), same_text[same_text]


@given(situation=situations())
def test_every_anchor_is_reachable_and_nothing_else_is_marked(situation):
    forest, priority, tokens, anchors, _, _ = situation
    active = steiner_active(forest.parent, anchors)
    walk = walk_of(forest, priority, tokens, active=active)
    n = len(forest.order)
    assert sorted(walk.emitted.tolist()) == sorted(anchors.tolist()) == np.flatnonzero(active[:n]).tolist()
    assert sorted(walk.node.tolist()) == np.flatnonzero(active).tolist()  # the walk enters all that is marked
    below = [np.isin(forest.order[a:b], anchors).any() for a, b in zip(forest.start, forest.end, strict=True)]
    assert active.tolist() == below


@given(situation=situations())
def test_budget_leaves_only_no_repeats_and_nothing_fits_that_was_passed_over(situation):
    forest, priority, tokens, anchors, budget, same_text = situation
    active = steiner_active(forest.parent, anchors)
    walk = walk_of(forest, priority, tokens, active=active, budget=budget, same_text=same_text)
    assert (walk.emitted < len(forest.order)).all()
    assert tokens[walk.emitted].sum() <= budget
    assert len(set(same_text[walk.emitted].tolist())) == len(walk.emitted)
    assert len(set(walk.node.tolist())) == len(walk.node)
    left = budget
    for node, action in zip(walk.node.tolist(), walk.action, strict=True):
        assert (action == "split") == (forest.left[node] >= 0)
        if action == "emitted":
            left -= tokens[node]
        if action == "too long":
            assert tokens[node] > left
    again = walk_of(forest, priority, tokens, active=active, budget=budget, same_text=same_text)
    assert (again.node.tolist(), again.action) == (walk.node.tolist(), walk.action)


@pytest.mark.oracle
@given(situation=situations())
def test_each_step_takes_the_best_of_all_that_could_be_taken(situation):
    forest, priority, tokens, anchors, _, _ = situation
    active = steiner_active(forest.parent, anchors)
    walk, taken = walk_of(forest, priority, tokens, active=active), set()
    for node in walk.node.tolist():
        open_to_choice = [
            v
            for v in np.flatnonzero(active).tolist()
            if v not in taken and (forest.parent[v] < 0 or forest.parent[v] in taken)
        ]
        assert node == min(open_to_choice, key=lambda v: (-priority[v], v))
        taken.add(node)


@pytest.mark.oracle
def test_by_hand():
    forest = forest_of(4, 1)  # leaves 0–3 below 5 = (0, 1) and 6 = (2, 3), both below 7; leaf 4 alone
    assert forest.left.tolist()[5:] == [0, 2, 5]
    priority, tokens = [0.1, 0.9, 0.3, 0.3, 0.4, 0.8, 0.2, 0.5], [3, 9, 4, 4, 4]
    walk = walk_of(forest, priority, tokens, budget=12)
    assert walk.node.tolist() == [7, 5, 1, 4, 6, 2, 3, 0]
    assert walk.action == ("split", "split", "emitted", "too long", "split", "too long", "too long", "emitted")
    assert walk.score.tolist() == [0.5, 0.8, 0.9, 0.4, 0.2, 0.3, 0.3, 0.1]
    assert walk.emitted.tolist() == [1, 0]
    assert walk_of(forest, priority, tokens, budget=11).node.tolist() == [7, 5, 1]  # what is left is below all leaves
    walk = walk_of(forest, priority, tokens, budget=30, limit=3, same_text=np.array([0, 1, 2, 2, 2]))
    assert walk.node.tolist() == [7, 5, 1, 4, 6, 2, 3, 0]
    assert walk.action[3:] == ("emitted", "split", "repeated", "repeated", "emitted")
    assert walk_of(forest, priority, tokens, limit=2).node.tolist() == [7, 5, 1, 4]


def test_all_ties_go_by_number():
    walk = walk_of(forest_of(4, 2), np.zeros(10), np.ones(6, int))
    assert walk.emitted.tolist() == [0, 1, 2, 3, 4, 5]
    assert walk.node.tolist() == [8, 6, 0, 1, 7, 2, 3, 9, 4, 5]


def test_no_active_root_no_step():
    walk = walk_of(forest_of(2), [1, 1, 1], [1, 1], active=np.zeros(3, bool))
    assert walk.node.tolist() == []
    assert walk.emitted.tolist() == []
    with pytest.raises(ValueError, match="read-only"):
        walk.active[0] = True

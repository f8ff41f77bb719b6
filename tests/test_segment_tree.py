"""The segment tree of a text, and the forest of many texts."""

from __future__ import annotations

from math import ceil, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from psirag.errors import PsiragError
from psirag.variants.segment_tree import SegmentTree, segment_forest


def steps_to_root(tree: SegmentTree, node: int) -> int:
    """Count the parents above a node."""
    above = tree.parent[node]
    return 0 if above < 0 else 1 + steps_to_root(tree, above)


@pytest.mark.oracle
def test_five_chunks_by_hand():
    tree = SegmentTree(5)
    assert list(zip(tree.start.tolist(), tree.end.tolist(), strict=True))[5:] == [(0, 2), (0, 3), (3, 5), (0, 5)]
    assert tree.left.tolist() == [-1] * 5 + [0, 5, 3, 6]
    assert tree.right.tolist() == [-1] * 5 + [1, 2, 4, 7]
    assert tree.parent.tolist() == [5, 5, 6, 7, 7, 6, 8, 8, -1]


@pytest.mark.parametrize("n", range(1, 71))
def test_sizes_depth_and_balance(n):
    tree = SegmentTree(n)
    assert tree.n_nodes == len(tree.parent) == 2 * n - 1
    assert tree.depth == max(steps_to_root(tree, leaf) for leaf in range(n)) == ceil(log2(n))
    assert min(steps_to_root(tree, leaf) for leaf in range(n)) >= tree.depth - 1
    assert (tree.start[:n] == np.arange(n)).all()
    assert (tree.end[:n] == np.arange(n) + 1).all()
    assert (tree.start[-1], tree.end[-1], tree.parent[-1]) == (0, n, -1)


@given(n=st.integers(1, 400))
def test_children_tile_their_parent_and_have_lower_numbers(n):
    tree = SegmentTree(n)
    inner = np.arange(n, tree.n_nodes)
    left, right = tree.left[inner], tree.right[inner]
    assert (tree.start[left] == tree.start[inner]).all()
    assert (tree.end[left] == tree.start[right]).all()
    assert (tree.end[right] == tree.end[inner]).all()
    halves = (tree.end - tree.start)[left] - (tree.end - tree.start)[right]
    assert set(halves.tolist()) <= {0, 1}
    assert (np.maximum(left, right) < inner).all()
    assert (tree.parent[left] == inner).all()
    assert (tree.parent[right] == inner).all()
    assert (tree.left[:n] == -1).all()
    assert (tree.right[:n] == -1).all()


def test_equal_by_size_and_read_only():
    assert SegmentTree(4) == SegmentTree(np.int64(4)) != SegmentTree(5)
    assert repr(SegmentTree(4)) == "SegmentTree(n_leaves=4)"
    with pytest.raises(ValueError, match="read-only"):
        SegmentTree(2).parent[0] = 0


@pytest.mark.parametrize("n", [0, -1, True, 2.0, None])
def test_wrong_size(n):
    with pytest.raises(PsiragError, match="n_leaves must be"):
        SegmentTree(n)


@pytest.mark.oracle
@given(sizes=st.lists(st.integers(1, 9), min_size=1, max_size=6), seed=st.integers(0, 99))
def test_a_forest_is_its_trees_side_by_side_whatever_the_order_of_the_chunks(sizes, seed):
    document = np.repeat(np.arange(len(sizes)) * 3, sizes)
    position = np.concatenate([np.arange(size) for size in sizes])
    shuffled = np.random.default_rng(seed).permutation(len(document))
    document, position = document[shuffled], position[shuffled]
    forest = segment_forest(document, position)
    assert len(forest.parent) == 2 * len(document) - len(sizes)
    assert (forest.parent[forest.roots] == -1).all()
    assert (forest.parent == -1).sum() == len(sizes)
    for i, (root, size) in enumerate(zip(forest.roots, sizes, strict=True)):
        tree, pairs = SegmentTree(size), [(int(root), 2 * size - 2)]
        while pairs:  # node of the forest, node of the tree
            here, there = pairs.pop()
            rows = forest.order[forest.start[here] : forest.end[here]]
            assert (document[rows] == 3 * i).all()
            assert position[rows].tolist() == list(range(tree.start[there], tree.end[there]))
            if tree.left[there] < 0:
                assert rows.tolist() == [here]
                assert forest.left[here] == forest.right[here] == -1
                continue
            for side, twin in ((forest.left, tree.left), (forest.right, tree.right)):
                assert forest.parent[side[here]] == here
                pairs.append((int(side[here]), int(twin[there])))


def test_a_forest_is_read_only():
    forest = segment_forest(np.array([0, 0]), np.array([0, 1]))
    with pytest.raises(ValueError, match="read-only"):
        forest.left[0] = 0

"""The measures of the skewed-data study, on trees whose confusion and noise are known by hand."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from psirag.errors import PsiragError
from psirag.skew import SkewMeasures, confused_nodes, skew_measures
from psirag.tree import AbstractTree, build_tree
from psirag.tree.marking import node_flags, with_ancestors
from tests.strategies import any_vectors

# Leaves 0…8; layer 1: 9={0,1,2}, 10={3,4}, 11={5,6}, 12={7,8}; layer 2: 13={9,10}, 14={11,12}; root 15.
TREE = AbstractTree.from_parents([9, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15, -1], n_leaves=9)
MINOR = [2, 5]
# One direction for the minor class, one for the major: the means are by hand.
VECTORS = np.where(np.isin(np.arange(9), MINOR)[:, None], [0.0, 1.0], [1.0, 0.0])


@pytest.mark.oracle
def test_a_hand_made_tree() -> None:
    found = skew_measures(TREE, MINOR, VECTORS)
    assert found.layer.tolist() == [1, 2]
    assert found.n_nodes.tolist() == [4, 2]
    # Layer 1: 9 and 11 hold the minor leaves; 10 and 12 are their siblings. Layer 2: both nodes hold one.
    assert found.confused.tolist() == [2, 0]
    assert confused_nodes(TREE, MINOR).tolist() == [10, 12]
    assert found.confused_share.tolist() == [0.5, 0.0]
    # Below 9 and 11 lie 5 leaves, 3 of them major; below 13 and 14 all 9, 7 of them major.
    assert found.noise.tolist() == pytest.approx([3 / 5, 7 / 9])
    # Sizes 3, 2, 2, 2 and 5, 4.
    third, two = 3 / 9, 2 / 9
    assert found.evenness[0] == pytest.approx(-(third * np.log(third) + 3 * two * np.log(two)) / np.log(4))
    assert found.evenness[1] == pytest.approx(-(5 / 9 * np.log(5 / 9) + 4 / 9 * np.log(4 / 9)) / np.log(2))
    # Of a node with share s of major leaves, the mean lies s·√2 away from the minor direction.
    assert found.drift.tolist() == pytest.approx([(2 / 3 + 1 / 2) / 2 * 2**0.5, (4 / 5 + 3 / 4) / 2 * 2**0.5])


@pytest.mark.oracle
def test_a_hand_made_dag() -> None:
    """Leaf 2 also below 10, leaf 8 below 11 and 12: by two ways below 14, where it counts once."""
    edges = [[child, int(TREE.parent[child])] for child in range(15)]
    found = skew_measures(TREE, MINOR, VECTORS, memberships=np.array([*edges, [2, 10], [8, 11]]))
    # 10 now holds the minor leaf 2, so 12 alone is confused.
    assert found.confused.tolist() == [1, 0]
    # Below 9, 10 and 11: leaves 0 to 6 and 8.
    assert found.noise.tolist() == pytest.approx([6 / 8, 7 / 9])
    # Sizes 3, 3, 3, 2 (leaf 8 twice in the layer, once in each node) and 5, 4.
    share = np.array([3, 3, 3, 2]) / 11
    assert found.evenness[0] == pytest.approx(-(share * np.log(share)).sum() / np.log(4))
    # Minor leaf 2 below 9 and 10, minor leaf 5 below 11.
    assert found.drift[0] == pytest.approx((2 / 3 + 2 / 3 + 2 / 3) / 3 * 2**0.5)


def test_a_node_with_two_parents_is_confused_if_one_of_them_holds_a_minor_leaf() -> None:
    edges = [[child, int(TREE.parent[child])] for child in range(15)]
    assert confused_nodes(TREE, [0]).tolist() == [10, 14]
    assert confused_nodes(TREE, [0], memberships=[*edges, [11, 13]]).tolist() == [10, 11, 14]


@pytest.mark.parametrize(("parent", "n", "layers"), [([-1], 1, 0), ([2, 2, -1], 2, 0), ([3, 4, 4, 5, 5, -1], 3, 1)])
def test_small_trees(parent: list[int], n: int, layers: int) -> None:
    tree = AbstractTree.from_parents(parent, n)
    found = skew_measures(tree, [0], np.eye(n))
    assert len(found.layer) == len(found.noise) == len(found.drift) == layers
    assert found.noise.tolist() == found.drift.tolist() == [0.0] * layers


def test_no_minor_leaf_and_only_minor_leaves() -> None:
    none = skew_measures(TREE, [], VECTORS)
    assert none.confused.tolist() == [0, 0]
    assert np.isnan(none.noise).all()
    assert np.isnan(none.drift).all()
    every = skew_measures(TREE, np.ones(9, dtype=bool), VECTORS)
    assert every.noise.tolist() == [0.0, 0.0]
    assert every.drift.tolist() == pytest.approx([0.0, 0.0])


def test_equal_sizes_are_even() -> None:
    tree = AbstractTree.from_parents([4, 4, 5, 5, 6, 6, -1], n_leaves=4)
    assert skew_measures(tree, [3], np.eye(4)).evenness.tolist() == [1.0]
    chain = AbstractTree.from_parents([2, 2, 3, -1], n_leaves=2)
    assert np.isnan(skew_measures(chain, [0], np.eye(2)).evenness[0])


@pytest.mark.oracle
@given(vectors=any_vectors, data=st.data())
def test_naive_twin(vectors: np.ndarray, data: st.DataObject) -> None:
    """Sets of leaves, walked with networkx, give the same numbers."""
    kept = vectors[np.abs(vectors).max(axis=1) > 0]
    if len(kept) == 0:
        return
    tree = build_tree(kept)
    minor = data.draw(st.sets(st.integers(0, tree.n_leaves - 1), min_size=1))
    found = skew_measures(tree, sorted(minor), kept)
    graph = nx.DiGraph([(int(tree.parent[v]), v) for v in range(tree.root)])
    graph.add_node(tree.root)
    below = {v: {u for u in {v, *nx.descendants(graph, v)} if u < tree.n_leaves} for v in graph}
    for i, layer in enumerate(found.layer):
        nodes = list(tree.layer_nodes(int(layer)))
        reached = set().union(*(below[v] for v in nodes if below[v] & minor))
        assert found.noise[i] == pytest.approx(len(reached - minor) / len(reached))
        alone = [v for v in nodes if not below[v] & minor and below[int(tree.parent[v])] & minor]
        assert found.confused[i] == len(alone)
        assert found.n_nodes[i] == len(nodes)
        assert np.isnan(found.evenness[i]) or 0 < found.evenness[i] <= 1 + 1e-12


@given(vectors=any_vectors, data=st.data())
def test_noise_and_minor_paths_grow_towards_the_root(vectors: np.ndarray, data: st.DataObject) -> None:
    tree = build_tree(np.where(np.abs(vectors).max(axis=1, keepdims=True) > 0, vectors, 1.0))
    minor = data.draw(st.sets(st.integers(0, tree.n_leaves - 1), min_size=1))
    found = skew_measures(tree, sorted(minor), np.ones((tree.n_leaves, 1)))
    assert (np.diff(found.noise) >= 0).all()
    assert found.drift.tolist() == pytest.approx([0.0] * len(found.drift))
    marked = with_ancestors(tree, node_flags("minor", sorted(minor), tree.n_leaves))
    assert not marked[confused_nodes(tree, sorted(minor))].any()


def test_results_are_read_only() -> None:
    found = skew_measures(TREE, MINOR, VECTORS)
    assert isinstance(found, SkewMeasures)
    with pytest.raises(ValueError, match="read-only"):
        found.noise[0] = 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("tree", [0], VECTORS), "need an AbstractTree, but got a str"),
        ((TREE, [9], VECTORS), "minor must be node numbers below 9"),
        ((TREE, ["business"], VECTORS), "minor must be node numbers"),
        ((TREE, [0], VECTORS[:4]), "vectors must have 9 rows, but got 4"),
    ],
)
def test_wrong_input_is_named(arguments: tuple, says: str) -> None:
    with pytest.raises(PsiragError, match=says):
        skew_measures(*arguments)


@pytest.mark.parametrize("pairs", [[[0, 13]], [[0, 99]], [[-1, 9]], [0, 9], [[0.0, 9.0]]])
def test_wrong_memberships_are_named(pairs: list) -> None:
    with pytest.raises(PsiragError, match="memberships must be"):
        confused_nodes(TREE, MINOR, memberships=pairs)

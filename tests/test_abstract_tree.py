"""AbstractTree: its invariants, its walks, its exports."""

from __future__ import annotations

import dataclasses

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import is_valid_linkage

from psirag.errors import PsiragError
from psirag.tree import AbstractTree, build_tree
from tests.strategies import any_vectors

pytestmark = pytest.mark.filterwarnings("ignore:.*zero:psirag.errors.PsiragWarning")

#        6           two pairs below one root
#      /   \
#     4     5
#    / \   / \
#   0   2 1   3
FOUR = AbstractTree(parent=[4, 5, 4, 5, 6, 6, -1], layer=[0, 0, 0, 0, 1, 1, 2])


@st.composite
def trees(draw):
    """Draw any equi-depth tree, nodes with one child included, by coarsening labels at random."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(1, 30))
    label, parent, offset = np.arange(n), [], 0
    while label.max() > 0 or (len(parent) < 1 and n > 1):
        size = label.max() + 1
        above = np.unique(rng.integers(0, max(1, size // draw(st.integers(1, 3))), size), return_inverse=True)[1]
        parent.append(offset + size + above)
        label, offset = above[label], offset + size
    return AbstractTree.from_parents(np.append(np.concatenate([*parent, []]), -1).astype(int), n)


def test_members_of_a_tree_small_enough_to_check_by_eye():
    assert (FOUR.n_leaves, FOUR.n_nodes, FOUR.depth, FOUR.root) == (4, 7, 2, 6)
    assert FOUR.leaf_counts.tolist() == [1, 1, 1, 1, 2, 2, 4]
    assert FOUR.children(5).tolist() == [1, 3]
    assert FOUR.children(0).tolist() == []
    assert FOUR.leaves(4).tolist() == [0, 2]
    assert FOUR.leaves(3).tolist() == [3]
    assert FOUR.ancestors(2) == (4, 6)
    assert FOUR.ancestors(6) == ()
    assert (FOUR.lca(0, 2), FOUR.lca(0, 3), FOUR.lca(1, 5), FOUR.lca(2, 2)) == (4, 6, 5, 2)
    assert [list(FOUR.layer_nodes(layer)) for layer in range(3)] == [[0, 1, 2, 3], [4, 5], [6]]


def test_one_leaf_is_its_own_root():
    one = AbstractTree([-1], [0])
    assert (one.n_leaves, one.n_nodes, one.depth, one.root) == (1, 1, 0, 0)
    assert one.leaves(0).tolist() == [0]
    assert one.children(0).tolist() == []
    assert one.leaf_counts.tolist() == [1]


@pytest.mark.parametrize(
    ("parent", "layer", "invariant"),
    [
        (np.empty(0, int), np.empty(0, int), "at least one"),
        ([2, 2, -1], [0, 0], "as many layers"),
        ([-1, -1], [0, 0], "one root"),
        ([2, -1, 2], [0, 1, 0], "one root"),
        ([3, 3, -1], [0, 0, 1], "numbered above their children"),
        ([0, 2, -1], [0, 0, 1], "numbered above their children"),
        ([2, 2, -1], [0, 1, 1], "equal depth.*node 1 in layer 1 below node 2 in layer 1"),
        ([2, 2, -1], [1, 1, 2], "layer by layer from the leaves"),
        ([3, 3, 4, 4, -1], [0, 0, 0, 1, 2], "equal depth"),
        ([4, 4, 4, 4, -1], [0, 0, 0, 1, 2], "equal depth"),
        ([4, 4, 5, 5, 5, -1], [0, 0, 0, 1, 1, 2], "equal depth"),
        ([3, 3, 5, 5, 5, -1], [0, 0, 0, 1, 1, 2], "equal depth"),
        ([4, 4, 5, 5, 5, -1], [0, 0, 1, 1, 1, 2], "a child below every abstract node"),
        ([3, 3, 3, 5, 5, -1], [0, 0, 0, 1, 1, 2], "a child below every abstract node"),
        ([3, 2, 4, 4, -1], [0, 0, 1, 1, 2], "ordered by their smallest leaf"),
    ],
)
def test_a_broken_invariant_is_named(parent, layer, invariant):
    with pytest.raises(PsiragError, match=invariant):
        AbstractTree(parent, layer)


@pytest.mark.parametrize("values", [[[2], [2], [-1]], [2.0, 2.0, -1.0], ["a"], None])
def test_parents_that_are_not_a_row_of_integers_are_refused(values):
    with pytest.raises(PsiragError, match=r"^parent must be a 1-d array of integers"):
        AbstractTree(values, [0, 0, 1])
    with pytest.raises(PsiragError, match=r"^layer must be a 1-d array of integers"):
        AbstractTree([2, 2, -1], values)


@given(trees(), st.data())
def test_changing_any_one_entry_raises_or_gives_another_valid_tree(tree, data):
    name = data.draw(st.sampled_from(["parent", "layer"]))
    changed = getattr(tree, name).copy()
    changed[data.draw(st.integers(0, tree.n_nodes - 1))] += data.draw(st.sampled_from([-2, -1, 1, 2]))
    try:
        other = dataclasses.replace(tree, **{name: changed})
    except PsiragError:
        return
    assert name == "parent"  # a leaf may have moved to another parent of the same layer; a layer can never change alone
    assert other != tree
    assert np.array_equal(other.layer, tree.layer)


def test_arrays_are_read_only_and_the_tree_is_frozen():
    for array in (FOUR.parent, FOUR.layer, FOUR.leaf_counts, FOUR.child_list, FOUR.child_start):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        FOUR.parent = np.arange(3)


def test_the_arrays_given_are_copied():
    parent = np.array([2, 2, -1])
    tree = AbstractTree(parent, [0, 0, 1])
    parent[0] = 7
    assert tree.parent.tolist() == [2, 2, -1]


@pytest.mark.oracle
@given(trees())
def test_walks_agree_with_networkx(tree):
    graph = tree.to_networkx()
    assert nx.is_arborescence(graph)
    for node in range(tree.n_nodes):
        below = nx.descendants(graph, node) | {node}
        assert tree.leaves(node).tolist() == sorted(v for v in below if v < tree.n_leaves)
        assert set(tree.ancestors(node)) == nx.ancestors(graph, node)
        assert tree.children(node).tolist() == sorted(graph.successors(node))
    for u, v in [(0, tree.n_leaves - 1), (tree.n_nodes // 2, 0), (tree.root, 0)]:
        assert tree.lca(u, v) == nx.lowest_common_ancestor(graph, u, v)


@given(trees(), st.integers(0, 2**32 - 1))
def test_from_parents_undoes_any_renumbering_of_the_abstract_nodes(tree, seed):
    n, m = tree.n_leaves, tree.n_nodes
    number = np.concatenate([np.arange(n), n + np.random.default_rng(seed).permutation(m - n)])
    shuffled = np.empty(m, dtype=int)
    shuffled[number] = np.where(tree.parent == -1, -1, number[tree.parent])
    assert AbstractTree.from_parents(shuffled, n) == tree


@pytest.mark.parametrize(
    ("parent", "n_leaves", "message"),
    [
        ([], 1, "1-d array of integers, leaves first"),
        ([2.0, 2.0, -1.0], 2, "1-d array of integers"),
        ([[2, 2, -1]], 2, "1-d array"),
        ([-1, -1], 2, "must hold one −1"),
        ([2, 2, 3], 2, "must hold one −1"),
        ([1, -1], 2, "must hold one −1"),
        ([2, 9, -1], 2, "must hold one −1"),
        ([2, -5, -1], 2, "must hold one −1"),
        ([3, 3, 4, 4, -1], 3, "equally far"),
        ([4, 3, 3, 4, -1], 3, "equally far"),
        ([3, 4, 4, 3, -1], 2, "equally far"),
        ([2, 2, -1, 2], 2, "none below node 3"),
        ([3, 3, -1, 2, 2], 2, "none below node 4"),
        ([2, 2, 3, 2, -1], 2, "equally far"),
    ],
)
def test_from_parents_says_why_an_array_is_no_equi_depth_tree(parent, n_leaves, message):
    with pytest.raises(PsiragError, match=message):
        AbstractTree.from_parents(parent, n_leaves)


@pytest.mark.parametrize("n_leaves", [0, -1, True, 2.0, None])
def test_from_parents_needs_a_number_of_leaves(n_leaves):
    with pytest.raises(PsiragError, match="n_leaves"):
        AbstractTree.from_parents([2, 2, -1], n_leaves)


@pytest.mark.parametrize("node", [-1, 7, True, 1.0, "0", None])
def test_a_node_that_does_not_exist_is_refused(node):
    for walk in (FOUR.children, FOUR.leaves, FOUR.ancestors, lambda v: FOUR.lca(0, v)):
        with pytest.raises(PsiragError, match="a node"):
            walk(node)


@pytest.mark.parametrize("layer", [-1, 3])
def test_a_layer_that_does_not_exist_is_refused(layer):
    with pytest.raises(PsiragError, match="layer must be between 0 and 2"):
        FOUR.layer_nodes(layer)


def test_equality_is_equality_of_parents():
    assert AbstractTree([4, 5, 4, 5, 6, 6, -1], [0, 0, 0, 0, 1, 1, 2]) == FOUR
    assert AbstractTree([4, 4, 5, 5, 6, 6, -1], [0, 0, 0, 0, 1, 1, 2]) != FOUR
    assert len({FOUR, AbstractTree(FOUR.parent, FOUR.layer)}) == 1
    assert FOUR != "tree"


@given(any_vectors)
def test_newick_names_every_node_once_and_nests_them(vectors):
    tree = build_tree(vectors)
    newick = tree.to_newick()
    assert newick.endswith(f"{tree.root};")
    assert newick.count("(") == newick.count(")") == tree.n_nodes - tree.n_leaves
    assert newick.count(":1") == tree.n_nodes - 1


@pytest.mark.oracle
def test_a_binary_tree_is_a_linkage_that_scipy_accepts():
    linkage = FOUR.to_scipy_linkage()
    assert is_valid_linkage(linkage)
    assert linkage.tolist() == [[0, 2, 1, 2], [1, 3, 1, 2], [4, 5, 2, 4]]


def test_a_tree_that_is_not_binary_has_no_linkage():
    with pytest.raises(PsiragError, match="binary tree, but got 3 children below node 3"):
        AbstractTree([3, 3, 3, -1], [0, 0, 0, 1]).to_scipy_linkage()


def test_a_chain_of_one_child_nodes_is_a_tree():
    depth = 2_000
    chain = AbstractTree([*range(1, depth + 1), -1], range(depth + 1))
    assert chain.depth == depth
    assert chain.leaves(depth).tolist() == [0]
    assert chain.to_newick().count("(") == depth

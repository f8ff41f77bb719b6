"""Three builders of one tree, held to the invariants and to each other, layer by layer."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage

from psirag.errors import PsiragError, PsiragWarning
from psirag.tree import AbstractTree, build_tree, collapse, merge_steps, reference_tree, sweeping
from psirag.tree.layering import boruvka_layers, boruvka_rounds
from psirag.tree.merging import Forest, join
from psirag.tree.similarity_keys import EQUAL_ROWS, similarity_keys
from psirag.tree.spanning_tree import spanning_tree
from psirag.vectors import unit_rows
from tests.strategies import any_vectors, distinct_vectors, tied_vectors

pytestmark = pytest.mark.filterwarnings("ignore:.*zero:psirag.errors.PsiragWarning")


def key_by_hand(x, y):
    """The similarity of two float32 rows, in exact rational arithmetic."""
    if np.array_equal(x, y) and x.any():
        return EQUAL_ROWS
    return sum(round(Fraction(float(a)) * Fraction(float(b)) * 2**60) for a, b in zip(x, y, strict=True))


def ranked_by_hand(rows):
    """All pairs in visiting order."""
    pairs = combinations(range(len(rows)), 2)
    return sorted(pairs, key=lambda pair: (-key_by_hand(rows[pair[0]], rows[pair[1]]), *pair))


def layers_of(tree):
    """Each layer as a set of leaf sets."""
    return [{frozenset(tree.leaves(v).tolist()) for v in tree.layer_nodes(layer)} for layer in range(tree.depth + 1)]


def boruvka_by_hand(rows):
    """Components after each round, with dictionaries and sets: an oracle that shares no code."""
    ranked = ranked_by_hand(rows)
    components = [frozenset([leaf]) for leaf in range(len(rows))]
    rounds = [set(components)]
    while len(components) > 1:
        home = {leaf: component for component in components for leaf in component}
        graph = nx.Graph()
        graph.add_nodes_from(components)
        for component in components:
            best = next(p for p in ranked if (p[0] in component) != (p[1] in component))
            graph.add_edge(home[best[0]], home[best[1]])
        components = [frozenset().union(*met) for met in nx.connected_components(graph)]
        rounds.append(set(components))
    return rounds


@pytest.mark.oracle
@given(any_vectors, st.data())
def test_keys_are_exact(vectors, data):
    rows = unit_rows(vectors)
    u, v = (data.draw(st.integers(0, len(rows) - 1)) for _ in range(2))
    key = similarity_keys(rows, np.array([u]), np.array([v]))[0]
    assert key == key_by_hand(rows[u], rows[v])
    assert abs(key / 2**60 - float(rows[u].astype(float) @ rows[v].astype(float))) < 1e-6 or key == EQUAL_ROWS


def test_negative_zero_is_zero_when_rows_are_compared():
    rows = np.array([[1.0, 0.0], [1.0, -0.0], [0.0, 0.0], [-0.0, 0.0]], dtype=np.float32)
    assert similarity_keys(rows, np.array([0, 2]), np.array([1, 3])).tolist() == [EQUAL_ROWS, 0]
    assert spanning_tree(rows).u.tolist() == [0, 0, 0]


@pytest.mark.oracle
@given(any_vectors)
def test_accepted_pairs_are_the_maximum_spanning_tree(vectors):
    rows = unit_rows(vectors)
    graph = nx.Graph()
    graph.add_nodes_from(range(len(rows)))
    ranked = ranked_by_hand(rows)
    graph.add_weighted_edges_from((u, v, len(ranked) - rank) for rank, (u, v) in enumerate(ranked))
    truth = {frozenset(edge) for edge in nx.maximum_spanning_edges(graph, data=False)}
    pairs = spanning_tree(rows)
    found = list(zip(pairs.u.tolist(), pairs.v.tolist(), strict=True))
    assert {frozenset(pair) for pair in found} == truth
    assert found == [pair for pair in ranked if frozenset(pair) in truth]  # and in visiting order


@settings(max_examples=300)
@given(any_vectors)
def test_the_three_builders_agree(vectors):
    tree = build_tree(vectors, max_children=None)
    assert tree == reference_tree(vectors, max_children=None)
    assert tree == collapse([(s.u, s.v) for s in merge_steps(vectors)], len(vectors))


@settings(max_examples=300)
@given(any_vectors, st.integers(3, 6))
def test_the_two_builders_agree_after_rebalancing(vectors, max_children):
    assert build_tree(vectors, max_children=max_children) == reference_tree(vectors, max_children=max_children)


@pytest.mark.oracle
@given(st.one_of(distinct_vectors(max_rows=14), tied_vectors(max_rows=14)))
def test_layers_are_boruvkas_rounds(vectors):
    tree = build_tree(vectors, max_children=None)
    assert layers_of(tree) == boruvka_by_hand(unit_rows(vectors))
    assert len(boruvka_rounds(spanning_tree(unit_rows(vectors)))) == tree.depth + 1


@given(any_vectors)
def test_before_rebalancing_the_depth_is_at_most_log2_n_and_every_node_has_two_children(vectors):
    tree = build_tree(vectors, max_children=None)
    assert tree.depth <= int(math.log2(len(vectors)))
    assert np.all(np.diff(tree.child_start)[tree.n_leaves :] >= 2)
    assert np.all(tree.leaf_counts >= 2**tree.layer)


@given(any_vectors)
def test_every_tree_of_the_forest_is_equi_depth_after_every_step(vectors):
    steps, n = merge_steps(vectors), len(vectors)
    forest = Forest(n)
    for step in steps:
        assert forest.root(step.u) != forest.root(step.v)
        assert join(forest, step.u, step.v) == (step.kind, step.node, step.attached)
        for leaf in range(n):
            root, steps_up, node = forest.root(leaf), 0, leaf
            while node != root:
                node, steps_up = forest.parent[node], steps_up + 1
            assert steps_up == forest.height[root]
        for root in {forest.root(leaf) for leaf in range(n)}:
            assert sum(forest.root(leaf) == root for leaf in range(n)) >= 2 ** forest.height[root]
    assert len(steps) == n - 1


@given(any_vectors)
def test_replaying_the_steps_gives_the_forest(vectors):
    steps, n = merge_steps(vectors), len(vectors)
    parent = [-1] * max([n, *(step.node + 1 for step in steps)])
    for step in steps:
        for child in step.attached:
            parent[child] = step.node
    assert AbstractTree.from_parents(parent, n) == build_tree(vectors, max_children=None)


@pytest.mark.parametrize(
    ("merges", "kind", "node", "attached"),
    [
        ([(0, 1)], "merging", 6, (0, 1)),
        ([(0, 1), (1, 2)], "leaf node collapse", 6, (2,)),
        ([(0, 1), (2, 0)], "leaf node collapse", 6, (2,)),
        ([(0, 1), (2, 3), (1, 3)], "abstract node collapse", 8, (6, 7)),
        ([(0, 1), (2, 3), (1, 3), (4, 5), (5, 2)], "abstract node collapse", 8, (9,)),
        ([(0, 1), (2, 3), (1, 3), (4, 5), (2, 5)], "abstract node collapse", 8, (9,)),
        ([(0, 1), (2, 3), (1, 3), (4, 2)], "leaf node collapse", 7, (4,)),
    ],
)
def test_each_step_does_what_the_table_says(merges, kind, node, attached):
    forest = Forest(6)
    last = [join(forest, u, v) for u, v in merges][-1]
    assert last == (kind, node, attached)


def test_the_witness_decides_where_the_lower_root_goes():
    """The smallest dendrogram that ψ alone does not settle: ((0,1),(2,4)),3."""
    by_zero = collapse([(0, 1), (2, 4), (0, 2), (0, 3)], 5)
    by_two = collapse([(0, 1), (2, 4), (0, 2), (3, 2)], 5)
    assert layers_of(by_zero)[1] == {frozenset({0, 1, 3}), frozenset({2, 4})}
    assert layers_of(by_two)[1] == {frozenset({0, 1}), frozenset({2, 3, 4})}


@pytest.mark.parametrize(
    ("merges", "n_leaves", "message"),
    [
        ([(0, 1)], 3, "needs 2 merges, but got 1"),
        ([(0, 1), (1, 0)], 3, r"pair \(1, 0\) as merge 1"),
        ([(0, 3)], 3, r"pair \(0, 3\) as merge 0"),
        ([(-1, 0)], 2, r"pair \(-1, 0\)"),
        ([(0, 0)], 2, r"pair \(0, 0\)"),
        ([], 0, "n_leaves"),
    ],
)
def test_collapse_says_which_merge_is_none(merges, n_leaves, message):
    with pytest.raises(PsiragError, match=message):
        collapse(merges, n_leaves)


@pytest.mark.oracle
@given(distinct_vectors(max_rows=25))
def test_without_ties_the_tree_is_single_linkage_collapsed(vectors):
    rows = unit_rows(vectors).astype(float)
    members = {leaf: [leaf] for leaf in range(len(rows))}
    witnesses = []
    for row, (a, b, *_) in enumerate(linkage(rows, "single") if len(rows) > 1 else []):
        left, right = members[int(a)], members[int(b)]
        i, j = np.unravel_index(np.argmax(rows[left] @ rows[right].T), (len(left), len(right)))
        witnesses.append((left[i], right[j]))
        members[len(rows) + row] = left + right
    assert collapse(witnesses, len(rows)) == build_tree(vectors, max_children=None)


@given(distinct_vectors(), st.integers(0, 2**32 - 1))
def test_the_order_of_distinct_chunks_does_not_change_the_grouping(vectors, seed):
    order = np.random.default_rng(seed).permutation(len(vectors))
    original, shuffled = build_tree(vectors), build_tree(vectors[order])
    relabelled = [{frozenset(order[list(node)].tolist()) for node in layer} for layer in layers_of(shuffled)]
    assert relabelled == layers_of(original)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(any_vectors, st.integers(1, 50), st.sampled_from([1, 2, 5]), st.integers(0, 9), st.integers(1, 40))
def test_block_size_threads_and_the_first_tree_do_not_change_the_result(
    monkeypatch, vectors, block, workers, seed, columns
):
    rows = unit_rows(vectors)
    plain = spanning_tree(rows)
    monkeypatch.setattr(sweeping.NumpyTiles, "columns", columns)
    monkeypatch.setattr(sweeping, "_MANY", columns % 2)
    other = spanning_tree(rows, block=block, workers=workers, seed=seed)
    assert np.array_equal([other.u, other.v, other.key], [plain.u, plain.v, plain.key])


@pytest.mark.oracle
@pytest.mark.parametrize("kind", ["clump", "one-hot", "sign grid", "antipodal", "equal rows"])
def test_inputs_with_masses_of_near_ties_equal_the_reference(kind):
    rng = np.random.default_rng(3)
    rows = {
        "clump": np.ones(16) + 1e-7 * rng.normal(size=(700, 16)),  # closer together than float32 products can tell
        "one-hot": np.eye(400)[rng.permutation(400)],
        "sign grid": rng.choice([-1.0, 1.0], size=(700, 9)),
        "antipodal": np.repeat([[1.0, 0, 0], [-1.0, 0, 0]], 350, axis=0) + 1e-6 * rng.normal(size=(700, 3)),
        "equal rows": rng.normal(size=(3, 8))[rng.integers(0, 3, 700)],
    }[kind]
    assert build_tree(rows, max_children=None) == reference_tree(rows, max_children=None)
    pairs = spanning_tree(unit_rows(rows), block=64, seed=5)
    assert boruvka_layers(pairs) == reference_tree(rows, max_children=None)


@given(any_vectors, st.integers(0, 2**32 - 1))
def test_only_directions_count(vectors, seed):
    scale = 2.0 ** np.random.default_rng(seed).integers(-30, 30, size=(len(vectors), 1))
    assert build_tree(vectors * scale) == build_tree(vectors)


def test_degenerate_sizes():
    with pytest.raises(PsiragError, match=r"at least one vector, but got an array of shape \(0, 3\)"):
        build_tree(np.empty((0, 3)))
    with pytest.raises(PsiragError, match="at least one vector"):
        reference_tree(np.empty((0, 3)))
    for builder in (build_tree, reference_tree):
        assert builder([[1.0, 2.0]]).parent.tolist() == [-1]
        assert builder([[1.0, 2.0], [0.0, -1.0]]).parent.tolist() == [2, 2, -1]
        assert builder([[1.0, 0], [1.0, 0.1], [1.0, 0.2]]).parent.tolist() == [3, 3, 3, -1]
    assert merge_steps([[1.0, 2.0]]) == []


def test_a_zero_row_is_similar_to_nothing_and_in_the_tree_once():
    rows = np.array([[1.0, 0.1], [0.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
    with pytest.warns(PsiragWarning, match="rows 1, 3 zero") as caught:
        tree = build_tree(rows)
    assert len(caught) == 1
    assert tree.leaves(tree.root).tolist() == [0, 1, 2, 3]
    assert spanning_tree(unit_rows(rows)).similarity.tolist()[1:] == [0, 0]


def test_rows_that_are_not_finite_are_named_before_anything_is_built():
    with pytest.raises(PsiragError, match="NaN or infinity in row 1"):
        build_tree([[1.0, 0.0], [np.nan, 0.0]])
    with pytest.raises(PsiragError, match="NaN or infinity in row 0"):
        merge_steps([[np.inf, 0.0]])


@pytest.mark.parametrize("max_children", [2, 0, -1, True, 3.0, "40"])
def test_a_limit_below_three_is_refused(max_children):
    for builder in (build_tree, reference_tree):
        with pytest.raises(PsiragError, match="max_children"):
            builder([[1.0, 0.0]], max_children=max_children)


def test_all_ties_are_one_star_and_four_directions_pair_the_lowest_first():
    assert build_tree(np.eye(30)).depth == 1
    compass = [[1, 0], [0, 1], [-1, 0], [0, -1]]  # neighbours tie at 0, opposites at −1
    assert [(s.u, s.v) for s in merge_steps(compass)] == [(0, 1), (0, 3), (1, 2)]


def test_the_order_of_tied_pairs_matters_and_is_the_lowest_first():
    """A path of three equal edges: in order 01, 12, 23 one star; in order 01, 23, 12 two pairs."""
    assert collapse([(0, 1), (1, 2), (2, 3)], 4).depth == 1
    assert collapse([(0, 1), (2, 3), (1, 2)], 4).depth == 2


@pytest.mark.oracle
@pytest.mark.slow
def test_two_thousand_clustered_rows_give_the_same_tree_both_ways():
    rng = np.random.default_rng(7)
    rows = rng.normal(size=(50, 64))[rng.integers(0, 50, 2_000)] + 0.7 * rng.normal(size=(2_000, 64))
    rows[100:140] = rows[3]
    assert build_tree(rows) == reference_tree(rows)
    assert boruvka_layers(spanning_tree(unit_rows(rows))) == reference_tree(rows, max_children=None)

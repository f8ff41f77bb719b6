"""RAPTOR's construction: FR-087 to FR-092, seeds, the search over sizes, hard and soft memberships."""

from __future__ import annotations

import sys
from itertools import pairwise

import numpy as np
import pytest
from sklearn.mixture import GaussianMixture

from psirag.baselines import GmmClustering, gmm_clustering, gmm_memberships, gmm_tree
from psirag.baselines.mixture import best_size, mixture_probabilities, reduce_dimensions
from psirag.errors import PsiragError
from psirag.tree import AbstractTree
from psirag.views import circular_tree

RNG = np.random.default_rng(0)


def clumps(n_clumps: int, each: int, *, spread: float = 0.05, d: int = 16, seed: int = 0) -> np.ndarray:
    """Groups of directions, in turn: row i is of group i mod n_clumps."""
    rng = np.random.default_rng(seed)
    centres = np.eye(d)[:n_clumps]
    return np.tile(centres, (each, 1)) + spread * rng.normal(size=(n_clumps * each, d))


def check(found: GmmClustering, n: int) -> None:
    """What holds for every result."""
    tree, pairs = found.tree, found.memberships
    assert tree.n_leaves == n
    edges = {(child, int(tree.parent[child])) for child in range(tree.root)}
    assert edges <= set(map(tuple, pairs.tolist()))
    assert len(np.unique(pairs, axis=0)) == len(pairs)
    if len(pairs):
        assert (tree.layer[pairs[:, 1]] == tree.layer[pairs[:, 0]] + 1).all()
    assert len(found.layers) == tree.depth
    assert [layer.n_nodes for layer in found.layers] == [len(tree.layer_nodes(i)) for i in range(tree.depth)]
    assert [layer.n_clusters for layer in found.layers] == [len(tree.layer_nodes(i + 1)) for i in range(tree.depth)]


@pytest.mark.parametrize("n", range(1, 12))
def test_few_points_get_one_root_and_a_reason(n: int) -> None:
    """FR-087, without UMAP."""
    found = gmm_clustering(RNG.normal(size=(n, 4)), seed=0)
    check(found, n)
    assert found.tree.n_nodes == (n if n == 1 else n + 1)
    assert [layer.closed for layer in found.layers] == ([] if n == 1 else [f"{n} different rows, at most 11"])


def test_twelve_points_and_more() -> None:
    for n in (12, 13, 30):
        check(gmm_clustering(RNG.normal(size=(n, 8)), seed=0), n)
    check(gmm_clustering(RNG.normal(size=(14, 2)), seed=0), 14)


@pytest.mark.parametrize("n", [4, 5, 6, 7])
def test_fewer_dimensions_on_few_points(n: int) -> None:
    check(gmm_clustering(RNG.normal(size=(n, 4)), seed=0, reduction=2), n)


def test_identical_vectors_are_one_cluster() -> None:
    """FR-088 and FR-089: one root, and with too many of them parts by size."""
    for n in (14, 20, 40):
        found = gmm_clustering(np.ones((n, 3)), seed=0)
        check(found, n)
        assert found.tree.n_nodes == n + 1
    found = gmm_clustering(np.ones((100, 3)), seed=0)
    check(found, 100)
    assert [layer.n_clusters for layer in found.layers] == [3, 1]
    assert np.diff(found.tree.child_start).max() == 34
    assert gmm_tree(np.ones((100, 3)), seed=0, max_children=None).depth == 1


def test_nearly_equal_rows_far_from_the_origin() -> None:
    """FR-089: float32 with a large offset."""
    rows = (300 + 1e-4 * RNG.normal(size=(20, 8))).astype(np.float32)
    check(gmm_clustering(rows, seed=0), 20)
    assert mixture_probabilities(rows.astype(np.float64), seed=0, max_clusters=30, search="full").shape[0] == 20


def test_a_mixture_without_full_covariance_falls_back(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = []
    fit = GaussianMixture.fit

    def refusing(self: GaussianMixture, points: np.ndarray) -> GaussianMixture:
        kinds.append(self.covariance_type)
        if self.covariance_type == "full":
            raise ValueError("Fitting the mixture model failed because some components have ill-defined covariance")
        return fit(self, points)

    monkeypatch.setattr(GaussianMixture, "fit", refusing)
    assert mixture_probabilities(np.eye(4), seed=0, max_clusters=1, search="full").tolist() == [[1.0]] * 4
    assert set(kinds) == {"full", "diag"}


def test_points_that_no_mixture_takes_are_an_error() -> None:
    with pytest.raises(PsiragError, match="a mixture needs finite points"):
        best_size(np.full((5, 2), np.nan), seed=0, max_clusters=2, search="full")


def test_a_layer_that_shrinks_too_little_is_closed() -> None:
    """FR-090."""
    found = gmm_clustering(np.eye(8), seed=0, reduction=2)
    check(found, 8)
    assert found.tree.depth <= 3
    assert gmm_tree(np.eye(8), seed=0).depth == 1


def test_every_layer_shrinks_by_a_third_and_no_node_is_too_large() -> None:
    found = gmm_clustering(clumps(5, 24), seed=0, max_children=12)
    check(found, 120)
    assert np.diff(found.tree.child_start).max() <= 12
    sizes = [layer.n_nodes for layer in found.layers]
    assert all(after <= 2 / 3 * before for before, after in pairwise(sizes))


def test_the_seed_decides() -> None:
    """FR-091: the same tree twice, another with another seed; the seed is kept."""
    rows = RNG.normal(size=(60, 8))
    first, again, other = (gmm_clustering(rows, seed=seed) for seed in (0, 0, 1))
    assert first.tree == again.tree
    assert np.array_equal(first.memberships, again.memberships)
    assert first.tree != other.tree
    assert (first.seed, other.seed) == (0, 1)
    assert gmm_tree(rows, seed=0) == first.tree
    assert np.array_equal(gmm_memberships(rows, seed=0), first.memberships)


def test_soft_leaves_are_drawn_once() -> None:
    """FR-092: between two clumps lie rows of both; the tree stays a tree."""
    rows = clumps(2, 25, spread=0.5, d=8)
    rows[40:, :2] = 0.5
    found = [gmm_clustering(rows, seed=seed, reduction=2) for seed in range(4)]
    for one in found:
        check(one, 50)
        assert len(np.unique(one.tree.leaves(one.tree.root))) == 50
        assert len(circular_tree(one.tree).data) <= 6
        assert one.tree.to_newick().count(",") >= 49
    assert any(len(one.memberships) > one.tree.root for one in found), "no row was soft: the test shows nothing"


@pytest.mark.oracle
def test_separate_clumps_are_found() -> None:
    """Rows of one clump share a parent's parent at most; no cluster mixes two clumps."""
    found = gmm_clustering(clumps(4, 20), seed=0)
    kind = np.arange(80) % 4
    for node in found.tree.layer_nodes(1):
        assert len(set(kind[found.tree.leaves(node)])) == 1


@pytest.mark.oracle
@pytest.mark.parametrize("true", [1, 3, 5])
def test_full_search_is_the_least_bic(true: int) -> None:
    points = clumps(true, 90 // true, d=5, spread=0.1)
    bic = [GaussianMixture(k, random_state=7).fit(points).bic(points) for k in range(1, 31)]
    assert best_size(points, seed=7, max_clusters=30, search="full") == np.argmin(bic) + 1 == true


def test_quick_search_stays_close() -> None:
    sizes = [
        (
            best_size(points, seed=seed, max_clusters=30, search="full"),
            best_size(points, seed=seed, max_clusters=30, search="quick"),
        )
        for seed in range(3)
        for points in (
            clumps(4, 15, d=6),
            clumps(14, 8, d=14, seed=1),
            np.random.default_rng(seed).normal(size=(60, 2)),
        )
    ]
    assert np.median([abs(full - quick) for full, quick in sizes]) <= 1


def test_reduced_dimensions() -> None:
    rows = np.linalg.qr(RNG.normal(size=(20, 20)))[0].astype(np.float32)
    assert reduce_dimensions(rows, dimensions=10, neighbours=4, seed=0).shape == (20, 10)
    assert reduce_dimensions(rows[:5], dimensions=10, neighbours=1, seed=0).shape == (5, 3)
    places = [reduce_dimensions(rows, dimensions=3, neighbours=4, seed=seed) for seed in (0, 0, 1)]
    assert np.array_equal(places[0], places[1])
    assert not np.array_equal(places[0], places[2])


def test_without_umap_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "umap", None)
    with pytest.raises(PsiragError, match=r"gmm_tree needs umap, .*pip install"):
        gmm_tree(np.eye(12), seed=0)


def test_every_setting_counts() -> None:
    rows = clumps(3, 20, spread=0.2)
    base = gmm_tree(rows, seed=0)
    assert gmm_tree(rows, seed=0, reduction=59) != base
    assert gmm_tree(rows, seed=0, max_children=3) != base
    assert isinstance(gmm_tree(rows, seed=0, search="full"), AbstractTree)


@pytest.mark.parametrize(
    ("rows", "settings", "says"),
    [
        (np.empty((0, 3)), {}, "a tree needs at least one vector"),
        ([[np.nan, 1.0]], {}, "vectors must be finite"),
        (np.eye(3), {"seed": True}, "seed must be an integer"),
        (np.eye(3), {"seed": -1}, "seed must be at least 0"),
        (np.eye(3), {"reduction": 0}, "reduction must be at least 1"),
        (np.eye(3), {"max_children": 2}, "max_children must be at least 3"),
        (np.eye(3), {"search": "fast"}, "search must be one of 'quick', 'full'"),
    ],
)
def test_wrong_input_is_named(rows: np.ndarray, settings: dict, says: str) -> None:
    with pytest.raises(PsiragError, match=says):
        gmm_tree(rows, **{"seed": 0, **settings})

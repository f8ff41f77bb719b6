"""Places on the disc: FR-105, FR-106."""

from __future__ import annotations

import numpy as np
import pytest

from psirag.errors import PsiragError
from psirag.tree.abstract_tree import AbstractTree
from psirag.views.circular_layout import circular_tree_layout, edge_paths, sector_outlines

TREE = AbstractTree.from_parents([4, 4, 5, 5, 6, 6, -1], n_leaves=4)


def test_leaves_share_one_radius_and_layers_one_ring_each() -> None:
    layout = circular_tree_layout(TREE)
    assert layout.radius.tolist() == [1, 1, 1, 1, 0.5, 0.5, 0]
    assert np.allclose(np.hypot(layout.x, layout.y), layout.radius)


def test_leaves_go_clockwise_from_the_top_in_equal_steps() -> None:
    layout = circular_tree_layout(TREE)
    assert np.allclose(np.degrees(layout.angle[:4]), [90, 0, -90, -180])
    assert np.allclose(np.degrees(layout.angle[4:6]), [45, -135])
    assert np.allclose(np.degrees([layout.start[4], layout.stop[4]]), [135, -45])


def test_edges_name_each_child_once_with_its_parent() -> None:
    assert circular_tree_layout(TREE).edges.tolist() == [[0, 4], [1, 4], [2, 5], [3, 5], [4, 6], [5, 6]]


def test_one_node_stands_on_the_outer_ring() -> None:
    layout = circular_tree_layout(AbstractTree.from_parents([-1], n_leaves=1))
    assert layout.radius.tolist() == [1.0]
    assert layout.edges.shape == (0, 2)
    assert len(edge_paths(layout)[0]) == 0


def test_a_chain_of_2000_nodes_needs_no_recursion() -> None:
    layout = circular_tree_layout(AbstractTree.from_parents([*range(1, 2_000), -1], n_leaves=1))
    assert np.all(np.diff(layout.radius) < 0)
    assert np.allclose(layout.angle, np.pi / 2)


def test_paths_start_at_the_parent_end_at_the_child_and_turn_on_the_parents_ring() -> None:
    layout = circular_tree_layout(TREE)
    x, y = edge_paths(layout)
    spokes = [np.flatnonzero(np.isclose(x, layout.x[v]) & np.isclose(y, layout.y[v])) for v in range(6)]
    assert all(len(places) for places in spokes)
    radius = np.hypot(x, y)
    assert np.isclose(radius[~np.isnan(radius)][:, None], [0, 0.5, 1]).any(axis=1).all()


def test_a_path_over_chosen_children_leaves_the_others_out() -> None:
    layout = circular_tree_layout(TREE)
    x, y = edge_paths(layout, np.array([0, 4]))
    assert not (np.isclose(x, layout.x[3]) & np.isclose(y, layout.y[3])).any()
    assert len(x) < len(edge_paths(layout)[0])


def test_a_sector_covers_its_own_leaves_only() -> None:
    layout = circular_tree_layout(TREE)
    x, y = sector_outlines(layout, [4])
    angle = np.unwrap(np.arctan2(y[:-1], x[:-1]))
    assert np.isclose(np.degrees(np.ptp(angle)), 180)
    assert np.isclose(np.nanmax(np.hypot(x, y)), 1.03)


def test_arrays_are_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        circular_tree_layout(TREE).x[0] = 1


def test_only_a_tree_is_placed() -> None:
    with pytest.raises(PsiragError, match="AbstractTree"):
        circular_tree_layout([4, 4, -1])  # type: ignore[arg-type]

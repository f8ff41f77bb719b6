"""The forest while it grows."""

from __future__ import annotations

import numpy as np
import pytest

from psirag.errors import PsiragError
from psirag.tree.abstract_tree import AbstractTree
from psirag.tree.building import build_tree
from psirag.tree.merging import MergeStep, merge_steps
from psirag.views.growth import forest, forest_after, merge_animation, merge_stills

VECTORS = np.random.default_rng(5).normal(size=(12, 8))
STEPS = merge_steps(VECTORS)


@pytest.mark.oracle
def test_all_steps_replayed_are_the_tree() -> None:
    parent = forest_after(STEPS, 12)
    assert AbstractTree.from_parents(parent, 12) == build_tree(VECTORS, max_children=None)


def test_each_step_leaves_one_tree_less() -> None:
    roots = [int((forest_after(STEPS, 12, k) == -1).sum()) for k in range(12)]
    assert roots == list(range(12, 0, -1))


def test_more_steps_than_there_are() -> None:
    with pytest.raises(PsiragError, match="k must be at most 11"):
        forest_after(STEPS, 12, 12)


def test_one_frame_a_step_and_leaves_never_move() -> None:
    figure = merge_animation(STEPS, 12, [f"text <b>{i}</b>" for i in range(12)])
    assert [frame.name for frame in figure.frames] == [str(k) for k in range(12)]
    assert len({tuple(frame.data[-1].y) for frame in figure.frames}) == 1
    assert len(figure.layout.sliders[0].steps) == 12
    assert all(len(frame.data) == len(figure.data) for frame in figure.frames)
    assert "<b>0" not in figure.to_json().replace("<b>chunk", "")


def test_titles_name_the_kind_of_step() -> None:
    figure = merge_animation(STEPS, 12, title="toy")
    for step, frame in zip(STEPS, figure.frames[1:], strict=True):
        assert step.kind in frame.layout.title.text
        assert frame.layout.title.text.startswith("toy: step")


def test_the_pair_and_the_new_edges_are_marked() -> None:
    figure = merge_animation(STEPS, 12)
    for step, frame in zip(STEPS, figure.frames[1:], strict=True):
        assert frame.data[1].y.count(None) == len(step.attached)
        ends = {frame.data[-1].y[step.u], frame.data[-1].y[step.v]}
        assert {frame.data[2].y[0], frame.data[2].y[-1]} == ends


def test_the_static_form_is_the_finished_tree() -> None:
    assert "step 11 of 11" in merge_animation(STEPS, 12).svg


def test_stills_are_the_animation_s_pages_in_one_scale() -> None:
    figure, moving = merge_stills(STEPS, 12, at=(1, 4, 11), title="toy"), merge_animation(STEPS, 12)
    assert {trace.xaxis for trace in figure.data} == {"x", "x2", "x3"}
    assert len({tuple(figure.layout[axis].range) for axis in ("xaxis", "xaxis2", "xaxis3")}) == 1
    count = len(moving.data)
    for place, k in enumerate((1, 4, 11)):
        for still, page in zip(figure.data[place * count : (place + 1) * count], moving.frames[k].data, strict=True):
            assert [x for x in still.x if x is not None] == [x for x in page.x if x is not None]
        assert f"step {k} of 11" in figure.svg
    assert figure.layout.title.text == "toy"


def test_a_tree_is_a_forest_too() -> None:
    tree = build_tree(VECTORS)
    assert forest(tree).to_json() == forest(tree.parent, 12).to_json()


def test_stills_that_there_are_not() -> None:
    with pytest.raises(PsiragError, match="at must be at most 11"):
        merge_stills(STEPS, 12, at=(12,))
    with pytest.raises(PsiragError, match="needs steps to show"):
        merge_stills(STEPS, 12, at=())
    with pytest.raises(PsiragError, match="merge_stills draws 1 to 60"):
        merge_stills([], 1, at=(0,))
    with pytest.raises(PsiragError, match="n_leaves must be"):
        forest([2, 2, -1])


def test_a_forest_of_one_leaf_and_a_highlight() -> None:
    assert len(forest([-1], 1).data) == 3
    figure = forest([3, 3, -1, -1], 3, texts=["a", "b", "c"], highlight=[1], title="t")
    assert len(set(figure.data[-1].marker.color)) == 2


def test_without_texts_every_node_shows_its_number() -> None:
    numbered = [label.text for label in forest([3, 3, 4, 4, -1], 3).layout.annotations]
    assert numbered == ["0", "1", "2", "3", "4"]
    assert len(forest([3, 3, 4, 4, -1], 3, texts=["a", "b", "c"]).layout.annotations) == 3


def test_number_of_steps_is_bounded() -> None:
    with pytest.raises(PsiragError, match="1 to 60 steps"):
        merge_animation([], 1)
    step = MergeStep(0, 1, 0.5, "merging", 2, (0, 1))
    with pytest.raises(PsiragError, match="1 to 60 steps"):
        merge_animation([step] * 61, 62)


def test_one_text_per_leaf() -> None:
    with pytest.raises(PsiragError, match="texts must hold 12"):
        merge_animation(STEPS, 12, ["a"])

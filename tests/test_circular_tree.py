"""The circular tree as a figure: FR-092, FR-104, FR-105, FR-106."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from psirag.errors import PsiragError
from psirag.skew import confused_nodes
from psirag.tree.abstract_tree import AbstractTree
from psirag.views.circular_tree import circular_tree, circular_trees

HOSTILE = "<img src=x onerror=alert(1)> <b>x</b> %{x} a<br>b"
TREE = AbstractTree.from_parents([6, 6, 7, 7, 8, 8, 9, 9, 10, 11, 11, -1], n_leaves=6)


def wide_tree(n_leaves: int, fan: int = 5) -> AbstractTree:
    """Return an even tree."""
    parent, start, width = [], 0, n_leaves
    while width > 1:
        above = max(1, width // fan)
        parent += [start + width + min(i // fan, above - 1) for i in range(width)]
        start, width = start + width, above
    return AbstractTree.from_parents([*parent, -1], n_leaves)


def names(figure: object) -> list[str]:
    """Return the names of a figure's traces."""
    return [trace.name for trace in figure.data]  # type: ignore[attr-defined]


@pytest.mark.oracle
def test_confused_nodes_by_hand() -> None:
    tree = TREE  # layer 1: 6 = {0, 1}, 7 = {2, 3}, 8 = {4, 5}; layer 2: 9 = {6, 7}, 10 = {8}; root 11
    assert confused_nodes(tree, [0]).tolist() == [7, 10]
    assert confused_nodes(tree, [0, 2]).tolist() == [10]
    assert confused_nodes(tree, [0, 2, 4]).tolist() == []
    assert confused_nodes(tree, []).tolist() == []
    assert confused_nodes(tree, np.array([False] * 5 + [True])).tolist() == [9]


def test_confused_nodes_are_shaded_and_paths_drawn() -> None:
    tree = wide_tree(25)
    figure = circular_tree(tree, classes=["s"] * 24 + ["b"], minor="b")
    assert names(figure) == ["confused", "edges", "minor path", "abstract", "confused node", "s", "b (minor)"]
    assert figure.data[0].x.count(None) == len(confused_nodes(tree, [24]))
    assert list(figure.data[4].customdata) == confused_nodes(tree, [24]).tolist()
    assert "confused node" in figure.svg
    assert list(figure.data[6].customdata) == [24]


@pytest.mark.parametrize("minor", ["b", ["b"], [3], np.array([0, 0, 0, 1, 0, 0], dtype=bool)])
def test_minor_leaves_can_be_told_in_four_ways(minor: object) -> None:
    tree = wide_tree(6, fan=3)
    figure = circular_tree(tree, classes=list("aaabaa"), minor=minor)
    assert list(figure.data[-1].customdata) == [3]


@pytest.mark.parametrize("n", [1, 2, 3, 60, 5_000])
def test_at_most_seven_traces_and_every_node_once(n: int) -> None:
    tree = wide_tree(n)
    classes = [f"class {i % 9}" for i in range(n)]
    figure = circular_tree(tree, classes=classes, minor=[0], highlight=[0, tree.root], texts=["text"] * n)
    assert len(figure.data) <= 7
    ids = [i for trace in figure.data for i in trace.customdata or ()]
    assert sorted(ids) == list(range(tree.n_nodes))
    assert len(circular_tree(tree, classes=classes, highlight=[0]).data) <= 6


def test_20000_leaves_go_through_webgl_and_keep_hover_short() -> None:
    figure = circular_tree(wide_tree(20_000), texts=["x" * 1_000] * 20_000, labels=[str(i) for i in range(20_000)])
    assert {trace.type for trace in figure.data} == {"scattergl"}
    assert len(figure.layout.annotations) == 48
    assert len(figure.to_json()) < 6_000_000
    assert len(figure.svg) < 300_000


def test_a_chain_is_drawn() -> None:
    figure = circular_tree(AbstractTree.from_parents([*range(1, 2_000), -1], n_leaves=1))
    assert len(figure.data) <= 6
    assert len(figure.layout.shapes) <= 12


def test_equal_texts_do_not_merge_nodes() -> None:
    figure = circular_tree(TREE, texts=["same"] * TREE.n_nodes)
    assert sorted(i for trace in figure.data for i in trace.customdata or ()) == list(range(TREE.n_nodes))


def test_text_is_shown_as_written_and_data_are_plain_lists() -> None:
    figure = circular_tree(TREE, texts=[HOSTILE] * 6, title=HOSTILE, labels=[HOSTILE] * 6, classes=[HOSTILE] * 6)
    content = figure.to_json()
    assert "<img" not in content
    assert "bdata" not in content
    assert not any(key in trace for trace in json.loads(content)["data"] for key in ("hovertemplate", "texttemplate"))
    assert all(trace.hoverinfo in ("text", "skip") for trace in figure.data)
    assert "%{x}" in figure.data[-1].hovertext[0]
    assert "<img" not in figure.svg


def test_leaf_texts_alone_or_texts_of_all_nodes() -> None:
    figure = circular_tree(TREE, texts=[f"text {i}" for i in range(TREE.n_nodes)])
    inner = next(trace for trace in figure.data if trace.name == "abstract")
    place = list(inner.customdata).index(TREE.root)
    assert inner.hovertext[place].endswith(f"text {TREE.root}")
    assert "6 leaves" in inner.hovertext[place]


def test_shade_highlight_and_labels_change_the_picture() -> None:
    plain = circular_tree(TREE)
    assert circular_tree(TREE, shade=[7]).data[0].name == "shaded"
    assert "path to root" in names(circular_tree(TREE, highlight=[0]))
    assert len(plain.layout.annotations) == 6
    assert len(circular_tree(TREE, labels=[]).layout.annotations) == 0


@pytest.mark.parametrize("columns", [1, 2])
def test_a_long_title_ends_with_an_ellipsis(columns: int) -> None:
    long = "How the tree keeps apart what few documents say and what many documents say, " * 2
    for figure in (
        circular_tree(TREE, title=long),
        circular_trees([TREE] * 2, titles=["one", long], title=long, columns=columns),
    ):
        assert figure.layout.title.text.endswith("…")
        shown = max(
            element.text or "" for element in ET.fromstring(figure.svg).iter() if (element.text or "")[:3] == "How"
        )
        assert shown.endswith("…")
    assert circular_trees([TREE] * 2, titles=["one", "two"], title="short").layout.title.text == "short"


def test_trees_side_by_side_share_one_legend() -> None:
    figure = circular_trees([TREE, wide_tree(6)], titles=["one", "two"], classes=list("aaaaab"), minor="b")
    shown = [trace.name for trace in figure.data if trace.showlegend]
    assert len(shown) == len(set(shown))
    assert {trace.xaxis for trace in figure.data} == {"x", "x2"}
    below = circular_trees([TREE, TREE], titles=["one", "two"], columns=1)
    assert below.layout.height == 2 * figure.layout.height


def test_the_same_call_gives_the_same_figure() -> None:
    assert circular_tree(TREE, minor=[1]).to_json() == circular_tree(TREE, minor=[1]).to_json()


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"texts": ["a"]}, "texts must hold 6 or 12"),
        ({"classes": ["a"]}, "classes must hold 6"),
        ({"labels": ["a"]}, "labels must hold 6"),
        ({"texts": [None] * 6}, "str only"),
        ({"classes": list("aaaaaa"), "minor": "b"}, "classes that occur"),
        ({"minor": [9]}, "minor must be node numbers"),
        ({"highlight": [12]}, "highlight must be node numbers"),
        ({"shade": [0.5]}, "shade must be node numbers"),
    ],
)
def test_wrong_arguments_are_named(settings: dict[str, object], match: str) -> None:
    with pytest.raises(PsiragError, match=match):
        circular_tree(TREE, **settings)  # type: ignore[arg-type]


def test_not_a_tree_and_not_as_many_titles() -> None:
    with pytest.raises(PsiragError, match="AbstractTree or an Index"):
        circular_tree([2, 2, -1])  # type: ignore[arg-type]
    with pytest.raises(PsiragError, match="a title for each"):
        circular_trees([TREE], titles=[])

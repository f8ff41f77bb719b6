"""The walk drawn on its segment trees."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np
import pytest

from psirag.corpus import Corpus, Document
from psirag.errors import PsiragError
from psirag.index import Index
from psirag.variants import NavTree
from psirag.views.segment_tree import segment_tree, segment_tree_layout
from tests.hashing_encoder import HashingEncoder
from tests.test_navtree import index_of, sentences

NAV = NavTree(index_of(sentences(*range(7)), sentences(11, 12, 13), sentences(99), max_tokens=4), budget=16, anchors=3)


def test_only_the_trees_that_were_entered_in_the_order_of_the_text():
    found = NAV.retrieve("dam")
    layout = segment_tree_layout(found, NAV)
    assert layout.node.tolist() == [0, 1, 2, 3, 4, 5, 6, *range(11, 17)]
    assert layout.x[:7].tolist() == list(range(7))
    assert layout.y.tolist() == [0] * 7 + sorted(layout.y[7:].tolist())
    assert len(layout.edges) == 12
    child, parent = layout.edges.T
    assert (NAV.forest.parent[layout.node[child]] == layout.node[parent]).all()
    assert (layout.y[child] < layout.y[parent]).all()


def test_steps_and_activity_are_the_walks():
    found = NAV.retrieve("moth owl")
    layout, walk = segment_tree_layout(found, NAV), found.trace.walk
    assert layout.node[np.argsort(layout.step)[-len(walk.node) :]].tolist() == walk.node.tolist()
    assert (layout.active == walk.active[layout.node]).all()
    assert set(walk.node.tolist()) <= set(layout.node.tolist())


def test_each_hit_of_the_drawn_trees_is_marked():
    found = NAV.retrieve("moth owl")
    figure = segment_tree(found, NAV)
    shown = {trace.name: list(trace.customdata or ()) for trace in figure.data}
    drawn = set(segment_tree_layout(found, NAV).node.tolist())
    assert sorted(shown["emitted"]) == sorted(found.trace.walk.emitted.tolist())
    assert set(shown.get("filled", ())) == {hit.node for hit in found if "fill" in hit.sides} & drawn
    assert sorted(node for nodes in shown.values() for node in nodes) == sorted(drawn)
    assert {label.text for label in figure.layout.annotations} == {
        str(i + 1) for i in range(len(found.trace.walk.node))
    }
    assert figure.layout.title.text == "moth owl"
    assert segment_tree(found, NAV, title="<b>").layout.title.text == "&lt;b&gt;"
    ET.fromstring(figure.svg)


@pytest.mark.parametrize(("documents", "shown"), [(1, 1), (8, 8), (9, 0)])
def test_few_titles_stand_above_the_roots(documents, shown):
    corpus = Corpus(tuple(Document(i, f"Bats hunt {i}.", f"Title {i}") for i in range(documents)), "documents")
    nav = NavTree(Index.build(corpus, encoder=HashingEncoder(), abstraction="centroid"))
    labels = [label.text for label in segment_tree(nav.retrieve("bats"), nav).layout.annotations]
    assert sum(text.startswith("Title") for text in labels) == shown


def test_one_chunk():
    nav = NavTree(index_of("Bats hunt."))
    assert segment_tree_layout(nav.retrieve("bats"), nav).edges.shape == (0, 2)
    ET.fromstring(segment_tree(nav.retrieve("bats"), nav).svg)


def test_chunks_that_do_not_fit_are_told():
    nav = NavTree(index_of("Owls. Bats hunt moths at night. Crows cry.", max_tokens=5), budget=3)
    names = [trace.name for trace in segment_tree(nav.retrieve("moths"), nav).data]
    assert "too long" in names


def test_what_cannot_be_drawn_is_named():
    index = index_of("Bats hunt.")
    with pytest.raises(PsiragError, match="needs a retrieval with a walk"):
        segment_tree(index.retrieve("bats"), NAV)
    with pytest.raises(PsiragError, match="needs a retrieval with a walk"):
        segment_tree([], NAV)  # type: ignore[arg-type]
    with pytest.raises(PsiragError, match="the walk must be through these trees"):
        segment_tree(NavTree(index).retrieve("bats"), NAV)

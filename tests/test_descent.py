"""The descent drawn layer by layer."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np
import pytest

from psirag.agent import Agent
from psirag.corpus import Corpus, Document
from psirag.errors import PsiragError
from psirag.index import Index
from psirag.retrieval.trace import LayerTrace, Trace
from psirag.tree.abstract_tree import AbstractTree
from psirag.variants import NavTree
from psirag.views.descent import descent, descent_layout
from psirag.views.hover import text_width
from tests.hashing_encoder import HashingEncoder

TREE = AbstractTree.from_parents([6, 6, 7, 7, 8, 8, 9, 9, 9, -1], n_leaves=6)


def layer(number: int, candidates: list[int], scores: list[float], kept: list[int], scored: bool = True) -> LayerTrace:
    """Return one layer of a trace."""
    return LayerTrace(number, np.array(candidates), np.array(scores), np.array(kept, dtype=np.int64), scored)


TRACE = Trace(
    (
        layer(2, [9], [np.nan], [9], scored=False),
        layer(1, [6, 7, 8], [0.1, 0.7, 0.3], [7, 8]),
        layer(0, [2, 3, 4, 5], [0.2, 0.9, 0.4, 0.1], [3, 4]),
    ),
    nodes_scored=7,
)


@pytest.fixture(scope="module")
def index() -> Index:
    """Return a small index with hostile texts."""
    words = ["beaver dam", "bat moth", "owl mouse", "otter river", "crow nut", "heron fish"]
    texts = [f"{a} {b} <b>{i}</b> %{{x}}" for i in range(5) for a in words for b in ("night", f"day {i}")]
    return Index.build(texts, encoder=HashingEncoder())


@pytest.mark.oracle
def test_rows_run_from_best_to_worst_kept_first() -> None:
    layout = descent_layout(TRACE, TREE)
    assert layout.node.tolist() == [9, 7, 8, 6, 3, 4, 2, 5]
    assert layout.kept.tolist() == [True, True, True, False, True, True, False, False]
    assert layout.rank.tolist() == [0, 0, 1, 2, 0, 1, 2, 3]
    assert layout.y.tolist() == [0, -1, -1, -1, -2, -2, -2, -2]
    assert layout.layer.tolist() == [2, 1, 1, 1, 0, 0, 0, 0]


@pytest.mark.oracle
def test_edges_join_kept_parents_to_kept_children() -> None:
    layout = descent_layout(TRACE, TREE)
    pairs = [(int(layout.node[a]), int(layout.node[b])) for a, b in layout.edges]
    assert pairs == [(9, 7), (9, 8), (7, 3), (8, 4)]


def test_places_stay_in_the_row_and_pruned_stand_right_of_kept() -> None:
    layout = descent_layout(TRACE, TREE)
    assert ((layout.x >= 0) & (layout.x <= 1)).all()
    for row in (-1, -2):
        here = layout.y == row
        assert layout.x[here & layout.kept].max() < layout.x[here & ~layout.kept].min()


def test_a_tree_of_one_node_and_a_layer_that_keeps_all() -> None:
    alone = descent_layout(Trace((layer(0, [0], [np.nan], [0], scored=False),), 0), AbstractTree.from_parents([-1], 1))
    assert alone.edges.shape == (0, 2)
    assert alone.x.tolist() == [0.5]


def test_a_real_descent_shows_every_candidate_with_text_and_score(index: Index) -> None:
    found = index.retrieve("bat moth night", k=4, beam=4)
    figure = descent(found, index)
    assert len(figure.data) <= 4
    shown = [i for trace in figure.data for i in trace.customdata or ()]
    assert sorted(shown) == sorted(i for row in found.trace.layers for i in row.candidates.tolist())
    kept = next(trace for trace in figure.data if trace.name == "kept")
    assert len(kept.customdata) == sum(len(row.kept) for row in found.trace.layers if row.scored)
    assert all("cosine" in box for box in kept.hovertext)
    assert figure.layout.title.text == "bat moth night"
    assert descent(found, index, title="other").layout.title.text == "other"
    ET.fromstring(figure.svg)


def test_unscored_layers_are_told_apart(index: Index) -> None:
    figure = descent(index.retrieve("bat", k=4, beam=4), index)
    whole = next(trace for trace in figure.data if trace.name == "passed whole, unscored")
    assert whole.marker.symbol == "diamond"
    assert not any("cosine" in box for box in whole.hovertext)
    assert any(label.text == "1 passes whole" for label in figure.layout.annotations)


def test_one_chunk_is_a_descent() -> None:
    index = Index.build(["A bat hunts."], encoder=HashingEncoder())
    figure = descent(index.retrieve("bat", k=1), index)
    assert [i for trace in figure.data for i in trace.customdata or ()] == [0]


def test_names_of_leaves_have_room(index: Index) -> None:
    title = "a title of more than twenty letters"
    documents = tuple(Document(i, text, title) for i, text in enumerate(index.chunks.texts))
    titled = Index.build(Corpus(documents, "passages"), encoder=HashingEncoder())
    figure = descent(titled.retrieve("bat moth night", k=4, beam=4, pool=4), titled)
    names = [note for note in figure.layout.annotations if note.textangle]
    assert names
    assert all(note.text.startswith("a title of more than twenty") for note in names)
    low = figure.layout.margin.b - 106 + 18  # pixels between the leaves and the colour bar
    assert low >= 12 + np.sin(np.radians(42)) * max(text_width(note.text, 13) for note in names)
    assert min(note.font.size for note in figure.layout.annotations) >= 13


def test_text_is_shown_as_written(index: Index) -> None:
    content = descent(index.retrieve("<b>x</b> bat", k=4), index).to_json()
    assert "<b>x" not in content
    assert "&lt;b&gt;" in content


def test_what_cannot_be_drawn_is_named(index: Index) -> None:
    with pytest.raises(PsiragError, match="needs a Retrieval"):
        descent([], index)  # type: ignore[arg-type]
    with pytest.raises(PsiragError, match=r"an Answer.*answer\.steps\[0\]\.retrievals\[0\]"):
        descent(Agent(index, "rules").ask("What does a bat hunt?"), index)  # type: ignore[arg-type]
    with pytest.raises(PsiragError, match=r"segment_tree\(retrieval, nav\)"):
        descent(NavTree(index, anchors=1).retrieve("bat"), index)
    with pytest.raises(PsiragError, match="a trace with layers"):
        descent(index.retrieve("bat", sides=("sparse",)), index)
    with pytest.raises(PsiragError, match="of this tree"):
        descent_layout(Trace((layer(0, [99], [0.5], [99]),), 1), TREE)

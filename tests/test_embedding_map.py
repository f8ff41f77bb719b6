"""The map as a figure: FR-104, FR-108."""

from __future__ import annotations

import json

import numpy as np
import pytest

from psirag.errors import PsiragError
from psirag.index import Index
from psirag.views.embedding_map import embedding_map
from tests.hashing_encoder import HashingEncoder

HOSTILE = "<img src=x onerror=alert(1)> <b>x</b> %{x} a<br>b"
RANDOM = np.random.default_rng(1)
VECTORS = RANDOM.normal(size=(9, 6))


def test_each_class_is_a_trace_with_its_chunks() -> None:
    figure = embedding_map(VECTORS, classes=list("aaaabbbcc"))
    assert [trace.name for trace in figure.data] == ["a", "b", "c"]
    assert [list(trace.customdata) for trace in figure.data] == [[0, 1, 2, 3], [4, 5, 6], [7, 8]]
    assert len({trace.marker.symbol for trace in figure.data}) == 3


def test_many_classes_share_the_last_trace() -> None:
    figure = embedding_map(VECTORS, classes=list("abcdefghi"))
    assert len(figure.data) == 7
    assert figure.data[-1].name == "3 more classes"
    assert sorted(i for trace in figure.data for i in trace.customdata) == list(range(9))


def test_a_query_is_a_star_tied_to_its_nearest() -> None:
    figure = embedding_map(VECTORS, query=VECTORS[3], texts=["text"] * 9)
    links, chunks, star = figure.data
    assert links.x.count(None) == 3
    assert (star.x[0], star.y[0]) == (chunks.x[3], chunks.y[3])
    plain = embedding_map(VECTORS, texts=["text"] * 9).data[0]
    assert (chunks.x, chunks.y) == (plain.x, plain.y)


def test_an_index_brings_vectors_texts_and_the_querys_words() -> None:
    index = Index.build(["Beavers build dams.", "Bats hunt moths.", "Owls hunt mice."], encoder=HashingEncoder())
    figure = embedding_map(index, query="Who hunts moths?")
    assert [len(trace.x) for trace in figure.data] == [3, 3, 1]
    assert "Bats hunt moths." in figure.data[1].hovertext[1]
    assert figure.data[2].hovertext[0].endswith("Who hunts moths?")


def test_text_is_shown_as_written_and_data_are_plain_lists() -> None:
    figure = embedding_map(VECTORS, texts=[HOSTILE] * 9, classes=[HOSTILE] * 9, title=HOSTILE)
    content = figure.to_json()
    assert "<img" not in content
    assert "bdata" not in content
    assert not any("hovertemplate" in trace for trace in json.loads(content)["data"])
    assert "<img" not in figure.svg


def test_5000_long_chunks_fit_in_a_notebook() -> None:
    places = RANDOM.normal(size=(5_000, 2))
    figure = embedding_map(RANDOM.normal(size=(5_000, 3)), texts=["word " * 200] * 5_000, layout=places)
    assert len(figure.to_json()) + len(figure.svg) < 3_000_000
    assert len(figure.data) == 1


def test_highlight_layout_and_labels_change_the_picture() -> None:
    places = np.arange(18.0).reshape(9, 2)
    figure = embedding_map(VECTORS, layout=places, highlight=[2], texts=[f"t{i}" for i in range(9)])
    assert list(figure.data[0].x) == places[:, 0].tolist()
    assert np.argmax(figure.data[0].marker.size) == 2
    assert len(figure.layout.annotations) == 9
    assert len(embedding_map(np.eye(30), layout=np.eye(30)[:, :2], texts=["t"] * 30).layout.annotations) == 0


@pytest.mark.parametrize(("n", "links"), [(1, 1), (6, 2), (13, 5), (40, 5)])
def test_a_query_is_not_tied_to_nearly_everything(n: int, links: int) -> None:
    figure = embedding_map(RANDOM.normal(size=(n, 6)), query=np.ones(6), layout=RANDOM.normal(size=(n, 2)))
    assert figure.data[0].x.count(None) == links


def test_labels_of_neighbours_take_turns_below_and_above() -> None:
    places = np.array([[0.0, 0.0], [0.01, 0.0], [0.02, 0.0], [5.0, 5.0]])
    figure = embedding_map(np.eye(4), layout=places, texts=["a longer text"] * 4)
    assert [label.yshift for label in figure.layout.annotations] == [-15, 15, -28, -15]


def test_one_chunk_is_a_map() -> None:
    assert list(embedding_map([[1.0, 0.0]]).data[0].x) == [0.0]


@pytest.mark.parametrize(
    ("told", "match"),
    [
        ({"texts": ["a"]}, "texts must hold 9"),
        ({"classes": ["a"]}, "classes must hold 9"),
        ({"layout": np.zeros((3, 2))}, "layout must be finite"),
        ({"layout": np.full((9, 2), np.nan)}, "layout must be finite"),
        ({"query": "words"}, "needs an index"),
        ({"query": [1.0]}, "place_query needs"),
        ({"highlight": [9]}, "highlight must be node numbers"),
    ],
)
def test_wrong_arguments_are_named(told: dict[str, object], match: str) -> None:
    with pytest.raises(PsiragError, match=match):
        embedding_map(VECTORS, **told)  # type: ignore[arg-type]

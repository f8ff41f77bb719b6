"""Chunks that keep to their sections, and the forest that knows where they stand."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from psirag.corpus import Corpus, Document
from psirag.errors import PsiragError, PsiragWarning
from psirag.variants.headings import document_tree
from psirag.variants.sections import SectionForest, index_sections, section_forest
from tests.club_documents import TEXTS, club
from tests.hashing_encoder import HashingEncoder


def test_chunks_know_their_document_their_node_and_its_headings():
    corpus = Corpus(
        (Document(4, "# A\n\nIntro.\n\n## B\n\n### C\n\nOne two. Three four.", "T", {"file": "a.md"}),), "documents"
    )
    forest = section_forest(corpus, max_tokens=2)
    assert forest.titles == ("A", "B", "C")
    assert [chunk.text for chunk in forest.chunks] == ["Intro.", "One two. ", "Three four."]
    assert forest.node.tolist() == [0, 2, 2]
    assert forest.chunks.document.tolist() == [4, 4, 4]
    assert forest.chunks.position.tolist() == [0, 1, 2]
    assert dict(forest.chunks[1].metadata) == {"file": "a.md", "node": 2, "headings": ["A", "B", "C"]}
    assert {chunk.title for chunk in forest.chunks} == {"T"}
    assert forest.indexed_texts[2] == "A > B > C\nThree four."
    assert (forest.ancestors(2), forest.path(1), forest.own_text(2)) == ([1, 0], ("A", "B"), "One two. Three four.")
    assert [*forest.chunk_range(1)] == []


@pytest.mark.oracle
@pytest.mark.parametrize("limit", [1, 3, 8, 100])
def test_no_chunk_crosses_a_section_and_all_own_text_is_in_chunks(limit):
    forest = section_forest(club(), limit)
    first = 0
    for document, text in enumerate(TEXTS):
        tree = document_tree(text)
        for i in range(len(tree)):
            chunks = [forest.chunks[j] for j in forest.chunk_range(first + i)]
            assert "".join(chunk.text for chunk in chunks) == tree.own_text(i)
            for chunk in chunks:
                assert tree.start[i] <= chunk.start < chunk.end <= tree.end[i]
                assert text[chunk.start : chunk.end] == chunk.text
                assert chunk.document == document
        first += len(tree)
    assert first == forest.n_nodes


@given(st.lists(st.text(alphabet="#= aA\n.", min_size=1, max_size=40).filter(str.strip), min_size=1, max_size=3))
def test_any_documents_tile(texts):
    trees = [document_tree(text) for text in texts]
    own = [tree.own_text(i) for tree in trees for i in range(len(tree))]
    if not any(own):
        with pytest.raises(PsiragError, match="sections with text"):
            section_forest(texts)
    elif all(any(tree.own_text(i) for i in range(len(tree))) for tree in trees):
        forest = section_forest(texts, 3)
        assert [forest.own_text(i) for i in range(forest.n_nodes)] == own


def test_html_chunks_hold_no_tags():
    forest = section_forest(["<h1>A</h1><p>One <b>two</b>.</p><h2>B</h2><p>Three.</p>"])
    assert forest.chunks.texts == ("One two.", "Three.")


def test_documents_of_headings_alone_are_told():
    with pytest.warns(PsiragWarning, match="1 of 2 documents are headings alone, without a chunk: ids 0"):
        forest = section_forest(["# A\n\n## B", "# C\n\nText."])
    assert forest.node.tolist() == [2]
    with pytest.raises(PsiragError, match="sections with text"):
        section_forest(["# A\n\n## B"])


def test_the_index_encodes_headings_with_the_text():
    forest = section_forest(club())
    index = index_sections(forest, encoder=HashingEncoder(64))
    assert index.chunks is forest.chunks
    rows = HashingEncoder(64).encode(forest.indexed_texts)
    assert np.allclose(index.vectors[: len(rows)], rows, atol=1e-6)
    found = index.retrieve("capsizing rescue", 1, sides=("sparse",))
    assert found[0].chunk.metadata["headings"] == ["Safety on the water", "Rescue", "Capsizing"]


def test_a_forest_travels_and_cannot_be_written_to():
    forest = section_forest(club())
    copy = pickle.loads(pickle.dumps(forest))
    assert copy.chunks == forest.chunks
    assert copy.titles == forest.titles
    with pytest.raises(ValueError, match="read-only"):
        forest.parent[0] = 3


def test_wrong_input():
    forest = section_forest(["# A\n\nText.\n\n## B\n\nMore."])
    with pytest.raises(PsiragError, match="max_tokens must be at least 1"):
        section_forest(["a"], 0)
    with pytest.raises(PsiragError, match="must be a Chunks"):
        SectionForest(None, [], [], [], ())
    with pytest.raises(PsiragError, match=r"node must have shape \(2,\)"):
        SectionForest(forest.chunks, [0], [-1, 0], [0, 0], ("A", "B"))
    with pytest.raises(PsiragError, match="node must ascend within"):
        SectionForest(forest.chunks, [1, 0], [-1, 0], [0, 0], ("A", "B"))
    with pytest.raises(PsiragError, match="an earlier node"):
        SectionForest(forest.chunks, [0, 1], [-1, 1], [0, 0], ("A", "B"))
    with pytest.raises(PsiragError, match="forest must be a SectionForest"):
        index_sections(forest.chunks)

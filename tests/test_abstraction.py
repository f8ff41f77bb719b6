"""Abstraction: centroids, keyword phrases, covering sentences, the writer, node vectors, compression."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from psirag.abstraction import (
    Abstracts,
    Writer,
    centroids,
    keyword_texts,
    node_vectors,
    sentence_texts,
    write_abstracts,
)
from psirag.abstraction.sentences import covering_sentences, first_tokens, nearest_sentence
from psirag.abstraction.writing import share_window, tidy
from psirag.corpus import count_tokens
from psirag.errors import PsiragError, PsiragWarning
from psirag.tree import AbstractTree, build_tree
from tests.hashing_encoder import HashingEncoder
from tests.strategies import distinct_vectors

RIVERS = [
    "Ada Lovelace wrote notes on the Analytical Engine. She was the daughter of Lord Byron.",
    "The Analytical Engine was designed by Charles Babbage. Ada Lovelace described it.",
    "Beavers build dams of wood. Dams slow a river.",
    "A river slowed by dams floods the wood. Beavers live there.",
    "Honey bees dance. The dance tells where flowers are.",
]
VECTORS = np.array([[9, 1, 0], [9, 0, 1], [0, 9, 1], [1, 9, 0], [0, 2, 9]], dtype=float)


def words(text: str) -> int:
    return len(text.split())


def tree_of(*parents: int, n_leaves: int) -> AbstractTree:
    return AbstractTree.from_parents(parents, n_leaves)


class Recorder:
    """A writer that joins the first words of what it gets, and remembers every call."""

    name = "recorder"

    def __init__(self, *, fails: dict[int, BaseException] | None = None, says: str | None = None) -> None:
        self.calls: list[list[str]] = []
        self.fails, self.says = fails or {}, says

    def write_abstract(self, texts, *, kind, max_tokens):
        self.calls.append(list(texts))
        if len(self.calls) in self.fails:
            raise self.fails[len(self.calls)]
        return self.says if self.says is not None else ", ".join(text.split()[0].strip(",") for text in texts)


# --- centroids ------------------------------------------------------------------------------------------------------


@pytest.mark.oracle
def test_a_centroid_is_the_direction_of_the_leaves_below_each_counted_once():
    tree = build_tree(VECTORS)
    unit = VECTORS / np.linalg.norm(VECTORS, axis=1, keepdims=True)
    rows = centroids(tree, VECTORS)
    assert rows.shape == (tree.n_nodes, 3)
    assert rows.dtype == np.float32
    assert not rows.flags.writeable
    for node in range(tree.n_nodes):
        mean = unit[tree.leaves(node)].mean(axis=0)
        np.testing.assert_allclose(rows[node], mean / np.linalg.norm(mean), atol=1e-6)


def test_a_centroid_of_opposite_vectors_is_zero_and_told():
    with pytest.warns(PsiragWarning, match="1 centroids are zero, so similar to nothing: nodes 2"):
        assert centroids(tree_of(2, 2, -1, n_leaves=2), [[1.0, 0.0], [-1.0, 0.0]])[2].tolist() == [0, 0]


def test_a_zero_leaf_is_not_told_again():
    vectors = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]
    tree = tree_of(3, 3, 3, -1, n_leaves=3)
    for kind in ("keyword", "summary", "centroid"):
        abstracts = write_abstracts(tree, ["oak", "elm", "ash"], vectors, kind=kind)
        assert not node_vectors(tree, vectors, abstracts, HashingEncoder(2))[0].any()


def test_unit_float32_leaves_keep_their_bits():
    vectors = HashingEncoder(16).encode([f"river {i}" for i in range(60)])
    tree = build_tree(vectors)
    abstracts = write_abstracts(tree, ["oak"] * 60, vectors, kind="centroid")
    assert np.array_equal(node_vectors(tree, vectors, abstracts, None)[:60], vectors)


@pytest.mark.parametrize("wrong", [[1.0, 2.0], [["a"], ["b"]], np.empty((2, 0)), None])
def test_leaf_vectors_must_be_rows_of_numbers(wrong):
    with pytest.raises(PsiragError, match="leaf_vectors must be an"):
        centroids(tree_of(2, 2, -1, n_leaves=2), wrong)


def test_centroids_need_a_row_for_each_leaf():
    with pytest.raises(PsiragError, match="leaf_vectors must have one row for each leaf"):
        centroids(build_tree(VECTORS), VECTORS[:4])


# --- keyword phrases ------------------------------------------------------------------------------------------------


@pytest.mark.oracle
def test_phrase_scores_by_hand():
    # Two siblings {0, 1}, {2, 3} below the root. Every text is one word, so phrases are words.
    tree = tree_of(4, 4, 5, 5, 6, 6, -1, n_leaves=4)
    texts = ["oak. oak. elm", "ash", "elm. elm", "elm"]
    # node 4: tf oak 2, elm 1, ash 1; below the root oak 2, elm 4, ash 1; 7 occurrences / 2 siblings = 3.5; df 1, 3, 1
    score = {
        "oak": 2 * math.log(1 + 3.5 / 2) * math.log(1 + 4 / 1),
        "elm": 1 * math.log(1 + 3.5 / 4) * math.log(1 + 4 / 3),
        "ash": 1 * math.log(1 + 3.5 / 1) * math.log(1 + 4 / 1),
    }
    expected = ", ".join(sorted(score, key=lambda word: -score[word]))
    assert expected == "oak, ash, elm"
    # the root has no siblings: A = 7 and f = tf
    root = {
        "oak": 2 * math.log(1 + 7 / 2) * math.log(5),
        "elm": 4 * math.log(1 + 7 / 4) * math.log(1 + 4 / 3),
        "ash": 1 * math.log(1 + 7) * math.log(5),
    }
    assert keyword_texts(tree, texts) == (expected, "elm", ", ".join(sorted(root, key=lambda word: -root[word])))


def test_names_are_kept_whole_and_set_siblings_apart():
    tree = build_tree(VECTORS)
    texts = keyword_texts(tree, RIVERS)
    first = texts[tree.parent[0] - tree.n_leaves].split(", ")
    assert first[:2] == ["Ada Lovelace", "Analytical Engine"]
    assert "Ada" not in first
    second = texts[tree.parent[2] - tree.n_leaves].split(", ")
    assert not set(first) & set(second)


def test_at_most_twenty_phrases_none_twice_and_no_stop_word_at_an_edge():
    rng = np.random.default_rng(0)
    vocabulary = ["The", "of", "Oak", "elm", "river", "King", "and", "1999", "was", "dam", "Ash", "Blue", "is"]
    texts = [" ".join(rng.choice(vocabulary, 60)) for _ in range(30)]
    for text in keyword_texts(build_tree(rng.normal(size=(30, 5))), texts):
        phrases = text.split(", ")
        assert 1 <= len(phrases) <= 20
        assert len({phrase.casefold() for phrase in phrases}) == len(phrases)
        edges = {edge.casefold() for phrase in phrases for edge in (phrase.split()[0], phrase.split()[-1])}
        assert not edges & {"the", "of", "and", "was", "is"}


def test_a_phrase_never_crosses_punctuation():
    (text,) = keyword_texts(tree_of(2, 2, -1, n_leaves=2), ["Oak, Elm", "Oak, Elm"])
    assert text == "Elm, Oak"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("東京タワーは高い。", "東京タワーは赤い。", "東京"),
        ("नदी पर बाँध है", "नदी पर बाँध था", "बाँध"),
        ("Москва река течёт", "Москва река мелеет", "Москва"),
        ("نهر دجلة طويل", "نهر دجلة عريض", "دجلة"),
    ],
)
def test_phrases_in_other_scripts(first, second, expected):
    assert expected in keyword_texts(tree_of(2, 2, -1, n_leaves=2), [first, second])[0]


@pytest.mark.parametrize("texts", [["the of and", "is was"], ["!!! …", "—"], ["🙂", "🙃 🙃"]])
@pytest.mark.parametrize("kind", ["keyword", "summary"])
def test_texts_without_a_usable_word_fall_back_to_their_first_words(texts, kind):
    tree = tree_of(2, 2, -1, n_leaves=2)
    abstracts = write_abstracts(tree, texts, np.eye(2), kind=kind)
    assert len(abstracts.texts) == 1
    assert abstracts.texts[0].split()[0] == texts[0].split()[0]
    if kind == "keyword":
        assert abstracts.status == ("fallback",)


# --- covering sentences ---------------------------------------------------------------------------------------------


@pytest.mark.oracle
def test_the_first_sentence_chosen_is_the_one_nearest_to_the_node():
    texts = ["Beavers build dams. Lunch was late.", "Dams by beavers.", "Beavers and dams again."]
    vectors = np.ones((3, 2))
    (summary,) = sentence_texts(tree_of(3, 3, 3, -1, n_leaves=3), texts, vectors, max_tokens=3, count=words)
    # all leaves are equally near, so TF-IDF decides; "Dams by beavers." has only words that all leaves share
    assert summary == "Dams by beavers."


def test_a_title_is_no_sentence_and_is_said_once():
    titles = ["Beaver", "Bees", "Beaver", ""]
    texts = ["Beaver\nBeavers build dams. Lunch.", "Bees\nThey make honey.", "Beaver\nIt swims.", "Owls hunt."]
    tree, settings = tree_of(4, 4, 4, 4, -1, n_leaves=4), {"max_tokens": 99, "count": words}
    assert sentence_texts(tree, texts, np.ones((4, 2)), titles=titles, **settings) == (
        "Beaver: Beavers build dams. Lunch. Bees: They make honey. It swims. Owls hunt.",
    )
    (plain,) = sentence_texts(tree, texts, np.ones((4, 2)), **settings)
    assert "Beaver Beavers build dams." in plain
    for wrong in (titles[:2], [None] * 4):
        with pytest.raises(PsiragError, match="titles"):
            write_abstracts(tree, texts, np.ones((4, 2)), kind="summary", titles=wrong)


def test_near_copies_are_not_repeated_while_something_else_is_there():
    texts = ["Beavers build dams.", "Beavers build dams!", "Bees make honey."]
    (summary,) = sentence_texts(tree_of(3, 3, 3, -1, n_leaves=3), texts, np.ones((3, 2)), max_tokens=6, count=words)
    assert summary == "Beavers build dams. Bees make honey."


def test_upper_layers_choose_among_the_sentences_of_their_children():
    tree = build_tree(VECTORS)
    texts = sentence_texts(tree, RIVERS, VECTORS, max_tokens=16, count=words)
    known = [*RIVERS, *texts]
    for node in range(tree.n_leaves, tree.n_nodes):
        children = " ".join(known[child] for child in tree.children(node))
        for sentence in known[node].split(". "):
            assert sentence.rstrip(".") in children
        assert words(known[node]) <= 16


def test_a_sentence_longer_than_the_limit_is_cut():
    (summary,) = sentence_texts(tree_of(2, 2, -1, n_leaves=2), ["a b c d e"] * 2, np.eye(2), max_tokens=3, count=words)
    assert summary == "a b c"


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [("a b c", 3, "a b c"), ("a b  c", 2, "a b"), ("東京タワー", 2, "東京"), ("", 3, ""), ("東", 0, "")],
)
def test_first_tokens(text, limit, expected):
    assert first_tokens(text, limit, count_tokens) == expected


# --- write_abstracts ------------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(distinct_vectors(max_rows=12), st.sampled_from(["keyword", "summary"]), st.integers(0, 10**6))
def test_every_abstract_node_gets_a_text_within_its_limit(vectors, kind, seed):
    rng = np.random.default_rng(seed)
    pool = ["Oak", "elm", "the", "river.", "King", "of", "1999", "東京", "dam,", "Ada", "Lovelace", "!"]
    texts = [" ".join(rng.choice(pool, rng.integers(1, 200))) for _ in vectors]
    tree = build_tree(vectors)
    abstracts = write_abstracts(tree, texts, vectors, kind=kind)
    assert len(abstracts.texts) == len(abstracts.status) == tree.n_nodes - tree.n_leaves
    for text, status in zip(abstracts.texts, abstracts.status, strict=True):
        assert text.strip()
        assert status in ("extractive", "fallback")
        assert kind == "summary" or status == "fallback" or len(text.split(", ")) <= 20
        assert kind == "keyword" or count_tokens(text) <= 100
    assert abstracts.texts == write_abstracts(tree, texts, vectors, kind=kind).texts


def test_one_leaf_has_no_abstract():
    for kind in ("keyword", "summary", "centroid"):
        abstracts = write_abstracts(build_tree([[1.0, 0.0]]), ["only"], [[1.0, 0.0]], kind=kind)
        assert abstracts.texts == ()
        assert math.isnan(abstracts.compression)


@pytest.mark.parametrize("kind", ["keyword", "summary"])
def test_nodes_with_one_child(kind):
    chain = tree_of(2, 3, 4, 4, -1, n_leaves=2)
    abstracts = write_abstracts(chain, ["Oak trees.", "River dams."], np.eye(2), kind=kind)
    assert "Oak" in abstracts.texts[0]
    assert "River" in abstracts.texts[1]
    assert "Oak" in abstracts.texts[2]


@pytest.mark.parametrize("kind", ["keyword", "summary"])
def test_identical_texts(kind):
    vectors = np.ones((5, 2))
    abstracts = write_abstracts(build_tree(vectors), ["Beavers build dams."] * 5, vectors, kind=kind)
    assert len(abstracts) == 1
    assert "eavers" in abstracts.texts[0]


def test_blank_leaves_give_a_blank_abstract_and_the_centroid():
    abstracts = write_abstracts(tree_of(2, 2, -1, n_leaves=2), ["", " "], np.eye(2))
    assert abstracts.texts == ("",)
    assert math.isnan(abstracts.compression)
    rows = node_vectors(tree_of(2, 2, -1, n_leaves=2), np.eye(2), abstracts, HashingEncoder(2))
    np.testing.assert_allclose(rows[2], [0.5**0.5] * 2, atol=1e-6)


@pytest.mark.oracle
def test_compression_by_hand():
    tree = tree_of(4, 4, 5, 5, 6, 6, -1, n_leaves=4)
    writer = Recorder(says="one two")
    abstracts = write_abstracts(
        tree, ["a b c d", "e f g h", "i j", "k l"], np.eye(4), kind="summary", writer=writer, tokenizer=str.split
    )
    assert abstracts.compression == pytest.approx(((1 - 2 / 8) + (1 - 2 / 4) + (1 - 2 / 4)) / 3)


def test_the_tokenizer_decides_what_a_token_is():
    def by_letter(text: str) -> list[str]:
        return list(text)

    tree = tree_of(2, 2, -1, n_leaves=2)
    texts = ["x" * 70 + " y" * 70] * 2
    (text,) = write_abstracts(tree, texts, np.eye(2), kind="summary", tokenizer=by_letter).texts
    assert len(text) <= 100


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"kind": "keywords"}, "kind must be one of"),
        ({"kind": None}, "kind must be one of"),
        ({"leaf_texts": ["a"]}, "one text for each leaf"),
        ({"leaf_texts": "ab"}, "leaf_texts must be a sequence"),
        ({"leaf_texts": ["a", None]}, "leaf_texts must hold str"),
        ({"leaf_vectors": np.eye(3)}, "one row for each leaf"),
        ({"leaf_vectors": [[np.nan, 1], [1, 1]]}, "leaf_vectors must be finite"),
        ({"writer": "gpt"}, "writer must have a name"),
        ({"tokenizer": 3}, "tokenizer must be callable"),
    ],
)
def test_wrong_input_is_refused(changed, message):
    given_ = {"leaf_texts": ["a", "b"], "leaf_vectors": np.eye(2)} | changed
    with pytest.raises(PsiragError, match=message):
        write_abstracts(tree_of(2, 2, -1, n_leaves=2), **given_)


def test_abstracts_hold_one_status_for_each_text():
    with pytest.raises(PsiragError, match="one status for each text"):
        Abstracts("keyword", ("a",), (), 0.5)
    with pytest.raises(PsiragError, match="kind must be one of"):
        Abstracts("words", ("a",), ("extractive",), 0.5)


# --- the writer -----------------------------------------------------------------------------------------------------


def test_a_writer_is_asked_bottom_up_with_the_childrens_texts():
    tree = tree_of(4, 4, 5, 5, 6, 6, -1, n_leaves=4)
    writer = Recorder()
    assert isinstance(writer, Writer)
    abstracts = write_abstracts(tree, ["oak x", "elm x", "bee x", "ant x"], np.eye(4), writer=writer)
    assert writer.calls == [["oak x", "elm x"], ["bee x", "ant x"], ["oak, elm", "bee, ant"]]
    assert abstracts.texts == ("oak, elm", "bee, ant", "oak, bee")
    assert abstracts.status == ("written",) * 3


def test_a_failure_is_tried_again_once():
    writer = Recorder(fails={1: OSError("connection lost")})
    abstracts = write_abstracts(tree_of(2, 2, -1, n_leaves=2), ["oak", "elm"], np.eye(2), writer=writer)
    assert len(writer.calls) == 2
    assert abstracts.texts == ("oak, elm",)


@pytest.mark.parametrize("error", [RuntimeError("CUDA out of memory"), PsiragError("a", "b", "c"), KeyError("choices")])
def test_two_failures_name_the_node_and_keep_the_finished_part(error):
    tree = tree_of(4, 4, 5, 5, 6, 6, -1, n_leaves=4)
    texts, kept = ["oak x", "elm x", "bee x", "ant x"], {}
    writer = Recorder(fails={3: error, 4: error})
    with pytest.raises(PsiragError, match="The writer 'recorder' must return an abstract for node 6") as caught:
        write_abstracts(tree, texts, np.eye(4), writer=writer, store=kept)
    assert caught.value.__cause__ is error
    assert sorted(kept.values()) == ["bee, ant", "oak, elm"]
    again = Recorder()
    whole = write_abstracts(tree, texts, np.eye(4), writer=again, store=kept)
    assert again.calls == [["oak, elm", "bee, ant"]]
    assert whole == write_abstracts(tree, texts, np.eye(4), writer=Recorder())


def test_an_interruption_repeats_no_finished_call():
    tree = tree_of(4, 4, 5, 5, 6, 6, -1, n_leaves=4)
    kept: dict[str, str] = {}
    with pytest.raises(KeyboardInterrupt):
        write_abstracts(tree, list("abcd"), np.eye(4), writer=Recorder(fails={2: KeyboardInterrupt()}), store=kept)
    again = Recorder()
    write_abstracts(tree, list("abcd"), np.eye(4), writer=again, store=kept)
    assert again.calls == [["c", "d"], ["a, b", "c, d"]]


@pytest.mark.parametrize("says", ["", "  \n", "<think>I was cut off", 3, None])
def test_unusable_output_is_replaced_by_the_extractive_text_and_counted(says):
    class Says(Recorder):
        def write_abstract(self, texts, *, kind, max_tokens):
            super().write_abstract(texts, kind=kind, max_tokens=max_tokens)
            return says

    writer, tree = Says(), tree_of(2, 2, -1, n_leaves=2)
    with pytest.warns(PsiragWarning, match="'recorder' gave no usable text for 1 of 1 abstracts.*nodes 2"):
        abstracts = write_abstracts(tree, ["oak tree", "oak leaf"], np.eye(2), writer=writer)
    assert len(writer.calls) == 2
    assert abstracts.status == ("fallback",)
    assert abstracts.texts == write_abstracts(tree, ["oak tree", "oak leaf"], np.eye(2)).texts


@pytest.mark.parametrize(
    ("raw", "kind", "expected"),
    [
        ("<think>x, y</think>\noak, elm", "keyword", "oak, elm"),
        ("x</think>oak", "summary", "oak"),
        ("1. oak\n2. elm\n- Oak", "keyword", "oak, elm"),
        (", ".join(f"p{i}" for i in range(30)), "keyword", ", ".join(f"p{i}" for i in range(20))),
        ("one\n\ntwo three four", "summary", "one two three"),
    ],
)
def test_what_is_stored_of_a_models_output(raw, kind, expected):
    assert tidy(raw, kind, 3, words) == expected


@pytest.mark.oracle
@given(st.lists(st.integers(0, 30), min_size=1, max_size=8), st.integers(8, 60))
def test_every_text_keeps_a_part_of_the_window(lengths, budget):
    texts = [" ".join("x" * length) for length in lengths]
    shared = [words(text) for text in share_window(texts, budget, words)]
    assert sum(shared) <= budget or shared == lengths
    assert all(kept > 0 for kept, length in zip(shared, lengths, strict=True) if length)
    cap = max((kept for kept, length in zip(shared, lengths, strict=True) if kept < length), default=budget)
    assert shared == [min(length, cap) for length in lengths]
    if shared != lengths:  # the largest cap that fits
        assert sum(min(length, cap + 1) for length in lengths) > budget


def test_a_long_input_is_shortened_to_the_writers_window():
    class Small(Recorder):
        max_input_tokens = 10

    writer = Small()
    texts = ["oak " * 50, "elm", "bee " * 50]
    with pytest.warns(PsiragWarning, match="The texts of 1 of 1 abstracts were shortened, each to its share"):
        write_abstracts(tree_of(3, 3, 3, -1, n_leaves=3), texts, np.eye(3), writer=writer)
    assert [words(text) for text in writer.calls[0]] == [4, 1, 4]


# --- node vectors ---------------------------------------------------------------------------------------------------


@pytest.mark.oracle
def test_a_nodes_vector_is_its_texts_and_a_leaf_keeps_its_own():
    tree = build_tree(VECTORS)
    encoder = HashingEncoder(3)
    abstracts = write_abstracts(tree, RIVERS, VECTORS)
    rows = node_vectors(tree, VECTORS, abstracts, encoder)
    unit = VECTORS / np.linalg.norm(VECTORS, axis=1, keepdims=True)
    np.testing.assert_allclose(rows[:5], unit, atol=1e-6)
    np.testing.assert_allclose(rows[5:], encoder.encode(abstracts.texts), atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    assert rows.dtype == np.float32
    assert not rows.flags.writeable


def test_centroid_abstracts_need_no_encoder():
    tree = build_tree(VECTORS)
    abstracts = write_abstracts(tree, RIVERS, VECTORS, kind="centroid")
    assert set(abstracts.status) == {"centroid"}
    assert set(abstracts.texts) == {""}
    assert np.array_equal(node_vectors(tree, VECTORS, abstracts, None), centroids(tree, VECTORS))


def test_node_vectors_refuse_what_does_not_match():
    tree = build_tree(VECTORS)
    abstracts = write_abstracts(tree, RIVERS, VECTORS)
    with pytest.raises(PsiragError, match="one abstract for each abstract node"):
        node_vectors(build_tree(VECTORS[:2]), VECTORS[:2], abstracts, HashingEncoder(3))
    with pytest.raises(PsiragError, match="Leaves and abstracts need one encoder"):
        node_vectors(tree, VECTORS, abstracts, HashingEncoder(4))


# Sentences that cover some texts


def cover(texts, limit=9):
    return covering_sentences(texts, max_tokens=limit, count=lambda text: len(text.split()))


@pytest.mark.oracle
def test_the_first_sentence_taken_is_nearest_to_the_texts_sum():
    sentences = ["Beavers build dams.", "Dams made by beavers slow rivers.", "Bees make honey.", "Rivers flood."]
    rows = TfidfVectorizer(sublinear_tf=True, stop_words="english").fit_transform(sentences).toarray()
    nearest = sentences[int(np.argmax(rows @ rows.sum(axis=0)))]
    assert cover(sentences, len(nearest.split())) == (nearest,)


def test_covering_sentences_come_in_order_once_and_within_the_limit():
    texts = ["Beavers build dams. Beavers build dams. Bees make honey.", "Owls hunt mice. Beavers build dams."]
    assert cover(texts) == ("Beavers build dams.", "Bees make honey.", "Owls hunt mice.")
    for limit in range(1, 12):
        chosen = cover(texts, limit)
        assert sum(len(one.split()) for one in chosen) <= limit
        assert len(set(chosen)) == len(chosen) >= 1


@pytest.mark.parametrize("texts", [[], [""], [" \n"]])
def test_no_sentence_covers_nothing(texts):
    assert cover(texts) == ()


def test_texts_without_a_word_that_counts_still_give_their_first():
    assert cover(["the of and. is it"], 4)[0] == "the of and."
    assert cover(["one two three four five six seven eight nine ten"], 3) == ("one two three",)


@pytest.mark.oracle
def test_the_nearest_sentence_has_the_largest_cosine():
    texts = ["Beavers build dams. Bees make honey.", "Dams made by beavers slow rivers.", "Owls hunt mice."]
    sentences = ["Beavers build dams.", "Bees make honey.", *texts[1:]]
    fitted = TfidfVectorizer(sublinear_tf=True, stop_words="english").fit(texts)
    for query in ("Who slows rivers with dams?", "honey", "mice that owls hunt"):
        cosine = (fitted.transform(sentences) @ fitted.transform([query]).T).toarray().ravel()
        assert nearest_sentence(texts, query) == sentences[int(np.argmax(cosine))]


@pytest.mark.parametrize(("texts", "query"), [([], "owl"), (["Bees."], "owl"), (["Bees."], "the of"), ([""], "")])
def test_no_sentence_is_near(texts, query):
    assert nearest_sentence(texts, query) == ""

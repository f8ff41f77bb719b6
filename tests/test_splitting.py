"""From a corpus to chunks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psirag.corpus import (
    Corpus,
    Document,
    count_tokens,
    load_corpus,
    passages_as_chunks,
    split_into_chunks,
    split_into_sentences,
)
from psirag.errors import PsiragError, PsiragWarning

WORDS = [
    "a",
    "word",
    "3.14",
    "U.S.",
    "A.",
    "b!",
    "c,",
    "d;",
    "é",
    "字",
    "。",
    "，",
    "ที่",
    " ",
    "  ",
    "\n",
    "\n\n",
    "—",
    "😀",
]
TEXTS = st.one_of(
    st.text(), st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join), st.text("字， 。ab", max_size=60)
)
TOKENIZERS = {
    "words": None,
    "characters": len,
    "spaced": str.split,
    "bytes": lambda text: text.encode("utf-8", "replace"),
}


def one_document(text):
    return Corpus((Document(0, text),), kind="documents")


def spans(text, limit, tokenizer=None):
    chunks = split_into_chunks(one_document(text), limit, tokenizer=tokenizer)
    return list(zip(chunks.start.tolist(), chunks.end.tolist(), strict=True))


@settings(deadline=None, max_examples=150)
@given(TEXTS.filter(str.strip), st.integers(1, 12), st.sampled_from(sorted(TOKENIZERS)))
def test_chunks_tile_the_text_keep_the_limit_and_are_greedy(text, limit, tokenizer):
    text = text.encode("utf-8", "replace").decode()
    count = TOKENIZERS[tokenizer]
    chunks = split_into_chunks(one_document(text), limit, tokenizer=count)
    assert "".join(chunks.texts) == text
    assert chunks.start.tolist() == [0, *chunks.end.tolist()[:-1]]
    assert chunks.position.tolist() == chunks.ids.tolist() == list(range(len(chunks)))
    for chunk in chunks:
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.text.strip()
        assert count_tokens(chunk.text, count) <= limit or len(chunk.text.strip()) == 1
    ends = set(chunks.end.tolist())
    for start, end in split_into_sentences(text):
        if count_tokens(text[start:end], count) <= limit:
            assert not ends & set(range(start + 1, end))
    for chunk in list(chunks)[:-1]:
        following = next(end for _, end in split_into_sentences(text) if end > chunk.end)
        assert count_tokens(text[chunk.start : following], count) > limit


@pytest.mark.oracle
@pytest.mark.parametrize("limit", range(1, 20))
def test_numbers_and_abbreviations_stay_whole(limit):
    text = "Pi is 3.14 and U.S. GDP rose 2.5%. Done!"
    parts = [text[start:end] for start, end in spans(text, limit)]
    assert all(any(whole in part for part in parts) for whole in ("3.14", "U.S.", "2.5%"))
    assert len(parts) == {1: 9, 2: 5, 3: 3, 4: 3, 5: 2, 6: 2, 7: 2, 8: 2}.get(limit, 1)


@pytest.mark.oracle
def test_a_long_sentence_keeps_its_place_between_short_ones():
    text = "Short one here. " + " ".join(f"w{i}" for i in range(30)) + ". The tail."
    assert [text[a:b].split()[0] for a, b in spans(text, 12)] == ["Short", "w9", "w21"]


@pytest.mark.oracle
def test_text_without_marks_is_split_between_words_then_characters():
    assert len(spans(" ".join(["word"] * 50), 10)) == 5
    assert [b - a for a, b in spans("字" * 10, 3)] == [3, 3, 3, 1]
    assert [b - a for a, b in spans("x" * 10, 4, len)] == [4, 4, 2]


@pytest.mark.oracle
def test_a_long_sentence_is_cut_after_clause_marks_first():
    text = "When the rain came, the river rose; nobody had expected that, least of all we."
    assert [text[a:b] for a, b in spans(text, 8)] == [
        "When the rain came, the river rose; ",
        "nobody had expected that, least of all we.",
    ]
    assert [b - a for a, b in spans("雨が降った、川が増えた。", 7)] == [6, 6]


@pytest.mark.oracle
def test_chinese_sentences_are_chunks():
    assert spans("巴黎是法国的首都。北京是中国的首都。", 8) == [(0, 9), (9, 18)]


def test_a_higher_limit_gives_fewer_chunks():
    text = "One two three. " * 40
    assert [len(spans(text, limit)) for limit in (3, 6, 30, 1000)] == [40, 20, 4, 1]


@pytest.mark.parametrize("separator", ["", " ", ", ", ". ", "\n\n"])
def test_counting_is_not_quadratic(separator):
    counted = []
    split_into_chunks(
        one_document(separator.join(["字"] * 20_000)), tokenizer=lambda text: counted.append(len(text)) or len(text)
    )
    assert sum(counted) < 40 * 20_000 * (1 + len(separator))


def test_two_documents_with_the_same_beginning_stay_two():
    licence = "This licence text is the same in both books. " * 5
    chunks = split_into_chunks(Corpus((Document(0, licence + "One."), Document(7, licence + "Two.")), "documents"), 9)
    assert chunks.document.tolist() == [0] * 6 + [7] * 6
    assert chunks.position.tolist() == [*range(6)] * 2
    assert chunks.ids.tolist() == [*range(12)]
    assert chunks.n_duplicates == 9


def test_titles_and_metadata_go_with_every_chunk():
    corpus = Corpus((Document(0, "One two. Three four.", "T", {"k": 1}),), "documents")
    chunks = split_into_chunks(corpus, 2)
    assert [(chunk.title, chunk.metadata["k"]) for chunk in chunks] == [("T", 1), ("T", 1)]
    assert chunks.indexed_texts == ("T\nOne two. ", "T\nThree four.")


def test_passages_are_never_cut():
    text = "One sentence. " * 500
    chunks = passages_as_chunks(load_corpus([text, "b"]))
    assert chunks.texts == (text, "b")
    assert np.array_equal(chunks.document, [0, 1])
    assert np.array_equal(chunks.position, [0, 0])


@pytest.mark.parametrize("make", [split_into_chunks, passages_as_chunks])
def test_blank_documents_give_no_chunk_and_are_named(make):
    corpus = Corpus((Document(0, "a"), Document(1, ""), Document(2, " \n"), Document(3, "e")), "documents")
    with pytest.warns(PsiragWarning, match="2 of 4 documents are blank and give no chunk: ids 1, 2") as caught:
        chunks = make(corpus)
    assert len(caught) == 1
    assert chunks.document.tolist() == [0, 3]


@pytest.mark.parametrize("make", [split_into_chunks, passages_as_chunks])
@pytest.mark.parametrize("source", ["a text", ["a"], None, 3])
def test_only_a_corpus_is_split(make, source):
    with pytest.raises(PsiragError, match=f"{make.__name__} needs a Corpus"):
        make(source)


@pytest.mark.parametrize("limit", [0, -1, True, 2.5, None, "9"])
def test_the_limit_is_a_positive_integer(limit):
    with pytest.raises(PsiragError, match="max_tokens must be"):
        split_into_chunks(one_document("a"), limit)

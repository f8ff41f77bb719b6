"""Corpora from names, paths, texts and lists."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from psirag.corpus import Document, load_corpus, load_questions
from psirag.errors import PsiragError, PsiragWarning


@pytest.fixture
def write(tmp_path):
    def write_file(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(
            content
            if isinstance(content, bytes)
            else content.encode()
            if isinstance(content, str)
            else json.dumps(content).encode()
        )
        return path

    return write_file


# Shapes


@pytest.mark.parametrize("name", ["rows.json", "rows.jsonl", "ROWS.JSON"])
def test_hipporag_rows_are_passages(write, name):
    rows = [{"title": "A", "text": "one", "idx": 7}, {"text": "two"}, {"title": None, "text": "three"}]
    content = "\n\n".join(map(json.dumps, rows)) + "\n" if name.endswith("jsonl") else rows
    corpus = load_corpus(write(name, content))
    assert corpus.kind == "passages"
    assert corpus.name == Path(name).stem
    assert [(d.id, d.title, d.text, d.metadata) for d in corpus] == [
        (0, "A", "one", {"idx": 7}),
        (1, "", "two", {}),
        (2, "", "three", {}),
    ]
    assert load_corpus(rows).documents == corpus.documents


def test_multihop_rag_rows_are_documents(write):
    row = {
        "title": "T",
        "body": "text",
        "category": "sports",
        "source": "S",
        "published_at": "2023",
        "url": "u",
        "author": None,
    }
    corpus = load_corpus(str(write("news/corpus.json", [row])))
    assert (corpus.kind, corpus.name) == ("documents", "news")
    assert (corpus[0].title, corpus[0].text, corpus[0].metadata["category"]) == ("T", "text", "sports")
    assert set(corpus[0].metadata) == {"category", "source", "published_at", "url", "author"}


def test_a_folder_of_texts_is_read_in_the_order_of_its_paths(write, tmp_path):
    write("z.txt", "last")
    write("b/two.md", "intro\n```\n# not a heading\n```\n## The *second*  ##\ntext")
    write("a.md", "no heading")
    write("b/a/One.TXT", "deep\r\nline\rend")
    write(".hidden/x.txt", "no")
    write("b/.y.md", "no")
    write("c.csv", "no")
    corpus = load_corpus(tmp_path)
    assert corpus.kind == "documents"
    assert corpus.titles == ("a", "One", "The *second*", "z")
    assert [document.metadata["file"] for document in corpus] == ["a.md", "b/a/One.TXT", "b/two.md", "z.txt"]
    assert corpus[1].text == "deep\nline\nend"


def test_a_folder_with_a_corpus_file_is_that_file(write, tmp_path):
    write("README.md", "not a document")
    write("corpus.jsonl", '{"text": "one"}\n')
    write("questions.json", ["Why?"])
    assert [document.text for document in load_corpus(tmp_path)] == ["one"]
    assert load_corpus(tmp_path).name == tmp_path.name
    assert load_questions(tmp_path)[0].question == "Why?"


@pytest.mark.parametrize(("name", "title"), [("a b.txt", "a b"), ("a.md", "Head")])
def test_one_text_file_is_one_document(write, name, title):
    corpus = load_corpus(write(name, "# Head\nText."))
    assert (corpus.kind, corpus.titles, corpus[0].text) == ("documents", (title,), "# Head\nText.")


@pytest.mark.parametrize(
    "text", ["Beavers build dams.", "one\ntwo.txt\n", "巴黎是法国的首都。", "a" * 300, "x " * 5000, "Why?\0 no"]
)
def test_a_text_is_one_document(text):
    corpus = load_corpus(text)
    assert (corpus.kind, corpus[0].text, corpus[0].title, corpus.name) == ("documents", text, "", "")


def test_lists_are_passages_and_documents_stay_documents():
    assert load_corpus(["a", "b"]).kind == load_corpus(iter(("a", "b"))).kind == "passages"
    documents = [Document(4, "a"), Document(2, "b")]
    corpus = load_corpus(documents)
    assert (corpus.kind, corpus.documents) == ("documents", tuple(documents))
    assert load_corpus(corpus) is corpus


def test_texts_with_the_same_beginning_stay_apart():
    assert len(load_corpus(["x" * 100 + "a", "x" * 100 + "b", "x" * 100 + "b"])) == 3


def test_an_existing_file_is_a_path_even_when_its_name_has_spaces(write, monkeypatch, tmp_path):
    write("Beavers build dams", "x")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PsiragError, match=r"A corpus file must be one of \.json, \.jsonl, \.gz, \.zip, \.txt, \.md"):
        load_corpus("Beavers build dams")


def test_a_home_folder_is_expanded(write, monkeypatch, tmp_path):
    write("a.txt", "home")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load_corpus("~/a.txt")[0].text == load_corpus(Path("~/a.txt"))[0].text == "home"


# Hygiene


@pytest.mark.parametrize("source", [[], (), "", " \n ", ["", " "], [{"text": ""}]])
def test_a_corpus_without_text_is_refused_at_the_door(source):
    with pytest.raises(PsiragError, match="an empty corpus"):
        load_corpus(source)


def test_blank_documents_are_dropped_and_the_other_ids_stay():
    with pytest.warns(PsiragWarning, match="dropped 2 blank of 4 documents: ids 1, 2") as caught:
        corpus = load_corpus(["a", "", "   \n", "e"])
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert [document.id for document in corpus] == [0, 3]
    with pytest.warns(PsiragWarning, match=r"dropped 12 blank of 13 documents: ids 0, .*, 9 … \(12 in all\)$"):
        load_corpus([""] * 12 + ["x"])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["a", None, 3.5, b"x"], r"positions 1 \(NoneType\), 2 \(float\), 3 \(bytes\)"),
        ([None, "a"], r"positions 0 \(NoneType\)"),
        ([["a", "b"], []], r"positions 0 \(list\), 1 \(list\)"),
        ([{"text": "x"}, "y"], r"must hold dict only, but got other types at positions 1 \(str\)"),
        ([{"text": "x"}, {"text": "y"}, {"title": "t"}], "field 'text' that holds a str, but got row 2 without it"),
        ([{"text": None}], "field 'text' that holds a str, but got row 0 without it"),
        ([{"text": 3}], "but got 3, a int, in row 0"),
        ([{"title": 1984, "text": "x"}], "field 'title' that holds a str, but got 1984, a int, in row 0"),
        ([{"title": "t", "body": "b"}, {"title": "t"}], "field 'body' that holds a str, but got row 1 without it"),
    ],
)
def test_rows_without_text_are_named(write, rows, message):
    with pytest.raises(PsiragError, match=message):
        load_corpus(rows)
    if not any(isinstance(row, bytes) for row in rows):
        with pytest.raises(PsiragError, match=f"corpus.json.*{message}"):
            load_corpus(write("corpus.json", rows))


@pytest.mark.parametrize("source", [None, 3, True, b"x", {"text": "x"}, {"a", "b"}])
def test_other_sources_are_refused(source):
    with pytest.raises(PsiragError, match="load_corpus needs a path, a name, a text or a list"):
        load_corpus(source)


@pytest.mark.parametrize(
    "name", ["no.json", "a b.txt", "/no/where", "./x y", "~/no such", "C:\\texts here", "hello", "~nobody/x"]
)
def test_a_missing_path_is_never_taken_for_a_text(name):
    with pytest.raises(PsiragError, match="which is no set and no file") as caught:
        load_corpus(name)
    assert "toy" in str(caught.value)
    with pytest.raises(PsiragError, match="which is no set and no file"):
        load_corpus(Path(name))


def test_a_path_with_a_slip_of_the_pen_is_told_what_lies_beside(write, monkeypatch, tmp_path):
    write("my_texts/a.txt", "Beavers build dams.")
    monkeypatch.chdir(tmp_path)
    for name in ("my_text/", str(tmp_path / "my_text"), "./mytexts"):
        with pytest.raises(PsiragError, match=r"Did you mean '.*my_texts'"):
            load_corpus(name)
    with pytest.raises(PsiragError) as caught:
        load_corpus("nothing/like/it")
    assert "Did you mean" not in str(caught.value)


def test_lone_surrogates_are_replaced_everywhere_and_counted_once(write):
    bad = '{"title": "a\\ud800", "text": "bad \\udc00 text", "tags": ["\\ud800"], "n": 1}'
    rows = f'[{bad}, {{"text": "good \\ud83d\\ude00"}}]'
    with pytest.warns(PsiragWarning, match=r"U\+FFFD in 1 of 2 rows") as caught:
        corpus = load_corpus(write("corpus.json", rows))
    assert len(caught) == 1
    assert (corpus[0].title, corpus[0].text, corpus[0].metadata["tags"]) == ("a\ufffd", "bad \ufffd text", ["\ufffd"])
    assert corpus[1].text == "good 😀"
    with pytest.warns(PsiragWarning, match="1 of 2 rows"):
        assert load_corpus(["bad \ud800", "good"])[0].text == "bad \ufffd"


def test_reading_does_not_depend_on_the_locale(write, tmp_path):
    write(
        "corpus.json", b"\xef\xbb\xbf" + json.dumps([{"title": "é中", "text": "naïve 中"}], ensure_ascii=False).encode()
    )
    write("texts/é.txt", b"\xef\xbb\xbf" + "naïve 中".encode())
    code = (
        "import pathlib, sys; from psirag.corpus import load_corpus; p = pathlib.Path(sys.argv[1]);"
        "d, e = load_corpus(p / 'corpus.json')[0], load_corpus(p / 'texts')[0];"
        "print(ascii([d.title, d.text, e.text]))"
    )
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ascii(["é中", "naïve 中", "naïve 中"])


@pytest.mark.parametrize(("start", "offset"), [(b"", 4), (b"\xef\xbb\xbf", 7)])
def test_a_file_that_is_not_utf8_is_named_with_the_byte(write, start, offset):
    path = write("latin.txt", start + b"caf \xe9 ok")
    with pytest.raises(PsiragError, match=rf"must be UTF-8, but got .*latin\.txt with byte 0xe9 at offset {offset}"):
        load_corpus(path)


def test_a_git_lfs_pointer_is_recognised(write):
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    for name in ("corpus.json", "a.txt"):
        with pytest.raises(PsiragError, match=r"Git LFS pointer .*git lfs pull"):
            load_corpus(write(name, pointer))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", '[{"text": "x"},\n oops]', r"valid JSON, but got .*a\.json, line 2, column 2"),
        ("a.jsonl", '{"text": "x"}\n\n{"text": ', r"valid JSON, but got .*a\.jsonl, line 3, column"),
        ("a.json", "", "valid JSON"),
        ("a.json", "[" * 100_000, r"plain JSON, but got .*a\.json, line 1 or later"),
        ("a.jsonl", "3\n" + "1" * 5000, r"plain JSON, but got .*a\.jsonl, line 2 or later"),
        ("a.json", '{"text": "x"}', r"must hold a list of rows, but got a dict in .*a\.json"),
        ("a.csv", "text\nx", r"A corpus file must be one of \.json, \.jsonl, \.gz, \.zip, \.txt, \.md"),
    ],
)
def test_broken_files_are_named(write, name, content, message):
    with pytest.raises(PsiragError, match=message):
        load_corpus(write(name, content))


def test_a_folder_without_texts_is_named(tmp_path):
    with pytest.raises(PsiragError, match=r"must hold \.txt or \.md files") as caught:
        load_corpus(tmp_path)
    assert repr(str(tmp_path)) in str(caught.value)
    with pytest.raises(PsiragError, match=r"A folder of questions must hold questions\.json"):
        load_questions(tmp_path)


def test_an_object_named_metadata_is_taken_apart():
    rows = [{"text": "a", "metadata": {"topic": "music"}, "year": 1}, {"text": "b", "metadata": "plain"}]
    assert [dict(document.metadata) for document in load_corpus(rows)] == [
        {"topic": "music", "year": 1},
        {"metadata": "plain"},
    ]

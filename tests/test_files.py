"""Files as text and rows."""

from __future__ import annotations

import gzip
import zipfile

import pytest

from psirag.corpus.files import read_rows, read_text
from psirag.errors import PsiragError


def test_line_ends_and_the_byte_order_mark_are_gone(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\rc\n")
    assert read_text(path) == "a\nb\nc\n"


def test_a_line_separator_inside_a_row_does_not_end_it(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('"a\u2028b"\n"c\u0085"\n', encoding="utf-8")
    assert read_rows(path) == ["a\u2028b", "c\u0085"]


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(PsiragError, match=r"A file must be readable, but got .*: Is a directory"):
        read_text(tmp_path)


def archive(path, files):
    with zipfile.ZipFile(path, "w") as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    return path


def test_packed_rows_are_read_in_place(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress('"é"\n"b"\n'.encode()))
    assert read_rows(path) == ["é", "b"]
    assert read_rows(archive(tmp_path / "a.zip", {"__MACOSX/x": "x", "in/": "", "in/test.txt": '"a"\n\n"b"'})) == [
        "a",
        "b",
    ]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.jsonl.gz", "a.zip"]


def test_a_table_is_rows_of_str(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('id,text\n1,"a, b\nc"\n', encoding="utf-8")
    assert read_rows(path) == [{"id": "1", "text": "a, b\nc"}]
    path.write_text("id\n" + "x" * 200_000, encoding="utf-8")
    with pytest.raises(PsiragError, match=r"must be a table, but got .*a\.csv: field larger"):
        read_rows(path)


def test_packed_files_that_are_not_whole_or_not_one_are_named(tmp_path):
    for name in ("a.gz", "a.zip"):
        (tmp_path / name).write_bytes(b"no archive")
        with pytest.raises(PsiragError, match=rf"A packed file must be whole, but got .*{name}"):
            read_rows(tmp_path / name)
    whole = gzip.compress(b'"a"' * 1000)
    (tmp_path / "a.gz").write_bytes(whole[:20])
    with pytest.raises(PsiragError, match="A packed file must be whole"):
        read_rows(tmp_path / "a.gz")
    for files in ({}, {"a": "1", "b": "2"}):
        with pytest.raises(PsiragError, match=rf"must hold one file, but got .*b\.zip with {len(files)}"):
            read_rows(archive(tmp_path / "b.zip", files))

"""Files as text and rows."""

from __future__ import annotations

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

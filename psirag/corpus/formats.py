"""The shapes in which corpora come: rows of the public sets, texts, files and folders."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from psirag.corpus.documents import Document
from psirag.corpus.evidence import carries_passages, passages_of
from psirag.corpus.files import ROW_SUFFIXES, read_rows, read_text
from psirag.corpus.long_documents import long_documents, shape_of, stories_beside
from psirag.corpus.rows import Row, other_fields, same_type, text_field, without_lone_surrogates
from psirag.errors import PsiragError

TEXT_SUFFIXES = (".txt", ".md")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t](.*)$")


def read_corpus(path: Path, *, rows: bool = False) -> tuple[list[Document], str]:
    """Read the documents of a folder or a file (rows on request, whatever its name), and say which kind they are."""
    if path.is_dir():
        return _read_folder(path), "documents"
    suffix = path.suffix.lower()
    if path.name == "documents.csv":
        return documents_from_texts(stories_beside(path, read_rows(path)), str(path)), "documents"
    if rows or suffix in ROW_SUFFIXES:
        return documents_from_rows(read_rows(path), str(path))
    if suffix in TEXT_SUFFIXES:
        return documents_from_texts([_read_document(path)], str(path)), "documents"
    asked = f"A corpus file must be one of {', '.join((*ROW_SUFFIXES, *TEXT_SUFFIXES))}"
    raise PsiragError(asked, str(path), "Convert it, or read it and pass a list of texts.")


def documents_from_rows(rows: Sequence[Any], place: str) -> tuple[list[Document], str]:
    """Read str or `{title, text}` rows or questions with passages, all passages, or `{title, body, …}` or long ones."""
    kind = same_type(place, rows, (str, dict, Document))
    rows = rows if kind is Document else without_lone_surrogates(place, rows)
    if kind is Document:
        return list(rows), "documents"
    if kind is str:
        return [Document(i, row) for i, row in enumerate(rows)], "passages"
    shape = shape_of(rows[0]) if rows else ""
    if shape:
        return documents_from_texts(long_documents(shape, place, rows), place), "documents"
    if rows and carries_passages(rows[0]):
        return documents_from_texts(passages_of(place, rows), place), "passages"
    field = "body" if rows and "body" in rows[0] and "text" not in rows[0] else "text"
    documents = [_document_from_row(place, i, row, field) for i, row in enumerate(rows)]
    return documents, "documents" if field == "body" else "passages"


def documents_from_texts(rows: Sequence[Row], place: str) -> list[Document]:
    """Make documents of rows with the field `text`."""
    return [_document_from_row(place, i, row, "text") for i, row in enumerate(without_lone_surrogates(place, rows))]


def _document_from_row(place: str, i: int, row: Row, field: str) -> Document:
    """Make one document; fields other than title and text become its metadata."""
    title, text = text_field(place, i, row, "title", optional=True), text_field(place, i, row, field)
    return Document(i, text, title, other_fields(row, ("title", field)))


def _read_folder(folder: Path) -> list[Document]:
    """Read every .txt and .md file below a folder in the order of their paths; hidden ones are passed over."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    names = [name for name in sorted(found) if Path(name).suffix.lower() in TEXT_SUFFIXES and not _hidden(name)]
    if not names:
        given = f"the folder {str(folder)!r}, which holds none"
        raise PsiragError("A folder of texts must hold .txt or .md files", given, "Pass the folder that holds them.")
    return documents_from_texts([_read_document(found[name], name) for name in names], str(folder))


def _hidden(name: str) -> bool:
    """Tell whether a file or a folder on its way starts with a dot."""
    return any(part.startswith(".") for part in name.split("/"))


def _read_document(path: Path, name: str | None = None) -> dict[str, str]:
    """Read one text: its title is the first Markdown heading of a .md file, else the file's name without suffix."""
    text = read_text(path)
    heading = _first_heading(text) if path.suffix.lower() == ".md" else ""
    return {"title": heading or path.stem, "text": text, "file": name or path.name}


def _first_heading(markdown: str) -> str:
    """Return the first heading that starts with # outside fenced code, or ""."""
    fenced = False
    for line in markdown.split("\n"):
        fenced ^= bool(_FENCE.match(line))
        heading = _HEADING.match(line)
        title = heading[1].strip(" \t").rstrip("#").rstrip(" \t") if heading and not fenced else ""
        if title:
            return title
    return ""

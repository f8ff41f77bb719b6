"""Chunks: what becomes the leaves of the tree."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from psirag.checks import check_texts
from psirag.corpus.documents import Record, read_only
from psirag.errors import PsiragError
from psirag.vectors import Ints


@dataclass(frozen=True)
class Chunk(Record):
    """One chunk: `text` is `document.text[start:end]`, and `position` counts the chunks of its document from 0.

    Notes
    -----
    Source: Ψ-RAG §3.1 (chunks are the leaves).

    Examples
    --------
    >>> Chunk(id=0, text="Beavers build dams.", title="Beaver", document=0, position=0, start=0, end=19).title
    'Beaver'
    """

    id: int
    text: str
    title: str
    document: int
    position: int
    start: int
    end: int
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "metadata", read_only("Chunk.metadata", self.metadata))


@dataclass(frozen=True, eq=False, repr=False)
class Chunks(Record):
    r"""All chunks of a corpus as columns; a sequence of `Chunk`.

    Parameters
    ----------
    texts, titles : tuple of str
    ids, document, position, start, end : (n,) int64, read-only
        Chunk id; id of its document; its place among the document's chunks; its span of characters there.
    metadata : tuple of Mapping
        That of each chunk's document.

    Raises
    ------
    PsiragError
        When lengths, dtypes, ids or spans do not fit together; the message says which column.

    Notes
    -----
    Source: Ψ-RAG §3.1; the columns are ours.

    Examples
    --------
    >>> chunks = Chunks(("Beavers build dams.",), ("Beaver",), [0], [0], [0], [0], [19], ({},))
    >>> len(chunks), chunks[0].text, chunks.indexed_texts
    (1, 'Beavers build dams.', ('Beaver\nBeavers build dams.',))
    """

    texts: tuple[str, ...]
    titles: tuple[str, ...]
    ids: Ints
    document: Ints
    position: Ints
    start: Ints
    end: Ints
    metadata: tuple[Mapping[str, Any], ...]

    def __post_init__(self) -> None:
        for name in ("texts", "titles"):
            object.__setattr__(self, name, check_texts(f"Chunks.{name}", getattr(self, name)))
        for name in ("ids", "document", "position", "start", "end"):
            object.__setattr__(self, name, _column(name, getattr(self, name), len(self.texts)))
        metadata = tuple(read_only("Chunks.metadata", each) for each in self.metadata)
        object.__setattr__(self, "metadata", metadata)
        for name in ("titles", "metadata"):
            if len(getattr(self, name)) != len(self.texts):
                given = f"{len(getattr(self, name))} for {len(self.texts)} texts"
                raise PsiragError(f"Chunks.{name} needs one entry a chunk", given, "Pass columns of one length.")
        if len(np.unique(self.ids)) != len(self.ids):
            raise PsiragError("Chunks.ids must be distinct", "a repeated id", "Number the chunks from 0.")
        lengths = np.fromiter(map(len, self.texts), np.int64, len(self.texts))
        wrong = np.flatnonzero((self.end - self.start != lengths) | (self.start < 0))
        if len(wrong):
            given = f"other spans at positions {wrong[:10].tolist()}"
            raise PsiragError("Chunks: end - start must be the length of the text", given, "Slice the source text.")

    def __len__(self) -> int:
        return len(self.texts)

    def __iter__(self) -> Iterator[Chunk]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, position: int) -> Chunk:
        i = operator.index(position)
        document, place, start, end = (int(each[i]) for each in (self.document, self.position, self.start, self.end))
        return Chunk(int(self.ids[i]), self.texts[i], self.titles[i], document, place, start, end, self.metadata[i])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Chunks):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def __repr__(self) -> str:
        """Return the sizes."""
        return f"Chunks({len(self)} chunks of {len(np.unique(self.document))} documents)"

    def __hash__(self) -> int:
        return hash((self.texts, self.titles, self.ids.tobytes(), self.document.tobytes(), self.start.tobytes()))

    @property
    def indexed_texts(self) -> tuple[str, ...]:
        """What is encoded and searched by keyword: the title, a line break and the text; the text without a title."""
        return tuple(f"{a}\n{b}" if a else b for a, b in zip(self.titles, self.texts, strict=True))

    @property
    def n_duplicates(self) -> int:
        """Number of chunks whose text an earlier chunk has; they are kept."""
        return len(self) - len(set(self.texts))


def _column(name: str, values: Any, n: int) -> Ints:
    """Return a read-only int64 copy of n integers, none negative."""
    array = np.asarray(values)
    if array.shape != (n,) or (n and array.dtype.kind not in "iu"):
        given = f"shape {array.shape} of {array.dtype} for {n} texts"
        raise PsiragError(f"Chunks.{name} must be an integer array of shape (n,)", given, "Pass one integer a chunk.")
    column = np.array(array, dtype=np.int64)
    if n and column.min() < 0:
        raise PsiragError(f"Chunks.{name} must not be negative", str(column.min()), "Count from 0.")
    column.flags.writeable = False
    return column

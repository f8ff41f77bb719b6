"""What is read: documents, corpora and questions, as frozen records whose metadata is read-only."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

from psirag.checks import check_choice, check_count, check_each, check_texts, check_type, first_few
from psirag.errors import PsiragError


class Record:
    """A frozen dataclass whose mappings are read-only copies and which still travels to another process."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Hand the fields back as plain values, because a read-only mapping cannot be pickled."""
        return type(self), tuple(_plain(getattr(self, each.name)) for each in fields(self))  # type: ignore[arg-type]


def _plain(value: Any) -> Any:
    """Return a read-only mapping, or a tuple of them, as dict."""
    if isinstance(value, MappingProxyType):
        return dict(value)
    return tuple(map(_plain, value)) if isinstance(value, tuple) else value


def _as_tuple(what: str, values: Any, kind: str) -> tuple[Any, ...]:
    """Return the values of a tuple or a list."""
    if not isinstance(values, (tuple, list)):
        raise PsiragError(f"{what} must be a tuple of {kind}", repr(values), f"Pass a tuple of {kind}.")
    return tuple(values)


def read_only(what: str, metadata: Any) -> Mapping[str, Any]:
    """Return a read-only copy of a mapping, or the mapping itself when it is one."""
    if isinstance(metadata, MappingProxyType):
        return metadata
    if not isinstance(metadata, Mapping):
        raise PsiragError(f"{what} must be a mapping", f"a {type(metadata).__name__}", "Pass a dict.")
    return MappingProxyType(dict(metadata))


@dataclass(frozen=True)
class Document(Record):
    """One text of a corpus, with its title.

    Parameters
    ----------
    id : int
        Position in the source as it was read; it stays when other documents are dropped.
    text, title : str
        What is chunked, and what it is called ("" without a title).
    metadata : Mapping
        Whatever else the source said about it; read-only.

    Raises
    ------
    PsiragError
        For a wrong type or a negative id.

    Notes
    -----
    Source: Ψ-RAG §2 (the corpus D).

    Examples
    --------
    >>> Document(0, "Beavers build dams.", title="Beaver").title
    'Beaver'
    """

    id: int
    text: str
    title: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", check_count("Document.id", self.id, minimum=0, maximum=2**63 - 1))
        for name in ("text", "title"):
            value = check_type(f"Document.{name}", getattr(self, name), str)
            object.__setattr__(self, name, *check_texts(f"Document.{name}", (value,)))
        object.__setattr__(self, "metadata", read_only("Document.metadata", self.metadata))


@dataclass(frozen=True, repr=False)
class Corpus(Record):
    """Documents in the order of their source; a sequence of `Document`.

    Parameters
    ----------
    documents : tuple of Document
        At least one, with distinct ids.
    kind : {"passages", "documents"}
        Passages are one chunk each; documents are split into chunks by `Index.build`. Another kind is one
        `dataclasses.replace(corpus, kind="documents")` away.
    name : str
        The built-in or public set, file or folder it came from; "" for a list.
    dropped : tuple of int
        Ids of the blank documents that `load_corpus` left out.

    Raises
    ------
    PsiragError
        For no document, a repeated id, or another kind.

    Notes
    -----
    Source: Ψ-RAG §2 and Appendix C.1 (which sets are split).

    Examples
    --------
    >>> corpus = Corpus((Document(0, "Beavers build dams.", "Beaver"),), kind="passages")
    >>> len(corpus), corpus[0].title, corpus.titles
    (1, 'Beaver', ('Beaver',))
    >>> corpus
    Corpus('', 1 passages, 19 characters)
    """

    documents: tuple[Document, ...]
    kind: str
    name: str = ""
    dropped: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        check_choice("Corpus.kind", self.kind, ("passages", "documents"))
        check_type("Corpus.name", self.name, str)
        documents = self.documents if isinstance(self.documents, (tuple, list)) else (self.documents,)
        check_each("Corpus.documents", documents, Document)
        if not self.documents:
            raise PsiragError("A corpus needs at least one document", "an empty corpus", "Add one that is not blank.")
        object.__setattr__(self, "documents", tuple(self.documents))
        repeated = [each for each, times in Counter(d.id for d in self.documents).items() if times > 1]
        if repeated:
            raise PsiragError("Document ids must be distinct", f"id {first_few(repeated)} twice", "Renumber them.")

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents)

    def __getitem__(self, position: int) -> Document:
        return self.documents[operator.index(position)]

    def __repr__(self) -> str:
        """Return name, kind and sizes."""
        characters = sum(len(document.text) for document in self.documents)
        return f"Corpus({self.name!r}, {len(self)} {self.kind}, {characters:,} characters)"

    @property
    def titles(self) -> tuple[str, ...]:
        """Titles in the order of the documents."""
        return tuple(document.title for document in self.documents)


@dataclass(frozen=True)
class Question(Record):
    """One question with what is known about its answer.

    Parameters
    ----------
    id, question : str
        The question must not be blank.
    answers : tuple of str
        Accepted answers, aliases included; () when the source gives none.
    supporting_titles : tuple of str
        Distinct titles of the passages that hold the evidence, in the order of the source.
    kind : str
        The source's own name for the kind of question.
    hops : int or None
        What the source states (MuSiQue: its number of sub-questions), else the number of supporting documents or
        titles.
    answerable : bool
        False when the corpus does not hold the answer.
    supporting_documents : tuple of int
        Distinct ids of the documents that hold the evidence; when there are any, they count instead of
        `supporting_titles`, which several passages of MuSiQue share.
    metadata : Mapping
        Whatever else the source says; read-only.

    Raises
    ------
    PsiragError
        For a wrong type, a blank question and a negative or repeated id of a document.

    Notes
    -----
    Source: Ψ-RAG §5.1 (multi-hop question answering); the fields are ours.

    Examples
    --------
    >>> Question("q0", "Who builds dams?", answers=("beavers",), supporting_titles=("Beaver",)).answers
    ('beavers',)
    """

    id: str
    question: str
    answers: tuple[str, ...] = ()
    supporting_titles: tuple[str, ...] = ()
    kind: str = ""
    hops: int | None = None
    answerable: bool = True
    supporting_documents: tuple[int, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        for name in ("id", "question", "kind"):
            check_type(f"Question.{name}", getattr(self, name), str)
        if not self.question.strip():
            raise PsiragError("Question.question must not be blank", repr(self.question), "Drop it or fill it in.")
        for name in ("answers", "supporting_titles"):
            values = _as_tuple(f"Question.{name}", getattr(self, name), "str")
            object.__setattr__(self, name, tuple(check_type(f"Question.{name}", value, str) for value in values))
        what = "Question.supporting_documents"
        ids = tuple(check_count(what, each, minimum=0) for each in _as_tuple(what, self.supporting_documents, "int"))
        if len(set(ids)) < len(ids):
            raise PsiragError(f"{what} must be distinct", repr(ids), "Name each document once.")
        object.__setattr__(self, "supporting_documents", ids)
        if self.hops is not None:
            object.__setattr__(self, "hops", check_count("Question.hops", self.hops))
        check_type("Question.answerable", self.answerable, bool)
        object.__setattr__(self, "metadata", read_only("Question.metadata", self.metadata))

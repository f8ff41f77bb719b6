"""A forest of sections with the chunks cut along it: no chunk crosses the end of a section."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from psirag.abstraction import node_vectors, write_abstracts
from psirag.checks import check_count, check_type, first_few
from psirag.corpus import Chunks, Corpus, Document, load_corpus, split_into_chunks
from psirag.corpus.documents import Record
from psirag.encoding import as_encoder
from psirag.errors import PsiragError, PsiragWarning
from psirag.index import Index
from psirag.retrieval.sparse_index import SparseIndex
from psirag.tree import build_tree
from psirag.variants.headings import DocumentTree, document_tree
from psirag.vectors import Ints


@dataclass(frozen=True, eq=False)
class SectionForest(Record):
    r"""The sections of all documents, and their chunks.

    Parameters
    ----------
    chunks : Chunks
        In the order of the nodes. `.title` is the document's, `.metadata` that of the document with "node" and
        "headings", the titles from the document down; spans are of `DocumentTree.text`.
    node : (n,) int64, read-only
        The node of each chunk, ascending.
    parent : (m,) int64, read-only
        -1 for a document; otherwise a smaller number: nodes are numbered in the order of the text.
    document : (m,) int64, read-only
        Id of each node's document.
    titles : tuple of str
        One a node.

    Raises
    ------
    PsiragError
        Columns that do not fit together.

    Notes
    -----
    Source: RIT-RAG (2026), Figure 2a (each chunk belongs to one node).

    Examples
    --------
    >>> forest = section_forest(["# Bats\n\n## Food\n\nMoths.\n\n## Sleep\n\nBy day."])
    >>> forest.node.tolist(), forest.path(2), forest.chunks[1].text.strip()
    ([1, 2], ('Bats', 'Sleep'), 'By day.')
    """

    chunks: Chunks
    node: Ints
    parent: Ints
    document: Ints
    titles: tuple[str, ...]

    def __post_init__(self) -> None:
        check_type("SectionForest.chunks", self.chunks, Chunks)
        n, m = len(self.chunks), len(self.titles)
        for name, size in (("node", n), ("parent", m), ("document", m)):
            column = np.array(getattr(self, name), dtype=np.int64)
            column.flags.writeable = False
            object.__setattr__(self, name, column)
            if column.shape != (size,):
                given = f"shape {column.shape} for {n} chunks and {m} titles"
                raise PsiragError(f"SectionForest.{name} must have shape ({size},)", given, "See section_forest.")
        if np.any(np.diff(self.node) < 0) or np.any((self.node < 0) | (self.node >= m)):
            given = f"{self.node[:10].tolist()} …"
            raise PsiragError(f"SectionForest.node must ascend within 0 … {m - 1}", given, "See section_forest.")
        if np.any(self.parent >= np.arange(m)) or np.any(self.parent < -1):
            given = f"{self.parent[:10].tolist()} …"
            raise PsiragError("SectionForest.parent must be -1 or an earlier node", given, "See section_forest.")

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.titles)

    def ancestors(self, node: int) -> list[int]:
        """Return the nodes above one, its parent first and its document last."""
        above = []
        while (node := int(self.parent[node])) >= 0:
            above.append(node)
        return above

    def path(self, node: int) -> tuple[str, ...]:
        """Return the titles from the document down to a node."""
        return tuple(self.titles[each] for each in [*reversed(self.ancestors(node)), node])

    def chunk_range(self, node: int) -> range:
        """Return the positions of a node's own chunks."""
        first, last = np.searchsorted(self.node, [node, node + 1]).tolist()
        return range(first, last)

    def own_text(self, node: int) -> str:
        """Return a node's own text."""
        return "".join(self.chunks.texts[i] for i in self.chunk_range(node))

    @property
    def indexed_texts(self) -> tuple[str, ...]:
        """What is encoded and searched by keyword: the titles down to each chunk's node, a line break and its text."""
        return tuple(
            f"{' > '.join(filter(None, self.path(node)))}\n{text}"
            for node, text in zip(self.node.tolist(), self.chunks.texts, strict=True)
        )


def section_forest(
    corpus: Any,
    max_tokens: int = 100,
    *,
    tokenizer: Any = None,
    format: str = "auto",  # noqa: A002
) -> SectionForest:
    r"""Build the tree of every document and cut each section's own text into chunks.

    Parameters
    ----------
    corpus : str, path, list or Corpus
        See `load_corpus`; passages are taken as documents.
    max_tokens : int
        Longest chunk, as in `split_into_chunks`; a shorter section is one chunk.
    tokenizer : None, Hugging Face tokenizer or callable
        See `count_tokens`.
    format : {"auto", "markdown", "html", "rst", "numbered", "plain"}
        Of all documents; "auto" is decided document by document.

    Returns
    -------
    SectionForest
        Documents of headings alone give nodes, no chunks, and are named in one warning.

    Raises
    ------
    PsiragError
        No text but headings anywhere, or what `load_corpus`, `split_into_chunks` and `document_tree` refuse.

    Notes
    -----
    Source: RIT-RAG (2026), Table 5 (node-aligned chunking) and Figure 2a.

    Examples
    --------
    >>> section_forest(["Owls hunt mice.", "# Bats\n\n## Food\n\nMoths."]).parent.tolist()
    [-1, -1, 1]
    """
    check_count("max_tokens", max_tokens)
    source = load_corpus(corpus)
    trees = [document_tree(each.text, title=each.title, format=format) for each in source]
    first = np.cumsum([0, *map(len, trees)])
    parent = np.concatenate([np.where(t.parent < 0, -1, t.parent + at) for t, at in zip(trees, first, strict=False)])
    sections = [*_sections(source, trees)]
    if not sections:
        given = f"{len(source)} documents of headings alone"
        raise PsiragError("section_forest needs sections with text", given, "Pass documents, not tables of contents.")
    cut = split_into_chunks(Corpus(tuple(sections), kind="documents"), max_tokens, tokenizer=tokenizer)
    empty = sorted({each.id for each in source} - {section.metadata["document"] for section in sections})
    if empty:
        message = f"{len(empty)} of {len(source)} documents are headings alone, without a chunk: ids {first_few(empty)}"
        warnings.warn(message, PsiragWarning, stacklevel=2)
    titles = tuple(title for tree in trees for title in tree.titles)
    document = np.repeat([each.id for each in source], [len(tree) for tree in trees])
    bare = SectionForest(cut, cut.document, parent, document, titles)
    return SectionForest(_placed(bare, source), cut.document, parent, document, titles)


def index_sections(forest: SectionForest, *, encoder: Any = "auto") -> Index:
    r"""Index the chunks of a forest, each with the headings above it.

    Parameters
    ----------
    forest : SectionForest
    encoder : str, Path or object
        See `as_encoder`.

    Returns
    -------
    Index
        A tree by `build_tree` with centroids, so that every side can be searched; no abstracts are written.

    Raises
    ------
    PsiragError
        Not a forest, or no encoder.

    Notes
    -----
    Source: RIT-RAG (2026), Figure 2a; that headings are encoded with the text is ours.

    Examples
    --------
    >>> index_sections(section_forest(["# Bats\n\n## Food\n\nMoths.\n\n## Sleep\n\nBy day."]))
    Index(2 chunks, 3 nodes, depth 1, 384 dimensions)
    """
    check_type("forest", forest, SectionForest)
    model, texts = as_encoder(encoder), forest.indexed_texts
    leaves = model.encode(texts)
    tree = build_tree(leaves)
    abstracts = write_abstracts(tree, texts, leaves, kind="centroid")
    vectors = node_vectors(tree, leaves, abstracts, model)
    return Index(tree, forest.chunks, vectors, abstracts, encoder=model, sparse=SparseIndex.build(texts))


def _sections(source: Corpus, trees: Iterable[DocumentTree]) -> Iterable[Document]:
    """Every section with text as a document whose id is its node."""
    node = -1
    for document, tree in zip(source, trees, strict=True):
        for start, end in zip(tree.start.tolist(), tree.end.tolist(), strict=True):
            node += 1
            text = tree.text[start:end]
            if text.strip():
                at = start + len(text) - len(text.lstrip())
                yield Document(node, text.strip(), "", {"document": document.id, "start": at})


def _placed(bare: SectionForest, source: Corpus) -> Chunks:
    """The chunks of sections as chunks of their documents, which say where they stand."""
    cut, documents = bare.chunks, {each.id: each for each in source}
    of = [documents[each["document"]] for each in cut.metadata]
    shift = np.array([each["start"] for each in cut.metadata], dtype=np.int64)
    ids = np.array([each.id for each in of], dtype=np.int64)
    firsts = np.flatnonzero(np.r_[True, np.diff(ids) != 0])
    counts = np.diff(np.r_[firsts, len(ids)])
    position = np.arange(len(ids)) - np.repeat(firsts, counts)
    metadata = tuple(
        {**each.metadata, "node": node, "headings": list(bare.path(node))}
        for each, node in zip(of, bare.node.tolist(), strict=True)
    )
    titles = tuple(each.title or bare.path(node)[0] for each, node in zip(of, bare.node.tolist(), strict=True))
    return Chunks(cut.texts, titles, cut.ids, ids, position, cut.start + shift, cut.end + shift, metadata)

"""The index: tree, chunks, vectors, abstracts and sparse index, and how they were made."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from types import MappingProxyType
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from psirag.abstraction import Abstracts, Writer, node_vectors, write_abstracts
from psirag.checks import check_choice, check_count, check_path
from psirag.corpus import Chunks, load_corpus
from psirag.encoding import Encoder, as_encoder
from psirag.errors import PsiragError
from psirag.index.build_report import BuildReport, Stages
from psirag.index.documents import document_trees, filling_nodes, write_document_abstracts
from psirag.index.files import SavedEncoder, about, load_parts, save_index
from psirag.index.growth import Growing, Growth
from psirag.index.stages import (
    check_parts,
    check_settings,
    describe_settings,
    find_truncated,
    make_chunks,
    make_report,
    make_tree,
)
from psirag.retrieval.asking import check_document, check_queries, check_sides
from psirag.retrieval.hybrid import HybridSearch
from psirag.retrieval.reranking import Reranker, check_reranker
from psirag.retrieval.sparse_index import SparseIndex
from psirag.retrieval.trace import Retrieval
from psirag.tree import AbstractTree, SpanningTree, build_tree
from psirag.vectors import Vectors


class Index(Growing):
    """A corpus made searchable: `retrieve` finds, `save` and `Index.load` keep.

    Parameters
    ----------
    tree : AbstractTree
    chunks : Chunks
        One a leaf, in the order of the leaves; ids ascending.
    vectors : array_like, shape (n_nodes, d)
        One a node, the chunks' first: they are `index.vectors[: index.tree.n_leaves]`. Scaled to unit float32 rows.
    abstracts : Abstracts
        One text for each abstract node.
    encoder : Encoder, str or any object with `encode(texts)`
        The encoder that the vectors came from; it encodes the queries.
    sparse : SparseIndex, optional
        Built from the chunks when None.
    report : BuildReport, optional
        What `Index.build` did.
    settings : mapping, optional
        How the index was made, for the manifest.
    pairs : SpanningTree, optional
        The pairs that `build_tree` accepted, so that growth need not find them again.

    Raises
    ------
    PsiragError
        Parts that do not belong together.

    Notes
    -----
    Source: Ψ-RAG §3.

    Examples
    --------
    >>> index = Index.build(["Beavers build dams.", "Dams slow rivers.", "Bats hunt moths."], abstraction="centroid")
    >>> index
    Index(3 chunks, 4 nodes, depth 1, 384 dimensions)
    >>> index.retrieve("What do beavers build?", k=1)[0].text
    'Beavers build dams.'
    """

    def __init__(
        self,
        tree: AbstractTree,
        chunks: Chunks,
        vectors: npt.ArrayLike,
        abstracts: Abstracts,
        *,
        encoder: Any,
        sparse: SparseIndex | None = None,
        report: BuildReport | None = None,
        settings: Mapping[str, Any] = MappingProxyType({}),
        pairs: SpanningTree | None = None,
    ) -> None:
        rows = check_parts(tree, chunks, vectors, abstracts, sparse)
        model: Encoder | SavedEncoder = encoder if isinstance(encoder, SavedEncoder) else as_encoder(encoder)
        if model.dimension != rows.shape[1]:
            given = f"an encoder of {model.dimension} dimensions for vectors of {rows.shape[1]}"
            raise PsiragError("Index needs the encoder that made its vectors", given, "Pass that encoder.")
        self.tree, self.chunks, self.vectors, self.abstracts = tree, chunks, rows, abstracts
        self.sparse = SparseIndex.build(chunks.indexed_texts) if sparse is None else sparse
        self.report, self.settings = report, MappingProxyType(dict(settings))
        self.pairs = pairs if pairs is not None and pairs.n_leaves == tree.n_leaves else None
        self.growth: Growth | None = None
        filling = filling_nodes(tree, abstracts) if self.settings.get("per_document") else None
        self._search = HybridSearch(tree, chunks, rows, abstracts.texts, self.sparse, filling)
        self._encoder, self.made_with = model, SavedEncoder.of(model)
        self._lock = Lock()

    @classmethod
    def build(
        cls,
        corpus: Any,
        *,
        encoder: Any = "auto",
        tree: Callable[[Vectors], AbstractTree] = build_tree,
        abstraction: str = "keyword",
        writer: Writer | None = None,
        max_tokens: int = 100,
        per_document: bool = False,
    ) -> Index:
        """Build an index from anything that `load_corpus` reads.

        Parameters
        ----------
        corpus : str, path, list or Corpus
            See `load_corpus`. Documents are split into chunks, passages are chunks already.
        encoder : str, Path or object
            See `as_encoder`.
        tree : callable
            From (n, d) unit float32 rows to an `AbstractTree`: `build_tree`, or any other builder. With settings:
            `tree=functools.partial(build_tree, max_children=3)`.
        abstraction : {"keyword", "summary", "centroid"}
            What abstract nodes carry.
        writer : Writer, optional
            A model that writes the abstracts; None takes them from the texts.
        max_tokens : int
            Longest chunk of a document, in the encoder's tokens.
        per_document : bool
            A tree for each document, built and described as if the document were alone; the trees hang in one tree over
            the documents, built by the same builder from their centroids. `retrieve(..., document=id)` stays in one.

        Returns
        -------
        Index
            Its `.report` says what was done.

        Raises
        ------
        PsiragError
            An empty corpus or a wrong setting, before any model is loaded; a `tree` that returns something else.

        Notes
        -----
        Lower document trees get a line of nodes with one child each above their root, so that all leaves stay equally
        deep: they repeat its text, and `report.status` counts them as "repeated".

        Source: Ψ-RAG §3.1 (abstract tree indexing, abstraction), Table 10 (one tree a document).

        Examples
        --------
        >>> Index.build("toy").report.nodes_per_layer[0]
        12
        """
        check_settings(tree, abstraction, writer, max_tokens, per_document)
        stage = Stages()
        source = stage("corpus", load_corpus, corpus)
        model = stage("encoder", as_encoder, encoder)
        chunks = stage("chunks", make_chunks, source, max_tokens, model)
        truncated = stage("window", find_truncated, chunks, model)
        leaf_vectors = stage("leaf vectors", model.encode, chunks.indexed_texts)
        written: dict[str, Any] = {"kind": abstraction, "writer": writer, "tokenizer": model.tokenizer}
        if per_document:
            forest = stage("tree", document_trees, tree, chunks, leaf_vectors)
            shape, pairs = forest.stacked.tree, None
            abstracts = stage("abstracts", write_document_abstracts, forest, chunks, leaf_vectors, **written)
        else:
            shape, pairs = stage("tree", make_tree, tree, leaf_vectors)
            abstracts = stage(
                "abstracts", write_abstracts, shape, chunks.indexed_texts, leaf_vectors, titles=chunks.titles, **written
            )
        vectors = stage("node vectors", node_vectors, shape, leaf_vectors, abstracts, model)
        sparse = stage("sparse index", SparseIndex.build, chunks.indexed_texts)
        report = make_report(
            source, chunks, truncated, vectors, shape, abstracts, stage.seconds, per_document=per_document
        )
        settings = describe_settings(source, tree, abstraction, writer, max_tokens, per_document)
        return cls(
            shape, chunks, vectors, abstracts,
            encoder=model, sparse=sparse, report=report, settings=settings, pairs=pairs,
        )  # fmt: skip

    @property
    def encoder(self) -> Encoder:
        """The encoder; after `Index.load` it is loaded by its name when first needed."""
        with self._lock:
            if isinstance(self._encoder, SavedEncoder):
                self._encoder = self._encoder.matching()
            return self._encoder

    @property
    def manifest(self) -> dict[str, Any]:
        """What a saved index says about itself, besides its files: encoder, settings, sizes."""
        return about(self)

    def node_text(self, node: int) -> str:
        """Return the text of a node: a chunk's, or an abstract's ("" for a centroid).

        Raises
        ------
        PsiragError
            No such node.

        Examples
        --------
        >>> Index.build(["Beavers build dams.", "Bats hunt moths."]).node_text(1)
        'Bats hunt moths.'
        """
        node = check_count("node", node, minimum=0)
        if node >= self.tree.n_nodes:
            raise PsiragError(f"node must be below {self.tree.n_nodes}", str(node), "Pass the number of a node.")
        return self._search.node_text(node)

    def save(self, folder: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the index to a folder, beside it first and then renamed into place. Nothing is pickled.

        Parameters
        ----------
        folder : path
            A new or empty folder, or with `overwrite` a saved index, which is replaced whole.
        overwrite : bool

        Raises
        ------
        PsiragError
            Something is there already; metadata that JSON cannot hold.

        Notes
        -----
        Killed at any moment, it leaves the old index or the new one.

        Source: the format is ours; see `psirag.storage`.

        Examples
        --------
        >>> import tempfile
        >>> folder = tempfile.mkdtemp() + "/index"
        >>> Index.build(["Beavers build dams.", "Bats hunt moths."]).save(folder)
        >>> len(Index.load(folder).chunks)
        2
        """
        save_index(self, check_path("folder", folder), overwrite=overwrite)

    @classmethod
    def load(cls, folder: str | os.PathLike[str], *, encoder: Any = None, verify: bool = True) -> Index:
        """Read a saved index; no model is loaded before the first query.

        Parameters
        ----------
        folder : path
        encoder : str, Path or object, optional
            None: by the name in the manifest, at the first query. It must be the one that the index was built with.
        verify : bool
            Check every file's SHA-256. False checks sizes and headers only and maps the vectors into memory.

        Raises
        ------
        PsiragError
            No saved index; a file that is missing, truncated, altered or of a newer format, by name; another encoder
            than at building; none given where the encoder has no name.

        Notes
        -----
        Source: the format is ours; see `psirag.storage`.

        Examples
        --------
        >>> import tempfile
        >>> folder = tempfile.mkdtemp() + "/index"
        >>> Index.build(["Beavers build dams.", "Bats hunt moths."]).save(folder)
        >>> Index.load(folder, verify=False).retrieve("beavers", k=1)[0].node
        0
        """
        parts = load_parts(check_path("folder", folder), verify=verify)
        if encoder is not None or not parts["encoder"].name:
            parts["encoder"] = parts["encoder"].matching(encoder)
        return cls(**parts)

    @overload  # a str is a sequence of str too: the first signature that fits counts
    def retrieve(  # type: ignore[overload-overlap]
        self, query: str, k: int = ..., *, beam: int | None = ..., pool: int = ...,
        rerank: Reranker | None = ..., siblings: int = ..., nodes: str = ..., sides: Sequence[str] = ...,
        document: int | None = ...,
    ) -> Retrieval: ...  # fmt: skip

    @overload
    def retrieve(
        self, query: Sequence[str], k: int = ..., *, beam: int | None = ..., pool: int = ...,
        rerank: Reranker | None = ..., siblings: int = ..., nodes: str = ..., sides: Sequence[str] = ...,
        document: int | None = ...,
    ) -> list[Retrieval]: ...  # fmt: skip

    def retrieve(
        self,
        query: str | Sequence[str],
        k: int = 5,
        *,
        beam: int | None = None,
        pool: int = 10,
        rerank: Reranker | None = None,
        siblings: int = 0,
        nodes: str = "leaves",
        sides: Sequence[str] = ("tree", "sparse"),
        document: int | None = None,
    ) -> Retrieval | list[Retrieval]:
        """Find the k best chunks for a query, or for each query of a list, which is searched as one batch.

        Each side returns max(pool, k) nodes, the sparse side only those with a score above 0. Two sides or more are
        joined by reciprocal rank fusion (constant 60) or by `rerank`. Identical texts are one hit.

        Parameters
        ----------
        query : str or sequence of str
        k : int
            Hits; fewer where the sides find fewer.
        beam : int, optional
            Candidates that pass a layer of the tree; None is max(pool, k).
        pool : int
            Nodes that each side returns at least.
        rerank : CrossEncoder or object with predict(pairs), optional
            Scores query and text together, for all nodes that a side found.
        siblings : int
            After the k hits come, for each of the first 3 that is a leaf, so many of its sibling leaves that are not
            hits yet, most similar to the query first.
        nodes : {"leaves", "all"}
            "all": the dense sides search leaves and abstracts together (collapsed retrieval).
        sides : sequence of {"tree", "flat", "sparse"}
        document : int, optional
            Id of the only document whose chunks may be found. The descent starts at the lowest node over all of them:
            the root of the document's own tree in an index built with `per_document=True`. Such an index finds there
            what an index of that document alone would find, by BM25 too.

        Returns
        -------
        Retrieval or list of Retrieval

        Raises
        ------
        PsiragError
            A blank query, or a wrong setting.

        Notes
        -----
        Source: Ψ-RAG §3.2, Algorithm 2 and 3 (tree retrieval, hybrid retrieval).

        Examples
        --------
        >>> index = Index.build(["Beavers build dams.", "Dams slow rivers.", "Bats hunt moths."])
        >>> [hit.node for hit in index.retrieve("hunting moths", k=2, sides=["tree"])]
        [2, 0]
        """
        k, pool = check_count("k", k), check_count("pool", pool)
        size = max(pool, k)
        beam = size if beam is None else check_count("beam", beam)
        siblings = check_count("siblings", siblings, minimum=0)
        nodes, sides = check_choice("nodes", nodes, ("leaves", "all")), check_sides(sides)
        if rerank is not None:
            check_reranker(rerank)
        if document is not None:
            document = check_document(document, self.chunks)
        queries = check_queries(query)
        dense = bool(siblings or {"tree", "flat"} & set(sides))
        vectors = self.encoder.encode_queries(queries) if dense and queries else np.empty((len(queries), 0), np.float32)
        found = self._search.retrieve(
            queries, vectors, k, beam=beam, size=size, rerank=rerank,
            siblings=siblings, nodes=nodes, sides=sides, document=document,
        )  # fmt: skip
        return found[0] if isinstance(query, str) else found

    def __repr__(self) -> str:
        """Return the sizes."""
        sizes = f"{len(self.chunks)} chunks, {self.tree.n_nodes} nodes, depth {self.tree.depth}"
        return f"Index({sizes}, {self.vectors.shape[1]} dimensions)"

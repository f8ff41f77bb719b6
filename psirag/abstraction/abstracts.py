"""Abstraction: every abstract node gets a text from its children's texts, bottom up, and a vector."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from psirag.abstraction.centroid import centroids, leaf_rows
from psirag.abstraction.phrases import keyword_texts
from psirag.abstraction.sentences import first_tokens, sentence_texts
from psirag.abstraction.writing import Writer, prepare_call, write_batches, write_one
from psirag.checks import check_choice, check_texts, check_type, first_few
from psirag.corpus import count_tokens
from psirag.corpus.tokens import TokenCount
from psirag.encoding import as_encoder
from psirag.errors import PsiragError, PsiragWarning
from psirag.tree import AbstractTree
from psirag.vectors import Vectors

KINDS = ("keyword", "summary", "centroid")
MAX_TOKENS = 100  # of a summary, Ψ-RAG App. C
_KEYWORD_TOKENS = 200  # 20 phrases, asked of a writer


@dataclass(frozen=True)
class Abstracts:
    """The texts of the abstract nodes, in node order (n_leaves first), and how each came about.

    Attributes
    ----------
    kind : {"keyword", "summary", "centroid"}
    texts : tuple of str, length n_nodes − n_leaves
        "" for "centroid".
    status : tuple of str, same length
        "extractive", "written" (by a writer), "fallback" (first words; or, with a writer, an extractive stand-in),
        "kept" (from an index that has grown), "repeated" (its only child's, see `Index.build`) or "centroid".
    compression : float
        Mean over abstract nodes of 1 − tokens(abstract) / tokens(the children's texts); nan without a text.

    Source: Ψ-RAG §3.1 (abstraction), Table 10 (compression rate).

    Examples
    --------
    >>> Abstracts("keyword", ("beavers, dams",), ("extractive",), 0.8).texts
    ('beavers, dams',)
    """

    kind: str
    texts: tuple[str, ...]
    status: tuple[str, ...]
    compression: float

    def __post_init__(self) -> None:
        check_choice("Abstracts.kind", self.kind, KINDS)
        object.__setattr__(self, "texts", check_texts("Abstracts.texts", self.texts))
        object.__setattr__(self, "status", check_texts("Abstracts.status", self.status))
        if len(self.texts) != len(self.status):
            given = f"{len(self.texts)} texts and {len(self.status)}"
            raise PsiragError("Abstracts need one status for each text", given, "Pass tuples of one length.")

    def __len__(self) -> int:
        return len(self.texts)


def write_abstracts(
    tree: AbstractTree,
    leaf_texts: Sequence[str],
    leaf_vectors: npt.ArrayLike,
    *,
    kind: str = "keyword",
    writer: Writer | None = None,
    tokenizer: Any = None,
    store: MutableMapping[str, str] | None = None,
    kept: Mapping[int, str] = MappingProxyType({}),
    titles: Sequence[str] = (),
) -> Abstracts:
    """Give every abstract node a text made from its children's texts, layer by layer from the leaves up.

    Parameters
    ----------
    tree : AbstractTree
    leaf_texts : sequence of str, length n_leaves
    leaf_vectors : array_like, shape (n_leaves, d), real
        Used to choose sentences for "summary".
    kind : {"keyword", "summary", "centroid"}
        At most 20 phrases, at most 100 tokens of sentences, or no text at all.
    writer : Writer, optional
        A model that writes. None: extractive, with no model.
    tokenizer : optional
        As `count_tokens` takes it. None: Unicode words.
    store : mutable mapping of str to str, optional
        Where finished abstracts of the writer are kept, and found again after an interruption. None: the writer's own.
    kept : mapping of int to str
        Texts that nodes have already, as after an insertion: taken over, and not written again (status "kept").
    titles : sequence of str, optional
        The first line of each leaf's text, "" where it has no title; an extractive summary says each once.

    Returns
    -------
    Abstracts

    Raises
    ------
    PsiragError
        Another kind, texts, titles or vectors that do not match the tree, or a writer that failed twice on a node.

    Source: Ψ-RAG §3.1 (abstraction).

    Examples
    --------
    >>> from psirag.tree import build_tree
    >>> vectors = np.eye(2)[[0, 0, 1]]
    >>> write_abstracts(build_tree(vectors), ["Beavers build dams.", "Beaver dams.", "Bees."], vectors).status
    ('extractive',)
    """
    check_type("tree", tree, AbstractTree)
    check_choice("kind", kind, KINDS)
    check_writer(writer)
    texts = check_texts("leaf_texts", leaf_texts)
    if len(texts) != tree.n_leaves:
        given = f"{len(texts)} texts for {tree.n_leaves} leaves"
        raise PsiragError("write_abstracts needs one text for each leaf of the tree", given, "Pass the chunks' texts.")
    vectors, titles = leaf_rows(tree, leaf_vectors), _titles(tree, titles)
    if kind == "centroid":
        n_abstract = tree.n_nodes - tree.n_leaves
        return Abstracts(kind, ("",) * n_abstract, ("centroid",) * n_abstract, math.nan)
    count = cache(lambda text: count_tokens(text, tokenizer))
    if kind == "keyword":
        abstracts: Sequence[str] = keyword_texts(tree, texts)
    else:
        abstracts = sentence_texts(tree, texts, vectors, max_tokens=MAX_TOKENS, count=count, titles=titles)
    abstracts = [kept.get(node, text) for node, text in enumerate(abstracts, tree.n_leaves)]
    status = ["kept" if node in kept else "extractive" for node in range(tree.n_leaves, tree.n_nodes)]
    if writer is not None:
        abstracts, status = _written(tree, texts, abstracts, kind, writer, count, store, kept)
    filled = _first_words(tree, texts, abstracts, status, count)
    return Abstracts(kind, tuple(filled), tuple(status), _compression(tree, texts, filled, count))


def node_vectors(tree: AbstractTree, leaf_vectors: npt.ArrayLike, abstracts: Abstracts, encoder: Any) -> Vectors:
    """Give every node a vector: a leaf its own, an abstract node its text's, or the centroid where it has no text.

    Parameters
    ----------
    tree : AbstractTree
    leaf_vectors : array_like, shape (n_leaves, d), real
    abstracts : Abstracts
    encoder : Encoder or what `as_encoder` takes
        Not touched when no abstract has a text.

    Returns
    -------
    ndarray, shape (n_nodes, d), float32, read-only, unit rows

    Raises
    ------
    PsiragError
        Abstracts or vectors of another tree, or an encoder of another dimension.

    Source: Ψ-RAG §3.1 (abstraction).

    Examples
    --------
    >>> from psirag.tree import build_tree
    >>> vectors = np.eye(2)[[0, 0, 1]]
    >>> tree = build_tree(vectors)
    >>> node_vectors(tree, vectors, write_abstracts(tree, ["a", "b", "c"], vectors, kind="centroid"), None).shape
    (4, 2)
    """
    if len(abstracts) != tree.n_nodes - tree.n_leaves:
        given = f"{len(abstracts)} for {tree.n_nodes - tree.n_leaves} abstract nodes"
        raise PsiragError("node_vectors needs one abstract for each abstract node", given, "Write them for this tree.")
    vectors = centroids(tree, leaf_vectors).copy()
    spoken = [i for i, text in enumerate(abstracts.texts) if text.strip()]
    if spoken:
        rows = as_encoder(encoder).encode([abstracts.texts[i] for i in spoken])
        if rows.shape[1] != vectors.shape[1]:
            given = f"{rows.shape[1]} columns for leaf vectors of {vectors.shape[1]}"
            raise PsiragError("Leaves and abstracts need one encoder", given, "Encode the leaves with this encoder.")
        vectors[tree.n_leaves + np.array(spoken)] = rows
    vectors.flags.writeable = False
    return vectors


def _titles(tree: AbstractTree, titles: Any) -> tuple[str, ...]:
    """Return no titles, or one a leaf."""
    checked = check_texts("titles", titles)
    if checked and len(checked) != tree.n_leaves:
        given = f"{len(checked)} titles for {tree.n_leaves} leaves"
        raise PsiragError("write_abstracts needs one title for each leaf of the tree, or none", given, "Pass them all.")
    return checked


def check_writer(writer: Any) -> None:
    """Raise where `writer` is neither None nor a `Writer`."""
    if writer is not None and not (isinstance(writer, Writer) and isinstance(writer.name, str)):
        asked = "writer must have a name and a method write_abstract(texts, *, kind, max_tokens)"
        given = f"{writer!r:.80}, a {type(writer).__name__}"
        raise PsiragError(asked, given, "Pass a reader that can write, or None.")


def _written(
    tree: AbstractTree, texts: Sequence[str], extractive: Sequence[str], kind: str, writer: Writer,
    count: TokenCount, store: MutableMapping[str, str] | None, kept: Mapping[int, str],
) -> tuple[Sequence[str], list[str]]:  # fmt: skip
    """Have every abstract written, children first; an unusable one is replaced by the extractive, and counted."""
    known, status, shortened = [*texts], list[str](), 0
    store = store if store is not None else getattr(writer, "store", None)
    store = {} if store is None else store
    limit = _KEYWORD_TOKENS if kind == "keyword" else MAX_TOKENS
    for layer in range(1, tree.depth + 1):
        nodes = tree.layer_nodes(layer)
        below = {
            node: [known[child] for child in tree.children(node) if known[child].strip()]
            for node in nodes
            if node not in kept
        }
        calls = [texts for texts in below.values() if texts]
        shares = [prepare_call(writer, call, kind=kind, max_tokens=limit, count=count)[0] for call in calls]
        shortened += sum(share != call for share, call in zip(shares, calls, strict=True))
        write_batches(writer, calls, kind=kind, max_tokens=limit, count=count, store=store)
        for node in nodes:
            if node in kept:
                status.append("kept")
                known.append(kept[node])
                continue
            text = "" if not below[node] else write_one(
                writer, below[node], node=node, kind=kind, max_tokens=limit, count=count, store=store
            )  # fmt: skip
            status.append("written" if text else "fallback")
            known.append(text or extractive[node - tree.n_leaves])
    if shortened:
        message = f"The texts of {shortened} of {len(status)} abstracts were shortened, each to its share, to fit what "
        warnings.warn(f"{message}{writer.name!r} can take", PsiragWarning, stacklevel=3)
    unusable = [tree.n_leaves + i for i, one in enumerate(status) if one == "fallback"]
    if unusable:
        message = f"{writer.name!r} gave no usable text for {len(unusable)} of {len(status)} abstracts, "
        message += f"extractive ones stand in: nodes {first_few(unusable)}"
        warnings.warn(message, PsiragWarning, stacklevel=3)
    return known[tree.n_leaves :], status


def _first_words(
    tree: AbstractTree, texts: Sequence[str], abstracts: Sequence[str], status: list[str], count: TokenCount
) -> list[str]:
    """Fill blank abstracts with the first words of the children's texts."""
    known = [*texts]
    for i, text in enumerate(abstracts):
        if text.strip():
            known.append(text)
            continue
        children = (known[child].strip() for child in tree.children(tree.n_leaves + i))
        known.append(first_tokens(" ".join(filter(None, children)), MAX_TOKENS, count))
        status[i] = "fallback"
    return known[tree.n_leaves :]


def _compression(tree: AbstractTree, texts: Sequence[str], abstracts: Sequence[str], count: TokenCount) -> float:
    """Average 1 − tokens of an abstract ÷ tokens of the children's texts, over nodes whose children have any."""
    lengths = np.array([count(text) for text in (*texts, *abstracts)], dtype=np.float64)
    below = np.zeros(tree.n_nodes)
    np.add.at(below, tree.parent[: tree.root], lengths[: tree.root])
    nodes = np.arange(tree.n_leaves, tree.n_nodes)
    nodes = nodes[below[nodes] > 0]
    return float(np.mean(1 - lengths[nodes] / below[nodes])) if len(nodes) else math.nan

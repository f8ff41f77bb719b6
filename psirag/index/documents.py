"""A tree for each document: the trees, the one tree that they hang in, and its abstracts."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from psirag.abstraction import Abstracts, Writer, centroids, write_abstracts
from psirag.corpus import Chunks
from psirag.errors import PsiragWarning
from psirag.index.stages import make_tree
from psirag.tree import AbstractTree
from psirag.tree.stacking import StackedTree, stack_trees
from psirag.vectors import Ints, Mask, Vectors

REPEATED = "repeated"  # the status of an abstract that only fills a layer above a document's root


@dataclass(frozen=True, eq=False)
class DocumentTrees:
    """Each document's tree and chunks, and the tree that holds them all.

    Parameters
    ----------
    trees : tuple of AbstractTree
        In the order of the documents.
    leaves : tuple of ndarray, int64
        The places of each document's chunks, ascending.
    stacked : StackedTree
        The trees below the tree over the documents.
    """

    trees: tuple[AbstractTree, ...]
    leaves: tuple[Ints, ...]
    stacked: StackedTree


def document_trees(tree: Callable[[Vectors], AbstractTree], chunks: Chunks, leaf_vectors: Vectors) -> DocumentTrees:
    """Build the tree of each document from its chunks alone, and one over the documents from their centroids.

    Notes
    -----
    The same builder makes them all, so its limit of children holds within documents and above them.

    Source: Ψ-RAG Table 10 (#Trees); the tree over the documents is ours.

    Examples
    --------
    >>> from psirag.corpus import load_corpus, passages_as_chunks
    >>> from psirag.tree import build_tree
    >>> chunks = passages_as_chunks(load_corpus(["Beavers build.", "Bats hunt."]))
    >>> document_trees(build_tree, chunks, np.eye(2, dtype=np.float32)).stacked.tree
    AbstractTree(2 leaves, 1 abstract nodes, depth 1)
    """
    from joblib import parallel_config

    starts = np.flatnonzero(np.diff(chunks.document, prepend=-1))
    leaves = tuple(np.split(np.arange(len(chunks)), starts[1:]))
    with _one_warning(len(leaves)):
        with parallel_config(backend="sequential"):  # starting workers would take longer than a document
            trees = tuple(_tree_of(tree, leaf_vectors[own]) for own in leaves)
        middles = [centroids(one, leaf_vectors[own])[-1] for one, own in zip(trees, leaves, strict=True)]
        top, _ = make_tree(tree, np.stack(middles))
    return DocumentTrees(trees, leaves, stack_trees(trees, top))


def write_document_abstracts(
    forest: DocumentTrees, chunks: Chunks, leaf_vectors: Vectors, *,
    kind: str, writer: Writer | None, tokenizer: Any,
) -> Abstracts:  # fmt: skip
    """Write the abstracts of each document's tree as if it were alone, then those of the nodes over the documents.

    A node that only fills a layer has the text of its only child and the status "repeated". The compression rate is
    the mean over the documents' abstracts.
    """
    tree, settings = forest.stacked.tree, dict[str, Any](kind=kind, writer=writer, tokenizer=tokenizer)
    texts, status, rates = dict[int, str](), dict[int, str](), list[tuple[float, int]]()
    leaf_texts, height = chunks.indexed_texts, max(one.depth for one in forest.trees)
    with _one_warning(len(forest.trees)):
        for one, own, nodes in zip(forest.trees, forest.leaves, forest.stacked.nodes, strict=True):
            own_texts, titles = [leaf_texts[leaf] for leaf in own], [chunks.titles[leaf] for leaf in own]
            made = write_abstracts(one, own_texts, leaf_vectors[own], titles=titles, **settings)
            abstract = nodes[one.n_leaves :].tolist()
            texts |= zip(abstract, made.texts, strict=True)
            status |= zip(abstract, made.status, strict=True)
            rates += [(made.compression, len(made))] if math.isfinite(made.compression) else []
            text = made.texts[-1] if len(made) else "" if kind == "centroid" else leaf_texts[own[0]]
            for node in _filling_above(tree, int(nodes[-1]), height):
                texts[node], status[node] = text, REPEATED
    whole = write_abstracts(tree, leaf_texts, leaf_vectors, kept=texts, titles=chunks.titles, **settings)
    states = (status.get(node, one) for node, one in enumerate(whole.status, tree.n_leaves))
    rate = sum(rate * n for rate, n in rates) / sum(n for _, n in rates) if rates else whole.compression
    return replace(whole, status=tuple(states), compression=rate)


def filling_nodes(tree: AbstractTree, abstracts: Abstracts) -> Mask:
    """Return which nodes only fill a layer above a document's root."""
    filling = np.zeros(tree.n_nodes, dtype=bool)
    filling[tree.n_leaves :] = np.array(abstracts.status, dtype=object) == REPEATED
    return filling


def _tree_of(tree: Callable[[Vectors], AbstractTree], leaf_vectors: Vectors) -> AbstractTree:
    """Build the tree of one document; a chunk alone is its root."""
    return make_tree(tree, leaf_vectors)[0] if len(leaf_vectors) > 1 else AbstractTree(np.array([-1]), np.array([0]))


def _filling_above(tree: AbstractTree, root: int, height: int) -> Iterator[int]:
    """Yield the nodes above a document's root up to the layer of the highest document's."""
    node = root
    for _ in range(height - int(tree.layer[root])):
        node = int(tree.parent[node])
        yield node


@contextmanager
def _one_warning(n_documents: int) -> Iterator[None]:
    """Say once what was said of several documents."""
    with warnings.catch_warnings(record=True) as caught:
        yield
    other = [one for one in caught if not issubclass(one.category, PsiragWarning)]
    ours = [one for one in caught if issubclass(one.category, PsiragWarning)]
    for one in other:
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    if ours:
        more = f" (and {len(ours) - 1} more like it)" if len(ours) > 1 else ""
        message = f"In the trees of {n_documents} documents: {ours[0].message}{more}"
        warnings.warn(message, PsiragWarning, stacklevel=6)

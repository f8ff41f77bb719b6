"""The stages of `Index.build` that are not public functions of their own, and the checks at its door."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from psirag.abstraction import KINDS, Abstracts
from psirag.abstraction.abstracts import check_writer
from psirag.checks import check_choice, check_count, check_type, first_few
from psirag.corpus import Chunks, Corpus, passages_as_chunks, split_into_chunks
from psirag.encoding import Encoder
from psirag.errors import PsiragError, PsiragWarning
from psirag.index.build_report import BuildReport
from psirag.tree import AbstractTree, SpanningTree, build_tree, spanning_tree
from psirag.tree.building import tree_of_pairs
from psirag.tree.rebalancing import check_max_children
from psirag.vectors import Vectors, keep_unit_rows, unit_rows


def check_settings(tree: Any, abstraction: Any, writer: Any, max_tokens: Any, per_document: Any) -> None:
    """Raise for a wrong setting, before anything is read or loaded."""
    check_choice("abstraction", abstraction, KINDS)
    check_count("max_tokens", max_tokens)
    if not callable(tree):
        given = f"{tree!r}, a {type(tree).__name__}"
        raise PsiragError("tree must be a function from vectors to an AbstractTree", given, "Pass build_tree, say.")
    check_writer(writer)
    check_type("per_document", per_document, bool)


def check_parts(tree: Any, chunks: Any, vectors: npt.ArrayLike, abstracts: Any, sparse: Any) -> Vectors:
    """Raise where the parts of an index do not belong together; return the vectors as unit rows.

    A memory map is taken as it is, because looking at its rows would read it whole.
    """
    kinds = (("tree", tree, AbstractTree), ("chunks", chunks, Chunks), ("abstracts", abstracts, Abstracts))
    for what, part, kind in kinds:
        if not isinstance(part, kind):
            raise PsiragError(f"{what} must be of type {kind.__name__}", f"a {type(part).__name__}", "See Index.build.")
    rows = vectors if isinstance(vectors, np.memmap) else keep_unit_rows(vectors)
    sizes = {
        "chunks": (len(chunks), tree.n_leaves),
        "vectors": (len(rows), tree.n_nodes),
        "abstracts": (len(abstracts.texts), tree.n_nodes - tree.n_leaves),
        "texts in the sparse index": (tree.n_leaves if sparse is None else sparse.n_texts, tree.n_leaves),
    }
    for what, (found, needed) in sizes.items():
        if found != needed:
            asked = f"An index over this tree ({tree.n_leaves} leaves, {tree.n_nodes} nodes) needs {needed} {what}"
            raise PsiragError(asked, str(found), "Pass the parts that were made together.")
    if np.any(np.diff(chunks.ids) <= 0):
        raise PsiragError("chunks must be in the order of their ids", f"ids {chunks.ids[:10]} …", "Sort them first.")
    return rows


def make_chunks(corpus: Corpus, max_tokens: int, encoder: Encoder) -> Chunks:
    """Split documents; take each passage as one chunk."""
    if corpus.kind == "passages":
        return passages_as_chunks(corpus)
    return split_into_chunks(corpus, max_tokens, tokenizer=encoder.tokenizer)


def find_truncated(chunks: Chunks, encoder: Encoder) -> tuple[int, ...]:
    """Return the ids of chunks longer than the encoder's window, and count them in one warning."""
    ids = tuple(chunks.ids[encoder.truncated(chunks.indexed_texts)].tolist())
    if ids:
        message = (
            f"{len(ids)} of {len(chunks)} chunks are longer than the encoder's window of {encoder.max_tokens} tokens "
            f"and are encoded by their first window (BM25 and readers see them whole): ids {first_few(ids)}"
        )
        warnings.warn(message, PsiragWarning, stacklevel=4)
    return ids


def make_tree(
    tree: Callable[[Vectors], AbstractTree], leaf_vectors: Vectors
) -> tuple[AbstractTree, SpanningTree | None]:
    """Call the tree builder and check what it returns; of `build_tree` also keep the accepted pairs."""
    settings = _build_tree_settings(tree)
    if settings is not None:
        limit = settings.pop("max_children", 40)
        check_max_children(limit)
        pairs = spanning_tree(unit_rows(leaf_vectors), overwrite_rows=True, **settings)
        return tree_of_pairs(pairs, max_children=limit), pairs
    made = tree(leaf_vectors)
    if not isinstance(made, AbstractTree) or made.n_leaves != len(leaf_vectors):
        given = f"{made.n_leaves} leaves" if isinstance(made, AbstractTree) else f"a {type(made).__name__}"
        asked = f"tree must return an AbstractTree over {len(leaf_vectors)} leaves"
        raise PsiragError(asked, given, "Pass build_tree, or a function of your own that returns one.")
    return made, None


def _build_tree_settings(tree: Any) -> dict[str, Any] | None:
    """Return the settings of `build_tree` or a `functools.partial` of it; None for another builder."""
    if isinstance(tree, partial) and tree.func is build_tree and not tree.args:
        return dict(tree.keywords)
    return {} if tree is build_tree else None


def make_report(
    corpus: Corpus, chunks: Chunks, truncated: tuple[int, ...], vectors: Vectors, tree: AbstractTree,
    abstracts: Abstracts, seconds: Mapping[str, float], *, per_document: bool = False,
) -> BuildReport:  # fmt: skip
    """Count what was read, repaired and made."""
    kept = set(chunks.document.tolist())
    blank = {document.id for document in corpus} - kept
    zero = chunks.ids[~np.any(vectors[: len(chunks)], axis=1)]
    return BuildReport(
        n_documents=len(kept),
        n_chunks=len(chunks),
        dropped_documents=tuple(sorted(blank.union(corpus.dropped))),
        n_duplicates=chunks.n_duplicates,
        truncated=truncated,
        zero_rows=tuple(zero.tolist()),
        depth=tree.depth,
        nodes_per_layer=tuple(np.bincount(tree.layer).tolist()),
        compression=abstracts.compression,
        status=dict(Counter(abstracts.status)),
        seconds=dict(seconds),
        n_trees=len(kept) if per_document else 1,
    )


def describe_settings(
    corpus: Corpus, tree: Any, abstraction: str, writer: Any, max_tokens: int, per_document: bool
) -> dict[str, Any]:
    """Return how an index is made, in plain values for the manifest."""
    exact = _build_tree_settings(tree)
    limit = {} if exact is None else {"max_children": exact.get("max_children", 40)}
    return {
        "corpus": corpus.name,
        "kind": corpus.kind,
        "tree": getattr(tree, "__name__", repr(tree)) if exact is None else "build_tree",
        **limit,
        "abstraction": abstraction,
        "writer": None if writer is None else str(getattr(writer, "name", type(writer).__name__)),
        "max_tokens": max_tokens,
        "per_document": per_document,
    }

"""Growth: chunks come and go; their ids stay, and abstracts stay where their leaves do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from psirag.abstraction import Abstracts, Writer, centroids, write_abstracts
from psirag.abstraction.abstracts import check_writer
from psirag.checks import check_choice, check_count, check_function
from psirag.corpus import Chunks, load_corpus
from psirag.errors import PsiragError
from psirag.index.stages import find_truncated, make_chunks
from psirag.retrieval.sparse_index import SparseIndex
from psirag.tree import AbstractTree, SpanningTree, build_tree, spanning_tree
from psirag.tree.agreement import leaf_marks, leaf_sums
from psirag.tree.attaching import attach_leaves, attach_subtree, detach_leaves
from psirag.tree.building import tree_of_pairs
from psirag.tree.insertion import insert_rows, remove_rows
from psirag.vectors import Vectors, as_array, unit_rows

if TYPE_CHECKING:
    from psirag.index.index import Index

_COLUMNS = ("texts", "titles", "ids", "document", "position", "start", "end", "metadata")
_PRODUCTS = 2**24  # held at a time


@dataclass(frozen=True)
class Growth:
    """What an addition or removal does; `confirm` gets it before the first abstract is written.

    Parameters
    ----------
    how : str
        "exact", "attach", "subtree" or "detach".
    added, removed : tuple of int
        Ids of chunks.
    documents_known : int
        Documents left out because all their chunks are there already.
    abstracts_kept : int
        Abstract nodes that keep their text, because their leaves are the same.
    abstracts_to_write : int
        Abstract nodes that need a new text: with a writer, as many calls.

    Notes
    -----
    Source: Ψ-RAG Appendix G (updating the index).
    """

    how: str
    added: tuple[int, ...]
    removed: tuple[int, ...]
    documents_known: int
    abstracts_kept: int
    abstracts_to_write: int


Confirm = Callable[[Growth], bool]


class Growing:
    """How an index grows: `add` and `remove`."""

    def add(
        self, corpus: Any, *, how: str = "exact", writer: Writer | None = None, confirm: Confirm | None = None
    ) -> Self:
        """Add a corpus to the index, in place; documents that are there already are left out.

        Chunk ids stay, node numbers do not. An abstract stays where its leaves do. Save the index to keep the change
        (`save(folder, overwrite=True)`); whatever fails, the index and its folder are as before.

        Parameters
        ----------
        corpus : str, path, list or Corpus
            As for `build`.
        how : {"exact", "attach", "subtree"}
            "exact": the tree that a rebuild would give. "attach": each chunk joins the parent of its most similar
            leaf, and keyword abstracts above it are extended. "subtree": a tree of the new chunks joins by one
            abstract node collapse. The last two leave the old tree as it is and drift from the exact one.
        writer : Writer, optional
            Writes new abstracts; None takes them from the texts.
        confirm : callable, optional
            Gets a `Growth` (how many abstracts would be written) before the first is; False stops, nothing changed.

        Returns
        -------
        Index
            Itself; `.growth` says what was done.

        Raises
        ------
        PsiragError
            A wrong setting, a corpus that cannot be read, "exact" on a tree that `build_tree` did not build, or an
            index built with `per_document=True`.

        Notes
        -----
        Source: Ψ-RAG Appendix G; "exact" is ours.

        Examples
        --------
        >>> from psirag.index import Index
        >>> index = Index.build(["Beavers build dams.", "Bats hunt moths."])
        >>> index.add(["Dams slow rivers.", "Bats hunt moths."])
        Index(3 chunks, 4 nodes, depth 1, 384 dimensions)
        >>> index.growth.added, index.growth.documents_known
        ((2,), 1)
        """
        vars(self).update(vars(add_chunks(cast("Index", self), corpus, how=how, writer=writer, confirm=confirm)))
        return self

    def remove(
        self, ids: Sequence[int], *, how: str = "exact", writer: Writer | None = None, confirm: Confirm | None = None
    ) -> Self:
        """Remove chunks from the index, in place.

        Parameters
        ----------
        ids : sequence of int
            Ids of chunks.
        how : {"exact", "detach"}
            "exact": the tree that a rebuild would give. "detach": the leaves leave their nodes, all else stays.
        writer, confirm
            As for `add`.

        Returns
        -------
        Index
            Itself; `.growth` says what was done.

        Raises
        ------
        PsiragError
            An id that no chunk has, or no chunk would stay; as for `add`.

        Notes
        -----
        Source: ours, the reverse of Ψ-RAG Appendix G.

        Examples
        --------
        >>> from psirag.index import Index
        >>> index = Index.build(["Beavers build dams.", "Bats hunt moths.", "Dams slow rivers."])
        >>> index.remove([1]).chunks.ids.tolist()
        [0, 2]
        """
        vars(self).update(vars(remove_chunks(cast("Index", self), ids, how=how, writer=writer, confirm=confirm)))
        return self


def add_chunks(index: Index, corpus: Any, *, how: str, writer: Writer | None, confirm: Confirm | None) -> Index:
    """Return the index with the corpus added; the same index when there is nothing new, or `confirm` says no."""
    check_choice("how", how, ("exact", "attach", "subtree"))
    check_function("confirm", confirm)
    check_writer(writer)
    limit = _max_children(index, how)
    source, model = load_corpus(corpus), index.encoder
    found = make_chunks(source, check_count("max_tokens", index.settings.get("max_tokens", 100)), model)
    new, known = _unknown(index.chunks, found)
    if len(new) == 0:
        return index
    n, leaves = len(index.chunks), np.vstack([_leaves(index), model.encode(new.indexed_texts)])
    rows, pairs = unit_rows(leaves), None
    if how == "exact":
        pairs = insert_rows(_pairs(index), rows)
        tree = tree_of_pairs(pairs, max_children=limit)
    elif how == "attach":
        tree = attach_leaves(index.tree, _most_similar(rows, n)[0])
    else:
        joint, similarity = _most_similar(rows, n, before=n)
        best = int(similarity.argmax())
        tree = attach_subtree(index.tree, build_tree(rows[n:], max_children=limit), int(joint[best]), best)
    chunks = Chunks(**{name: _appended(getattr(index.chunks, name), getattr(new, name)) for name in _COLUMNS})
    growth = Growth(how, tuple(new.ids.tolist()), (), known, 0, 0)
    return _regrown(index, growth, tree, pairs, chunks, leaves, writer, confirm)


def remove_chunks(
    index: Index, ids: Sequence[int], *, how: str, writer: Writer | None, confirm: Confirm | None
) -> Index:
    """Return the index without the chunks of these ids."""
    check_choice("how", how, ("exact", "detach"))
    check_function("confirm", confirm)
    check_writer(writer)
    limit = _max_children(index, how)
    asked = as_array(ids if isinstance(ids, Sequence | np.ndarray) else [ids])
    if asked.size == 0 and asked.dtype.kind != "O":
        return index
    wanted = np.unique(asked) if asked.dtype.kind in "iu" else asked.ravel()
    known = np.isin(wanted, index.chunks.ids) if wanted.dtype.kind in "iu" else np.zeros(len(wanted), dtype=bool)
    if wanted.size == 0 or not known.all() or len(wanted) == len(index.chunks):
        none = wanted[~known][:5].tolist() or ([] if len(known) else ids)
        given = f"{none}, which are none" if none else "all of them"
        raise PsiragError("remove needs ids of chunks, and one chunk that stays", given, "See index.chunks.ids.")
    gone = np.searchsorted(index.chunks.ids, wanted)
    stay = np.setdiff1d(np.arange(len(index.chunks)), gone)
    pairs = remove_rows(_pairs(index), unit_rows(_leaves(index)), gone) if how == "exact" else None
    tree = detach_leaves(index.tree, gone) if pairs is None else tree_of_pairs(pairs, max_children=limit)
    growth = Growth(how, (), tuple(wanted.tolist()), 0, 0, 0)
    return _regrown(index, growth, tree, pairs, _taken(index.chunks, stay), _leaves(index)[stay], writer, confirm)


def _regrown(
    index: Index, growth: Growth, tree: AbstractTree, pairs: SpanningTree | None, chunks: Chunks, leaves: Vectors,
    writer: Writer | None, confirm: Confirm | None,
) -> Index:  # fmt: skip
    """Return an index over the new tree, with the old abstracts where leaf sets are the same."""
    kept = _same_leaves(index, tree, chunks)
    extended = _extended(index, tree, chunks, leaves, growth, kept)
    total = tree.n_nodes - tree.n_leaves
    growth = replace(growth, abstracts_kept=len(kept), abstracts_to_write=total - len(kept) - len(extended))
    if confirm is not None and not confirm(growth):
        return index
    texts = {node: index.abstracts.texts[old - index.tree.n_leaves] for node, old in kept.items()}
    abstracts = write_abstracts(
        tree, chunks.indexed_texts, leaves, kind=index.abstracts.kind, writer=writer,
        tokenizer=index.encoder.tokenizer, kept={**texts, **extended}, titles=chunks.titles,
    )  # fmt: skip
    before = {node: index.abstracts.status[old - index.tree.n_leaves] for node, old in kept.items()}
    status = [before.get(node, one) for node, one in enumerate(abstracts.status, tree.n_leaves)]
    abstracts = replace(abstracts, status=tuple(status))
    grown = type(index)(
        tree, chunks, _vectors(index, tree, leaves, abstracts, kept), abstracts, encoder=index.encoder,
        sparse=SparseIndex.build(chunks.indexed_texts), settings=index.settings, pairs=pairs,
    )  # fmt: skip
    grown.report, grown.growth = _report(index, grown, growth), growth
    return grown


def _max_children(index: Index, how: str) -> int | None:
    """Return the limit that the index was built with; only build_tree's one tree can be continued exactly."""
    if index.settings.get("per_document"):
        remedy = "Build it again from all documents; Index.build(...) without per_document grows."
        raise PsiragError("add and remove need an index of one tree", "one of a tree a document", remedy)
    if how == "exact" and index.settings.get("tree") != "build_tree":
        given = f"one of {index.settings.get('tree')!r}"
        raise PsiragError("how='exact' continues a tree of build_tree", given, "Choose another how, or build it again.")
    limit = index.settings.get("max_children", 40)
    return None if limit is None else check_count("max_children", limit)


def _leaves(index: Index) -> Vectors:
    """Return the vectors of the chunks."""
    return np.asarray(index.vectors[: len(index.chunks)])


def _pairs(index: Index) -> SpanningTree:
    """Return the accepted pairs: kept since the build, or found again."""
    return spanning_tree(unit_rows(_leaves(index)), overwrite_rows=True) if index.pairs is None else index.pairs


def _unknown(old: Chunks, found: Chunks) -> tuple[Chunks, int]:
    """Return the chunks of documents that are not there yet, under new ids, and how many documents are there."""
    there, wanted = (Counter(_documents(chunks).values()) for chunks in (old, found))
    new = [document for document, texts in _documents(found).items() if texts not in there]
    chunks = _taken(found, np.flatnonzero(np.isin(found.document, new)))
    number = {document: place for place, document in enumerate(dict.fromkeys(chunks.document.tolist()))}
    document = [int(old.document.max()) + 1 + number[one] for one in chunks.document.tolist()]
    ids = int(old.ids.max()) + 1 + np.arange(len(chunks))
    known = sum(count for texts, count in wanted.items() if texts in there)
    return replace(chunks, ids=ids, document=np.array(document, dtype=np.int64)), known


def _documents(chunks: Chunks) -> dict[int, tuple[str, ...]]:
    """Return the texts of each document's chunks."""
    texts: dict[int, list[str]] = {}
    for document, text in zip(chunks.document.tolist(), chunks.indexed_texts, strict=True):
        texts.setdefault(document, []).append(text)
    return {document: tuple(parts) for document, parts in texts.items()}


def _taken(chunks: Chunks, places: np.ndarray[Any, Any]) -> Chunks:
    """Return some of the chunks."""
    columns: dict[str, Any] = {name: getattr(chunks, name) for name in _COLUMNS}
    for name, column in columns.items():
        columns[name] = column[places] if isinstance(column, np.ndarray) else tuple(column[i] for i in places.tolist())
    return Chunks(**columns)


def _appended(old: Any, new: Any) -> Any:
    """Return two columns in one."""
    return np.append(old, new) if isinstance(old, np.ndarray) else (*old, *new)


def _most_similar(rows: Vectors, n: int, *, before: int | None = None) -> tuple[Any, Any]:
    """Return, for each row from n on, its most similar row among those before it, or before a fixed one, and how so."""
    nearest, similarity = [], []
    step = max(1, _PRODUCTS // len(rows))
    for start in range(n, len(rows), step):
        block = np.arange(start, min(start + step, len(rows)))
        products = rows[block] @ rows.T
        limit = block[:, None] if before is None else np.full((len(block), 1), before)
        products[np.arange(len(rows)) >= limit] = -np.inf
        nearest.append(products.argmax(axis=1))
        similarity.append(products.max(axis=1))
    return np.concatenate(nearest), np.concatenate(similarity)


def _same_leaves(index: Index, tree: AbstractTree, chunks: Chunks, *, old_only: bool = False) -> dict[int, int]:
    """Return the old node of each abstract node with the same chunks; with `old_only`, new chunks do not count."""
    marks = leaf_marks(int(max(chunks.ids.max(), index.chunks.ids.max())) + 1)
    here = marks[chunks.ids]
    if old_only:
        here = np.where(np.isin(chunks.ids, index.chunks.ids), here, np.uint64(0))
    old = leaf_sums(index.tree, marks[index.chunks.ids]).tolist()
    node_of = {mark: node for node, mark in enumerate(old) if node >= index.tree.n_leaves}
    sums = leaf_sums(tree, here).tolist()
    return {node: node_of[sums[node]] for node in range(tree.n_leaves, tree.n_nodes) if sums[node] in node_of}


def _extended(
    index: Index, tree: AbstractTree, chunks: Chunks, leaves: Vectors, growth: Growth, kept: dict[int, int]
) -> dict[int, str]:
    """Return, where leaves were attached below keyword abstracts, the old phrases with the node's new ones after."""
    if growth.how != "attach" or index.abstracts.kind != "keyword":
        return {}
    fresh: Abstracts = write_abstracts(tree, chunks.indexed_texts, leaves, kind="keyword")
    extended = {}
    for node, old in _same_leaves(index, tree, chunks, old_only=True).items():
        if node not in kept:
            phrases = [*index.abstracts.texts[old - index.tree.n_leaves].split(", ")]
            more = fresh.texts[node - tree.n_leaves].split(", ")
            extended[node] = ", ".join(dict.fromkeys(filter(None, [*phrases, *more])))
    return extended


def _vectors(index: Index, tree: AbstractTree, leaves: Vectors, abstracts: Abstracts, kept: dict[int, int]) -> Vectors:
    """Return a vector for each node; texts that were kept are not encoded again."""
    vectors = centroids(tree, leaves).copy()
    vectors[: tree.n_leaves] = leaves
    spoken = [node for node, text in enumerate(abstracts.texts, tree.n_leaves) if text.strip()]
    old = [node for node in spoken if node in kept]
    vectors[old] = index.vectors[[kept[node] for node in old]]
    new = [node for node in spoken if node not in kept]
    if new:
        vectors[new] = index.encoder.encode([abstracts.texts[node - tree.n_leaves] for node in new])
    return vectors


def _report(index: Index, grown: Index, growth: Growth) -> Any:
    """Return the report of the build, brought up to date."""
    if index.report is None:
        return None
    chunks, leaves = grown.chunks, _leaves(grown)
    new = np.flatnonzero(np.isin(chunks.ids, growth.added))
    long = find_truncated(_taken(chunks, new), grown.encoder) if len(new) else ()
    return replace(
        index.report,
        n_documents=len(set(chunks.document.tolist())),
        n_chunks=len(chunks),
        n_duplicates=chunks.n_duplicates,
        truncated=tuple(sorted({*index.report.truncated, *long} - set(growth.removed))),
        zero_rows=tuple(chunks.ids[~leaves.any(axis=1)].tolist()),
        depth=grown.tree.depth,
        nodes_per_layer=tuple(np.bincount(grown.tree.layer).tolist()),
        compression=grown.abstracts.compression,
        status=dict(Counter(grown.abstracts.status)),
    )

"""Which files a saved index has, and how its parts become files and come back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from psirag.abstraction import Abstracts
from psirag.checks import check_each
from psirag.corpus import Chunks
from psirag.encoding import Encoder, as_encoder
from psirag.errors import PsiragError
from psirag.index.build_report import BuildReport
from psirag.optional import installed_version
from psirag.retrieval.sparse_index import BM25S_FILES, SETTINGS_FILE, SparseIndex
from psirag.storage import (
    MANIFEST,
    damaged,
    fitting,
    open_folder,
    read_array,
    read_lines,
    write_folder,
    write_lines,
)
from psirag.tree import AbstractTree, SpanningTree

if TYPE_CHECKING:
    from psirag.index.index import Index

VECTORS, PARENT = "vectors.npy", "parent.npy"
CHUNKS, ABSTRACTS, REPORT = "chunks.jsonl", "abstracts.jsonl", "report.jsonl"
SPARSE = "sparse"
REQUIRED = (VECTORS, PARENT, CHUNKS, ABSTRACTS, REPORT, f"{SPARSE}/{SETTINGS_FILE}")
PAIRS = "pairs.npy"
OPTIONAL = (PAIRS, *(f"{SPARSE}/{name}" for name in BM25S_FILES))
_COLUMNS = {"ids": "id", "document": "document", "position": "position", "start": "start", "end": "end"}


@dataclass(frozen=True)
class SavedEncoder:
    """What a manifest says about the encoder that an index was built with."""

    name: str
    identity: str
    dimension: int
    max_tokens: int | None
    prompts: Mapping[str, str]

    @staticmethod
    def of(encoder: Encoder | SavedEncoder) -> SavedEncoder:
        """Return what is to be remembered of an encoder."""
        prompts = dict(encoder.prompts)
        return SavedEncoder(encoder.name, encoder.identity, encoder.dimension, encoder.max_tokens, prompts)

    def matching(self, encoder: Any = None) -> Encoder:
        """Return the encoder given, or else the one of this name, if it is the same one.

        Raises
        ------
        PsiragError
            Another name, identity or dimension; none given where the encoder has no name.
        """
        if encoder is None and not self.name:
            given = "none for an index whose encoder has no name"
            remedy = "Pass Index.load(folder, encoder=...), the one that the index was built with."
            raise PsiragError("An index needs its encoder", given, remedy)
        found = as_encoder(self.name if encoder is None else encoder)
        other = SavedEncoder.of(found)
        if (other.name, other.identity, other.dimension) != (self.name, self.identity, self.dimension):
            asked = f"An index needs the encoder that it was built with, {self._label()}"
            remedy = "Load it with that encoder, or build the index again with this one."
            raise PsiragError(asked, other._label(), remedy)
        return found

    def _label(self) -> str:
        """Return name, identity and dimension in one line."""
        identity = " ".join(self.identity.split())
        return f"{self.name or 'one without a name'!r} of {self.dimension} dimensions ({identity})"


def about(index: Index) -> dict[str, Any]:
    """Return what the manifest says besides format, files and checksum."""
    tree, abstracts = index.tree, index.abstracts
    compression = None if math.isnan(abstracts.compression) else abstracts.compression
    return {
        "psirag": installed_version("psirag"),
        "encoder": dict(vars(index.made_with)),
        "settings": dict(index.settings),
        "abstracts": {"kind": abstracts.kind, "compression": compression},
        "n_leaves": tree.n_leaves,
        "n_nodes": tree.n_nodes,
        "depth": tree.depth,
    }


def save_index(index: Index, folder: Path, *, overwrite: bool) -> None:
    """Write the files and the manifest of an index."""

    def write_files(at: Path) -> None:
        np.save(at / VECTORS, index.vectors, allow_pickle=False)
        np.save(at / PARENT, index.tree.parent, allow_pickle=False)
        write_lines(at / CHUNKS, map(vars, index.chunks))
        pairs = zip(index.abstracts.texts, index.abstracts.status, strict=True)
        write_lines(at / ABSTRACTS, ({"text": text, "status": status} for text, status in pairs))
        write_lines(at / REPORT, [{**vars(index.report), "compression": None}] if index.report else [])
        index.sparse.save(at / SPARSE)
        if index.pairs is not None:
            np.save(at / PAIRS, np.stack([index.pairs.u, index.pairs.v, index.pairs.key]), allow_pickle=False)

    write_folder(folder, write_files, about(index), overwrite=overwrite)


def load_parts(folder: Path, *, verify: bool) -> dict[str, Any]:
    """Check a saved index against its manifest and read its parts, by the names that `Index` takes them under.

    Raises
    ------
    PsiragError
        No saved index, or a file that is missing, truncated, altered or of a newer format, by name.
    """
    folder, manifest = open_folder(folder, required=REQUIRED, optional=OPTIONAL, verify=verify)
    with fitting(MANIFEST):
        encoder = SavedEncoder(**manifest["encoder"])
        check_each("the encoder's name and identity", (encoder.name, encoder.identity), str)
        settings, n_leaves = dict(manifest["settings"]), manifest["n_leaves"]
        kind, compression = manifest["abstracts"]["kind"], manifest["abstracts"]["compression"]
        compression = math.nan if compression is None else float(compression)
    parent, vectors = read_array(folder / PARENT, mmap=False), read_array(folder / VECTORS, mmap=not verify)
    with fitting(PARENT):
        tree = AbstractTree.from_parents(parent, n_leaves)
    if vectors.shape != (tree.n_nodes, encoder.dimension) or vectors.dtype != np.float32:
        raise damaged(VECTORS, f"{vectors.shape} of {vectors.dtype} for {tree.n_nodes} nodes")
    abstract_rows, report_rows = read_lines(folder / ABSTRACTS), read_lines(folder / REPORT)
    with fitting(ABSTRACTS):
        texts, status = (tuple(row[key] for row in abstract_rows) for key in ("text", "status"))
        abstracts = Abstracts(kind, texts, status, compression)
    with fitting(REPORT):
        report = BuildReport(**{**report_rows[0], "compression": compression}) if report_rows else None
    chunks, sparse = _read_chunks(folder / CHUNKS), SparseIndex.load(folder / SPARSE, mmap=not verify)
    return {
        "tree": tree, "chunks": chunks, "vectors": vectors, "abstracts": abstracts,
        "encoder": encoder, "sparse": sparse, "report": report, "settings": settings,
        "pairs": _read_pairs(folder / PAIRS, n_leaves) if PAIRS in manifest["files"] else None,
    }  # fmt: skip


def _read_pairs(path: Path, n_leaves: int) -> SpanningTree:
    """Read the accepted pairs back."""
    pairs = read_array(path, mmap=False)
    if pairs.shape != (3, n_leaves - 1) or pairs.dtype != np.int64 or np.any((pairs[:2] < 0) | (pairs[:2] >= n_leaves)):
        raise damaged(PAIRS, f"{pairs.shape} of {pairs.dtype} for {n_leaves} leaves")
    return SpanningTree(pairs[0], pairs[1], pairs[2], n_leaves)


def _read_chunks(path: Path) -> Chunks:
    """Read the chunks back into columns."""
    rows = read_lines(path)
    with fitting(CHUNKS):
        numbers = {name: np.array([row[key] for row in rows], dtype=np.int64) for name, key in _COLUMNS.items()}
        texts, titles, metadata = (tuple(row[key] for row in rows) for key in ("text", "title", "metadata"))
        return Chunks(texts=texts, titles=titles, metadata=metadata, **numbers)

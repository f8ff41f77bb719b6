"""Which files a saved index has, and how its parts become files and come back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from psirag.abstraction import Abstracts
from psirag.corpus import Chunks
from psirag.encoding import Encoder, as_encoder
from psirag.errors import PsiragError
from psirag.index.build_report import BuildReport
from psirag.retrieval.sparse_index import BM25S_FILES, SETTINGS_FILE, SparseIndex
from psirag.storage import (
    MANIFEST,
    check_files,
    find_folder,
    fitting,
    read_array,
    read_lines,
    read_manifest,
    write_folder,
    write_lines,
)
from psirag.tree import AbstractTree

VECTORS, PARENT = "vectors.npy", "parent.npy"
CHUNKS, ABSTRACTS, REPORT = "chunks.jsonl", "abstracts.jsonl", "report.jsonl"
SPARSE = "sparse"
REQUIRED = (VECTORS, PARENT, CHUNKS, ABSTRACTS, REPORT, f"{SPARSE}/{SETTINGS_FILE}")
OPTIONAL = tuple(f"{SPARSE}/{name}" for name in BM25S_FILES)
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
    def of(encoder: Encoder) -> SavedEncoder:
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


@dataclass(frozen=True, eq=False)
class IndexParts:
    """All that an index is made of."""

    tree: AbstractTree
    chunks: Chunks
    vectors: npt.NDArray[np.float32]
    abstracts: Abstracts
    encoder: SavedEncoder
    sparse: SparseIndex
    report: BuildReport | None
    settings: Mapping[str, Any]


def about(parts: IndexParts) -> dict[str, Any]:
    """Return what the manifest says besides format, files and checksum.

    Examples
    --------
    >>> from psirag.index import Index
    >>> Index.build(["Bats hunt moths."]).manifest["n_leaves"]
    1
    """
    compression = parts.abstracts.compression
    return {
        "psirag": _version(),
        "encoder": {**vars(parts.encoder), "prompts": dict(parts.encoder.prompts)},
        "settings": dict(parts.settings),
        "abstracts": {"kind": parts.abstracts.kind, "compression": compression if compression == compression else None},
        "n_leaves": parts.tree.n_leaves,
        "n_nodes": parts.tree.n_nodes,
        "depth": parts.tree.depth,
    }


def save_parts(parts: IndexParts, folder: Path, *, overwrite: bool) -> None:
    """Write the files and the manifest of an index."""

    def write_files(at: Path) -> None:
        np.save(at / VECTORS, parts.vectors, allow_pickle=False)
        np.save(at / PARENT, parts.tree.parent, allow_pickle=False)
        write_lines(at / CHUNKS, ({**vars(chunk), "metadata": dict(chunk.metadata)} for chunk in parts.chunks))
        pairs = zip(parts.abstracts.texts, parts.abstracts.status, strict=True)
        write_lines(at / ABSTRACTS, ({"text": text, "status": status} for text, status in pairs))
        write_lines(at / REPORT, [] if parts.report is None else [parts.report.as_dict()])
        parts.sparse.save(at / SPARSE)

    write_folder(folder, write_files, about(parts), overwrite=overwrite)


def load_parts(folder: Path, *, verify: bool) -> IndexParts:
    """Check a saved index against its manifest and read its parts.

    Raises
    ------
    PsiragError
        No saved index, or a file that is missing, truncated, altered or of a newer format, by name.
    """
    folder = find_folder(folder)
    manifest = read_manifest(folder)
    with fitting(MANIFEST):
        files, encoder = dict(manifest["files"]), SavedEncoder(**manifest["encoder"])
        settings, n_leaves, kind = dict(manifest["settings"]), manifest["n_leaves"], manifest["abstracts"]["kind"]
        compression = manifest["abstracts"]["compression"]
        sizes = {name: (int(known["bytes"]), str(known["sha256"])) for name, known in files.items()}
    check_files(folder, sizes, required=REQUIRED, optional=OPTIONAL, verify=verify)
    parent, vectors = read_array(folder / PARENT, mmap=False), read_array(folder / VECTORS, mmap=not verify)
    with fitting(PARENT):
        tree = AbstractTree.from_parents(parent, n_leaves)
    with fitting(VECTORS):
        _check_vectors(vectors, tree.n_nodes, encoder.dimension)
    return IndexParts(
        tree=tree,
        chunks=_read_chunks(folder / CHUNKS),
        vectors=vectors,
        abstracts=_read_abstracts(folder / ABSTRACTS, kind, float("nan") if compression is None else compression),
        encoder=encoder,
        sparse=SparseIndex.load(folder / SPARSE, mmap=not verify),
        report=_read_report(folder / REPORT),
        settings=settings,
    )


def _check_vectors(vectors: npt.NDArray[Any], n_nodes: int, dimension: int) -> None:
    """Raise where a file holds other vectors than the tree has nodes, without reading them."""
    if vectors.shape != (n_nodes, dimension) or vectors.dtype != np.float32:
        given = f"{vectors.shape} of {vectors.dtype}"
        raise PsiragError(f"vectors must be float32 of shape {(n_nodes, dimension)}", given, "Build the index again.")


def _read_chunks(path: Path) -> Chunks:
    """Read the chunks back into columns."""
    rows = read_lines(path)
    with fitting(CHUNKS):
        numbers = {name: np.array([row[key] for row in rows], dtype=np.int64) for name, key in _COLUMNS.items()}
        texts, titles, metadata = (tuple(row[key] for row in rows) for key in ("text", "title", "metadata"))
        return Chunks(texts=texts, titles=titles, metadata=metadata, **numbers)


def _read_abstracts(path: Path, kind: str, compression: float) -> Abstracts:
    """Read the abstracts and how each came about."""
    rows = read_lines(path)
    with fitting(ABSTRACTS):
        texts, status = (tuple(row[key] for row in rows) for key in ("text", "status"))
        return Abstracts(kind=kind, texts=texts, status=status, compression=compression)


def _read_report(path: Path) -> BuildReport | None:
    """Read the report, where there is one."""
    rows = read_lines(path)
    with fitting(REPORT):
        return BuildReport.from_dict(rows[0]) if rows else None


def _version() -> str:
    """Return the installed version of psirag."""
    try:
        return version("psirag")
    except PackageNotFoundError:
        return "not installed"

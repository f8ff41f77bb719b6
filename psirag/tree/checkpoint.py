"""Where a build stands, on disk: an interrupted sweep goes on from there and ends at the same tree."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from psirag.checks import check_path
from psirag.errors import PsiragError
from psirag.storage import NO_ARRAYS
from psirag.tree.kruskal import Bottlenecks, Pairs
from psirag.vectors import Ints, Vectors

_FORMAT = 1


@dataclass(frozen=True)
class Progress:
    """How far the sweep has come.

    Parameters
    ----------
    layout : ndarray, shape (n,), int64
        The leaf at each place.
    pairs : Pairs
        Pairs among which the spanning tree is, as far as swept.
    next_row : int
        The first place whose row has not been swept.
    tree : Bottlenecks, optional
        Those of `pairs`, where they are at hand; not saved.
    """

    layout: Ints
    pairs: Pairs
    next_row: int
    tree: Bottlenecks | None = None


class Checkpoint:
    """A file in a folder, named by a hash of the rows, so that other rows never resume from it.

    Parameters
    ----------
    folder : path
        Made when it is not there.
    rows : ndarray, shape (n, d), float32

    Examples
    --------
    >>> import tempfile
    >>> checkpoint = Checkpoint(tempfile.mkdtemp(), np.eye(2, dtype=np.float32))
    >>> checkpoint.load() is None
    True
    """

    def __init__(self, folder: str | os.PathLike[str], rows: Vectors) -> None:
        place = check_path("checkpoint", folder)
        digest = hashlib.sha256(f"{_FORMAT} {rows.shape}".encode())
        digest.update(np.ascontiguousarray(rows).data)
        self.path = place / f"spanning-tree-{digest.hexdigest()[:24]}.npz"

    def load(self) -> Progress | None:
        """Return where the build stands; None when it has not begun."""
        if not self.path.exists():
            return None
        try:
            with np.load(self.path, allow_pickle=False) as saved:
                pairs = Pairs(saved["u"], saved["v"], saved["key"])
                return Progress(saved["layout"], pairs, int(saved["next_row"]))
        except NO_ARRAYS as error:
            given = f"{self.path}, which cannot be read ({error})"
            remedy = "Delete the file: the build then starts again."
            raise PsiragError("build_tree resumes from a checkpoint that it wrote", given, remedy) from error

    def save(self, progress: Progress) -> None:
        """Write where the build stands beside the file, and rename it into place."""
        partial = self.path.with_suffix(f".{os.getpid()}.partial")
        u, v, key = progress.pairs.u, progress.pairs.v, progress.pairs.key
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with partial.open("wb") as stream:
                np.savez(stream, layout=progress.layout, u=u, v=v, key=key, next_row=progress.next_row)
                stream.flush()
                os.fsync(stream.fileno())
            partial.replace(self.path)
        except OSError as error:
            given = f"{self.path.parent}, which cannot be written ({error.strerror or error})"
            remedy = "Make room or choose another folder and build again: what was saved before is still there."
            raise PsiragError("build_tree needs a folder for its checkpoint", given, remedy) from error
        finally:
            with suppress(OSError):
                partial.unlink()

"""Vectors kept on disk between runs: one SQLite file per model, a row per prompt and text."""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
import sys
import zlib
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from psirag.vectors import Vectors

_AT_ONCE = 500  # SQLite builds may allow as few as 999 parameters in a statement
_TABLE = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL, crc INTEGER NOT NULL)"


def default_cache_folder() -> Path | None:
    """Return $PSIRAG_CACHE, or psirag in the platform's cache folder; None where no home folder is known.

    Examples
    --------
    >>> os.environ["PSIRAG_CACHE"] = "/tmp/vectors"
    >>> default_cache_folder().name
    'vectors'
    >>> del os.environ["PSIRAG_CACHE"]
    """
    if os.environ.get("PSIRAG_CACHE"):
        return Path(os.environ["PSIRAG_CACHE"]).expanduser()
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "psirag" / "cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "psirag"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "psirag"


def file_stem(identity: str) -> str:
    r"""Name a file after a model: its first line, readable, and a hash of its whole identity.

    Examples
    --------
    >>> file_stem("owner/model\nits weights")
    'owner-model-0f63d73222e83c1c'
    """
    readable = re.sub(r"[^A-Za-z0-9.-]+", "-", identity.split("\n", maxsplit=1)[0])[-60:].strip("-.")
    return f"{readable}-{hashlib.sha256(identity.encode()).hexdigest()[:16]}"


@dataclass(frozen=True)
class VectorCache:
    """The vectors of one model identity, in one file that several processes may share.

    A cache is only ever a shortcut: a file that cannot be read or written is passed over, and a damaged one is
    thrown away and begun again. Every vector carries a checksum.

    Source: design of psirag; the format is SQLite's.
    """

    folder: Path
    identity: str

    @property
    def path(self) -> Path:
        """The file of this identity."""
        return self.folder / f"{file_stem(self.identity)}.sqlite3"

    def get(self, prompt: str, texts: Sequence[str], dimension: int) -> dict[str, Vectors]:
        """Return the vectors that are there, by text."""
        if not self.path.is_file():
            return {}
        by_key = {_key(prompt, text): text for text in texts}
        keys = list(by_key)
        found: dict[str, Vectors] = {}
        try:
            with closing(self._connect()) as connection:
                for start in range(0, len(keys), _AT_ONCE):
                    some = keys[start : start + _AT_ONCE]
                    marks = ",".join("?" * len(some))
                    query = f"SELECT key, vector, crc FROM vectors WHERE key IN ({marks})"  # noqa: S608 (only "?")
                    for key, vector, crc in connection.execute(query, some):
                        if len(vector) == 4 * dimension and zlib.crc32(vector) == crc:
                            found[by_key[bytes(key)]] = np.frombuffer(vector, dtype="<f4")
        except sqlite3.OperationalError:  # locked, unreadable, no such table: not damage
            pass
        except (sqlite3.DatabaseError, TypeError, ValueError, KeyError):
            self._discard()
        return found

    def put(self, prompt: str, vectors: Mapping[str, Vectors]) -> bool:
        """Keep vectors by text, all or none; False where the disk did not allow it."""
        little_endian = {text: np.asarray(vector, dtype="<f4").tobytes() for text, vector in vectors.items()}
        rows = [(_key(prompt, text), data, zlib.crc32(data)) for text, data in little_endian.items()]
        for _ in range(2):
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                with closing(self._connect()) as connection, connection:
                    connection.execute(_TABLE)
                    connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
            except (OSError, sqlite3.OperationalError):
                return False
            except sqlite3.DatabaseError:
                self._discard()
            else:
                return True
        return False

    def _connect(self) -> sqlite3.Connection:
        """Open the file; a connection lives for one call, so threads and processes need no arrangement."""
        return sqlite3.connect(self.path, timeout=30)

    def _discard(self) -> None:
        """Remove a damaged file, so that the next `put` begins a new one."""
        for path in (self.path, self.path.with_name(self.path.name + "-journal")):
            with suppress(OSError):
                path.unlink(missing_ok=True)


def _key(prompt: str, text: str) -> bytes:
    """Hash a prompt and a text; the length keeps the two apart."""
    return hashlib.sha256(f"{len(prompt)}\0{prompt}{text}".encode()).digest()

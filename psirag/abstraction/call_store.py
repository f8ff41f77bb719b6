"""Finished calls of a writer, kept on disk line by line: a run that was killed repeats none of them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, MutableMapping
from contextlib import suppress
from pathlib import Path


class CallStore(MutableMapping[str, str]):
    """Text by key, in memory and in one append-only file of JSON lines; what is set is on disk when `[]=` returns.

    A line that was cut off by a kill is passed over. Where the disk cannot be read or written, the store still works
    for this process. Nothing is ever deleted from the file.

    Parameters
    ----------
    folder : Path
        Made when the first text is set.
    identity : str
        The writer's model, weights, prompts and settings: one file each.

    Source: ours.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> CallStore(folder, "a writer")["key"] = "an abstract"
    >>> dict(CallStore(folder, "a writer")), dict(CallStore(folder, "another"))
    ({'key': 'an abstract'}, {})
    """

    def __init__(self, folder: Path, identity: str) -> None:
        readable = re.sub(r"[^A-Za-z0-9.-]+", "-", identity.split("\n", maxsplit=1)[0])[-60:].strip("-.")
        self.path = folder / f"abstracts-{readable}-{hashlib.sha256(identity.encode()).hexdigest()[:16]}.jsonl"
        self._texts: dict[str, str] = {}
        with suppress(OSError):
            for line in self.path.read_text("utf-8", "replace").splitlines():
                with suppress(ValueError):
                    entry = json.loads(line)
                    if isinstance(entry, list) and len(entry) == 2 and all(isinstance(part, str) for part in entry):
                        self._texts[entry[0]] = entry[1]

    def __getitem__(self, key: str) -> str:
        return self._texts[key]

    def __setitem__(self, key: str, text: str) -> None:
        self._texts[key] = text
        with suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab", buffering=0) as file:  # one write a line: processes may share the file
                file.write(f"\n{json.dumps([key, text])}\n".encode())  # the first newline ends a line that was cut off

    def __delitem__(self, key: str) -> None:
        del self._texts[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

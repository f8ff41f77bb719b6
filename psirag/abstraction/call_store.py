"""Finished calls of a writer, kept on disk line by line: a run that was killed repeats none of them."""

from __future__ import annotations

import json
from collections import UserDict
from contextlib import suppress
from pathlib import Path

from psirag.encoding.vector_cache import file_stem


class CallStore(UserDict[str, str]):
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
        super().__init__()
        self.path = folder / f"abstracts-{file_stem(identity)}.jsonl"
        with suppress(OSError):
            for line in self.path.read_text("utf-8", "replace").splitlines():
                with suppress(ValueError, RecursionError):
                    entry = json.loads(line)
                    if isinstance(entry, list) and len(entry) == 2 and all(isinstance(part, str) for part in entry):
                        self.data[entry[0]] = entry[1]

    def __setitem__(self, key: str, text: str) -> None:
        self.data[key] = text
        with suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab", buffering=0) as file:  # one write a line: processes may share the file
                file.write(f"\n{json.dumps([key, text])}\n".encode())  # the first newline ends a line that was cut off

"""A killed build goes on where it was; what cannot be read or written is named, and nothing is lost."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from psirag.errors import PsiragError
from psirag.tree import build_tree, checkpoint
from psirag.tree.checkpoint import Checkpoint, Progress
from psirag.tree.kruskal import Pairs
from psirag.tree.spanning_tree import spanning_tree
from psirag.vectors import unit_rows

ROOT = Path(__file__).resolve().parent.parent
ROWS = unit_rows(np.random.default_rng(1).normal(size=(900, 24)))
SLOWLY = """
import sys, time
import numpy as np
from psirag.tree.checkpoint import Checkpoint
from psirag.tree.spanning_tree import spanning_tree
from psirag.vectors import unit_rows
save = Checkpoint.save
Checkpoint.save = lambda self, progress: (save(self, progress), time.sleep(0.2))
rows = unit_rows(np.random.default_rng(1).normal(size=(900, 24)))
spanning_tree(rows, block=32, workers=1, checkpoint=sys.argv[1])
"""


def next_row(folder):
    return Checkpoint(folder, ROWS).load().next_row


def test_a_build_killed_midway_resumes_to_the_same_tree(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", SLOWLY, str(tmp_path)], cwd=ROOT)
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and (not list(tmp_path.glob("*.npz")) or next_row(tmp_path) < 64):
            time.sleep(0.02)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert 0 < next_row(tmp_path) < len(ROWS)
    began = []
    watched = spanning_tree(ROWS, block=50, checkpoint=tmp_path)  # another block size: the checkpoint does not mind
    began.append(next_row(tmp_path))
    plain = spanning_tree(ROWS)
    assert np.array_equal([watched.u, watched.v, watched.key], [plain.u, plain.v, plain.key])
    assert began == [len(ROWS)]


def test_a_resumed_build_sweeps_only_what_is_left(tmp_path, monkeypatch):
    spanning_tree(ROWS, checkpoint=tmp_path)
    monkeypatch.setattr("psirag.tree.sweeping._of_block", lambda *_: pytest.fail("swept again"))
    assert build_tree(ROWS, checkpoint=tmp_path).n_leaves == len(ROWS)
    other = unit_rows(-ROWS[::-1][:5])
    assert Checkpoint(tmp_path, other).load() is None


@pytest.mark.parametrize("damage", [lambda content: content[: len(content) // 2], lambda _: b"", lambda _: b"no zip"])
def test_a_damaged_checkpoint_is_named(tmp_path, damage):
    spanning_tree(ROWS, checkpoint=tmp_path)
    path = next(tmp_path.glob("*.npz"))
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(PsiragError, match=rf"{path.name}, which cannot be read .* Delete the file"):
        spanning_tree(ROWS, checkpoint=tmp_path)


def test_a_full_disk_leaves_the_last_checkpoint(tmp_path, monkeypatch):
    keep = Checkpoint(tmp_path, ROWS)
    keep.save(Progress(np.arange(3), Pairs.none(), 1))

    def full(stream, **_):
        stream.write(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(checkpoint.np, "savez", full)
    with pytest.raises(PsiragError, match=r"cannot be written \(No space left on device"):
        keep.save(Progress(np.arange(3), Pairs.none(), 2))
    assert keep.load().next_row == 1
    assert [path.name for path in tmp_path.iterdir()] == [keep.path.name]


def test_a_folder_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(PsiragError, match="cannot be written"):
        spanning_tree(ROWS, checkpoint=tmp_path / "file")

    def read_only(self, *_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "open", read_only)  # root may write anywhere, so a mode would not stop the test
    with pytest.raises(PsiragError, match=r"cannot be written \(Permission denied"):
        spanning_tree(ROWS, checkpoint=tmp_path)


@pytest.mark.parametrize("folder", [3, True, ["a"]])
def test_a_checkpoint_is_a_path(folder):
    with pytest.raises(PsiragError, match="checkpoint must be a path"):
        build_tree(ROWS, checkpoint=folder)

"""The check for a machine with a GPU, run here with a tiny model: every line but the device."""

from __future__ import annotations

import re

import numpy as np

from tests import gpu_check
from tests.tiny_model import tiny_folder


def test_every_line_runs_here(tmp_path, capsys):
    assert gpu_check.check(str(tiny_folder(tmp_path / "tiny")), device="cpu", rows=500, texts=8)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["device", "encoder", "flat", "reader", "likelihood", "all"]
    assert lines[0].startswith("device      cpu, ")
    assert all(re.match(r"\w+ +equal: .*\d s", line) for line in lines[1:5])
    assert "same ids True" in lines[2]
    assert re.search(r"first (\d+) of \1 characters as on the CPU", lines[3])


def test_a_difference_is_told(tmp_path, capsys, monkeypatch):
    class Wrong(gpu_check.FlatIndex):
        def search(self, queries, k, **rest):
            return super().search(queries if self.backend == "numpy" else np.roll(queries, 1, axis=0), k, **rest)

    monkeypatch.setattr(gpu_check, "FlatIndex", Wrong)
    assert not gpu_check.check(str(tiny_folder(tmp_path / "tiny")), device="cpu", rows=50, texts=2)
    assert "flat        DIFFERS" in capsys.readouterr().out

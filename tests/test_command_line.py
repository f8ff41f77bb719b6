"""`python -m psirag`: the notebooks into a folder of one's own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from psirag.__main__ import copy_notebooks, main
from psirag.errors import PsiragError

NOTEBOOKS = sorted((Path(__file__).resolve().parent.parent / "notebooks").glob("*.ipynb"))


def test_every_notebook_is_copied_byte_for_byte(tmp_path):
    written = copy_notebooks(tmp_path / "new" / "folder")
    assert [path.name for path in written] == [path.name for path in NOTEBOOKS]
    assert [path.read_bytes() for path in written] == [path.read_bytes() for path in NOTEBOOKS]
    assert (tmp_path / "new" / "folder" / "toy_tree.svg").is_file()


def test_a_notebook_of_ones_own_is_not_overwritten(tmp_path):
    own = tmp_path / NOTEBOOKS[3].name
    own.write_text("mine", encoding="utf-8")
    with pytest.raises(PsiragError, match=f"which holds {own.name}"):
        copy_notebooks(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [own.name]
    assert own.read_text(encoding="utf-8") == "mine"


def test_a_file_in_the_way_is_told(tmp_path):
    (tmp_path / "taken").write_text("", encoding="utf-8")
    with pytest.raises(PsiragError, match="needs a folder that can be written"):
        copy_notebooks(tmp_path / "taken")


def test_the_command_says_what_it_did(tmp_path, capsys):
    assert main(["notebooks", str(tmp_path)]) == 0
    assert f"{len(NOTEBOOKS)} notebooks in {tmp_path}" in capsys.readouterr().out
    assert main(["notebooks", str(tmp_path)]) == 2
    assert "Name another folder" in capsys.readouterr().err


def test_the_module_runs():
    done = subprocess.run([sys.executable, "-m", "psirag", "--help"], capture_output=True, text=True, check=True)
    assert "copy the notebooks into a folder" in done.stdout

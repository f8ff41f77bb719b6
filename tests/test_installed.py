"""The wheel in empty environments, on every Python here that the metadata claims: `make slow`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.wheel import ROOT, build_wheel

pytestmark = pytest.mark.slow

TEN_LINES = """
from pathlib import Path
import numpy as np
from psirag import Agent, Index, PsiragError, build_tree, dasgupta_cost

class Letters:
    name, dimension, max_tokens, tokenizer = "letters", 26, None, None
    def encode(self, texts):
        rows = np.array([[text.lower().count(chr(97 + i)) for i in range(26)] for text in texts], np.float32)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

index = Index.build("toy", encoder=Letters(), abstraction="keyword")
print(index.report)
print(index.retrieve("Which planet orbits the Sun in 88 days?", k=3)[0].chunk.title)
answer = Agent(index).ask("Which planet orbits the Sun in 88 days?")
print(answer.text, answer.status, len(answer.steps))
index.save("kept")
assert Index.load("kept", encoder=Letters()).tree == index.tree
print(dasgupta_cost(build_tree(np.eye(5))))
"""


def pythons() -> list[str]:
    """One Python of every minor version from 3.11 on: on the path, or one that pyenv keeps."""
    kept = sorted((Path.home() / ".pyenv" / "versions").glob("3.*/bin/python"))
    found = []
    for version in (f"3.{minor}" for minor in range(11, 16)):
        beside = [str(path) for path in kept if path.parts[-3].startswith(f"{version}.")]
        found += [path for path in [shutil.which(f"python{version}"), *beside] if path and works(path)][:1]
    return found


def works(python: str) -> bool:
    """Whether a Python can be run; the stand-ins of a version manager may not."""
    return subprocess.run([python, "-c", "import venv"], capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel."""
    return build_wheel(tmp_path_factory.mktemp("wheel"))


def run(*command: str | Path, where: Path, **more: str) -> str:
    """What a command prints; it must succeed, and must not see this environment's packages."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(
        list(map(str, command)), cwd=where, env={**clean, **more}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture
def empty(request, tmp_path) -> Path:
    """The Python of a new environment with nothing in it."""
    run(request.param, "-m", "venv", tmp_path / "env", where=tmp_path)
    return tmp_path / "env" / "bin" / "python"


@pytest.mark.parametrize("empty", pythons(), indirect=True)
def test_the_wheel_alone_imports_builds_and_checks_the_theory(empty, wheel, tmp_path):
    run(empty, "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", wheel, where=tmp_path)
    assert "Mercury" in run(empty, "-W", "error::Warning:psirag", "-c", TEN_LINES, where=tmp_path)
    assert "hold" in run(empty, "-m", "psirag.theory", "--size", "small", where=tmp_path)
    run(empty, "-m", "psirag", "notebooks", tmp_path / "notebooks", where=tmp_path)
    assert (tmp_path / "notebooks" / "00_tour.ipynb").is_file()
    where = run(empty, "-c", "import psirag, pathlib; print(pathlib.Path(psirag.__file__).parent)", where=tmp_path)
    assert (Path(where.strip()) / "py.typed").is_file()


@pytest.mark.parametrize("empty", pythons()[:1], indirect=True)
def test_every_notebook_runs_on_a_hosted_service(empty, wheel, tmp_path):
    """A machine with Jupyter and nothing else: the first cell of the first notebook installs the wheel."""
    run(empty, "-m", "pip", "install", "-q", "ipykernel", "nbconvert", where=tmp_path)
    settings = {"PSIRAG_SOURCE": str(wheel), "PIP_CONSTRAINT": str(ROOT / "constraints.txt")}
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        shutil.copy(path, tmp_path)
        command = (empty, "-m", "nbconvert", "--to", "notebook", "--execute", "--inplace", tmp_path / path.name)
        run(*command, where=tmp_path, OMP_WAIT_POLICY="PASSIVE", **settings)
        cells = json.loads((tmp_path / path.name).read_text(encoding="utf-8"))["cells"]
        counts = [cell["execution_count"] for cell in cells if cell["cell_type"] == "code"]
        assert counts == list(range(1, len(counts) + 1)), path.name
    where = run(empty, "-c", "import psirag; print(psirag.__file__)", where=tmp_path)
    assert Path(where.strip()).is_relative_to(tmp_path / "env")

"""What an install brings: the wheel's contents, the extras, the pins."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.wheel import build_wheel

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
NOTEBOOKS = {".ipynb", ".svg"}
DATA_KINDS = {".json", ".jsonl", ".md", ".txt", ".csv", ".npy", ".npz"}


def requirement(text: str) -> str:
    """The normalised name in a requirement or a pin."""
    return re.match(r"[\w.-]+", text).group().lower().replace("_", "-").replace(".", "-")


def pins() -> dict[str, str]:
    """The pinned version of each distribution."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return {requirement(line): line.split("==")[1] for line in lines if "==" in line and not line.startswith("#")}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel."""
    return build_wheel(tmp_path_factory.mktemp("wheel"))


def test_wheel_holds_every_module_and_every_data_file(wheel):
    inside = set(zipfile.ZipFile(wheel).namelist())
    wanted = {str(path.relative_to(ROOT)) for path in (ROOT / "psirag").rglob("*.py")} | {"psirag/py.typed"}
    wanted |= {f"psirag/{path.relative_to(ROOT)}" for path in (ROOT / "theory").rglob("*.py")}
    files = [
        path for path in (ROOT / "data").rglob("*") if path.suffix in DATA_KINDS or path.name.startswith("LICENSE")
    ]
    wanted |= {f"psirag/{path.relative_to(ROOT)}" for path in files}
    wanted |= {f"psirag/notebooks/{path.name}" for path in (ROOT / "notebooks").iterdir() if path.suffix in NOTEBOOKS}
    wanted |= {f"psirag/results/{path.name}" for path in (ROOT / "tests/benchmarks/results").glob("*.json")}
    assert sorted(wanted - inside) == []
    assert [name for name in inside if not name.startswith(("psirag/", "psirag-"))] == []


def test_wheel_imports_without_the_repository(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path)
    code = "import sys; sys.meta_path = [f for f in sys.meta_path if 'editable' not in repr(f).lower()]\n"
    code += f"sys.path.insert(0, {str(tmp_path)!r})\nimport psirag, psirag.theory, psirag.data\n"
    code += "print(psirag.__file__, psirag.theory.__file__, psirag.data.__file__)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert all(path.startswith(str(tmp_path)) for path in done.stdout.split())


def test_every_package_is_listed():
    folders = {path.parent.relative_to(ROOT) for path in (ROOT / "psirag").rglob("*.py")}
    wanted = {".".join(folder.parts) for folder in folders} | set(PROJECT["tool"]["setuptools"]["package-dir"])
    assert sorted(PROJECT["tool"]["setuptools"]["packages"]) == sorted(wanted)


def test_faiss_is_in_two_extras_that_are_never_together():
    named = {extra: [requirement(text) for text in texts] for extra, texts in EXTRAS.items()}
    assert [extra for extra, names in named.items() if any("faiss" in name for name in names)] == ["cpu", "gpu"]
    assert not any("faiss" in text for text in PROJECT["project"]["dependencies"])


def test_every_dependency_is_pinned():
    direct = {requirement(text) for texts in [PROJECT["project"]["dependencies"], *EXTRAS.values()] for text in texts}
    assert sorted(direct - set(pins())) == []


def test_every_import_is_declared():
    """Each third-party module that psirag or theory imports belongs to a distribution that pyproject.toml names."""
    from importlib.metadata import packages_distributions

    owners = packages_distributions()
    declared = {requirement(text) for texts in [PROJECT["project"]["dependencies"], *EXTRAS.values()] for text in texts}
    unknown = set()
    for path in [*(ROOT / "psirag").rglob("*.py"), *(ROOT / "theory").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            for top in {name.split(".")[0] for name in names} - sys.stdlib_module_names - {"psirag", "theory"}:
                if not {requirement(owner) for owner in owners.get(top, ())} & declared:
                    unknown.add(f"{path.relative_to(ROOT)}: {top}")
    assert sorted(unknown) == []

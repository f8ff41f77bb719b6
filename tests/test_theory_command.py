"""`python -m psirag.theory`: its table, its exit status, and that it runs from a wheel alone."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import pytest
from psirag.theory import FALSE, HOLDS, Verdict, non_uniformity, similarity_ranking
from psirag.theory.__main__ import block, main, margin

from tests.wheel import build_wheel

FAST = (non_uniformity.check, similarity_ranking.check)


def test_exit_0_when_every_verdict_is_the_recorded_one(capsys):
    assert main(["--size", "small"], checks=FAST) == 0
    printed = capsys.readouterr().out
    assert "Theorem 4.3 (1): c(T′) < c(T)" in printed
    assert "false as stated" in printed
    assert "counterexample: n = 4, most similar pairs ((0, 1), (0, 2), (1, 2))" in printed
    assert "4 statements, 4 as recorded, 0 changed" in printed


def test_exit_1_when_a_verdict_changed(capsys):
    def changed(size, seed):
        return tuple(dataclasses.replace(verdict, recorded=FALSE) for verdict in non_uniformity.check(size, seed))

    assert main(["--size", "small"], checks=(changed,)) == 1
    printed = capsys.readouterr()
    assert "holds (recorded: false as stated)" in printed.out
    assert "CHANGED: Theorem 4.3 (1): c(T′) < c(T)" in printed.err


def test_size_and_seed_reach_the_checks(capsys):
    seen = []

    def remember(size, seed):
        seen.append((size, seed))
        return ()

    assert main([], checks=(remember,)) == 0
    assert main(["--size", "large", "--seed", "7"], checks=(remember,)) == 0
    assert seen == [("default", 0), ("large", 7)]
    assert "0 statements" in capsys.readouterr().out


def test_an_unknown_size_is_refused(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["--size", "huge"], checks=())
    assert stopped.value.code == 2
    assert "small" in capsys.readouterr().err


def test_lines_are_no_wider_than_a_terminal_and_long_cases_are_shortened():
    verdict = Verdict("s" * 50, "source", HOLDS, FALSE, 10**6, 0, "word " * 500, "a note " * 40)
    lines = block(verdict)
    assert all(len(line) <= 130 for line in lines)
    assert "1,000,000" in lines[0]
    assert any(line.endswith("…") for line in lines)
    assert (margin(None), margin(0), margin(1e-16)) == ("–", "0", "1e-16")


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """The wheel, unpacked into an empty folder."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    wheel = build_wheel(tmp_path_factory.mktemp("wheel"))
    install = [*pip, "install", "--no-deps", "--no-index", "--target", str(folder), str(wheel)]
    subprocess.run(install, check=True, capture_output=True, text=True)
    return folder


def run(installed: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run Python where only the wheel's files are psirag."""
    environment = {**os.environ, "PYTHONPATH": str(installed), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def test_the_command_runs_from_a_wheel(installed, tmp_path):
    where = run(installed, "-c", "import psirag.theory as t; print(t.__file__)", cwd=tmp_path)
    assert where.stdout.strip() == str(installed / "psirag" / "theory" / "__init__.py")
    done = run(installed, "-m", "psirag.theory", "--size", "small", "--seed", "5", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "0 changed" in done.stdout
    assert done.stderr == ""


def test_a_changed_record_is_exit_1(installed, tmp_path):
    """The seam from outside: record another verdict in the installed copy, and the command fails."""
    module = installed / "psirag" / "theory" / "similarity_ranking.py"
    text = module.read_text()
    assert text.count("source, FALSE,") == 1
    module.write_text(text.replace("source, FALSE,", "source, HOLDS,"))
    try:
        done = run(installed, "-m", "psirag.theory", "--size", "small", cwd=tmp_path)
    finally:
        module.write_text(text)
    assert done.returncode == 1
    assert "CHANGED: Algorithm 1: ranks 1 to n − 1 suffice" in done.stderr

"""Importing psirag does nothing and is light."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
HEAVY = """
    torch transformers sentence_transformers umap numba plotly ipywidgets sklearn faiss bm25s pandas networkx
    jupyterlab IPython matplotlib nltk sympy
""".split()

LOOK = f"""
import json, logging, sys, threading, warnings
import numpy, scipy.sparse  # which set filters of their own
filters, threads, handlers = list(warnings.filters), threading.active_count(), list(logging.getLogger().handlers)
import psirag
print(json.dumps({{
    "heavy": [name for name in {HEAVY!r} if name in sys.modules],
    "filters": warnings.filters != filters,
    "threads": threading.active_count() - threads,
    "handlers": len(logging.getLogger().handlers) - len(handlers),
    "names": len(psirag.__all__),
}}))
"""


def run_python(code: str, folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code in a Python of its own that knows no home, writes no bytecode and stands in the folder."""
    kept = {key: value for key, value in os.environ.items() if key not in {"HOME", "XDG_CACHE_HOME", "PYTHONPATH"}}
    return subprocess.run(
        [sys.executable, *arguments, "-c", code],
        cwd=folder,
        env={**kept, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_import_is_light_silent_and_leaves_no_trace(tmp_path):
    home = tmp_path / "home"
    here = tmp_path / "here"
    home.mkdir()
    here.mkdir(mode=0o555)
    done = run_python(LOOK, here, "-W", "error", XDG_CACHE_HOME=str(home))
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert done.stderr == ""
    assert seen.pop("names") > 0
    assert seen == {"heavy": [], "filters": False, "threads": 0, "handlers": 0}
    assert list(home.iterdir()) == list(here.iterdir()) == []


def test_import_needs_none_of_the_extras(tmp_path):
    blocked = f"import sys; sys.modules.update(dict.fromkeys({HEAVY!r}))\nimport psirag"
    done = run_python(blocked, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_import_opens_no_socket(tmp_path):
    code = """
import sys
def refuse(event, arguments):
    if event.startswith(("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn")):
        raise SystemExit(f"import psirag did {event}")
sys.addaudithook(refuse)
import psirag
"""
    done = run_python(code, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_import_works_in_a_spawned_process_without_main_guard(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import psirag\nprint(psirag.__name__)\n")
    code = f"""
import multiprocessing, runpy
process = multiprocessing.get_context("spawn").Process(target=runpy.run_path, args=({str(script)!r},))
process.start()
process.join(50)
raise SystemExit(process.exitcode)
"""
    done = run_python(code, tmp_path)
    assert (done.returncode, done.stdout.strip()) == (0, "psirag"), done.stderr


@pytest.mark.parametrize("module", ["psirag.theory", "psirag.data"])
def test_mapped_packages_are_found_from_anywhere(module, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", f"import {module} as m; print(m.__name__)"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, module), f"is psirag installed (make install)? {done.stderr}"

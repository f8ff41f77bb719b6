"""Run every notebook here, headless, from top to bottom, into build/: an executed copy and an offline page each.

Usage: python notebooks/run.py [--commit] [--jobs 2] [NOTEBOOK ...]    (from any folder)
"""

from __future__ import annotations

import argparse
import asyncio
import html
import os
import re
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import nbformat
from export_html import FIGURE, addresses_in, export_html, freeze_widgets
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, CellTimeoutError

FOLDER = Path(__file__).resolve().parent
BUILD = FOLDER.parent / "build"
SECONDS_A_CELL, SECONDS_A_NOTEBOOK = 180, 600
KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
KERNEL_ENVIRONMENT = {
    "OMP_WAIT_POLICY": "PASSIVE",  # two kernels share the processors: idle threads must not spin
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TQDM_DISABLE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "PLOTLY_RENDERER": "plotly_mimetype",
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
}


@dataclass(frozen=True)
class Outcome:
    """How one notebook ended: its executed copy, the seconds it took, and why it failed (empty when it passed)."""

    path: Path
    notebook: nbformat.NotebookNode
    seconds: float
    failure: str


class ThisInterpreter(KernelSpecManager):
    """Every kernel is the Python that runs this file, whatever kernels the machine has."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        """The one kernel."""
        command = [sys.executable, "-Xfrozen_modules=off", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=command, language="python", display_name=kernel_name)


async def run_notebook(path: Path) -> Outcome:
    """Run one notebook in a kernel of its own, in its own folder; keep what it put out, also when it fails."""
    start = time.monotonic()
    notebook, failure = nbformat.v4.new_notebook(), ""
    # Sockets need an absolute path (the kernel has another working folder) of at most about 100 characters.
    with tempfile.TemporaryDirectory(prefix="k", dir="/tmp" if os.path.isdir("/tmp") else None) as scratch:  # noqa: PTH112
        sockets = {} if os.name == "nt" else {"transport": "ipc", "ip": f"{scratch}/k"}
        manager = AsyncKernelManager(
            kernel_spec_manager=ThisInterpreter(), kernel_name="python3", connection_file=f"{scratch}/k.json", **sockets
        )
        environment = {**KERNEL_ENVIRONMENT, **os.environ, "IPYTHONDIR": scratch}
        try:
            notebook = without_outputs(nbformat.read(path, as_version=4))
            client = NotebookClient(
                notebook,
                km=manager,
                timeout=SECONDS_A_CELL,
                startup_timeout=120,
                resources={"metadata": {"path": str(path.parent)}},
                record_timing=False,
                coalesce_streams=True,
            )
            await asyncio.wait_for(client.async_execute(env=environment), SECONDS_A_NOTEBOOK)
        except (CellControlSignal, RuntimeError, OSError, ValueError) as error:  # TimeoutError is an OSError
            failure = _reason(error, notebook, time.monotonic() - start)
        finally:
            if manager.has_kernel:
                await manager.shutdown_kernel(now=True)
    return Outcome(path, tidy(freeze_widgets(notebook)), time.monotonic() - start, failure)


def _reason(error: Exception, notebook: nbformat.NotebookNode, seconds: float) -> str:
    """Why a notebook failed, in one line that names the cell where one is at fault."""
    if isinstance(error, CellTimeoutError):
        return f"a cell took more than {SECONDS_A_CELL} s"
    if seconds >= SECONDS_A_NOTEBOOK:
        return f"took more than {SECONDS_A_NOTEBOOK} s"
    lines = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).strip().splitlines() or [type(error).__name__]
    for number, cell in enumerate(notebook.cells, start=1):
        if any(output.output_type == "error" for output in cell.get("outputs", ())):
            return f"cell {number}: {lines[-1].strip()}"
    return lines[-1].strip()


def without_outputs(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Forget what an earlier run put out, so that a cell that is not reached shows nothing."""
    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return notebook


def tidy(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Leave only what a reader needs: fixed cell ids, one kernel name, no times, no pictures that a browser added."""
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNELSPEC, "language_info": {"name": "python"}})
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number:02d}"
        tags = cell.metadata.get("tags", [])
        folded = {"jupyter": {"source_hidden": True}} if "setup" in tags else {}
        cell.metadata = nbformat.from_dict(({"tags": tags} if tags else {}) | folded)
        for output in cell.get("outputs", ()):
            output.pop("metadata", None) if output.output_type == "stream" else output.update(metadata={})
            if FIGURE in output.get("data", {}):
                output.data.pop("image/png", None)
    return notebook


def without_heavy_figures(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Leave figures of cells tagged "heavy" as SVG alone: live when run and in the pages, light in the repository."""
    for cell in notebook.cells:
        if "heavy" in cell.metadata.get("tags", ()):
            for output in cell.get("outputs", ()):
                output.get("data", {}).pop(FIGURE, None)
    return notebook


def write(outcome: Outcome) -> Outcome:
    """Write the executed copy and the page; a page that would fetch anything, or lost a figure, is a failure."""
    nbformat.write(outcome.notebook, BUILD / outcome.path.name)
    page = export_html(outcome.notebook, outcome.path.stem)
    (BUILD / f"{outcome.path.stem}.html").write_text(page, encoding="utf-8")
    figures = sum(
        FIGURE in output.get("data", {}) for cell in outcome.notebook.cells for output in cell.get("outputs", ())
    )
    failure = outcome.failure
    if addresses := addresses_in(page):
        failure = failure or f"the page would fetch {', '.join(addresses[:3])}"
    if (drawn := page.count('class="psirag-figure"')) != figures:
        failure = failure or f"the page has {drawn} of {figures} figures"
    return Outcome(outcome.path, outcome.notebook, outcome.seconds, failure)


def write_index(outcomes: list[Outcome]) -> None:
    """The page that lists the pages."""
    rows = []
    for outcome in outcomes:
        text = "\n".join(cell.source for cell in outcome.notebook.cells if cell.cell_type == "markdown")
        title = match.group(1) if (match := re.search(r"(?m)^# (.+)$", text)) else outcome.path.stem
        mark = f" <b>failed:</b> {html.escape(outcome.failure)}" if outcome.failure else ""
        rows.append(
            f'<li><a href="{outcome.path.stem}.html">{html.escape(title)}</a> ({outcome.seconds:.0f} s){mark}</li>'
        )
    style = "body{font:16px/1.6 system-ui;margin:3em auto;max-width:44em}"
    head = f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>psirag notebooks</title><style>{style}</style>'
    (BUILD / "index.html").write_text(
        f"{head}<h1>psirag notebooks</h1><ol start=0>{''.join(rows)}</ol></html>", encoding="utf-8"
    )


async def run_all(paths: list[Path], jobs: int) -> list[Outcome]:
    """Run the notebooks, so many at a time, and print a line as each one ends."""
    places = asyncio.Semaphore(jobs)
    width = max(len(path.name) for path in paths)

    async def one(path: Path) -> Outcome:
        async with places:
            outcome = write(await run_notebook(path))
        verdict = f"FAILED  {outcome.failure}" if outcome.failure else "passed"
        print(f"{path.name:{width}}  {outcome.seconds:6.1f} s  {verdict}", flush=True)
        return outcome

    return list(await asyncio.gather(*map(one, paths)))


def files_beside(paths: list[Path]) -> set[Path]:
    """What lies in the folders of the notebooks."""
    return {
        file for folder in {path.parent for path in paths} for file in folder.iterdir() if file.name != "__pycache__"
    }


def main() -> int:
    """Run what the command line names, or every notebook beside this file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("notebooks", nargs="*", type=Path, help="default: every notebook beside this file")
    parser.add_argument("--commit", action="store_true", help="also renew the outputs of the notebooks themselves")
    parser.add_argument("--jobs", type=int, default=2, help="notebooks at a time (default: 2)")
    options = parser.parse_args()
    paths = [path.resolve() for path in options.notebooks] or sorted(FOLDER.glob("*.ipynb"))
    if not paths:
        print(f"no notebook in {FOLDER}")
        return 1
    BUILD.mkdir(exist_ok=True)
    start, before = time.monotonic(), files_beside(paths)
    outcomes = asyncio.run(run_all(paths, options.jobs))
    write_index(outcomes)
    if left := sorted(map(str, files_beside(paths) - before)):
        print(f"FAILED  a notebook left {', '.join(left)}: it should write to a temporary folder")
        return 1
    failed = [outcome for outcome in outcomes if outcome.failure]
    if options.commit:
        for outcome in outcomes:
            if not outcome.failure:
                nbformat.write(without_heavy_figures(outcome.notebook), outcome.path)
    counts = f"{len(failed)} failed, {len(paths) - len(failed)} passed" if failed else f"{len(paths)} passed"
    print(f"==== {counts} in {time.monotonic() - start:.1f}s ==== {BUILD / 'index.html'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

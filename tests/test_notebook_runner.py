"""The notebook runner and the offline pages, on small notebooks: what passes, what fails, and what a page shows."""

from __future__ import annotations

import asyncio
import os
import re

import export_html
import nbformat
import pytest
import run
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tests.browser import open_lab, open_page

WIDGETS = """
import ipywidgets, numpy as np, plotly.graph_objects as go
rng = np.random.default_rng(0)
figure = go.FigureWidget(go.Scatter(x=rng.normal(size=50), y=rng.normal(size=50), mode="markers"))
beam = ipywidgets.IntSlider(value=10, min=1, max=50, description="beam", continuous_update=False)
def shorten(change):
    with figure.batch_update():
        figure.data[0].x, figure.data[0].y = np.arange(change["new"]), np.arange(change["new"])
beam.observe(shorten, "value")
ipywidgets.VBox([beam, figure, ipywidgets.HTML("<b>a line</b>")])
"""
PLAIN = """
import plotly.graph_objects as go
go.Figure(go.Scatter(x=[1, 2, 3], y=[1, 2, 3], mode="markers"))
"""


@pytest.fixture
def build(tmp_path, monkeypatch):
    """A build folder of the test's own."""
    monkeypatch.setattr(run, "BUILD", tmp_path / "build")
    run.BUILD.mkdir()
    return run.BUILD


@pytest.fixture
def notebook(tmp_path):
    """Write a notebook of these cells; text that starts with # is Markdown."""

    def make(*cells, name="a.ipynb"):
        made = [new_markdown_cell(text) if text.startswith("# ") else new_code_cell(text) for text in cells]
        nbformat.write(new_notebook(cells=made, metadata={"kernelspec": run.KERNELSPEC}), tmp_path / name)
        return tmp_path / name

    return make


def run_one(path):
    return asyncio.run(run.run_notebook(path))


def test_notebook_runs_in_its_own_folder_with_this_python(notebook, tmp_path):
    outcome = run_one(notebook("import os, sys", "print(os.getcwd(), sys.executable, os.environ['OMP_WAIT_POLICY'])"))
    assert outcome.failure == ""
    shown = outcome.notebook.cells[1].outputs[0].text.split()
    assert shown == [str(tmp_path), run.sys.executable, os.environ.get("OMP_WAIT_POLICY", "PASSIVE")]


def test_failure_names_the_cell_and_keeps_the_outputs(notebook, build):
    outcome = run.write(run_one(notebook("1", "print('kept'); raise ValueError('wanted three')", "2")))
    assert outcome.failure == "cell 2: ValueError: wanted three"
    kept = nbformat.read(build / "a.ipynb", as_version=4)
    assert [output.output_type for output in kept.cells[1].outputs] == ["stream", "error"]
    assert "wanted three" in (build / "a.html").read_text(encoding="utf-8")


def test_cells_that_are_not_reached_show_nothing(notebook):
    path = notebook("1 / 0", "2")
    kept = nbformat.read(path, as_version=4)
    kept.cells[1].outputs, kept.cells[1].execution_count = [new_output("stream", name="stdout", text="old output")], 2
    nbformat.write(kept, path)
    cell = run_one(path).notebook.cells[1]
    assert (cell.outputs, cell.execution_count) == ([], None)


def test_dead_kernel_and_unreadable_file_are_failures(notebook, tmp_path):
    assert "died" in run_one(notebook("import os; os._exit(1)")).failure
    (tmp_path / "broken.ipynb").write_text("{")
    assert "JSON" in run_one(tmp_path / "broken.ipynb").failure


@pytest.mark.parametrize(("limit", "says"), [("SECONDS_A_CELL", "a cell took"), ("SECONDS_A_NOTEBOOK", "took more")])
def test_time_limits(limit, says, notebook, monkeypatch):
    monkeypatch.setattr(run, limit, 3)
    assert says in run_one(notebook("import time; time.sleep(60)")).failure


def test_exit_code_summary_and_index(notebook, build, monkeypatch, capsys):
    good, bad = notebook("# Good one", "1", name="good.ipynb"), notebook("1 / 0", name="bad.ipynb")
    before = good.read_text(), bad.read_text()
    monkeypatch.setattr(run.sys, "argv", ["run.py", str(good), str(bad)])
    assert run.main() == 1
    assert "==== 1 failed, 1 passed in" in capsys.readouterr().out
    assert "Good one" in (build / "index.html").read_text(encoding="utf-8")
    assert (good.read_text(), bad.read_text()) == before
    monkeypatch.setattr(run.sys, "argv", ["run.py", "--commit", str(good), str(bad)])
    assert run.main() == 1
    assert good.read_text() != before[0]
    assert bad.read_text() == before[1]


def test_a_notebook_that_left_a_file_beside_itself_fails(notebook, build, monkeypatch, capsys):
    path = notebook("open('left.txt', 'w').close()")
    monkeypatch.setattr(run.sys, "argv", ["run.py", str(path)])
    assert run.main() == 1
    assert "left.txt" in capsys.readouterr().out


def test_commit_twice_gives_the_same_bytes(notebook, build, monkeypatch):
    path = notebook("# A", "x = 1\nx", WIDGETS)
    monkeypatch.setattr(run.sys, "argv", ["run.py", "--commit", str(path)])
    assert run.main() == 0
    first = path.read_bytes()
    assert run.main() == 0
    assert path.read_bytes() == first
    assert len(first) < 50_000


def test_widgets_become_what_they_show(notebook):
    frozen = run_one(notebook(WIDGETS)).notebook
    kinds = [sorted(output.data) for output in frozen.cells[0].outputs]
    assert kinds == [["text/html", "text/plain"], [export_html.FIGURE, "text/plain"], ["text/html", "text/plain"]]
    assert frozen.cells[0].outputs[0].data["text/html"] == "beam <b>10</b>"
    assert "widgets" not in frozen.metadata


def test_progress_bars_leave_nothing(notebook):
    frozen = run_one(notebook("from tqdm.auto import tqdm\nfor _ in tqdm(range(3)): pass")).notebook
    assert frozen.cells[0].outputs == []


def page_of(*cells) -> str:
    return export_html.export_html(new_notebook(cells=list(cells)), "title")


def test_formulas_become_mathml():
    page = page_of(
        new_markdown_cell("Inline $a_1$.\n\n$$\\sum_i x_i$$\n\n\\begin{aligned}a &= b\\\\c &= d\\end{aligned}")
    )
    assert len(re.findall(r"<math ", page)) == 3
    assert "<mtable" in page
    assert "$" not in page[page.index("<body") :]


def test_formula_that_cannot_be_converted_stays_readable():
    assert export_html.mathml(r"\foo{") == r"<code>\foo{</code>"


def test_page_reaches_for_nothing_and_holds_plotly_once():
    figure = {"data": [{"y": [1, 2]}], "layout": {"title": {"text": "</script>"}}}
    outputs = [new_output("display_data", {export_html.FIGURE: figure}) for _ in range(2)]
    page = page_of(new_code_cell("f", outputs=outputs))
    assert export_html.addresses_in(page) == []
    assert page.count('class="psirag-figure"') == 2
    assert page.count("plotly.js v") == 1


FETCHING = [
    '<script src="https://a.b/c.js"></script>',
    "<img src='//a.b/c.png'>",
    '<link rel="x" href="http://a.b">',
    "<style>@import 'https://a.b/c.css'</style>",
    "<style>p{background:url(https://a.b/c.png)}</style>",
]


@pytest.mark.parametrize("markup", FETCHING)
def test_addresses_are_found(markup):
    assert len(export_html.addresses_in(markup)) == 1


def test_links_to_click_and_text_in_scripts_are_no_addresses():
    assert export_html.addresses_in('<a href="https://a.b">x</a><script>"<img src=\'https://a.b\'>"</script>') == []


@pytest.mark.browser
def test_page_shows_live_figures_offline(notebook, build, tmp_path):
    run.write(run_one(notebook("# Title $x^2$", PLAIN, WIDGETS)))
    with open_page(build / "a.html", tmp_path / "profile") as browsed:
        browsed.page.wait_for_function("document.querySelectorAll('.point').length === 53")
        assert (browsed.figures(), browsed.points()) == (2, 53)
        assert browsed.page.locator("math").count() == 1
        assert (browsed.fetched, browsed.complaints) == ([], [])


@pytest.mark.browser
def test_lab_runs_a_notebook_with_live_widgets(notebook, tmp_path):
    with open_lab(notebook(PLAIN, WIDGETS), tmp_path / "lab") as browsed:
        page = browsed.page
        page.wait_for_function("document.querySelectorAll('.point').length === 53")
        readout = page.locator(".widget-readout").first
        readout.click()
        page.keyboard.press("Control+A")
        page.keyboard.type("7")
        page.keyboard.press("Enter")
        page.wait_for_function("document.querySelectorAll('.point').length === 10")
        assert (browsed.fetched, browsed.complaints) == ([], [])


def test_a_heavy_figure_is_committed_as_svg_alone():
    data = {"application/vnd.plotly.v1+json": {}, "image/svg+xml": "<svg/>"}
    cells = [
        new_code_cell("f", metadata={"tags": tags}, outputs=[new_output("display_data", dict(data))])
        for tags in (["heavy"], [])
    ]
    notebook = run.without_heavy_figures(new_notebook(cells=cells))
    assert [len(cell.outputs[0].data) for cell in notebook.cells] == [1, 2]

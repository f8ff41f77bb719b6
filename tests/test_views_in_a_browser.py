"""The views in a real Chromium without network: FR-099, FR-102, FR-104, FR-107."""

from __future__ import annotations

import json
from pathlib import Path

import export_html
import nbformat
import numpy as np
import pytest

from psirag import Agent, Index
from psirag.corpus import Document
from psirag.evaluation import SearchSystem, evaluate
from psirag.tree.abstract_tree import AbstractTree
from psirag.tree.merging import merge_steps
from psirag.variants import NavTree, RitRag
from psirag.views import (
    circular_descent,
    circular_tree,
    contents,
    curves,
    descent,
    embedding_map,
    explore_agent,
    explore_tree,
    forest,
    forest_after,
    intervals,
    merge_animation,
    segment_tree,
)
from tests.browser import open_lab, open_page
from tests.hashing_encoder import HashingEncoder

HOSTILE = "<img src=x onerror=alert(1)> <b>x</b> %{x} a<br>b $5 $6 "
VECTORS = np.random.default_rng(4).normal(size=(9, 6))

pytestmark = pytest.mark.browser


def page_of(figure: object, folder: Path) -> Path:
    """Write a figure as a page that holds everything."""
    path = folder / "figure.html"
    figure.write_html(path, include_plotlyjs=True, auto_play=False)  # type: ignore[attr-defined]
    return path


def test_hostile_text_is_shown_as_written(tmp_path: Path) -> None:
    figure = embedding_map(VECTORS, texts=[HOSTILE + "word " * 2_000] * 9, title=HOSTILE)
    with open_page(page_of(figure, tmp_path), tmp_path / "profile") as browsed:
        browsed.page.wait_for_function("document.querySelectorAll('.point').length === 9")
        box = browsed.page.locator(".point").first.bounding_box()
        assert box is not None
        browsed.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        browsed.page.wait_for_selector(".hovertext")
        shown = browsed.page.locator(".hovertext").first.text_content() or ""
        assert shown.startswith("chunk ")
        assert "<img src=x onerror=alert(1)> <b>x</b> %{x} a<br>b $5" in shown
        assert shown.endswith("…")
        assert browsed.page.locator("img").count() == 0
        assert (browsed.fetched, browsed.complaints) == ([], [])


ACTS = "<img src=x onerror=alert(1)><svg onload=alert(2)></script><script>alert(3)</script><!--<script> "
SHOWN = "<img src=x onerror=alert(1)><svg onload=alert(2)>"


def every_view() -> list[object]:
    """One of each figure, with words that would act in all places that take words."""
    texts = [f"# {ACTS}\n\n## {ACTS}{i}\n\n{ACTS} moth number{i}. Owls." for i in range(9)]
    documents = [Document(i, text, ACTS) for i, text in enumerate(texts)]
    index = Index.build(documents, encoder=HashingEncoder(name=ACTS), max_tokens=20)
    found, nav = index.retrieve(f"moth {ACTS}", 3), NavTree(index, anchors=3)
    rit = RitRag.build(texts, encoder=HashingEncoder())
    lines = {ACTS: [[1.0, 2.0], [2.0, 3.0]]}
    return [
        circular_tree(index, labels=[ACTS] * len(index.chunks), classes=[ACTS] * len(index.chunks), title=ACTS),
        embedding_map(index, classes=[ACTS] * len(index.chunks), query=f"moth {ACTS}", title=ACTS),
        descent(found, index),
        circular_descent(found, index),
        segment_tree(nav.retrieve(f"moth {ACTS}"), nav),
        contents(rit.ask(f"What is moth {ACTS}?"), title=ACTS),
        merge_animation(merge_steps(VECTORS), 9, [ACTS] * 9, title=ACTS),
        forest(forest_after(merge_steps(VECTORS), 9), 9, texts=[ACTS] * 9, title=ACTS),
        curves(lines, x_title=ACTS, y_title=ACTS, title=ACTS),
        intervals({ACTS: [0.5, 0.4, 0.6]}, x_title=ACTS, title=ACTS),
    ]


def cells_of(figures: list[object]) -> list[nbformat.NotebookNode]:
    """What a notebook keeps of figures, panels, tables, answers and errors."""
    index = Index.build([f"{ACTS} moth", "owl"], encoder=HashingEncoder())
    answer = Agent(index, "rules").ask(f"Who flies? {ACTS}")
    panel = explore_agent(index, "rules")
    panel.ask(f"Who flies? {ACTS}")
    table = evaluate(SearchSystem(ACTS, index), [f"Who flies? {ACTS}"], ask=False, k=[1]).table()
    pages = [panel.static_html(), explore_tree(index).static_html(), table._repr_html_()]
    data = [{export_html.FIGURE: json.loads(figure.to_json())} for figure in figures]  # type: ignore[attr-defined]
    data += [{export_html.FIGURE: {"data": [{"y": [1, 2]}], "layout": {"title": {"text": ACTS}}}}]  # not one of ours
    data += [{"text/html": figure.svg} for figure in figures]  # type: ignore[attr-defined]
    data += [{"image/svg+xml": figures[0].svg}, {"text/plain": repr(answer)}, {"text/markdown": answer.to_markdown()}]  # type: ignore[attr-defined]
    data += [{"text/html": page} for page in pages]
    outputs = [nbformat.v4.new_output("display_data", each) for each in data]
    outputs.append(nbformat.v4.new_output("stream", name="stdout", text=ACTS))
    outputs.append(nbformat.v4.new_output("error", ename=ACTS, evalue=ACTS, traceback=[f"\x1b[31m{ACTS}\x1b[0m"]))
    return [nbformat.v4.new_code_cell(ACTS, outputs=outputs)]


def test_nothing_acts_in_any_view_panel_or_page(tmp_path: Path) -> None:
    figures = every_view()
    notebook = nbformat.v4.new_notebook(cells=cells_of(figures))
    page = export_html.export_html(notebook, ACTS)
    assert export_html.addresses_in(page) == []
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    told: list[str] = []
    with open_page(tmp_path / "page.html", tmp_path / "profile") as browsed:
        browsed.page.on("dialog", lambda dialog: (told.append(dialog.message), dialog.dismiss()))
        browsed.page.reload(wait_until="load")
        browsed.page.wait_for_function(
            f"document.querySelectorAll('.js-plotly-plot .main-svg').length > {len(figures)}"
        )
        assert browsed.figures() == len(figures) + 1
        assert told == []
        assert browsed.page.locator("[onerror], [onload], img[src=x]").count() == 0
        assert SHOWN in (browsed.page.locator("body").text_content() or "")
        assert (browsed.fetched, browsed.complaints) == ([], [])


def test_the_slider_moves_through_the_steps(tmp_path: Path) -> None:
    figure = merge_animation(merge_steps(VECTORS), 9)
    with open_page(page_of(figure, tmp_path), tmp_path / "profile") as browsed:
        page = browsed.page
        rail = page.locator(".slider-rail-touch-rect").bounding_box()
        assert rail is not None
        page.mouse.click(rail["x"] + rail["width"] - 12, rail["y"] + rail["height"] / 2)
        page.wait_for_function("document.querySelector('.gtitle').textContent.startsWith('step 8 of 8')")
        page.mouse.click(rail["x"] + 12, rail["y"] + rail["height"] / 2)
        page.wait_for_function("document.querySelector('.gtitle').textContent.startsWith('before step 1')")
        assert browsed.points() == 9
        assert browsed.complaints == []


@pytest.mark.parametrize("width", [1_000, 420])
def test_labels_and_legend_stay_inside_and_apart(tmp_path: Path, width: int) -> None:
    tree = AbstractTree.from_parents([12] * 4 + [13] * 4 + [14] * 4 + [15, 15, 15, -1], n_leaves=12)
    figure = circular_tree(tree, labels=["Olympic Games 2012"] * 12, classes=list("aaaaaaaaaaab"), minor="b")
    with open_page(page_of(figure, tmp_path), tmp_path / "profile") as browsed:
        browsed.page.set_viewport_size({"width": width, "height": 700})
        browsed.page.wait_for_function(f"document.querySelector('.main-svg').getBoundingClientRect().width <= {width}")
        browsed.page.wait_for_timeout(300)
        script = "name => [...document.querySelectorAll(name)].map(e => e.getBoundingClientRect().toJSON())"
        labels = browsed.page.evaluate(script, ".annotation-text")
        legend = browsed.page.evaluate(script, ".legend .bg")[0]
        assert len(labels) == 12
        assert min(label["left"] for label in labels) >= 0
        assert max(label["right"] for label in labels) <= width
        assert max(label["bottom"] for label in labels) <= legend["top"] + 2
        assert not any(_overlap(a, b) for i, a in enumerate(labels) for b in labels[:i])


def _overlap(a: dict[str, float], b: dict[str, float]) -> bool:
    """Tell whether two boxes share more than a pixel."""
    wide = min(a["right"], b["right"]) - max(a["left"], b["left"])
    high = min(a["bottom"], b["bottom"]) - max(a["top"], b["top"])
    return wide > 1 and high > 1


@pytest.mark.slow
def test_a_lasso_in_jupyterlab_reaches_python(tmp_path: Path) -> None:
    notebook = nbformat.v4.new_notebook()
    code = "from psirag.views import explore_map\nview = explore_map([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])\nview"
    notebook.cells = [nbformat.v4.new_code_cell(code)]
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    path = tmp_path / "lasso.ipynb"
    nbformat.write(notebook, path)
    with open_lab(path, tmp_path / "lab") as browsed:
        page = browsed.page
        page.wait_for_function("document.querySelectorAll('.point').length === 3")
        area = page.locator(".nsewdrag").first.bounding_box()
        assert area is not None
        left, top = area["x"] + 4, area["y"] + 4
        right, bottom = left + area["width"] - 8, top + area["height"] - 8
        page.mouse.move(left, top)
        page.mouse.down()
        for x, y in ((right, top), (right, bottom), (left, bottom), (left, top + 3)):
            page.mouse.move(x, y, steps=5)
        page.mouse.up()
        page.wait_for_timeout(1_500)
        said = page.evaluate(
            """async () => {
              const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
              let said = '';
              const asked = kernel.requestExecute({code: 'print(view.selection)'});
              asked.onIOPub = message => { if (message.content.text) said += message.content.text; };
              await asked.done;
              return said;
            }"""
        )
        assert said.strip() == "[0, 1, 2]"
        assert browsed.fetched == []

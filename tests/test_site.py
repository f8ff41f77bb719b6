"""The site of the executed notebooks: every page there, nothing fetched, figures alive."""

from __future__ import annotations

import re
from pathlib import Path

import export_html
import nbformat
import pytest
import write_site

from tests.browser import open_page

NOTEBOOKS = write_site.FOLDER
NAMES = sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb"))


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The site of the notebooks as they are committed."""
    place = tmp_path_factory.mktemp("site") / "site"
    assert not any(write_site.write_site(NOTEBOOKS, place).values())
    return place


def test_readme_describes_every_notebook():
    assert sorted(write_site.descriptions()) == NAMES


def test_every_page_is_reached_and_every_link_leads_somewhere(site):
    for page in site.glob("*.html"):
        linked = re.findall(r'(?:href|src)="([\w.]+\.(?:html|js|svg))"', page.read_text(encoding="utf-8"))
        assert linked
        assert all((site / name).is_file() for name in linked)
    front = (site / "index.html").read_text(encoding="utf-8")
    assert [name for name in NAMES if f'href="{name}.html"' not in front] == []


def test_the_setup_cell_is_not_shown(site):
    assert not any("PSIRAG_SOURCE" in page.read_text(encoding="utf-8") for page in site.glob("*.html"))


@pytest.mark.browser
def test_figures_are_alive_without_a_network(site, tmp_path):
    name = "05_dasgupta_cost"
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    figures = sum(export_html.FIGURE in output.get("data", {}) for output in outputs)
    with open_page(site / f"{name}.html", tmp_path) as browsed:
        browsed.page.wait_for_selector(".js-plotly-plot .main-svg")
        assert browsed.figures() == figures > 0
        assert browsed.fetched == browsed.complaints == []

"""Notebook 09 in a real JupyterLab with a live kernel and SmolLM2: FR-110, FR-111, FR-115."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tests.browser import open_lab

NOTEBOOK = Path(__file__).resolve().parent.parent / "notebooks" / "09_agent.ipynb"
QUESTION = "How many panes of glass does the pyramid at the Louvre have?"
SECONDS_TO_STOP = 2.0
IN_KERNEL = """async code => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  let said = '';
  const asked = kernel.requestExecute({code});
  asked.onIOPub = message => { said += message.content.text || message.content.evalue || ''; };
  await asked.done;
  return said;
}"""
# The notebook's model, held back by 0.3 s a token: there is time to watch, and to press Stop before it ends.
SLOWLY = """
import time
class Slowly:
    name, on_text = "smollm2, slowly", None
    def decide(self, state, *, may_retrieve):
        likelihood.on_text = lambda piece: time.sleep(0.3) or (self.on_text and self.on_text(piece))
        try:
            return likelihood.decide(state, may_retrieve=may_retrieve)
        finally:
            likelihood.on_text = None
panel.offer(Slowly()); print("offered")
"""
BROKEN = """
class Broken:
    name = "broken"
    def decide(self, state, *, may_retrieve):
        raise RuntimeError("no memory left for <b>this</b> model\\nand a second line")
panel.offer(Broken()); print("offered")
"""

pytestmark = pytest.mark.browser


def wait_until(page: Any, says: str, seconds: float) -> None:
    """Wait until a JavaScript expression about `panel`, the agent's widgets, is true."""
    script = f"() => {{ const panel = document.querySelector('.psirag-live'); return {says}; }}"
    page.wait_for_function(script, timeout=1_000 * seconds, polling=30)


def words(page: Any) -> str:
    """The words of the model that are on the screen."""
    return " ".join(page.locator(".psirag-live .said.last").all_inner_texts())


def test_asking_watching_stopping_and_an_error_in_notebook_09(tmp_path: Path) -> None:
    with open_lab(NOTEBOOK, tmp_path / "lab", seconds_to_run=900) as browsed:
        page = browsed.page
        panel = page.locator(".psirag-live").first
        ask, stop = (panel.get_by_role("button", name=name, exact=True) for name in ("Ask", "Stop"))
        field, model = panel.get_by_label("Question"), panel.get_by_label("Model")
        panel.scroll_into_view_if_needed()
        assert page.locator(".psirag-static").count() == 2
        assert not page.locator(".psirag-static").first.is_visible()
        wait_until(page, "panel.querySelectorAll('.js-plotly-plot .point').length > 217", 60)
        picture(page, tmp_path, "answered", 1300)

        # Enter asks; hits come before words, words come one after the other.
        assert "offered" in page.evaluate(IN_KERNEL, SLOWLY)
        field.fill(QUESTION)
        field.press("Enter")
        wait_until(page, "panel.querySelector('.psirag-card.live li')", 60)
        lengths = []
        for _ in range(3):
            wait_until(
                page, f"(panel.querySelector('.said.last')?.innerText.length || 0) > {max(lengths, default=0)}", 90
            )
            lengths.append(len(words(page)))
        assert lengths == sorted(set(lengths))
        page.screenshot(path=tmp_path / "streaming_1300.png")

        # Stop frees the panel, and no word comes after it.
        assert ask.is_disabled()
        pressed = time.monotonic()
        stop.click()
        wait_until(page, "!panel.querySelector('button.mod-primary').disabled", 20)
        waited = time.monotonic() - pressed
        assert waited <= SECONDS_TO_STOP, f"the panel was free after {waited:.1f} s"
        assert panel.locator(".psirag-card.stopped").count() >= 1
        after = panel.inner_text()
        page.wait_for_timeout(2_500)
        assert panel.inner_text() == after
        assert words(page) == ""

        # What a model raises is shown as text, and the next question works.
        assert "offered" in page.evaluate(IN_KERNEL, BROKEN)
        ask.click()
        wait_until(page, "panel.querySelector('[role=alert]')", 60)
        shown = panel.locator("[role=alert]").inner_text()
        assert "RuntimeError" in shown
        assert "no memory left for <b>this</b> model" in shown
        panel.locator("[role=alert] summary").click()
        assert "Traceback" in panel.locator("[role=alert] .said").inner_text()
        assert ask.is_enabled()
        picture(page, tmp_path, "error", 1300)
        model.select_option("rules")
        ask.dblclick()
        wait_until(page, "panel.querySelector('.psirag-card.answered .big')", 60)
        assert panel.locator("[role=alert]").count() == 0
        assert panel.locator(".psirag-card.answered .big").inner_text() == "673"

        # A double click was one run; so were the two before and the one in the notebook.
        page.wait_for_timeout(1_000)
        assert panel.get_by_label("History").locator("option").count() == 4

        # What a page without a kernel will show is the last state, too.
        assert "673" in (page.locator(".psirag-static").first.text_content() or "")

        # Other queries at a step, by keyboard: Tab reaches the buttons, Space presses them.
        change = panel.get_by_role("button", name="Change the queries of step 1")
        change.focus()
        page.keyboard.press("Space")
        queries = panel.get_by_label("Queries, one a line").first
        queries.fill("glass pyramid in Paris")
        queries.press("Tab")
        page.keyboard.press("Space")
        wait_until(page, "panel.innerText.includes('queries changed by hand')", 60)

        # The transcript is inside its link, and nothing was fetched from anywhere.
        with page.expect_download() as download:
            panel.get_by_text("Save as Markdown").click()
        assert "glass pyramid in Paris" in Path(download.value.path()).read_text()
        picture(page, tmp_path, "changed", 1300)
        picture(page, tmp_path, "changed", 600)
        assert (browsed.fetched, browsed.complaints) == ([], [])


def picture(page: Any, folder: Path, name: str, width: int) -> None:
    """Keep a picture of the page at a width, for a person to look at."""
    page.set_viewport_size({"width": width, "height": 1_500})
    page.evaluate("document.querySelector('.psirag-live').scrollIntoView()")
    page.wait_for_timeout(400)
    page.screenshot(path=folder / f"{name}_{width}.png")
    page.set_viewport_size({"width": 1_300, "height": 1_700})

"""Executed notebook -> a page that needs no network: plotly.js inlined once, formulas as MathML, widgets frozen."""

from __future__ import annotations

import copy
import html
import json
import re
from collections.abc import Iterator
from typing import Any

import latex2mathml.exceptions
from latex2mathml.converter import convert as to_mathml
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode
from nbformat.v4 import new_output
from plotly.offline import get_plotlyjs

FIGURE = "application/vnd.plotly.v1+json"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"

LATEX_ERRORS: tuple[type[Exception], ...] = (
    *(error for error in vars(latex2mathml.exceptions).values() if isinstance(error, type)),
    IndexError,
    KeyError,
    ValueError,
)

MATHML_STYLE = """<style>
math { font-size: 1.08em } math[display=block] { margin: 0.8em 0 }
mtd[columnalign=left] { text-align: left } mtd[columnalign=right] { text-align: right }
</style>"""


# --- widgets ---


def freeze_widgets(notebook: NotebookNode) -> NotebookNode:
    """A copy without widget state; in the place of each widget are the figures, texts and outputs it last showed."""
    frozen = copy.deepcopy(notebook)
    state = frozen.metadata.pop("widgets", {}).get(WIDGET_STATE, {}).get("state", {})
    for cell in frozen.cells:
        if cell.cell_type == "code":
            cell.outputs = [plain for output in cell.outputs for plain in _without_widgets(output, state)]
    return frozen


def _without_widgets(output: NotebookNode, state: dict[str, Any]) -> Iterator[NotebookNode]:
    """The output itself, or what the widget in it showed."""
    view = output.get("data", {}).get(WIDGET_VIEW)
    if view is None:
        yield output
    else:
        yield from _shown(state, view["model_id"])


def _shown(state: dict[str, Any], model_id: str) -> Iterator[NotebookNode]:
    """What a widget and its children show, in order."""
    model = state.get(model_id)
    if model is None:
        return
    shown = model["state"]
    if "psirag-live" in shown.get("_dom_classes", ()):
        return  # a panel: its static form is the next output
    children = [child.removeprefix("IPY_MODEL_") for child in shown.get("children", ())]
    if any(state.get(child, {}).get("model_name") == "FloatProgressModel" for child in children):
        return  # a progress bar has nothing to say once it is done
    if "_widget_data" in shown:
        yield new_output("display_data", data={FIGURE: _figure_of(model), "text/plain": "plotly figure"})
    elif "outputs" in shown:
        for output in shown["outputs"]:
            yield from _without_widgets(NotebookNode(output), state)
    elif text := _text_of(shown):
        yield new_output("display_data", data={"text/html": text, "text/plain": re.sub(r"<[^>]*>", "", text)})
    for child in children:
        yield from _shown(state, child)


def _figure_of(model: dict[str, Any]) -> dict[str, Any]:
    """The figure of a FigureWidget: its arrays travel beside the state, and plotly.js wants them named ``bdata``."""
    shown = copy.deepcopy(model["state"])
    for buffer in model.get("buffers", ()):
        *path, last = buffer["path"]
        if path[:1] != ["_widget_data"]:  # updates under way, not the figure
            continue
        holder = shown
        for key in path:
            holder = holder[key]
        holder[last] = buffer["data"]
        if isinstance(holder, dict) and "dtype" in holder:
            shape = holder.pop("shape", ())
            holder["bdata"] = holder.pop(last)
            if len(shape) > 1:
                holder["shape"] = ", ".join(map(str, shape))
    for trace in shown["_widget_data"]:
        trace.pop("uid", None)  # drawn afresh in every run
    return {"data": shown["_widget_data"], "layout": shown["_widget_layout"], "config": shown.get("_config", {})}


def _text_of(shown: dict[str, Any]) -> str:
    """The text that a widget without a figure shows: HTML, a label, a button, or a setting with its value."""
    kind, value = shown.get("_model_name", ""), shown.get("value")
    label = html.escape(str(shown.get("description") or ""))
    if kind == "HTMLModel":
        return str(value)
    if kind == "LabelModel":
        return html.escape(str(value))
    if kind == "ButtonModel":
        return f"<kbd>{label}</kbd>"
    if "_options_labels" in shown and isinstance(shown.get("index"), int):
        value = shown["_options_labels"][shown["index"]]
    return f"{label} <b>{html.escape(str(value))}</b>" if label and value not in (None, "") else ""


# --- formulas ---


def mathml(formula: str, display: str = "inline") -> str:
    """A TeX formula as MathML, which browsers draw by themselves; as TeX where the converter does not know it."""
    source = re.sub(r"\\(begin|end)\{(aligned|equation|gathered)\*?\}", r"\\\1{align*}", formula.strip())
    try:
        return str(to_mathml(source, xmlns="", display=display)).replace(' xmlns=""', "")
    except LATEX_ERRORS:
        return f"<code>{html.escape(formula)}</code>"


class _MathRenderer(IPythonRenderer):
    """nbconvert's Markdown, with formulas as MathML."""

    def block_math(self, body: str) -> str:
        return mathml(body, "block")

    def inline_math(self, body: str) -> str:
        return mathml(body)

    def latex_environment(self, name: str, body: str) -> str:
        return mathml(f"\\begin{{{name}}}{body}\\end{{{name}}}", "block")


class OfflineExporter(HTMLExporter):
    """nbconvert's page without a single address in it."""

    def markdown2html(self, context: Any, source: str) -> str:  # noqa: ARG002
        """Markdown to HTML."""
        renderer = _MathRenderer(escape=False, embed_images=True, anchor_link_text=self.anchor_link_text)
        return MarkdownWithMath(renderer=renderer).render(source)

    # jinja looks for this mark on a filter that wants the context; the parent's method carries it.
    markdown2html.jinja_pass_arg = HTMLExporter.markdown2html.jinja_pass_arg  # type: ignore[attr-defined]


# --- the page ---


def inlined_plotly() -> str:
    """plotly.js as a script that a page brings along."""
    return f"<script>{get_plotlyjs()}</script>"


def export_html(notebook: NotebookNode, title: str, *, library: str | None = None) -> str:
    """The offline page of an executed notebook; `library` brings plotly.js, inlined when None."""
    page = freeze_widgets(notebook)
    page.cells = [cell for cell in page.cells if "setup" not in cell.metadata.get("tags", ())]
    library = inlined_plotly() if library is None else library
    figures = 0
    for cell in page.cells:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if FIGURE in data:
                figures += 1
                output["data"] = NotebookNode(
                    {"text/html": _figure_html(data[FIGURE], f"figure-{figures}", library if figures == 1 else "")}
                )
            elif "text/latex" in data:
                output["data"] = NotebookNode({"text/html": mathml(data["text/latex"].strip().strip("$"), "block")})
    no_address = dict.fromkeys(
        ["mathjax_url", "require_js_url", "jquery_url", "mermaid_js_url", "widget_renderer_url"], ""
    )
    body, _ = OfflineExporter(**no_address).from_notebook_node(page, {"metadata": {"name": title}})
    return str(body).replace("</head>", f"{MATHML_STYLE}</head>", 1)


def _figure_html(figure: dict[str, Any], name: str, library: str) -> str:
    """A figure drawn by plotly.js, which the first figure of a page brings along."""
    payload = json.dumps(figure).replace("<", "\\u003c")  # neither an end nor a comment that hides the end
    draw = (
        f'{{const f=JSON.parse(document.getElementById("{name}-data").textContent);'
        f'Plotly.newPlot("{name}",{{...f,config:{{responsive:true,...f.config}}}})}}'
    )
    return (
        f'{library}<div id="{name}" class="psirag-figure"></div>'
        f'<script type="application/json" id="{name}-data">{payload}</script><script>{draw}</script>'
    )


FETCHES = (
    r"""<(?!a\b)[^>]*?\b(?:src|href)\s*=\s*["']?((?:https?:)?//[^"'\s>]+)""",
    r"""@import\s+(?:url\()?["']?((?:https?:)?//[^"')\s]+)""",
    r"""\burl\(\s*["']?((?:https?:)?//[^"')\s]+)""",
)


def addresses_in(page: str) -> list[str]:
    """What a page would fetch by itself: not links to click, and not what only stands in a script's text."""
    markup = re.sub(r"(?s)(<script\b[^>]*>).*?</script>", r"\1</script>", page)
    return sorted({address for pattern in FETCHES for address in re.findall(pattern, markup)})

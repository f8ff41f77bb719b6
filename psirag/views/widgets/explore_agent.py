"""The agent's panel: ask, watch it retrieve and think, stop it, change its queries, keep what it did."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from psirag.checks import check_count, check_type
from psirag.index import Index
from psirag.readers import READERS, Reader, load_reader
from psirag.retrieval.trace import Retrieval
from psirag.transcript import Answer, Step
from psirag.views.circular_descent import draw_on_disc
from psirag.views.widgets import cards
from psirag.views.widgets.live_run import LiveRun, Moment, Work
from psirag.views.widgets.panel import Panel

_ONE_CLICK = 0.5  # seconds within which a second click on Ask, with nothing changed, belongs to the first


def explore_agent(
    index: Index,
    reader: str | Reader = "auto",
    *,
    question: str = "",
    k: int = 5,
    max_retrievals: int = 2,
    max_queries: int = 8,
    retrieve: Mapping[str, Any] | None = None,
) -> AgentPanel:
    """Drive the agent by hand: a panel for JupyterLab.

    Parameters
    ----------
    index : Index
        What is searched.
    reader : str or Reader
        The model that is chosen at first: a name for `load_reader`, or a reader. It is loaded when you ask.
    question : str
        Stands in the box at first.
    k, max_retrievals, max_queries : int
        The budget at first.
    retrieve : mapping, optional
        Settings of `index.retrieve`, as in `Agent`.

    Returns
    -------
    AgentPanel
        Show it as the last line of a cell. `.answer` is what is shown, `.history` every answer, `.ask(question)`
        asks from Python, `.offer(reader)` adds a reader of your own.

    Raises
    ------
    PsiragError
        ipywidgets is missing, or a budget is below 1. Everything later is shown in the panel.

    Warns
    -----
    PsiragWarning
        anywidget is missing: the picture does not move.

    Notes
    -----
    Source: ours, for Ψ-RAG §3.2, Algorithm 3.

    Examples
    --------
    >>> from psirag.index import Index
    >>> panel = explore_agent(Index.build("toy"))
    >>> panel.ask("Which planet orbits the Sun in 88 days?").text
    'Mercury'
    """
    check_type("explore_agent's index", index, Index, "Pass Index.build(corpus).")
    return AgentPanel(index, reader, question, (k, max_retrievals, max_queries), retrieve)


class AgentPanel(Panel):
    """The widgets of `explore_agent`; what they show is made by `cards`, what they run is a `LiveRun`.

    Source: ours.
    """

    def __init__(
        self, index: Index, reader: str | Reader, question: str, budget: tuple[int, int, int], retrieve: Any
    ) -> None:
        super().__init__("explore_agent")
        self.index, self.retrieve, self.history = index, retrieve, list[Answer]()
        self.answer: Answer | None = None
        self._problem: cards.Problem | None = None
        self._run: LiveRun | None = None
        self._asked: tuple[Any, float] = (None, 0.0)
        self._filling = False
        self._make_controls(reader, question, budget)
        self._make_display()

    def ask(self, question: str | None = None) -> Answer | None:
        """Ask from Python and wait; None when it went wrong, and the panel says how."""
        if question is not None:
            self._question.value = question
        run = self._new_run(None)
        try:
            run.run()
        finally:
            self._free()
        return run.moment.answer

    def offer(self, reader: Reader) -> AgentPanel:
        """Put a reader of your own into the list of models, and choose it."""
        self._model.options = [(str(reader.name), reader), *self._model.options]
        self._model.value = reader
        return self

    def last_state(self) -> str:
        """Return the last state as HTML, with the picture as SVG."""
        seen = self._seen.value
        drawn = ("", "") if seen is None else (seen.query, self._figure.static_html("The descent on the circular tree"))
        return cards.static_page(self.answer, self.index, drawn, self._problem)

    # --- what there is to press ---

    def _make_controls(self, reader: str | Reader, question: str, budget: tuple[int, int, int]) -> None:
        """Make question, buttons, model and budget."""
        w, wide = self.widgets, {"description_width": "initial"}
        self._question = w.Text(
            value=question, description="Question", placeholder="Ask about the corpus, then Enter",
            layout={"flex": "1 1 320px", "width": "auto", "min_width": "0"}, style={"description_width": "64px"},
        )  # fmt: skip
        self.on_enter(self._question, self._ask)
        self._ask_button = self.button("Ask", self._ask, tip="Ask (Enter in the question does it too)", style="primary")
        self._stop_button = self.button("Stop", self._stop, tip="Stop, and keep the steps so far", style="warning")
        self._retry_button = self.button("Retry", self._retry, tip="Ask the question shown below once more")
        offered = [("rules", "rules"), *((f"{name} ({it.gigabytes} GB)", name) for name, it in READERS.items())]
        chosen = [] if reader in ("auto", *dict(offered).values()) else [(getattr(reader, "name", reader), reader)]
        self._model = w.Dropdown(
            options=chosen + offered, value="rules" if reader == "auto" else reader, description="Model",
            style=wide, layout={"width": "auto"},
        )  # fmt: skip
        names = ("passages a query", "retrievals", "queries")
        self._budget = [
            w.BoundedIntText(
                value=check_count(name, value), min=1, max=99, description=name, style=wide, layout={"width": "auto"}
            )
            for name, value in zip(names, budget, strict=True)
        ]
        for field, room in zip(self._budget, ("170px", "130px", "120px"), strict=True):
            field.layout.width = room

    def _make_display(self) -> None:
        """Make the places for status, answer, steps, picture and history."""
        w = self.widgets
        self._status, self._outcome, self._live, self._said = (self.html() for _ in range(4))
        self._evidence, self._exports = self.html(), self.html()
        self._steps = w.VBox([], layout={"width": "auto", "min_width": "0"})
        self._seen = w.Dropdown(
            description="Descent of",
            layout={"width": "auto", "display": "none"},
            style={"description_width": "initial"},
        )
        self._seen.observe(lambda change: self._draw(change["new"]), "value")
        self._earlier = w.Dropdown(
            description="History", layout={"flex": "1 1 260px", "width": "auto", "min_width": "0"}
        )
        self._earlier.style.description_width = "64px"
        self._earlier.observe(lambda change: self._go_back_to(change["new"]), "value")
        row = {"flex_flow": "row wrap", "align_items": "center", "width": "auto"}
        self._kept = w.HBox([self._earlier, self._retry_button, self._exports], layout={**row, "display": "none"})
        left = w.VBox(
            [self._outcome, self._steps, self._live, self._said], layout={"flex": "1 1 420px", "min_width": "0"}
        )
        self._right = w.VBox(
            [self._seen, self._figure.box, self._evidence], layout={"flex": "1 1 360px", "min_width": "0"}
        )
        self.lay_out(
            w.HBox([self._question, self._ask_button, self._stop_button], layout=row),
            w.HBox([self._model, *self._budget], layout=row),
            self._kept,
            self._status,
            w.HBox([left, self._right], layout={**row, "align_items": "flex-start", "grid_gap": "8px 14px"}),
        )
        self._free()

    # --- what a press does ---

    def _ask(self) -> None:
        """Ask what stands in the box, once a double click."""
        told = (self._question.value, self._model.value, *(field.value for field in self._budget))
        if told == self._asked[0] and time.monotonic() - self._asked[1] < _ONE_CLICK:
            return
        self._start(None, told)

    def _retry(self) -> None:
        """Ask the question that is shown once more."""
        if self.answer is not None:
            self._question.value = self.answer.question
        self._start(None)

    def _go_on(self, step: int, queries: str) -> None:
        """Go back to a step with other queries, one a line."""
        if (answer := self.answer) is not None:
            self._question.value = answer.question
            lines = [line.strip() for line in queries.splitlines() if line.strip()]
            self._start(lambda agent, watch: agent.resume(answer, step, lines, watch=watch))

    def _start(self, work: Work | None, told: Any = None) -> None:
        """Start a run in the background, unless one is on its way."""
        if self._run is None or self._run.moment.over:
            before, self._asked = self._run, (told, time.monotonic())
            self._new_run(work).start(after=before)

    def _stop(self) -> None:
        """Stop the run."""
        if self._run is not None:
            self._run.stop()

    def _new_run(self, work: Work | None) -> LiveRun:
        """Clear the panel and make a run of the question and settings that stand in it."""
        question, chosen = self._question.value, self._model.value
        k, retrievals, queries = (field.value for field in self._budget)
        settings = {"k": k, "max_retrievals": retrievals, "max_queries": queries, "retrieve": self.retrieve}
        self._run = LiveRun(
            self.index,
            lambda: load_reader(chosen) if isinstance(chosen, str) else chosen,
            work or (lambda agent, watch: agent.ask(question, k, watch=watch)),
            self._show, question=question, settings=settings,
        )  # fmt: skip
        self._problem, self._steps.children = None, ()
        self._show_answer(None)
        self._busy(True)
        return self._run

    # --- what is shown ---

    def _show(self, moment: Moment) -> None:
        """Show a moment of the run."""
        for step in moment.steps[len(self._steps.children) :]:
            self._steps.children = (*self._steps.children, self._step_box(step))
        self._offer_descents([found for step in moment.steps for found in step.retrievals] + list(moment.found))
        if moment.over:
            self._finish(moment)
            return
        self._status.value = cards.status_line(moment.doing)
        self._live.value = cards.live_card(len(moment.steps) + 1, moment.found, moment.doing)
        self._said.value = cards.said_html(moment.said)

    def _finish(self, moment: Moment) -> None:
        """Show the end, keep the answer, and free the panel."""
        self._problem = moment.problem
        if moment.answer is not None:
            self.history.append(moment.answer)
            labels = [(cards.history_label(i, answer), i - 1) for i, answer in enumerate(self.history, start=1)]
            self._kept.layout.display = "flex"
            self._filling = True
            self._earlier.options, self._earlier.value = labels[::-1], len(labels) - 1
            self._filling = False
        self._show_answer(moment.answer)
        self._free()
        self.keep_static()

    def _show_answer(self, answer: Answer | None) -> None:
        """Show an answer with all its steps, or the problem that there is instead, or nothing."""
        self.answer = answer
        self._live.value = self._said.value = self._status.value = ""
        problem = cards.problem_card(self._problem) if self._problem is not None else ""
        self._outcome.value = problem + (cards.answer_card(answer) if answer else "")
        self._evidence.value = cards.evidence_html(answer, self.index) if answer else ""
        self._exports.value = cards.exports_html(answer) if answer else ""

    def _go_back_to(self, place: int | None) -> None:
        """Show an answer of the history."""
        if self._filling or place is None or self._ask_button.disabled:
            return
        self._problem, answer = None, self.history[place]
        self._steps.children = tuple(map(self._step_box, answer.steps))
        self._show_answer(answer)
        self._offer_descents([found for step in answer.steps for found in step.retrievals])
        self.keep_static()

    def _offer_descents(self, found: list[Retrieval]) -> None:
        """Offer every query's descent, and draw the latest when there is a new one."""
        options = [(cards.query_label(i, retrieval.query), retrieval) for i, retrieval in enumerate(found, start=1)]
        if [retrieval for _, retrieval in options] != [retrieval for _, retrieval in self._seen.options]:
            self._filling = True
            self._seen.options, self._seen.layout.display = options, "flex" if options else "none"
            self._seen.value = found[-1] if found else None
            self._filling = False
            self._draw(self._seen.value)

    def _draw(self, retrieval: Retrieval | None) -> None:
        """Draw a descent."""
        if retrieval is not None and not self._filling:
            self._figure.show(draw_on_disc(retrieval, self.index))

    def _step_box(self, step: Step) -> Any:
        """Return a step's card, and below it its queries to change."""
        w = self.widgets
        text = w.Textarea(
            value="\n".join(step.queries), description="Queries, one a line", rows=min(len(step.queries) + 1, 5),
            style={"description_width": "initial"}, layout={"width": "auto", "flex": "1 1 240px"},
        )  # fmt: skip
        go_on = self.button("Go on from here", lambda: self._go_on(step.number, text.value), tip="Ask these instead")
        row = {"flex_flow": "row wrap", "align_items": "center", "width": "auto", "display": "none"}
        editor = w.HBox([text, go_on], layout=row)
        change = w.ToggleButton(
            description=f"Change the queries of step {step.number}",
            layout={"width": "auto", "align_self": "flex-start"},
        )
        change.observe(lambda seen: setattr(editor.layout, "display", "flex" if seen["new"] else "none"), "value")
        return w.VBox([self.html(cards.step_card(step)), change, editor], layout={"width": "auto"})

    def _busy(self, busy: bool) -> None:
        """Set which buttons can be pressed."""
        for button in (self._ask_button, self._retry_button, self._earlier, self._model):
            button.disabled = busy
        self._stop_button.disabled = not busy

    def _free(self) -> None:
        """Make the panel ready for the next question."""
        self._busy(False)
        self._retry_button.disabled = self._earlier.disabled = not self.history

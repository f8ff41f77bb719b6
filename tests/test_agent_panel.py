"""The panels without a browser: cards as strings, a run with its moments, and the widgets' state in Python."""

from __future__ import annotations

import base64
import json
import re
import sys
import threading
import time
from itertools import pairwise

import pytest

from psirag.corpus import Corpus, Document
from psirag.errors import PsiragError, PsiragWarning
from psirag.index import Index
from psirag.readers import Decision
from psirag.variants import NavTree
from psirag.views.circular_descent import circular_descent, draw_on_disc
from psirag.views.palette import scale_colour
from psirag.views.widgets import cards, explore_agent, explore_tree
from psirag.views.widgets.live_run import LiveRun
from tests.hashing_encoder import HashingEncoder

HOSTILE = "<img src=x onerror=alert(1)> <b>x</b> $5$ & more"
QUESTION = "Which planet has rings?"


class Talking:
    """A streaming reader that says its words, then decides what it was given; `gate` holds it back between words."""

    name, on_text = "talking", None

    def __init__(self, *decisions, words=("a ", "b "), gate=None, heedless=False):
        self.decisions, self.words, self.gate, self.heedless = list(decisions), words, gate, heedless
        self.said = []

    def decide(self, state, *, may_retrieve):
        for word in self.words:
            self.said.append(word)
            if self.on_text is not None and self.on_text(word) and not self.heedless:
                return Decision("stopped", raw="".join(self.said))
            if self.gate is not None:
                self.gate.wait(10)
        decision = self.decisions.pop(0)
        if isinstance(decision, BaseException):
            raise decision
        return decision


def more(*queries):
    return Decision("retrieve", queries=queries, thought="not yet", probabilities={"answer": 0.2, "retrieve": 0.8})


def done(text="Saturn", **details):
    return Decision("answer", text, **details)


@pytest.fixture(scope="module")
def index():
    return Index.build("toy", encoder=HashingEncoder())


@pytest.fixture(scope="module")
def hostile():
    texts = [{"id": i, "title": HOSTILE, "text": f"{HOSTILE} passage {i}"} for i in range(3)]
    return Index.build(texts, encoder=HashingEncoder())


def wait_for(condition, seconds=10.0):
    """Wait until something is so, and say whether it came to be."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def texts_of(panel):
    """All that the HTML widgets of a panel show."""
    found, left = [], [panel.box]
    while left:
        widget = left.pop()
        left += getattr(widget, "children", ())
        if type(widget).__name__ == "HTML":
            found.append(widget.value)
    return "\n".join(found)


# --- cards ---


def test_a_step_s_card_says_everything(index):
    answer = explore_agent(index, Talking(more("rings", "moons"), done(probability=0.9, tokens=7))).ask(QUESTION)
    first, second = map(cards.step_card, answer.steps)
    for part in (
        "Step 1",
        "Retrieve",
        "retrieve 0.80",
        "answer 0.20",
        "not yet",
        QUESTION,
        "rings",
        "tree #",
        "rrf 0.0",
    ):
        assert part in first
    for part in ("Step 2", "Answer", "answer 0.90", "Saturn", "7 tokens", "moons"):
        assert part in second
    assert first.count("<li>") == len(answer.steps[0].retrievals[0])
    assert "2 retrievals · 3 queries" in cards.answer_card(answer)


def test_nothing_that_was_written_elsewhere_acts_as_markup(hostile):
    decision = Decision("answer", HOSTILE, thought=HOSTILE, raw=HOSTILE, prompt=HOSTILE, notes=(HOSTILE,))
    panel = explore_agent(hostile, Talking(decision, words=(HOSTILE,)))
    answer = panel.ask(HOSTILE)
    shown = texts_of(panel) + panel.static_html() + cards.live_card(1, answer.steps[0].retrievals, HOSTILE)
    shown += cards.said_html(HOSTILE) + cards.problem_card(cards.Problem(HOSTILE, HOSTILE, HOSTILE))
    shown += explore_tree(hostile).static_html() + explore_tree(hostile, 0).static_html()
    outside = re.sub(r"data:[a-z/+]*;base64,[\w+/=]*", "", shown)
    assert "&lt;img src=x" in outside
    assert "<img src=x" not in outside
    assert "<b>x</b>" not in outside
    assert "$5" not in outside


def test_the_evidence_stands_in_its_document_with_the_answer_marked():
    text = (
        "Saturn has rings. " + "It is far away and cold. " * 60 + "The rings are of ice. " + "Nobody lives there. " * 60
    )
    index = Index.build(Corpus((Document(0, text),), "documents", "one"), encoder=HashingEncoder(), max_tokens=40)
    assert len(index.chunks) > 6
    answer = explore_agent(index, Talking(done("of ICE"))).ask("What are the rings made of?")
    shown = cards.evidence_html(answer, index, limit=len(index.chunks))
    assert "<mark>of ice</mark>" in shown
    assert re.search(r"passage \d+ of \d+", shown)
    assert shown.count('class="evidence"') == len(answer.hits)
    assert "… " in shown


def test_exports_are_whole_files_inside_their_links(index):
    answer = explore_agent(index, Talking(done("Saturn é"))).ask(QUESTION)
    json_file, markdown = re.findall(r"base64,([\w+/=]+)", cards.exports_html(answer))
    assert json.loads(base64.b64decode(json_file)) == answer.to_dict()
    assert base64.b64decode(markdown).decode() == answer.to_markdown()


# --- a run ---


def make_run(index, reader, moments, question=QUESTION):
    settings = {"k": 3, "max_retrievals": 2, "max_queries": 8, "retrieve": None}
    work = lambda agent, watch: agent.ask(question, 3, watch=watch)  # noqa: E731
    return LiveRun(index, lambda: reader, work, moments.append, question=question, settings=settings)


def test_hits_are_told_before_the_decision_and_words_as_they_come(index, monkeypatch):
    monkeypatch.setattr("psirag.views.widgets.live_run._SECONDS_BETWEEN_WORDS", 0.0)
    moments = []
    make_run(index, Talking(more("rings"), done()), moments).run()
    seen = [(moment.doing, len(moment.steps), len(moment.found), moment.said) for moment in moments]
    assert seen[:6] == [
        ("Loading the model", 0, 0, ""),
        ("Retrieving", 0, 0, ""),
        ("Reading", 0, 1, ""),
        ("Thinking", 0, 1, "a "),
        ("Thinking", 0, 1, "a b "),
        ("Retrieving", 1, 0, ""),
    ]
    assert [moment.over for moment in moments].count(True) == 1
    assert moments[-1].answer.text == "Saturn"


def test_after_a_stop_no_word_is_told_and_the_trace_says_stopped(index):
    moments, gate = [], threading.Event()
    reader = Talking(done(), words=["word "] * 50, gate=gate)
    run = make_run(index, reader, moments)
    run.start()
    assert wait_for(lambda: any(moment.said for moment in moments))
    run.stop()
    told = len(moments)
    gate.set()
    assert wait_for(lambda: run.moment.over)
    run.thread.join(10)
    assert moments[told - 1].doing == "Stopping"
    assert [(moment.over, moment.said) for moment in moments[told:]] == [(True, "")]
    assert moments[-1].answer.status == "stopped"
    assert len(reader.said) == 2  # the word under way, and the one that met the stop
    assert moments[-1].answer.steps[0].decision.raw == "word word "


def test_a_reader_that_does_not_heed_is_left_behind(index, monkeypatch):
    monkeypatch.setattr("psirag.views.widgets.live_run.SECONDS_TO_STOP", 0.05)
    moments, gate = [], threading.Event()
    run = make_run(index, Talking(done(), words=["word "] * 3, gate=gate, heedless=True), moments)
    run.start()
    assert wait_for(lambda: any(moment.said for moment in moments))
    run.stop()
    run.stop()
    assert wait_for(lambda: run.moment.over)
    assert run.thread.is_alive()
    assert (moments[-1].answer.status, moments[-1].answer.question, moments[-1].answer.steps) == (
        "stopped",
        QUESTION,
        (),
    )
    later = []
    following = make_run(index, Talking(done("next")), later)
    following.start(after=run)
    assert wait_for(lambda: later)
    assert later[0].doing.startswith("Waiting for the model")
    told = len(moments)
    gate.set()
    assert wait_for(lambda: following.moment.over)
    assert (len(moments), later[-1].answer.text) == (told, "next")


def test_a_run_stopped_while_it_waits_never_asks(index):
    gate = threading.Event()
    first, reader = make_run(index, Talking(done(), words=["word "] * 2, gate=gate), []), Talking(done())
    first.start()
    second = make_run(index, reader, [])
    second.start(after=first)
    second.stop()
    gate.set()
    assert wait_for(lambda: second.moment.over)
    assert (second.moment.answer.status, reader.said) == ("stopped", [])


@pytest.mark.parametrize(
    "error", [RuntimeError(f"no memory {HOSTILE}\nsecond"), TypeError("a mistake"), ValueError("")]
)
def test_whatever_a_reader_raises_ends_as_a_problem(index, error):
    moments = []
    make_run(index, Talking(error), moments).run()
    problem = moments[-1].problem
    assert (problem.kind, moments[-1].over) == (type(error).__name__, True)
    assert problem.line == (str(error).splitlines() or ["(no message)"])[0]
    assert "Traceback" in problem.details
    assert type(error).__name__ in problem.details


def test_a_reader_s_ear_is_taken_off_again(index):
    reader = Talking(RuntimeError("no"))
    make_run(index, reader, []).run()
    assert reader.on_text is None


# --- the agent's panel ---


def test_asking_from_python_shows_and_keeps_the_answer(index):
    panel = explore_agent(index, Talking(more("rings"), done(), done("Jupiter")), k=3)
    assert panel.ask(QUESTION).text == "Saturn"
    assert panel.ask("Which is the largest?").text == "Jupiter"
    assert [answer.text for answer in panel.history] == ["Saturn", "Jupiter"]
    assert panel.answer is panel.history[1]
    assert panel.answer.settings["k"] == 3
    assert "Jupiter" in texts_of(panel)
    assert "Saturn" not in panel._outcome.value
    assert (panel._ask_button.disabled, panel._stop_button.disabled) == (False, True)


def test_history_brings_an_answer_back_with_its_steps(index):
    panel = explore_agent(index, Talking(more("rings"), done(), done("Jupiter")))
    panel.ask(QUESTION)
    panel.ask("Which is the largest?")
    panel._earlier.value = 0
    assert panel.answer is panel.history[0]
    assert len(panel._steps.children) == 2
    assert "Saturn" in panel.static_html()


def test_buttons_ask_once_a_double_click_and_are_free_after_an_error(index, monkeypatch):
    monkeypatch.setattr(sys.modules[explore_agent.__module__], "_ONE_CLICK", 60.0)  # a busy machine is slow, not wrong
    reader = Talking(RuntimeError("out of memory"), done())
    panel = explore_agent(index, reader, question=QUESTION)
    panel._ask_button.click()
    panel._ask_button.click()
    assert wait_for(lambda: panel.history)
    panel._ask_button.click()  # the second half of a slow double click
    assert (len(panel.history), panel._ask_button.disabled) == (1, False)
    assert "out of memory" in panel._outcome.value
    assert "RuntimeError" in panel.static_html()
    panel._retry_button.click()
    assert wait_for(lambda: len(panel.history) == 2)
    assert panel.answer.text == "Saturn"
    assert "out of memory" not in texts_of(panel)


def test_other_queries_at_a_step_and_on_from_there(index):
    panel = explore_agent(index, Talking(more("rings"), done(), done("Jupiter")))
    panel.ask(QUESTION)
    _, change, editor = panel._steps.children[1].children
    change.value = True
    assert editor.layout.display == "flex"
    text, go_on = editor.children
    assert text.value == "rings"
    text.value = "giant planet\n\n moons "
    go_on.click()
    assert wait_for(lambda: len(panel.history) == 2)
    assert panel.answer.queries == (QUESTION, "giant planet", "moons")
    assert panel.answer.text == "Jupiter"


@pytest.mark.parametrize("wrong", [{"reader": "no-such-model"}, {"question": " "}, {"retrieve": {"k": 3}}])
def test_what_goes_wrong_later_is_shown_and_nothing_is_raised(index, wrong):
    panel = explore_agent(index, **{"question": QUESTION, **wrong}) if "reader" not in wrong else explore_agent(index)
    if "reader" in wrong:
        panel._model.options = [("x", wrong["reader"])]
        panel._question.value = QUESTION
    assert panel.ask() is None
    assert "PsiragError" in panel._outcome.value
    assert "PsiragError" in panel.static_html()
    assert panel._ask_button.disabled is False


def test_the_stop_button_stops(index):
    gate = threading.Event()
    panel = explore_agent(index, Talking(done(), words=["word "] * 50, gate=gate), question=QUESTION)
    panel._stop()
    panel._ask_button.click()
    assert wait_for(lambda: "word" in panel._said.value)
    assert (panel._ask_button.disabled, panel._stop_button.disabled) == (True, False)
    panel._stop_button.click()
    gate.set()
    assert wait_for(lambda: panel.history)
    assert (panel.answer.status, panel._said.value, panel._ask_button.disabled) == ("stopped", "", False)


def test_the_static_form_holds_the_picture_and_needs_no_address(index):
    panel = explore_agent(index, Talking(done()))
    assert "Nothing was asked yet" in panel.static_html()
    panel.ask(QUESTION)
    shown = panel.static_html()
    picture = base64.b64decode(re.search(r"svg\+xml;base64,([\w+/=]+)", shown)[1]).decode()
    assert picture.startswith("<svg")
    assert "http" not in re.sub(r"base64,[\w+/=]+", "", shown)


def test_models_are_offered_with_their_size(index):
    labels = [label for label, _ in explore_agent(index)._model.options]
    assert labels[0] == "rules"
    assert any(re.fullmatch(r"qwen3-4b \([\d.]+ GB\)", label) for label in labels)
    assert explore_agent(index, "smollm2")._model.value == "smollm2"
    assert explore_agent(index, "some/model")._model.label == "some/model"


def test_without_ipywidgets_the_error_says_what_to_do(index, monkeypatch):
    monkeypatch.setattr("psirag.views.widgets.panel.find_spec", lambda name: None)
    for explore in (explore_agent, explore_tree):
        with pytest.raises(PsiragError, match="needs ipywidgets"):
            explore(index)


def test_without_anywidget_a_static_picture_and_one_hint(index, monkeypatch):
    monkeypatch.setattr("psirag.views.widgets.panel.find_spec", lambda name: None if name == "anywidget" else sys)
    with pytest.warns(PsiragWarning, match="only with anywidget"):
        panel = explore_agent(index, Talking(done()))
    monkeypatch.setattr("IPython.display.display", lambda *shown, **_: None)
    panel.ask(QUESTION)
    assert panel._figure.box.children == ()
    panel._ipython_display_()
    (picture,) = panel._figure.box.children
    assert picture.value.startswith("<svg")
    panel.retrieve = {"sides": ["sparse"]}
    panel._figure.show(draw_on_disc(index.retrieve("rings", sides=["sparse"]), index))
    assert panel._figure.box.children[0].value != picture.value


def test_a_live_figure_takes_over_the_next_retrieval(index, monkeypatch):
    monkeypatch.setattr("IPython.display.display", lambda *shown, **_: None)
    panel = explore_agent(index, Talking(more("rings"), done()))
    panel._ipython_display_()
    assert panel._figure.live is None
    panel.ask(QUESTION)
    live, drawn = panel._figure.live, panel._figure.figure
    assert panel._figure.box.children == (live,)
    panel._seen.value = panel._seen.options[0][1]
    assert panel._figure.live is live
    assert panel._figure.figure is not drawn
    for shown, new in zip(live.data, panel._figure.figure.data, strict=True):
        assert {**shown.to_plotly_json(), "uid": ""} == {**new.to_plotly_json(), "uid": "", "type": shown.type}


@pytest.mark.parametrize("name", ["k", "max_retrievals", "max_queries"])
def test_a_budget_is_at_least_one(index, name):
    with pytest.raises(PsiragError, match="must be at least 1"):
        explore_agent(index, **{name: 0})


# --- the descent on the disc ---


def test_the_descent_marks_what_the_trace_says(index):
    found = index.retrieve("planet", k=2, beam=2, pool=2)
    traces = {trace.name: set(trace.customdata or ()) for trace in circular_descent(found, index).data}
    kept = {int(node) for layer in found.trace.layers for node in layer.kept}
    looked_at = {int(node) for layer in found.trace.layers for node in layer.candidates}
    assert traces["hit"] == {hit.node for hit in found}
    assert traces["kept"] | traces["passed whole"] == kept
    assert traces["pruned"] == looked_at - kept
    assert traces["not looked at"] == set(range(index.tree.n_nodes)) - looked_at


def test_without_the_tree_side_only_hits_are_marked(index):
    figure = draw_on_disc(index.retrieve("planet", sides=["sparse"]), index)
    sizes = {trace.name: len(trace.x) for trace in figure.data}
    assert (sizes["kept"], sizes["pruned"], sizes["passed whole"]) == (0, 0, 0)
    assert sizes["hit"] > 0
    assert figure.svg.startswith("<svg")


def test_the_descent_needs_a_retrieval_of_this_tree(index, hostile):
    with pytest.raises(PsiragError, match="needs a Retrieval"):
        circular_descent("planet", index)
    with pytest.raises(PsiragError, match="a trace with layers"):
        circular_descent(index.retrieve("planet", sides=["sparse"]), index)
    with pytest.raises(PsiragError, match=r"an Answer.*answer\.steps\[0\]"):
        circular_descent(explore_agent(index, Talking(done())).ask(QUESTION), index)
    with pytest.raises(PsiragError, match="segment_tree"):
        circular_descent(NavTree(index, anchors=1).retrieve("planet"), index)
    with pytest.raises(PsiragError, match="must be of this tree"):
        circular_descent(index.retrieve("planet"), hostile)


def test_few_hits_are_named_where_no_name_covers_another(index):
    found = index.retrieve("planet", k=5)
    figure = circular_descent(found, index)
    notes = figure.layout.annotations
    assert {note.text for note in notes} == {hit.chunk.title for hit in found}
    for anchor in ("left", "right"):  # of the disc; 200 pixels from its middle to the leaves
        up = sorted(200 * note.y + note.yshift for note in notes if note.xanchor == anchor)
        assert all(above - below >= 15.9 for below, above in pairwise(up))
        assert max(map(abs, up), default=0) <= 216.1


def test_a_hit_without_a_path_says_so(index):
    found = index.retrieve("Sun", k=4, beam=1, pool=1)
    alone = [hit.node for hit in found if set(hit.sides) == {"sparse"}]
    stars = circular_descent(found, index).data[-1]
    told = {
        node: "sparse side alone: no path" in box for node, box in zip(stars.customdata, stars.hovertext, strict=True)
    }
    assert alone
    assert [node for node, says in told.items() if says] == alone


def test_live_and_static_legend_have_the_same_colours(index):
    figure = circular_descent(index.retrieve("planet", k=2, beam=2, pool=2), index)
    assert figure.layout.legend.itemsizing == "trace"
    kept = next(trace for trace in figure.data if trace.name == "kept")
    assert kept.marker.colorscale
    assert list(kept.marker.color) == sorted(kept.marker.color, reverse=True)
    assert [trace.name for trace in figure.data if trace.marker.showscale] == ["kept"]
    highest = scale_colour((kept.marker.color[0] - kept.marker.cmin) / (kept.marker.cmax - kept.marker.cmin))
    assert f'stroke="{highest}" stroke-width="11"' in figure.svg[figure.svg.rindex("<g ") :]


def test_the_static_form_brings_its_stylesheet(index):
    for panel in (explore_agent(index, Talking(done())), explore_tree(index)):
        assert ".psirag-card {" in panel.static_html()
        assert panel._static_output().data == panel.static_html()


# --- the tree's panel ---


def test_walking_the_tree(index):
    panel = explore_tree(index)
    tree = index.tree
    assert panel.node == tree.root
    assert panel._up.disabled
    child = int(tree.children(tree.root)[0])
    panel._children.children[1].click()
    assert panel.node == child
    assert f"{tree.leaf_counts[child]} leaves below" in panel._text.value
    panel._next.click()
    assert panel.node == int(tree.children(tree.root)[1 % len(tree.children(tree.root))])
    panel._up.click()
    assert panel.node == tree.root
    panel.go(0)
    assert panel._children.children == ()
    assert index.chunks[0].title in panel._text.value


def test_searching_finds_abstracts_and_leaves(index):
    panel = explore_tree(index)
    found = panel.find("Saturn rings planet")
    assert found == [hit.node for hit in index.retrieve("Saturn rings planet", 10, nodes="all")]
    panel._found.children[1].click()
    assert panel.node == found[0]
    assert panel.find("  ") == []
    assert panel._found.children == ()


@pytest.mark.parametrize(("node", "says"), [(-1, "at least 0"), (10_000, "must be below"), (True, "integer")])
def test_there_is_no_such_node(index, node, says):
    with pytest.raises(PsiragError, match=says):
        explore_tree(index, node)
    with pytest.raises(PsiragError, match=says):
        explore_tree(index).go(node)

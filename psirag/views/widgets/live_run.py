"""A question on a thread of its own: its moments are told as they come, and after a stop nothing more is told."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from psirag.agent import Agent
from psirag.readers import NOT_MENTIONED, AgentState, Decision, Reader
from psirag.transcript import Answer, Step, gather_evidence, last_evidence_scores, order_hits
from psirag.views.widgets.cards import Problem

if TYPE_CHECKING:
    from psirag.index import Index
    from psirag.retrieval.trace import Retrieval

SECONDS_TO_STOP = 1.5
_SECONDS_BETWEEN_WORDS = 0.06

Work = Callable[[Agent, Callable[[Step], bool]], Answer]


@dataclass(frozen=True)
class Moment:
    """What there is to see now: finished steps, what the next has found and said so far, and in the end an answer."""

    doing: str
    steps: tuple[Step, ...] = ()
    found: tuple[Retrieval, ...] = ()
    said: str = ""
    answer: Answer | None = None
    problem: Problem | None = None
    over: bool = False


class LiveRun:
    """One run of an agent, in the background (`start`) or here (`run`).

    Parameters
    ----------
    index : Index
        What is searched.
    load : callable
        Gives the reader; called on the run's own thread, because a model takes its time.
    work : callable
        What the agent does, given the agent and what must watch its steps.
    tell : callable
        Gets every `Moment`, from the run's thread; the last one is `over`.
    question : str
        For the transcript of a run that is stopped before its reader gives way.
    settings : mapping
        `k`, and keyword arguments of `Agent`.

    Source: ours.
    """

    def __init__(
        self, index: Index, load: Callable[[], Reader], work: Work, tell: Callable[[Moment], object], *,
        question: str, settings: Mapping[str, Any],
    ) -> None:  # fmt: skip
        self.index, self.load, self.work, self._tell = index, load, work, tell
        self.question, self.settings = question, dict(settings)
        self.moment, self.thread = Moment("Loading the model"), threading.Thread(target=self.run, daemon=True)
        self._stopped, self._lock, self._told_at, self._traceback = threading.Event(), threading.Lock(), 0.0, ""
        self._name = ""
        self._before: threading.Thread | None = None

    def start(self, *, after: LiveRun | None = None) -> None:
        """Begin in the background, when the run before has let go of its reader."""
        self._before = after.thread if after is not None and after.thread.is_alive() else None
        self.thread.start()

    def stop(self) -> None:
        """Tell nothing more but the end: when the reader gives way, or after a moment without it."""
        with self._lock:
            if self.moment.over or self._stopped.is_set():
                return
            self._tell(replace(self.moment, doing="Stopping"))
            self._stopped.set()
        threading.Timer(SECONDS_TO_STOP, self._give_up).start()

    def run(self) -> None:
        """Run to the end. This is the edge of a widget's callback: whatever was raised is shown."""
        try:
            answer = self._ask() if self._is_my_turn() else self._so_far()
        except Exception as error:  # noqa: BLE001  the one place where a callback shows what it caught
            self._end(problem=Problem(type(error).__name__, _first_line(str(error)), traceback.format_exc()))
        else:
            kind, _, line = answer.error.partition(": ")
            self._end(
                answer=answer, problem=Problem(kind, _first_line(line), self._traceback) if answer.error else None
            )

    def _ask(self) -> Answer:
        """Let the agent work with a reader whose words are heard."""
        self._say(Moment("Loading the model"))
        reader = self.load()
        self._name = reader.name
        if self._stopped.is_set():
            return self._so_far()
        settings = {name: value for name, value in self.settings.items() if name != "k"}
        agent = Agent(self.index, _Heard(reader, self), **settings)
        self._say(replace(self.moment, doing="Retrieving"))
        if not hasattr(reader, "on_text"):
            return self.work(agent, self._step)
        reader.on_text = self._word
        try:
            return self.work(agent, self._step)
        finally:
            reader.on_text = None

    def reading(self, state: AgentState) -> None:
        """Note what the step under way has retrieved, before its reader decides."""
        told = sum(bool(step.retrievals) for step in self.moment.steps)
        found = state.retrievals[told] if len(state.retrievals) > told else ()
        self._say(replace(self.moment, doing="Reading", found=found, said=""))

    def failed(self) -> None:
        """Keep the traceback of the reader, which the agent turns into one line."""
        self._traceback = traceback.format_exc()

    def _word(self, piece: str) -> bool:
        """Take a piece of text; True when it is to be the last."""
        with self._lock:
            self.moment = replace(
                self.moment, doing="Thinking" if piece else self.moment.doing, said=self.moment.said + piece
            )
        if time.monotonic() - self._told_at >= _SECONDS_BETWEEN_WORDS:
            self._told_at = time.monotonic()
            self._say(self.moment)
        return self._stopped.is_set()

    def _step(self, step: Step) -> bool:
        """Take a finished step; True when it is to be the last."""
        self._say(replace(self.moment, doing="Retrieving", steps=(*self.moment.steps, step), found=(), said=""))
        return self._stopped.is_set()

    def _say(self, moment: Moment) -> None:
        """Tell a moment, unless the run was stopped."""
        with self._lock:
            if not self.moment.over:
                self.moment = moment
                if not self._stopped.is_set():
                    self._tell(moment)

    def _end(self, *, answer: Answer | None = None, problem: Problem | None = None) -> None:
        """Tell the end, once."""
        with self._lock:
            if not self.moment.over:
                steps = answer.steps if answer else self.moment.steps
                self.moment = Moment("", steps, answer=answer, problem=problem, over=True)
                self._tell(self.moment)

    def _give_up(self) -> None:
        """End without the reader, which is still busy."""
        self._end(answer=self._so_far())

    def _so_far(self) -> Answer:
        """The transcript of the steps that are finished."""
        steps = self.moment.steps
        hits = order_hits(gather_evidence([step.retrievals for step in steps]), last_evidence_scores(steps))
        return Answer(self.question, NOT_MENTIONED, "stopped", hits, steps, self._name, self.settings)

    def _is_my_turn(self) -> bool:
        """Wait for an abandoned run: a model answers one question at a time. False when stopped meanwhile."""
        while self._before is not None and self._before.is_alive() and not self._stopped.is_set():
            self._say(Moment("Waiting for the model to let go of the question before"))
            self._before.join(0.5)
        return not self._stopped.is_set()


class _Heard:
    """A reader that says when it begins to decide, and keeps the traceback when it fails."""

    def __init__(self, reader: Reader, run: LiveRun) -> None:
        self.name, self._reader, self._run = reader.name, reader, run

    def decide(self, state: AgentState, *, may_retrieve: bool) -> Decision:
        """Decide as the reader does."""
        self._run.reading(state)
        try:
            return self._reader.decide(state, may_retrieve=may_retrieve)
        except BaseException:
            self._run.failed()
            raise


def _first_line(says: str) -> str:
    """Return the first line of what an error says."""
    return next(iter(says.strip().splitlines()), "(no message)")

"""A language model as reader of the R&A agent and as writer of abstracts; the model itself is behind `TextModel`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Literal

from psirag.abstraction.writing import share_window
from psirag.readers.parsing import BULLET, TAG, Reply, parse_reply, split_thought
from psirag.readers.prompts import (
    ANSWER,
    FORGED,
    OPENING,
    RETRIEVE,
    abstract_messages,
    prompts_version,
    question_messages,
    summary_messages,
)
from psirag.readers.protocol import NOT_MENTIONED, AgentState, Decision, Evidence
from psirag.readers.text_model import Completion, Message, OnText, TextModel

MAX_THOUGHT = 128  # tokens of the thought; Ψ-RAG App. C.3 limits its words
MAX_ANSWER = 48  # tokens of an answer or a query
MAX_SUMMARY = 200  # tokens of a summary, Ψ-RAG App. C (QMSum)
MARGIN = 32  # tokens for the tags, and for a thought that takes more tokens when it is read than when it was written
WORDS_A_TOKEN = 0.75

Build = Callable[[Sequence[Evidence]], list[Message]]


class ModelReader:
    """Prompt a model, read its action off its reply or off its probabilities; watch and stop it through `on_text`.

    Parameters
    ----------
    model : TextModel
        A `HuggingFaceModel`, an `EndpointModel`, or any other.
    stopping : {"tag", "likelihood"}
        Take the action from the tag that the model writes, or, after its thought, compare the probabilities of the
        two tags: then there always is an action, and `Decision.probabilities` says how sure it was.
    reorganize : bool
        Ask for queries that stand on their own, enriched with what was learned.
    max_thought : int
        Tokens of the thought.
    store : mutable mapping, optional
        Where finished abstracts are kept, such as a `CallStore`.

    Notes
    -----
    Source: Ψ-RAG §3.1 and §3.2, Algorithm 3; stopping by likelihood is ours.
    """

    summarizes = True

    def __init__(
        self, model: TextModel, *, stopping: Literal["tag", "likelihood"] = "tag", reorganize: bool = True,
        max_thought: int = MAX_THOUGHT, store: MutableMapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.model, self.name, self.stopping, self.reorganize = model, model.name, stopping, reorganize
        self.max_thought, self.store = max_thought, store
        self.on_text: OnText | None = None
        self._heard_by: OnText | None = None
        self._stopped = False
        self._lock = Lock()  # a question that is being stopped ends before the next one is read

    def __repr__(self) -> str:
        return f"<ModelReader {self.name!r}: context {self.model.context}, stopping by {self.stopping}>"

    @property
    def identity(self) -> str:
        """Model, settings and prompts: finished abstracts are found again under it."""
        return f"{self.model.identity} prompts {prompts_version()}"

    @property
    def batch_size(self) -> int:
        """Abstracts asked for at once."""
        return self.model.batch_size

    @property
    def max_input_tokens(self) -> int:
        """What all texts of an abstract may hold together, as far as the writer's caller can count."""
        return max(256, self.model.context - 600)

    def unload(self) -> None:
        """Give back the model's memory; the next call loads it again."""
        self.model.unload()

    def decide(self, state: AgentState, *, may_retrieve: bool) -> Decision:
        """Think, then answer or ask for more; or summarise, when that is the state's task."""
        on_text = self.on_text
        with self._lock:
            self._stopped, self._heard_by = False, on_text
            return self._summarise(state) if state.task == "summary" else self._decide(state, may_retrieve)

    def _decide(self, state: AgentState, may_retrieve: bool) -> Decision:
        """Think, then answer or ask for more."""

        def build(evidence: Sequence[Evidence]) -> list[Message]:
            return question_messages(
                state, evidence, may_retrieve=may_retrieve, reorganize=self.reorganize, control=self.model.control
            )

        messages, notes = self._fit(state, build, OPENING, self.max_thought + MAX_ANSWER)
        weigh = self.stopping == "likelihood"
        decision = self._by_likelihood(messages, may_retrieve) if weigh else self._by_tag(messages)
        return replace(decision, notes=notes)

    def write_abstract(self, texts: Sequence[str], *, kind: str, max_tokens: int) -> str:
        """One abstract of the texts, every one of which has its share of the context."""
        return self.write_many([texts], kind=kind, max_tokens=max_tokens)[0]

    def write_many(self, calls: Sequence[Sequence[str]], *, kind: str, max_tokens: int) -> list[str]:
        """One abstract a call, `batch_size` of them in one batch of the model."""
        limit = max_tokens * 3 // 2
        conversations = [self._abstract_messages(texts, kind, max_tokens, limit) for texts in calls]
        whole = kind == "keyword"
        with self._lock:
            done = self.model.complete_many(
                conversations, limit=limit, until=lambda text: not whole and "\n" in _paragraph(text)
            )
        return [one.text if whole else _paragraph(one.text).strip() for one in done]

    def _by_tag(self, messages: list[Message]) -> Decision:
        """Let the model write its thought and its last line, and parse that."""
        done = self._say(messages, OPENING, self.max_thought + MAX_ANSWER, _is_complete)
        said = Decision("stopped", raw=done.text, prompt=done.prompt, tokens=done.tokens)
        if self._stopped:
            return said
        reply = parse_reply(done.text.rpartition("\n")[0] if _is_complete(done.text) else done.text)
        thought = reply.thought.removeprefix(OPENING).strip()
        return replace(said, action=reply.action, text=reply.text, queries=reply.queries, thought=thought)

    def _by_likelihood(self, messages: list[Message], may_retrieve: bool) -> Decision:
        """Let the model write its thought, weigh the two tags after it, and let it go on after the likelier one."""
        done = self._say(messages, OPENING, self.max_thought, lambda text: _thought_end(text) < len(text))
        thought = done.text[: _thought_end(done.text)].strip()
        opening = f"{OPENING} {thought}".rstrip()
        said = Decision("stopped", thought=thought, raw=done.text, prompt=done.prompt, tokens=done.tokens)
        endings, listen = (ANSWER, RETRIEVE), self._listen(None)
        logs = [] if self._stopped else self.model.log_probabilities(
            messages, opening=opening, endings=endings, on_text=listen
        )  # fmt: skip
        if self._stopped:
            return said
        sure = 1 / (1 + math.exp(min(logs[1] - logs[0], 700)))
        said = replace(said, probabilities={"answer": sure, "retrieve": 1 - sure})
        reply = Reply("not_mentioned", NOT_MENTIONED)
        for way in (RETRIEVE, ANSWER) if may_retrieve and sure < 0.5 else (ANSWER,):
            done = self._say(messages, opening + way, MAX_ANSWER, lambda text: "\n" in text.lstrip())
            said = replace(said, raw=f" {thought}{way}{done.text}", tokens=said.tokens + done.tokens)
            if self._stopped:
                return said
            parsed = parse_reply(f"{way.strip()} {_first_line(done.text)}")
            if parsed.action != "unparsed":
                reply = parsed
                break
        chosen = 1 - sure if reply.action == "retrieve" else sure
        return replace(said, action=reply.action, text=reply.text, queries=reply.queries, probability=chosen)

    def _summarise(self, state: AgentState) -> Decision:
        """One paragraph over all passages, in the order of the corpus."""

        def build(evidence: Sequence[Evidence]) -> list[Message]:
            words = int(MAX_SUMMARY * WORDS_A_TOKEN)
            return summary_messages(state, evidence, words=words, control=self.model.control)

        messages, notes = self._fit(state, build, "", MAX_SUMMARY)
        done = self._say(messages, "", MAX_SUMMARY, lambda text: "\n\n" in text.strip())
        said = Decision("stopped", raw=done.text, prompt=done.prompt, tokens=done.tokens, notes=notes)
        if self._stopped:
            return said
        text = " ".join(parse_reply(f"Answer: {done.text.strip()}").text.split())
        return replace(said, action="answer" if text else "not_mentioned", text=text or NOT_MENTIONED)

    def _fit(self, state: AgentState, build: Build, opening: str, limit: int) -> tuple[list[Message], tuple[str, ...]]:
        """The messages with as many passages as the context holds, the lowest-scored left out first; and what was."""
        kept, dropped, cut = list(state.evidence), list[int](), ""
        while kept and self.model.count(build(kept), opening) + limit + MARGIN > self.model.context:
            words = kept[-1].text.split()
            if len(kept) > 1 or len(words) < 8:
                dropped.append(kept.pop().id)
            else:
                kept = [replace(kept[0], hit=replace(kept[0].hit, text=" ".join(words[: len(words) * 3 // 4])))]
                cut = f"passage {kept[0].id} was shortened: the context holds {self.model.context} tokens"
        left = f"left out, the context holds {self.model.context} tokens: passages {', '.join(map(str, dropped))}"
        return build(kept), tuple(note for note in (left if dropped else "", cut if kept else "") if note)

    def _say(self, messages: list[Message], opening: str, limit: int, complete: Callable[[str], bool]) -> Completion:
        """Let the model go on until it ends, plays another part, is complete, or is stopped."""
        listen = self._listen(complete)
        return self.model.complete(messages, opening=opening, limit=limit, stop=FORGED, on_text=listen)

    def _listen(self, complete: Callable[[str], bool] | None) -> OnText:
        """What the model calls with every piece: passes it on, and says True when it is stopped or complete."""
        said: list[str] = []

        def listen(piece: str) -> bool:
            said.append(piece)
            if self._heard_by is not None and self._heard_by(piece) is True:
                self._stopped = True
            return self._stopped or (complete is not None and "\n" in piece and complete("".join(said)))

        return listen

    def _abstract_messages(self, texts: Sequence[str], kind: str, max_tokens: int, limit: int) -> list[Message]:
        """The prompt for one abstract, its texts shortened evenly until it fits."""
        words = int(max_tokens * WORDS_A_TOKEN)
        empty = abstract_messages([""] * len(texts), kind=kind, words=words)
        room = self.model.context - limit - self.model.count(empty)
        while True:
            shared = share_window(list(texts), max(room, len(texts)), self.model.count_text)
            messages = abstract_messages(shared, kind=kind, words=words, control=self.model.control)
            if room <= len(texts) or self.model.count(messages) + limit <= self.model.context:
                return messages
            room = room * 9 // 10


def _is_complete(text: str) -> bool:
    """Whether a reply has its last line: a tag with content, and for a list of queries the line after it."""
    whole, _, _ = text.rpartition("\n")
    reply = parse_reply(whole)
    if reply.action == "unparsed":
        return False
    last = whole.rstrip().splitlines()[-1]
    return reply.action != "retrieve" or not BULLET.match(last) or whole.endswith("\n")


def _thought_end(text: str) -> int:
    """Where a thought ends: at a tag, at a blank line after some words, or with the text."""
    found = (TAG.search(text), re.search(r"(?<=\S)[^\S\n]*\n\s*\n", text))
    return min([end.start() for end in found if end], default=len(text))


def _paragraph(text: str) -> str:
    """The first line that is no announcement of the next, with its line end when that has come."""
    lines = [line for line in split_thought(text)[0].splitlines(keepends=True) if line.strip()]
    return next((line for line in lines if not line.rstrip().endswith(":")), "")


def _first_line(text: str) -> str:
    """The first line with something on it, without a tag."""
    return TAG.sub("", next((line for line in text.splitlines() if line.strip()), "")).strip()

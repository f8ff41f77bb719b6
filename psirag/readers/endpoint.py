"""A model behind an OpenAI-compatible endpoint (vLLM, Ollama, llama.cpp), with the standard library alone."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from psirag.errors import PsiragError
from psirag.readers.text_model import Completion, Message, OnText

SILENCE = 300  # seconds without a word after which the endpoint counts as gone
LOOK = 0.2  # seconds between two looks at `on_text` while nothing comes
BYTES_A_TOKEN = 3  # fewer than any common tokenizer needs for prose, so that a prompt is rather counted too long


class EndpointModel:
    """A model that is asked over HTTP, as a `TextModel`; see there for the methods.

    Parameters
    ----------
    url : str
        Up to and with ``/v1``, such as ``"http://127.0.0.1:11434/v1"``.
    name : str
        The model's name there.
    api_key : str, optional
        Sent as bearer token.
    context : int
        Tokens of prompt and reply together; tokens are estimated from bytes, rather too many than too few.
    temperature, seed
        Sent with every request.
    repetition_penalty : float, optional
        Sent when given: vLLM knows it, the OpenAI protocol does not.
    batch_size : int
        Requests at once, for abstracts.

    Notes
    -----
    A reply cannot be begun for the model, so there is no stopping by likelihood.
    Source: ours.
    """

    control: tuple[str, ...] = ()

    def __init__(
        self, url: str, name: str, *, api_key: str | None = None, context: int = 4096, temperature: float = 0.0,
        repetition_penalty: float | None = None, seed: int = 0, batch_size: int = 8,
    ) -> None:  # fmt: skip
        if not isinstance(url, str) or urlsplit(url).scheme not in {"http", "https"} or not urlsplit(url).hostname:
            raise PsiragError("url is the address of an endpoint", repr(url), 'Such as "http://127.0.0.1:8000/v1".')
        self.url, self.name, self.context, self.batch_size = url.rstrip("/"), name, context, batch_size
        self._settings: dict[str, Any] = {"model": name, "temperature": temperature, "seed": seed}
        if repetition_penalty is not None:
            self._settings["repetition_penalty"] = repetition_penalty
        self._headers = {"Content-Type": "application/json"}
        if api_key is not None:
            self._headers["Authorization"] = f"Bearer {api_key}"
        here = urlsplit(url).hostname in {"localhost", "127.0.0.1", "::1"}
        self._opener = build_opener(*([ProxyHandler({})] if here else []))
        self.identity = f"{name}\n{self.url} {json.dumps(self._settings)} context {context}"

    def count(self, messages: Sequence[Message], opening: str = "") -> int:  # noqa: ARG002 (none is sent)
        """Estimate the prompt's tokens."""
        return sum(self.count_text(message["content"]) + 8 for message in messages)

    def count_text(self, text: str) -> int:
        """Estimate a text's tokens."""
        return -(-len(text.encode("utf-8", "replace")) // BYTES_A_TOKEN)

    def complete(
        self, messages: Sequence[Message], *, opening: str, limit: int, stop: Sequence[str], on_text: OnText  # noqa: ARG002
    ) -> Completion:  # fmt: skip
        """Generate at most `limit` tokens, up to a stop string or until `on_text` returns True, without `opening`."""
        body = {**self._settings, "messages": list(messages), "max_tokens": limit, "stream": True}
        body |= {"stop": list(stop)[:4]} if stop else {}  # the protocol takes four
        text, tokens = "", 0
        with closing(self._pieces(body)) as pieces:
            for piece in pieces:
                text, tokens = text + piece, tokens + bool(piece)
                ends = [at for at in map(text.find, stop) if at >= 0]
                text = text[: min(ends)] if ends else text
                if on_text("" if ends else piece) is True or ends:
                    break
        return Completion(text, tokens, json.dumps(body["messages"], ensure_ascii=False, indent=1))

    def complete_many(
        self, conversations: Sequence[Sequence[Message]], *, limit: int, until: Callable[[str], bool]
    ) -> list[Completion]:
        """Generate for several conversations, `batch_size` requests at once."""

        def one(messages: Sequence[Message]) -> Completion:
            heard: list[str] = []

            def enough(piece: str) -> bool:
                heard.append(piece)
                return until("".join(heard))

            return self.complete(messages, opening="", limit=limit, stop=(), on_text=enough)

        with ThreadPoolExecutor(self.batch_size) as threads:
            return list(threads.map(one, conversations))

    def log_probabilities(self, messages: Sequence[Message], **_: Any) -> list[float]:  # noqa: ARG002
        """Not to be had over this protocol."""
        remedy = 'Load the model itself, or pass stopping="tag".'
        raise PsiragError("Stopping by likelihood needs the model's probabilities", f"the endpoint {self.url}", remedy)

    def unload(self) -> None:
        """Nothing is held here."""

    def _pieces(self, body: dict[str, Any]) -> Generator[str]:
        """Pieces of text as they come, and "" while none comes; the connection is read in a thread of its own."""
        lines: queue.SimpleQueue[str | OSError | PsiragError | None] = queue.SimpleQueue()
        enough = threading.Event()
        threading.Thread(target=self._read, args=(body, lines, enough), daemon=True).start()
        waited = 0.0
        try:
            while True:
                try:
                    line = lines.get(timeout=LOOK)
                except queue.Empty:
                    waited += LOOK
                    if waited > SILENCE:
                        raise self._failure(f"nothing for {SILENCE} seconds") from None
                    yield ""
                    continue
                waited = 0.0
                if line is None:
                    return
                if not isinstance(line, str):
                    raise line
                yield from self._delta(line)
        finally:
            enough.set()

    def _read(self, body: dict[str, Any], lines: queue.SimpleQueue[Any], enough: threading.Event) -> None:
        """Send the request and hand on the lines of the reply, the failure, or None at the end."""
        data = json.dumps(body).encode()
        request = Request(f"{self.url}/chat/completions", data=data, headers=self._headers)  # noqa: S310 (http only)
        try:
            with self._opener.open(request, timeout=SILENCE) as reply:
                for line in reply:
                    if enough.is_set():
                        return
                    lines.put(line.decode("utf-8", "replace"))
            lines.put(None)
        except HTTPError as error:
            with error:
                said = error.read(500).decode("utf-8", "replace")
            lines.put(self._failure(f"HTTP {error.code}: {said}"))
        except (OSError, ValueError) as error:
            lines.put(self._failure(f"{type(error).__name__}: {error}"))

    def _delta(self, line: str) -> Iterator[str]:
        """The text in one line of a stream of events, if it holds any."""
        field, _, data = line.strip().partition(":")
        if field != "data" or not data.strip() or data.strip() == "[DONE]":
            return
        try:
            event = json.loads(data)
            if "error" in event:
                raise self._failure(json.dumps(event["error"]))
            for choice in event.get("choices") or ():
                yield choice["delta"].get("content") or ""
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            if isinstance(error, PsiragError):
                raise
            raise self._failure(f"a line that is no event of a stream: {line.strip()[:200]}") from error

    def _failure(self, what: str) -> PsiragError:
        """The error for an endpoint that did not answer as it should."""
        remedy = "Check that it runs, serves this model, and that the address ends where /chat/completions begins."
        return PsiragError(f"The endpoint {self.url} must answer for the model {self.name}", what, remedy)

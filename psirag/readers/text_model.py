"""The seam between a reader that prompts and the model behind it, local or at an endpoint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypedDict

OnText = Callable[[str], object]


class Message(TypedDict):
    """One turn of a conversation."""

    role: str
    content: str


@dataclass(frozen=True)
class Completion:
    """What a model generated, and nothing of its prompt.

    Attributes
    ----------
    text : str
        The new text.
    tokens : int
        How many tokens it took.
    prompt : str
        The prompt as the model got it.
    """

    text: str
    tokens: int
    prompt: str


class TextModel(Protocol):
    """A model that goes on from messages. `HuggingFaceModel` and `EndpointModel` are two; a test may bring its own.

    Attributes
    ----------
    name : str
        For the transcript.
    identity : str
        Weights and settings: equal identities give equal texts.
    context : int
        Tokens that prompt and reply may hold together.
    batch_size : int
        Conversations that `complete_many` takes at once.
    control : tuple of str
        Strings that its tokenizer reads as turns or other controls, which no document may hold.
    """

    name: str
    identity: str
    context: int
    batch_size: int
    control: tuple[str, ...]

    def count(self, messages: Sequence[Message], opening: str = "") -> int:
        """Count the prompt's tokens."""
        ...

    def count_text(self, text: str) -> int:
        """Count a text's tokens."""
        ...

    def complete(
        self, messages: Sequence[Message], *, opening: str, limit: int, stop: Sequence[str], on_text: OnText
    ) -> Completion:
        """Generate at most `limit` tokens after `opening`, up to a stop string or until `on_text` returns True."""
        ...

    def complete_many(
        self, conversations: Sequence[Sequence[Message]], *, limit: int, until: Callable[[str], bool]
    ) -> list[Completion]:
        """Generate for several conversations at once, each until it is told that its text is enough."""
        ...

    def log_probabilities(
        self, messages: Sequence[Message], *, opening: str, endings: Sequence[str], on_text: OnText
    ) -> list[float]:
        """Log-probability of each ending after `opening`; nothing when `on_text` returned True."""
        ...

    def unload(self) -> None:
        """Give back the memory; the next call loads again."""
        ...

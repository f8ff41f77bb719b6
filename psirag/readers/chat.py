"""Messages to one prompt string through a model's chat template, whatever the template refuses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psirag.readers.text_model import Message


def render_chat(tokenizer: Any, messages: Sequence[Message], opening: str = "") -> tuple[str, bool]:
    r"""Render messages for the model to go on from, with the first words of its reply.

    Parameters
    ----------
    tokenizer : tokenizer of transformers
    messages : sequence of Message
    opening : str
        What the reply begins with.

    Returns
    -------
    tuple of (str, bool)
        The prompt, and whether a chat template made it (which then wrote the special tokens too).

    Notes
    -----
    Turns of one role in a row are joined. A template that refuses or drops the system turn gets it within the first
    user turn; one that refuses that too gets everything in one user turn; without a template the prompt is plain text.
    Thinking modes are asked to stay off: the reply has a thought of its own, of limited length.
    Source: ours.

    Examples
    --------
    >>> class Base:
    ...     chat_template = None
    >>> render_chat(Base(), [{"role": "user", "content": "Who?"}], "Thought:")
    ('User: Who?\n\nAssistant: Thought:', False)
    """
    if getattr(tokenizer, "chat_template", None):
        for turns in (_joined(messages), _joined(_without_system(messages)), _one_turn(messages)):
            prompt = _templated(tokenizer, turns)
            if prompt is not None:
                return prompt + opening, True
    return f"{_plain(_joined(messages))}\n\nAssistant: {opening}".rstrip(" "), False


def _templated(tokenizer: Any, turns: list[Message]) -> str | None:
    """The template's prompt, or None when it raised or left a turn out."""
    from jinja2.exceptions import TemplateError

    try:
        prompt: str = tokenizer.apply_chat_template(
            [dict(turn) for turn in turns], tokenize=False, add_generation_prompt=True, enable_thinking=False
        )
    except (TemplateError, ValueError, TypeError, LookupError):
        return None
    return prompt if all(turn["content"].strip() in prompt for turn in turns) else None


def _joined(messages: Sequence[Message]) -> list[Message]:
    """The messages with neighbours of one role made one."""
    turns: list[Message] = []
    for message in messages:
        if turns and turns[-1]["role"] == message["role"]:
            turns[-1] = {"role": message["role"], "content": f"{turns[-1]['content']}\n\n{message['content']}"}
        else:
            turns.append(message)
    return turns


def _without_system(messages: Sequence[Message]) -> list[Message]:
    """The messages with every system turn said by the user."""
    return [{"role": "user", "content": m["content"]} if m["role"] == "system" else m for m in messages]


def _one_turn(messages: Sequence[Message]) -> list[Message]:
    """All messages as one user turn."""
    return [{"role": "user", "content": _plain(_without_system(messages))}] if messages else []


def _plain(messages: Sequence[Message]) -> str:
    """Messages as plain text, each behind its role's name; a system text stands alone."""
    names = {"system": "", "user": "User: ", "assistant": "Assistant: "}
    return "\n\n".join(names[message["role"]] + message["content"] for message in messages)

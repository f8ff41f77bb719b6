"""From a model's reply to an action: the tags `Answer:` and `Retrieve:`, as pure functions over strings."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from psirag.readers.protocol import NOT_MENTIONED

# What may stand before a tag on its line: spaces, quote and list marks, emphasis.
TAG = re.compile(r"^[\s>*_#`\-•]*(?:final\s+)?(answer|retrieve)[\s*_`]*[:：][ \t]*", re.IGNORECASE | re.MULTILINE)
CLOSED_THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.IGNORECASE | re.DOTALL)
LATE_CLOSE = re.compile(r"\A.*</think(?:ing)?>", re.IGNORECASE | re.DOTALL)
LATE_OPEN = re.compile(r"<think(?:ing)?>.*\Z", re.IGNORECASE | re.DOTALL)
FENCE = re.compile(r"^[ \t]*```.*$", re.MULTILINE)
NEXT_PARAGRAPH = re.compile(r"\n\s*\n|\n(?=[\s*_]*[A-Z]\w*[*_]*[ \t]*[:：])")
EMPHASIS = re.compile(r"^(?:\*\*|__)+\s*|^[*_]\s+|\s+[*_]$|\s*(?:\*\*|__)+$")
BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")
PAIRS = (("*", "*"), ("_", "_"), ("`", "`"), ('"', '"'), ("“", "”"), ("「", "」"))


@dataclass(frozen=True)
class Reply:
    """A parsed reply: the action, its text or its queries, and the thought before it."""

    action: Literal["answer", "retrieve", "not_mentioned", "unparsed"]
    text: str = ""
    queries: tuple[str, ...] = ()
    thought: str = ""


def parse_reply(raw: str, *, short: bool = True) -> Reply:
    r"""Read the action off a reply: only tags at the start of a line count, and the last one with content wins.

    Parameters
    ----------
    raw : str
        What the model generated, and nothing of its prompt.
    short : bool
        Keep only the first paragraph of an answer.

    Returns
    -------
    Reply
        "unparsed" when no tag with content is left once reasoning is taken out; its text is then what was said.

    Notes
    -----
    A tag may be bold, in any case, or end in a full-width colon. An empty tag counts as none. When the last tags are
    several `Retrieve:` lines, or one followed by a list, each line is a query.
    Source: Ψ-RAG §3.2, Algorithm 3.

    Examples
    --------
    >>> parse_reply("I could Retrieve: more, but I know.\n**Answer:** Paris").text
    'Paris'
    >>> parse_reply("Retrieve:\n- wife of David Gest\n- films of David Gest").queries
    ('wife of David Gest', 'films of David Gest')
    """
    visible, thought = split_thought(raw)
    visible = FENCE.sub("", visible)
    tags = [tag for tag in _tagged_spans(visible) if tag[1]]
    before = visible[: tags[0][2]].strip() if tags else ""
    thought = "\n".join(part for part in (thought, before) if part)
    if not tags:
        return Reply("unparsed", text=_answer_text(TAG.sub("", visible), short=short), thought=thought)
    kind, content, _ = tags[-1]
    if kind == "retrieve":
        return Reply("retrieve", queries=_trailing_queries(tags), thought=thought)
    text = _answer_text(content, short=short)
    return Reply("not_mentioned" if is_not_mentioned(text) else "answer", text=text, thought=thought)


def split_thought(raw: str) -> tuple[str, str]:
    """Take the reasoning out of a reply: `(visible, thought)`.

    A closing tag without an opening one ends the thought (some templates open it in the prompt); an opening tag
    without a closing one means that the token limit cut the thought, and nothing after it is visible.

    Source: field practice with reasoning models; the paper's agent reasons in plain text (§3.2).

    Examples
    --------
    >>> split_thought("<think>no</think>Answer: yes")
    ('Answer: yes', 'no')
    """
    thoughts: list[str] = []

    def cut(pattern: re.Pattern[str], text: str) -> str:
        thoughts.extend(re.sub(r"</?think(?:ing)?>", "", found, flags=re.I).strip() for found in pattern.findall(text))
        return pattern.sub("", text)

    visible = cut(LATE_OPEN, cut(LATE_CLOSE, cut(CLOSED_THOUGHT, raw)))
    return visible.strip(), "\n".join(thought for thought in thoughts if thought)


def is_not_mentioned(text: str) -> bool:
    """Whether an answer says that the evidence does not hold one.

    Source: Ψ-RAG §3.2, the answer given when the attempts are exhausted.

    Examples
    --------
    >>> is_not_mentioned("**not mentioned.**"), is_not_mentioned("Not mentioned in 1999, but in 2000")
    (True, False)
    """
    return normalised_query(text) == normalised_query(NOT_MENTIONED)


def normalised_query(query: str) -> str:
    """A query as it is compared with earlier ones: compatible characters, lower case, no punctuation, single spaces.

    Source: ours; the paper does not say when two queries are the same.

    Examples
    --------
    >>> normalised_query("  Who IS the wife—of David Gest ?")
    'who is the wife of david gest'
    """
    folded = unicodedata.normalize("NFKC", query).casefold()
    kept = "".join(c if not unicodedata.category(c).startswith(("P", "Z", "C")) else " " for c in folded)
    return " ".join(kept.split())


def _tagged_spans(text: str) -> list[tuple[str, str, int]]:
    """Every tag at a line's start with its content (up to the next tag) and its position."""
    tags = list(TAG.finditer(text))
    ends = [*(tag.start() for tag in tags[1:]), len(text)]
    contents = [EMPHASIS.sub("", text[tag.end() : end].strip()) for tag, end in zip(tags, ends, strict=False)]
    filled = [content if normalised_query(content) else "" for content in contents]
    return [(tag[1].lower(), content, tag.start()) for tag, content in zip(tags, filled, strict=True)]


def _trailing_queries(tags: list[tuple[str, str, int]]) -> tuple[str, ...]:
    """The queries of the run of `Retrieve:` tags that ends the reply."""
    queries: list[str] = []
    for kind, content, _ in reversed(tags):
        if kind != "retrieve":
            break
        lines = _first_paragraph(content).splitlines()
        listed = [line for line in lines[1:] if BULLET.match(line)]
        queries[:0] = [_unwrapped(BULLET.sub("", line)) for line in [lines[0], *listed]]
    return tuple(query for query in queries if query)


def _answer_text(content: str, *, short: bool) -> str:
    """The answer itself: its first paragraph (or all), without wrapping marks."""
    return _unwrapped(_first_paragraph(content) if short else content)


def _first_paragraph(text: str) -> str:
    """The first part with a word in it; a part ends at a blank line or before a label such as `Explanation:`."""
    return next((part.strip() for part in NEXT_PARAGRAPH.split(text) if normalised_query(part)), "")


def _unwrapped(text: str) -> str:
    """The text without the emphasis or quotes that wrap it; empty when only punctuation is left."""
    text = EMPHASIS.sub("", text.strip())
    for opening, closing in PAIRS:
        inner = text[1:-1]
        if text.startswith(opening) and text.endswith(closing) and opening not in inner and closing not in inner:
            text = inner.strip()
    return text if normalised_query(text) else ""

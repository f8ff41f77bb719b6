"""The seam for a model: whoever can write an abstract of a few texts, called once per node, bottom up."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, MutableMapping, Sequence
from typing import Protocol, runtime_checkable

from psirag.abstraction.phrases import MAX_PHRASES
from psirag.abstraction.sentences import first_tokens
from psirag.errors import PsiragError

INPUT_TOKENS = 3000  # leaves room for instructions and the abstract in the paper's context of 4,096
_THOUGHT = re.compile(r"^.*</think>|<think>.*?</think>", re.DOTALL)
_SEPARATOR = re.compile(r"[,;\n、，；]")
_FAILURES = (ArithmeticError, LookupError, OSError, RuntimeError, ValueError)


@runtime_checkable
class Writer(Protocol):
    """A model that can write abstracts.

    It may also say `max_input_tokens`, what all texts of a call may hold together; `identity`, its model, prompts and
    settings, under which finished calls are kept instead of its name; `store`, where they are kept; and have
    `write_many(calls, *, kind, max_tokens)` for `batch_size` calls at once.

    Attributes
    ----------
    name : str

    Source: Ψ-RAG §3.1 (abstraction agent).
    """

    name: str

    def write_abstract(self, texts: Sequence[str], *, kind: str, max_tokens: int) -> str:
        """Return one abstract of the texts: at most 20 phrases for "keyword", a paragraph for "summary"."""


def write_one(
    writer: Writer,
    texts: Sequence[str],
    *,
    node: int,
    kind: str,
    max_tokens: int,
    count: Callable[[str], int],
    store: MutableMapping[str, str] | None = None,
) -> str:
    """Have one abstract written, with one more try after a failure; "" when what came twice was unusable.

    Parameters
    ----------
    writer : Writer
    texts : sequence of str
        The children's texts, in full: each is shortened as `share_window` says.
    node : int
        For the error message.
    kind : {"keyword", "summary"}
    max_tokens : int
        Of the abstract.
    count : callable
        From a text to its number of tokens.
    store : mutable mapping of str to str, optional
        Finished abstracts by a hash of the call: a call that is in it is not made again.

    Returns
    -------
    str

    Raises
    ------
    PsiragError
        The writer failed twice; it names the node, and the failure is its cause.

    Source: Ψ-RAG §3.1 (abstraction agent).

    Examples
    --------
    >>> class Upper:
    ...     name = "upper"
    ...     def write_abstract(self, texts, *, kind, max_tokens):
    ...         return "<think>hm</think>" + " ".join(texts).upper()
    >>> write_one(Upper(), ["a b", "c"], node=2, kind="summary", max_tokens=2, count=lambda text: len(text.split()))
    'A B'
    """
    shared, key = prepare_call(writer, texts, kind=kind, max_tokens=max_tokens, count=count)
    if store is not None and key in store:
        return store[key]
    for attempt in (1, 2):
        try:
            raw = writer.write_abstract(shared, kind=kind, max_tokens=max_tokens)
        except _FAILURES as error:
            if attempt == 1:
                continue
            asked = f"The writer {writer.name!r} must return an abstract for node {node}"
            given = f"{type(error).__name__} twice ({error})"
            remedy = "Mend the cause and build again; with a store, finished abstracts are not written again."
            raise PsiragError(asked, given, remedy) from error
        text = tidy(raw, kind, max_tokens, count)
        if text:
            if store is not None:
                store[key] = text
            return text
    return ""


def write_batches(
    writer: Writer,
    calls: Sequence[Sequence[str]],
    *,
    kind: str,
    max_tokens: int,
    count: Callable[[str], int],
    store: MutableMapping[str, str],
) -> None:
    """Have the calls that are not in the store written `batch_size` at a time, where the writer can do that.

    What comes back usable is put into the store; the rest, and all after a failure, is left to `write_one`.

    Examples
    --------
    >>> class Two:
    ...     name, batch_size = "two", 2
    ...     def write_many(self, calls, *, kind, max_tokens):
    ...         return [f"{len(calls)} calls" for _ in calls]
    >>> store = {}
    >>> write_batches(Two(), [["a"], ["b"], ["c"]], kind="summary", max_tokens=9, count=len, store=store)
    >>> list(store.values())
    ['2 calls', '2 calls', '1 calls']
    """
    write_many = getattr(writer, "write_many", None)
    if write_many is None:
        return
    prepared = [prepare_call(writer, texts, kind=kind, max_tokens=max_tokens, count=count) for texts in calls]
    missing = list({key: shared for shared, key in prepared if key not in store}.items())
    size = max(1, int(getattr(writer, "batch_size", 8)))
    for start in range(0, len(missing), size):
        batch = missing[start : start + size]
        try:
            raws = write_many([shared for _, shared in batch], kind=kind, max_tokens=max_tokens)
        except _FAILURES:
            return
        for (key, _), raw in zip(batch, raws, strict=False):
            text = tidy(raw, kind, max_tokens, count)
            if text:
                store[key] = text


def prepare_call(
    writer: Writer, texts: Sequence[str], *, kind: str, max_tokens: int, count: Callable[[str], int]
) -> tuple[list[str], str]:
    """The texts as the writer gets them, and the key of the call: a hash of writer, texts and limits.

    Examples
    --------
    >>> class Named:
    ...     name = "named"
    >>> shared, key = prepare_call(Named(), ["a", "b"], kind="summary", max_tokens=9, count=len)
    >>> shared, len(key)
    (['a', 'b'], 64)
    """
    shared = share_window(texts, getattr(writer, "max_input_tokens", INPUT_TOKENS), count)
    call = json.dumps([getattr(writer, "identity", writer.name), kind, max_tokens, shared], ensure_ascii=False)
    return shared, hashlib.sha256(call.encode("utf-8", "replace")).hexdigest()


def share_window(texts: Sequence[str], budget: int, count: Callable[[str], int]) -> list[str]:
    """Shorten the longest texts, all to one length, until they fit the budget together: every text keeps a part.

    Examples
    --------
    >>> share_window(["a", "b c d e", "f g h"], 6, lambda text: len(text.split()))
    ['a', 'b c', 'f g']
    """
    lengths = sorted(count(text) for text in texts)
    left, cap = budget, budget
    for i, length in enumerate(lengths):
        cap = left // (len(lengths) - i)
        if length > cap:
            break
        left -= length
    else:
        return list(texts)
    return [first_tokens(text, max(1, cap), count) for text in texts]


def tidy(raw: object, kind: str, max_tokens: int, count: Callable[[str], int]) -> str:
    """Return what is usable of a model's output: no reasoning, one line, within the limit; "" for nothing.

    Examples
    --------
    >>> tidy("oak, ash, oak, elm", "keyword", 100, len), tidy("<think>cut off", "summary", 100, len)
    ('oak, ash, elm', '')
    """
    if not isinstance(raw, str):
        return ""
    text = _THOUGHT.sub("", raw)
    if "<think>" in text:
        text = text[: text.index("<think>")]
    if kind == "keyword":
        phrases = (re.sub(r"^\s*(?:[-*•]|\d+[.)])\s+", "", phrase).strip() for phrase in _SEPARATOR.split(text))
        distinct: dict[str, str] = {}
        for phrase in filter(None, phrases):
            distinct.setdefault(phrase.casefold(), phrase)
        return ", ".join([*distinct.values()][:MAX_PHRASES])
    return first_tokens(" ".join(text.split()), max_tokens, count)

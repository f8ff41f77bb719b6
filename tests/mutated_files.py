"""Broken files for the readers: valid ones changed at random by a seed; and a guard on time and memory."""

from __future__ import annotations

import contextlib
import copy
import json
import random
import signal
from collections.abc import Iterator
from typing import Any

CPU_SECONDS = 10  # of one reading: more is a hang
MEMORY = 2**30  # that one reading may take more
TOKENS = [
    b"\xef\xbb\xbf", b"\xff\xfe", b"\0", b"\r", b"\n", b'"\\ud800"', b"\xed\xa0\x80", b"NaN", b"-Infinity", b"1e999",
    b"9" * 5000, b"[" * 600, b"[" * 100_000, b'{"a":' * 600, b"]", b"}", b",", b'"', b"\\", b"A" * 70_000,
    b"\xe2\x80\xa8", b"<![x", b"<!", b"<!--", b"<pre>", b"&#9999999999;", b"# ", b"```\n", b"---\n", b"1.1.1 X\n",
    b"====\n", b"(", b"null", b"version https://git-lfs.github.com/spec/",
]  # fmt: skip
DEEP = "deep within"  # stands for a value nested as deeply as the number beside it
VALUES = [
    None, True, False, 0, -1, 1.5, float("nan"), float("inf"), 2**31, 2**63, 10**30, -(10**400), "", " ", "\ud800",
    "a\0b", "[1]", "[" * 3000, "1" * 5000, [], {}, [[]], [None], [{}], {"": None}, {"title": 5},
    {"title": None, "text": []}, *({DEEP: depth} for depth in (100, 300, 480, 900, 5000)),
]  # fmt: skip


def mutated(seed: bytes, rng: random.Random) -> bytes:
    """Change a valid file once or a few times."""
    content = seed
    if rng.random() < 0.6:
        content = _other_values(content, rng)
    for _ in range(rng.choice([0, 1, 1, 2, 5]) if content != seed else rng.choice([1, 1, 2, 8])):
        content = _other_bytes(content, rng)
    return content


def _other_bytes(content: bytes, rng: random.Random) -> bytes:
    """Flip, delete, repeat, truncate, or insert something that readers trip over."""
    start = rng.randint(0, len(content))
    end = min(len(content), start + rng.choice([1, 1, 2, 8, 100]))
    new = {
        "flip": bytes(byte ^ (1 << rng.randrange(8)) for byte in content[start:end]),
        "random": rng.randbytes(end - start),
        "delete": b"",
        "repeat": content[start:end] * rng.choice([2, 2, 1000]),
        "token": rng.choice(TOKENS),
        "digit": bytes(rng.choice(b"0123456789") for _ in range(end - start)),
    }
    if rng.random() < 0.05:
        return content[:start]
    return content[:start] + new[rng.choice([*new])] + content[end:]


def _other_values(content: bytes, rng: random.Random) -> bytes:
    """Change the values of a JSON file, or of one line of it; other files stay."""
    lines = [content]
    try:
        json.loads(content)
    except ValueError:
        lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    try:
        value = json.loads(lines[at])
    except ValueError:
        return content
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        value = _other_value(value, rng)
    text = json.dumps(value, ensure_ascii=rng.random() < 0.7)
    for depth in (100, 300, 480, 900, 5000):
        open_, close = rng.choice([("[", "]"), ('{"text": ', "}")])
        text = text.replace(json.dumps({DEEP: depth}), f"{open_ * depth}1{close * depth}")
    if rng.random() < 0.1:
        text = text.replace("{", '{"text": "twice", "title": 3, ', 1)  # a key twice
    return b"\n".join([*lines[:at], text.encode("utf-8", "surrogatepass"), *lines[at + 1 :]])


def _other_value(value: Any, rng: random.Random) -> Any:
    """Replace, delete, rename, swap or wrap one value somewhere inside."""
    places = [*_places(value)]
    if not places or rng.random() < 0.05:
        return copy.deepcopy(rng.choice(VALUES))
    holder, key = rng.choice(places)
    kind = rng.choice(["value", "value", "other", "delete", "rename", "wrap", "many"])
    if kind == "value":
        holder[key] = copy.deepcopy(rng.choice(VALUES))
    elif kind == "other":
        other, name = rng.choice(places)
        holder[key] = copy.deepcopy(other[name])
    elif kind == "delete":
        del holder[key]
    elif kind == "rename" and isinstance(holder, dict):
        holder[rng.choice([str(name) for _, name in places])] = holder.pop(key)
    elif kind == "many" and isinstance(holder, list):
        holder.extend(copy.deepcopy([holder[key]] * 50))
    else:
        holder[key] = rng.choice([[holder[key]], {"title": holder[key]}, {"text": holder[key]}])
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container inside, with each of its keys."""
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from _places(value[key])


class Hang(BaseException):
    """A reading took too much processor time."""


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Raise `Hang` after `CPU_SECONDS` of processor time, and `MemoryError` where more than `MEMORY` is taken."""

    import resource  # not on Windows

    def stop(*_: Any) -> None:
        raise Hang(f"more than {CPU_SECONDS} s")

    before, limits = signal.signal(signal.SIGVTALRM, stop), resource.getrlimit(resource.RLIMIT_AS)
    pages = int(open("/proc/self/statm").read().split()[0])  # noqa: PTH123, SIM115
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, limits[1]))
    signal.setitimer(signal.ITIMER_VIRTUAL, CPU_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        resource.setrlimit(resource.RLIMIT_AS, limits)
        signal.signal(signal.SIGVTALRM, before)

"""A tiny deterministic encoder for tests: each word is a fixed random direction, a text is their sum."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import numpy as np


class HashingEncoder:
    """Unit float32 rows from words, without a model; texts that share words are similar, a text of no word is zero."""

    def __init__(self, dimension: int = 32, *, name: str = "") -> None:
        self.dimension = dimension
        self.name = name
        self.identity = f"{name} hashing encoder of {dimension} columns"
        self.max_tokens: int | None = None
        self.tokenizer = None
        self.calls = 0

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Return one row a text."""
        self.calls += 1
        rows = np.zeros((len(texts), self.dimension))
        for row, text in zip(rows, texts, strict=True):
            for word in re.findall(r"\w+", text.casefold()):
                row += self._direction(word)
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        return (rows / np.where(length > 0, length, 1)).astype(np.float32)

    def _direction(self, word: str) -> np.ndarray:
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
        return np.random.default_rng(seed).normal(size=self.dimension)

"""Any object that encodes texts, made into an `Encoder` whose rows can be relied on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from psirag.encoding.protocol import Encoder, encode_distinct, unit_or_nan
from psirag.encoding.sentence_encoder import SentenceEncoder, load_encoder
from psirag.errors import PsiragError
from psirag.vectors import Ints, Vectors


class WrappedEncoder:
    """An object with `encode(texts)`, its output checked, scaled to unit float32 rows, identical texts encoded once.

    Source: Ψ-RAG §3.1 (chunk encoder).
    """

    def __init__(self, encoder: Any, *, name: str) -> None:
        self.encoder = encoder
        self.name = name
        self.identity: str = str(getattr(encoder, "identity", name))
        self.max_tokens: int | None = getattr(encoder, "max_tokens", None)
        self.tokenizer: Any | None = getattr(encoder, "tokenizer", None)
        self.prompts: Mapping[str, str] = getattr(encoder, "prompts", None) or {"query": "", "document": ""}
        self._dimension: int | None = getattr(encoder, "dimension", None)

    def __repr__(self) -> str:
        return f"<WrappedEncoder {self.name!r} of {type(self.encoder).__name__}>"

    @property
    def dimension(self) -> int:
        """Columns of every matrix of rows: as the encoder says, else seen on one word."""
        if self._dimension is None:
            self._dimension = int(_matrix(self.encoder.encode(["psirag"]), 1).shape[1])
        return self._dimension

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Encode passages or abstracts: (n, d) unit float32 rows, zero for a blank text."""
        return encode_distinct(texts, self.dimension, lambda some: self._rows(self.encoder.encode, some))

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Encode questions, by the encoder's own `encode_queries` where it has one."""
        encode = getattr(self.encoder, "encode_queries", self.encoder.encode)
        return encode_distinct(texts, self.dimension, lambda some: self._rows(encode, some))

    def truncated(self, texts: Sequence[str]) -> Ints:
        """Return what the encoder itself says is longer than its window; nothing where it does not say."""
        ask = getattr(self.encoder, "truncated", None)
        return np.asarray([] if ask is None else ask(texts), dtype=np.int64)

    def _rows(self, encode: Callable[[list[str]], Any], texts: list[str]) -> Vectors:
        """Return unit rows for distinct texts; NaN rows pass, to be named by the caller."""
        rows = _matrix(encode(texts), len(texts))
        if rows.shape[1] != self.dimension:
            given = f"{rows.shape[1]} columns after {self.dimension}"
            raise PsiragError("An encoder must always return rows of one length", given, "Check its dimension.")
        return unit_or_nan(rows)


def as_encoder(encoder: Any, *, name: str = "") -> Encoder:
    """Return an `Encoder`: by name, from a SentenceTransformer object, or around any object with `encode(texts)`.

    Parameters
    ----------
    encoder : str, Path or object
        What `load_encoder` takes; or an object whose `encode(list of str)` returns one row of numbers per text (numpy,
        torch in any precision, or lists). `encode_queries`, `dimension`, `max_tokens`, `tokenizer`, `prompts` and
        `name` are used where it has them.
    name : str
        A name for an object that has none. An index saved with a nameless encoder asks for it when it is loaded.

    Returns
    -------
    Encoder
        Unit float32 rows, checked at every call.

    Raises
    ------
    PsiragError
        An object without `encode`; on use, output that is not one finite row of numbers for each text.

    Source: Ψ-RAG §3.1 (chunk encoder).

    Examples
    --------
    >>> class Lengths:
    ...     def encode(self, texts):
    ...         return [[len(text), 1.0] for text in texts]
    >>> as_encoder(Lengths()).encode(["a", "bb", "a"]).shape
    (3, 2)
    """
    if isinstance(encoder, (SentenceEncoder, WrappedEncoder)):
        return encoder
    if isinstance(encoder, (str, Path)):
        return load_encoder(encoder)
    if isinstance(encoder, type) or not callable(getattr(encoder, "encode", None)):
        given = f"{encoder!r:.80}, a {type(encoder).__name__}"
        raise PsiragError("An encoder must be a name or an object with encode(texts)", given, 'Pass "auto", say.')
    if any(parent.__module__.startswith("sentence_transformers.") for parent in type(encoder).__mro__):
        return SentenceEncoder(encoder, name=name, weights="in memory")
    own = getattr(encoder, "name", "")
    return WrappedEncoder(encoder, name=name or (own if isinstance(own, str) else ""))


def _matrix(output: Any, expected: int) -> npt.NDArray[Any]:
    """Return an encoder's output as a real (expected, d) array."""
    if callable(getattr(output, "detach", None)):  # a torch tensor: numpy knows no bfloat16
        output = output.detach().float().cpu().numpy()
    try:
        rows = np.asarray(output)
    except ValueError:  # ragged rows
        rows = np.empty(0, dtype=object)
    if rows.ndim != 2 or rows.dtype.kind not in "fiu" or len(rows) != expected or rows.shape[1] == 0:
        given = f"an array of shape {rows.shape} and dtype {rows.dtype}"
        asked = f"encode must return one row of numbers for each of {expected} texts"
        raise PsiragError(asked, given, "Return a numpy array of shape (n, d).")
    return rows

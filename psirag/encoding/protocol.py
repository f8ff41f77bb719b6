"""What the rest of psirag asks of an encoder, and the one way from a list of texts to its rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from psirag.checks import check_texts, first_few
from psirag.errors import PsiragError, PsiragWarning
from psirag.vectors import Ints, Vectors, unit_rows


@runtime_checkable
class Encoder(Protocol):
    """Texts in, unit float32 rows out; `encode` is for passages and abstracts, `encode_queries` for questions.

    Attributes
    ----------
    name : str
        What `load_encoder` takes to load it again; "" for an encoder that only its maker can make again.
    identity : str
        Name, weights, number format and window in one line: equal identities give the same vectors.
    dimension : int
        Columns of every matrix of rows.
    max_tokens : int or None
        The window: a longer text is encoded by its first `max_tokens` tokens. None: not known.
    tokenizer : object or None
        The tokenizer that counts those tokens. None: not known.
    prompts : mapping
        The prompts put before a "query" and a "document"; "" where the model defines none.

    Source: Ψ-RAG §3.1 (chunk encoder).
    """

    name: str
    identity: str
    max_tokens: int | None
    prompts: Mapping[str, str]

    @property
    def dimension(self) -> int:
        """Columns of every matrix of rows."""

    @property
    def tokenizer(self) -> Any | None:
        """The tokenizer that the window is counted in."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return (n, d) unit float32 rows, a zero row for a blank text."""

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the same for questions, under the query prompt."""

    def truncated(self, texts: Sequence[str]) -> Ints:
        """Return the positions of the texts that are longer than the window."""


def encode_distinct(texts: Sequence[str], dimension: int, encode: Callable[[list[str]], npt.NDArray[Any]]) -> Vectors:
    """Encode every distinct text once: identical texts share one vector, and blank ones are zero rows.

    Parameters
    ----------
    texts : sequence of str
        n texts, in any order, with any repeats.
    dimension : int
        d, used where there is nothing to encode.
    encode : callable
        From a list of distinct, non-blank texts to their (k, d) unit rows, NaN where the model gave none.

    Returns
    -------
    ndarray, shape (n, d), float32, read-only

    Raises
    ------
    PsiragError
        Something else than texts, or rows that hold NaN or infinity, named by their positions.

    Source: Ψ-RAG §3.1 (chunk encoder).

    Examples
    --------
    >>> encode_distinct(["b", "a", "b"], 1, lambda texts: np.array([[ord(text)] for text in texts])).tolist()
    [[98.0], [97.0], [98.0]]
    """
    clean = check_texts("texts", texts)
    distinct = {text: row for row, text in enumerate(dict.fromkeys(text for text in clean if text.strip()))}
    vectors = np.zeros((len(distinct) + 1, dimension), dtype=np.float32)  # the last row serves the blank texts
    if distinct:
        vectors[:-1] = encode(list(distinct))
    where = np.array([distinct.get(text, len(distinct)) for text in clean], dtype=np.int64)
    rows = vectors[where]
    broken = np.flatnonzero(np.isnan(rows).any(axis=1))
    if broken.size:
        given = f"NaN or infinity for the texts at rows {first_few(broken)}"
        remedy = "Look at these texts, or load the encoder in float32 or on another device."
        raise PsiragError("An encoder must return finite vectors", given, remedy)
    blank = np.flatnonzero(where == len(distinct))
    if blank.size:
        message = f"{blank.size} of {len(clean)} texts are blank and get a zero vector: positions {first_few(blank)}"
        warnings.warn(message, PsiragWarning, stacklevel=3)
    rows.flags.writeable = False
    return rows


def unit_or_nan(rows: npt.NDArray[Any]) -> Vectors:
    """Scale a model's rows to unit length; a row that is not finite becomes NaN, for `encode_distinct` to name."""
    finite = np.isfinite(rows).all(axis=1)
    unit = np.full(rows.shape, np.nan, dtype=np.float32)
    unit[finite] = unit_rows(rows[finite], what="encoder output")
    return unit

"""Any sentence-transformers model as an `Encoder`: loaded once, prompts applied, vectors kept on disk."""

from __future__ import annotations

import gc
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from psirag.checks import check_count, check_texts
from psirag.encoding.loading import forget, load_model
from psirag.encoding.names import EncoderSource, find_encoder
from psirag.encoding.protocol import encode_distinct, unit_or_nan
from psirag.encoding.vector_cache import VectorCache, default_cache_folder
from psirag.errors import PsiragError
from psirag.vectors import Ints, Vectors

_BATCHES_AT_ONCE = 16  # vectors are kept on disk after so many batches, so an interruption loses little


class SentenceEncoder:
    """A sentence-transformers model that gives unit float32 rows; see `Encoder` for its attributes.

    `calls` counts the texts that the model itself has encoded, those found in the cache not included.

    Source: doi:10.18653/v1/D19-1410 (Sentence-BERT).
    """

    def __init__(
        self, model: Any, *, name: str, weights: str, source: EncoderSource | None = None,
        batch_size: int = 32, cache: Path | None = None, progress: bool | None = None,
    ) -> None:  # fmt: skip
        self._model, self._source, self._progress = model, source, progress
        self._batch_size = batch_size
        self.name = name
        self.device = str(model.device)
        self.max_tokens: int | None = _window(model)
        self.prompts: Mapping[str, str] = _prompts(model)
        self._tasks_differ = any(type(module).__name__ == "Router" for module in model)
        dtype = str(next((p.dtype for p in model.parameters()), "float32")).removeprefix("torch.")
        self.identity = f"{name}\n{weights} {dtype} window {self.max_tokens}"
        self._dimension = int(model.get_embedding_dimension() or 0)
        self._cache = None if cache is None else VectorCache(cache, self.identity)
        self.calls = 0

    def __repr__(self) -> str:
        return f"<SentenceEncoder {self.name!r}: {self.dimension} columns, {self.device}>"

    @property
    def dimension(self) -> int:
        """Columns of every matrix of rows."""
        if not self._dimension:
            self._dimension = int(self._run(["psirag"], "document").shape[1])
        return self._dimension

    @property
    def tokenizer(self) -> Any:
        """The model's tokenizer."""
        return self.model.tokenizer

    @property
    def model(self) -> Any:
        """The sentence-transformers model, loaded again after `unload`."""
        if self._model is None and self._source is not None:
            self._model, _ = load_model(self._source, self.device)
        return self._model

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Encode passages or abstracts under the document prompt: (n, d) unit float32 rows, zero for a blank text."""
        return encode_distinct(texts, self.dimension, lambda some: self._encode(some, "document"))

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Encode questions under the query prompt: (n, d) unit float32 rows, zero for a blank text."""
        return encode_distinct(texts, self.dimension, lambda some: self._encode(some, "query"))

    def token_counts(self, texts: Sequence[str]) -> Ints:
        """Count each text's tokens as the window counts them: document prompt and special tokens included."""
        clean = [self.prompts["document"] + text for text in check_texts("texts", texts)]
        if not clean:
            return np.empty(0, dtype=np.int64)
        tokens = self.tokenizer(clean, truncation=False, padding=False, verbose=False)["input_ids"]
        return np.array([len(some) for some in tokens], dtype=np.int64)

    def truncated(self, texts: Sequence[str]) -> Ints:
        """Return the positions of the texts longer than the window, which are encoded by their first tokens only."""
        if self.max_tokens is None:
            return np.empty(0, dtype=np.int64)
        return np.flatnonzero(self.token_counts(texts) > self.max_tokens)

    def unload(self) -> None:
        """Let go of the weights and of the GPU memory they hold; the next call loads them again."""
        if self._source is None:
            return
        self._model = None
        forget(self._source, self.device)
        gc.collect()
        if self.device.startswith("cuda"):
            import torch

            torch.cuda.empty_cache()

    def _encode(self, texts: list[str], task: str) -> Vectors:
        """Return the rows of distinct texts: from the cache, else from the model; NaN where the model gave none."""
        prompt = self.prompts[task] + (f"\0{task}" if self._tasks_differ else "")
        known = {} if self._cache is None else self._cache.get(prompt, texts, self.dimension)
        missing = sorted((text for text in texts if text not in known), key=lambda text: (-len(text), text))
        with _bar(len(missing), self._progress) as bar:
            for start in range(0, len(missing), self._batch_size * _BATCHES_AT_ONCE):
                some = missing[start : start + self._batch_size * _BATCHES_AT_ONCE]
                fresh = dict(zip(some, unit_or_nan(self._run(some, task)), strict=True))
                known |= fresh
                if self._cache is not None:
                    self._cache.put(prompt, {text: row for text, row in fresh.items() if np.isfinite(row).all()})
                bar.update(len(some))
        return np.stack([known[text] for text in texts])

    def _run(self, texts: list[str], task: str) -> Vectors:
        """Ask the model itself: raw float32 rows."""
        self.calls += len(texts)
        encode = self.model.encode_query if task == "query" else self.model.encode_document
        tensor = encode(texts, batch_size=self._batch_size, convert_to_tensor=True, show_progress_bar=False)
        rows: Vectors = tensor.detach().float().cpu().numpy()
        return rows


def load_encoder(
    name: str | Path = "auto", *, device: str | None = None, batch_size: int = 32,
    cache: bool | str | Path = True, progress: bool | None = None,
) -> SentenceEncoder:  # fmt: skip
    """Load a sentence-transformers model; "auto" is the all-MiniLM-L6-v2 that the install brought, on every machine.

    Parameters
    ----------
    name : str or Path
        "auto", a short name of `ENCODER_NAMES` ("qwen3-0.6b", "qwen3-8b", …), a hub id or a folder. Only a name of
        the hub downloads anything.
    device : str, optional
        As torch names it. None: the GPU when there is one, else the CPU.
    batch_size : int
        Texts per batch. It changes the speed only.
    cache : bool or path
        Keep vectors on disk: True in $PSIRAG_CACHE or the platform's cache folder, or in the folder given.
    progress : bool, optional
        A progress bar. None: only on a terminal.

    Returns
    -------
    SentenceEncoder
        `.encode(texts)` and `.encode_queries(texts)` give (n, d) unit float32 rows. The weights of one name and device
        are loaded once and shared.

    Raises
    ------
    PsiragError
        No such name, folder, device or model; a missing package; a hub that cannot be reached; altered weights.

    Source: Ψ-RAG §5 and App. C (encoders used).

    Examples
    --------
    >>> encoder = load_encoder()
    >>> encoder.encode(["A tree of abstracts.", "Where is the source of the Danube?"]).shape
    (2, 384)
    """
    source = find_encoder(name)
    size = check_count("batch_size", batch_size)
    folder = _cache_folder(cache)
    if progress is not None and not isinstance(progress, bool):
        raise PsiragError("progress must be True, False or None", repr(progress), "Leave it out.")
    model, weights = load_model(source, device)
    return SentenceEncoder(
        model, name=source.name, weights=weights, source=source, batch_size=size, cache=folder, progress=progress
    )


def _cache_folder(cache: bool | str | Path) -> Path | None:
    """Turn the argument into a folder; one that the caller names must be usable."""
    if isinstance(cache, bool):
        return default_cache_folder() if cache else None
    if not isinstance(cache, (str, Path)) or not str(cache).strip():
        raise PsiragError("cache must be True, False or a folder", repr(cache), "Pass a path, or False for none.")
    folder = Path(cache)
    try:
        folder = folder.expanduser()
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError, RuntimeError) as error:
        remedy = "Pass a folder that can be written, or cache=False."
        raise PsiragError(f"cache must be a folder that can be made, here {folder}", str(error), remedy) from error
    return folder


def _window(model: Any) -> int | None:
    """Return the model's window in tokens, None where it has none (tokenizers say 1e30 for that)."""
    length = model.max_seq_length
    return int(length) if isinstance(length, (int, float)) and 0 < length < 10**9 else None


def _prompts(model: Any) -> dict[str, str]:
    """Return the prompts that sentence-transformers puts before a query and before a document."""
    defined = model.prompts
    document = next((defined[key] for key in ("document", "passage", "corpus") if key in defined), "")
    return {"query": defined.get("query") or "", "document": document or ""}


def _bar(total: int, progress: bool | None) -> Any:
    """Return a progress bar that is silent unless asked for or on a terminal."""
    tqdm = import_module("tqdm.auto" if progress else "tqdm").tqdm  # in a notebook, tqdm.auto leaves a widget behind
    hidden = None if progress is None else not progress
    return tqdm(total=total, desc="encode", unit="text", disable=hidden, leave=False)

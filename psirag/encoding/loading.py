"""Loading a model once per process, and saying plainly why one cannot be loaded."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from psirag.encoding.names import EncoderSource, fingerprint
from psirag.errors import PsiragError
from psirag.optional import needed

_LOADED: dict[tuple[str, str], tuple[Any, str]] = {}
_needed = partial(needed, extra="models", what="load_encoder")


def load_model(source: EncoderSource, device: str | None) -> tuple[Any, str]:
    """Return a sentence-transformers model and the commit or hash of its weights; a second call returns the same.

    Examples
    --------
    >>> from psirag.encoding.names import find_encoder
    >>> load_model(find_encoder("auto"), "cpu")[0] is load_model(find_encoder("auto"), "cpu")[0]
    True
    """
    place = _device(device)
    key = (str(source.folder or source.name), place)
    if source.folder is not None:
        weights = fingerprint(source.folder)
        if key not in _LOADED or _LOADED[key][1] != weights:
            _LOADED[key] = (_from_folder(source, place), weights)
    elif key not in _LOADED:
        _LOADED[key] = _from_hub(source, place)
    return _LOADED[key]


def forget(source: EncoderSource, device: str) -> None:
    """Drop a loaded model, so that its memory can be freed."""
    _LOADED.pop((str(source.folder or source.name), device), None)


def _device(device: str | None) -> str:
    """Return the device to use: the one asked for if torch has it, else the GPU when there is one."""
    torch = _needed("torch")
    if device is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, TypeError, NotImplementedError) as error:
        given = f"{device!r} ({str(error).splitlines()[0]})"
        asked = "device must be one that torch can use here"
        raise PsiragError(asked, given, 'Pass "cpu", or leave it out.') from error
    return str(torch.device(device))


def _from_folder(source: EncoderSource, device: str) -> Any:
    """Load a model from a folder, without asking any network."""
    library = _needed("sentence_transformers")
    try:
        with _quiet():
            return library.SentenceTransformer(str(source.folder), device=device, local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        remedy = "Pass a folder that SentenceTransformer.save wrote, with its config.json and weights."
        given = f"{source.folder} ({_first_line(error)})"
        raise PsiragError("load_encoder needs a folder with a sentence-transformers model", given, remedy) from error


def _from_hub(source: EncoderSource, device: str) -> tuple[Any, str]:
    """Load a model of the hub at its latest commit, or from the hub's local cache when the hub cannot be reached."""
    library = _needed("sentence_transformers")
    commit, trouble = latest_commit(source.name)
    try:
        with _quiet():
            model = library.SentenceTransformer(
                source.name, device=device, revision=commit, prompts=dict(source.prompts) or None,
                local_files_only=commit is None,
            )  # fmt: skip
    except _hub_errors() as error:
        offline = os.environ.get("HF_HUB_OFFLINE")
        asked = f"load_encoder must find {source.name} on the Hugging Face hub or in its local cache"
        remedy = (
            'Copy the model to a folder and call load_encoder with that folder, use "auto", or check the connection '
            f"and that HF_HUB_OFFLINE is not set ({f'it is {offline!r}' if offline else 'it is not'}). A model with "
            "its own code must be built by you with SentenceTransformer and passed to as_encoder."
        )
        raise PsiragError(asked, trouble or _first_line(error), remedy) from error
    config = getattr(getattr(model[0], "auto_model", None), "config", None)
    return model, str(commit or getattr(config, "_commit_hash", None) or "unknown commit")


def latest_commit(hub_id: str) -> tuple[str | None, str]:
    """Ask the hub once, with a short time limit: its latest commit, or None and what went wrong.

    Examples
    --------
    >>> latest_commit("no id")[0] is None
    True
    """
    hub = _needed("huggingface_hub")
    try:
        return hub.HfApi().model_info(hub_id, timeout=10).sha, ""
    except _hub_errors() as error:
        return None, f"{type(error).__name__}: {_first_line(error)}"


def _hub_errors() -> tuple[type[Exception], ...]:
    """Return what the hub's client raises; the base class of its network errors depends on its version."""
    return OSError, ValueError, KeyError, getattr(_needed("huggingface_hub.errors"), "HTTPError", OSError)


def _first_line(error: Exception) -> str:
    """Return an error's first line."""
    return (str(error).splitlines() or [type(error).__name__])[0][:300]


@contextmanager
def _quiet() -> Iterator[None]:
    """Hide the bar that transformers draws while it reads weights, and leave its setting as it was."""
    logging: Any = _needed("transformers.utils.logging")
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()

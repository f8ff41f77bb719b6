"""Sets by name: those that come with psirag, and public ones from a local folder or the Hugging Face hub."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from psirag.checks import check_path
from psirag.corpus.public_sets import Dataset, datasets
from psirag.errors import PsiragError

DATA_VARIABLE = "PSIRAG_DATA"
PUBLIC_SETS = {each.name: each for each in datasets()}
# Right in the folder of all sets these may be any set's, so there they count only in a folder= of their own.
_ANY_SETS = re.compile(r"(corpus|dev|test|documents|qaps)\..*")
# Further questions on the same corpus: load_questions("atlas-second").
FURTHER = {"second": "questions2.json", "third": "questions3.json"}
# What a folder may call its part.
PART_NAMES = {
    "corpus": ("corpus.json", "corpus.jsonl", "corpus", "documents"),
    "questions": ("questions.json", "questions.jsonl"),
}


def built_in_sets(part: str) -> dict[str, Path]:
    """Return the built-in sets that have this part, "corpus" or "questions", by name."""
    data = Path(str(resources.files("psirag.data")))
    folders = [folder for folder in sorted(data.iterdir()) if folder.is_dir()]
    found = {folder.name: part_of(folder, part) for folder in folders}
    if part == "questions":
        further = {f"{each.name}-{rank}": each / name for rank, name in FURTHER.items() for each in folders}
        found |= {name: path for name, path in further.items() if path.is_file()}
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
    places = _local_places(public, part, folder)
    local = next((place for place in places if place.is_file()), None)
    return local or _from_hub(public, part, places, only_local=folder is not None)


def missing(name: str, part: str) -> PsiragError:
    """Return the error for a str that is neither a set nor a file."""
    sets = [*built_in_sets(part), *PUBLIC_SETS]
    longer = [each for each in sets if len(name) > 2 and name.lower() in each]
    near = [*_beside(name), *(longer or difflib.get_close_matches(name.lower(), sets, n=3))]
    asked = f"load_{part} needs a set ({', '.join(sets)}), an existing path or a text"
    given = f"{name!r}, which is no set and no file ({Path(name).absolute()} does not exist)"
    hint = f"Did you mean {' or '.join(map(repr, near))}? " if near else ""
    return PsiragError(asked, given, f"{hint}Correct the name; a text that looks like one goes in a list: [text].")


def _beside(name: str) -> list[str]:
    """List files and folders whose names are like the last part of a path that does not exist."""
    path = Path(name)
    try:
        beside = sorted(each.name for each in path.expanduser().parent.iterdir())
    except (OSError, ValueError, RuntimeError):  # no such folder, a null character, an unknown home folder
        return []
    return [str(path.with_name(each)) for each in difflib.get_close_matches(path.name, beside, n=3, cutoff=0.75)]


def _local_places(public: Dataset, part: str, folder: str | os.PathLike[str] | None) -> list[Path]:
    """List where a public set's file may lie, in order of preference."""
    chosen = folder if folder is not None else os.environ.get(DATA_VARIABLE)
    if not chosen:
        return []
    root, files = check_path("folder", chosen).absolute(), public.files(part)
    own = [root / public.name / each for each in (*files, *PART_NAMES[part][:2])]
    beside = [root / each for each in files if folder is not None or not _ANY_SETS.fullmatch(each)]
    return [*dict.fromkeys(own), *beside]


def _from_hub(public: Dataset, part: str, places: Sequence[Path], *, only_local: bool) -> Path:
    """Download a file of a public set, or say where it was looked for."""
    file, repository = public.files(part)[0], public.repository
    looked = ", ".join(map(str, places)) or f"no local folder ({DATA_VARIABLE} is not set)"
    reason = "the hub was not asked because folder= was given" if only_local else "the hub does not have this set"
    if repository and not only_local:
        try:
            from huggingface_hub import hf_hub_download

            return Path(hf_hub_download(repository, file, repo_type="dataset"))
        except ImportError:
            reason = f"huggingface_hub is not installed, so hub dataset {repository} was not asked"
        except OSError as error:
            summary = (str(error).splitlines() or [""])[0]
            reason = f"hub dataset {repository} did not give it ({type(error).__name__}: {summary})"
    given = f"no such file at: {looked}; {reason}"
    place = (
        f"Download {file} from https://huggingface.co/datasets/{repository}"
        if repository
        else f"{public.source}: put it"
    )
    remedy = f"{place} into FOLDER/{public.name}/ and pass folder=FOLDER or set {DATA_VARIABLE}=FOLDER."
    raise PsiragError(f"load_{part}({public.name!r}) needs the file {file}", given, remedy)

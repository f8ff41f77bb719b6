"""A saved evaluation: outcomes that two runs have in common to the byte, and beside them date and seconds."""

from __future__ import annotations

import os
from pathlib import Path

from psirag.checks import check_path
from psirag.evaluation.evaluation import Evaluation
from psirag.evaluation.outcome import Outcome
from psirag.storage import MANIFEST, check_free, fitting, open_folder, read_lines, write_folder, write_lines

OUTCOMES, SECONDS = "outcomes.jsonl", "seconds.jsonl"
KIND = "evaluation"


def check_place(folder: str | os.PathLike[str], *, overwrite: bool) -> Path:
    """Return the folder as a path, when an evaluation may be saved there.

    Raises
    ------
    PsiragError
        Something is there: an evaluation without `overwrite`, or anything else.
    """
    path = check_path("folder", folder)
    check_free(path, overwrite=overwrite, kind=KIND)
    return path


def save_evaluation(evaluation: Evaluation, folder: str | os.PathLike[str], *, overwrite: bool) -> None:
    """Write the files and the manifest of an evaluation."""
    path = check_place(folder, overwrite=overwrite)

    def write_files(at: Path) -> None:
        lines = [
            {name: value for name, value in vars(each).items() if name != "seconds"} for each in evaluation.outcomes
        ]
        write_lines(at / OUTCOMES, lines)
        write_lines(at / SECONDS, ({"seconds": each.seconds} for each in evaluation.outcomes))

    about = {"kind": KIND, "date": evaluation.date, "k": evaluation.k, "seed": evaluation.seed}
    about |= {"systems": dict(evaluation.systems), "made": dict(evaluation.manifest)}
    write_folder(path, write_files, about, overwrite=overwrite)


def load_evaluation(folder: str | os.PathLike[str]) -> Evaluation:
    """Check a saved evaluation against its manifest and read it."""
    path, manifest = open_folder(check_path("folder", folder), KIND, required=(OUTCOMES, SECONDS))
    rows, times = read_lines(path / OUTCOMES), read_lines(path / SECONDS)
    with fitting(OUTCOMES):
        outcomes = tuple(Outcome(**{**row, **spent}) for row, spent in zip(rows, times, strict=True))
    with fitting(MANIFEST):
        parts = {name: manifest[name] for name in ("systems", "seed", "date")}
        return Evaluation(outcomes=outcomes, k=tuple(manifest["k"]), manifest=manifest["made"], **parts)

"""`python -m psirag notebooks DIR`: put the notebooks into a folder, to run and to change."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from psirag.errors import PsiragError


def copy_notebooks(folder: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Copy the notebooks that came with psirag, as they were last executed, and the picture in one of them.

    Parameters
    ----------
    folder : path
        Made when it is not there. Files of other names in it are left alone.

    Returns
    -------
    tuple of Path
        The notebooks written, in order.

    Raises
    ------
    PsiragError
        A file of the same name is there already: nothing is written then.

    Notes
    -----
    Source: ours.

    Examples
    --------
    >>> import tempfile
    >>> copy_notebooks(tempfile.mkdtemp())[0].name
    '00_tour.ipynb'
    """
    target, here = Path(folder), resources.files("psirag.notebooks")
    names = sorted(file.name for file in here.iterdir() if file.name.endswith((".ipynb", ".svg")))
    if taken := [name for name in names if (target / name).exists()]:
        given = f"{target}, which holds {', '.join(taken)}"
        raise PsiragError("notebooks needs a folder without files of their names", given, "Name another folder.")
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name in names:
            (target / name).write_bytes((here / name).read_bytes())
    except OSError as error:
        given = f"{target} ({error.strerror or error})"
        raise PsiragError("notebooks needs a folder that can be written", given, "Name another folder.") from error
    return tuple(target / name for name in names if name.endswith(".ipynb"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; 0 when it was done, 2 when it could not be."""
    parser = argparse.ArgumentParser(prog="python -m psirag", description="What psirag does from the command line.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    notebooks = commands.add_parser("notebooks", help="copy the notebooks into a folder")
    notebooks.add_argument("folder", type=Path, metavar="DIR")
    options = parser.parse_args(arguments)
    try:
        written = copy_notebooks(options.folder)
    except PsiragError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{len(written)} notebooks in {options.folder}. Open them: jupyter lab {options.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

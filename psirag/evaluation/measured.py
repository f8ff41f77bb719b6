"""What was measured by hand with the scripts of `tests/benchmarks/`, and came along with psirag."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from psirag.checks import check_choice


def measured(name: str) -> Any:
    """Read a result that is too slow to measure in a notebook.

    Parameters
    ----------
    name : str
        Name of a file in `tests/benchmarks/results/`, without ".json".

    Returns
    -------
    dict or list
        As the script wrote it: figures, with date and hardware or versions.

    Raises
    ------
    PsiragError
        No such result; the names there are are listed.

    Notes
    -----
    Source: ours.

    Examples
    --------
    >>> sorted(measured("retrieval"))[:2]
    ['date', 'hardware']
    """
    files = resources.files("psirag.results")
    names = sorted(file.name.removesuffix(".json") for file in files.iterdir() if file.name.endswith(".json"))
    check_choice("name", name, names)
    return json.loads((files / f"{name}.json").read_text(encoding="utf-8"))

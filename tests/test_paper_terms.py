"""The README's table leads from every term of the paper to a public object and to the files it lives in."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8") if (ROOT / "README.md").exists() else ""

# The vocabulary of the paper's method and theory: each needs a row.
PAPER_TERMS = [
    "similarity ranking",
    "merging",
    "leaf node collapse",
    "abstract node collapse",
    "rebalancing",
    "abstraction",
    "tree retrieval",
    "sparse keyword index",
    "fusion",
    "agent",
    "Dasgupta",
    "collapsing process",
    "abstract tree",
]


def rows(text: str) -> list[tuple[str, list[str], list[str]]]:
    """The rows of the table: a term, the dotted names it leads to, the files it lives in."""
    found = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
        names = re.findall(r"`(psirag(?:\.\w+)+)", cells[1]) if len(cells) >= 3 else []
        if names:
            found.append((cells[0], names, re.findall(r"`([\w/.]+)`", cells[2])))
    return found


def resolve(dotted: str) -> object:
    """The object of a dotted name; an AttributeError or ImportError says what is not there."""
    parts = dotted.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            thing: object = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            thing = getattr(thing, part)
        return thing
    raise ImportError(dotted)


def test_table_is_there():
    assert rows(README), "README.md has no row like | paper term | `psirag.name` | `file` |"


@pytest.mark.parametrize("term", PAPER_TERMS)
def test_every_term_has_a_row(term):
    assert [row for row in rows(README) if term.lower() in row[0].lower()], f"no row for {term!r}"


@pytest.mark.parametrize(("term", "names", "files"), rows(README), ids=[row[0] for row in rows(README)])
def test_row_leads_somewhere(term, names, files):
    for name in names:
        assert resolve(name) is not None
    assert [file for file in files if not (ROOT / file).exists()] == [], term


def test_every_public_name_is_in_the_readme():
    import psirag

    absent = [name for name in psirag.__all__ if not re.search(rf"`(?:psirag\.)?{name}\b", README)]
    assert not absent, f"README.md does not mention {absent}"


def test_rows_are_read():
    line = "| merging *and* collapse | `psirag.merge_steps`, `psirag.tree` | `psirag/tree/`, `psirag/index.py` |"
    names, files = ["psirag.merge_steps", "psirag.tree"], ["psirag/tree/", "psirag/index.py"]
    assert rows(line) == [("merging *and* collapse", names, files)]


def test_a_name_that_is_not_there_does_not_resolve():
    with pytest.raises(AttributeError):
        resolve("psirag.errors.no_such_name")

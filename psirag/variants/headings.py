"""The tree of a document's headings: every section is a node that owns the text up to the next heading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from psirag.checks import check_texts, check_type
from psirag.errors import PsiragError
from psirag.variants.heading_formats import Heading, find_headings
from psirag.vectors import Ints


@dataclass(frozen=True, eq=False)
class DocumentTree:
    r"""Headings as a tree: nodes in the order of the text, the document itself first.

    Parameters
    ----------
    text : str
        What the spans are of.
    titles : tuple of str
        One a node.
    parent : (m,) int64, read-only
        The section that a section belongs to; -1 for the document.
    level : (m,) int64, read-only
        As written (h3 and ### are 3), 0 for a document whose title is no heading. A level may be skipped.
    start, end : (m,) int64, read-only
        Span of the node's own text: without its heading, and without the sections below it.

    Raises
    ------
    PsiragError
        Columns of different lengths, or a parent that does not come before its child.

    Notes
    -----
    Source: RIT-RAG (2026), Figure 1; the arrays are ours.

    Examples
    --------
    >>> tree = document_tree("# Bats\n\nThey fly.\n\n## Food\n\nMoths.")
    >>> tree.titles, tree.parent.tolist(), tree.own_text(1)
    (('Bats', 'Food'), [-1, 0], 'Moths.')
    """

    text: str
    titles: tuple[str, ...]
    parent: Ints
    level: Ints
    start: Ints
    end: Ints

    def __post_init__(self) -> None:
        for name in ("parent", "level", "start", "end"):
            column = np.array(getattr(self, name), dtype=np.int64)
            column.flags.writeable = False
            object.__setattr__(self, name, column)
            if column.shape != (len(self.titles),):
                given = f"shape {column.shape} for {len(self.titles)} titles"
                raise PsiragError(f"DocumentTree.{name} needs one entry a node", given, "See document_tree.")
        if np.any(self.parent >= np.arange(len(self))) or self.parent[0] != -1 or np.any(self.parent[1:] < 0):
            given = f"{self.parent[:10].tolist()} …"
            raise PsiragError("DocumentTree.parent: -1, then a node before each child", given, "See document_tree.")

    def __len__(self) -> int:
        return len(self.titles)

    def own_text(self, node: int) -> str:
        """Return a node's own text, without the white space around it."""
        return self.text[self.start[node] : self.end[node]].strip()


def document_tree(text: str, *, title: str = "", format: str = "auto") -> DocumentTree:  # noqa: A002
    r"""Build the tree of a text's headings.

    A heading belongs to the nearest one before it of a smaller level, so a skipped level makes no node. When the text
    begins with a heading whose level no other heading has or undercuts, that heading is the document's node; otherwise
    the document is a node of its own, with the title given and the text before the first heading. A text without
    headings is that one node.

    Parameters
    ----------
    text : str
    title : str
        Of the document, where no heading is its title.
    format : {"auto", "markdown", "html", "rst", "numbered", "plain"}
        See `find_headings`.

    Returns
    -------
    DocumentTree

    Raises
    ------
    PsiragError
        Not a text, or another format.

    Notes
    -----
    Source: RIT-RAG (2026), Figure 1 (a tree from the table of contents); how headings are found is ours.

    Examples
    --------
    >>> tree = document_tree("Intro\n\n1 Bats\n\n1.1 Food\n\nMoths.\n\n2 Owls\n\nMice.", title="Night")
    >>> tree.titles, tree.parent.tolist()
    (('Night', '1 Bats', '1.1 Food', '2 Owls'), [-1, 0, 1, 0])
    """
    clean, title = check_texts("document_tree's text and title", (check_type("text", text, str), title))
    shown, headings = find_headings(clean, format=format)
    if not _opens_with_title(shown, headings):
        headings = [Heading(0, " ".join(title.split()), 0, 0), *headings]
    starts = [heading.end for heading in headings]
    ends = [*(heading.start for heading in headings[1:]), len(shown)]
    levels = [heading.level for heading in headings]
    titles = tuple(heading.title for heading in headings)
    return DocumentTree(shown, titles, _parents(levels), levels, starts, ends)  # type: ignore[arg-type]


def _opens_with_title(text: str, headings: Sequence[Heading]) -> bool:
    """Whether the first heading stands above all others and nothing but white space stands before it."""
    if not headings or text[: headings[0].start].strip():
        return False
    return all(heading.level > headings[0].level for heading in headings[1:])


def _parents(levels: Sequence[int]) -> list[int]:
    """For each level in turn the position of the nearest earlier one that is smaller, -1 for the first."""
    parents: list[int] = []
    open_: list[int] = []
    for i, level in enumerate(levels):
        while open_ and levels[open_[-1]] >= level:
            open_.pop()
        parents.append(open_[-1] if open_ else -1)
        open_.append(i)
    return parents

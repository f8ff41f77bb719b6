"""The tree of a document's headings: levels, spans, and what happens to headings that do not fit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from psirag.errors import PsiragError
from psirag.variants.headings import DocumentTree, document_tree


def test_the_first_heading_above_all_others_is_the_document():
    tree = document_tree(
        "# A\n\nown\n\n## B\n\nb\n\n#### Skipped\n\nc\n\n### Back\n\nd\n\n## B\n\n## Empty\n", title="no"
    )
    assert tree.titles == ("A", "B", "Skipped", "Back", "B", "Empty")
    assert tree.parent.tolist() == [-1, 0, 1, 1, 0, 0]
    assert tree.level.tolist() == [1, 2, 4, 3, 2, 2]
    assert [tree.own_text(i) for i in range(6)] == ["own", "b", "c", "d", "", ""]


@pytest.mark.parametrize(("text", "titles", "parent"), [
    ("before\n\n# A\n\na", ("T", "A"), [-1, 0]),
    ("# A\n\na\n\n# B\n\nb", ("T", "A", "B"), [-1, 0, 0]),
    ("### A\n\na\n\n# B\n\nb", ("T", "A", "B"), [-1, 0, 0]),
    ("no heading", ("T",), [-1]),
    ("", ("T",), [-1]),
    ("# A", ("A",), [-1]),
])  # fmt: skip
def test_otherwise_the_document_is_a_node_of_its_own(text, titles, parent):
    tree = document_tree(text, title=" T ")
    assert (tree.titles, tree.parent.tolist()) == (titles, parent)
    assert tree.own_text(0) == {"T": text.partition("#")[0].strip(), "A": ""}[titles[0]]


@pytest.mark.parametrize(
    "text", ["# A\n\na\n\n## B\n\nb", "A\n=\n\na\n\nB\n-\n\nb", "<h1>A</h1>a<h2>B</h2>b", "A\n~\n\na\n\nB\n.\n\nb"]
)
def test_four_spellings_of_one_document(text):
    tree = document_tree(text)
    assert (tree.titles, tree.parent.tolist()) == (("A", "B"), [-1, 0])
    assert (tree.own_text(0), tree.own_text(1)) == ("a", "b")


@pytest.mark.oracle
@given(st.lists(st.integers(1, 6), max_size=12))
def test_a_parent_is_the_nearest_earlier_heading_of_a_smaller_level(levels):
    tree = document_tree("x\n\n" + "\n\n".join("#" * level + f" h\n\n{i}" for i, level in enumerate(levels)))
    for i, level in enumerate(levels, start=1):
        before = [j for j in range(1, i) if levels[j - 1] < level]
        assert tree.parent[i] == (before[-1] if before else 0)
        assert tree.own_text(i) == str(i - 1)


@given(st.text(alphabet="#=-` 1.aA\n", max_size=60))
def test_every_character_is_in_a_heading_or_in_one_own_text(text):
    tree = document_tree(text)
    assert np.all(tree.start <= tree.end)
    assert np.all(tree.end[:-1] <= tree.start[1:])
    assert tree.end[-1] == len(tree.text)


def test_arrays_are_read_only():
    assert not document_tree("# A").start.flags.writeable


def test_wrong_input():
    with pytest.raises(PsiragError, match="text must be a str"):
        document_tree(None)
    with pytest.raises(PsiragError, match="other types at positions 1"):
        document_tree("a", title=3)
    with pytest.raises(PsiragError, match="needs one entry a node"):
        DocumentTree("", ("a",), [-1], [0], [0, 1], [0])
    with pytest.raises(PsiragError, match="a node before each child"):
        DocumentTree("", ("a", "b"), [-1, 1], [0, 1], [0, 0], [0, 0])
    with pytest.raises(PsiragError, match="a node before each child"):
        DocumentTree("", ("a", "b"), [-1, -1], [0, 1], [0, 0], [0, 0])

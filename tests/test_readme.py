"""What the README shows is what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import psirag
from psirag import build_tree, circular_tree, load_corpus, load_encoder
from psirag.corpus import passages_as_chunks

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PICTURE = ROOT / "notebooks" / "toy_tree.svg"


def test_the_picture_is_drawn_by_the_code():
    """Delete the file and run this test to draw it anew."""
    toy = load_corpus("toy")
    tree = build_tree(load_encoder().encode(passages_as_chunks(toy).indexed_texts))
    topics = [passage.metadata["topic"] for passage in toy]
    svg = circular_tree(tree, labels=toy.titles, classes=topics, texts=[p.text for p in toy]).svg
    if not PICTURE.exists():
        PICTURE.write_text(svg, encoding="utf-8")
    assert PICTURE.read_text(encoding="utf-8") == svg


def test_the_ten_lines_run(tmp_path, monkeypatch, capsys):
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL).group(1)
    assert len(code.splitlines()) <= 10
    folder = tmp_path / "my_texts"
    folder.mkdir()
    (folder / "bridge.txt").write_text("Ada Lindt designed the old bridge over the Rhine. It opened in 1911.")
    (folder / "person.md").write_text("# Ada Lindt\n\nAda Lindt was born in Chur.")
    monkeypatch.chdir(tmp_path)
    for _ in range(2):  # a second run replaces what the first one saved
        exec(compile(code, "README.md", "exec"), {})
    assert "Chur answered" in capsys.readouterr().out
    assert (tmp_path / "my_index" / "manifest.json").exists()
    assert (tmp_path / "tree.svg").read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize("notebook", sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb")))
def test_every_notebook_is_listed(notebook):
    assert f"(notebooks/{notebook})" in README


def test_every_link_into_the_repository_leads_somewhere():
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_every_public_name_is_in_the_readme():
    missing = [name for name in psirag.__all__ if f"`psirag.{name}`" not in README]
    assert not missing

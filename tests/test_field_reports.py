"""Each kind of fault that users ran into has a line in FIELD_REPORTS.md; here are the tests that no other file has."""

from __future__ import annotations

import ast
import asyncio
import os
import re
import subprocess
import sys
import tomllib
import tracemalloc
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from psirag import Index, bucketed_tree, build_tree, linkage_tree, load_corpus
from psirag.corpus import Document
from psirag.errors import PsiragWarning
from psirag.views import circular_tree, descent, embedding_map
from tests.hashing_encoder import HashingEncoder

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
TABLE = (HERE / "FIELD_REPORTS.md").read_text(encoding="utf-8")
REPORTS = ROOT.parent / "shared" / "field-reports.md"
LINES = [line.strip("| ").split(" | ") for line in TABLE.splitlines() if line.startswith("| FR-")]


def build(corpus, **settings) -> Index:
    return Index.build(corpus, encoder=HashingEncoder(), **settings)


def pages_of(index: Index) -> list[str]:
    """Every view of an index as data for a page, and as a drawing."""
    figures = [circular_tree(index), embedding_map(index), descent(index.retrieve("moth", 2), index)]
    return [page for figure in figures for page in (figure.to_json(), figure.svg)]


# The table


def test_every_report_has_one_line_and_no_line_is_empty():
    numbers = [line[0] for line in LINES]
    assert len(numbers) == len(set(numbers)) == 106
    assert all(len(line) == 3 and all(part.strip() for part in line) for line in LINES)


def test_the_numbers_are_those_of_the_reports():
    if not REPORTS.is_file():
        pytest.skip("the collection of field reports does not lie beside the repository")
    reported = re.findall(r"^\| (FR-\d+) ", REPORTS.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(line[0] for line in LINES) == sorted(reported)


def test_every_line_names_tests_that_exist():
    defined = {
        f"{path.name}::{node.name}"
        for path in HERE.glob("test_*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }
    named = {line[0]: re.findall(r"`(\w+\.py::\w+)`", line[2]) for line in LINES}
    assert [number for number, tests in named.items() if not tests] == []
    assert {number: set(tests) - defined for number, tests in named.items() if set(tests) - defined} == {}


# What no other file shows


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("abstraction", ["keyword", "centroid"])
def test_every_view_draws_one_chunk_and_two(n, abstraction):
    assert all("moth" in page for page in pages_of(build(["moth bat", "moth cave"][:n], abstraction=abstraction)))


IN_C = """
import sys
from pathlib import Path
from psirag import Index, circular_tree
from tests.hashing_encoder import HashingEncoder
texts = ["na\\xefve \\u4e2d \\U0001f600", "\\xdf"]  # the command line of such a process takes ASCII only
index = Index.build(texts, encoder=HashingEncoder())
index.save(sys.argv[1])
circular_tree(index).write_html(sys.argv[2])
"""


def test_everything_is_written_as_utf8_whatever_the_locale(tmp_path):
    index, page = tmp_path / "index é", tmp_path / "page é.html"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    subprocess.run([sys.executable, "-c", IN_C, str(index), str(page)], check=True, env=environment)
    assert Index.load(index, encoder=HashingEncoder()).chunks.texts == ("naïve 中 😀", "ß")
    written = page.read_bytes().decode("utf-8")
    assert "中" in written or "\\u4e2d" in written  # plotly escapes what is not ASCII


def test_a_lone_surrogate_goes_all_the_way(tmp_path):
    with pytest.warns(PsiragWarning, match="1 of 2"):
        index = build([{"title": "a \udfff", "text": "moth bad \ud800 text"}, {"title": "b", "text": "moth owl"}])
    index.save(tmp_path / "index")
    loaded = Index.load(tmp_path / "index", encoder=HashingEncoder())
    assert loaded.chunks.texts == index.chunks.texts == ("moth bad \ufffd text", "moth owl")
    assert [hit.text for hit in loaded.retrieve("bad text", 1)] == ["moth bad \ufffd text"]
    for page in pages_of(loaded):
        page.encode("utf-8")


def test_a_saved_index_remembers_the_prompts(tmp_path):
    class Asymmetric(HashingEncoder):
        def __init__(self):
            super().__init__()
            self.prompts = {"query": "query: ", "document": "passage: "}

    index = Index.build(["moth bat", "owl"], encoder=Asymmetric())
    index.save(tmp_path / "index")
    assert Index.load(tmp_path / "index", encoder=Asymmetric()).manifest["encoder"]["prompts"] == Asymmetric().prompts


def test_copies_are_siblings_and_each_keeps_its_document():
    texts = ["moth bat", "river dam", "owl pine", "moth bat", "rain cloud"]
    index = build([Document(7 * i, text, f"title {i}", {"page": i}) for i, text in enumerate(texts)])
    assert index.chunks.document.tolist() == [0, 7, 14, 21, 28]
    assert index.tree.parent[0] != -1
    twin = next(i for i, title in enumerate(index.chunks.titles) if title == "title 3")
    untitled = build([Document(7 * i, text) for i, text in enumerate(texts)])
    assert untitled.tree.parent[0] == untitled.tree.parent[twin]
    hit = untitled.retrieve("moth bat", 1)[0]
    assert [int(untitled.chunks.document[i]) for i in (hit.chunk.id, *hit.duplicates)] == [0, 21]


def test_four_thousand_chunks_need_no_table_of_all_pairs():
    rows = np.random.default_rng(0).normal(size=(4_000, 32)).astype(np.float32)
    tracemalloc.start()
    tree = build_tree(rows)
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert tree.n_leaves == 4_000
    assert held < 4_000 * 4_000 * 4 / 2  # half of one float32 table of all pairs


def test_reranking_finds_no_more_than_there_is():
    class Length:
        def predict(self, pairs):
            return [len(text) for _, text in pairs]

    found = build(["moth", "moth bat", "moth bat owl"]).retrieve("moth", 5, rerank=Length())
    assert [hit.node for hit in found] == [2, 1, 0]
    assert [hit.score for hit in found] == [12, 8, 4]


def test_nothing_of_an_earlier_index_of_the_same_name_is_left(tmp_path):
    build([f"moth number{i}" for i in range(10)]).save(tmp_path / "index")
    small = build(["moth red", "moth blue", "moth green"])
    small.save(tmp_path / "index", overwrite=True)
    loaded = Index.load(tmp_path / "index", encoder=HashingEncoder())
    for query in ("moth", "number9", "red"):
        assert loaded.retrieve(query, 20).hits == small.retrieve(query, 20).hits
        assert all(hit.node < 3 for hit in loaded.retrieve(query, 20))


@pytest.mark.parametrize("per_document", [False, True])
def test_from_an_abstract_back_to_the_characters_of_its_documents(per_document):
    source = load_corpus([Document(3 * i, f"Owl {i} saw a moth. The bat {i} slept. Rain fell.") for i in range(4)])
    index = build(source, max_tokens=6, per_document=per_document)
    texts = {document.id: document.text for document in source}
    found = index.retrieve("moth", 99, nodes="all", sides=("tree",))
    abstracts = [hit for hit in found if hit.chunk is None]
    assert abstracts
    for hit in abstracts:
        assert list(hit.leaves) == sorted(set(hit.leaves)) == index.tree.leaves(hit.node).tolist()
        for leaf in hit.leaves:
            chunk = index.chunks[leaf]
            assert texts[chunk.document][chunk.start : chunk.end] == chunk.text


OFFLINE = """
import sys
from psirag import Index
print(Index.build(["moth bat", "owl"], encoder=sys.argv[1]).vectors.shape[0])
"""


def test_a_model_in_a_folder_needs_neither_home_nor_hub(tmp_path, monkeypatch):
    from tests.test_encoding import tiny_model

    monkeypatch.setenv("PSIRAG_TEST_MODELS", str(tmp_path))
    tiny_model().save(str(tmp_path / "model"))
    environment = {"PATH": "", "HF_HUB_OFFLINE": "1", "OMP_WAIT_POLICY": "PASSIVE"}
    command = [sys.executable, "-c", OFFLINE, str(tmp_path / "model")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "3"), done.stderr


@pytest.mark.parametrize(
    "tree",
    [partial(bucketed_tree, bucket_size=2), partial(linkage_tree, method="average")],
    ids=["bucketed", "linkage"],
)
def test_another_builder_s_trees_of_documents_are_saved(tree, tmp_path):
    texts = [Document(i, " ".join(f"Moth {i} saw owl {j}." for j in range(5))) for i in range(3)]
    index = build(texts, tree=tree, per_document=True, max_tokens=5)
    index.save(tmp_path / "index")
    loaded = Index.load(tmp_path / "index", encoder=HashingEncoder())
    assert loaded.tree == index.tree
    assert loaded.retrieve("owl 3", 3, document=2).hits == index.retrieve("owl 3", 3, document=2).hits


def test_nothing_asks_on_the_keyboard():
    asking = {"input", "getpass", "breakpoint", "sys.stdin.read", "sys.stdin.readline"}
    for path in [
        *(ROOT / "psirag").rglob("*.py"),
        *(ROOT / "theory").rglob("*.py"),
        *(ROOT / "notebooks").glob("*.py"),
    ]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.Call) and ast.unparse(node.func) in asking), f"{path}:{node.lineno}"


def test_the_map_of_a_loaded_index_is_the_same(tmp_path):
    index = build([f"moth number{i} owl{i % 3}" for i in range(9)])
    index.save(tmp_path / "index")
    loaded = Index.load(tmp_path / "index", encoder=HashingEncoder())
    assert embedding_map(loaded).to_json() == embedding_map(index).to_json()


def test_what_shows_figures_in_notebooks_is_declared():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    declared = {re.split(r"[>=<;\[ ]", name)[0] for name in extras["notebooks"]}
    assert {"nbformat", "plotly", "anywidget", "ipywidgets", "ipykernel"} <= declared


def test_building_and_saving_inside_a_running_event_loop(tmp_path):
    async def cell():
        index = build(["moth bat", "owl pine", "river dam"])
        index.save(tmp_path / "index")
        loaded = await asyncio.to_thread(Index.load, tmp_path / "index", encoder=HashingEncoder())
        return [[hit.node for hit in each.retrieve("moth", 2)] for each in (index, loaded)]

    ours, loaded = asyncio.run(cell())
    assert ours == loaded

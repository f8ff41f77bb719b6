"""Every reader of files on broken files: an error is a `PsiragError`, memory stays bounded, nothing hangs.

`make test` reads a fixed number of files; `make slow` reads new ones for PSIRAG_FUZZ_SECONDS a reader (600).
"""

from __future__ import annotations

import contextlib
import csv
import functools
import gzip
import io
import json
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import time
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from psirag import Index, PsiragError
from psirag.abstraction.call_store import CallStore
from psirag.corpus import load_corpus, load_questions, split_into_chunks
from psirag.encoding.vector_cache import VectorCache
from psirag.evaluation import Evaluation
from psirag.hop_discriminator import HopDiscriminator
from psirag.tree import build_tree
from psirag.tree.checkpoint import Checkpoint, Progress
from psirag.tree.kruskal import Pairs
from psirag.variants.heading_formats import FORMATS
from psirag.variants.headings import document_tree
from tests import test_public_sets as sets
from tests.hashing_encoder import HashingEncoder
from tests.mutated_files import limited, mutated
from tests.test_evaluation import OUTCOMES
from tests.test_storage import reseal

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of time and memory are set as Linux has them")
SECONDS = float(os.environ.get("PSIRAG_FUZZ_SECONDS", "600"))
FILES = 60  # that `make test` reads a reader

Files = dict[str, bytes]
ROWS = {
    name.lower(): getattr(sets, name)
    for name in dir(sets)
    if name.isupper() and isinstance(getattr(sets, name), list) and getattr(sets, name)
} | {
    "hub": [{"question": "Who?", "context": {"title": ["A", "B"], "sentences": [["One.", "Two."], ["Three."]]},
             "supporting_facts": {"title": ["A"], "sent_id": [0]}, "answer": "x", "id": "1"}],
    "questions": [{"question": "Who?", "answers": ["a", 1], "supporting_titles": ["A"], "supporting_documents": [0],
                   "hops": 2, "answerable": False, "kind": "k", "metadata": {"a": 1}}],
    "passages": [{"title": "A", "text": "One. Two.", "metadata": {"year": 1}}, {"title": None, "text": "法国 é"}],
    "texts": ["One.", "Two."],
}  # fmt: skip
MARKDOWN = (
    "---\ntitle: x\n---\n# One #\n\nText.\n```py\n# no\n```\nTwo\n===\n\n- a\n---\n\n> q\n\n## Three\n| a |\n| - |\n"
)
RST = "=====\nTitle\n=====\n\nOne\n---\n\nText.\n\nTwo\n~~~\n\n1 First\n\n1.1 Second\n\nText.\n\n2.3.4. Third\n"
HTML = (
    "<!doctype html><html><head><title>x</title><script>if (a<b) c</script></head><body><!-- c -->"
    "<h1>One &amp; two</h1><p>A <b>b</b>.<br>c</p><h3>Three</h3><pre> d\n e</pre><![CDATA[f]]><?php g ?></body></html>"
)


def as_csv(rows: list[dict[str, Any]]) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def zipped(content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("rows.jsonl", content)
    return out.getvalue()


def seeds_of_rows() -> list[Files]:
    dumped = [json.dumps(rows).encode() for rows in ROWS.values()]
    lines = [b"\n".join(json.dumps(row).encode() for row in rows) for rows in ROWS.values()]
    return [{"rows.json": one} for one in dumped] + [{"rows.jsonl": one} for one in lines]


def seeds_of_packed() -> list[Files]:
    lines = [next(iter(files.values())) for files in seeds_of_rows() if "rows.jsonl" in files]
    return [{"rows.jsonl.gz": gzip.compress(one)} for one in lines] + [{"rows.zip": zipped(one)} for one in lines]


def seeds_of_stories() -> list[Files]:
    documents = [
        {"document_id": "a", "kind": "movie", "wiki_title": "A"},
        {"document_id": "b", "kind": "", "wiki_title": ""},
    ]
    questions = [{"document_id": "a", "question": "Who, then?", "answer1": "x", "answer2": 'y "z"'}]
    tmp = {"tmp/a.content": HTML.encode(), "tmp/b.content": b"Bea wakes."}
    return [{"documents.csv": as_csv(documents), **tmp}, {"qaps.csv": as_csv(questions)}]


def seeds_of_texts() -> list[Files]:
    texts = [text.encode() for text in (MARKDOWN, RST, HTML, "Beavers build. Dams, slow; rivers! 法国的首都。 é" * 3)]
    return [{"a.md": one, "sub/b.txt": one, "c.html": one} for one in texts]


def files_of(folder: Path) -> Files:
    found = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    shutil.rmtree(folder)
    return found


def made(make: Callable[[Path], Any]) -> list[Files]:
    """What a saver writes."""
    folder = Path(tempfile.mkdtemp())
    make(folder / "saved")
    return [files_of(folder)]


def vectors() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)


def save_index(folder: Path) -> None:
    rows = [{"title": f"T{i}", "text": f"moth bat é {i}", "year": i} for i in range(5)]
    Index.build(rows, encoder=HashingEncoder(8)).save(folder)


def save_hops(folder: Path) -> None:
    HopDiscriminator(np.eye(2), np.zeros(2), np.eye(2), np.zeros(2), np.array([1, 3]), ("a",), "").save(folder)


def save_checkpoint(folder: Path) -> None:
    pairs = Pairs(*(np.arange(5, dtype=np.int64) for _ in range(3)))
    Checkpoint(folder, vectors()).save(Progress(np.arange(6), pairs, 2))


def save_calls(folder: Path) -> None:
    store = CallStore(folder, "a writer")
    store["one"], store["two é"] = "text\u2028", ""


def save_vectors(folder: Path) -> None:
    VectorCache(folder, "an encoder").put("", dict(zip("abcdef", vectors(), strict=True)))


def read_rows(folder: Path, rng: random.Random) -> None:
    path = next(path for path in sorted(folder.rglob("*")) if path.is_file())
    with contextlib.suppress(PsiragError):
        split_into_chunks(load_corpus(path), 5)
    load_questions(path, corpus=rng.choice([None, load_corpus(["One.", "Two."])]))


def read_stories(folder: Path, rng: random.Random) -> None:
    if (folder / "documents.csv").exists():
        load_corpus(folder / "documents.csv")
    load_questions(folder / "qaps.csv")


def read_texts(folder: Path, rng: random.Random) -> None:
    split_into_chunks(load_corpus(folder), 5)


def read_headings(folder: Path, rng: random.Random) -> None:
    text = (folder / "a.md").read_text("utf-8", "surrogateescape")
    for named in ("auto", *FORMATS):
        document_tree(text, format=named)


def saved_folder(folder: Path, rng: random.Random) -> Path:
    """As it is, or with a manifest that fits the broken files."""
    if rng.random() < 0.6:
        with contextlib.suppress(
            ValueError, TypeError, KeyError, AttributeError, RecursionError
        ):  # no manifest any more
            reseal(folder / "saved")
    return folder / "saved"


def read_index(folder: Path, rng: random.Random) -> None:
    index = Index.load(saved_folder(folder, rng), encoder=HashingEncoder(8), verify=rng.random() < 0.5)
    index.retrieve("moth bat", 3, sides=("tree", "flat", "sparse"))


def read_evaluation(folder: Path, rng: random.Random) -> None:
    Evaluation.load(saved_folder(folder, rng))


def read_hops(folder: Path, rng: random.Random) -> None:
    HopDiscriminator.load(saved_folder(folder, rng)).predict(np.eye(2))


def read_checkpoint(folder: Path, rng: random.Random) -> None:
    build_tree(vectors(), checkpoint=folder / "saved")


def read_calls(folder: Path, rng: random.Random) -> None:
    CallStore(folder / "saved", "a writer")["three"] = "new"
    assert CallStore(folder / "saved", "a writer")["three"] == "new"


def read_vectors(folder: Path, rng: random.Random) -> None:
    cache = VectorCache(folder / "saved", "an encoder")
    right = dict(zip("abcdef", vectors(), strict=True))
    for text, vector in cache.get("", list("abcxyz"), 4).items():
        assert np.array_equal(vector, right[text])
    cache.put("", {"x": np.ones(4, np.float32)})


@dataclass(frozen=True)
class FileReader:
    seeds: Callable[[], list[Files]]
    read: Callable[[Path, random.Random], None]


READERS = {
    "rows": FileReader(seeds_of_rows, read_rows),
    "packed": FileReader(seeds_of_packed, read_rows),
    "stories": FileReader(seeds_of_stories, read_stories),
    "texts": FileReader(seeds_of_texts, read_texts),
    "headings": FileReader(seeds_of_texts, read_headings),
    "index": FileReader(functools.partial(made, save_index), read_index),
    "evaluation": FileReader(
        functools.partial(made, lambda at: Evaluation({"A": ""}, OUTCOMES, (2,)).save(at)), read_evaluation
    ),
    "hop discriminator": FileReader(functools.partial(made, save_hops), read_hops),
    "checkpoint": FileReader(functools.partial(made, save_checkpoint), read_checkpoint),
    "call store": FileReader(functools.partial(made, save_calls), read_calls),
    "vector cache": FileReader(functools.partial(made, save_vectors), read_vectors),
}


def read_broken(reader: FileReader, seeds: list[Files], number: int, folder: Path) -> str:
    """Read the broken files of one number: "" or why they were refused; any other error shows the files."""
    rng = random.Random(number)
    files = dict(rng.choice(seeds))
    name = rng.choice(sorted(files))
    files[name] = mutated(files[name], rng)
    shutil.rmtree(folder, ignore_errors=True)
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    try:
        with warnings.catch_warnings(), limited():
            warnings.simplefilter("ignore")
            reader.read(folder, rng)
    except PsiragError as error:
        return str(error)
    except BaseException as error:
        error.add_note(f"number {number}, {name}: {files[name][:2000]!r}")
        raise
    return ""


@pytest.mark.parametrize("name", READERS)
def test_broken_files_are_errors_that_say_so(name, tmp_path):
    reader = READERS[name]
    seeds = reader.seeds()
    told = [read_broken(reader, seeds, number, tmp_path / "files") for number in range(FILES)]
    assert [why for why in told if why and ", but got " not in why] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_broken_files_for_a_long_time(name, tmp_path):
    reader = READERS[name]
    seeds, start, end = reader.seeds(), random.SystemRandom().randrange(2**40), time.monotonic() + SECONDS
    number = start
    while time.monotonic() < end:
        read_broken(reader, seeds, number, tmp_path / "files")
        number += 1
    print(f"{name}: {number - start} files from number {start}")
    assert number > start


# Found by it


def test_columns_of_the_hub_that_are_no_lists():
    with pytest.raises(PsiragError, match=r"'context\.title' must be a list.*int in row 0"):
        load_corpus([{"question": "Who?", "context": {"title": 5, "sentences": []}}])
    with pytest.raises(PsiragError, match=r"'context\.sentences' must be a list.*float in row 0"):
        load_questions([{"question": "Who?", "context": {"title": [], "sentences": 0.5}, "supporting_facts": []}])


def test_a_zip_that_lacks_its_first_bytes(tmp_path):
    (tmp_path / "rows.zip").write_bytes(zipped(b'{"text": "One."}')[1:])
    with pytest.raises(PsiragError, match="A packed file must be whole"):
        load_corpus(tmp_path / "rows.zip")


@pytest.mark.parametrize("name", ["rows.zip", "rows.jsonl.gz"])
def test_a_small_file_that_would_fill_the_memory(name, tmp_path):
    zeros = b"0" * 2**25
    (tmp_path / name).write_bytes(zipped(zeros) if name.endswith("zip") else gzip.compress(zeros))
    with pytest.raises(PsiragError, match="unpack to more than 16777216"):
        load_corpus(tmp_path / name)


def test_declarations_that_only_a_browser_knows():
    page = "<html><body><h1>One</h1><![if !IE]><p>Two</p><![CDATA2[x]]></body></html>"
    assert document_tree(page).text.split() == ["One", "Two"]
    story = {"document": {"id": "a", "text": page}, "question": "Who?", "answer": "x"}
    assert load_corpus([story])[0].text == "OneTwo"


@pytest.mark.parametrize(
    "text",
    ["<!--a-->" * 200 + "x", "<html>" + "<a " * 20_000, "<html>" + "<a b='" * 20_000, "<html>" + "<!" * 20_000,
     "<html>" + "<!--" * 20_000, "# a" + " " * 20_000 + "b", "1" + " " * 20_000 + "Title" + " " * 20_000],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_texts_that_took_hours(text, tmp_path):
    (tmp_path / "a.md").write_text(text)
    with limited():
        assert len(load_corpus(tmp_path)) == 1
        load_corpus([{"document": {"id": "a", "text": f"<html>{text}"}, "question": "Who?", "answer": "x"}])
        for named in ("auto", *FORMATS):
            assert len(document_tree(text, format=named)) >= 1


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_what_never_ends_is_not_read(kind, tmp_path):
    path = tmp_path / "a.jsonl"
    path.symlink_to("/dev/zero") if kind == "device" else os.mkfifo(path)
    for load in (load_corpus, load_questions):
        with pytest.raises(PsiragError, match="a pipe or a device"):
            load(path)


def test_a_character_of_thousands_of_digits():
    page = f"<html><h1 id='&#{'9' * 5000};'>One &#{'9' * 5000}; two</h1>"
    assert document_tree(page).titles == ("One \ufffd two",)


def test_an_answer_of_a_story_that_is_a_number():
    story = {"document": {"id": "a", "text": "One."}, "question": "How many?", "answer": 1.5}
    assert load_questions([story])[0].answers == ("1.5",)


@pytest.mark.parametrize("name", ["../secret", "a\0", "", "/etc/x"])
def test_a_story_lies_in_its_folder(name, tmp_path):
    (tmp_path / "tmp").mkdir()
    (tmp_path / "secret.content").write_text("Not a story.")
    (tmp_path / "documents.csv").write_bytes(as_csv([{"document_id": name, "kind": "k", "wiki_title": "t"}]))
    with pytest.raises(PsiragError, match="'document_id'"):
        load_corpus(tmp_path / "documents.csv")


def test_a_list_in_a_text_nested_too_deeply():
    assert load_questions([{"question": "Who?", "o_aliases": "[" * 100_000}])[0].answers == ("[" * 100_000,)


def test_a_line_of_a_call_store_nested_too_deeply(tmp_path):
    store = CallStore(tmp_path, "a writer")
    store["one"] = "text"
    with store.path.open("a") as stream:
        stream.write("[" * 100_000 + "\n")
    assert dict(CallStore(tmp_path, "a writer")) == {"one": "text"}


def broken_index(folder: Path, name: str, change: Callable[[bytes], bytes], **settings: Any) -> Index:
    save_index(folder)
    (folder / name).write_bytes(change((folder / name).read_bytes()))
    reseal(folder)
    return Index.load(folder, encoder=HashingEncoder(8), **settings)


@pytest.mark.parametrize("verify", [True, False])
def test_a_header_of_numpy_that_is_no_python(tmp_path, verify):
    with pytest.raises(PsiragError, match=r"pairs\.npy"):
        broken_index(tmp_path / "index", "pairs.npy", lambda old: old.replace(b"{", b"\\", 1), verify=verify)


def test_an_identity_of_another_type(tmp_path):
    save_index(tmp_path / "index")
    reseal(tmp_path / "index", lambda manifest: manifest["encoder"].update(identity=["x"]))
    with pytest.raises(PsiragError, match=r"manifest\.json"):
        Index.load(tmp_path / "index", encoder=HashingEncoder(8))


def test_a_lone_surrogate_in_a_manifest(tmp_path):
    save_index(tmp_path / "index")
    path = tmp_path / "index" / "manifest.json"
    path.write_bytes(path.read_bytes().replace(b'"centroid"', b'"\\ud800"').replace(b'"keyword"', b'"\\ud800"'))
    with pytest.raises(PsiragError, match=r"manifest\.json"):
        Index.load(tmp_path / "index", encoder=HashingEncoder(8))


def test_keyword_scores_of_texts_that_are_not_there(tmp_path):
    name = "sparse/indices.csc.index.npy"
    index = broken_index(tmp_path / "index", name, lambda old: old[:128] + b"\x7f" * (len(old) - 128), verify=False)
    with pytest.raises(PsiragError, match=r"sparse/indices\.csc\.index\.npy"):
        index.retrieve("moth", sides=("sparse",))


@pytest.mark.parametrize("content", [b"no zip", b"", b"PK\x03\x04"])
def test_a_discriminator_that_is_no_archive(tmp_path, content):
    save_hops(tmp_path / "hops")
    (tmp_path / "hops" / "weights.npz").write_bytes(content)
    reseal(tmp_path / "hops")
    with pytest.raises(PsiragError, match=r"load needs the file weights\.npz as it was saved"):
        HopDiscriminator.load(tmp_path / "hops")


def test_a_vector_cache_that_holds_text_where_vectors_were(tmp_path):
    save_vectors(tmp_path)
    cache = VectorCache(tmp_path, "an encoder")
    with contextlib.closing(sqlite3.connect(cache.path)) as connection, connection:
        connection.execute("UPDATE vectors SET vector = CAST(x'ffffffffffffffffffffffffffffffff' AS TEXT)")
    assert cache.get("", ["a"], 4) == {}
    assert cache.put("", {"a": np.ones(4, np.float32)})
    assert cache.get("", ["a"], 4)["a"].tolist() == [1, 1, 1, 1]

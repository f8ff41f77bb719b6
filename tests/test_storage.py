"""Saved indexes: what comes back is what was saved, and nothing else is ever taken for an index."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from psirag import storage
from psirag.errors import PsiragError, PsiragWarning
from psirag.index import Index
from psirag.index.files import load_parts
from psirag.storage import MANIFEST, check_files, read_array, read_lines, read_manifest, write_folder, write_lines
from tests.hashing_encoder import HashingEncoder
from tests.test_index import WORDS, texts

ROOT = Path(__file__).resolve().parent.parent
QUERIES = [f"{a} {b}" for a, b in zip(WORDS, WORDS[5:] + WORDS[:5], strict=True)] + [
    "法国 moth",
    "the of",
    "xyzzy",
    "cafe",
]


@pytest.fixture(scope="module")
def index() -> Index:
    rows = [{"title": f"T{i}", "text": text, "year": i} for i, text in enumerate(texts(20))]
    rows += [{"text": "法国的首都 moth\u2028line"}, {"text": "the café é"}, {"text": "the café é"}]
    return Index.build(rows, encoder=HashingEncoder())


@pytest.fixture(scope="module")
def saved(index, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("saved dir é") / "my index é"
    index.save(folder)
    return folder


@pytest.fixture
def copy(saved, tmp_path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "copy"))


def load(folder, **settings) -> Index:
    return Index.load(folder, encoder=HashingEncoder(), **settings)


def files_of(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def found(index: Index):
    return [r.hits for r in index.retrieve(QUERIES, 7, sides=("tree", "flat", "sparse"), siblings=1)]


# Round trips


@pytest.mark.parametrize("verify", [True, False])
def test_what_comes_back_is_what_was_saved(index, saved, verify):
    again = load(saved, verify=verify)
    assert again.tree == index.tree
    assert again.chunks == index.chunks
    assert again.vectors.tobytes() == index.vectors.tobytes()
    assert not again.vectors.flags.writeable
    assert isinstance(again.vectors, np.memmap) is not verify
    assert (again.abstracts, again.report) == (index.abstracts, index.report)
    assert again.manifest == index.manifest
    assert found(again) == found(index)
    assert again.chunks[3].metadata == index.chunks[3].metadata


def test_saving_again_gives_the_same_bytes(saved, tmp_path):
    load(saved).save(tmp_path / "again")
    assert files_of(tmp_path / "again") == files_of(saved)
    for name in files_of(saved):
        assert (tmp_path / "again" / name).read_bytes() == (saved / name).read_bytes(), name


def test_centroids_and_an_empty_sparse_side_come_back(tmp_path):
    with pytest.warns(PsiragWarning, match="usable token"):
        index = Index.build(["the", "of"], encoder=HashingEncoder(), abstraction="centroid")
    index.save(tmp_path / "index")
    again = load(tmp_path / "index")
    assert np.isnan(again.abstracts.compression)
    assert np.isnan(again.report.compression)
    assert again.retrieve("the of").hits == index.retrieve("the of").hits


def test_one_chunk_comes_back(tmp_path):
    Index.build(["moth"], encoder=HashingEncoder()).save(tmp_path / "index")
    assert load(tmp_path / "index").retrieve("moth")[0].text == "moth"


def test_parts_without_a_report_come_back(index, tmp_path):
    Index(index.tree, index.chunks, index.vectors, index.abstracts, encoder=HashingEncoder()).save(tmp_path / "index")
    assert load(tmp_path / "index").report is None


READ_AGAIN = """
import json, sys
from psirag.index import Index
index = Index.load(sys.argv[1], encoder=None)
assert not {"torch", "sentence_transformers", "transformers"} & set(sys.modules), "a model library was imported"
found = index.retrieve(json.loads(sys.argv[2]), 7, sides=("sparse",))
assert not {"torch", "sentence_transformers", "transformers"} & set(sys.modules), "a model library was imported"
print(json.dumps([[[h.node, h.score, h.text] for h in r] for r in found]))
"""


def test_a_new_process_elsewhere_finds_the_same_and_loads_no_model(tmp_path):
    encoder = HashingEncoder(name="sentence-transformers/all-MiniLM-L6-v2")  # never loaded: the sparse side needs none
    index = Index.build(texts(9), encoder=encoder)
    index.save(tmp_path / "a é")
    command = [sys.executable, "-c", READ_AGAIN, str(tmp_path / "a é"), json.dumps(QUERIES)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "0", "LC_ALL": "C"}
    output = subprocess.run(command, capture_output=True, check=True, cwd=tmp_path, env=environment)
    expected = [[[h.node, h.score, h.text] for h in r] for r in index.retrieve(QUERIES, 7, sides=("sparse",))]
    assert json.loads(output.stdout) == expected


# The encoder


def test_an_unnamed_encoder_must_be_given(saved):
    with pytest.raises(PsiragError, match="none for an index whose encoder has no name"):
        Index.load(saved)


def test_another_encoder_is_refused_with_both_names_and_dimensions(saved, tmp_path):
    with pytest.raises(PsiragError, match=r"of 32 dimensions .* but got .* of 16 dimensions"):
        Index.load(saved, encoder=HashingEncoder(16))
    Index.build(texts(4), encoder=HashingEncoder(name="one")).save(tmp_path / "one")
    with pytest.raises(PsiragError, match=r"'one' of 32 dimensions .* but got 'two' of 32 dimensions"):
        Index.load(tmp_path / "one", encoder=HashingEncoder(name="two"))
    other_weights = HashingEncoder(name="one")
    other_weights.identity = "one, trained longer"
    with pytest.raises(PsiragError, match="one, trained longer"):
        Index.load(tmp_path / "one", encoder=other_weights)
    with pytest.raises(PsiragError, match="An encoder must be a name or an object"):
        Index.load(tmp_path / "one", encoder=3)


def test_a_name_that_leads_nowhere_is_an_error_at_the_first_query(tmp_path):
    Index.build(texts(4), encoder=HashingEncoder(name="mine")).save(tmp_path / "index")
    index = Index.load(tmp_path / "index")
    assert len(index.retrieve("moth bat", sides=["sparse"], k=1)) == 1
    with pytest.raises(PsiragError, match="mine"):
        index.retrieve("moth bat")


# Damage


@pytest.mark.parametrize("verify", [True, False])
def test_every_missing_or_truncated_file_is_named(saved, copy, verify):
    for name in files_of(saved):
        path, content = copy / name, (copy / name).read_bytes()
        path.unlink()
        with pytest.raises(PsiragError, match=Path(name).name):
            load(copy, verify=verify)
        for length in sorted({0, 1, len(content) // 2, len(content) - 1}):
            path.write_bytes(content[:length])
            with pytest.raises(PsiragError, match=Path(name).name):
                load(copy, verify=verify)
        path.write_bytes(content + b"\n")
        with pytest.raises(PsiragError, match=Path(name).name):
            load(copy, verify=verify)
        path.write_bytes(content)
    load(copy, verify=verify)


def test_flipped_bits_all_over_the_manifest_are_noticed(copy):
    path = copy / MANIFEST
    content = path.read_bytes()
    for at in range(0, len(content), 3):
        path.write_bytes(content[:at] + bytes([content[at] ^ (1 << at % 8)]) + content[at + 1 :])
        with pytest.raises(PsiragError, match=MANIFEST):
            read_manifest(copy)


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_edit_of_any_file_is_noticed(saved, copy, data):
    name = data.draw(st.sampled_from(files_of(saved)))
    path, content = copy / name, (saved / name).read_bytes()
    start = data.draw(st.integers(0, len(content) - 1))
    end = data.draw(st.integers(start, min(len(content), start + 40)))
    new = data.draw(st.binary(max_size=40))
    edited = content[:start] + new + content[end:]
    path.write_bytes(edited)
    try:
        if edited == content:
            load(copy)
        else:
            with pytest.raises(PsiragError, match=Path(name).name):
                load(copy)
    finally:
        path.write_bytes(content)


def reseal(folder: Path, change=lambda manifest: None) -> None:
    """Describe the files as they are now, as somebody who crafts a folder would."""
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    del manifest["sha256"]
    (folder / MANIFEST).unlink()
    manifest["files"] = storage._describe_files(folder)
    change(manifest)
    (folder / MANIFEST).write_bytes(storage._manifest_bytes(manifest))


class Bomb:
    def __reduce__(self):
        return os.mkdir, ("exploded",)


@pytest.mark.parametrize("verify", [True, False])
@pytest.mark.parametrize("name", ["vectors.npy", "parent.npy", "sparse/data.csc.index.npy"])
def test_pickled_objects_are_refused_and_not_run(copy, tmp_path, monkeypatch, name, verify):
    monkeypatch.chdir(tmp_path)
    np.save(copy / name, np.array([Bomb()], dtype=object), allow_pickle=True)
    reseal(copy)
    with pytest.raises(PsiragError, match=Path(name).name):
        load(copy, verify=verify)
    assert not (tmp_path / "exploded").exists()


@pytest.mark.parametrize(
    "name", ["abstracts.jsonl", "chunks.jsonl", "report.jsonl", "sparse/settings.json", "sparse/vocab.index.json"]
)
@pytest.mark.parametrize("content", [b"{", b"[1]\n", b'{"a": 1}\n', b"\xff\xfe", b"[" * 100_000, b"null\n"])
def test_crafted_text_files_are_errors_that_name_them(copy, name, content):
    (copy / name).write_bytes(content)
    reseal(copy)
    with pytest.raises(PsiragError, match=Path(name).name):
        load(copy)


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.pop("files"),
        lambda m: m.pop("encoder"),
        lambda m: m.update(encoder={"name": "x"}),
        lambda m: m.update(abstracts=None),
        lambda m: m.update(files=[]),
        lambda m: m["files"].pop("vectors.npy"),
        lambda m: m["files"].update({"../../secret": {"bytes": 1, "sha256": ""}}),
        lambda m: m["files"].update({"vectors.npy": None}),
        lambda m: m.pop("n_leaves"),
        lambda m: m.update(n_leaves="many"),
    ],
)
def test_crafted_manifests_are_errors_that_name_it(copy, change):
    reseal(copy, change)
    with pytest.raises(PsiragError):
        load(copy)


def test_parts_of_two_indexes_are_refused(copy, tmp_path):
    Index.build(texts(5), encoder=HashingEncoder()).save(tmp_path / "other")
    shutil.copy(tmp_path / "other" / "vectors.npy", copy / "vectors.npy")
    reseal(copy)
    with pytest.raises(PsiragError, match="vectors"):
        load(copy)


@pytest.mark.parametrize("version", [2, 99, "2", None, 1.5])
def test_a_newer_format_is_named(copy, version):
    reseal(copy, lambda manifest: manifest.update(format=version))
    with pytest.raises(PsiragError, match=f"reads format 1, but got format {version!r} in {MANIFEST}"):
        load(copy)


def test_what_is_no_index(tmp_path):
    with pytest.raises(PsiragError, match="does not exist"):
        Index.load(tmp_path / "nothing")
    with pytest.raises(PsiragError, match=f"has no {MANIFEST}"):
        Index.load(tmp_path)
    (tmp_path / "index.pkl").write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(PsiragError, match="never a pickle"):
        Index.load(tmp_path / "index.pkl")
    assert not Path("exploded").exists()
    for folder in (None, 3):
        with pytest.raises(PsiragError, match="folder must be a path"):
            Index.load(folder)


# Saving


def test_an_existing_folder_is_kept_unless_told(index, saved, copy):
    before = (copy / MANIFEST).read_bytes()
    with pytest.raises(PsiragError, match="save needs a new folder"):
        index.save(copy)
    assert (copy / MANIFEST).read_bytes() == before
    other = Index.build(texts(4), encoder=HashingEncoder())
    other.save(copy, overwrite=True)
    assert len(load(copy).chunks) == 4
    assert sorted(path.name for path in copy.parent.iterdir()) == ["copy"]


def test_an_empty_folder_is_filled_and_parents_are_made(index, tmp_path):
    (tmp_path / "empty").mkdir()
    index.save(tmp_path / "empty")
    index.save(tmp_path / "a" / "b" / "c")
    assert len(load(tmp_path / "a" / "b" / "c").chunks) == len(load(str(tmp_path / "empty")).chunks)


def test_a_mapped_index_can_replace_its_own_folder(copy):
    index = load(copy, verify=False)
    before = found(index)
    index.save(copy, overwrite=True)
    assert found(index) == found(load(copy)) == before


def test_a_link_to_an_index_stays_a_link(copy, tmp_path):
    (tmp_path / "link").symlink_to(copy, target_is_directory=True)
    Index.build(texts(4), encoder=HashingEncoder()).save(tmp_path / "link", overwrite=True)
    assert (tmp_path / "link").is_symlink()
    assert len(load(tmp_path / "link").chunks) == len(load(copy).chunks) == 4


def test_what_is_no_index_is_never_replaced(index, tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("years of work", encoding="utf-8")
    (tmp_path / "file").write_text("more work", encoding="utf-8")
    for name in ("thesis", "file"):
        with pytest.raises(PsiragError, match="save replaces a saved index only"):
            index.save(tmp_path / name, overwrite=True)
    assert (tmp_path / "thesis" / "chapter.txt").read_text(encoding="utf-8") == "years of work"


def test_a_failed_save_leaves_the_old_index_and_nothing_beside(copy):
    index = load(copy)
    chunks = type(index.chunks)(**{**vars(index.chunks), "metadata": ({"x": object()},) * len(index.chunks)})
    broken = Index(index.tree, chunks, index.vectors, index.abstracts, encoder=HashingEncoder())
    with pytest.raises(PsiragError, match=r"chunks\.jsonl holds text, numbers"):
        broken.save(copy, overwrite=True)
    assert len(load(copy).chunks) == 23
    assert [path.name for path in copy.parent.iterdir()] == ["copy"]


KILLED = """
import os, shutil, signal, sys
from pathlib import Path
from psirag.index import Index
from tests.hashing_encoder import HashingEncoder
saved, place = Path(sys.argv[1]), Path(sys.argv[2])
new = Index.build(["owl pine", "owl night"], encoder=HashingEncoder())

def save_and_die(step):
    def count(event, arguments):
        nonlocal step
        moved = event in ("os.rename", "os.mkdir", "os.rmdir", "os.remove")
        written = event == "open" and arguments[1] != "rb"
        if (moved or written) and str(place) in str(arguments[0]):
            step -= 1
            if step == 0:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(count)
    new.save(place / "index", overwrite=True)
    os._exit(0)

for step in range(1, 1000):
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(saved, place / "index")
    child = os.fork()
    if child == 0:
        save_and_die(step)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    left = Index.load(place / "index", encoder=HashingEncoder())
    print(step, status, len(left.chunks), flush=True)
    left.save(place / "index", overwrite=True)
    assert [path.name for path in place.iterdir()] == ["index"]
    if status == 0:
        break
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_save_killed_at_any_step_leaves_the_old_index_or_the_new(saved, tmp_path):
    command = [sys.executable, "-c", KILLED, str(saved), str(tmp_path / "place")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    rows = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
    assert len(rows) > 30
    assert {status for _, status, _ in rows[:-1]} == {-signal.SIGKILL}
    assert rows[-1][1:] == (0, 2)
    sizes = [size for _, _, size in rows]
    assert sizes == sorted(sizes, reverse=True)
    assert set(sizes) == {23, 2}


def test_an_index_that_an_interrupted_overwrite_set_aside_is_not_replaced_unasked(copy):
    index = load(copy)
    copy.rename(copy.with_name(f".{copy.name}.previous"))
    with pytest.raises(PsiragError, match="which exists"):
        index.save(copy)
    assert len(load(copy).chunks) == 23
    load(copy).save(copy, overwrite=True)
    assert [path.name for path in copy.parent.iterdir()] == ["copy"]


# The parts of storage


def test_json_lines_keep_every_character(tmp_path):
    records = [{"text": "a\u2028b\u0085c\r\nd\x1c"}, {"text": "中 é"}, {}]
    write_lines(tmp_path / "lines.jsonl", records)
    assert read_lines(tmp_path / "lines.jsonl") == records


def test_a_folder_where_a_file_should_be(tmp_path):
    (tmp_path / "lines.jsonl").mkdir()
    with pytest.raises(PsiragError, match=r"lines\.jsonl"):
        read_lines(tmp_path / "lines.jsonl")


def test_read_array_refuses_what_is_no_array(tmp_path):
    (tmp_path / "a.npy").write_bytes(b"\x80\x04K\x01.")
    with pytest.raises(PsiragError, match=r"a\.npy"):
        read_array(tmp_path / "a.npy", mmap=False)


def test_write_folder_describes_every_file(tmp_path):
    def write(at):
        (at / "sub").mkdir()
        (at / "sub" / "b.bin").write_bytes(b"abc")

    manifest = write_folder(tmp_path / "x", write, {"note": "é"}, overwrite=False)
    assert read_manifest(tmp_path / "x") == manifest
    assert manifest["files"]["sub/b.bin"]["sha256"].startswith("ba7816bf")  # SHA-256 of "abc"
    sizes = {"sub/b.bin": (3, manifest["files"]["sub/b.bin"]["sha256"])}
    check_files(tmp_path / "x", sizes, required=["sub/b.bin"], optional=[], verify=True)
    with pytest.raises(PsiragError, match=r"lacks or adds 'c.bin'"):
        check_files(tmp_path / "x", sizes, required=["sub/b.bin", "c.bin"], optional=[], verify=True)


def test_load_parts_are_the_same_parts(saved, index):
    parts = load_parts(saved, verify=True)
    assert (parts["tree"], parts["chunks"], parts["settings"]) == (index.tree, index.chunks, dict(index.settings))

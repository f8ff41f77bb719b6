"""Finished calls on disk: what is set stays, through kills, cut-off lines, other processes and a missing disk."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from psirag.abstraction.call_store import CallStore

IDENTITY = "a model\nweights and settings"


def test_what_is_set_is_found_again_in_order(tmp_path):
    store = CallStore(tmp_path / "new" / "folder", IDENTITY)
    assert not store.path.exists()
    store.update({"a": "one\ntwo", "b": "é巴黎\u2028"})
    store["a"] = "again"
    again = CallStore(tmp_path / "new" / "folder", IDENTITY)
    assert dict(again) == dict(store) == {"a": "again", "b": "é巴黎\u2028"}
    assert len(again) == 2
    del again["a"]
    assert "a" not in again
    assert again.path.name.startswith("abstracts-a-model-")


def test_another_writer_has_another_file(tmp_path):
    CallStore(tmp_path, IDENTITY)["a"] = "one"
    assert not CallStore(tmp_path, IDENTITY + " seed 1")


def test_a_line_that_was_cut_off_is_passed_over(tmp_path):
    store = CallStore(tmp_path, IDENTITY)
    store["a"], store["b"] = "one", "two"
    whole = store.path.read_bytes()
    for cut in range(len(whole)):
        store.path.write_bytes(whole[:cut])
        left = CallStore(tmp_path, IDENTITY)
        assert set(left.items()) <= {("a", "one"), ("b", "two")}
        left["c"] = "three"
        assert CallStore(tmp_path, IDENTITY)["c"] == "three"


def test_lines_of_another_kind_are_passed_over(tmp_path):
    store = CallStore(tmp_path, IDENTITY)
    lines = [
        "{}",
        "[]",
        '["a"]',
        '["a", 1]',
        "null",
        "{",
        '["a", "b", "c"]',
        "\udcff".encode("utf-8", "replace").decode(),
    ]
    store.path.write_text("\n".join([*lines, json.dumps(["k", "v"])]), "utf-8")
    assert dict(CallStore(tmp_path, IDENTITY)) == {"k": "v"}


def test_without_a_disk_it_works_in_memory(tmp_path):
    (tmp_path / "file").write_text("")
    store = CallStore(tmp_path / "file", IDENTITY)
    store["a"] = "one"
    assert dict(store) == {"a": "one"}


def test_processes_share_a_file(tmp_path):
    one, other = CallStore(tmp_path, IDENTITY), CallStore(tmp_path, IDENTITY)
    for number in range(20):
        (one if number % 2 else other)[str(number)] = "x" * 1000
    assert len(CallStore(tmp_path, IDENTITY)) == 20


KILLED = """
import sys, time
from pathlib import Path
from psirag.abstraction import write_abstracts
from psirag.abstraction.call_store import CallStore
from psirag.tree import build_tree
import numpy as np
class Slow:
    name = identity = "slow"
    def __init__(self):
        self.store = CallStore(Path(sys.argv[1]), "slow")
        self.calls = 0
    def write_abstract(self, texts, *, kind, max_tokens):
        self.calls += 1
        print("call", flush=True)
        if self.calls == int(sys.argv[2]):
            time.sleep(600)
        return f"abstract of {' and '.join(texts)}"[:80]
rows = np.random.default_rng(0).normal(size=(40, 8))
rows /= np.linalg.norm(rows, axis=1, keepdims=True)
tree = build_tree(rows)
writer = Slow()
done = write_abstracts(tree, [f"text {i}" for i in range(40)], rows, kind="summary", writer=writer)
print("done", writer.calls, tree.n_nodes - tree.n_leaves, "|".join(done.texts))
"""


@pytest.mark.skipif(os.name == "nt", reason="kill -9 is a POSIX signal")
def test_after_kill_9_exactly_the_missing_calls_are_made(tmp_path):
    def run(folder, stop):
        return [sys.executable, "-c", KILLED, str(tmp_path / folder), str(stop)]

    killed = subprocess.Popen(run("a", 7), stdout=subprocess.PIPE, text=True)
    for _ in range(7):
        assert killed.stdout.readline() == "call\n"
    time.sleep(0.05)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    resumed = subprocess.run(run("a", 0), capture_output=True, text=True, check=True).stdout.splitlines()
    whole = subprocess.run(run("b", 0), capture_output=True, text=True, check=True).stdout.splitlines()
    _, calls, nodes, texts = resumed[-1].split(" ", 3)
    assert int(calls) == int(nodes) - 6
    assert texts == whole[-1].split(" ", 3)[3]

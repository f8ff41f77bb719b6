"""Abstracts in batches: the same calls as one by one, none twice, none lost to a failure."""

from __future__ import annotations

import numpy as np
import pytest

from psirag.abstraction import write_abstracts
from psirag.abstraction.writing import share_window
from psirag.errors import PsiragError, PsiragWarning
from psirag.index import Index
from psirag.readers import HuggingFaceModel, ModelReader
from psirag.tree import build_tree
from tests.hashing_encoder import HashingEncoder
from tests.tiny_model import tiny_weights


class Batching:
    """Joins first words; keeps every batch and every single call; fails where told."""

    name = "batching"

    def __init__(self, size=3, *, fails=(), blank=()):
        self.batch_size, self.fails, self.blank = size, fails, blank
        self.batches, self.singles = [], []

    def write_many(self, calls, *, kind, max_tokens):
        self.batches.append([list(texts) for texts in calls])
        if len(self.batches) in self.fails:
            raise RuntimeError("out of memory")
        return [" " if texts[0] in self.blank else said(texts) for texts in calls]

    def write_abstract(self, texts, *, kind, max_tokens):
        self.singles.append(list(texts))
        return said(texts)


class OneByOne(Batching):
    write_many = None


def said(texts):
    return " ".join(text.split()[0] for text in texts)[:60]


@pytest.fixture(scope="module")
def grove():
    rows = np.random.default_rng(1).normal(size=(60, 8))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return build_tree(rows), [f"text{i} and more" for i in range(60)], rows


def written(grove, writer, store=None):
    tree, texts, rows = grove
    return write_abstracts(tree, texts, rows, kind="summary", writer=writer, store=store)


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_batches_ask_for_the_same_calls_layer_by_layer(grove, size):
    single, batched = OneByOne(), Batching(size)
    assert written(grove, batched) == written(grove, single)
    asked = [texts for batch in batched.batches for texts in batch]
    assert asked == single.singles
    assert not batched.singles
    assert max(map(len, batched.batches)) <= size
    layers = np.bincount(grove[0].layer)[1:]
    assert len(batched.batches) == sum(-(-count // size) for count in layers)


def test_what_is_in_the_store_is_not_asked_again(grove):
    store = {}
    first = written(grove, Batching(), store)
    again = Batching()
    assert written(grove, again, store) == first
    assert not again.batches
    keys = list(store)
    for key in keys[10:]:
        del store[key]
    rest = Batching()
    assert written(grove, rest, store) == first
    assert sum(map(len, rest.batches)) == len(keys) - 10


def test_a_failed_batch_is_tried_call_by_call_and_the_rest_too(grove):
    writer = Batching(fails={2})
    assert written(grove, writer) == written(grove, OneByOne())
    layer = int(np.bincount(grove[0].layer)[1])
    assert len(writer.singles) == layer - 3


def test_a_failure_that_stays_names_the_node_and_keeps_what_is_done(grove):
    class Broken(Batching):
        def write_abstract(self, texts, *, kind, max_tokens):
            raise RuntimeError("out of memory")

    store = {}
    with pytest.raises(PsiragError, match=r"must return an abstract for node 63, but got RuntimeError twice"):
        written(grove, Broken(fails={2}), store)
    assert len(store) == 3
    assert not any("memory" in text for text in store.values())


def test_a_blank_of_a_batch_is_asked_for_once_more(grove):
    writer = Batching(blank={"text0 and more"})
    assert written(grove, writer) == written(grove, OneByOne())
    assert len(writer.singles) == 1


def test_the_writer_s_own_store_is_used(grove):
    writer = Batching()
    writer.store = {}
    first = written(grove, writer)
    assert writer.store
    other = Batching()
    other.store = writer.store
    assert written(grove, other) == first
    assert not other.batches
    other.identity = "another"
    written(grove, other)
    assert other.batches


def test_an_index_is_built_with_a_model_and_built_again_without_a_call(tmp_path):
    from psirag.abstraction.call_store import CallStore

    def build():
        reader = ModelReader(HuggingFaceModel(tiny_weights(), context=2000, batch_size=4))
        reader.store = CallStore(tmp_path, reader.identity)
        calls = []
        complete = reader.model.complete_many
        reader.model.complete_many = lambda many, **limits: calls.append(len(many)) or complete(many, **limits)
        texts = [f"Text {number} is about {subject}." for number in range(6) for subject in ("bees", "oaks")]
        index = Index.build(texts, encoder=HashingEncoder(), abstraction="keyword", writer=reader)
        return index, calls

    first, calls = build()
    second, none = build()
    assert sum(calls) == len(first.abstracts.texts)
    assert not none
    assert first.abstracts == second.abstracts
    assert set(first.abstracts.status) == {"written"}
    assert first.manifest["settings"]["writer"] == "tiny"


def test_every_prompt_of_forty_long_children_fits_a_small_window(recwarn):
    reader = ModelReader(HuggingFaceModel(tiny_weights(), context=2048))
    prompts = []
    reader.model.complete_many = lambda many, *, limit, until: prompts.append((many[0], limit)) or [None]
    texts = [f"<child{number}> " + "word " * 300 for number in range(40)]
    for kind, limit in (("summary", 100), ("keyword", 200)):
        with pytest.raises(AttributeError):
            reader.write_abstract(texts, kind=kind, max_tokens=limit)
        messages, reply = prompts[-1]
        assert 1700 < reader.model.count(messages) + reply <= 2048
        lines = messages[-1]["content"].splitlines()
        assert [line.split()[1][:3] for line in lines] == ["<ch"] * 40
    shared = share_window(texts, 400, reader.model.count_text)
    assert all(shared)
    assert not [warning for warning in recwarn if issubclass(warning.category, PsiragWarning)]

"""A growing index: ids stay, an exact addition equals a rebuild, and nothing is lost on the way."""

from __future__ import annotations

import errno
import os
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from psirag.corpus import Corpus, Document
from psirag.errors import PsiragError
from psirag.index import Index
from psirag.tree import AbstractTree, build_tree
from psirag.tree.attaching import attach_leaves, attach_subtree, detach_leaves
from psirag.tree.linkage import linkage_tree
from tests.hashing_encoder import HashingEncoder
from tests.test_index import texts

LINES = texts(40)


def build(corpus, **how):
    return Index.build(corpus, encoder=HashingEncoder(), **how)


class Loud:
    """A writer that counts its calls."""

    name = "loud"

    def __init__(self):
        self.calls = 0

    def write_abstract(self, texts, *, kind, max_tokens):
        self.calls += 1
        return f"loud {len(texts)} {texts[0][:20]}"


def same_tree(index, lines):
    return index.tree == build(list(lines)).tree and index.chunks.texts == tuple(lines)


def found(index, text):
    return {side: index.retrieve(text, k=1, sides=[side])[0].text for side in ("tree", "flat", "sparse")}


@pytest.mark.oracle
@pytest.mark.parametrize("abstraction", ["keyword", "summary", "centroid"])
def test_exact_addition_equals_a_rebuild(abstraction):
    index = build(LINES[:30], abstraction=abstraction)
    assert index.add(LINES[30:]) is index
    rebuilt = build(LINES, abstraction=abstraction)
    assert index.tree == rebuilt.tree
    assert np.array_equal(index.vectors[:40], rebuilt.vectors[:40])
    assert np.array_equal([index.pairs.u, index.pairs.v], [rebuilt.pairs.u, rebuilt.pairs.v])
    assert index.chunks.ids.tolist() == list(range(40))
    assert index.report.n_chunks == rebuilt.report.n_chunks
    assert index.report.nodes_per_layer == rebuilt.report.nodes_per_layer
    asked = LINES[35]
    assert [h.node for h in index.retrieve(asked, sides=["sparse"])] == [
        h.node for h in rebuilt.retrieve(asked, sides=["sparse"])
    ]


@pytest.mark.parametrize("how", ["exact", "attach", "subtree"])
def test_every_way_finds_the_new_chunk_on_all_sides_and_the_second_time_is_nothing(how):
    index = build(LINES[:10])
    before = list(index.chunks)
    index.add(["a walrus dives under northern ice"], how=how)
    assert len(index.chunks) == index.tree.n_leaves == index.sparse.n_texts == 11
    assert list(index.chunks)[:10] == before
    assert set(found(index, "walrus dives ice").values()) == {"a walrus dives under northern ice"}
    assert index.growth.how == how
    tree, chunks = index.tree, index.chunks
    index.add(["a walrus dives under northern ice", LINES[3]], how=how)
    assert (index.tree, index.chunks) == (tree, chunks)


def test_attaching_touches_only_ancestors_and_extends_keywords():
    index = build(LINES[:30], abstraction="keyword")
    old = dict(
        zip(map(tuple, map(index.tree.leaves, range(30, index.tree.n_nodes))), index.abstracts.texts, strict=True)
    )
    writer = Loud()
    index.add(["walrus walrus beaver dam"], how="attach", writer=writer)
    assert (writer.calls, index.growth.abstracts_to_write) == (0, 0)
    path = set(index.tree.ancestors(30))
    for node, text in enumerate(index.abstracts.texts, index.tree.n_leaves):
        leaves = tuple(leaf for leaf in index.tree.leaves(node).tolist() if leaf != 30)
        assert text.startswith(old[leaves]) if node in path else text == old[leaves]
    assert index.growth.abstracts_kept == len(index.abstracts) - len(path)


def test_a_writer_is_called_for_new_leaf_sets_only_and_says_so_before():
    writer, told = Loud(), []
    index = build(LINES[:30], abstraction="summary", writer=writer)
    calls = writer.calls
    assert calls == len(index.abstracts)
    texts_of = {tuple(index.tree.leaves(30 + i).tolist()): text for i, text in enumerate(index.abstracts.texts)}
    index.add(LINES[30:32], writer=writer, confirm=lambda growth: told.append(growth) is None)
    assert writer.calls - calls == told[0].abstracts_to_write < len(index.abstracts)
    assert index.growth == told[0]
    for i, text in enumerate(index.abstracts.texts):
        assert text == texts_of.get(tuple(index.tree.leaves(32 + i).tolist()), text)
    assert index.abstracts.status == ("written",) * len(index.abstracts)


def test_confirm_may_say_no():
    index = build(LINES[:10])
    parts = dict(vars(index))
    index.add(LINES[10:], confirm=lambda growth: growth.abstracts_to_write == 0)
    index.remove([3], confirm=lambda _: False)
    assert vars(index) == parts


@pytest.mark.oracle
def test_exact_removal_equals_a_rebuild_and_ids_stay():
    index = build(LINES)
    index.remove([0, 7, 21, 39])
    kept = [i for i in range(40) if i not in (0, 7, 21, 39)]
    assert same_tree(index, [LINES[i] for i in kept])
    assert index.chunks.ids.tolist() == kept
    assert index.growth.removed == (0, 7, 21, 39)
    hit = index.retrieve(LINES[20], k=1)[0]
    assert (hit.chunk.id, hit.text) == (20, LINES[20])
    index.add([LINES[7]])
    assert index.chunks.ids.tolist() == [*kept, 39]  # the highest id left is 38


def test_detaching_leaves_all_else_in_place():
    index = build(LINES)
    index.remove([5], how="detach")
    assert len(index.chunks) == index.tree.n_leaves == 39
    assert 5 not in index.chunks.ids
    assert index.retrieve(LINES[6], k=1)[0].text == LINES[6]


class Growing(RuleBasedStateMachine):
    """Lines come and go; the index is always the one that a rebuild gives."""

    def __init__(self):
        super().__init__()
        self.lines = LINES[:2]
        self.index = build(self.lines, abstraction="centroid")

    @rule(picked=st.lists(st.sampled_from(LINES[:14]), min_size=1, max_size=4, unique=True))
    def add(self, picked):
        self.index.add(picked)
        self.lines = [*self.lines, *(line for line in picked if line not in self.lines)]

    @precondition(lambda self: len(self.lines) > 1)
    @rule(data=st.data())
    def remove(self, data):
        places = data.draw(st.sets(st.integers(0, len(self.lines) - 1), max_size=len(self.lines) - 1))
        self.index.remove([int(self.index.chunks.ids[place]) for place in places])
        self.lines = [line for place, line in enumerate(self.lines) if place not in places]

    @invariant()
    def equals_a_rebuild(self):
        assert self.index.chunks.texts == tuple(self.lines)
        rebuilt = build(self.lines, abstraction="centroid")
        assert self.index.tree == rebuilt.tree
        assert np.array_equal(self.index.vectors, rebuilt.vectors)


TestGrowing = Growing.TestCase
TestGrowing.settings = settings(max_examples=10, stateful_step_count=6, deadline=None)


def test_saved_grown_and_loaded(tmp_path):
    build(LINES[:30]).save(tmp_path / "index")
    index = Index.load(tmp_path / "index", encoder=HashingEncoder(), verify=False)
    index.add(LINES[30:]).save(tmp_path / "index", overwrite=True)
    again = Index.load(tmp_path / "index", encoder=HashingEncoder())
    assert same_tree(again, LINES)
    assert np.array_equal(again.pairs.key, index.pairs.key)
    (tmp_path / "index" / "pairs.npy").write_bytes(b"")
    with pytest.raises(PsiragError, match=r"pairs\.npy"):
        Index.load(tmp_path / "index", encoder=HashingEncoder())


def test_without_saved_pairs_they_are_found_again():
    index = build(LINES[:30])
    index.pairs = None
    assert same_tree(index.add(LINES[30:]), LINES)


def test_a_full_disk_leaves_the_saved_index_as_it_was(tmp_path, monkeypatch):
    index = build(LINES[:10])
    index.save(tmp_path / "index")

    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    index.add(LINES[10:])
    with monkeypatch.context() as patch:
        patch.setattr("psirag.index.files.np.save", full)
        with pytest.raises(OSError, match="No space left"):
            index.save(tmp_path / "index", overwrite=True)
    assert len(Index.load(tmp_path / "index", encoder=HashingEncoder()).chunks) == 10
    index.save(tmp_path / "index", overwrite=True)
    assert len(Index.load(tmp_path / "index", encoder=HashingEncoder()).chunks) == 40


def test_a_failing_encoder_or_writer_leaves_the_index_as_it_was(monkeypatch):
    class Broken(Loud):
        def write_abstract(self, texts, *, kind, max_tokens):
            raise RuntimeError("out of memory")

    index = build(LINES[:10], abstraction="summary")
    parts = dict(vars(index))
    with pytest.raises(PsiragError, match="out of memory"):
        index.add(LINES[10:], writer=Broken())
    assert vars(index) == parts


def test_the_limit_of_children_is_the_one_of_the_build():
    index = build(LINES[:30], tree=partial(build_tree, max_children=3))
    assert index.settings["max_children"] == 3
    assert index.add(LINES[30:]).tree == build(LINES, tree=partial(build_tree, max_children=3)).tree
    assert index.remove(range(30, 40)).tree == build(LINES[:30], tree=partial(build_tree, max_children=3)).tree


def test_another_builders_tree_grows_only_cheaply():
    index = build(LINES[:20], tree=linkage_tree)
    for grow in (lambda: index.add(LINES[20:]), lambda: index.remove([0])):
        with pytest.raises(PsiragError, match="how='exact' continues a tree of build_tree"):
            grow()
    assert index.add(LINES[20:], how="subtree").tree.n_leaves == 40
    assert index.remove([0], how="detach").tree.n_leaves == 39


def test_documents_are_known_by_all_their_chunks():
    long = "Beavers build dams. " * 30
    corpus = Corpus((Document(0, long), Document(1, "Bats hunt moths at night.")), "documents")
    index = build(corpus, max_tokens=20)
    n = len(index.chunks)
    index.add(Corpus((Document(0, "Bats hunt moths at night."), Document(5, "Owls hunt mice.")), "documents"))
    assert (len(index.chunks), index.growth.documents_known) == (n + 1, 1)
    assert index.chunks.document.tolist()[-1] == 2
    index.add(Corpus((Document(0, "Beavers build dams."),), "documents"))  # a part of a document is not that document
    assert len(index.chunks) == n + 2


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([99], r"\[99\], which are none"),
        ([-1], "which are none"),
        (["0"], "which are none"),
        ([0.0], "which are none"),
        (range(10), "all of them"),
        (None, "which are none"),
    ],
)
def test_ids_that_cannot_be_removed(ids, message):
    index = build(LINES[:10])
    with pytest.raises(PsiragError, match=message):
        index.remove(ids)
    assert len(index.chunks) == 10


def test_wrong_settings():
    index = build(LINES[:10])
    with pytest.raises(PsiragError, match="how must be one of 'exact', 'attach', 'subtree'"):
        index.add(LINES, how="detach")
    with pytest.raises(PsiragError, match="how must be one of 'exact', 'detach'"):
        index.remove([0], how="attach")
    with pytest.raises(PsiragError, match="writer"):
        index.add(LINES, writer="loud")
    with pytest.raises(PsiragError):
        index.add([])
    assert index.remove([]) is index


# The cheap ways on trees


@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 99))
def test_a_subtree_joins_and_all_leaves_stay_equally_deep(n, m, seed):
    rng = np.random.default_rng(seed)
    tree, subtree = build_tree(rng.normal(size=(n, 3))), build_tree(rng.normal(size=(m, 3)))
    joined = attach_subtree(tree, subtree, int(rng.integers(n)), int(rng.integers(m)))
    assert joined.leaves(joined.root).tolist() == list(range(n + m))
    assert max(tree.depth, subtree.depth) <= joined.depth <= max(tree.depth, subtree.depth) + 1
    back = detach_leaves(joined, np.arange(n, n + m))
    sets = {tuple(back.leaves(v).tolist()) for v in range(back.n_nodes)}
    assert {tuple(tree.leaves(v).tolist()) for v in range(tree.n_nodes)} <= sets


def test_attaching_by_hand():
    tree = AbstractTree([4, 4, 5, 5, 6, 6, -1], [0, 0, 0, 0, 1, 1, 2])
    grown = attach_leaves(tree, [3, 4])
    assert [grown.leaves(v).tolist() for v in grown.layer_nodes(1)] == [[0, 1], [2, 3, 4, 5]]
    assert attach_leaves(AbstractTree([-1], [0]), [0]).parent.tolist() == [2, 2, -1]
    assert attach_leaves(tree, []) == tree
    with pytest.raises(PsiragError, match="nearest must name leaves before"):
        attach_leaves(tree, [4])
    with pytest.raises(PsiragError, match="a leaf that stays"):
        detach_leaves(tree, range(4))
    assert detach_leaves(tree, [0, 1, 2]).parent.tolist() == [-1]

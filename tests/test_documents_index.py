"""A tree a document: within one document the index is that document's own index, across them one tree."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psirag.baselines import gmm_tree
from psirag.corpus import Corpus, Document
from psirag.errors import PsiragError, PsiragWarning
from psirag.index import Index
from psirag.tree import AbstractTree, build_tree, linkage_tree
from psirag.tree.stacking import stack_trees
from psirag.views import circular_descent, circular_tree, descent, embedding_map
from tests.hashing_encoder import HashingEncoder
from tests.test_index import texts

SIDES = (("tree",), ("flat",), ("sparse",), ("tree", "sparse"))


def corpus(sizes, *, seed=0):
    """Documents of so many sentences, each a chunk of its own when chunks have at most 8 tokens."""
    return Corpus(
        tuple(Document(3 * i, ". ".join(texts(n, seed=seed + i)) + ".", f"Title {i}") for i, n in enumerate(sizes)),
        kind="documents",
    )


def build(source, **settings):
    settings = {"encoder": HashingEncoder(), "max_tokens": 8, "per_document": True, **settings}
    return Index.build(source, **settings)


def seen(retrieval, first=0):
    """All that a user sees of the hits, with chunk ids counted from the document's first."""
    return [
        (hit.text, hit.score, hit.chunk and hit.chunk.id - first, tuple(leaf - first for leaf in hit.leaves), hit.sides)
        for hit in retrieval
    ]


@pytest.fixture(scope="module")
def index():
    return build(corpus([30, 1, 12, 2, 3, 60]))


@pytest.mark.oracle
@pytest.mark.parametrize("abstraction", ["keyword", "summary", "centroid"])
def test_a_document_is_searched_as_if_it_were_alone(abstraction):
    source = corpus([30, 1, 12, 2, 3, 60])
    index = build(source, abstraction=abstraction)
    for document in source:
        alone = build(Corpus((document,), kind="documents"), abstraction=abstraction, per_document=False)
        first = int(index.chunks.ids[index.chunks.document == document.id][0])
        for nodes in ("leaves", "all"):
            for sides in SIDES:
                for beam in (1, 3, None):
                    asked = {"k": 4, "pool": 4, "beam": beam, "nodes": nodes, "sides": sides, "siblings": 1}
                    inside = index.retrieve("moth owl beaver rain", document=document.id, **asked)
                    outside = alone.retrieve("moth owl beaver rain", **asked)
                    assert seen(inside, first) == seen(outside)
                    assert inside.trace.nodes_scored == outside.trace.nodes_scored
                    assert [len(a.candidates) for a in inside.trace.layers] == [
                        len(b.candidates) for b in outside.trace.layers
                    ]
                    assert all(hit.chunk.document == document.id for hit in inside if hit.chunk is not None)


@pytest.mark.oracle
def test_each_tree_is_the_documents_own_and_its_root_is_where_the_descent_starts(index):
    for document in np.unique(index.chunks.document).tolist():
        own = np.flatnonzero(index.chunks.document == document)
        tree = build_tree(index.vectors[own])
        first, *_ = index.retrieve("moth", document=document, sides=["tree"]).trace.layers
        (root,) = first.candidates.tolist()
        assert index.tree.leaves(root).tolist() == own.tolist()
        assert index.tree.layer[root] == tree.depth == first.layer
        pairs = [(u, v) for u in range(len(own)) for v in range(u)]
        assert [index.tree.layer[index.tree.lca(own[u], own[v])] for u, v in pairs] == [
            tree.layer[tree.lca(u, v)] for u, v in pairs
        ]


def test_without_a_document_the_query_goes_over_all_of_them(index):
    found = index.retrieve("moth owl beaver rain", 200, sides=["tree"])
    assert len({hit.chunk.document for hit in found}) == 6
    assert found.trace.layers[0].candidates.tolist() == [index.tree.root]
    everything = index.retrieve("moth owl", 500, nodes="all", sides=["tree"])
    n_repeated = index.report.status["repeated"]
    assert n_repeated == index.abstracts.status.count("repeated") > 0
    assert len(everything) == everything.trace.nodes_scored == index.tree.n_nodes - n_repeated
    assert sorted(hit.chunk.id for hit in everything if hit.chunk) == index.chunks.ids.tolist()


def test_a_line_above_a_low_root_repeats_it(index):
    tree, n = index.tree, index.tree.n_leaves
    for node in (n + np.flatnonzero(np.array(index.abstracts.status) == "repeated")).tolist():
        (child,) = tree.children(node)
        below = index.chunks.indexed_texts[child] if child < n else index.node_text(child)
        assert index.node_text(node) == below
        assert np.array_equal(index.vectors[node], index.vectors[child])


@pytest.mark.oracle
def test_passages_are_documents_of_one_chunk_and_give_the_ordinary_tree():
    lines = texts(30)
    one, many = build(lines, per_document=False), build(lines)
    assert (many.tree, many.abstracts) == (one.tree, one.abstracts)
    assert np.array_equal(many.vectors, one.vectors)
    assert (one.report.n_trees, many.report.n_trees) == (1, 30)
    assert seen(many.retrieve("moth owl")) == seen(one.retrieve("moth owl"))


@pytest.mark.parametrize("limit", [3, 4])
@pytest.mark.parametrize("sizes", [[3] * 100, [30] * 5, [1] * 40, [25, 1, 1, 9]])
def test_the_limit_of_children_holds_within_documents_and_above_them(limit, sizes):
    index = build(corpus(sizes), tree=partial(build_tree, max_children=limit), abstraction="centroid")
    assert index.tree.n_leaves == sum(sizes)
    assert np.diff(index.tree.child_start).max() <= limit
    assert index.report.n_trees == len(sizes)


@pytest.mark.parametrize("sizes", [[1], [2], [1, 1], [1, 2], [3, 1]])
def test_tiny_documents(sizes):
    index = build(corpus(sizes))
    assert index.tree.n_leaves == sum(sizes)
    for document in range(0, 3 * len(sizes), 3):
        for sides in SIDES[:2]:
            found = index.retrieve("moth", 9, document=document, sides=sides)
            assert {hit.chunk.document for hit in found} == {document}
            assert len(found) == sizes[document // 3]


def test_documents_that_begin_alike_or_are_the_same_stay_apart():
    licence = "This text may be copied by anybody who keeps this line and says where it is from, in full and always. "
    source = [Document(0, licence + "Owls hunt."), Document(1, licence + "Bats sleep."), Document(2, licence)]
    index = build(Corpus((*source, Document(3, licence)), kind="documents"), max_tokens=40)
    assert index.report.n_trees == len(set(index.chunks.document.tolist())) == 4
    for document in range(4):
        found = index.retrieve("copied owls bats", 9, document=document)
        assert {hit.chunk.document for hit in found} == {document}
        assert all(hit.duplicates == () for hit in found)
    assert index.retrieve("copied", 9)[0].chunk.text.startswith("This text")


@pytest.mark.parametrize("tree", [partial(linkage_tree, method="average"), partial(gmm_tree, seed=0)])
def test_another_builder_makes_every_tree(tree):
    index = build(corpus([12, 1, 14]), tree=tree, abstraction="centroid")
    own = np.flatnonzero(index.chunks.document == 6)
    inside = index.retrieve("moth owl", 3, document=6, sides=["tree"], beam=2)
    assert inside.trace.layers[0].layer == tree(index.vectors[own]).depth
    assert {hit.chunk.document for hit in inside} == {6}


def test_saved_and_loaded_it_is_the_same(index, tmp_path):
    index.save(tmp_path / "index")
    loaded = Index.load(tmp_path / "index", encoder=HashingEncoder())
    assert (loaded.tree, loaded.abstracts, loaded.report.n_trees) == (index.tree, index.abstracts, 6)
    assert loaded.manifest["settings"]["per_document"] is True
    for asked in ({}, {"document": 6}, {"document": 3, "nodes": "all"}, {"nodes": "all"}):
        ours, theirs = index.retrieve("moth owl rain", **asked), loaded.retrieve("moth owl rain", **asked)
        assert seen(ours) == seen(theirs)
        assert ours.trace.nodes_scored == theirs.trace.nodes_scored


def test_growth_is_refused_and_nothing_changes(index):
    tree, chunks = index.tree, index.chunks
    with pytest.raises(PsiragError, match="add and remove need an index of one tree, but got one of a tree a document"):
        index.add(["a walrus dives"], how="attach")
    with pytest.raises(PsiragError, match="add and remove need an index of one tree"):
        index.remove([0], how="detach")
    assert (index.tree, index.chunks) == (tree, chunks)


def test_what_is_said_of_several_documents_is_said_once():
    class Partial(HashingEncoder):
        def encode(self, texts):
            return super().encode(["" if "nothing" in text else text for text in texts])

    source = [Document(i, f"This says nothing {'at all ' * i}. Owls {i} hunt mice every night here.") for i in range(5)]
    with pytest.warns(PsiragWarning) as caught:
        index = build(Corpus(tuple(source), kind="documents"), encoder=Partial())
    assert index.report.zero_rows == (0, 2, 4, 6, 8)
    (said,) = [str(one.message) for one in caught if "In the trees of 5 documents" in str(one.message)]
    assert said.endswith("(and 4 more like it)")


def test_a_writer_is_called_for_each_node_with_children_of_its_own():
    class Writer:
        name = "counting"

        def __init__(self):
            self.calls = []

        def write_abstract(self, texts, *, kind, max_tokens):
            self.calls.append(tuple(texts))
            return f"abstract number {len(self.calls)}"

    writer = Writer()
    index = build(corpus([9, 1, 4, 2]), writer=writer)
    assert index.report.status == {"written": len(writer.calls), "repeated": index.abstracts.status.count("repeated")}
    roots = {index.node_text(child) for child in index.tree.children(index.tree.root)}
    assert set(writer.calls[-1]) == roots


def test_every_view_draws_it(index):
    inside = index.retrieve("moth owl", document=6, sides=["tree"], beam=3)
    for figure in (
        descent(inside, index), descent(index.retrieve("moth owl"), index), circular_descent(inside, index),
        circular_tree(index), embedding_map(index),
    ):  # fmt: skip
        assert figure.data


# Stacking


@given(st.lists(st.integers(1, 12), min_size=1, max_size=8), st.integers(0, 9), st.sampled_from([3, 40]))
@settings(max_examples=25)
def test_a_stacked_tree_holds_every_tree_and_the_top(sizes, seed, limit):
    rng = np.random.default_rng(seed)
    trees = [build_tree(rng.normal(size=(n, 4)), max_children=limit) for n in sizes]
    top = build_tree(rng.normal(size=(len(sizes), 4)), max_children=limit)
    stacked = stack_trees(trees, top)
    first, height = np.cumsum([0, *sizes]), max(tree.depth for tree in trees)
    assert stacked.tree.depth == height + top.depth
    n_filling = sum(height - tree.depth for tree in trees)
    assert stacked.tree.n_nodes == sum(tree.n_nodes for tree in trees) + n_filling + top.n_nodes - top.n_leaves
    for tree, nodes, start in zip(trees, stacked.nodes, first, strict=False):
        inner = np.arange(tree.root)
        assert np.array_equal(stacked.tree.parent[nodes[inner]], nodes[tree.parent[inner]])
        assert all((stacked.tree.leaves(nodes[v]) == start + tree.leaves(v)).all() for v in range(tree.n_nodes))
    for i in range(len(sizes)):
        for j in range(i):
            layer = stacked.tree.layer[stacked.tree.lca(first[i], first[j])]
            assert layer == height + top.layer[top.lca(i, j)]


def test_a_top_of_another_size_is_refused():
    leaf = AbstractTree([-1], [0])
    with pytest.raises(PsiragError, match="stack_trees needs one tree for each leaf of the top tree, but got 1 trees"):
        stack_trees([leaf], AbstractTree([2, 2, -1], [0, 0, 1]))

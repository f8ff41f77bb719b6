"""The index: building, retrieving by all its settings, and what it says of itself."""

from __future__ import annotations

import dataclasses
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from psirag.abstraction import Abstracts
from psirag.corpus import Document, load_corpus
from psirag.errors import PsiragError, PsiragWarning
from psirag.index import Index
from psirag.retrieval import reciprocal_rank_fusion
from psirag.tree import AbstractTree, build_tree
from tests.hashing_encoder import HashingEncoder

ROOT = Path(__file__).resolve().parent.parent
WORDS = "beaver dam river moth bat cave lamp night forest pine owl mouse field rain cloud sun".split()


def texts(n: int, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    return [f"{' '.join(rng.choice(WORDS, 6))} number{i}" for i in range(n)]


def build(corpus, **settings) -> Index:
    return Index.build(corpus, encoder=HashingEncoder(), **settings)


@pytest.fixture(scope="module")
def index() -> Index:
    return build(texts(60))


def ids(retrieval):
    return [hit.chunk.id for hit in retrieval]


class Overlap:
    score_kind = "probability"

    def __init__(self):
        self.calls = 0

    def predict(self, pairs):
        self.calls += 1
        return [len(set(q.split()) & set(t.split())) / len(set(q.split())) for q, t in pairs]


# Building


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("abstraction", ["keyword", "summary", "centroid"])
@pytest.mark.parametrize("sides", [("tree",), ("flat",), ("sparse",), ("tree", "sparse"), ("tree", "flat", "sparse")])
def test_tiny_corpora(n, abstraction, sides):
    found = build(["moth bat", "moth cave", "moth river"][:n], abstraction=abstraction).retrieve("moth", 5, sides=sides)
    assert sorted(ids(found)) == list(range(n))
    scores = [hit.score for hit in found]
    assert np.isfinite(scores).all()
    assert scores == sorted(scores, reverse=True)


def test_one_chunk_is_leaf_and_root():
    index = build(["moth"])
    assert (index.tree.n_nodes, index.report.nodes_per_layer, index.report.depth) == (1, (1,), 0)
    assert index.retrieve("moth", siblings=3)[0].leaves == (0,)


@pytest.mark.parametrize("corpus", [[], "", ["", " \n"], (), [{"text": " "}]])
def test_an_empty_corpus_is_an_error_before_any_model(corpus):
    class Never:
        @property
        def encode(self):
            raise AssertionError("the encoder was touched")

    with pytest.raises(PsiragError):
        Index.build(corpus, encoder=Never())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"abstraction": "none"}, "abstraction must be one of"),
        ({"max_tokens": 0}, "max_tokens must be at least 1"),
        ({"max_tokens": None}, "max_tokens must be an integer"),
        ({"max_tokens": True}, "max_tokens must be an integer"),
        ({"tree": "psi"}, "tree must be a function"),
        ({"writer": object()}, "writer must have a name and a method write_abstract"),
        ({"per_document": 1}, "per_document must be a bool"),
    ],
)
def test_wrong_settings_are_errors_before_anything_is_read(settings, message):
    with pytest.raises(PsiragError, match=message):
        Index.build("no such file.json", encoder="no such encoder", **settings)


@pytest.mark.parametrize("tree", [lambda x: None, lambda x: build_tree(x[:1])])
def test_a_builder_that_returns_something_else(tree):
    with pytest.raises(PsiragError, match="tree must return an AbstractTree over 3 leaves"):
        build(["a1 b1", "b1 c1", "c1 d1"], tree=tree)


def test_another_builder_is_used():
    star = lambda x: AbstractTree.from_parents(np.r_[np.full(len(x), len(x)), -1], len(x))  # noqa: E731
    index = build(texts(9), tree=star)
    assert index.report.nodes_per_layer == (9, 1)
    assert index.manifest["settings"]["tree"] == "<lambda>"


def test_passages_are_never_split_and_documents_are():
    long = "The moth flies at night. " * 40
    assert build([long]).report.n_chunks == 1
    index = build([Document(7, long, "Moths")], max_tokens=20)
    assert index.report.n_chunks == 10
    assert set(index.chunks.document.tolist()) == {7}
    assert build([Document(7, long, "Moths")], max_tokens=50).report.n_chunks < index.report.n_chunks


def test_the_report_counts():
    class Window(HashingEncoder):
        max_tokens = 4

        def __init__(self):
            super().__init__()
            self.max_tokens = 4

        def truncated(self, some):
            return [i for i, text in enumerate(some) if len(text.split()) > 4]

    with pytest.warns(PsiragWarning) as caught:
        index = Index.build(["moth bat", "moth bat", "owl pine mouse field rain zyzzyva", "??"], encoder=Window())
    report = index.report
    assert (report.n_documents, report.n_chunks, report.n_duplicates) == (4, 4, 1)
    assert report.truncated == (2,)
    assert report.zero_rows == (3,)
    assert report.nodes_per_layer[0] == 4
    assert len(report.nodes_per_layer) == report.depth + 1 == index.tree.depth + 1
    assert sum(report.status.values()) == index.tree.n_nodes - 4
    assert {"corpus", "chunks", "encoder", "leaf vectors", "tree", "abstracts"} <= set(report.seconds)
    assert any("1 of 4 chunks are longer than the encoder's window of 4 tokens" in str(w.message) for w in caught)
    assert ids(index.retrieve("zyzzyva", 1, sides=["sparse"])) == [2]
    told = str(report).splitlines()
    assert len(told) == len(dataclasses.fields(report))
    assert {"n_chunks: 4", "n_duplicates: 1", "dropped_documents: none", "truncated: 2"} <= set(told)
    assert "extractive" in str(report)


def test_blank_documents_keep_the_ids_of_the_others():
    with pytest.warns(PsiragWarning, match="blank"):
        index = build([Document(0, "moth bat"), Document(1, ""), Document(2, "  \n"), Document(3, "owl")])
    assert set(index.chunks.document.tolist()) == {0, 3}
    assert (index.report.n_documents, index.report.dropped_documents) == (2, (1, 2))


def test_no_usable_token_leaves_the_tree_side():
    with pytest.warns(PsiragWarning, match="no|usable token"):
        index = build(["the", "of the"])
    assert len(index.retrieve("the")) == 2


def test_parts_put_together_by_hand():
    made = build(texts(12))
    parts = (made.tree, made.chunks, made.vectors, made.abstracts)
    index = Index(*parts, encoder=HashingEncoder())
    assert ids(index.retrieve("moth bat")) == ids(made.retrieve("moth bat"))
    assert index.report is None
    assert not index.vectors.flags.writeable
    doubled = Index(made.tree, made.chunks, made.vectors * 2.0, made.abstracts, encoder=HashingEncoder())
    np.testing.assert_allclose(doubled.vectors, made.vectors, atol=1e-6)


def test_parts_that_do_not_belong_together():
    one, two = build(texts(12)), build(texts(13))
    good = {"tree": one.tree, "chunks": one.chunks, "vectors": one.vectors, "abstracts": one.abstracts}
    for name, wrong, message in [
        ("tree", None, "tree must be of type AbstractTree"),
        ("chunks", texts(12), "chunks must be of type Chunks"),
        ("chunks", two.chunks, "needs 12 chunks"),
        ("vectors", one.vectors[1:], "needs .* vectors"),
        ("vectors", np.full_like(one.vectors, np.nan), "vectors must be finite"),
        ("abstracts", Abstracts("centroid", (), (), float("nan")), "needs .* abstracts"),
    ]:
        with pytest.raises(PsiragError, match=message):
            Index(*{**good, name: wrong}.values(), encoder=HashingEncoder())
    with pytest.raises(PsiragError, match="encoder of 8 dimensions for vectors of 32"):
        Index(*good.values(), encoder=HashingEncoder(8))
    with pytest.raises(PsiragError, match="encoder must be"):
        Index(*good.values(), encoder=None)
    chunks = type(one.chunks)(**{**vars(one.chunks), "ids": one.chunks.ids[::-1]})
    with pytest.raises(PsiragError, match="in the order of their ids"):
        Index(one.tree, chunks, one.vectors, one.abstracts, encoder=HashingEncoder())


# Retrieving


def test_one_query_and_a_batch_find_the_same(index):
    queries = ["moth bat cave", "river dam", "owl", "moth bat cave"]
    settings = {"siblings": 2, "beam": 3, "sides": ("tree", "flat", "sparse")}
    batch = index.retrieve(queries, 4, **settings)
    for query, found in zip(queries, batch, strict=True):
        alone = index.retrieve(query, 4, **settings)
        assert alone.hits == found.hits
        assert alone.query == query
        assert alone.trace.nodes_scored == found.trace.nodes_scored
        for a, b in zip(alone.trace.layers, found.trace.layers, strict=True):
            np.testing.assert_array_equal(a.scores, b.scores)
            np.testing.assert_array_equal(a.kept, b.kept)
    assert index.retrieve([]) == []


def test_many_threads_find_what_one_finds(index):
    queries = [f"{a} {b}" for a in WORDS[:8] for b in WORDS[8:]]
    serial = [index.retrieve(query, sides=("tree", "flat", "sparse")).hits for query in queries]
    with ThreadPoolExecutor(8) as pool:
        parallel = list(pool.map(lambda q: index.retrieve(q, sides=("tree", "flat", "sparse")).hits, queries * 3))
    assert parallel == serial * 3


@pytest.mark.oracle
def test_a_wide_beam_is_flat_search(index):
    for query in ("moth bat", "river", "sun rain"):
        tree = index.retrieve(query, 60, sides=["tree"])
        flat = index.retrieve(query, 60, sides=["flat"])
        assert [(h.node, h.score) for h in tree] == [(h.node, h.score) for h in flat]
        assert tree.trace.nodes_scored == flat.trace.nodes_scored == 60
        assert flat.trace.layers == ()


@pytest.mark.oracle
def test_fusion_of_both_sides_by_hand(index):
    found = index.retrieve("moth bat cave", 5)
    rankings = found.trace.sides
    assert all(len(ranking.nodes) <= 10 for ranking in rankings.values())
    expected = reciprocal_rank_fusion([rankings["tree"].nodes.tolist(), rankings["sparse"].nodes.tolist()])[:5]
    assert [(hit.node, hit.score) for hit in found] == expected
    for hit in found:
        assert hit.score_kind == "rrf"
        for side, (rank, score) in hit.sides.items():
            assert rankings[side].nodes[rank - 1] == hit.node
            assert rankings[side].scores[rank - 1] == score
        assert hit.score == pytest.approx(sum(1 / (60 + place.rank) for place in hit.sides.values()))


def test_pool_and_beam(index):
    assert len(index.retrieve("moth", 2, pool=3, sides=["flat"]).trace.sides["flat"].nodes) == 3
    assert len(index.retrieve("moth", 7, pool=3, sides=["flat"]).trace.sides["flat"].nodes) == 7
    narrow = index.retrieve("moth", 2, beam=1, sides=["tree"]).trace
    assert max(len(layer.kept) for layer in narrow.layers[:-1]) == 1
    wide = index.retrieve("moth", 2, sides=["tree"]).trace
    assert max(len(layer.kept) for layer in wide.layers) <= 10
    assert narrow.nodes_scored < wide.nodes_scored


def test_score_kinds(index):
    assert index.retrieve("moth", 1, sides=["tree"])[0].score_kind == "cosine"
    assert index.retrieve("moth", 1, sides=["flat"])[0].score_kind == "cosine"
    assert index.retrieve("moth", 1, sides=["sparse"])[0].score_kind == "bm25"
    assert index.retrieve("moth", 1)[0].score_kind == "rrf"
    assert index.retrieve("moth", 1, rerank=Overlap())[0].score_kind == "probability"


def test_the_sparse_side_alone_returns_what_matches(index):
    assert index.retrieve("xyzzy", sides=["sparse"]).hits == ()
    assert index.retrieve("the of", sides=["sparse"]).hits == ()
    found = index.retrieve("owl", 60, sides=["sparse"])
    assert sorted(ids(found)) == [i for i, text in enumerate(texts(60)) if "owl" in text.split()]
    assert found.trace.nodes_scored == 0
    assert len(index.retrieve("owl", 600)) == 60


def test_the_sparse_side_needs_no_encoder():
    encoder = HashingEncoder()
    index = Index.build(texts(5), encoder=encoder)
    before = encoder.calls
    index.retrieve("moth", sides=["sparse"])
    assert encoder.calls == before


@pytest.mark.oracle
def test_reranking_orders_the_union_of_the_sides(index):
    reranker = Overlap()
    found = index.retrieve("moth bat cave", 5, rerank=reranker)
    assert reranker.calls == 1
    union = {node for ranking in found.trace.sides.values() for node in ranking.nodes.tolist()}
    score = {v: len({"moth", "bat", "cave"} & set(index.node_text(v).split())) / 3 for v in union}
    assert [hit.node for hit in found] == sorted(union, key=lambda v: (-score[v], v))[:5]
    assert [hit.score for hit in found] == [score[hit.node] for hit in found]
    assert index.retrieve("xyzzy", rerank=reranker, sides=["sparse"]).hits == ()
    assert reranker.calls == 1


def test_a_wrong_reranker(index):
    with pytest.raises(PsiragError, match="rerank must have a method predict"):
        index.retrieve("moth", rerank="cross-encoder")


@pytest.mark.oracle
def test_collapsed_retrieval_finds_abstracts(index):
    found = index.retrieve("moth bat", 30, nodes="all", sides=["tree"])
    cosines = index.vectors @ HashingEncoder().encode(["moth bat"])[0]
    np.testing.assert_allclose([hit.score for hit in found], np.sort(cosines)[::-1][:30], atol=1e-6)
    abstracts = [hit for hit in found if hit.chunk is None]
    assert abstracts
    for hit in abstracts:
        assert hit.node >= 60
        assert hit.text == index.node_text(hit.node) == index.abstracts.texts[hit.node - 60]
        assert hit.leaves == tuple(index.tree.leaves(hit.node).tolist())
    assert found.trace.nodes_scored == index.tree.n_nodes
    assert found.trace.layers == ()
    assert any(hit.chunk is None for hit in index.retrieve("moth bat", 30, nodes="all"))


def test_identical_texts_are_one_hit():
    corpus = [
        {"title": "A", "text": "moth bat"},
        {"title": "", "text": "owl pine"},
        {"title": "B", "text": "moth bat"},
        {"title": "A", "text": "moth bat"},
    ]
    index = build(corpus)
    for sides in (["tree"], ["flat"], ["sparse"], ["tree", "flat", "sparse"]):
        found = index.retrieve("moth bat a", 4, sides=sides)
        first = found[0]
        assert first.chunk.title == "A"
        assert (first.chunk.id, first.duplicates, first.leaves) == (0, (2, 3), (0,))
        assert sum(hit.text == "moth bat" for hit in found) == 1
    assert index.retrieve("moth", 4, rerank=Overlap())[0].duplicates == (2, 3)
    assert index.retrieve("b", 1, sides=["flat"])[0].text == "moth bat"


def test_copies_do_not_crowd_out_other_texts():
    index = build(["moth bat"] * 30 + ["moth owl", "moth pine"])
    for side in ("tree", "flat", "sparse"):
        assert ids(index.retrieve("moth bat", 3, sides=[side], pool=3, beam=40)) == [0, 30, 31]


def test_one_document_only():
    corpus = [Document(i, ". ".join(texts(8, seed=i)) + ".") for i in (3, 5, 9)]
    index = build(corpus, max_tokens=8)
    for sides in (["tree"], ["flat"], ["sparse"], ["tree", "sparse"]):
        for beam in (1, 50):
            found = index.retrieve("moth owl beaver rain", 100, document=5, sides=sides, beam=beam, siblings=3)
            assert {hit.chunk.document for hit in found} == {5}
    within = np.flatnonzero(index.chunks.document == 5).tolist()
    assert sorted(ids(index.retrieve("moth", 100, document=5))) == within
    everything = index.retrieve("moth", 100, document=5, nodes="all", sides=["flat"])
    assert all(set(hit.leaves) <= set(within) for hit in everything)


def test_duplicates_stay_within_the_document():
    index = build([Document(0, "moth bat."), Document(1, "moth bat."), Document(2, "owl pine.")])
    found = index.retrieve("moth", 1, document=1)
    assert (found[0].chunk.document, found[0].duplicates) == (1, ())


@pytest.mark.oracle
def test_siblings_follow_the_hits(index):
    plain, more = index.retrieve("moth bat cave", 4), index.retrieve("moth bat cave", 4, siblings=2)
    assert more.hits[:4] == plain.hits
    query = HashingEncoder().encode(["moth bat cave"])[0]
    taken = {hit.node for hit in plain}
    added = []
    for hit in plain.hits[:3]:
        beside = [int(v) for v in index.tree.children(int(index.tree.parent[hit.node])) if int(v) not in taken]
        best = sorted(beside, key=lambda v: (-float(index.vectors[v] @ query), v))[:2]
        taken.update(best)
        added.append((hit.node, best))
    assert [(s.hit, s.nodes.tolist()) for s in more.trace.siblings] == added
    assert [hit.node for hit in more.hits[4:]] == [v for _, best in added for v in best]
    assert {hit.score_kind for hit in more.hits[4:]} <= {"cosine"}
    assert all(list(hit.sides) == ["siblings"] for hit in more.hits[4:])
    assert plain.trace.siblings == ()


@pytest.mark.parametrize("query", ["", "  \n", [""], ["moth", " "]])
def test_a_blank_query(index, query):
    with pytest.raises(PsiragError, match="A query needs at least one character"):
        index.retrieve(query)


@pytest.mark.parametrize("query", [None, 3, b"moth", [None], ["moth", 2.0], {"moth": 1}])
def test_a_query_of_another_type(index, query):
    with pytest.raises(PsiragError, match="query must"):
        index.retrieve(query)


def test_a_lone_surrogate_in_a_query(index):
    with pytest.warns(PsiragWarning, match="surrogate"):
        assert len(index.retrieve("moth \ud800")) == 5


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"k": 0}, "k must be at least 1"),
        ({"k": -1}, "k must be at least 1"),
        ({"k": True}, "k must be an integer"),
        ({"k": 2.0}, "k must be an integer"),
        ({"k": None}, "k must be an integer"),
        ({"pool": 0}, "pool must be at least 1"),
        ({"pool": None}, "pool must be an integer"),
        ({"beam": 0}, "beam must be at least 1"),
        ({"beam": "wide"}, "beam must be an integer"),
        ({"siblings": -1}, "siblings must be at least 0"),
        ({"siblings": True}, "siblings must be an integer"),
        ({"nodes": "abstracts"}, "nodes must be one of"),
        ({"sides": "tree"}, "sides must be a sequence"),
        ({"sides": None}, "sides must be a sequence"),
        ({"sides": ()}, "sides must name one side or more"),
        ({"sides": ("tree", "tree")}, "sides must name one side or more, each once"),
        ({"sides": ("tree", "dense")}, "each of sides must be one of"),
        ({"sides": (None,)}, "each of sides must be one of"),
        ({"document": 99}, "document must be the id of a document with chunks"),
        ({"document": -1}, "document must be at least 0"),
        ({"document": True}, "document must be an integer"),
    ],
)
def test_wrong_arguments(index, settings, message):
    with pytest.raises(PsiragError, match=message):
        index.retrieve("moth", **settings)


def test_numpy_integers_pass(index):
    assert len(index.retrieve("moth", np.int64(2), pool=np.int32(4), document=np.int64(3), sides=["flat"])) == 1
    assert len(index.retrieve("moth", np.int64(2))) == 2


def test_a_query_without_a_finite_vector():
    class Broken(HashingEncoder):
        def encode_queries(self, some):
            return np.full((len(some), self.dimension), np.nan)

    index = Index.build(texts(4), encoder=Broken())
    with pytest.raises(PsiragError, match="finite"):
        index.retrieve("moth")


def test_node_text(index):
    assert index.node_text(3) == texts(60)[3]
    assert index.node_text(np.int64(index.tree.root)) == index.abstracts.texts[-1]
    for node, message in [(-1, "node must be at least 0"), (10**6, "node must be below"), (None, "node must be an")]:
        with pytest.raises(PsiragError, match=message):
            index.node_text(node)


def test_results_print_and_travel(index):
    found = index.retrieve("moth bat", 3, siblings=1)
    assert repr(found).startswith(f"Retrieval('moth bat', {len(found)} hits")
    again = pickle.loads(pickle.dumps(found))
    assert again.hits == found.hits
    assert found[:2] == found.hits[:2]
    assert repr(index) == f"Index(60 chunks, {index.tree.n_nodes} nodes, depth {index.tree.depth}, 32 dimensions)"


def test_retrieval_works_inside_a_running_event_loop(index):
    import asyncio

    async def ask():
        return index.retrieve("moth", 2)

    assert asyncio.run(ask()).hits == index.retrieve("moth", 2).hits


def test_import_is_light():
    heavy = "torch transformers sentence_transformers umap numba plotly faiss bm25s pandas networkx"
    code = f"import sys, psirag.index; print([m for m in {heavy.split()} if m in sys.modules])"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert output.stdout.strip() == "[]"


def test_end_to_end_with_the_embedded_model(tmp_path):
    corpus = load_corpus("toy")
    index = Index.build(corpus, abstraction="summary")
    assert index.vectors.shape == (index.tree.n_nodes, 384)
    for document in corpus:
        assert index.retrieve(document.text, 1, sides=["tree"])[0].chunk.title == document.title
    index.save(tmp_path / "toy")
    query = "Which planet is the smallest?"
    assert Index.load(tmp_path / "toy").retrieve(query).hits == index.retrieve(query).hits
    assert (
        index.retrieve(query, 1)[0].chunk.title == "Mercury (planet)" or "Mercury" in index.retrieve(query, 1)[0].text
    )

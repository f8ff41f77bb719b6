"""NavTree on an index: the budget, the anchors, the fill, the reranker, and evidence in two distant places."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psirag.corpus import Corpus, Document, count_tokens
from psirag.errors import PsiragError
from psirag.index import Index
from psirag.retrieval import pack_hits
from psirag.variants.frontier_walk import steiner_active
from psirag.variants.navtree import NavTree
from tests.hashing_encoder import HashingEncoder

WORDS = "dam moth owl river nut fish bat crow hive lake".split()


def index_of(*texts: str, max_tokens: int = 6) -> Index:
    """Return an index of documents without titles, by the hashing encoder, which has no tokenizer: words are tokens."""
    corpus = Corpus(tuple(Document(i, text) for i, text in enumerate(texts)), "documents")
    return Index.build(corpus, encoder=HashingEncoder(), abstraction="centroid", max_tokens=max_tokens)


def sentences(*numbers: int) -> str:
    """Return sentences of two words, the same number the same sentence."""
    return " ".join(f"The {WORDS[i % 10]} saw {WORDS[i // 10 % 10]}." for i in numbers)


def nodes(found) -> list[int]:
    """Return the hits' leaves."""
    return [hit.node for hit in found]


@st.composite
def asked(draw):
    """Return an index of some documents, often with equal texts, a question, a budget and anchors."""
    lengths = draw(st.lists(st.integers(1, 9), min_size=1, max_size=4))
    number = st.integers(0, draw(st.sampled_from([0, 3, 99])))
    index = index_of(*(sentences(*(draw(number) for _ in range(n))) for n in lengths), max_tokens=4)
    question = draw(st.sampled_from(["dam", "Who saw the owl?", "the", "zebra", "moth river nut"]))
    return index, question, draw(st.integers(4, 60)), draw(st.sampled_from([1, 3, 10, None]))


@settings(max_examples=60)
@given(case=asked())
def test_whatever_is_asked(case):
    index, question, budget, anchors = case
    nav = NavTree(index, budget=budget, anchors=anchors)
    found = nav.retrieve(question)
    n, trace = len(index.chunks), found.trace
    assert found.hits
    assert all(hit.node < n and hit.leaves == (hit.chunk.id,) for hit in found)
    assert sum(count_tokens(hit.text) for hit in found) <= budget
    assert len({hit.text for hit in found}) == len(found)
    assert set(trace.walk.emitted.tolist()) <= set(nodes(found))
    for hit in found:
        same = {i for i, text in enumerate(index.chunks.texts) if text == hit.text}
        assert {hit.node, *hit.duplicates} == same
    if anchors is not None:
        assert len(trace.sides["anchors"].nodes) == min(anchors, len(set(index.chunks.texts)))
        wanted = steiner_active(nav.forest.parent, trace.sides["anchors"].nodes)
        assert trace.walk.active.tolist() == wanted.tolist()
    else:
        assert trace.walk.active.all()
    again = NavTree(index, budget=budget, anchors=anchors).retrieve(question)
    assert again.hits == found.hits


@settings(max_examples=40)
@given(case=asked())
def test_a_budget_is_the_unlimited_ranking_packed(case):
    index, question, budget, anchors = case
    whole = NavTree(index, budget=10**6, anchors=anchors).retrieve(question)
    assert sum(len(hit.duplicates) + 1 for hit in whole) == len(index.chunks)
    limited = NavTree(index, budget=budget, anchors=anchors).retrieve(question)
    assert nodes(pack_hits(whole, budget)) == nodes(limited)


@pytest.mark.oracle
def test_priorities_by_hand():
    index = index_of(sentences(11, 22, 33) + " A crow hid a nut.", max_tokens=5)
    nav = NavTree(index, budget=99, anchors=None, alpha=0.25, sentences=2)
    found = nav.retrieve("crow nut")
    n, query = 4, index.encoder.encode(["crow nut"])[0].astype(float)
    assert nav.node_texts == (
        "The moth saw moth. The owl saw owl.",
        "The river saw river. A crow hid a nut.",
        "The moth saw moth. A crow hid a nut.",  # first and last of four
    )
    texts = [*(text.strip() for text in index.chunks.texts), *nav.node_texts]
    cosine = index.encoder.encode(texts).astype(float) @ query
    keyword = np.zeros(n)
    (ranking,) = index.sparse.search(["crow nut"], n)
    keyword[ranking.nodes] = ranking.scores
    span = np.r_[keyword, keyword[:2].max(), keyword[2:].max(), keyword.max()]
    assert keyword.tolist() == [0, 0, 0, keyword[3]]
    cosine = (cosine - cosine[:n].min()) / np.ptp(cosine[:n])
    wanted = 0.25 * cosine + 0.75 * span / keyword.max()
    walk = found.trace.walk
    assert walk.node.tolist()[:3] == [6, 5, 3]
    np.testing.assert_allclose(walk.score, wanted[walk.node], atol=1e-6)
    np.testing.assert_allclose([hit.score for hit in found], wanted[nodes(found)], atol=1e-6)
    assert {hit.score_kind for hit in found} == {"mixed"}
    assert found.trace.nodes_scored == 7


def test_walk_then_fill_with_ranks():
    index = index_of(sentences(0, 11, 22, 33, 44, 55, 66, 77), max_tokens=4)
    found = NavTree(index, budget=16, anchors=2).retrieve("owl bat")
    assert sorted(nodes(found)[:2]) == [2, 6]
    assert [(*hit.sides,) for hit in found] == [("walk",), ("walk",), ("fill",), ("fill",)]
    assert [hit.sides["walk"].rank for hit in found[:2]] == [1, 2]
    assert nodes(found)[2:] == found.trace.sides["fill"].nodes[:2].tolist()
    assert found.trace.nodes_scored == 8 + int(found.trace.walk.active[8:].sum())
    assert nodes(found) == found.trace.fused.nodes.tolist()


def test_a_retrieval_travels_to_another_process():
    found = NavTree(index_of(sentences(0, 11, 22), max_tokens=4)).retrieve("owl")
    again = pickle.loads(pickle.dumps(found))
    assert again.hits == found.hits
    assert again.trace.walk.node.tolist() == found.trace.walk.node.tolist()


def test_k_ends_the_hits_below_the_budget():
    nav = NavTree(index_of(sentences(*range(9)), max_tokens=4), budget=36)
    assert len(nav.retrieve("dam")) == 9
    assert nodes(nav.retrieve("dam", 2)) == nodes(nav.retrieve("dam"))[:2]


@pytest.mark.parametrize("setting", [{"alpha": 1.0}, {"anchors": 1}, {"anchors": None}, {"sentences": 1}])
def test_each_setting_changes_something(setting):
    index = index_of(*(sentences(*range(10 * i, 10 * i + 9)) for i in range(4)), max_tokens=4)
    some, other = (NavTree(index, budget=24, **s).retrieve("dam owl hive moth river") for s in ({}, setting))
    assert (nodes(some), some.trace.walk.score.tolist()) != (nodes(other), other.trace.walk.score.tolist())


def test_a_representative_of_ones_own():
    index = index_of(sentences(0, 11), max_tokens=4)
    nav = NavTree(index, representative=lambda text: text.split()[1])
    assert nav.node_texts == ("dam moth",)


class Lengths:
    """A reranker that likes long texts."""

    def predict(self, pairs):
        self.texts = [text for _, text in pairs]
        return [len(text) for text in self.texts]


def test_a_reranker_packs_the_pool_and_then_the_rest():
    index, rerank = (
        index_of("Owls hunt now. Crows cry at night. Bats fly. Fish hide in the lake.", max_tokens=5),
        Lengths(),
    )
    assert len(index.chunks) == 4
    plain = NavTree(index, budget=12, anchors=2).retrieve("owls fly")
    assert sorted(nodes(plain)[:2]) == [0, 2]
    found = NavTree(index, budget=12, anchors=2, rerank=rerank, extras=1).retrieve("owls fly")
    assert len(rerank.texts) == 3  # two anchors and one other
    assert nodes(found) == sorted(nodes(plain)[:3], key=lambda node: -len(index.chunks.texts[node]))
    assert [hit.score for hit in found] == sorted(map(len, rerank.texts), reverse=True)
    assert {hit.score_kind for hit in found} == {"logit"}
    found = NavTree(index, budget=9, anchors=2, rerank=rerank, extras=0).retrieve("owls fly")
    assert [hit.score_kind for hit in found] == ["logit", "logit", "mixed"]
    assert nodes(found)[:2] == [0, 2]


def test_one_chunk_two_chunks_and_documents_of_one_chunk():
    assert nodes(NavTree(index_of("Bats hunt."), budget=2).retrieve("bats")) == [0]
    assert nodes(NavTree(index_of("Bats hunt at night. Owls sleep by day."), budget=20).retrieve("owls")) in (
        [0],
        [1, 0],
    )
    nav = NavTree(index_of("Bats hunt.", "Owls sleep.", "Crows cry."), budget=4)
    found = nav.retrieve("owls")
    assert nodes(found)[0] == 1
    assert nav.node_texts == ()
    assert set(found.trace.walk.action) == {"emitted"}


def test_all_equal_texts_are_one_hit():
    found = NavTree(index_of("Bats hunt.", "Bats hunt.", "Bats hunt."), budget=50).retrieve("owls")
    assert [(hit.node, hit.duplicates) for hit in found] == [(0, (1, 2))]


def test_documents_compete_and_titles_head_the_spans():
    corpus = Corpus(
        (Document(0, "Bats hunt. Bats sleep.", "Bat"), Document(1, "Owls hunt. Owls sleep.", "Owl")), "documents"
    )
    index = Index.build(corpus, encoder=HashingEncoder(), abstraction="centroid", max_tokens=2)
    nav = NavTree(index, budget=4, anchors=4)
    assert nav.node_texts == ("Bat\nBats hunt. Bats sleep.", "Owl\nOwls hunt. Owls sleep.")
    assert {hit.chunk.title for hit in nav.retrieve("Owls sleep")} == {"Owl"}
    assert nav.retrieve("Owls sleep").trace.walk.node[0] == nav.forest.roots[1]


def test_wrong_settings():
    index = index_of("Bats hunt at night.")
    for settings_, message in (
        ({"budget": 0}, "budget must be"),
        ({"budget": 3}, "budget must hold the shortest chunk, of 4 tokens"),
        ({"anchors": 0}, "anchors must be"),
        ({"anchors": True}, "anchors must be"),
        ({"alpha": 1.5}, "alpha must be"),
        ({"alpha": float("nan")}, "alpha must be"),
        ({"alpha": True}, "alpha must be"),
        ({"alpha": None}, "alpha must be"),
        ({"rerank": "model"}, "rerank must have"),
        ({"extras": -1}, "extras must be"),
        ({"sentences": 0}, "sentences must be"),
        ({"representative": "first"}, "representative must be callable"),
        ({"representative": len}, "What representative returns must hold str"),
    ):
        with pytest.raises(PsiragError, match=message):
            NavTree(index, **settings_)
    with pytest.raises(PsiragError, match="NavTree's index must be"):
        NavTree("toy")  # type: ignore[arg-type]


def test_wrong_questions():
    nav = NavTree(index_of("Bats hunt at night."))
    for question, message in ((" ", "A query needs"), (None, "question must be"), (["bats"], "question must be")):
        with pytest.raises(PsiragError, match=message):
            nav.retrieve(question)
    for k in (0, True, 2.5):
        with pytest.raises(PsiragError, match="k must be"):
            nav.retrieve("bats", k)


NOISE = (
    "Rain fell on the market.|A baker sold dark bread.|The school choir sang twice.|Dogs slept under the benches.|"
    "The clock tower was painted green.|Children drew boats with chalk.|A violin was found in the attic.|"
    "The orchard gave few apples.|Snow closed the northern road.|The library lent out maps."
).split("|")
# One region of six sentences on one thing, the third of which answers; the other answer comes after the noise.
DISTANT = [
    (
        "The council borrowed money for the repair of the harbour bridge.|"
        "The council argued for months about the repair of the harbour bridge.|"
        "The council paid four million for the repair of the harbour bridge.|"
        "Nobody on the council liked the repair of the harbour bridge.|"
        "The repair of the harbour bridge cost the council its patience.|"
        "The repair of the harbour bridge began in spring, the council said.",
        "Ines Vale was made captain of the night ferry.",
        "What did the council pay for the repair of the harbour bridge, and who was made captain of the night ferry?",
    ),
    (
        "Someone built the old organ for the church long ago.|"
        "The church was proud of the old organ and of who built it.|"
        "Marta Lind built the bellows of the old organ.|"
        "People came to the church to hear the old organ.|"
        "Nobody knew who had built the pipes of the old organ.|"
        "The church built a loft for the old organ.",
        "The weekly flea market moved to Cooper Square.",
        "Who built the bellows of the old organ in the church, and to which square did the weekly flea market move?",
    ),
    (
        "The glacier lake is deep and cold.|"
        "Divers call the glacier lake deep and dark.|"
        "The glacier lake is ninety metres deep in the north.|"
        "How deep the glacier lake is was long debated.|"
        "The water of the glacier lake is deep blue.|"
        "Maps show the glacier lake as very deep.",
        "The mountain hut sells lentil soup to hikers.",
        "How deep is the glacier lake in the north, and which soup does the mountain hut sell?",
    ),
]


def test_two_distant_places_are_both_covered_where_flat_search_repeats_one_region():
    """What helps is the keyword side of the priority: by the cosine alone the walk repeats the region too."""
    texts = [" ".join([*near.split("|"), *NOISE, far]) for near, far, _ in DISTANT]
    corpus = Corpus(tuple(Document(i, text) for i, text in enumerate(texts)), "documents")
    index = Index.build(corpus, max_tokens=14, abstraction="centroid")
    nav, dense = NavTree(index, budget=45), NavTree(index, budget=45, alpha=1.0)
    for near, far, question in DISTANT:
        found = {
            "flat": pack_hits(index.retrieve(question, 20, sides=["flat"]), 45, tokenizer=index.encoder.tokenizer),
            "walk": nav.retrieve(question),
            "walk by cosine": dense.retrieve(question),
        }
        said = {name: " ".join(hit.text for hit in hits) for name, hits in found.items()}
        answered = {name for name, text in said.items() if near.split("|")[2] in text and far in text}
        assert answered == {"walk"}
        assert sum(sentence in said["flat"] for sentence in near.split("|")) >= 2

"""The offline systems on the toy set: which they are, what they share, and that they run."""

from __future__ import annotations

import pytest

from psirag.corpus import load_questions
from psirag.errors import PsiragError
from psirag.evaluation import evaluate, offline_systems
from tests.hashing_encoder import HashingEncoder

NAMES = [
    "BM25", "flat", "fused", "RAPTOR traversal", "RAPTOR collapsed",
    "Ψ-RAG keyword", "Ψ-RAG summary", "Ψ-RAG centroid", "Ψ-RAG agent, rules",
]  # fmt: skip


@pytest.fixture(scope="module")
def systems():
    return offline_systems("toy", encoder=HashingEncoder(), seed=4)


@pytest.fixture(scope="module")
def found(systems):
    return evaluate(systems, "toy", k=[2, 12])


def test_all_run(found):
    assert list(found.systems) == NAMES
    assert set(found.systems.values()) == {""}
    assert found.table()["failed"].sum() == 0
    assert found.table().set_index("system").loc["flat", "recall@12"] == 1.0


def test_four_indexes_stand_behind_them(systems, found):
    assert len({id(system.index) for system in systems[:8]}) == 4
    assert len({id(system.chunks.texts[0]) for system in systems}) == 1
    kinds = [system.index.abstracts.kind for system in systems[:8]]
    assert kinds == ["keyword"] * 3 + ["summary"] * 2 + ["keyword", "summary", "centroid"]
    assert systems[3].index.tree != systems[6].index.tree
    assert found.manifest["systems"]["RAPTOR traversal"]["index"]["settings"]["tree"] == "gmm_tree(seed=4)"


def test_each_retrieves_in_its_own_way(systems, found):
    question = load_questions("toy")[0].question
    sides = [set(system.retrieve(question, 3).trace.sides) for system in systems[:6]]
    assert sides == [{"sparse"}, {"flat"}, {"flat", "sparse"}, {"tree"}, {"tree"}, {"tree", "sparse"}]
    assert any(hit.chunk is None for hit in systems[4].retrieve(question, 20))
    assert all(hit.chunk is not None for hit in systems[3].retrieve(question, 20))


def test_nothing_is_built_before_it_is_needed():
    encoder = HashingEncoder()
    offline_systems("toy", encoder=encoder)
    assert encoder.calls == 0


def test_wrong_arguments_are_refused():
    with pytest.raises(PsiragError, match="load_corpus"):
        offline_systems("no-such-set")
    with pytest.raises(PsiragError, match="seed"):
        offline_systems("toy", seed=-1)


def test_a_tree_for_each_document():
    systems = offline_systems("minutes", encoder=HashingEncoder(), per_document=True)
    first = load_questions("minutes")[0]
    found = evaluate(systems, [first], k=[3])
    (document,) = {
        system.chunks.document[each.hits[0]] for system, each in zip(systems[:4], found.outcomes[:4], strict=True)
    }
    assert systems[0].chunks.titles[found.outcomes[0].hits[0]] == first.supporting_titles[0]
    for each in found.outcomes:
        assert {systems[0].chunks.document[i] for i in each.hits if i >= 0} <= {document}
    assert found.table()["failed"].sum() == 0

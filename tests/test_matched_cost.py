"""Systems at the same budget of tokens."""

from __future__ import annotations

import pytest

from psirag.corpus import Question, count_tokens
from psirag.errors import PsiragError
from psirag.evaluation import NotRun, SearchSystem, evaluate
from psirag.evaluation.matched_cost import by_budget, matched_cost, matched_systems, packed
from psirag.index import Index
from psirag.variants import NavTree
from tests.hashing_encoder import HashingEncoder

INDEX = Index.build(
    [{"title": f"Page {i}", "text": f"Word{i} and word{i + 1} stand here."} for i in range(9)],
    encoder=HashingEncoder(), abstraction="keyword",
)  # fmt: skip
QUESTIONS = [
    Question(f"q{i}", f"Where is word{i}?", (f"word{i + 1}",), supporting_titles=(f"Page {i}",)) for i in range(1, 5)
]


class Counting:
    """A system that counts how often it is asked, and finds everything in order."""

    name = "counting"
    chunks = INDEX.chunks

    def __init__(self) -> None:
        self.asked = 0

    def retrieve(self, question: str, k: int = 5):
        self.asked += 1
        return SearchSystem("flat", INDEX, sides=["flat"]).retrieve(question, k)


def test_each_budget_holds_and_each_question_is_asked_once():
    system = Counting()
    some = packed(system, [12, 5, 12])
    assert [each.name for each in some] == ["counting @ 5", "counting @ 12"]
    for question in QUESTIONS:
        hits = [each.retrieve(question.question).hits for each in some]
        assert [sum(count_tokens(hit.text) for hit in few) for few in hits] == [5, 10]
        assert hits[1][:1] == hits[0]
    assert system.asked == len(QUESTIONS)
    assert len(some[1].retrieve("word1", 1)) == 1
    assert some[0].settings["budget"] == 5


@pytest.mark.oracle
def test_the_table_is_the_evaluation_of_packed_hits():
    systems = [Counting(), SearchSystem("BM25", INDEX, sides=["sparse"])]
    table = matched_cost(systems, QUESTIONS, [5, 12])
    assert list(zip(table["system"], table["budget"], strict=True)) == [
        ("counting", 5), ("counting", 12), ("BM25", 5), ("BM25", 12),
    ]  # fmt: skip
    found = [
        INDEX.retrieve(question.question, 2, sides=["sparse"]) for question in QUESTIONS
    ]  # five words a chunk: two fit
    recall = sum(
        any(hit.chunk.title in q.supporting_titles for hit in hits) for q, hits in zip(QUESTIONS, found, strict=True)
    )
    assert table["recall"].iloc[3] == recall / 4
    assert (table["recall low"] <= table["recall"]).all()
    assert (table["answer present"] <= table["answer present high"]).all()
    assert table["questions"].tolist() == [4] * 4
    assert table["nodes_scored"].tolist() == [9, 9, 0, 0]


def test_what_is_not_run_has_a_note_and_no_figure():
    table = matched_cost([NotRun("model", "a model"), Counting()], QUESTIONS, [5])
    assert table["note"].tolist() == ["not run: needs a model", ""]
    assert table["recall"].isna().tolist() == [True, False]


def test_navtree_without_a_limit_packed_is_navtree_at_the_budget():
    whole, budget = NavTree(INDEX, budget=10**9), 17
    (some,) = packed(whole, [budget])
    for question in QUESTIONS:
        wanted = NavTree(INDEX, budget=budget).retrieve(question.question)
        assert [hit.node for hit in some.retrieve(question.question)] == [hit.node for hit in wanted]


def comparison():
    """Return the systems of the comparison on pages of one chunk."""
    rows = [{"title": f"Page {i}", "text": f"Word{i} and word{i + 1} stand here."} for i in range(12)]
    return matched_systems(rows, encoder=HashingEncoder())


def test_the_systems_of_the_comparison():
    systems = comparison()
    assert [system.name for system in systems] == [
        "Ψ-RAG, leaves", "Ψ-RAG, abstracts too", "RAPTOR traversal", "RAPTOR collapsed",
        "NavTree", "flat", "BM25", "fused",
    ]  # fmt: skip
    table = matched_cost([*systems[:2], *systems[4:]], QUESTIONS, [10])
    assert table["note"].tolist() == [""] * 6
    assert table["answer present"].notna().all()
    assert any(hit.chunk is None for hit in systems[1].retrieve("word3", 20))
    assert all(hit.chunk is not None for hit in systems[4].retrieve("word3", 20))
    narrow, wide = (matched_systems("atlas", encoder=HashingEncoder(), beam=beam)[0] for beam in (1, 50))
    assert narrow.retrieve("dam").trace.nodes_scored < wide.retrieve("dam").trace.nodes_scored


@pytest.mark.slow
def test_raptor_in_the_comparison():
    traversal, collapsed = comparison()[2:4]
    assert matched_cost([traversal, collapsed], QUESTIONS, [10])["note"].tolist() == ["", ""]
    assert all(hit.chunk is not None for hit in traversal.retrieve("word3", 20))
    assert any(hit.chunk is None for hit in collapsed.retrieve("word3", 20))


def test_wrong_input():
    for budgets in ([], "256", 256, None):
        with pytest.raises(PsiragError, match="budgets must be a sequence"):
            packed(INDEX, budgets)  # type: ignore[arg-type]
    with pytest.raises(PsiragError, match="each of budgets must be"):
        packed(INDEX, [0])
    with pytest.raises(PsiragError, match="needs a system"):
        packed("index")
    with pytest.raises(PsiragError, match="needs an evaluation of packed systems, but got index"):
        by_budget(evaluate(INDEX, QUESTIONS, k=[100]))
    with pytest.raises(PsiragError, match="recall@100"):
        by_budget(evaluate(packed(INDEX, [9]), QUESTIONS, k=[5]))

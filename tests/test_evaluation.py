"""Tables, groups and comparisons of outcomes written down by hand."""

from __future__ import annotations

import numpy as np
import pytest

from psirag.errors import PsiragError
from psirag.evaluation import Evaluation, Outcome, bootstrap_interval, paired_interval, sign_test


def outcome(system, question, status="retrieved", *, kind="", hops=None, answerable=True, **figures):
    named = {name.replace("_at_", "@"): float(value) for name, value in figures.items()}
    return Outcome(
        system, question, kind, hops, answerable, status, figures=named, seconds={"seconds": 0.5} if named else {}
    )


OUTCOMES = (
    outcome("A", "1", hops=1, kind="x", recall_at_2=1, queries=1),
    outcome("A", "2", hops=2, kind="y", recall_at_2=0, queries=1),
    outcome("A", "3", hops=2, kind="y", recall_at_2=1, queries=1),
    outcome("A", "4", queries=1),
    outcome("A", "5", answerable=False, queries=4),
    outcome("B", "1", hops=1, kind="x", recall_at_2=0, queries=2),
    outcome("B", "2", hops=2, kind="y", recall_at_2=0.5, queries=2),
    outcome("B", "3", "failed", hops=2, kind="y"),
)


@pytest.fixture
def evaluation():
    return Evaluation({"A": "", "B": "", "C": "not run: needs a model"}, OUTCOMES, (2,), seed=3)


@pytest.mark.oracle
def test_the_table_by_hand(evaluation):
    table = evaluation.table().set_index("system")
    assert list(table.index) == ["A", "B", "C"]
    assert table.loc["A", ["questions", "failed", "without_gold"]].tolist() == [5, 0, 1]
    assert table.loc["B", ["questions", "failed", "without_gold"]].tolist() == [3, 1, 0]
    interval = bootstrap_interval([1, 0, 1], seed=3)
    assert tuple(table.loc["A", ["recall@2", "recall@2 low", "recall@2 high"]]) == interval
    assert (table.loc["B", "recall@2"], table.loc["A", "queries"], table.loc["A", "seconds"]) == (0.25, 8 / 5, 0.5)


@pytest.mark.oracle
def test_the_summary_by_hand(evaluation):
    summary = evaluation.summary().set_index("system")
    low, high = bootstrap_interval([1, 0, 1], seed=3)[1:]
    assert summary.loc["A", "recall@2"] == f"0.67 ({low:.2f}–{high:.2f})"
    assert summary.loc["B", "queries"] == "2.00 (2.00–2.00)"
    assert summary.loc["C"].tolist() == ["not run: needs a model", "–", "–", "–"]
    assert list(summary.columns) == ["note", "recall@2", "queries", "seconds"]  # nobody answered: no "em"
    run = Evaluation(
        {"A": "", "B": ""}, (outcome("A", "1", nodes_scored=123.4), outcome("B", "1", nodes_scored=9)), (2,)
    )
    assert run.summary(["nodes_scored"]).to_numpy().tolist() == [["A", "123"], ["B", "9"]]  # no interval of one
    assert list(run.summary(["em"]).columns) == ["system"]


def test_what_was_not_run_has_a_line_and_no_figure(evaluation):
    row = evaluation.table().set_index("system").loc["C"]
    assert row["note"] == "not run: needs a model"
    assert row["questions"] == 0
    assert row[list(evaluation.metrics)].isna().all()


def test_fr_084_every_measure_has_its_columns(evaluation):
    columns = set(evaluation.table().columns)
    assert {f"{name}{end}" for name in evaluation.metrics for end in ("", " low", " high")} <= columns
    assert set(evaluation.metrics) <= set(evaluation.questions().columns)
    assert evaluation.table()["em"].isna().all()  # nobody answered, and it says so


@pytest.mark.oracle
def test_over_how_many_questions_a_mean_was_taken(evaluation):
    table = evaluation.table(["recall@2", "queries", "em"], counts=True).set_index("system")
    numbers = table[["recall@2 n", "queries n", "em n"]]
    assert numbers.to_numpy().tolist() == [[3, 5, 0], [2, 2, 0], [0, 0, 0]]
    assert evaluation.by("kind", ["recall@2"], counts=True)["recall@2 n"].tolist() == [1, 1, 2, 1]


@pytest.mark.oracle
def test_every_other_system_against_one(evaluation):
    found = evaluation.against("B", "recall@2").set_index("system")
    pair = evaluation.compare("A", "B", "recall@2")
    assert found.loc["A"].tolist() == [2, *pair.difference, pair.p]
    assert found.loc["C", "n"] == 0
    assert found.loc["C"].drop("n").isna().all()
    assert evaluation.against("A", "queries").set_index("system").loc["B", "difference"] == 1.0


def test_one_system_has_no_other_to_compare():
    alone = Evaluation({"A": ""}, OUTCOMES[:5], (2,))
    assert alone.against("A", "recall@2").empty
    with pytest.raises(PsiragError, match="metric must be one of"):
        alone.against("A", "recall")


def of_systems(*names, questions="1 2", k=(2,), seed=0, checksum="ab", **manifest):
    outcomes = [outcome(name, question, recall_at_2=1) for name in names for question in questions.split()]
    about = {"questions": {"sha256": checksum}, "systems": {name: {"beam": 5} for name in names}, **manifest}
    return Evaluation(dict.fromkeys(names, ""), outcomes, k, seed, about, f"2026-01-0{len(names)}")


def test_two_evaluations_side_by_side():
    first, second, third = of_systems("A", python="3.11"), of_systems("B", "C", python="3.12"), of_systems("D")
    both = Evaluation.joined(first, second)
    assert list(both.systems) == ["A", "B", "C"]
    assert both.outcomes == (*first.outcomes, *second.outcomes)
    assert both.date == "2026-01-02"
    assert both.manifest["systems"] == {name: {"beam": 5} for name in "ABC"}
    assert (both.manifest["python"], both.manifest["joined"]) == ("3.11", [{"python": "3.12"}])
    three = Evaluation.joined(both, third)
    assert (list(three.systems), three.manifest["joined"]) == (["A", "B", "C", "D"], [{"python": "3.12"}, {}])
    assert both.compare("A", "C", "recall@2").n == 2


@pytest.mark.parametrize(
    ("second", "told"),
    [
        (of_systems("B", checksum="cd"), "other or unknown questions"),
        (of_systems("B", k=(2, 5), seed=1), "other or unknown k, seed"),
        (of_systems("B", "A"), "both with A"),
        (Evaluation({"B": ""}, (), (2,)), "other or unknown questions"),
        ("B", "must hold Evaluation only"),
    ],
)
def test_what_does_not_fit_is_not_joined(second, told):
    with pytest.raises(PsiragError, match=told):
        Evaluation.joined(of_systems("A"), second)
    with pytest.raises(PsiragError, match="unknown questions"):
        Evaluation.joined(*[Evaluation({name: ""}, (), (2,)) for name in "AB"])


def test_one_outcome_a_system_and_question():
    with pytest.raises(PsiragError, match="one outcome a system and question, but got several for 'A' on '1'"):
        Evaluation({"A": ""}, (*OUTCOMES, OUTCOMES[0]), (2,))


def test_chosen_measures(evaluation):
    table = evaluation.table(["queries"])
    counts = ["system", "note", "questions", "failed", "without_gold"]
    assert list(table.columns) == [*counts, "queries", "queries low", "queries high"]


def test_one_row_a_system_and_question(evaluation):
    rows = evaluation.questions()
    assert len(rows) == len(OUTCOMES)
    assert rows.loc[0, ["system", "question", "hops", "recall@2"]].tolist() == ["A", "1", 1, 1.0]
    assert rows["hops"].isna().tolist() == [each.hops is None for each in OUTCOMES]
    assert np.isnan(rows.loc[7, "recall@2"])


@pytest.mark.oracle
def test_groups(evaluation):
    table = evaluation.by("hops", ["recall@2"])
    rows = [tuple(row) for row in table[["hops", "system", "questions", "recall@2"]].fillna(-1).itertuples(index=False)]
    assert rows == [(1, "A", 1, 1.0), (1, "B", 1, 0.0), (2, "A", 2, 0.5), (2, "B", 2, 0.5)]  # no recall without hops
    assert evaluation.by("hops", ["queries"])["hops"].fillna(-1).tolist() == [1, 1, 2, 2, -1]
    assert len(evaluation.by("hops", ["em"])) == 5  # nobody answered, and the table says so
    two = Evaluation({"A": ""}, (OUTCOMES[0], outcome("A", "9", "failed", kind="z")), (2,))
    assert two.by("kind", ["recall@2"])["failed"].tolist() == [0, 1]
    assert evaluation.by("kind")["kind"].tolist() == ["", "x", "x", "y", "y"]
    assert evaluation.by("answerable")["questions"].tolist() == [1, 4, 3]


@pytest.mark.oracle
def test_a_comparison_is_paired_over_the_questions_that_both_have(evaluation):
    found = evaluation.compare("A", "B", "recall@2")
    assert (found.metric, found.n) == ("recall@2", 2)  # question 3 failed for B, 4 has no gold
    assert found.difference == paired_interval([1, 0], [0, 0.5], seed=3)
    assert found.difference.mean == 0.25
    assert found.p == sign_test([1, 0], [0, 0.5]) == 1.0


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda e: e.compare("A", "Z", "recall@2"), "system must be one of 'A', 'B', 'C'"),
        (lambda e: e.compare("A", "B", "recall@3"), "metric must be one of 'recall@2'"),
        (lambda e: e.compare("A", "C", "recall@2"), "questions that both systems have"),
        (lambda e: e.compare("A", "B", "em"), "questions that both systems have"),
        (lambda e: e.against("Z", "recall@2"), "system must be one of 'A', 'B', 'C'"),
        (lambda e: e.against("A", "recall@3"), "metric must be one of 'recall@2'"),
        (lambda e: e.by("length"), "column must be one of"),
        (lambda e: e.table(["recall"]), "metric must be one of"),
        (lambda e: e.summary(["recall"]), "metric must be one of"),
        (lambda e: e.table("em"), r"sequence of names.*\['em'\]"),
    ],
)
def test_what_is_not_there_is_told(evaluation, call, told):
    with pytest.raises(PsiragError, match=told):
        call(evaluation)


def test_it_says_what_it_is(evaluation):
    assert repr(evaluation) == "Evaluation(3 systems, 5 questions, k=(2,)); C not run: needs a model"


def test_date_and_seconds_do_not_count(evaluation):
    later = Evaluation(evaluation.systems, OUTCOMES, (2,), seed=3, date="2030-01-01")
    assert later == evaluation
    assert Evaluation(evaluation.systems, OUTCOMES[1:], (2,), seed=3) != evaluation

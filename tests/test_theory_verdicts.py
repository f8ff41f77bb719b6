"""Every recorded verdict comes out again, at several seeds; and what a tally makes of its cases."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import psirag.theory
import pytest
from psirag.theory import CHECKS, FALSE, FURTHER, HOLDS, Verdict, check_all
from psirag.theory.verdict import Tally, scaled

RECORD = {
    HOLDS: {
        "Theorem 4.1, hard k-means",
        "Theorem 4.1, soft k-means",
        "Theorem 4.1 in float64, relative to B",
        "Binary trees: cost with M − s is a constant − cost with s",
        "Weights ≥ 0: over all trees the star is the dearest",
        "Joining children A, B: cost − (other leaves)·s(A, B)",
        "Clique identity: binary trees cost (n³−n)/3",
        "Clique identity, converse: only binary trees do",
        "4.3 (2), 4.4 (2): c(T′) − c(T) = Δc′ − Δc",
        "Lemma B.1 (modularity)",
        "Lemma B.3 is right iff all strict ancestors are binary",
        "True increment: n′·Σ e2(off-path children)",
        "Theorem 4.3 (1): c(T′) < c(T)",
        "Equations (36)–(41)",
        "4.4, exact: D = ½(n_j−n_i−1)(2(n_o+1)−n_i−n_j)",
        "4.4, exact: ≥ iff n_i + n_j ≤ 2(n_o + 1)",
        "4.4, exact: = iff n_j = n_i + 1 or n_i + n_j = 2(n_o + 1)",
        "4.4, k ≥ 4: a failure needs n_j > n/2",
        "(44) − true difference = n(n_j − n_i − 1)",
        "(44) = (43) with its signs mended − (42)",
        "(52) as printed",
        "4.3 deeper, exact: D = p − 1 − (k − 2)·m",
        "4.4 deeper, exact: fans along both paths",
        "A class is a layer-l node iff one round-l component",
        "Algorithm 1: exactly n − 1 pairs are accepted",
        "Fan lemma: c(T) = (n³−n)/3 + fans",
        "Accepted pairs = maximum spanning tree",
        "Ψ tree = ψ(single linkage with witness)",
        "Ψ tree = Borůvka's layers = affinity clustering",
        "Layer 1 = components of the nearest-neighbour graph",
        "Every tree is equi-depth after every step",
        "Depth ≤ ⌊log2 n⌋: height h has ≥ 2^h leaves",
    },
    FURTHER: {
        "Lemma B.2 (ψ is a map and onto)",
        "Corollary B.4 (34), (35)",
        "Theorem 4.4 with its iff, donor not the largest",
        "4.3, Remark: also for δ > 3",
    },
    FALSE: {
        "Remark: the optimum has equal sizes",
        "Remark: a Gaussian mixture shares the optimum of k-means",
        "Def. 4.2: minimising with a distance puts near pairs deep",
        "Lemma B.3",
        "Theorem 4.4: c(T′) ≥ c(T)",
        "Theorem 4.4: equality iff n_j = n_i + 1",
        "(42) as printed: the rest is constant",
        "(43) as printed: the rest is constant",
        "(44) as printed",
        "(53): n = n_i + 2n_j is the minimum case",
        "4.4, Remark: also for δ > 3",
        "Remark: a closed minor class is a subtree",
        "Remark, with the rest closed and the class minor",
        "Algorithm 1: ranks 1 to n − 1 suffice",
    },
}

SMALLEST = {
    "Theorem 4.4: c(T′) ≥ c(T)": "(2, 3, 7) → (3, 3, 6): 650 → 648",
    "Theorem 4.4: equality iff n_j = n_i + 1": "(2, 3, 6) → (3, 3, 5): 497 → 497",
    "Lemma B.3": "(((0, 1), (2, 3), (4, 5)), 6), attached at (0,): +5, not +1",
    "Lemma B.2 (ψ is a map and onto)": "(0, ((1, 2), (3, 4))) collapses to ((0, 1, 2), (3, 4)) or ((0, 3, 4), (1, 2))",
    "Algorithm 1: ranks 1 to n − 1 suffice": "n = 4, most similar pairs ((0, 1), (0, 2), (1, 2))",
    "4.3, Remark: also for δ > 3": "branching (3, 2, 3), parting at depth 1: +2",
}


def module_of(check):
    return check.__module__.rpartition(".")[2]


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("check", CHECKS, ids=module_of)
def test_every_verdict_is_the_recorded_one(check, seed):
    for verdict in check("small", seed):
        assert verdict.found == verdict.recorded, verdict
        assert verdict.cases > 0
        assert bool(verdict.counterexample) == (verdict.found != HOLDS)


@pytest.fixture(scope="module")
def verdicts() -> tuple[Verdict, ...]:
    return check_all("small")


def test_what_holds_and_what_does_not(verdicts):
    found = {outcome: {v.statement for v in verdicts if v.found == outcome} for outcome in (HOLDS, FURTHER, FALSE)}
    assert found == RECORD


def test_the_smallest_counterexamples(verdicts):
    assert {v.statement: v.counterexample for v in verdicts if v.statement in SMALLEST} == SMALLEST


def test_exact_statements_have_no_margin_at_all(verdicts):
    exact = [v for v in verdicts if v.found == HOLDS and v.margin is not None and not isinstance(v.margin, float)]
    assert len(exact) > 10
    assert {v.margin for v in exact if "c(T′) < c(T)" not in v.statement} == {0}


def test_statements_are_named_once_and_have_a_source(verdicts):
    names = [verdict.statement for verdict in verdicts]
    assert len(names) == len(set(names))
    assert all(v.source.startswith(("Ψ-RAG", "ours", "Dasgupta")) for v in verdicts)
    assert all(v.note for v in verdicts if v.found != HOLDS)  # say why, or with which hypothesis


def test_more_cases_when_larger():
    small, default = (
        sum(v.cases for v in psirag.theory.uniform_effect.check(size, 0)) for size in ("small", "default")
    )
    assert small < default
    assert [scaled(size, 200) for size in ("small", "default", "large")] == [20, 200, 2000]


def test_every_check_states_and_proves_in_its_docstring():
    for check in CHECKS:
        said = __import__(check.__module__, fromlist=["x"]).__doc__
        assert "**Statement" in said or "as printed" in said or "**Remark" in said or "**(42)**" in said, (
            check.__module__
        )


def test_a_verdict_is_frozen():
    verdict = Verdict("s", "t", HOLDS, HOLDS, 1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        verdict.cases = 2


def outcome(*cases, recorded=HOLDS):
    tally = Tally("statement", "source", recorded)
    for size, holds, allowed in cases:
        tally.claim(size, f"case {size}", holds, allowed=allowed)
    return tally.verdict()


def test_no_failure_holds():
    assert outcome((1, True, True), (2, True, False)).found == HOLDS


def test_a_failure_is_false_and_the_smallest_is_kept():
    verdict = outcome((5, False, True), (3, False, True), (3, False, True), (4, True, True))
    assert (verdict.found, verdict.counterexample, verdict.cases) == (FALSE, "case 3", 4)
    assert verdict.changed
    assert not verdict.holds


def test_a_failure_outside_the_hypothesis_needs_it():
    assert outcome((5, False, False), (6, True, True)).found == FURTHER


def test_a_failure_inside_the_hypothesis_is_false():
    assert outcome((5, False, False), (6, False, True)).found == FALSE


def test_margins():
    tally = Tally("s", "t", HOLDS)
    tally.equal(1, "a", Fraction(1, 3), Fraction(1, 3))
    tally.equal(1, "b", 5, 7, within=2)
    assert (tally.margin, tally.verdict().found) == (2, HOLDS)
    slack = Tally("s", "t", FALSE)
    slack.at_least(2, "a", 3)
    slack.at_least(3, "zero is enough", 0)
    assert slack.verdict().found == HOLDS
    slack.at_least(4, "zero is not enough", 0, strict=True)
    slack.at_least(1, "below", -4)
    assert (slack.margin, slack.verdict().counterexample) == (-4, "below")

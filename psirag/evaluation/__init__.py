"""Evaluation: how right answers are, and how sure the figures."""

from __future__ import annotations

from psirag.evaluation.ablations import ablations
from psirag.evaluation.comparison import Comparison
from psirag.evaluation.evaluating import evaluate
from psirag.evaluation.evaluation import Evaluation
from psirag.evaluation.gold import answer_present, gold_items, recall
from psirag.evaluation.index_size import recall_by_size
from psirag.evaluation.matched_cost import by_budget, matched_cost, matched_systems, packed
from psirag.evaluation.measured import measured
from psirag.evaluation.metrics import exact_match, normalised_answer, rouge_l, token_f1
from psirag.evaluation.model_systems import model_systems
from psirag.evaluation.offline import offline_systems
from psirag.evaluation.outcome import Outcome
from psirag.evaluation.statistics import Interval, bootstrap_interval, paired_interval, sign_test
from psirag.evaluation.systems import AgentSystem, NotRun, SearchSystem, System
from psirag.evaluation.tree_statistics import TreeStatistics, tree_statistics

__all__ = [
    "AgentSystem",
    "Comparison",
    "Evaluation",
    "Interval",
    "NotRun",
    "Outcome",
    "SearchSystem",
    "System",
    "TreeStatistics",
    "ablations",
    "answer_present",
    "bootstrap_interval",
    "by_budget",
    "evaluate",
    "exact_match",
    "gold_items",
    "matched_cost",
    "matched_systems",
    "measured",
    "model_systems",
    "normalised_answer",
    "offline_systems",
    "packed",
    "paired_interval",
    "recall",
    "recall_by_size",
    "rouge_l",
    "sign_test",
    "token_f1",
    "tree_statistics",
]

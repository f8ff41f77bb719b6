"""Evaluation: how right answers are, and how sure the figures."""

from __future__ import annotations

from psirag.evaluation.measured import measured
from psirag.evaluation.metrics import exact_match, normalised_answer, token_f1
from psirag.evaluation.statistics import Interval, bootstrap_interval, paired_interval, sign_test

__all__ = [
    "Interval",
    "bootstrap_interval",
    "exact_match",
    "measured",
    "normalised_answer",
    "paired_interval",
    "sign_test",
    "token_f1",
]

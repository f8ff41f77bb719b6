"""Results measured by hand: read by name, with their date."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from psirag.errors import PsiragError
from psirag.evaluation import measured

RESULTS = sorted((Path(__file__).parent / "benchmarks" / "results").glob("*.json"))


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_every_result_says_when_it_was_measured(path):
    assert '"date": "2026-' in json.dumps(measured(path.stem))


def test_an_unknown_result_is_told_with_those_there_are():
    with pytest.raises(PsiragError, match="report_2wiki"):
        measured("report_3wiki")

"""The committed tables on 2Wiki come out again: `make slow`, where the corpus is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from psirag.evaluation import measured
from tests.benchmarks.evaluation_2wiki import measure

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "2wiki"


@pytest.mark.slow
@pytest.mark.skipif(not FOLDER.exists(), reason="2WikiMultihopQA is not at ../shared/data/2wiki")
@pytest.mark.filterwarnings("ignore::psirag.errors.PsiragWarning")
def test_the_committed_figures_come_out_again():
    made, kept = measure(FOLDER), measured("evaluation_2wiki")
    for part in ("systems", "ablations"):
        told = {row["system"]: row["recall@5"] for row in kept[part]}
        assert {row["system"]: row["recall@5"] for row in made[part]} == pytest.approx(told, abs=0.02, nan_ok=True)
    curve = {(row["documents"], row["system"]): row["recall@5"] for row in kept["sizes"]}
    again = {(row["documents"], row["system"]): row["recall@5"] for row in made["sizes"]}
    assert again == pytest.approx(curve, abs=0.02)

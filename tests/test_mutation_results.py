"""What mutation testing left over: every surviving mutant is explained, and the line that it changes is still there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
RESULTS = json.loads((ROOT / "tests/benchmarks/results/mutation.json").read_text(encoding="utf-8"))


def test_every_survivor_is_explained():
    assert set(RESULTS["survivors"]) <= set(RESULTS["explained"])
    assert all(RESULTS["explained"].values())
    assert RESULTS["killed"] + RESULTS["timeout"] + len(RESULTS["survivors"]) == RESULTS["tried"]


@pytest.mark.parametrize("change", RESULTS["explained"])
def test_an_explanation_is_of_the_code_as_it_is(change):
    file, *lines = change.split("\n")
    code = [line.strip() for line in (ROOT / file).read_text(encoding="utf-8").splitlines()]
    assert all(line[2:] in code for line in lines if line.startswith("- "))

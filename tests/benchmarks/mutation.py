"""Mutation testing of tree, cost and fusion by mutmut: which changes to the code would no test notice.

    python tests/benchmarks/mutation.py --mutants 150 --seed 0      # a sample; --mutants 0 takes all, hours
    python tests/benchmarks/mutation.py --write                     # and renew tests/benchmarks/results/mutation.json

It works on a copy in a temporary folder, with few and fixed Hypothesis examples, and ends with 1 where a mutant
survives that the results do not explain: a new test should kill it, or "explained" there say why none can. Left out:
lines that only word an error, and what mutmut cannot reach (decorated methods: the properties of `AbstractTree`).
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
RESULTS = ROOT / "tests" / "benchmarks" / "results" / "mutation.json"
COPIED = ("psirag", "theory", "data", "notebooks", "tests", "README.md", "Makefile", "pyproject.toml")
TREE = "layering merging collapsing rebalancing abstract_tree kruskal renumbering".split()
MUTATED = [*(f"psirag/tree/{name}.py" for name in TREE), "psirag/dasgupta.py", "psirag/retrieval/fusion.py"]
TESTS = "abstract_tree dasgupta fusion kruskal rebalancing spanning_tree tree_builders insertion linkage".split()
WORDING = r"""^\s*(raise |return PsiragError|f?["'`]|(given|asked|remedy|asked, given|given, remedy) [+]?= )"""
PROFILE = """
settings.register_profile("mutation", max_examples=15, derandomize=True, deadline=None, database=None)
settings.load_profile("mutation")
"""


def prepare(work: Path) -> None:
    """Copy what the tests need, and say to mutmut what to change and to run."""
    for name in COPIED:
        source = ROOT / name
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, work / name, ignore=ignore) if source.is_dir() else shutil.copy(source, work / name)
    with (work / "tests" / "conftest.py").open("a") as stream:
        stream.write(PROFILE)
    settings = {
        "source_paths": ["psirag"],
        "only_mutate": MUTATED,
        "also_copy": [name for name in COPIED if name not in ("psirag", "tests")],
        "do_not_mutate_patterns": [WORDING],
        "timeout_multiplier": [1.5],
        "timeout_constant": [2],
        "pytest_add_cli_args": ["-p", "no:cacheprovider", "-p", "no:xdist"],
        "pytest_add_cli_args_test_selection": [f"tests/test_{name}.py" for name in TESTS],
    }
    lines = [f"{key}=\n" + "".join(f"    {value}\n" for value in values) for key, values in settings.items()]
    (work / "setup.cfg").write_text("[mutmut]\n" + "".join(lines))


def mutmut(work: Path, *arguments: str) -> str:
    """Run one command of mutmut in the copy."""
    command = [sys.executable, "-m", "mutmut", *arguments]
    return subprocess.run(command, cwd=work, check=True, capture_output=True, text=True).stdout


def statuses(work: Path) -> dict[str, str]:
    """The status of every mutant."""
    lines = mutmut(work, "results", "--all", "true").splitlines()
    return dict(line.strip().split(": ") for line in lines if ": " in line)


def change(work: Path, mutant: str) -> str:
    """What a mutant changes: its file, the lines that go and those that come."""
    lines = mutmut(work, "show", mutant).splitlines()
    file = next(line.removeprefix("--- ") for line in lines if line.startswith("--- "))
    changed = [f"{line[0]} {line[1:].strip()}" for line in lines if line[:1] in "+-" and line[:3] not in ("---", "+++")]
    return "\n".join([file, *changed])


def tried(work: Path, mutants: int, seed: int) -> tuple[int, dict[str, str]]:
    """How many mutants there are, and the statuses of a sample of them."""
    prepare(work)
    mutmut(work, "run", "--max-children", "1", "psirag.retrieval.fusion.*_1")  # makes all mutants, tries one of them
    names = sorted(statuses(work))
    chosen = random.Random(seed).sample(names, min(mutants or len(names), len(names)))
    mutmut(work, "run", "--max-children", "1", *chosen)
    return len(names), {name: status for name, status in statuses(work).items() if name in set(chosen)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mutants", type=int, default=150)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    explained = json.loads(RESULTS.read_text())["explained"]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder, "psirag")
        work.mkdir()
        n, status = tried(work, asked.mutants, asked.seed)
        survived = sorted(change(work, name) for name in status if status[name] not in ("killed", "timeout"))
    unexplained = [each for each in survived if not explained.get(each)]
    made = {"date": datetime.now(UTC).date().isoformat(), "seed": asked.seed, "mutants": n, "tried": len(status)}
    made |= Counter(status.values())
    print(json.dumps(made), *unexplained, sep="\n\n")
    if asked.write:
        made |= {"survivors": survived, "explained": explained | dict.fromkeys(unexplained, "")}
        RESULTS.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n")
    return int(bool(unexplained))


if __name__ == "__main__":
    sys.exit(main())

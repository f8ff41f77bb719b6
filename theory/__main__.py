"""`python -m psirag.theory`: check every statement, print the table, fail when a verdict is not the recorded one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from fractions import Fraction
from textwrap import shorten, wrap

from .all_checks import CHECKS, Check
from .verdict import Verdict

WIDTH = 118


def main(arguments: Sequence[str] | None = None, *, checks: Sequence[Check] = CHECKS) -> int:
    """Print one block per statement; return 0 when every verdict is the recorded one, 1 when one changed."""
    parser = argparse.ArgumentParser(prog="python -m psirag.theory", description=__doc__)
    parser.add_argument("--size", choices=("small", "default", "large"), default="default", help="how many cases")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random cases")
    options = parser.parse_args(arguments)
    print(f"{'statement':<60} {'verdict':<32} {'cases':>9}  worst margin")
    print("─" * WIDTH)
    verdicts: list[Verdict] = []
    for check in checks:
        for verdict in check(options.size, options.seed):
            print("\n".join(block(verdict)), flush=True)
            verdicts.append(verdict)
    changed = [verdict.statement for verdict in verdicts if verdict.changed]
    print("─" * WIDTH)
    print(f"{len(verdicts)} statements, {len(verdicts) - len(changed)} as recorded, {len(changed)} changed")
    for statement in changed:
        print(f"CHANGED: {statement}", file=sys.stderr)
    return 1 if changed else 0


def block(verdict: Verdict) -> list[str]:
    """Return the lines of one statement: the row, then its source and note, then the smallest counterexample."""
    mark = f"{verdict.found} (recorded: {verdict.recorded})" if verdict.changed else verdict.found
    row = f"{verdict.statement:<60} {mark:<32} {verdict.cases:>9,}  {margin(verdict.margin)}".rstrip()
    about = f"{verdict.source}. {verdict.note}" if verdict.note else verdict.source
    lines = [row, *wrap(about, WIDTH, initial_indent="    ", subsequent_indent="    ")]
    if verdict.counterexample:
        example = shorten(f"counterexample: {verdict.counterexample}", 3 * WIDTH, placeholder=" …")
        lines += wrap(example, WIDTH, initial_indent="    ", subsequent_indent="      ")
    return lines


def margin(value: int | Fraction | float | None) -> str:
    """Write a margin; a dash where the statement has none."""
    if value is None:
        return "–"
    return f"{value:.2g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    sys.exit(main())

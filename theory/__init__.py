"""Dasgupta's cost and Theorems 4.1–4.4: each statement proved where short, checked, corrected where wrong.

One module a statement; its docstring is the statement with its hypotheses and the proof; its `check(size, seed)` tries
small cases exhaustively and random large ones, in exact arithmetic unless it says otherwise. `python -m psirag.theory`
prints the table.
"""

from .all_checks import CHECKS, check_all
from .verdict import FALSE, FURTHER, HOLDS, Verdict

__all__ = ["CHECKS", "FALSE", "FURTHER", "HOLDS", "Verdict", "check_all"]

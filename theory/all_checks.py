"""All checks, in the order of the paper; what is ours comes last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from . import (
    adaptability,
    adaptability_equations,
    boruvka_layers,
    clique_identity,
    collapse_increment,
    collapsing_onto,
    cost_sign,
    deeper_trees,
    equal_depth,
    fan_lemma,
    maximum_spanning_tree,
    minor_class,
    modularity,
    non_uniformity,
    similarity_ranking,
    uniform_effect,
    uniform_sizes,
)
from .verdict import Size, Verdict

Check: TypeAlias = Callable[[Size, int], tuple[Verdict, ...]]

CHECKS: tuple[Check, ...] = (
    uniform_effect.check,
    uniform_sizes.check,
    cost_sign.check,
    clique_identity.check,
    modularity.check,
    collapsing_onto.check,
    collapse_increment.check,
    non_uniformity.check,
    adaptability.check,
    adaptability_equations.check,
    deeper_trees.check,
    minor_class.check,
    similarity_ranking.check,
    fan_lemma.check,
    maximum_spanning_tree.check,
    boruvka_layers.check,
    equal_depth.check,
)


def check_all(size: Size = "default", seed: int = 0, *, checks: Sequence[Check] = CHECKS) -> tuple[Verdict, ...]:
    """Run the checks and return every verdict.

    Parameters
    ----------
    size : "small", "default" or "large"
        How many cases: seconds, well under half a minute, or minutes.
    seed : int
        Seed of the random cases.
    checks : sequence of functions (size, seed) → tuple of Verdict
        Which checks, all by default.

    Source: Ψ-RAG §4.1 and Appendix B.

    Examples
    --------
    >>> from psirag.theory import non_uniformity
    >>> [verdict.found for verdict in check_all("small", checks=(non_uniformity.check,))]
    ['holds', 'holds']
    """
    return tuple(verdict for check in checks for verdict in check(size, seed))

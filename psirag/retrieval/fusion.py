"""Reciprocal rank fusion: several rankings into one, by ranks alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum

from psirag.checks import check_count


def reciprocal_rank_fusion(rankings: Iterable[Sequence[int]], *, constant: int = 60) -> list[tuple[int, float]]:
    """Rank ids by the sum, over the rankings that hold them, of 1 / (constant + rank), with ranks from 1.

    score(i) = Σ_r 1 / (constant + rank_r(i)); an id that a ranking lacks gets nothing from it.

    Parameters
    ----------
    rankings : iterable of sequences of int
        Ids from best to worst; of an id that occurs twice in one ranking the first counts.
    constant : int
        Larger, and the first ranks count less.

    Returns
    -------
    list of (int, float)
        Ids and scores, score descending; equal scores: the lower id first.

    Raises
    ------
    PsiragError
        `constant` is no integer of at least 0.

    Notes
    -----
    Source: Cormack, Clarke and Büttcher 2009, doi:10.1145/1571941.1572114.

    Examples
    --------
    >>> [(i, round(score, 6)) for i, score in reciprocal_rank_fusion([[7, 1, 8], [2, 3, 8]])]
    [(8, 0.031746), (2, 0.016393), (7, 0.016393), (1, 0.016129), (3, 0.016129)]
    """
    constant = check_count("constant", constant, minimum=0)
    parts: dict[int, list[float]] = {}
    for ranking in rankings:
        for rank, item in enumerate(dict.fromkeys(map(int, ranking)), start=1):
            parts.setdefault(item, []).append(1 / (constant + rank))
    scores = ((item, fsum(part)) for item, part in parts.items())  # fsum: the order of the rankings leaves no trace
    return sorted(scores, key=lambda pair: (-pair[1], pair[0]))

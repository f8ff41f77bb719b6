"""Packing: the hits that fit into a budget of tokens, from the best on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from psirag.checks import check_count, check_each
from psirag.corpus.tokens import token_counter
from psirag.retrieval.trace import Hit


def pack_hits(hits: Iterable[Hit], budget: int, *, tokenizer: Any = None) -> tuple[Hit, ...]:
    """Keep, in their order, the hits whose texts fit into what is left of a budget; one that does not fit is skipped.

    Parameters
    ----------
    hits : Retrieval or iterable of Hit
        Best first.
    budget : int
        Tokens of all kept texts together, at most. Titles and what a prompt puts between the texts are not counted.
    tokenizer : None, Hugging Face tokenizer or callable
        See `count_tokens`.

    Returns
    -------
    tuple of Hit
        Empty where no hit fits.

    Raises
    ------
    PsiragError
        Something else than hits; a budget that is no integer of at least 1; another kind of tokenizer.

    Notes
    -----
    Source: NavTree §3.3 and §4 (greedy packing, budgets of tokens), arXiv:2610.06902.

    Examples
    --------
    >>> four, two = (Hit(i, 1.0, None, text, ()) for i, text in enumerate(["four words of text", "two words"]))
    >>> [hit.node for hit in pack_hits([two, four, two], budget=5)]
    [1, 1]
    """
    kept = tuple(hits)
    check_each("pack_hits' hits", kept, Hit)
    count = token_counter(tokenizer)
    return tuple(kept[i] for i in fitting_positions([count(hit.text) for hit in kept], budget))


def fitting_positions(tokens: Sequence[int], budget: int) -> list[int]:
    """Return the positions, ascending, of the lengths that still fit when each takes what it needs in turn.

    Examples
    --------
    >>> fitting_positions([3, 9, 4, 1], budget=7)
    [0, 2]
    """
    left = check_count("budget", budget)
    fitting = []
    for i, needed in enumerate(tokens):
        if needed <= left:
            fitting.append(i)
            left -= needed
    return fitting

"""ψ: a binary dendrogram becomes an equi-depth tree, each merge told by a pair of leaves, its witness."""

from __future__ import annotations

from collections.abc import Iterable

from psirag.checks import check_count
from psirag.errors import PsiragError
from psirag.tree.abstract_tree import AbstractTree
from psirag.tree.merging import Forest, join
from psirag.vectors import as_array


def collapse(merges: Iterable[tuple[int, int]], n_leaves: int) -> AbstractTree:
    """Collapse a dendrogram, given as n − 1 leaf pairs in merge order, to an equi-depth tree; never rebalances.

    Parameters
    ----------
    merges : iterable of n − 1 (u, v) pairs of int
        For each merge of the dendrogram, from the bottom up, one leaf of either side: the pair that caused the merge.
        The paper's Lemma B.2 leaves open which node of the deeper side receives the lower root; the witness settles
        it.
    n_leaves : int
        Number of leaves, at least 1.

    Raises
    ------
    PsiragError
        A pair of leaves that do not exist or are in one tree already, or not exactly n − 1 pairs.

    Source: Ψ-RAG Appendix B.2 (ψ), §3.1.

    Examples
    --------
    >>> collapse([(0, 1), (2, 3), (3, 4), (0, 2)], n_leaves=5).parent.tolist()
    [5, 5, 6, 6, 6, 7, 7, -1]
    """
    n_leaves = check_count("n_leaves", n_leaves)
    forest, count = Forest(n_leaves), 0
    for u, v in _pairs(merges):
        if not (0 <= u < n_leaves and 0 <= v < n_leaves) or forest.root(u) == forest.root(v):
            asked = f"collapse needs pairs of leaves 0 … {n_leaves - 1} that join two trees"
            raise PsiragError(asked, f"the pair ({u}, {v}) as merge {count}", "Give one pair per merge.")
        join(forest, int(u), int(v))
        count += 1
    if count != n_leaves - 1:
        asked = f"collapse of {n_leaves} leaves needs {n_leaves - 1} merges"
        raise PsiragError(asked, str(count), "Give one pair per merge.")
    return AbstractTree.from_parents(forest.parent, n_leaves)


def _pairs(merges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the pairs as Python's integers."""
    listed = as_array(list(merges) if isinstance(merges, Iterable) else merges)
    if listed.size == 0 and listed.dtype.kind != "O":
        return []
    whole = listed.dtype.kind in "iuO" and listed.ndim == 2 and listed.shape[1] == 2
    if not whole or not all(isinstance(each, int) for each in listed.ravel().tolist()):
        raise PsiragError("collapse needs pairs of integers", f"{merges!r:.80}", "Give one pair of leaves per merge.")
    return [(u, v) for u, v in listed.tolist()]

"""Growth of the spanning tree: new rows come in, old ones go, and the tree is the one that a rebuild would find.

Take the spanning tree of some of the rows, and any other row x with its best pair (x, y) into it. A pair (x, z) is in
the new spanning tree only if it comes before the bottleneck between x and z, which is the later of (x, y) and of the
old tree's bottleneck between y and z. So the new spanning tree is among the old pairs, the spanning tree of the other
rows, and those few pairs across.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from psirag.errors import PsiragError
from psirag.tree.kruskal import Bottlenecks, Pairs, bottlenecks, kruskal
from psirag.tree.one_thread import one_blas_thread
from psirag.tree.similarity_keys import SCALE, similarity_keys
from psirag.tree.spanning_tree import SpanningTree, spanning_tree
from psirag.tree.sweeping import product_margin
from psirag.vectors import Floats, Ints, Mask, Vectors

_TILE = 2**25  # products held at a time: 128 MB of float32
_COLUMNS = 4096


def insert_rows(pairs: SpanningTree, rows: Vectors) -> SpanningTree:
    """Return the spanning tree of all rows, given that of the first ones.

    Parameters
    ----------
    pairs : SpanningTree
        Of the first `pairs.n_leaves` rows.
    rows : ndarray, shape (n, d), float32
        Unit rows: the old ones, then the new ones.

    Returns
    -------
    SpanningTree
        Equal to `spanning_tree(rows)`.

    Raises
    ------
    PsiragError
        Fewer rows than the tree has leaves.

    Notes
    -----
    m new rows cost m · n · d multiplications.

    Source: Ψ-RAG Appendix G asks for it; the exact way is ours (cycle rule, see `kruskal`).

    Examples
    --------
    >>> rows = np.array([[1, 0], [0.6, 0.8], [0, 1]], dtype=np.float32)
    >>> insert_rows(spanning_tree(rows[:2]), rows).v.tolist()
    [2, 1]
    """
    n_old = pairs.n_leaves
    if len(rows) < n_old:
        given = f"{len(rows)} rows for a tree of {n_old} leaves"
        raise PsiragError("insert_rows needs the old rows and the new ones", given, "remove_rows takes rows out.")
    known = Pairs(pairs.u, pairs.v, pairs.key)
    return _complete(known, np.arange(n_old), np.arange(n_old, len(rows)), rows)


def remove_rows(pairs: SpanningTree, rows: Vectors, gone: Sequence[int] | Ints) -> SpanningTree:
    """Return the spanning tree of the rows that stay.

    Parameters
    ----------
    pairs : SpanningTree
        Of all rows.
    rows : ndarray, shape (n, d), float32
        Unit rows, those to be removed included.
    gone : sequence of int
        Rows to remove; one must stay.

    Returns
    -------
    SpanningTree
        Equal to `spanning_tree` of the rows that stay, numbered from 0.

    Raises
    ------
    PsiragError
        No such row, or none stays.

    Notes
    -----
    The tree falls into pieces; the largest is kept, and the rows of the others are inserted again.

    Source: Ψ-RAG Appendix G asks for it; the exact way is ours.

    Examples
    --------
    >>> rows = np.array([[1, 0], [0.6, 0.8], [0, 1]], dtype=np.float32)
    >>> remove_rows(spanning_tree(rows), rows, [1]).similarity.tolist()
    [0.0]
    """
    number = np.full(len(rows), -1)
    stay = np.setdiff1d(np.arange(len(rows)), gone)
    if np.any((np.asarray(gone) < 0) | (np.asarray(gone) >= len(rows))) or len(stay) == 0:
        given = f"{len(gone)} rows of {len(rows)} to remove: {list(gone)[:5]} …"
        raise PsiragError("remove_rows needs rows that exist, and one that stays", given, "Name rows that exist.")
    number[stay] = np.arange(len(stay))
    u, v = number[pairs.u], number[pairs.v]
    left = (u >= 0) & (v >= 0)
    return complete_forest(Pairs(u[left], v[left], pairs.key[left]), rows[stay])


def complete_forest(forest: Pairs, rows: Vectors) -> SpanningTree:
    """Keep the largest tree of a spanning forest, and insert all other rows into it.

    Parameters
    ----------
    forest : Pairs
        In visiting order. Where its trees are the spanning trees of their rows, the result is `spanning_tree(rows)`.
    rows : ndarray, shape (n, d), float32

    Source: ours.

    Examples
    --------
    >>> complete_forest(Pairs.none(), np.eye(3, dtype=np.float32)).v.tolist()
    [1, 2]
    """
    piece = _largest_piece(forest, len(rows))
    inside, place = piece[forest.u], np.cumsum(piece) - 1
    known = Pairs(place[forest.u[inside]], place[forest.v[inside]], forest.key[inside])
    return _complete(known, np.flatnonzero(piece), np.flatnonzero(~piece), rows)


def _largest_piece(pairs: Pairs, n: int) -> Mask:
    """Tell which leaves are in the largest component of the pairs."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(pairs)), (pairs.u, pairs.v)), shape=(n, n))
    component = connected_components(graph, directed=False)[1]
    largest: Mask = component == np.bincount(component).argmax()
    return largest


def _complete(known: Pairs, members: Ints, others: Ints, rows: Vectors) -> SpanningTree:
    """Return the spanning tree of all rows, given that of the members (which its pairs count from 0)."""
    parts = [Pairs(members[known.u], members[known.v], known.key)]
    if len(others):
        among = spanning_tree(rows[others])
        parts.append(Pairs(others[among.u], others[among.v], among.key))
        parts += _across(known, members, others, rows)
    pairs = kruskal(Pairs.concatenate(parts), len(rows))
    return SpanningTree(pairs.u, pairs.v, pairs.key, len(rows))


def _across(known: Pairs, members: Ints, others: Ints, rows: Vectors) -> list[Pairs]:
    """Return the pairs of a member and another row that may be in the new spanning tree."""
    from joblib import Parallel, delayed

    if len(members) == 1:
        walk, bars = members, np.empty(0)
    else:
        tree: Bottlenecks = bottlenecks(known, len(members))
        walk, bars = members[tree.order], known.key[tree.last[0]] / SCALE
    step = max(16, _TILE // len(walk))
    blocks = [others[start : start + step] for start in range(0, len(others), step)]
    with one_blas_thread():
        found: list[Pairs] = Parallel(n_jobs=-1, prefer="threads")(
            delayed(_across_block)(rows, walk, bars, block) for block in blocks
        )
    return found


def _across_block(rows: Vectors, walk: Ints, bars: Floats, block: Ints) -> Pairs:
    """Return, for a block of rows, their pairs with members that reach every bar on the walk to their best member."""
    products = np.empty((len(block), len(walk)), dtype=np.float32)
    vectors = rows[block]
    for left in range(0, len(walk), _COLUMNS):
        part = slice(left, left + _COLUMNS)
        products[:, part] = vectors @ rows[walk[part]].T
    margin = product_margin(rows)
    low = np.nextafter((bars - margin).astype(np.float32), np.float32(-np.inf))
    u, v = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for row, product in zip(block, products, strict=True):
        best = int(product.argmax())
        enough = product >= product[best] - np.float32(2 * margin)
        enough[best + 1 :] |= product[best + 1 :] >= np.minimum.accumulate(low[best:])
        enough[:best] |= product[:best] >= np.minimum.accumulate(low[:best][::-1])[::-1]
        reached = walk[enough]
        u.append(np.minimum(row, reached))
        v.append(np.maximum(row, reached))
    low_end, high_end = np.concatenate(u), np.concatenate(v)
    return Pairs(low_end, high_end, similarity_keys(rows, low_end, high_end))

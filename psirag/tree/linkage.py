"""Trees of the same kind from other dendrograms: SciPy's linkages, collapsed by ψ with a witness for each merge."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from psirag.checks import check_choice
from psirag.errors import PsiragError
from psirag.tree.abstract_tree import AbstractTree
from psirag.tree.collapsing import collapse
from psirag.tree.one_thread import one_blas_thread
from psirag.tree.rebalancing import check_max_children, rebalance
from psirag.tree.similarity_keys import rank_pairs, similarity_keys
from psirag.vectors import Floats, Ints, Vectors, unit_rows

_METHODS = ("average", "complete", "single", "ward")
_TILE = 2**22  # similarities held at a time


def linkage_tree(vectors: npt.ArrayLike, method: str = "average", *, max_children: int | None = 40) -> AbstractTree:
    """Build the tree of an agglomerative clustering: its binary dendrogram, collapsed to equal depth.

    Parameters
    ----------
    vectors : array_like, shape (n, d)
        One row per chunk, of any length: only directions count.
    method : str
        "average", "complete" or "single" linkage of cosine distances, or "ward" on the unit vectors. "single" is
        Ψ-RAG's own tree, the slow way (ties apart).
    max_children : int or None
        As for `build_tree`.

    Raises
    ------
    PsiragError
        As for `build_tree`, or an unknown method.

    Notes
    -----
    ψ needs a witness for each merge, a pair of leaves that says which node of the deeper side receives the lower root:
    the first pair across the two sides in visiting order, hence the most similar one. Memory: two arrays of n²/2
    distances (2 · 150 MB for 6,119 chunks). Time n² · d.

    Source: Ψ-RAG Appendix B.2, Lemma B.2 (ψ); scipy.cluster.hierarchy.linkage.

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(40, 8))
    >>> linkage_tree(rows, "average")
    AbstractTree(40 leaves, 22 abstract nodes, depth 4)
    """
    check_choice("method", method, _METHODS)
    check_max_children(max_children)
    rows = unit_rows(vectors)
    if len(rows) == 0:
        raise PsiragError("a tree needs at least one vector", f"an array of shape {rows.shape}", "Add a chunk.")
    u, v = linkage_witnesses(rows, method)
    tree = collapse(zip(u.tolist(), v.tolist(), strict=True), len(rows))
    return rebalance(tree, u, v, max_children)


def linkage_witnesses(rows: Vectors, method: str) -> tuple[Ints, Ints]:
    """Return, for each merge of SciPy's dendrogram in order, its most similar pair of leaves across the two sides.

    Parameters
    ----------
    rows : ndarray, shape (n, d), float32
        Unit rows, as `unit_rows` returns them.
    method : str
        As for `linkage_tree`.

    Returns
    -------
    u, v : ndarray, shape (n − 1,), int64
        u < v.

    Source: Ψ-RAG Appendix B.2; the witness is ours.

    Examples
    --------
    >>> rows = np.array([[1, 0], [0.6, 0.8], [0, 1]], dtype=np.float32)
    >>> [pair.tolist() for pair in linkage_witnesses(rows, "average")]
    [[1, 0], [2, 1]]
    """
    from scipy.cluster.hierarchy import linkage

    if len(rows) == 1:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    merged = linkage(_condensed_distances(rows, euclidean=method == "ward"), method)[:, :2].astype(np.int64)
    kind = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)
    below = [np.array([leaf]) for leaf in range(len(rows))]
    witnesses = np.empty((len(merged), 2), dtype=np.int64)
    with one_blas_thread():
        for merge, (a, b) in enumerate(merged.tolist()):
            witnesses[merge] = _first_pair_across(rows, _first_of_kind(below[a], kind), _first_of_kind(below[b], kind))
            below.append(np.sort(np.concatenate([below[a], below[b]])))
            below[a] = below[b] = below[0][:0]
    return witnesses[:, 0], witnesses[:, 1]


def _condensed_distances(rows: Vectors, *, euclidean: bool) -> Floats:
    """Return SciPy's condensed distances, rounded to 12 digits so that equal rows give equal distances."""
    n = len(rows)
    condensed = np.empty(n * (n - 1) // 2)
    exact = rows.astype(np.float64)
    exact /= np.maximum(np.linalg.norm(exact, axis=1, keepdims=True), 0.5)  # a float32 row is only nearly a unit row
    length = np.einsum("ij,ij->i", exact, exact)
    filled = 0
    with one_blas_thread():
        for start in range(0, n, max(1, _TILE // n)):
            tile = exact[start : start + max(1, _TILE // n)] @ exact.T
            for i, similar in enumerate(tile, start):
                part = slice(filled, filled + n - i - 1)
                rest = slice(i + 1, n)
                condensed[part] = length[i] + length[rest] - 2 * similar[rest] if euclidean else 1 - similar[rest]
                filled = part.stop
    np.clip(condensed.round(12, out=condensed), 0, None, out=condensed)
    return np.sqrt(condensed, out=condensed) if euclidean else condensed


def _first_of_kind(leaves: Ints, kind: Ints) -> Ints:
    """Keep the smallest of equal leaves: no later one comes first in a pair."""
    return leaves[np.unique(kind[leaves], return_index=True)[1]]


def _first_pair_across(rows: Vectors, left: Ints, right: Ints) -> tuple[int, int]:
    """Return the first pair in visiting order between two sets of leaves, the smaller leaf first.

    float32 products shortlist, with a margin above their rounding error; integer keys decide.
    """
    error = rows.shape[1] * 2.0**-23 * 1.01 + 3e-7
    bar = -np.inf
    kept: list[Ints] = []
    step = max(1, _TILE // len(right))
    for start in range(0, len(left), step):
        tile = rows[left[start : start + step]] @ rows[right].T
        bar = max(bar, float(tile.max()) - error)
        i, j = np.nonzero(tile >= bar)
        kept.append(np.column_stack([left[start + i], right[j]]))
    pairs = np.sort(np.concatenate(kept), axis=1)
    u, v = pairs[:, 0], pairs[:, 1]
    first = rank_pairs(u, v, similarity_keys(rows, u, v))[0]
    return int(u[first]), int(v[first])

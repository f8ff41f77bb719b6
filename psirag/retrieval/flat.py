"""Flat search: the exact k nearest of all rows, by numpy, or by faiss when it is installed."""

from __future__ import annotations

from functools import cache
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from itertools import pairwise
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from psirag.checks import check_choice, check_count
from psirag.errors import PsiragError
from psirag.retrieval.ranking import best_of_each_query, cosines
from psirag.retrieval.trace import Ranking
from psirag.vectors import Ints, Mask, Vectors

SIMILARITIES_AT_ONCE = 2**23  # 32 MB of float32
FAISS_LIMIT = 2048  # most neighbours that faiss returns from a GPU


class FlatIndex:
    """Exact search over unit rows; the same ids, order and bits from numpy and from faiss.

    Matrix products (or faiss) propose every row that rounding could put among the best; these few are scored again,
    pair by pair as in the tree's descent, and ranked by score descending, then row ascending.

    Parameters
    ----------
    vectors : ndarray, shape (n, d), float32
        Unit rows; kept, not copied by numpy.
    backend : {"auto", "numpy", "faiss"}
        "auto" is faiss when it can be imported (on the GPU when `faiss.get_num_gpus() > 0`), else numpy.

    Raises
    ------
    PsiragError
        Unknown backend; faiss asked for and absent; faiss-cpu and faiss-gpu installed together.

    Notes
    -----
    Source: Ψ-RAG §3.2 (cosine similarity), faiss IndexFlatIP (doi:10.1109/TBDATA.2019.2921572).

    Examples
    --------
    >>> rows = np.eye(3, dtype=np.float32)
    >>> found, = FlatIndex(rows, backend="numpy").search(rows[1:2], k=5)
    >>> found.nodes.tolist(), found.scores.tolist()
    ([1, 0, 2], [1.0, 0.0, 0.0])
    """

    def __init__(self, vectors: Vectors, *, backend: str = "auto") -> None:
        backend = check_choice("backend", backend, ("auto", "numpy", "faiss"))
        self.vectors = vectors
        self._faiss = None if backend == "numpy" else _faiss_index(vectors, required=backend == "faiss")
        self.backend = "numpy" if self._faiss is None else "faiss"
        self._lock = Lock()  # a faiss index on a GPU serves one search at a time

    def search(
        self, queries: Vectors, k: int, *, allowed: Mask | None = None, same_text: Ints | None = None
    ) -> list[Ranking]:
        """Return each query's k best rows.

        Parameters
        ----------
        queries : ndarray, shape (q, d), float32
            Unit rows.
        k : int
            More than there are rows returns them all.
        allowed : ndarray, shape (n,), bool, optional
            Rows that may be returned.
        same_text : ndarray, shape (n,), int64, optional
            A group number for every row; of a group only the best row is returned.

        Returns
        -------
        list of Ranking

        Raises
        ------
        PsiragError
            k is no integer of at least 1.

        Examples
        --------
        >>> rows = np.eye(3, dtype=np.float32)
        >>> FlatIndex(rows, backend="numpy").search(rows[:2], k=1)[1].nodes.tolist()
        [1]
        """
        k = check_count("k", k)
        rows = np.arange(len(self.vectors)) if allowed is None else np.flatnonzero(allowed)
        depth = min(k, len(rows))
        while True:
            query, node = self._candidates(queries, depth, rows)
            scores = cosines(queries, self.vectors, query, node)
            best = best_of_each_query(query, node, scores, k, same_text=same_text)
            found = np.bincount(query[best], minlength=len(queries))
            if same_text is None or depth == len(rows) or np.all(found >= k):
                break
            depth = min(4 * depth, len(rows))
        at = np.cumsum(np.r_[0, found])
        ranked = Ranking.read_only(node[best], scores[best])
        return [Ranking(ranked.nodes[a:b], ranked.scores[a:b]) for a, b in pairwise(at.tolist())]

    def _candidates(self, queries: Vectors, depth: int, rows: npt.NDArray[np.intp]) -> tuple[Ints, Ints]:
        """Return (query, row) pairs among which each query's `depth` best rows surely are."""
        pairs = [(np.empty(0, np.int64), np.empty(0, np.int64))]
        undecided = np.arange(len(queries) if depth else 0)
        if self._faiss is not None and len(rows) == len(self.vectors) and 2 * depth <= FAISS_LIMIT:
            with self._lock:
                pairs_found, undecided = _candidates_by_faiss(self._faiss, queries, depth, self._rounding())
            pairs.append(pairs_found)
        at_once = max(1, SIMILARITIES_AT_ONCE // max(1, len(rows)))
        subset = self.vectors if len(rows) == len(self.vectors) else self.vectors[rows]
        for start in range(0, len(undecided), at_once):
            block = undecided[start : start + at_once]
            similar = queries[block] @ subset.T
            lowest = np.partition(similar, len(rows) - depth, axis=1)[:, len(rows) - depth]
            query, row = np.nonzero(similar >= (lowest - self._rounding())[:, None])
            pairs.append((block[query], rows[row]))
        query, node = (np.concatenate(column) for column in zip(*pairs, strict=True))
        return query, node

    def _rounding(self) -> float:
        """Return by how much two float32 sums of d products of unit rows can disagree, on both sides of a rank."""
        return float(4 * (self.vectors.shape[1] + 2) * 2.0**-24)


def _candidates_by_faiss(
    index: Any, queries: Vectors, depth: int, rounding: float
) -> tuple[tuple[Ints, Ints], npt.NDArray[np.intp]]:
    """Return pairs that faiss proposes, and the queries that it leaves undecided (a tie where its list ends)."""
    reach = min(2 * depth, index.ntotal)
    similar, row = index.search(np.ascontiguousarray(queries), reach)
    near = similar >= similar[:, depth - 1 : depth] - rounding
    decided = ~near[:, -1] | (reach == index.ntotal)
    query, position = np.nonzero(near & decided[:, None])
    return (query, row[query, position].astype(np.int64)), np.flatnonzero(~decided)


def _faiss_index(vectors: Vectors, *, required: bool) -> Any | None:
    """Return a faiss index over the rows; None where faiss is absent and not required."""
    if find_spec("faiss") is None:
        if required:
            raise PsiragError("backend='faiss' needs faiss", "no such module", 'Run pip install "psirag[cpu]".')
        return None
    check_one_faiss(_faiss_distributions())
    import faiss

    index: Any = faiss.IndexFlatIP(vectors.shape[1])
    if getattr(faiss, "get_num_gpus", int)() > 0:
        index = faiss.index_cpu_to_gpu(faiss.StandardGpuResources(), 0, index)
    index.add(np.ascontiguousarray(vectors))
    return index


@cache
def _faiss_distributions() -> list[str]:
    """Return the distributions that provide faiss; once, because every package's list of files is read for it."""
    return packages_distributions().get("faiss", [])


def check_one_faiss(distributions: list[str]) -> None:
    """Raise `PsiragError` where more than one distribution provides faiss: they overwrite each other's files.

    Examples
    --------
    >>> check_one_faiss(["faiss-cpu", "faiss-cpu"])
    """
    names = sorted(set(distributions))
    if len(names) > 1:
        remedy = f"Run pip uninstall -y {' '.join(names)}, then install one of them."
        raise PsiragError("faiss must come from one distribution", " and ".join(names), remedy)

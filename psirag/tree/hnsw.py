"""Neighbours from a navigable small-world graph in place of all pairs: the paper's approximate route, by faiss."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import numpy.typing as npt

from psirag.checks import check_count
from psirag.errors import PsiragError
from psirag.tree.abstract_tree import AbstractTree
from psirag.tree.building import tree_of_pairs
from psirag.tree.equal_rows import first_equal_rows
from psirag.tree.insertion import complete_forest
from psirag.tree.kruskal import Pairs, kruskal
from psirag.tree.rebalancing import check_max_children
from psirag.tree.similarity_keys import EQUAL_ROWS, similarity_keys
from psirag.tree.spanning_tree import SpanningTree, spanning_tree
from psirag.vectors import Ints, Vectors, unit_rows


def hnsw_tree(
    vectors: npt.ArrayLike,
    *,
    max_children: int | None = 40,
    neighbours: int = 16,
    links: int = 32,
    ef_construction: int = 200,
    ef_search: int = 128,
    exact_below: int = 2000,
    threads: int = 1,
) -> AbstractTree:
    """Build the abstract tree from approximate nearest neighbours.

    Parameters
    ----------
    vectors, max_children
        As for `build_tree`.
    neighbours, links, ef_construction, ef_search, exact_below, threads
        As for `hnsw_pairs`.

    Raises
    ------
    PsiragError
        As for `build_tree` and `hnsw_pairs`.

    Source: Ψ-RAG Appendix E.1.

    Examples
    --------
    >>> hnsw_tree(np.random.default_rng(0).normal(size=(300, 8)), exact_below=100).n_leaves
    300
    """
    check_max_children(max_children)
    pairs = hnsw_pairs(
        unit_rows(vectors), neighbours=neighbours, links=links, ef_construction=ef_construction,
        ef_search=ef_search, exact_below=exact_below, threads=threads,
    )  # fmt: skip
    return tree_of_pairs(pairs, max_children=max_children)


def hnsw_pairs(
    rows: Vectors,
    *,
    neighbours: int = 16,
    links: int = 32,
    ef_construction: int = 200,
    ef_search: int = 128,
    exact_below: int = 2000,
    threads: int = 1,
) -> SpanningTree:
    """Return a spanning tree among approximate nearest neighbours; compare it with `agreement`.

    Parameters
    ----------
    rows : ndarray, shape (n, d), float32
        Unit rows.
    neighbours : int
        Nearest neighbours proposed for each row.
    links, ef_construction, ef_search : int
        The graph's links per row (M), and how many candidates it keeps while it is built and searched.
    exact_below : int
        With fewer distinct rows the exact tree is built: faster, and nothing is lost.
    threads : int
        With more than one the graph, and so the tree, depends on their timing.

    Raises
    ------
    PsiragError
        No row, a wrong setting, or no faiss.

    Notes
    -----
    Pairs get their exact similarities; groups that no proposed pair joins are joined by their most similar pairs.

    Source: Ψ-RAG Appendix E.1; Malkov and Yashunin, doi:10.1109/TPAMI.2018.2889473.

    Examples
    --------
    >>> len(hnsw_pairs(np.eye(3, dtype=np.float32)).u)
    2
    """
    settings = {"neighbours": neighbours, "ef_construction": ef_construction, "ef_search": ef_search}
    for name, value in {**settings, "exact_below": exact_below, "threads": threads}.items():
        check_count(name, value)
    check_count("links", links, minimum=2)
    first = first_equal_rows(rows)
    distinct, later = np.flatnonzero(first == np.arange(len(rows))), np.flatnonzero(first != np.arange(len(rows)))
    if len(distinct) < exact_below:
        return spanning_tree(rows)
    u, v = _neighbours(rows[distinct], neighbours, links, ef_construction, ef_search, threads)
    low, high = distinct[np.minimum(u, v)], distinct[np.maximum(u, v)]
    stars = Pairs(first[later], later, np.full(len(later), EQUAL_ROWS))
    near = Pairs(low, high, similarity_keys(rows, low, high))
    return complete_forest(kruskal(Pairs.concatenate([stars, near]), len(rows)), rows)


def _neighbours(
    rows: Vectors, count: int, links: int, ef_construction: int, ef_search: int, threads: int
) -> tuple[Ints, Ints]:
    """Return each pair of a row and one of its approximate neighbours once."""
    if find_spec("faiss") is None:
        raise PsiragError(
            "hnsw_tree needs faiss", "no such module", 'Run pip install "psirag[cpu]", or use build_tree.'
        )
    import faiss

    graph = faiss.IndexHNSWFlat(rows.shape[1], links, faiss.METRIC_INNER_PRODUCT)
    graph.hnsw.efConstruction, graph.hnsw.efSearch = ef_construction, ef_search
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(threads)  # of the calling thread alone
    try:
        graph.add(rows)
        found = graph.search(rows, min(count + 1, len(rows)))[1]
    finally:
        faiss.omp_set_num_threads(before)
    u, v = np.repeat(np.arange(len(rows)), found.shape[1]), found.ravel()
    real = (v >= 0) & (v != u)  # faiss fills up with −1 what it cannot reach
    code = np.unique(np.minimum(u, v)[real] * len(rows) + np.maximum(u, v)[real])
    return code // len(rows), code % len(rows)

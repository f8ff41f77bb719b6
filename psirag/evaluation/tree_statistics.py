"""What the abstract trees of an index look like: the paper's Table 10."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from psirag.index import Index
from psirag.retrieval.document_scope import DocumentScope


class TreeStatistics(NamedTuple):
    """Trees of an index, means over them, and the compression rate of their abstracts."""

    trees: int
    leaves: float
    abstracts: float
    depth: float
    compression: float


def tree_statistics(index: Index) -> TreeStatistics:
    """Count the trees of an index and take means over them.

    Parameters
    ----------
    index : Index
        With one tree, or with one a document.

    Returns
    -------
    TreeStatistics
        `trees`; mean `leaves`, `abstracts` (nodes above the leaves) and `depth` of a tree; `compression`, the mean over
        abstracts of 1 − their tokens / those of their children, NaN for centroids and for an index that was not built
        by `Index.build`.

    Notes
    -----
    The tree in which the documents' trees hang is not counted.

    Source: Ψ-RAG Table 10.

    Examples
    --------
    >>> tree_statistics(Index.build("toy", abstraction="centroid"))
    TreeStatistics(trees=1, leaves=12.0, abstracts=10.0, depth=3.0, compression=nan)
    """
    report, tree = index.report, index.tree
    compression = float("nan") if report is None else report.compression
    if report is None or report.n_trees == 1:
        return TreeStatistics(
            1, float(tree.n_leaves), float(tree.n_nodes - tree.n_leaves), float(tree.depth), compression
        )
    rows = []
    for document in np.unique(index.chunks.document):
        scope = DocumentScope.over(tree, index.chunks.document == document)
        leaves = int(scope.leaves.sum())
        rows.append((leaves, int(scope.within.sum()) - leaves, int(tree.layer[scope.start])))
    leaves, abstracts, depth = np.mean(rows, axis=0)
    return TreeStatistics(len(rows), float(leaves), float(abstracts), float(depth), compression)

"""The accepted pairs are the maximum spanning tree, and Ψ's tree is ψ of single linkage with its witnesses (ours).

**Statement.** Under the total order of the pairs (similarity down, then u, then v up): the accepted pairs are the edges
of the one maximum spanning tree, in order; they are single linkage's merges with their witnesses; ψ of these merges is
the tree.
**Proof.** A pair is accepted iff its ends are in different trees of the forest so far: that is Kruskal's rule, and the
order is total, so the spanning tree is unique. Kruskal's next accepted pair is the first pair between two clusters:
single linkage's merge, and that pair its witness. The four cases of merging and collapse are ψ's step for it, and use
nothing else of the similarities. ∎
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import numpy.typing as npt

from psirag.tree import AbstractTree, build_tree, collapse, merge_steps, reference_tree, spanning_tree
from psirag.tree.similarity_keys import similarity_keys
from psirag.vectors import unit_rows

from .exact_similarity import (
    Matrix,
    accepted_pairs,
    layers,
    prim_pairs,
    psi_tree,
    similarity_cases,
    single_linkage_pairs,
)
from .similarity_ranking import spans
from .verdict import HOLDS, Size, Tally, Verdict, scaled

Rows = npt.NDArray[np.float64]


def layers_of(tree: AbstractTree) -> list[frozenset[frozenset[int]]]:
    """Return, from the leaves up, the leaf sets of each layer's nodes."""
    return [
        frozenset(frozenset(tree.leaves(node).tolist()) for node in tree.layer_nodes(layer))
        for layer in range(tree.depth + 1)
    ]


def key_matrix(vectors: Rows) -> list[list[int]]:
    """Return the integer similarities by which `psirag.tree` orders the pairs."""
    rows = unit_rows(vectors)
    u, v = np.triu_indices(len(rows), k=1)
    matrix = np.zeros((len(rows), len(rows)), dtype=np.int64)
    matrix[u, v] = matrix[v, u] = similarity_keys(rows, u, v)
    return matrix.tolist()


def vector_cases(seed: int, cases: int) -> Iterator[Rows]:
    """Yield small integer vectors, hence with many equal rows and tied similarities, and real ones."""
    rng = np.random.default_rng(seed)
    for case in range(cases):
        n, d = rng.integers(2, 24), rng.integers(2, 6)
        yield rng.integers(1, 4, size=(n, d)).astype(float) if case % 2 else rng.normal(size=(n, d))


def best_spanning_weight(similarity: Matrix) -> int:
    """Return the largest weight of all spanning trees, every one tried."""
    n = len(similarity)
    trees = (pairs for pairs in combinations(combinations(range(n), 2), n - 1) if spans(n, pairs))
    return max(sum(similarity[u][v] for u, v in pairs) for pairs in trees)


def check(size: Size, seed: int) -> tuple[Verdict, ...]:
    """Small and random exact matrices with ties; then the builders of `psirag.tree` on vectors, with equal rows."""
    rng = random.Random(seed)
    spanning = Tally("Accepted pairs = maximum spanning tree", "ours; Kruskal 1956, Prim 1957", HOLDS, "ties included")
    linkage = Tally("Ψ tree = ψ(single linkage with witness)", "ours", HOLDS, "same pairs, same order, same tree")
    for similarity in similarity_cases(rng, scaled(size, 200), largest=9):
        n, accepted = len(similarity), accepted_pairs(similarity)
        spanning.claim(n, similarity, set(accepted) == prim_pairs(similarity))
        if n <= 5:
            weight = sum(similarity[u][v] for u, v in accepted)
            spanning.equal(n, similarity, weight, best_spanning_weight(similarity))
        linkage.claim(n, similarity, single_linkage_pairs(similarity) == accepted)
        linkage.claim(n, similarity, layers_of(collapse(accepted, n)) == layers(psi_tree(similarity)))
    for vectors in vector_cases(seed, scaled(size, 60)):
        steps = [(step.u, step.v) for step in merge_steps(vectors)]
        pairs = spanning_tree(unit_rows(vectors))
        spanning.claim(len(vectors), vectors.tolist(), steps == accepted_pairs(key_matrix(vectors)))
        spanning.claim(len(vectors), vectors.tolist(), steps == list(zip(pairs.u, pairs.v, strict=True)))
        built = build_tree(vectors, max_children=None)
        linkage.claim(len(vectors), vectors.tolist(), built == collapse(steps, len(vectors)))
        linkage.claim(len(vectors), vectors.tolist(), built == reference_tree(vectors, max_children=None))
    return spanning.verdict(), linkage.verdict()

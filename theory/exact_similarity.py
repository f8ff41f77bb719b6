"""Merging, collapse and Borůvka's rounds as their definitions say, on an exact (integer) matrix of similarities.

Slow on purpose and independent of `psirag.tree`: all pairs are ranked and visited, trees are nested tuples.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import TypeAlias

from .definition import Nested, children_of, height, leaves_of

Matrix: TypeAlias = "Sequence[Sequence[int]]"
Pair: TypeAlias = "tuple[int, int]"
Partition: TypeAlias = "frozenset[frozenset[int]]"


def ranked_pairs(similarity: Matrix) -> list[Pair]:
    """Return all pairs u < v from the most to the least similar, ties by u, then v."""
    return sorted(combinations(range(len(similarity)), 2), key=lambda pair: (-similarity[pair[0]][pair[1]], pair))


def growing_forest(similarity: Matrix) -> Iterator[tuple[Pair, list[Nested]]]:
    """Visit the ranked pairs; after each accepted pair yield it and the roots of the forest.

    Source: Ψ-RAG §3.1, Algorithm 1 (rank 1 to n − 1 read as n − 1 accepted pairs).
    """
    roots: list[Nested] = list(range(len(similarity)))
    for u, v in ranked_pairs(similarity):
        a = next(root for root in roots if u in leaves_of(root))
        b = next(root for root in roots if v in leaves_of(root))
        if a is not b:
            roots = [root for root in roots if root is not a and root is not b]
            roots.append(joined(a, b, u, v))
            yield (u, v), list(roots)


def joined(a: Nested, b: Nested, u: int, v: int) -> Nested:
    """Join the trees of u and of v: a new root when equally high, else the lower goes under the fitting ancestor."""
    if height(a) == height(b):
        return (a, b)
    low, high, leaf = (a, b, v) if height(a) < height(b) else (b, a, u)
    return _under_ancestor(high, leaf, low)


def _under_ancestor(high: Nested, leaf: int, low: Nested) -> Nested:
    """Put the lower tree under the leaf's ancestor whose height is one more."""
    if height(high) == height(low) + 1:
        return (*children_of(high), low)
    return tuple(
        _under_ancestor(child, leaf, low) if leaf in leaves_of(child) else child for child in children_of(high)
    )


def psi_tree(similarity: Matrix) -> Nested:
    """Return the finished tree."""
    tree: Nested = 0
    for _, roots in growing_forest(similarity):
        tree = roots[-1]
    return tree


def accepted_pairs(similarity: Matrix) -> list[Pair]:
    """Return the accepted pairs in order."""
    return [pair for pair, _ in growing_forest(similarity)]


def layers(tree: Nested) -> list[Partition]:
    """Return, from the leaves up, the leaf sets of each layer's nodes of an equi-depth tree."""
    found: list[Partition] = []
    nodes: list[Nested] = [tree]
    while nodes:
        found.append(frozenset(frozenset(leaves_of(node)) for node in nodes))
        nodes = [child for node in nodes for child in children_of(node)]
    return found[::-1]


def boruvka_layers(similarity: Matrix) -> list[Partition]:
    """Return the components after 0, 1, 2, … of Borůvka's rounds: each follows its first outgoing pair, all at once.

    Source: Bateni et al., Affinity Clustering, NeurIPS 2017.
    """
    ranked = ranked_pairs(similarity)
    parts = frozenset(frozenset({leaf}) for leaf in range(len(similarity)))
    rounds = [parts]
    while len(parts) > 1:
        chosen = [next(pair for pair in ranked if len(part.intersection(pair)) == 1) for part in parts]
        for u, v in chosen:
            touched = [part for part in parts if u in part or v in part]
            parts = parts - frozenset(touched) | {frozenset().union(*touched)}
        rounds.append(parts)
    return rounds


def prim_pairs(similarity: Matrix) -> set[Pair]:
    """Return the maximum spanning tree by Prim: grow one component by its first outgoing pair."""
    ranked, inside, chosen = ranked_pairs(similarity), {0}, set()
    while len(inside) < len(similarity):
        pair = next(pair for pair in ranked if len(inside.intersection(pair)) == 1)
        inside.update(pair)
        chosen.add(pair)
    return chosen


def single_linkage_pairs(similarity: Matrix) -> list[Pair]:
    """Return the witness of each merge of naive single linkage: the first pair across the two nearest clusters."""
    rank = {pair: place for place, pair in enumerate(ranked_pairs(similarity))}
    clusters: list[tuple[int, ...]] = [(leaf,) for leaf in range(len(similarity))]
    witnesses = []
    while len(clusters) > 1:
        across = {
            (a, b): min((rank[min(x, y), max(x, y)], (min(x, y), max(x, y))) for x, y in product(a, b))
            for a, b in combinations(clusters, 2)
        }
        a, b = min(across, key=lambda merge: across[merge])
        witnesses.append(across[a, b][1])
        clusters = [cluster for cluster in clusters if cluster not in (a, b)] + [a + b]
    return witnesses


def random_matrix(rng: random.Random, n: int, values: int) -> list[list[int]]:
    """Return a random symmetric matrix with entries below ``values``; few values mean many ties."""
    matrix = [[0] * n for _ in range(n)]
    for u, v in combinations(range(n), 2):
        matrix[u][v] = matrix[v][u] = rng.randrange(values)
    return matrix


def all_matrices(n: int, values: int) -> Iterator[list[list[int]]]:
    """Yield every symmetric matrix with entries below ``values``."""
    pairs = list(combinations(range(n), 2))
    for entries in product(range(values), repeat=len(pairs)):
        matrix = [[0] * n for _ in range(n)]
        for (u, v), entry in zip(pairs, entries, strict=True):
            matrix[u][v] = matrix[v][u] = entry
        yield matrix


def on_a_line(points: Sequence[int]) -> list[list[int]]:
    """Return the similarities of points on a line: minus their distance."""
    return [[-abs(x - y) for y in points] for x in points]


def similarity_cases(rng: random.Random, cases: int, largest: int = 12) -> Iterator[list[list[int]]]:
    """Yield every matrix with n ≤ 3 over three values and n = 4 over two, then random ones with and without ties."""
    for n, values in ((1, 1), (2, 2), (3, 3), (4, 2)):
        yield from all_matrices(n, values)
    for _ in range(cases):
        yield random_matrix(rng, rng.randint(2, largest), rng.choice((1, 2, 4, 20, 10**9)))

"""Ψ's tree is Borůvka's (ours): before rebalancing, layer l is what l rounds have joined; affinity clustering.

**Statement.** Under the total order of the pairs, the leaf sets of the layer-l nodes are the components after l rounds
of Borůvka's algorithm, in which every component follows its first outgoing pair; the depth is the number of rounds;
layer 1 is the components of the nearest-neighbour graph. This is affinity clustering (Bateni et al., NeurIPS 2017).

**Proof, by induction on l.** Let X be a layer-l node's leaf set, a round-l component, e = (x, z) its first outgoing
pair, Z the component of z. By the cut property e is accepted. For l ≥ 1 the layer-(l−1) components of x and of z have
first outgoing pairs inside X and Z, which come before e because e leaves them too; so when e is visited, X and Z
already exist as nodes of height l. No pair that leaves X came before e, so X is a root. If Z is a root too, a new node
goes over both; else X goes below z's ancestor of height l + 1, the parent of Z. Either way X and Z get one parent.
Conversely a node of height l + 1 gets children only so: what gives a root X its parent is the first accepted pair that
leaves X. ∎

**What follows.** The order of attachment drops out; equi-depth and depth ≤ ⌊log2 n⌋ are obvious, since each round at
least halves the count.
"""

from __future__ import annotations

import random

from psirag.tree import build_tree

from .exact_similarity import Partition, boruvka_layers, layers, psi_tree, ranked_pairs, similarity_cases
from .maximum_spanning_tree import key_matrix, layers_of, vector_cases
from .verdict import HOLDS, Size, Tally, Verdict, scaled


def nearest_neighbour_components(similarity: list[list[int]]) -> Partition:
    """Return the components of the graph in which every leaf is linked to its first partner in visiting order."""
    ranked, component = ranked_pairs(similarity), {leaf: {leaf} for leaf in range(len(similarity))}
    for leaf in range(len(similarity)):
        for pair in [pair for pair in ranked if leaf in pair][:1]:
            merged = component[pair[0]] | component[pair[1]]
            component.update(dict.fromkeys(merged, merged))
    return frozenset(frozenset(part) for part in component.values())


def check(size: Size, seed: int) -> tuple[Verdict, ...]:
    """Small and random exact matrices with ties against merging and collapse; then `build_tree` on vectors."""
    rng = random.Random(seed)
    source = "ours; Bateni et al. 2017"
    same = Tally("Ψ tree = Borůvka's layers = affinity clustering", source, HOLDS, "before rebalancing, ties included")
    first = Tally("Layer 1 = components of the nearest-neighbour graph", source, HOLDS)
    for similarity in similarity_cases(rng, scaled(size, 400), largest=20):
        found = layers(psi_tree(similarity))
        same.claim(len(similarity), similarity, found == boruvka_layers(similarity))
        if len(similarity) > 1:
            first.claim(len(similarity), similarity, found[1] == nearest_neighbour_components(similarity))
    for vectors in vector_cases(seed, scaled(size, 60)):
        rounds = boruvka_layers(key_matrix(vectors))
        same.claim(len(vectors), vectors.tolist(), layers_of(build_tree(vectors, max_children=None)) == rounds)
    return same.verdict(), first.verdict()

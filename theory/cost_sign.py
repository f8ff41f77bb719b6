"""Definition 4.2 with a distance: which trees are cheap, and which way to optimise.

**Statement** (Ψ-RAG §4.1, Definition 4.2 and the sentence after it). The cost Σ d(x, y)·|ℓ(LCA(x, y))| with a
*distance* d, to be minimised, places similar points close. **False**: a pair with a large d pays for a large LCA, so
minimising puts *distant* pairs deep. Four points, d = 1 inside {0, 1} and {2, 3} and 10 across: of all 26 trees
((0,2),(1,3)) and ((0,3),(1,2)) are cheapest, 128.

**True instead** (Dasgupta 2016; Cohen-Addad et al. 2019). Minimise with similarities; or, over *binary* trees, maximise
with distances: if d = M − s then c_d + c_s = M·(n³ − n)/3 on every binary tree, so one order is the other reversed.
Over all trees the maximum with distances d ≥ 0 is always the star, where every pair pays n (168 here; the dearest
binary tree is ((0,1),(2,3)), 164).
**Dually (ours)**: with similarities ≥ 0, joining children A, B of a node with further children never raises the cost;
it changes by −(leaves of the other children)·s(A, B). So a binary tree is never beaten by what it refines, and Ψ's
many-children trees should be compared with ψ(average linkage), not with average linkage.
"""

from __future__ import annotations

import random
from itertools import chain, combinations

from .definition import Nested, abstract_paths, children_of, cost_by_definition, leaves_of, replaced, subtree
from .exact_similarity import random_matrix
from .fan_lemma import cost_of_binary
from .small_trees import all_trees, binary_trees, random_tree
from .verdict import FALSE, HOLDS, Size, Tally, Verdict, scaled


def two_pairs(near: int, far: int) -> list[list[int]]:
    """Return the weights of four points: ``near`` inside {0, 1} and {2, 3}, ``far`` across."""
    return [[near if x // 2 == y // 2 else far for y in range(4)] for x in range(4)]


def cost(tree: Nested, weights: list[list[int]]) -> int:
    """Return the cost under a table of integer weights."""
    return int(cost_by_definition(tree, lambda x, y: weights[x][y]))


def star(n: int) -> Nested:
    """Return the tree with one abstract node."""
    return tuple(range(n))


def check(size: Size, seed: int) -> tuple[Verdict, ...]:
    """Rank all 26 trees on four points; random integer weights on all trees with up to 5 leaves, and larger ones."""
    rng = random.Random(seed)
    return _minimise_distances(), _reversed(size, rng), _star(size, rng), _refinement(size, rng)


def _minimise_distances() -> Verdict:
    """In every cheapest tree a near pair's LCA is no larger than a far pair's: refuted."""
    tally = Tally("Def. 4.2: minimising with a distance puts near pairs deep", "Ψ-RAG §4.1, Definition 4.2", FALSE)
    distances = two_pairs(near=1, far=10)
    costs = {tree: cost(tree, distances) for tree in all_trees((0, 1, 2, 3))}
    least = min(costs.values())
    tally.note = f"cheapest {least}, dearest binary {max(costs[tree] for tree in binary_trees((0, 1, 2, 3)))}"
    tally.note += f", star {costs[star(4)]}; with similarities the sign is right"
    for tree in (tree for tree, value in costs.items() if value == least):
        deep = [set(leaves_of(subtree(tree, path))) for path in abstract_paths(tree)[1:]]
        tally.claim(4, f"{tree} costs {least}: d = 1 in 01, 23, else 10", {0, 1} in deep or {2, 3} in deep)
    return tally.verdict()


def _reversed(size: Size, rng: random.Random) -> Verdict:
    """Over binary trees, the cost with d = M − s is a constant minus the cost with s."""
    tally = Tally("Binary trees: cost with M − s is a constant − cost with s", "ours; Cohen-Addad et al. 2019", HOLDS)
    for n in (2, 3, 4, 5):
        for _ in range(scaled(size, 20)):
            s = random_matrix(rng, n, 50)
            d = [[50 - entry for entry in row] for row in s]
            for tree in binary_trees(tuple(range(n))):
                tally.equal(n, (tree, s), cost(tree, d), 50 * cost_of_binary(n) - cost(tree, s))
    return tally.verdict()


def _star(size: Size, rng: random.Random) -> Verdict:
    """No tree costs more than the star when weights are not negative."""
    tally = Tally("Weights ≥ 0: over all trees the star is the dearest", "ours", HOLDS)
    for n in (3, 4, 5):
        for _ in range(scaled(size, 20)):
            weights = random_matrix(rng, n, 50)
            dearest = cost(star(n), weights)
            for tree in all_trees(tuple(range(n))):
                tally.at_least(n, (tree, weights), dearest - cost(tree, weights))
    return tally.verdict()


def _refinement(size: Size, rng: random.Random) -> Verdict:
    """Joining two of three or more children changes the cost by −(leaves of the others)·s(A, B)."""
    tally = Tally("Joining children A, B: cost − (other leaves)·s(A, B)", "ours", HOLDS, "so ≤ when similarities ≥ 0")
    small = all_trees((0, 1, 2, 3)) + all_trees((0, 1, 2, 3, 4))
    for tree in chain(small, (random_tree(rng, rng.randint(6, 16)) for _ in range(scaled(size, 200)))):
        n = len(leaves_of(tree))
        s = random_matrix(rng, n, 50)
        for path in abstract_paths(tree):
            children = children_of(subtree(tree, path))
            for a, b in combinations(children, 2) if len(children) > 2 else ():
                others = tuple(child for child in children if child not in (a, b))
                across = sum(s[x][y] for x in leaves_of(a) for y in leaves_of(b))
                expected = cost(tree, s) - len(leaves_of(others)) * across
                tally.equal(n, (tree, path, s), cost(replaced(tree, path, ((a, b), *others)), s), expected)
    return tally.verdict()

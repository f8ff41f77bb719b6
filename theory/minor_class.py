"""The remark after Theorem 4.4: a class that keeps its nearest neighbours inside forms a subtree. False.

**Statement** (Ψ-RAG Appendix B.3, Remark). A class c is *closed* when each u in c has some other v in c that is nearer
than every point outside. A closed (minor) class is the leaf set of a node. **False.** With pencil and paper, points on
a line:

- n = 3: 0, 1, 2.5 and the class {0, 1}. 0–1 merge; 2.5 joins the parent of 1: one star over all three.
- n = 6, the rest closed as well: 0, 1, 3, 4 | 10, 11. Pairs 0–1, 3–4, 10–11 merge; 1–3 puts a node over the first two;
  4–10 joins trees of heights 2 and 1, so {10, 11} goes *under the class's own root*: the root is over {0,1}, {3,4},
  {10,11}.
- n = 9, the class also the smaller one: 0, 1, 3, 4 | 10, 11, 12.1, 13.3, 14.6, by the same step.

A class loses its node when a *lower* tree is attached at its root. Six and nine are the smallest: each
nearest-neighbour component is a layer-1 node, so a class that fails, with a closed rest, has at least two of them, at
least four points.

**True instead (ours).** A class is a layer-1 node iff it is one component of the nearest-neighbour graph, and a layer-l
node iff it is one component after l of Borůvka's rounds. When the class and the rest are both closed, the class is a
union of such layer-1 components, and no more.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import accumulate, combinations, product

from .boruvka_layers import nearest_neighbour_components
from .exact_similarity import Matrix, boruvka_layers, layers, on_a_line, psi_tree, random_matrix
from .verdict import FALSE, HOLDS, Size, Tally, Verdict, scaled

TWO_PAIRS_AND_ONE = (0, 1, 3, 4, 10, 11)
STRICTLY_MINOR = (0, 10, 30, 40, 100, 110, 121, 133, 146)


def is_closed(similarity: Matrix, members: frozenset[int]) -> bool:
    """Return whether each member is more similar to some other member than to any point outside."""
    outside = [w for w in range(len(similarity)) if w not in members]
    return all(
        max((similarity[u][v] for v in members if v != u), default=-(10**18))
        > max((similarity[u][w] for w in outside), default=-(10**18))
        for u in members
    )


def is_node(similarity: Matrix, members: frozenset[int]) -> bool:
    """Return whether the members are the leaf set of a node of Ψ's tree."""
    return any(members in layer for layer in layers(psi_tree(similarity)))


def line_cases(most: int) -> Iterator[tuple[int, ...]]:
    """Yield points on a line with gaps 1 to 6 (1 to 3 from five points on), and the two examples of the module."""
    for n in range(3, most + 1):
        for gaps in product(range(1, 7 if n < 5 else 4), repeat=n - 1):
            yield tuple(accumulate(gaps, initial=0))
    yield from (TWO_PAIRS_AND_ONE, STRICTLY_MINOR)


def classes(n: int) -> Iterator[frozenset[int]]:
    """Yield every set of at least two and fewer than n points."""
    for count in range(2, n):
        yield from map(frozenset, combinations(range(n), count))


def check(size: Size, seed: int) -> tuple[Verdict, ...]:
    """Every class of every line case, and of random matrices for the true form."""
    rng = random.Random(seed)
    source = "Ψ-RAG Appendix B.3, Remark"
    stated = Tally("Remark: a closed minor class is a subtree", source, FALSE, "closed: nearest neighbours inside")
    strict = Tally("Remark, with the rest closed and the class minor", source, FALSE, "with equal sizes allowed: n = 6")
    true = Tally("A class is a layer-l node iff one round-l component", "ours", HOLDS, "all closed classes tried")
    lines = [on_a_line(points) for points in line_cases(4 if size == "small" else 5)]
    matrices = (random_matrix(rng, rng.randint(3, 7), 10**6) for _ in range(scaled(size, 60)))
    for similarity in (*lines, *matrices):
        n, nodes, rounds = len(similarity), layers(psi_tree(similarity)), boruvka_layers(similarity)
        components = nearest_neighbour_components(similarity)
        for members in (members for members in classes(n) if is_closed(similarity, members)):
            found = any(members in layer for layer in nodes)
            case = f"{_points(similarity)}, class {sorted(members)}; top {_top(similarity)}"
            stated.claim(n, case, found)
            union = all(part <= members or part.isdisjoint(members) for part in components)
            if is_closed(similarity, frozenset(range(n)) - members):
                true.claim(n, case, union)
                if 2 * len(members) < n:
                    strict.claim(n, case, found)
            same = all((members in layer) == (members in parts) for layer, parts in zip(nodes, rounds, strict=True))
            true.claim(n, case, same and (members in nodes[1]) == (members in components))
    return stated.verdict(), strict.verdict(), true.verdict()


def _points(similarity: Matrix) -> str:
    """Write a case: points on a line by their places."""
    return f"points at {[-entry for entry in similarity[0]]}"


def _top(similarity: Matrix) -> str:
    """Write the leaf sets below the root's children."""
    parts = layers(psi_tree(similarity))[-2]
    return " ".join(str(sorted(part)) for part in sorted(parts, key=sorted))

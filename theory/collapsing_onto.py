"""Lemma B.2: ψ maps binary dendrograms onto equi-depth trees. True with witnesses and the right codomain.

**Statement** (Ψ-RAG Appendix B.2, Lemma B.2). Collapsing is a surjection ψ from binary trees onto equi-depth
multifurcating trees.
**Holds with a further hypothesis.** (1) ψ is a map only when each merge comes with a *witness*, a pair of leaves that
says which node of the deeper side receives the lower root. Without one it is ambiguous first at n = 5: ((0,1),(2,4)),3
gives {0,1,3}{2,4} or {0,1}{2,3,4}. Shapes, and so costs, differ first at n = 6: (((0,1),(2,5)),3),4 gives sizes (2,4),
cost 74, or (3,3), cost 72. (2) It is onto the equi-depth trees *whose abstract nodes have at least two children*; a
binary dendrogram whose sides are equally deep everywhere is mapped to itself, which is not multifurcating in the
paper's sense (a node with more than two children).

**Proof of onto.** Take such a tree. At each abstract node, join two of its children first, then the others one by one,
each with any leaf below the node as its witness: each step gives a new root or attaches a tree at this node. From the
bottom up this is a dendrogram with witnesses. ∎
"""

from __future__ import annotations

from .definition import leaves_of
from .small_trees import binary_trees, canonical, equi_depth_trees, psi_images
from .verdict import FURTHER, Size, Tally, Verdict


def check(size: Size, seed: int) -> tuple[Verdict, ...]:
    """All dendrograms with all receivers, up to 7 leaves (6 when small); enumeration needs no seed."""
    del seed
    note = "with a witness for each merge; onto the equi-depth trees whose abstract nodes have ≥ 2 children"
    tally = Tally("Lemma B.2 (ψ is a map and onto)", "Ψ-RAG Appendix B.2, Lemma B.2", FURTHER, note)
    for n in range(2, 7 if size == "small" else 8):
        images = {tree: psi_images(tree) for tree in binary_trees(tuple(range(n)))}
        for tree, found in images.items():
            case = f"{tree} collapses to {' or '.join(map(str, sorted(found, key=str)))}"
            tally.claim(n, case, len(found) == 1, allowed=False)  # without a witness
        reached = frozenset().union(*images.values())
        for tree in equi_depth_trees(tuple(range(n))):
            tally.claim(len(leaves_of(tree)), f"{tree} is not reached", canonical(tree) in reached)
        tally.claim(
            n, f"n = {n}: an image that is not equi-depth", len(reached) == len(equi_depth_trees(tuple(range(n))))
        )
    return (tally.verdict(),)

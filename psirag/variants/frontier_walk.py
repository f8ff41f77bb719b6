"""The frontier walk: from the roots down, the best node next; inner nodes are split, leaves are emitted."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Literal

import numpy as np

from psirag.vectors import Floats, Ints, Mask

Action = Literal["split", "emitted", "too long", "repeated"]


@dataclass(frozen=True, eq=False)
class Walk:
    """The steps of one walk.

    Parameters
    ----------
    active : ndarray, shape (m,), bool
        Nodes that the walk might enter.
    node : ndarray, shape (s,), int64
        The node taken from the frontier at each step.
    score : ndarray, shape (s,), float64
        Its priority.
    action : tuple of str, length s
        "split": an inner node, whose active children entered the frontier. Of leaves: "emitted", or passed over as
        "too long" for what was left of the budget, or as "repeated", where the text had been emitted before.

    Notes
    -----
    Source: NavTree §3.3, arXiv:2610.06902.
    """

    active: Mask
    node: Ints
    score: Floats
    action: tuple[Action, ...]

    def __post_init__(self) -> None:
        for array in (self.active, self.node, self.score):
            array.flags.writeable = False

    @staticmethod
    def of_no_step() -> Walk:
        """Return the walk through nothing."""
        return Walk(np.zeros(0, bool), np.zeros(0, np.int64), np.zeros(0), ())

    @property
    def emitted(self) -> Ints:
        """The leaves emitted, in order."""
        return self.node[[action == "emitted" for action in self.action]]


def steiner_active(parent: Ints, anchors: Ints) -> Mask:
    """Mark the anchors and all nodes above them: the union of the paths from the roots to the anchors.

    Parameters
    ----------
    parent : ndarray, shape (m,), int64
        −1 for a root.
    anchors : ndarray, shape (a,), int64
        Leaves.

    Returns
    -------
    ndarray, shape (m,), bool

    Notes
    -----
    Source: NavTree §3.2 (Steiner-active mask), arXiv:2610.06902.

    Examples
    --------
    >>> steiner_active(np.array([3, 3, 4, 4, -1]), np.array([1])).tolist()
    [False, True, False, True, True]
    """
    active = np.zeros(len(parent), dtype=bool)
    while len(anchors):
        active[anchors] = True
        above = parent[anchors]
        anchors = above[above >= 0]
    return active


def walk_frontier(
    left: Ints, right: Ints, roots: Ints, priority: Floats, active: Mask, tokens: Ints, *,
    budget: int, limit: int, same_text: Ints | None = None,
) -> Walk:  # fmt: skip
    """Walk from all active roots at once: take the node of highest priority, split it or emit it, until nothing fits.

    Parameters
    ----------
    left, right : ndarray, shape (m,), int64
        Children; −1 for a leaf. The leaves are 0 … n−1.
    roots : ndarray, int64
    priority : ndarray, shape (m,), float64
        Larger is sooner; ties: the lower number first.
    active : ndarray, shape (m,), bool
        Nodes that may be entered.
    tokens : ndarray, shape (n,), int64
        Length of each leaf.
    budget, limit : int
        Tokens, and leaves, that may be emitted.
    same_text : ndarray, shape (n,), int64, optional
        A group number for every leaf; of a group one leaf is emitted.

    Returns
    -------
    Walk

    Notes
    -----
    Source: NavTree §3.3 (frontier walk), arXiv:2610.06902; ties and passing over what does not fit are ours.

    Examples
    --------
    >>> left, right, roots = np.array([-1, -1, -1, 0, 3]), np.array([-1, -1, -1, 1, 2]), np.array([4])
    >>> priority, active = np.array([0.2, 0.9, 0.7, 0.8, 0.5]), np.ones(5, dtype=bool)
    >>> walk = walk_frontier(left, right, roots, priority, active, np.array([5, 5, 5]), budget=12, limit=9)
    >>> walk.node.tolist(), walk.action
    ([4, 3, 1, 2], ('split', 'split', 'emitted', 'emitted'))
    """
    frontier = [(-float(priority[root]), int(root)) for root in roots[active[roots]]]
    heapq.heapify(frontier)
    node, action = list[int](), list[Action]()
    shortest, texts_emitted, emitted = int(tokens.min()), set[int](), 0
    while frontier and emitted < limit and budget >= shortest:
        _, here = heapq.heappop(frontier)
        node.append(here)
        if left[here] >= 0:
            action.append("split")
            for child in (int(left[here]), int(right[here])):
                if active[child]:
                    heapq.heappush(frontier, (-float(priority[child]), child))
            continue
        text = here if same_text is None else int(same_text[here])
        action.append("repeated" if text in texts_emitted else "too long" if tokens[here] > budget else "emitted")
        if action[-1] == "emitted":
            texts_emitted.add(text)
            budget, emitted = budget - int(tokens[here]), emitted + 1
    steps = np.array(node, dtype=np.int64)
    return Walk(active.copy(), steps, priority[steps], tuple(action))

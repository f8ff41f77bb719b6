"""What a caller tells a picture of a tree about its nodes, checked in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from psirag.errors import PsiragError
from psirag.skew import confused_nodes
from psirag.tree.abstract_tree import AbstractTree
from psirag.tree.marking import BoolArray, node_flags
from psirag.views.drawing import IntArray
from psirag.views.node_arguments import sized_texts

MAX_LABELS = 48


@dataclass(frozen=True, kw_only=True)
class NodesTold:
    """What the caller said about the nodes, checked."""

    texts: tuple[str, ...]
    labels: tuple[str, ...]
    classes: tuple[str, ...]
    minor: BoolArray
    highlight: BoolArray
    shade: IntArray


def nodes_told(
    source: Any, texts: Any, classes: Any, minor: Any, highlight: Any, shade: Any, labels: Any
) -> tuple[AbstractTree, NodesTold]:
    """Check what the caller said and return it with the bare tree."""
    tree = source if isinstance(source, AbstractTree) else getattr(source, "tree", None)
    if not isinstance(tree, AbstractTree):
        given = f"a {type(source).__name__}"
        raise PsiragError("circular_tree needs an AbstractTree or an Index", given, "Pass build_tree(vectors).")
    n, m = tree.n_leaves, tree.n_nodes
    if source is not tree:
        texts = [source.node_text(node) for node in range(m)] if texts is None else texts
        if labels is None and n <= MAX_LABELS:
            labels = [title or text for title, text in zip(source.chunks.titles, texts[:n], strict=True)]
    shown = sized_texts("texts", texts, (n, m))
    if labels is None:
        labels = shown[:n] or [str(leaf) for leaf in range(n)]
        labels = labels if n <= MAX_LABELS else ()
    groups = sized_texts("classes", classes, (n,))
    flags = _minor_flags(minor, groups, n)
    shaded = confused_nodes(tree, flags) if shade is None else np.flatnonzero(node_flags("shade", shade, m))
    told = NodesTold(
        texts=shown + ("",) * (m - len(shown)),
        labels=sized_texts("labels", labels, (n,)),
        classes=groups,
        minor=flags,
        highlight=node_flags("highlight", highlight, m),
        shade=shaded,
    )
    return tree, told


def _minor_flags(minor: Any, classes: tuple[str, ...], n_leaves: int) -> BoolArray:
    """Return which leaves are minor, from names of classes, numbers of leaves, or a mask."""
    if minor is None:
        return np.zeros(n_leaves, dtype=bool)
    names = [minor] if isinstance(minor, str) else list(minor)
    if not names or not all(isinstance(name, str) for name in names):
        return node_flags("minor", minor, n_leaves)
    unknown = [name for name in names if name not in classes]
    if unknown:
        known = ", ".join(sorted(set(classes))[:8]) or "none"
        raise PsiragError("minor must name classes that occur", repr(unknown[0]), f"Classes here: {known}.")
    return np.isin(np.array(classes), names)

"""What is drawn on the disc: edges, abstract nodes, leaves by group, names around the ring."""

from __future__ import annotations

from typing import Any

import numpy as np

from psirag.tree.abstract_tree import AbstractTree
from psirag.tree.marking import BoolArray
from psirag.views.circular_layout import CircularLayout, edge_paths
from psirag.views.drawing import IntArray, Label, Marks
from psirag.views.hover import hover_box, plain_text, text_width
from psirag.views.nodes_told import MAX_LABELS, NodesTold
from psirag.views.palette import PURPLE, SKY, SOFT, VERMILION, class_styles

_MAX_GROUPS = 4
_LABEL_SIZE = 11.0
_SMALL_RADIUS = 110.0


def edge_marks(layout: CircularLayout, children: IntArray, name: str, colour: str, size: float) -> Marks:
    """Return the lines above some nodes."""
    x, y = edge_paths(layout, children)
    faint = float(np.clip(600 / len(layout.x), 0.12, 0.65)) if name == "edges" else 1.0
    return Marks(kind="line", x=x, y=y, name=name, colour=colour, size=size, opacity=faint, legend=name != "edges")


def _leaf_size(n_leaves: int) -> float:
    """Return a diameter at which neighbours on the ring stay apart where they can."""
    return float(np.clip(1_600 / max(n_leaves, 1), 3.0, 11.0))


def _hover(tree: AbstractTree, told: NodesTold, nodes: IntArray) -> tuple[str, ...]:
    """Return a hover box per node."""
    boxes = []
    limit = int(np.clip(1_200_000 / tree.n_nodes, 60, 200))
    for node in nodes.tolist():
        layer, below = int(tree.layer[node]), int(tree.leaf_counts[node])
        head = f"leaf {node}"
        if layer:
            head = f"node {node} · layer {layer} · {below} {'leaf' if below == 1 else 'leaves'}"
        elif told.classes:
            head += f" · {plain_text(told.classes[node], 40)}"
        boxes.append(hover_box(head, told.texts[node], limit=limit))
    return tuple(boxes)


def abstract_marks(tree: AbstractTree, layout: CircularLayout, told: NodesTold, on_path: BoolArray) -> list[Marks]:
    """Return the inner nodes, larger with more leaves below; those on a path and those shaded look apart."""
    nodes = np.arange(tree.n_leaves, tree.n_nodes)
    shaded = np.isin(nodes, told.shade)
    plain = nodes[~shaded]
    plain = plain[np.argsort(on_path[plain], kind="stable")]  # the legend shows the first look
    colour: str | tuple[str, ...] = SOFT
    if on_path.any():
        colour = tuple(VERMILION if lit else SOFT for lit in on_path[plain])
    marks = [_inner_marks(tree, layout, told, plain, "abstract", colour=colour)]
    if len(told.shade):
        name = "confused node" if told.minor.any() else "shaded node"
        marks.append(_inner_marks(tree, layout, told, nodes[shaded], name, colour=PURPLE, symbol="diamond"))
    return marks


def _inner_marks(
    tree: AbstractTree, layout: CircularLayout, told: NodesTold, nodes: IntArray, name: str, **look: Any
) -> Marks:
    """Return some inner nodes."""
    share = np.sqrt(tree.leaf_counts[nodes] / tree.n_leaves)
    size = np.clip(_leaf_size(tree.n_nodes - tree.n_leaves + tree.n_leaves // 4), 2.5, 8.0) + 8.0 * share
    return Marks(
        kind="points",
        x=layout.x[nodes],
        y=layout.y[nodes],
        name=name,
        **look,
        size=np.where(told.highlight[nodes], size + 4, size).round(1),
        emphasis=told.highlight[nodes],
        hover=_hover(tree, told, nodes),
        ids=nodes,
    )


def leaf_marks(tree: AbstractTree, layout: CircularLayout, told: NodesTold) -> list[Marks]:
    """Return the leaves, one trace per group."""
    size = _leaf_size(tree.n_leaves)
    room = _MAX_GROUPS - int(told.highlight.any()) - int(len(told.shade) > 0)
    marks = []
    for name, (nodes, colour, symbol, factor) in _leaf_groups(told, tree.n_leaves, room).items():
        lit = told.highlight[nodes]
        marks.append(
            Marks(
                kind="points",
                x=layout.x[nodes],
                y=layout.y[nodes],
                name=name,
                colour=colour,
                symbol=symbol,
                size=np.where(lit, size * factor + 5, size * factor).round(1) if lit.any() else size * factor,
                emphasis=lit,
                hover=_hover(tree, told, nodes),
                ids=nodes,
            )
        )
    return marks


def _leaf_groups(told: NodesTold, n_leaves: int, room: int) -> dict[str, tuple[IntArray, str, str, float]]:
    """Return leaves, colour, shape and relative size by the name in the legend."""
    leaves = np.arange(n_leaves)
    if told.minor.any():
        major = leaves[~told.minor], SKY, "circle", 1.0
        minor = leaves[told.minor], VERMILION, "square", 1.35
        return {_group_name(told, ~told.minor, "major"): major, _group_name(told, told.minor, "minor"): minor}
    if not told.classes:
        return {"leaf": (leaves, SKY, "circle", 1.0)}
    kinds = np.array(told.classes)
    names, counts = np.unique(kinds, return_counts=True)
    listed = names[np.argsort(-counts, kind="stable")].tolist()
    own = listed if len(listed) <= room else listed[: room - 1]
    styles = class_styles(listed, room)
    groups = {plain_text(name, 40) or "(no name)": (leaves[kinds == name], *styles[name], 1.0) for name in own}
    if len(own) < len(listed):
        rest = listed[len(own) :]
        groups[f"{len(rest)} more classes"] = (leaves[np.isin(kinds, rest)], *styles[rest[0]], 1.0)
    return groups


def _group_name(told: NodesTold, mask: BoolArray, role: str) -> str:
    """Return what the legend calls the minor or the major leaves."""
    names = sorted({name for name, chosen in zip(told.classes, mask, strict=False) if chosen})
    if not names or len(names) > 3:
        return f"{role} leaf"
    listed = plain_text(", ".join(names), 40)
    return listed if role == "major" else f"{listed} (minor)"


def ring_labels(layout: CircularLayout, names: tuple[str, ...]) -> tuple[tuple[Label, ...], tuple[int, int]]:
    """Return the names around the ring, thinned to 48, and the pixels that they need beside and above the disc."""
    n = len(names)
    if n == 0:
        return (), (0, 0)
    order = np.argsort(-layout.angle[:n], kind="stable")
    chosen = order[np.arange(min(n, MAX_LABELS)) * n // min(n, MAX_LABELS)]
    level = len(chosen) <= 12
    labels = []
    beside = above = 0.0
    for leaf in chosen.tolist():
        text = plain_text(names[leaf], 22 if level else 14)
        length = text_width(text, _LABEL_SIZE)
        side, up = abs(float(np.cos(layout.angle[leaf]))), abs(float(np.sin(layout.angle[leaf])))
        reach = length if level else length * side
        beside = max(beside, reach + 14 - (1 - side) * _SMALL_RADIUS)
        above = max(above, 18 if level else length * up + 14 - (1 - up) * _SMALL_RADIUS)
        place = _beside(layout.angle[leaf]) if level else _outwards(layout.angle[leaf], length)
        labels.append(Label(x=layout.x[leaf], y=layout.y[leaf], text=text, size=_LABEL_SIZE, **place))
    return tuple(labels), (int(beside), int(above))


def _beside(angle: float) -> dict[str, Any]:
    """Return how to write a level label next to a leaf."""
    side = np.cos(angle)
    anchor = "center" if abs(side) < 0.1 else "left" if side > 0 else "right"
    return {"anchor": anchor, "shift": (12 * side, 14 * np.sin(angle))}


def _outwards(angle: float, length: float) -> dict[str, Any]:
    """Return how to write a label along its radius, never upside down."""
    degrees = float(np.degrees(angle)) % 360
    flipped = 90 < degrees < 270
    reach = 10 + length / 2
    shift = (reach * float(np.cos(angle)), reach * float(np.sin(angle)))
    return {"angle": (180 - degrees) if flipped else -degrees, "shift": shift}

"""A walk through the tree: go up, down and across, read abstracts, see the leaves below, search."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from psirag.checks import check_count, check_type
from psirag.errors import PsiragError
from psirag.index import Index
from psirag.views.circular_tree import circular_tree
from psirag.views.hover import escaped, plain_text
from psirag.views.widgets.cards import card, page
from psirag.views.widgets.panel import LiveFigure, Panel

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


_FOUND, _LISTED = 10, 40


def explore_tree(index: Index, node: int | None = None) -> TreePanel:
    """Walk the tree of an index: a panel for JupyterLab.

    Parameters
    ----------
    index : Index
        Whose tree is walked.
    node : int, optional
        Where to begin; the root by default.

    Returns
    -------
    TreePanel
        Show it as the last line of a cell. `.node` is where you are, `.go(node)` goes there from Python, and
        `.find(words)` searches.

    Raises
    ------
    PsiragError
        ipywidgets is missing, or there is no such node.

    Notes
    -----
    Source: ours, for the abstract tree of Ψ-RAG §3.1.

    Examples
    --------
    >>> from psirag.index import Index
    >>> panel = explore_tree(Index.build("toy"))
    >>> panel.go(0).node
    0
    """
    check_type("explore_tree's index", index, Index, "Pass Index.build(corpus).")
    return TreePanel(index, index.tree.root if node is None else node)


def node_label(index: Index, node: int) -> str:
    """Return one line for a node: number, leaves below, and how its text begins."""
    below = int(index.tree.leaf_counts[node])
    what = f"chunk {node}" if node < index.tree.n_leaves else f"node {node} ({below} leaves)"
    return plain_text(f"{what}: {_title(index, node) or index.node_text(node)}", 90)


def node_html(index: Index, node: int) -> str:
    """Return a node: the way from the root, its text, and the titles of the leaves below it."""
    tree = index.tree
    way = " › ".join(str(above) for above in [*tree.ancestors(node)[::-1], node])
    layer = int(tree.layer[node])
    kind = f"chunk {node}" if layer == 0 else f"abstract {node} · layer {layer}"
    text = index.node_text(node) or "(a centroid has no text)"
    parts = [f"<h4>{kind} <small>{way}</small></h4>", f"<p><b>{escaped(_title(index, node))}</b></p>"]
    parts.append(f"<p>{escaped(text)}</p>")
    if layer:
        leaves = tree.leaves(node)
        listed = "".join(f"<li>{escaped(node_label(index, int(leaf)))}</li>" for leaf in leaves[:_LISTED])
        more = f"<p class='told'>and {len(leaves) - _LISTED} more</p>" if len(leaves) > _LISTED else ""
        parts.append(f"<details><summary>{len(leaves)} leaves below</summary><ul>{listed}</ul>{more}</details>")
    return card("node", parts)


def tree_with(index: Index, node: int) -> Figure:
    """Return the circular tree with one node marked, its way to the root drawn and its sector shaded."""
    return circular_tree(index, highlight=[node], shade=[node], labels=[])


class TreePanel(Panel):
    """The widgets of `explore_tree`.

    Source: ours.
    """

    def __init__(self, index: Index, node: int) -> None:
        super().__init__("explore_tree")
        self.index, self.node = index, _checked(index, node)
        w, wide = self.widgets, {"flex": "1 1 240px", "width": "auto", "min_width": "0"}
        self._words = w.Text(description="Search", placeholder="words, then Enter", layout=wide)
        self.on_enter(self._words, lambda: self.find(self._words.value))
        self._up = self.button("Up", lambda: self.go(int(self.index.tree.parent[self.node])), tip="To the parent")
        self._next = self.button(
            "Next sibling", lambda: self.go(self._sibling()), tip="To the next child of the parent"
        )
        self._found, self._children = (w.VBox([], layout={"width": "auto", "min_width": "0"}) for _ in range(2))
        self._text = self.html()
        self._figure = LiveFigure(self, self.go)
        row = {"flex_flow": "row wrap", "width": "auto", "grid_gap": "6px 14px"}
        left = w.VBox([self._found, self._text, self._children], layout={"flex": "1 1 360px", "min_width": "0"})
        right = w.VBox([self._figure.box], layout={"flex": "1 1 360px", "min_width": "0"})
        self.lay_out(w.HBox([self._words, self._up, self._next], layout=row), w.HBox([left, right], layout=row))
        self.go(self.node)

    def go(self, node: int) -> TreePanel:
        """Go to a node: show its text, its children and its place."""
        self.node = _checked(self.index, node)
        tree = self.index.tree
        self._list(self._children, "Below", tree.children(self.node).tolist() if self.node >= tree.n_leaves else [])
        self._up.disabled = self._next.disabled = self.node == tree.root
        self._text.value = node_html(self.index, self.node)
        self._figure.show(tree_with(self.index, self.node))
        self.keep_static()
        return self

    def find(self, words: str) -> list[int]:
        """Search leaves and abstracts together, list what is found, and return the nodes, best first."""
        hits = self.index.retrieve(words, _FOUND, nodes="all") if words.strip() else ()
        nodes = [hit.node for hit in hits]
        self._list(self._found, f"Found: {words}", nodes)
        return nodes

    def last_state(self) -> str:
        """Return where you are as HTML, with the picture as SVG."""
        return node_html(self.index, self.node) + self._figure.static_html("The circular tree")

    def _list(self, place: Any, name: str, nodes: list[int]) -> None:
        """Offer nodes as buttons."""
        for old in place.children:
            old.close()
        head = self.html(page(f'<p class="told">{escaped(name)}</p>'))
        buttons = [
            self.button(node_label(self.index, node), partial(self.go, node), tip=f"Go to {node}", wide=True)
            for node in nodes[:_LISTED]
        ]
        place.children = (head, *buttons) if nodes else ()

    def _sibling(self) -> int:
        """The next child of the parent, after the last the first."""
        siblings = self.index.tree.children(int(self.index.tree.parent[self.node]))
        place = int(np.flatnonzero(siblings == self.node)[0])
        return int(siblings[(place + 1) % len(siblings)])


def _title(index: Index, node: int) -> str:
    """The title of a chunk; empty for an abstract."""
    return index.chunks[node].title if node < index.tree.n_leaves else ""


def _checked(index: Index, node: Any) -> int:
    """A node of the tree."""
    number = check_count("node", node, minimum=0)
    if number >= index.tree.n_nodes:
        raise PsiragError(f"node must be below {index.tree.n_nodes}", str(number), "Pass the number of a node.")
    return number

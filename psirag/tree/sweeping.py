"""One block of rows against all later rows: which pairs can still improve a spanning tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from psirag.tree.kruskal import Bottlenecks, Pairs
from psirag.tree.similarity_keys import SCALE, similarity_keys

IntArray = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]

_COLUMNS = 4096
_DENSE = 0.02  # a tile of which more than this share passes is computed again, in float64
_NO_BAR = np.float32(np.inf)


@dataclass(frozen=True)
class Sweep:
    """The rows, laid out, and the spanning tree to improve.

    Parameters
    ----------
    rows : ndarray, shape (n, d), float32
        Distinct unit rows in the order of the layout.
    layout : ndarray, shape (n,), int64
        The leaf at each place; any order is right, the order of a good tree's dendrogram is fast.
    tree : Bottlenecks
        The spanning tree.
    bars : ndarray, shape (n − 1,), float32
        For each gap of the layout, a product that every pair across it must reach to come before its bottleneck.
    """

    rows: Floats
    layout: IntArray
    tree: Bottlenecks
    bars: Floats

    @staticmethod
    def over(rows: Floats, layout: IntArray, tree: Bottlenecks) -> Sweep:
        """Set the bars: the similarity of the gap's bottleneck, less the rounding error of a product."""
        bottleneck = tree.pairs.key[tree.between(layout[:-1], layout[1:])] / SCALE
        return Sweep(rows, layout, tree, _rounded_down(bottleneck - _margin(rows.shape[1], 24)))


def candidates(sweep: Sweep, start: int, stop: int) -> Pairs:
    """Return the pairs of rows start … stop − 1, with one another and later rows, that come before their bottleneck."""
    block, n = sweep.rows[start:stop], len(sweep.rows)
    found = [Pairs.none()]
    for left in [start, *range(stop, n, _COLUMNS)]:
        right = stop if left == start else min(left + _COLUMNS, n)
        tile = block @ sweep.rows[left:right].T
        i, j = _inside(tile, sweep.bars[start:stop]) if left == start else _beyond(tile, sweep.bars, start, left)
        products, margin = tile[i, j].astype(np.float64), _margin(block.shape[1], 24)
        if len(i) > _DENSE * tile.size:
            exact = block.astype(np.float64) @ sweep.rows[left:right].T.astype(np.float64)
            products, margin = exact[i, j], _margin(block.shape[1], 53)
        found.append(_before_bottleneck(sweep, start + i, left + j, products + margin))
    return Pairs.concatenate(found)


def _inside(tile: Floats, bars: Floats) -> tuple[IntArray, IntArray]:
    """Return the entries above the diagonal that reach the lowest bar between their row and column."""
    size = len(tile)
    between = np.broadcast_to(np.append(_NO_BAR, bars[: size - 1]), tile.shape)
    bar = np.minimum.accumulate(np.where(np.tri(size, dtype=bool), _NO_BAR, between), axis=1)
    i, j = np.nonzero(tile >= bar)
    return i, j


def _beyond(tile: Floats, bars: Floats, start: int, left: int) -> tuple[IntArray, IntArray]:
    """Return the entries that reach the lowest bar between row start + i and column left + j.

    That bar is the lower of one that depends on the row and one that depends on the column; an entry reaches it exactly
    when it reaches either, so the largest entry of a row or column tells whether to look closer.
    """
    rows, columns = tile.shape
    row_bar = np.minimum.accumulate(bars[start:left][::-1])[::-1][:rows]
    column_bar = np.minimum.accumulate(np.append(_NO_BAR, bars[left : left + columns - 1]))
    high_rows = np.flatnonzero(tile.max(axis=1) >= row_bar)
    i, j = np.nonzero(tile[high_rows] >= row_bar[high_rows, None])
    high_columns = np.flatnonzero(tile.max(axis=0) >= column_bar)
    more = tile[:, high_columns]
    k, l = np.nonzero((more >= column_bar[high_columns]) & (more < row_bar[:, None]))  # noqa: E741
    return np.append(high_rows[i], k), np.append(j, high_columns[l])


def _before_bottleneck(sweep: Sweep, p: IntArray, q: IntArray, at_most: npt.NDArray[np.float64]) -> Pairs:
    """Return, of the pairs at places p and q, those that come before their bottleneck; exactly."""
    bottleneck = sweep.tree.between(sweep.layout[p], sweep.layout[q])
    near = at_most >= sweep.tree.pairs.key[bottleneck] / SCALE
    p, q, bottleneck = p[near], q[near], bottleneck[near]
    u, v = sweep.layout[p], sweep.layout[q]
    pairs = Pairs(np.minimum(u, v), np.maximum(u, v), similarity_keys(sweep.rows, p, q))
    return pairs[pairs.precede(sweep.tree.pairs[bottleneck])]


def _margin(d: int, bits: int) -> float:
    """Return twice the rounding error of a product of unit rows in float32 (24 bits) or float64 (53), or more."""
    return float(d * 2.0 ** (1 - bits) * 1.01 + 2.0 ** (3 - bits))


def _rounded_down(values: npt.NDArray[np.float64]) -> Floats:
    """Round to the float32 at or below."""
    near = values.astype(np.float32)
    return np.where(near > values, np.nextafter(near, np.float32(-np.inf)), near)

"""Blocks of rows against all later rows: which pairs can still improve a spanning tree."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from psirag.tree.kruskal import Bottlenecks, Pairs
from psirag.tree.one_thread import one_blas_thread
from psirag.tree.similarity_keys import SCALE, similarity_keys
from psirag.vectors import Ints, Vectors

Bars = npt.NDArray[np.float64]
AnyFloats = npt.NDArray[np.floating[Any]]
Entries = tuple[Ints, Ints, Bars]

_COLUMNS = 4096
_DIAGONAL = 128
_MANY = 300  # pairs of a tile that are worth a second look before their integers are computed
_DENSE = 0.02  # a tile of which more than this share passes is computed again, in float64


class Tiles(Protocol):
    """Who multiplies: a tile of products of some rows with some later rows."""

    @property
    def margin(self) -> float:
        """At least twice the error of a product."""

    @property
    def columns(self) -> int:
        """How wide a tile is at most."""

    def reaching(self, rows: range, columns: range, row_bar: Bars, column_bar: Bars) -> Entries:
        """Return row, column (counted from 0) and product of the entries that reach the bar of either."""


class NumpyTiles:
    """Tiles of a matrix product by numpy, in the precision of the vectors; one at a time, in the same memory."""

    columns = _COLUMNS

    def __init__(self, vectors: AnyFloats) -> None:
        self.margin = product_margin(vectors)
        self._vectors, self._memory = vectors, np.empty(0, dtype=vectors.dtype)

    def reaching(self, rows: range, columns: range, row_bar: Bars, column_bar: Bars) -> Entries:
        """Return row, column and product of the entries that reach a bar."""
        size = len(rows) * len(columns)
        self._memory = self._memory if len(self._memory) >= size else np.empty(size, dtype=self._vectors.dtype)
        tile = self._memory[:size].reshape(len(rows), len(columns))
        left, right = self._vectors[rows.start : rows.stop], self._vectors[columns.start : columns.stop]
        return _reaching(np.matmul(left, right.T, out=tile), row_bar, column_bar)


@dataclass(frozen=True)
class Sweep:
    """The layout of the rows, and the spanning tree to improve.

    Parameters
    ----------
    layout : ndarray, shape (n,), int64
        The leaf at each place; any order is right, the walk over a good tree is fast.
    tree : Bottlenecks
        The spanning tree.
    bars : ndarray, shape (n − 1,), float64
        For each gap of the layout, the similarity of its bottleneck. A pair that comes before its own bottleneck
        reaches the lowest bar between its places, because bottlenecks are ultrametric.
    """

    layout: Ints
    tree: Bottlenecks
    bars: Bars

    @staticmethod
    def over(layout: Ints, tree: Bottlenecks) -> Sweep:
        """Set the bars."""
        return Sweep(layout, tree, tree.pairs.key[tree.between(layout[:-1], layout[1:])] / SCALE)


def candidates(rows: Vectors, sweep: Sweep, blocks: Sequence[range], tiles: Tiles | None, caller: int) -> Pairs:
    """Return the pairs of a block's rows, with one another and later rows, that come before their bottleneck.

    Parameters
    ----------
    rows : ndarray, shape (n, d), float32
        Distinct unit rows in the order of the layout.
    sweep : Sweep
    blocks : sequence of range
        Places of rows.
    tiles : Tiles or None
        None is numpy. Whatever multiplies only filters; integers decide.
    caller : int
        The caller's process, which has BLAS at one thread a worker; another process sees to that itself.
    """
    tiles = NumpyTiles(rows) if tiles is None else tiles
    with nullcontext() if caller == os.getpid() else one_blas_thread():
        return Pairs.concatenate([pairs for block in blocks for pairs in _of_block(rows, sweep, block, tiles)])


def _of_block(rows: Vectors, sweep: Sweep, block: range, tiles: Tiles) -> Iterator[Pairs]:
    """Yield what is left of each tile of a block of rows: near the diagonal in small steps, then beyond."""
    for start in range(block.start, block.stop, _DIAGONAL):
        part = range(start, min(start + _DIAGONAL, block.stop))
        yield _on_diagonal(rows, sweep, part)
        yield from _beyond(rows, sweep, part, range(part.stop, block.stop), NumpyTiles(rows))
    yield from _beyond(rows, sweep, block, range(block.stop, len(rows)), tiles)


def _beyond(rows: Vectors, sweep: Sweep, block: range, later: range, tiles: Tiles) -> Iterator[Pairs]:
    """Yield what is left of each tile of a block of rows with the rows after it.

    The lowest bar between a row and a column is the lower of one that depends on the row and one that depends on the
    column; an entry reaches it exactly when it reaches either.
    """
    bars, between = sweep.bars, np.inf
    to_the_end = np.minimum.accumulate(np.append(bars[block.start : block.stop - 1], np.inf)[::-1])[::-1]
    for left in range(later.start, later.stop, tiles.columns):
        columns = range(left, min(left + tiles.columns, later.stop))
        between = min(between, bars[left - 1])
        row_bar = np.minimum(to_the_end, between)
        column_bar = np.minimum.accumulate(np.append(np.inf, bars[left : columns.stop - 1]))
        i, j, products = tiles.reaching(block, columns, row_bar - tiles.margin, column_bar - tiles.margin)
        margin = tiles.margin
        if len(i) > _DENSE * len(block) * len(columns):
            exact = rows[block.start : block.stop].astype(np.float64), rows[left : columns.stop].astype(np.float64)
            margin = product_margin(exact[0])
            i, j, products = _reaching(exact[0] @ exact[1].T, row_bar - margin, column_bar - margin)
        yield _before_bottleneck(rows, sweep, block.start + i, left + j, products, margin)
        between = min(between, column_bar[-1])


def _on_diagonal(rows: Vectors, sweep: Sweep, block: range) -> Pairs:
    """Return the pairs of a block's rows with one another."""
    vectors: AnyFloats = rows[block.start : block.stop]
    i, j, products = _above_diagonal(vectors, sweep.bars[block.start : block.stop - 1])
    if len(i) > _DENSE * len(block) ** 2:
        vectors = vectors.astype(np.float64)
        i, j, products = _above_diagonal(vectors, sweep.bars[block.start : block.stop - 1])
    return _before_bottleneck(rows, sweep, block.start + i, block.start + j, products, product_margin(vectors))


def _above_diagonal(vectors: AnyFloats, bars: Bars) -> Entries:
    """Return the entries above the diagonal that reach the lowest bar between their row and column."""
    tile = vectors @ vectors.T
    low = _rounded_down(np.append(np.inf, bars - product_margin(vectors)), tile.dtype)
    bar = np.broadcast_to(low, tile.shape).copy()
    bar[np.tri(len(tile), dtype=bool)] = np.inf
    i, j = np.nonzero(tile >= np.minimum.accumulate(bar, axis=1, out=bar))
    return i, j, tile[i, j].astype(np.float64)


def _reaching(tile: AnyFloats, row_bar: Bars, column_bar: Bars) -> Entries:
    """Return the entries that reach a bar."""
    reached = tile >= _rounded_down(column_bar, tile.dtype)
    reached |= tile >= _rounded_down(row_bar, tile.dtype)[:, None]
    i, j = np.divmod(np.flatnonzero(reached), tile.shape[1])
    return i, j, tile[i, j].astype(np.float64)


def _before_bottleneck(rows: Vectors, sweep: Sweep, p: Ints, q: Ints, products: Bars, margin: float) -> Pairs:
    """Return, of the pairs at places p and q, those that come before their bottleneck; exactly."""
    tree, (u, v) = sweep.tree, (sweep.layout[p], sweep.layout[q])
    bottleneck = tree.between(u, v)
    near = np.flatnonzero(products + margin >= tree.pairs.key[bottleneck] / SCALE)
    if len(near) > _MANY:
        near = near[_not_outdone(tree, u[near], v[near], products[near], margin)]
        near = near[_not_outdone(tree, v[near], u[near], products[near], margin)]
    u, v, bottleneck = u[near], v[near], bottleneck[near]
    pairs = Pairs(np.minimum(u, v), np.maximum(u, v), similarity_keys(rows, p[near], q[near]))
    return pairs[pairs.precede(tree.pairs[bottleneck])]


def _not_outdone(tree: Bottlenecks, u: Ints, v: Ints, products: Bars, margin: float) -> Ints:
    """Return the pairs that still count once the tree has the best pair of each u: a lone leaf has many as good.

    With the pair (u, best) taken in, the bottleneck of (u, v) is the later of that pair and of best and v.
    """
    leaf = np.unique(u, return_inverse=True)[1]
    top = np.full(len(u), -np.inf)
    np.maximum.at(top, leaf, products)
    leads = products == top[leaf]
    best = np.empty(len(u), dtype=np.int64)
    best[leaf[leads]] = v[leads]
    others = np.flatnonzero(best[leaf] != v)
    through = tree.pairs.key[tree.between(best[leaf[others]], v[others])] / SCALE
    outdone = products[others] + margin < np.minimum(top[leaf[others]] - margin, through)
    return np.setdiff1d(np.arange(len(u)), others[outdone], assume_unique=True)


def product_margin(vectors: AnyFloats) -> float:
    """Return twice the rounding error of a product of unit rows in the precision of the array, or more."""
    bits = np.finfo(vectors.dtype).nmant + 1
    return float(vectors.shape[1] * 2.0 ** (1 - bits) * 1.01 + 2.0 ** (3 - bits))


def _rounded_down(values: Bars, dtype: np.dtype[Any]) -> AnyFloats:
    """Round to the number of a lower precision at or below."""
    near = values.astype(dtype)
    return np.where(near > values, np.nextafter(near, dtype.type(-np.inf)), near)

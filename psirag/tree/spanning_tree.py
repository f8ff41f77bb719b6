"""The maximum spanning tree of the similarity graph, exactly, in one pass over the pairs and without their matrix.

Kruskal's accepted pairs are the pairs that Ψ-RAG accepts, so n−1 pairs decide the whole tree. Start from any spanning
tree T. Sweep each pair once, in tiles of a float32 matrix product; a pair can only improve T if it comes before the
bottleneck of its ends (see `kruskal`). Lay the rows out in the order of T's dendrogram: then the bottleneck of two
rows is the worst of the gaps between them, and a tile needs one bar a row and one a column to throw nearly everything
away. What is left is decided by integer keys. T improves as the sweep goes on; the layout stays, and the gaps of any
fixed order still bound the bottlenecks from below, because bottlenecks are ultrametric.

The float32 products only filter, with a margin for their rounding, so block size, threads, and the tree to start from
change the speed and never the result.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

from psirag.checks import check_count
from psirag.errors import PsiragError
from psirag.tree.checkpoint import Checkpoint, Progress
from psirag.tree.equal_rows import first_equal_rows
from psirag.tree.kruskal import Pairs, bottlenecks, kruskal
from psirag.tree.one_thread import one_blas_thread
from psirag.tree.seeding import seed_tree
from psirag.tree.similarity_keys import EQUAL_ROWS, rank_pairs, similarities
from psirag.tree.sweeping import Sweep, Tiles, candidates
from psirag.vectors import Floats, Ints, Vectors, check_unit_rows

_BLOCKS_AT_ONCE = 32
_COLUMNS_AT_ONCE = 16


@dataclass(frozen=True)
class SpanningTree:
    """The n − 1 accepted pairs, in the order in which they are accepted.

    Parameters
    ----------
    u, v : ndarray, shape (n − 1,), int64
        The two chunks of each pair, u < v.
    key : ndarray, shape (n − 1,), int64
        The integer similarity of each pair (see `similarity_keys`).
    n_leaves : int
        Number of chunks.

    Source: Ψ-RAG §3.1; Kruskal (1956), doi:10.1090/S0002-9939-1956-0078686-7.

    Examples
    --------
    >>> tree = spanning_tree(np.array([[1, 0], [0.6, 0.8], [0, 1]], dtype=np.float32))
    >>> list(zip(tree.u.tolist(), tree.v.tolist(), tree.similarity.round(1).tolist()))
    [(1, 2, 0.8), (0, 1, 0.6)]
    """

    u: Ints
    v: Ints
    key: Ints
    n_leaves: int

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        for array in (self.u, self.v, self.key):
            array.flags.writeable = False

    @property
    def similarity(self) -> Floats:
        """Cosine similarity of each pair, shape (n − 1,), float64."""
        return similarities(self.key)


def spanning_tree(
    rows: Vectors,
    *,
    block: int = 512,
    workers: int | None = None,
    seed: int = 0,
    device: str | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: bool = False,
    overwrite_rows: bool = False,
) -> SpanningTree:
    """Return the maximum spanning tree under the total order of all pairs.

    Parameters
    ----------
    rows : ndarray, shape (n, d), float32
        Unit rows, as `unit_rows` returns them.
    block : int
        Rows swept at a time. Like `workers`, `seed` and `device` it changes the speed, never the result.
    workers : int, optional
        Threads; all processors when None. Under `joblib.parallel_config` the workers of its backend, so also those of
        a cluster.
    seed : int
        Draws the tree to start from.
    device : str, optional
        Multiply by torch there, "cuda" for example; by numpy when None.
    checkpoint : path, optional
        Folder that keeps how far the sweep has come; a killed build goes on from there.
    progress : bool
        Show a bar that counts pairs.
    overwrite_rows : bool
        Lay the rows out in place, so that they are lost to the caller and no second copy is made.

    Raises
    ------
    PsiragError
        No unit rows, a wrong setting, or a checkpoint that cannot be read or written.

    Notes
    -----
    n² · d / 2 multiplications, and O(n log n) memory beside a copy of the rows. Equal rows are joined beforehand, each
    to the first of its kind.

    Source: Ψ-RAG §3.1 (similarity ranking, merging and collapse).

    Examples
    --------
    >>> spanning_tree(np.eye(4, dtype=np.float32)).v.tolist()  # all similarities tie, so the lowest pairs come first
    [1, 2, 3]
    """
    block, workers = check_count("block", block), -1 if workers is None else check_count("workers", workers)
    check_unit_rows(rows)
    if len(rows) == 0:
        raise PsiragError("a tree needs at least one vector", f"an array of shape {rows.shape}", "Add a chunk.")
    keep = None if checkpoint is None else Checkpoint(checkpoint, rows)
    first = first_equal_rows(rows)
    distinct, later = np.flatnonzero(first == np.arange(len(rows))), np.flatnonzero(first != np.arange(len(rows)))
    u, v, key = first[later], later, np.full(len(later), EQUAL_ROWS)
    if len(distinct) > 1:
        with one_blas_thread():
            state = (keep and keep.load()) or _start(rows, distinct, seed)
            laid_out = _lay_out(rows, distinct[state.layout], in_place=overwrite_rows)
            found = _improve(laid_out, state, block, workers, _tiles(laid_out, device), keep, progress)
        u, v, key = np.append(u, distinct[found.u]), np.append(v, distinct[found.v]), np.append(key, found.key)
    order = rank_pairs(u, v, key)
    return SpanningTree(u[order], v[order], key[order], len(first))


def _start(rows: Vectors, distinct: Ints, seed: int) -> Progress:
    """Find a spanning tree to improve; the rows will be laid out in the order of a walk over it."""
    tree = bottlenecks(seed_tree(rows, distinct, seed=seed), len(distinct))
    return Progress(tree.order, tree.pairs, 0, tree)


def _lay_out(rows: Vectors, places: Ints, *, in_place: bool) -> Vectors:
    """Return the rows in another order, a few columns at a time where they may be overwritten."""
    if not in_place:
        return rows[places]
    rows.flags.writeable = True
    for column in range(0, rows.shape[1], _COLUMNS_AT_ONCE):
        part = slice(column, column + _COLUMNS_AT_ONCE)
        rows[: len(places), part] = rows[places, part]
    return rows[: len(places)]


def _tiles(rows: Vectors, device: str | None) -> Tiles | None:
    """Return who multiplies: torch on a device, or numpy for None."""
    if device is None:
        return None
    from psirag.tree.torch_tiles import TorchTiles

    return TorchTiles(rows, device)


def _improve(
    rows: Vectors,
    state: Progress,
    block: int,
    workers: int,
    tiles: Tiles | None,
    keep: Checkpoint | None,
    progress: bool,
) -> Pairs:
    """Improve a spanning tree until every pair has been ruled out or taken in."""
    from joblib import Parallel, delayed, effective_n_jobs

    n, pool = len(rows), [state.pairs]
    tree = state.tree or bottlenecks(kruskal(state.pairs, n), n)
    share = 1 if tiles is not None else effective_n_jobs(workers)
    done = _swept(state.next_row, n)
    bar = tqdm(total=n * (n - 1) // 2, initial=done, unit="pair", unit_scale=True, disable=not progress)
    with bar, Parallel(n_jobs=share, prefer="threads") as parallel:
        for batch in _batches(range(state.next_row, n, block), share):
            if len(pool) > 1:
                pool = [kruskal(Pairs.concatenate(pool), n)]
                tree = bottlenecks(pool[0], n)
            sweep = Sweep.over(state.layout, tree)
            blocks = [range(start, min(start + block, n)) for start in batch]
            shares = (blocks[worker::share] for worker in range(min(share, len(blocks))))
            pool += parallel(delayed(candidates)(rows, sweep, part, tiles, os.getpid()) for part in shares)
            bar.update(_swept(blocks[-1].stop, n) - _swept(batch.start, n))
            if keep is not None:
                keep.save(Progress(state.layout, Pairs.concatenate(pool), blocks[-1].stop))
    return kruskal(Pairs.concatenate(pool), n)


def _batches(starts: range, workers: int) -> Iterator[range]:
    """Take one block, then twice as many as before, because the tree improves most at first; and no small rest."""
    done = 0
    while done < len(starts):
        size = min(max(1, 2 * done), _BLOCKS_AT_ONCE * workers)
        size = len(starts) - done if len(starts) - done < 2 * size else size
        yield starts[done : done + size]
        done += size


def _swept(next_row: int, n: int) -> int:
    """Return how many pairs have their first row before the next row to sweep."""
    return next_row * (n - 1) - next_row * (next_row - 1) // 2

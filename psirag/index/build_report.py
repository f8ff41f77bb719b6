"""What `Index.build` did: counts, repairs, and seconds per stage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from time import perf_counter
from typing import Any, ParamSpec, TypeVar

from psirag.checks import first_few
from psirag.corpus.documents import Record, read_only

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class BuildReport(Record):
    """What `Index.build` read, dropped, repaired and made.

    Parameters
    ----------
    n_documents, n_chunks : int
        Documents kept, and chunks made of them.
    dropped_documents : tuple of int
        Ids of documents without text.
    n_duplicates : int
        Chunks whose text an earlier chunk has; they are kept.
    truncated : tuple of int
        Ids of chunks longer than the encoder's window, encoded by their first window.
    zero_rows : tuple of int
        Ids of chunks without a vector.
    depth : int
        Depth of the tree.
    nodes_per_layer : tuple of int
        From the leaves to the root.
    compression : float
        Mean over abstracts of 1 − tokens of the abstract / tokens of its children's texts; NaN for centroids.
    status : mapping of str to int
        How many abstracts were "extractive", "written", "fallback", "centroid"; or "repeated", where they only fill a
        layer above the root of a document's tree.
    seconds : mapping of str to float
        By stage.
    n_trees : int
        1, or as many as documents; then depth and layers are those of the one tree in which they hang.

    Notes
    -----
    Source: Ψ-RAG Table 10 (compression rate).
    """

    n_documents: int
    n_chunks: int
    dropped_documents: tuple[int, ...]
    n_duplicates: int
    truncated: tuple[int, ...]
    zero_rows: tuple[int, ...]
    depth: int
    nodes_per_layer: tuple[int, ...]
    compression: float
    status: Mapping[str, int]
    seconds: Mapping[str, float]
    n_trees: int = 1

    def __post_init__(self) -> None:
        """Make the mappings read-only, and tuples of what JSON read as lists."""
        for name in ("status", "seconds"):
            object.__setattr__(self, name, read_only(f"BuildReport.{name}", getattr(self, name)))
        for name in ("dropped_documents", "truncated", "zero_rows", "nodes_per_layer"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    def __str__(self) -> str:
        """Say one fact a line, by the name of its field."""
        return "\n".join(f"{each.name}: {_told(getattr(self, each.name))}" for each in fields(self))


def _told(value: Any) -> str:
    """Return a value as a reader wants it: lists cut to ten, numbers to three digits."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_told(each)}" for name, each in value.items())
    if isinstance(value, tuple):
        return first_few(value) or "none"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


class Stages:
    """Runs the stages of a build by name and keeps their seconds.

    Examples
    --------
    >>> stages = Stages()
    >>> stages("sum", sum, [1, 2]), list(stages.seconds)
    (3, ['sum'])
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def __call__(self, name: str, stage: Callable[P, T], /, *args: P.args, **settings: P.kwargs) -> T:
        """Run one stage and return what it returns."""
        start = perf_counter()
        made = stage(*args, **settings)
        self.seconds[name] = self.seconds.get(name, 0.0) + perf_counter() - start
        return made

"""The embedding map as a widget: what is lassoed comes back to Python as chunk ids, and the other way round."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from psirag.errors import PsiragError, PsiragWarning
from psirag.views.embedding_map import embedding_map

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from psirag.index import Index


class MapSelection:
    """A map with a selection; `.figure` is a live `FigureWidget`, or a plain figure where anywidget is missing.

    Examples
    --------
    >>> view = explore_map([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], texts=["a", "b", "c"])
    >>> view.select([0, 2]).selection
    [0, 2]
    """

    def __init__(self, drawn: Figure) -> None:
        self._drawn = drawn
        self.figure = _live(drawn)
        self._chosen: dict[int, list[int]] = {}
        self.figure.update_layout(dragmode="lasso")
        if self.figure is not drawn:
            for i, trace in enumerate(self.figure.data):
                if trace.customdata is not None:
                    trace.on_selection(self._listener(i))
                    trace.on_deselect(self._listener(i))

    @property
    def selection(self) -> list[int]:
        """Ids of the selected chunks, ascending; empty when nothing is selected."""
        return sorted(chunk for chunks in self._chosen.values() for chunk in chunks)

    def select(self, chunks: Iterable[int]) -> MapSelection:
        """Select chunks by id, which pales all others; no ids clear the selection.

        Raises
        ------
        PsiragError
            An id that is not on the map.
        """
        wanted = list(chunks) if isinstance(chunks, Iterable) else [chunks]
        ids = [[] if trace.customdata is None else list(trace.customdata) for trace in self.figure.data]
        known = {chunk for group in ids for chunk in group}
        unknown = [chunk for chunk in wanted if not isinstance(chunk, int | np.integer) or chunk not in known]
        if unknown:
            raise PsiragError("select needs ids of chunks on the map", str(unknown[:5]), "Pass ids from `.selection`.")
        self._chosen = {i: [chunk for chunk in group if chunk in set(wanted)] for i, group in enumerate(ids)}
        with self.figure.batch_update():
            for trace, group in zip(self.figure.data, ids, strict=True):
                if group:
                    places = [i for i, chunk in enumerate(group) if chunk in set(wanted)]
                    trace.selectedpoints = places if wanted else None
        return self

    def _listener(self, i: int) -> Any:
        """Return what plotly calls when points of one trace are selected, or when nothing is any more."""

        def listen(trace: Any, points: Any, *_: Any) -> None:
            places = getattr(points, "point_inds", [])
            self._chosen[i] = [int(trace.customdata[place]) for place in places]

        return listen

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """Return the widget, and for pages without a kernel the figure as plotly's JSON and as SVG."""
        bundle = dict(self._drawn._repr_mimebundle_(**kwargs))
        if self.figure is not self._drawn:
            live = self.figure._repr_mimebundle_(**kwargs)
            bundle |= live[0] if isinstance(live, tuple) else live or {}
        return bundle


def explore_map(
    vectors: npt.ArrayLike | Index,
    *,
    texts: Sequence[str] | None = None,
    classes: Sequence[str] | None = None,
    query: Any = None,
    layout: npt.ArrayLike | None = None,
    seed: int = 0,
    title: str = "",
) -> MapSelection:
    """Show the map as a widget whose lasso gives chunk ids back: `view = explore_map(index)`, then `view.selection`.

    Parameters
    ----------
    vectors, texts, classes, query, layout, seed, title
        As in `embedding_map`.

    Returns
    -------
    MapSelection
        With `.selection`, `.select(ids)` and `.figure`.

    Raises
    ------
    PsiragError
        As `embedding_map`.

    Warns
    -----
    PsiragWarning
        anywidget is missing: the figure is shown, but a lasso cannot reach Python.

    Source: ours.

    Examples
    --------
    >>> explore_map([[1.0, 0.0], [0.0, 1.0]]).selection
    []
    """
    told = {"texts": texts, "classes": classes, "query": query, "layout": layout, "seed": seed, "title": title}
    return MapSelection(embedding_map(vectors, **told))


def _live(drawn: Figure) -> Any:
    """Return the figure as a widget, or as it is, with a hint, where widgets cannot be made."""
    if find_spec("anywidget") is None:
        message = "a lasso reaches Python only with anywidget (pip install anywidget); the plain figure is shown"
        warnings.warn(message, PsiragWarning, stacklevel=4)
        return drawn
    from plotly.graph_objects import FigureWidget

    return FigureWidget(drawn)

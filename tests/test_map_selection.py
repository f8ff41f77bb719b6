"""The map as a widget: FR-100, FR-107."""

from __future__ import annotations

import importlib.util
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from psirag.errors import PsiragError, PsiragWarning
from psirag.views import map_selection
from psirag.views.map_selection import explore_map

VECTORS = np.random.default_rng(2).normal(size=(8, 4))


def lasso(view: object, *places_by_trace: list[int]) -> None:
    """Do what plotly does after a lasso: call each trace's listener with the places inside."""
    for trace, places in zip(view.figure.data, places_by_trace, strict=True):  # type: ignore[attr-defined]
        trace._dispatch_on_selection(SimpleNamespace(point_inds=places), None)


def test_a_lasso_comes_back_as_chunk_ids() -> None:
    view = explore_map(VECTORS, classes=list("aaaaabbb"))
    assert view.selection == []
    lasso(view, [0, 1, 4], [0, 2])
    assert view.selection == [0, 1, 4, 5, 7]
    lasso(view, [], [])
    assert view.selection == []


def test_selecting_by_id_highlights() -> None:
    view = explore_map(VECTORS, classes=list("aaaaabbb"))
    assert view.select([6, 0]).selection == [0, 6]
    assert [list(trace.selectedpoints) for trace in view.figure.data] == [[0], [1]]
    assert view.select([]).selection == []
    assert all(trace.selectedpoints is None for trace in view.figure.data)


def test_an_unknown_id_is_named() -> None:
    with pytest.raises(PsiragError, match="ids of chunks on the map"):
        explore_map(VECTORS).select([8])


def test_the_star_of_a_query_is_no_chunk() -> None:
    view = explore_map(VECTORS, query=VECTORS[0])
    assert view.select(range(8)).selection == list(range(8))


def test_the_bundle_holds_widget_plotly_and_svg(monkeypatch: pytest.MonkeyPatch) -> None:
    import plotly.io

    monkeypatch.setattr(plotly.io.renderers, "default", "plotly_mimetype")
    bundle = set(explore_map(VECTORS)._repr_mimebundle_())
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert {"application/vnd.plotly.v1+json", "image/svg+xml"} <= bundle


def test_without_anywidget_there_is_a_figure_and_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(map_selection, "find_spec", lambda name: None if name == "anywidget" else real(name))
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.warns(PsiragWarning, match="pip install anywidget"):
        view = explore_map(VECTORS)
    assert type(view.figure).__name__ == "Figure"
    assert view.select([3]).selection == [3]
    assert "application/vnd.jupyter.widget-view+json" not in view._repr_mimebundle_()

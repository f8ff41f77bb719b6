"""A picture as data: marks, labels and ranges, from which both the live figure and the static SVG are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from psirag.checks import check_type
from psirag.views.hover import fitted
from psirag.views.palette import INK

TITLE_SIZE = 16.0  # pixels, the larger of the live and the static one
RIM_FROM = 6.0  # points of this diameter and more get a thin white rim, which keeps neighbours apart

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Marks:
    """One kind of mark: lines or areas broken at NaN, or points; `size` is a width or a diameter in pixels.

    `values` colours points by a number between `Drawing.value_range`, and then `colour` is not used. `emphasis` puts a
    dark outline around some of the points. `hover` holds boxes already made safe by `psirag.views.hover`.
    """

    kind: Literal["line", "area", "points"]
    x: FloatArray
    y: FloatArray
    name: str
    colour: str | tuple[str, ...] = INK
    size: float | FloatArray = 6.0
    symbol: str | tuple[str, ...] = "circle"
    opacity: float = 1.0
    dash: bool = False
    values: FloatArray | None = None
    emphasis: npt.NDArray[np.bool_] | None = None
    hover: tuple[str, ...] = ()
    ids: IntArray | None = None
    legend: bool = True


@dataclass(frozen=True, kw_only=True)
class Label:
    """A short text at a point, in data units, shifted by pixels (up is positive) and turned by degrees clockwise."""

    x: float
    y: float
    text: str
    size: float = 11.0
    colour: str = INK
    angle: float = 0.0
    anchor: Literal["left", "center", "right"] = "center"
    shift: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """One panel: what is drawn, between which limits, in how many pixels, with `margin` (left, right, top, bottom).

    A title wider than the panel is cut with an ellipsis.
    """

    title: str
    marks: tuple[Marks, ...]
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    labels: tuple[Label, ...] = ()
    rings: tuple[float, ...] = ()
    equal: bool = True
    framed: bool = False
    width: int = 760
    height: int = 640
    margin: tuple[int, int, int, int] = (20, 20, 60, 60)
    value_range: tuple[float, float] | None = None
    value_title: str = ""

    def __post_init__(self) -> None:
        """Cut the title to the panel's width."""
        object.__setattr__(self, "title", fitted(check_type("title", self.title, str), self.width - 24, TITLE_SIZE))

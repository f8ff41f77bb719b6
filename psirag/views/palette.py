"""Colours and shapes of every picture: Okabe and Ito's colours, each with a shape of its own for print in grey."""

from __future__ import annotations

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILION, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"

INK, SOFT, FAINT = "#22303C", "#8A97A3", "#E3E8EC"

CLASS_STYLES = (
    (BLUE, "circle"),
    (ORANGE, "square"),
    (GREEN, "diamond"),
    (PURPLE, "triangle-up"),
    (SKY, "triangle-down"),
    (VERMILION, "cross"),
    (BLACK, "x"),
)
OTHER_STYLE = (SOFT, "circle")

SCALE = ("#DCE9F5", "#B5D1EA", "#7FB2DB", "#4990C7", "#1F6DB0", "#0B4A8A", "#08305F")


def scale_colour(share: float) -> str:
    """Return the colour at `share` of the way from pale (0) to dark (1); darker is higher, in print too.

    Source: Okabe and Ito, Color Universal Design (2008), for the classes; the scale is a single hue, ours.

    Examples
    --------
    >>> scale_colour(0.0), scale_colour(1.0)
    ('#DCE9F5', '#08305F')
    """
    place = min(max(share, 0.0), 1.0) * (len(SCALE) - 1)
    low = min(int(place), len(SCALE) - 2)
    part = place - low
    ends = [[int(SCALE[i][c : c + 2], 16) for c in (1, 3, 5)] for i in (low, low + 1)]
    return "#" + "".join(f"{round(a + part * (b - a)):02X}" for a, b in zip(*ends, strict=True))


def class_styles(names: list[str], room: int) -> dict[str, tuple[str, str]]:
    """Return colour and shape of at most `room` groups, in the order given; the classes beyond share the last.

    Examples
    --------
    >>> class_styles(["sport", "business"], room=4)
    {'sport': ('#0072B2', 'circle'), 'business': ('#E69F00', 'square')}
    """
    room = max(1, min(room, len(CLASS_STYLES)))
    if len(names) <= room:
        return dict(zip(names, CLASS_STYLES, strict=False))
    return {name: CLASS_STYLES[i] if i < room - 1 else OTHER_STYLE for i, name in enumerate(names)}

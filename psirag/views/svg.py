"""The static form of a picture: an SVG string built from the drawing's arrays, without a browser."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np

from psirag.views.drawing import RIM_FROM, Drawing, FloatArray, Label, Marks
from psirag.views.hover import plain_text, text_width
from psirag.views.palette import FAINT, INK, SCALE, scale_colour

MAX_PIECES = 5_000
_LEGEND = 13  # pixels
_MAX_RIMS = 500
_FONT = "font-family=\"Arial,Helvetica,'Liberation Sans',sans-serif\""
# Corners of each shape for a diameter of 1, y down; the circle is a dot with a round cap.
_CORNERS = {
    "square": ((-0.45, -0.45), (0.45, -0.45), (0.45, 0.45), (-0.45, 0.45)),
    "diamond": ((0, -0.65), (0.65, 0), (0, 0.65), (-0.65, 0)),
    "triangle-up": ((0, -0.6), (0.6, 0.5), (-0.6, 0.5)),
    "triangle-down": ((0, 0.6), (0.6, -0.5), (-0.6, -0.5)),
    "cross": tuple((x / 2, y / 2) for x, y in
                   ((-1, -0.4), (-0.4, -0.4), (-0.4, -1), (0.4, -1), (0.4, -0.4), (1, -0.4),
                    (1, 0.4), (0.4, 0.4), (0.4, 1), (-0.4, 1), (-0.4, 0.4), (-1, 0.4))),
    "x": ((-0.5, -0.25), (-0.25, -0.5), (0, -0.25), (0.25, -0.5), (0.5, -0.25), (0.25, 0),
          (0.5, 0.25), (0.25, 0.5), (0, 0.25), (-0.25, 0.5), (-0.5, 0.25), (-0.25, 0)),
    "star": tuple((r * np.sin(a), -r * np.cos(a)) for r, a in
                  zip((0.75, 0.32) * 5, np.arange(10) * np.pi / 5, strict=True)),
}  # fmt: skip


def draw_svg(drawings: Sequence[Drawing], *, title: str = "", columns: int = 2) -> str:
    """Return one SVG document with the panels side by side and the legend below.

    Beyond 5,000 pieces the picture is thinned evenly, the outer ring first, to stay small in a committed notebook.

    Parameters
    ----------
    drawings : sequence of Drawing
        The panels.
    title : str, default ""
        Written above all panels; shown as written.
    columns : int, default 2
        Panels in a row.

    Returns
    -------
    str
        A complete ``<svg>`` element.

    Source: ours.

    Examples
    --------
    >>> import numpy as np
    >>> dots = Marks(kind="points", x=np.array([0.0, 1.0]), y=np.array([0.0, 1.0]), name="a & b")
    >>> draw_svg([Drawing(title="two", marks=(dots,), x_range=(0, 1), y_range=(0, 1))])[:45]
    '<svg xmlns="http://www.w3.org/2000/svg" viewB'
    """
    columns = max(1, min(columns, len(drawings)))
    width = max(d.width for d in drawings)
    height = max(d.height for d in drawings)
    rows = -(-len(drawings) // columns)
    top = 34 if title else 0
    legend, legend_height = _legend(drawings, width * columns)
    total = (width * columns, top + height * rows + legend_height)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total[0]} {total[1]}" width="{total[0]}" '
        f'height="{total[1]}" {_FONT} fill="{INK}" stroke-linejoin="round">',
        f'<rect width="{total[0]}" height="{total[1]}" fill="#fff"/>',
    ]
    if title:
        parts.append(_words(total[0] / 2, 24, title, size=16, anchor="middle"))
    for i, drawing in enumerate(drawings):
        place = f"{width * (i % columns)} {top + height * (i // columns)}"
        parts += [f'<g transform="translate({place})">', *_panel(drawing, MAX_PIECES // len(drawings)), "</g>"]
    parts += [f'<g transform="translate(0 {top + height * rows})">', *legend, "</g>", "</svg>"]
    return "\n".join(parts)


def _panel(drawing: Drawing, budget: int) -> list[str]:
    """Return the elements of one panel."""
    to_pixels = _Pixels(drawing)
    heavy = sum(int(np.isnan(m.x).sum()) if m.kind == "line" else len(m.x) for m in drawing.marks) > budget
    parts = []
    if drawing.title:
        parts.append(_words(drawing.width / 2, 24, drawing.title, size=14, anchor="middle"))
    for ring in drawing.rings:
        x, y = to_pixels.x(np.zeros(1))[0], to_pixels.y(np.zeros(1))[0]
        radius = ring * to_pixels.x_scale
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="none" stroke="{FAINT}"/>')
    if drawing.framed:
        left, right, upper, lower = drawing.margin
        box = f'width="{drawing.width - left - right}" height="{drawing.height - upper - lower}"'
        parts.append(f'<rect x="{left}" y="{upper}" {box} fill="none" stroke="{FAINT}"/>')
    for marks in drawing.marks:
        x, y = to_pixels.x(marks.x), to_pixels.y(marks.y)
        if marks.kind == "points":
            parts += _points(marks, x, y, drawing, budget // 2 if heavy else len(x))
        else:
            parts.append(_lines(marks, x, y, budget // 2 if heavy else len(x)))
    parts += [_label(label, to_pixels) for label in drawing.labels]
    if drawing.value_range:
        parts += _colour_bar(drawing)
    return parts


class _Pixels:
    """From data units to pixels of a panel, y pointing down."""

    def __init__(self, drawing: Drawing) -> None:
        left, right, top, bottom = drawing.margin
        room = drawing.width - left - right, drawing.height - top - bottom
        self.x_scale = room[0] / (drawing.x_range[1] - drawing.x_range[0])
        self.y_scale = room[1] / (drawing.y_range[1] - drawing.y_range[0])
        if drawing.equal:
            self.x_scale = self.y_scale = min(self.x_scale, self.y_scale)
        self.middle = left + room[0] / 2, top + room[1] / 2
        self.centre = sum(drawing.x_range) / 2, sum(drawing.y_range) / 2

    def x(self, values: FloatArray) -> FloatArray:
        """Return pixels from the left."""
        return self.middle[0] + (values - self.centre[0]) * self.x_scale

    def y(self, values: FloatArray) -> FloatArray:
        """Return pixels from the top."""
        return self.middle[1] - (values - self.centre[1]) * self.y_scale


def _lines(marks: Marks, x: FloatArray, y: FloatArray, budget: int) -> str:
    """Return one path through all pieces; when there are too many, every so many of the first are kept."""
    ends = np.flatnonzero(np.isnan(x))
    pieces = [piece for piece in np.split(np.column_stack([x, y]), ends) if len(piece) > 1]
    if len(pieces) > budget:
        spare = budget // 2
        early = len(pieces) - spare
        pieces = pieces[: early : -(-early // spare)] + pieces[early:]
    path = "".join(_piece(piece[~np.isnan(piece[:, 0])], marks.kind == "area") for piece in pieces)
    if marks.kind == "area":
        return f'<path d="{path}" fill="{marks.colour}" fill-opacity="{marks.opacity:g}"/>'
    dash = ' stroke-dasharray="4 3"' if marks.dash else ""
    opacity = f' stroke-opacity="{marks.opacity:g}"' if marks.opacity < 1 else ""
    return f'<path d="{path}" fill="none" stroke="{marks.colour}" stroke-width="{marks.size:g}"{opacity}{dash}/>'


def _piece(points: FloatArray, closed: bool) -> str:
    """Return one unbroken line in path commands."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + ("Z" if closed else "")


def _points(marks: Marks, x: FloatArray, y: FloatArray, drawing: Drawing, budget: int) -> list[str]:
    """Return one path per look (colour, shape, size, outline), however many points share it."""
    colours = _colours(marks, drawing)
    symbols = _spread(marks.symbol, len(x))
    sizes = np.broadcast_to(np.asarray(marks.size, dtype=np.float64), x.shape)
    outlined = np.zeros(len(x), dtype=bool) if marks.emphasis is None else marks.emphasis
    keep = np.ones(len(x), dtype=bool)
    if len(x) > budget:
        keep[:] = outlined
        keep[:: -(-len(x) // budget)] = True
    looks: dict[tuple[bool, str, str, float], list[str]] = {}
    for i in np.flatnonzero(keep):
        look = (bool(outlined[i]), colours[i], symbols[i], round(float(sizes[i]), 1))
        looks.setdefault(look, []).append(_shape(symbols[i], x[i], y[i], sizes[i]))
    return [_look(look, shapes, marks.opacity) for look, shapes in sorted(looks.items())]


def _colours(marks: Marks, drawing: Drawing) -> list[str]:
    """Return one colour per point."""
    if marks.values is None or not drawing.value_range:
        return _spread(marks.colour, len(marks.x))
    low, high = drawing.value_range
    return [scale_colour((v - low) / (high - low) if high > low else 1.0) for v in marks.values]


def _spread(value: str | tuple[str, ...], n: int) -> list[str]:
    """Return one string per point."""
    return [value] * n if isinstance(value, str) else list(value)


def _shape(symbol: str, x: float, y: float, size: float) -> str:
    """Return one point in path commands."""
    corners = _CORNERS.get(symbol)
    if corners is None:
        return f"M{x:.1f} {y:.1f}h0"
    return "M" + "L".join(f"{x + a * size:.1f} {y + b * size:.1f}" for a, b in corners) + "Z"


def _look(look: tuple[bool, str, str, float], shapes: list[str], opacity: float) -> str:
    """Return the path element of the points that share one look; a white rim where they are few and large."""
    outlined, colour, symbol, size = look
    path, rimmed = "".join(shapes), size >= RIM_FROM and len(shapes) <= _MAX_RIMS
    fade = f' opacity="{opacity:g}"' if opacity < 1 else ""
    if symbol not in _CORNERS:
        dot = f'<path d="{path}" stroke-linecap="round" stroke="{{}}" stroke-width="{{:g}}"{fade}/>'
        rim = [(INK, size + 3)] if outlined else [("#fff", size + 1)] if rimmed else []
        inner = [("#fff", max(size - 2.4, 0.8))] if symbol == "circle-open" else []
        return "".join(dot.format(*layer) for layer in [*rim, (colour, size), *inner])
    rim_colour, rim_width = (INK, 1.6) if outlined else ("#fff", 0.6)
    stroke = f' stroke="{rim_colour}" stroke-width="{rim_width}"' if outlined or rimmed else ""
    return f'<path d="{path}" fill="{colour}"{stroke}{fade}/>'


def _label(label: Label, to_pixels: _Pixels) -> str:
    """Return one label."""
    x = to_pixels.x(np.array([label.x]))[0] + label.shift[0]
    y = to_pixels.y(np.array([label.y]))[0] - label.shift[1]
    anchor = {"left": "start", "center": "middle", "right": "end"}[label.anchor]
    turn = f' transform="rotate({label.angle:.1f} {x:.1f} {y:.1f})"' if label.angle else ""
    return _words(x, y + 0.35 * label.size, label.text, size=label.size, anchor=anchor, colour=label.colour, more=turn)


def _words(x: float, y: float, text: str, *, size: float, anchor: str, colour: str = INK, more: str = "") -> str:
    """Return a text element; what somebody wrote is escaped."""
    shown = html.escape(plain_text(text), quote=True)
    fill = "" if colour == INK else f' fill="{colour}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" text-anchor="{anchor}"{fill}{more}>{shown}</text>'


def _legend(drawings: Sequence[Drawing], width: float) -> tuple[list[str], int]:
    """Return the legend, each name once, in rows of the given width, and its height."""
    entries: dict[str, tuple[Marks, Drawing]] = {}
    for panel in drawings:
        for marks in panel.marks:
            if marks.legend and len(marks.x):
                entries.setdefault(marks.name, (marks, panel))
    rooms = {name: 40 + text_width(plain_text(name), _LEGEND) for name in entries}
    fewest = len(_legend_rows(rooms, width - 40))
    limits = [*range(0, int(width) - 40, 10), width - 40]
    rows = next(rows for limit in limits if len(rows := _legend_rows(rooms, limit)) == fewest)  # of about one length
    parts = []
    for row, names in enumerate(rows):
        x, y = (width - sum(rooms[name] for name in names)) / 2 + 12, 12 + 22 * row
        for name in names:
            parts += [_key(*entries[name], x, y), _words(x + 14, y + 4, name, size=_LEGEND, anchor="start")]
            x += rooms[name]
    return parts, 22 * len(rows) + 8 if entries else 0


def _legend_rows(rooms: dict[str, float], limit: float) -> list[list[str]]:
    """Return the names in rows no longer than the limit, or of one name."""
    rows: list[list[str]] = [[]]
    for name, room in rooms.items():
        if rows[-1] and sum(rooms[other] for other in rows[-1]) + room > limit:
            rows.append([])
        rows[-1].append(name)
    return rows


def _key(marks: Marks, drawing: Drawing, x: float, y: float) -> str:
    """Return the small sample before a legend's name: the first point's colour and shape, neither tiny nor huge."""
    colour = _colours(marks, drawing)[0]
    if marks.kind == "area":
        box = f'<rect x="{x - 6:.1f}" y="{y - 5:.1f}" width="14" height="10" '
        return f'{box}fill="{colour}" fill-opacity="{marks.opacity:g}"/>'
    if marks.kind == "line":
        width = max(float(np.max(marks.size)), 1.2)
        return f'<path d="M{x - 7:.1f} {y:.1f}h15" stroke="{colour}" stroke-width="{width:g}"/>'
    size = float(np.clip(np.median(marks.size), 7.0, 13.0))
    outlined = marks.emphasis is not None and bool(marks.emphasis.all())
    symbol = _spread(marks.symbol, 1)[0]
    return _look((outlined, colour, symbol, size), [_shape(symbol, x, y, size)], marks.opacity)


def _colour_bar(drawing: Drawing) -> list[str]:
    """Return a horizontal bar of the colour scale with its two ends, below the panel."""
    low, high = (round(end, 2) + 0.0 for end in drawing.value_range or (0.0, 1.0))  # + 0.0: no −0.00
    y, step = drawing.height - 26, 24
    left = drawing.width / 2 - step * len(SCALE) / 2
    parts = [
        f'<rect x="{left + i * step:.1f}" y="{y}" width="{step}" height="9" fill="{c}"/>' for i, c in enumerate(SCALE)
    ]
    right = left + step * len(SCALE)
    parts.append(_words(left - 8, y + 9, f"{low:.2f}", size=13, anchor="end"))
    parts.append(_words(right + 8, y + 9, f"{high:.2f}  {drawing.value_title}", size=13, anchor="start"))
    return parts

"""The embedding map as a figure: chunks as points by class, their text on hover, a query among its nearest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from psirag.errors import PsiragError
from psirag.tree.marking import node_flags
from psirag.vectors import as_array, unit_rows
from psirag.views.drawing import Drawing, FloatArray, Label, Marks
from psirag.views.embedding_layout import embedding_map_layout, nearest_rows, place_query
from psirag.views.figure import draw_figure
from psirag.views.hover import hover_box, plain_text, text_width
from psirag.views.node_arguments import sized_texts
from psirag.views.palette import INK, SKY, VERMILION, class_styles

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from psirag.index import Index

_MAX_CLASSES = 7
_LINKS = 5  # at most a third of the chunks, where more would tie the query to nearly everything
_MAX_LABELS = 24
_HEIGHT = 560


def embedding_map(
    vectors: npt.ArrayLike | Index,
    *,
    texts: Sequence[str] | None = None,
    classes: Sequence[str] | None = None,
    query: Any = None,
    highlight: Sequence[int] = (),
    layout: npt.ArrayLike | None = None,
    seed: int = 0,
    title: str = "",
) -> Figure:
    """Draw the chunks as points, by class, with their text on hover, and a query among them.

    Parameters
    ----------
    vectors : array_like, shape (n, d), or Index
        An index brings its chunks' vectors and texts.
    texts, classes : sequence of str, length n, optional
        Shown on hover, as written, cut to 200 characters; and for colour and shape, at most 7 of them.
    query : array_like, shape (d,), or str, optional
        A query's vector, or with an index its words: drawn as a star, with lines to its 5 most similar chunks,
        or to a third of fewer than 15.
    highlight : sequence of int
        Chunks to outline.
    layout : array_like, shape (n, 2), optional
        A map made before; computed by `embedding_map_layout` when there is none.
    seed : int, default 0
        Seeds UMAP.
    title : str
        Shown as written.

    Returns
    -------
    plotly.graph_objects.Figure
        With `.svg`; the ids in its hover data are chunk numbers.

    Raises
    ------
    PsiragError
        Lengths or shapes that do not fit; a query in words without an index.

    Source: Ψ-RAG §4.2, Figure 4.

    Examples
    --------
    >>> figure = embedding_map([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], classes=["a", "b", "b"])
    >>> [trace.name for trace in figure.data]
    ['b', 'a']
    """
    return draw_figure([map_drawing(vectors, texts, classes, query, highlight, layout, seed, title)])


def map_drawing(
    source: Any, texts: Any, classes: Any, query: Any, highlight: Any, layout: Any, seed: int, title: str
) -> Drawing:
    """Return the map as data; `embedding_map` says what the arguments are."""
    rows, texts, asked = _opened(source, texts, query)
    n = len(rows)
    places = embedding_map_layout(rows, seed=seed) if layout is None else as_array(layout)
    if places.shape != (n, 2) or places.dtype.kind not in "fiu" or not np.isfinite(places).all():
        raise PsiragError(f"layout must be finite, of shape ({n}, 2)", f"shape {places.shape}", "Make it anew.")
    shown, kinds = sized_texts("texts", texts, (n,)), sized_texts("classes", classes, (n,))
    chunks = _chunk_marks(places, shown, kinds, node_flags("highlight", highlight, n))
    links, star, labels = _query_marks(places, rows, asked) if asked else ([], [], ())
    low, high = places.min(axis=0), places.max(axis=0)
    room = np.maximum((0.14 if len(shown) <= _MAX_LABELS else 0.06) * (high - low), 0.08)
    return Drawing(
        title=title,
        marks=(*links, *chunks, *star),
        labels=(*labels, *_chunk_labels(places, shown)),
        framed=True,
        x_range=(float(low[0] - room[0]), float(high[0] + room[0])),
        y_range=(float(low[1] - room[1]), float(high[1] + room[1])),
        height=_HEIGHT,
        margin=(16, 16, 56 if title else 20, 64),
    )


def _opened(source: Any, texts: Any, query: Any) -> tuple[npt.NDArray[np.float32], Any, tuple[Any, str] | None]:
    """Return vectors, texts, and the query as vector and words, from an index or from arrays."""
    is_index = hasattr(source, "tree") and hasattr(source, "chunks")
    rows = unit_rows(source.vectors[: source.tree.n_leaves] if is_index else source)
    if is_index and texts is None:
        texts = source.chunks.indexed_texts
    if query is None:
        return rows, texts, None
    if not isinstance(query, str):
        return rows, texts, (query, "query")
    if not is_index:
        raise PsiragError("a query in words needs an index", "vectors and a str", "Pass the query's vector instead.")
    return rows, texts, (source.encoder.encode_queries([query])[0], query)


def _point_size(n: int) -> float:
    """Return a diameter at which a crowd of n points stays readable."""
    return float(np.clip(120 / np.sqrt(n), 3.5, 11.0))


def _chunk_marks(places: FloatArray, texts: tuple[str, ...], classes: tuple[str, ...], lit: Any) -> list[Marks]:
    """Return the chunks, one group per class, the largest class first and so lowest."""
    n, marks = len(places), []
    kinds = np.array(classes or ("chunk",) * n)
    names, counts = np.unique(kinds, return_counts=True)
    listed = names[np.argsort(-counts, kind="stable")].tolist()
    styles = class_styles(listed, _MAX_CLASSES) if classes else {"chunk": (SKY, "circle")}
    for i, (name, (colour, symbol)) in enumerate(styles.items()):
        last = len(listed) > _MAX_CLASSES and i == _MAX_CLASSES - 1
        members = np.flatnonzero(np.isin(kinds, listed[i:]) if last else kinds == name)
        size = _point_size(n)
        marks.append(
            Marks(
                kind="points",
                x=places[members, 0],
                y=places[members, 1],
                name=f"{len(listed) - i} more classes" if last else plain_text(name, 40) or "(no name)",
                colour=colour,
                symbol=symbol,
                opacity=0.9 if n < 400 else 0.75,
                size=np.where(lit[members], size + 5, size) if lit[members].any() else size,
                emphasis=lit[members],
                hover=tuple(_box(int(chunk), texts, classes) for chunk in members),
                ids=members,
                legend=bool(classes),
            )
        )
        if last:
            break
    return marks


def _chunk_labels(places: FloatArray, texts: tuple[str, ...]) -> tuple[Label, ...]:
    """Return the beginnings of the texts, when there are few: below their points, or where no other label is."""
    if len(texts) > _MAX_LABELS:
        return ()
    pixels = _HEIGHT * 0.7 / max(float(np.ptp(places, axis=0).max()), 0.1)
    labels: list[Label] = []
    taken: list[tuple[float, float, float]] = []
    for (x, y), text in zip(places.tolist(), texts, strict=False):
        name = plain_text(text.partition("\n")[0], 22)
        half = text_width(name, 10.5) / 2
        boxes = {up: (x * pixels, y * pixels + up, half) for up in (-15, 15, -28, 28)}
        up = next((up for up, box in boxes.items() if _is_free(box, taken)), -15)
        taken.append(boxes[up])
        labels.append(Label(x=x, y=y, text=name, size=10.5, shift=(0, up)))
    return tuple(labels)


def _is_free(box: tuple[float, float, float], taken: list[tuple[float, float, float]]) -> bool:
    """Return whether a label, given by its middle and half its width in pixels, meets none that is there already."""
    x, y, half = box
    return all(abs(x - left) >= half + reach or abs(y - down) >= 12 for left, down, reach in taken)


def _box(chunk: int, texts: tuple[str, ...], classes: tuple[str, ...]) -> str:
    """Return one chunk's hover box."""
    head = f"chunk {chunk} · {plain_text(classes[chunk], 40)}" if classes else f"chunk {chunk}"
    return hover_box(head, texts[chunk] if texts else "")


def _query_marks(
    places: FloatArray, rows: npt.NDArray[np.float32], asked: tuple[Any, str]
) -> tuple[list[Marks], list[Marks], tuple[Label, ...]]:
    """Return lines from the query to its nearest chunks, a star, and the query's words."""
    vector, words = asked
    x, y = place_query(places, rows, vector)
    n_links = min(_LINKS, -(-len(rows) // 3))
    near, cosine = nearest_rows(rows, unit_rows(np.atleast_2d(vector), what="query")[0], n_links)
    gap = np.full(len(near), np.nan)
    lines_x = np.column_stack([np.full(len(near), x), places[near, 0], gap]).ravel()
    lines_y = np.column_stack([np.full(len(near), y), places[near, 1], gap]).ravel()
    links = Marks(kind="line", x=lines_x, y=lines_y, name="most similar", colour=VERMILION, size=1.4, dash=True)
    listed = ", ".join(f"{chunk} ({score:.2f})" for chunk, score in zip(near.tolist(), cosine, strict=True))
    star = Marks(
        kind="points",
        x=np.array([x]),
        y=np.array([y]),
        name="query",
        colour=VERMILION,
        symbol="star",
        size=17.0,
        emphasis=np.ones(1, dtype=bool),
        hover=(hover_box(f"nearest: {listed}", words),),
    )
    label = Label(x=float(x), y=float(y), text=plain_text(words, 48), size=12, colour=INK, shift=(0, 17))
    return [links], [star], (label,)

"""Places in the plane for vectors, near each other when they point the same way, and a place for a query among them."""

from __future__ import annotations

import hashlib
import warnings

import numpy as np
import numpy.typing as npt

from psirag.checks import check_count
from psirag.errors import PsiragError, PsiragWarning
from psirag.optional import installed_version
from psirag.vectors import as_array, unit_rows
from psirag.views.drawing import FloatArray, IntArray
from psirag.views.hover import plain_text

UMAP_FROM = 12
_KNOWN: dict[tuple[str, int, int], FloatArray] = {}
_KNOWN_LIMIT = 16


def embedding_map_layout(vectors: npt.ArrayLike, *, seed: int = 0, neighbours: int = 15) -> FloatArray:
    """Place vectors in the plane by UMAP on cosine; fewer than 12 different ones by principal components.

    The same vectors, in any order, get the same places at every call. Equal vectors share a place; different ones never
    do. The map is centred, and its farthest point is at distance 1.

    Parameters
    ----------
    vectors : array_like, shape (n, d)
        Finite rows, n ≥ 1.
    seed : int, default 0
        Seeds UMAP.
    neighbours : int, default 15
        Neighbours that UMAP looks at; fewer when there are fewer points.

    Returns
    -------
    ndarray, shape (n, 2), float64
        Read-only places.

    Raises
    ------
    PsiragError
        No vectors, not a matrix, or NaN.

    Warns
    -----
    PsiragWarning
        UMAP cannot be loaded or run; the map is drawn by principal components, and the message names the versions.

    Source: McInnes, Healy and Melville, UMAP (2018), doi:10.21105/joss.00861; Ψ-RAG §4.2, Figure 4.

    Examples
    --------
    >>> embedding_map_layout([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]).shape
    (3, 2)
    """
    rows, raw = unit_rows(vectors), np.asarray(vectors, dtype=np.float64)
    if len(rows) == 0:
        raise PsiragError("a map needs at least one vector", f"shape {rows.shape}", "Add a chunk.")
    seed, neighbours = (
        check_count("seed", seed, minimum=0, maximum=2**32 - 1),
        check_count("neighbours", neighbours, minimum=2),
    )
    digest = hashlib.sha256(repr(raw.shape).encode() + raw.tobytes()).hexdigest()
    key = (digest, seed, neighbours)
    if key not in _KNOWN:
        while len(_KNOWN) >= _KNOWN_LIMIT:
            del _KNOWN[next(iter(_KNOWN))]
        _KNOWN[key] = _place(rows, raw, seed, neighbours)
    return _KNOWN[key]


def _place(rows: npt.NDArray[np.float32], raw: FloatArray, seed: int, neighbours: int) -> FloatArray:
    """Return the places of unit rows: each different row once, then apart from all others, then to a common size."""
    _, one_each, which = np.unique(raw, axis=0, return_index=True, return_inverse=True)
    different, places = rows[one_each], None
    if len(different) >= UMAP_FROM:
        places = _by_umap(different, seed, min(neighbours, len(different) - 1))
    if places is None:
        places = _by_principal_components(different)
    places = places - places.mean(axis=0)
    size = float(np.sqrt((places**2).sum(axis=1).max()))
    spread = _apart(places / size if size > 0 else places)[which.ravel()]
    spread.flags.writeable = False
    return spread


def _by_umap(rows: npt.NDArray[np.float32], seed: int, neighbours: int) -> FloatArray | None:
    """Return UMAP's places, or None after one notice when UMAP cannot be loaded or does not fit its scikit-learn."""
    try:
        with warnings.catch_warnings(action="ignore"):
            from umap import UMAP

            start = "pca" if rows.shape[1] > 1 else "random"  # UMAP's spectral start does not follow the seed
            settings = {"metric": "cosine", "n_neighbors": neighbours, "random_state": seed, "n_jobs": 1, "init": start}
            places: FloatArray = UMAP(n_components=2, **settings).fit_transform(rows).astype(np.float64)
    except (ImportError, AttributeError, TypeError, RuntimeError, OSError) as problem:
        both = " and ".join(f"{name} {installed_version(name)}" for name in ("umap-learn", "scikit-learn"))
        told = f"{type(problem).__name__}: {plain_text(str(problem), 120)}"
        message = f"UMAP cannot be used with {both} ({told}): the map is drawn by principal components"
        warnings.warn(message, PsiragWarning, stacklevel=4)
        return None
    return _by_principal_components(places) if np.isfinite(places).all() else None  # turned to lie along the page


def _by_principal_components(rows: npt.NDArray[np.float32] | FloatArray) -> FloatArray:
    """Return the first two principal components, each turned so that its largest loading is positive."""
    centred = rows.astype(np.float64) - rows.mean(axis=0, dtype=np.float64)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    axes = axes[:2] * np.sign(axes[np.arange(len(axes[:2])), np.abs(axes[:2]).argmax(axis=1)])[:, None]
    places = centred @ axes.T
    return np.pad(places, ((0, 0), (0, 2 - places.shape[1])))


def _apart(places: FloatArray) -> FloatArray:
    """Return the places with points that fell on one spot set on a small circle around it."""
    _, spot, count = np.unique(places.round(9), axis=0, return_inverse=True, return_counts=True)
    spot = spot.ravel()
    order = np.argsort(spot, kind="stable")
    rank = np.empty(len(places), dtype=np.int64)
    rank[order] = np.arange(len(places)) - np.repeat(np.cumsum(count) - count, count)
    turn = 2 * np.pi * rank / count[spot]
    shift = np.where(count[spot] > 1, 0.004, 0.0)
    moved: FloatArray = places + shift[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])
    return moved


def place_query(
    layout: npt.ArrayLike, vectors: npt.ArrayLike, query_vector: npt.ArrayLike, *, neighbours: int = 8
) -> FloatArray:
    """Place a query on a finished map, between its most similar chunks; no chunk moves.

    The place is Σ w_i p_i ÷ Σ w_i over the nearest chunks, with w_i = 1 ÷ (1 − cosine_i)².

    Parameters
    ----------
    layout : array_like, shape (n, 2)
        The map.
    vectors : array_like, shape (n, d)
        The chunks' vectors.
    query_vector : array_like, shape (d,)
        The query's vector.
    neighbours : int, default 8
        Chunks that pull on the query.

    Returns
    -------
    ndarray, shape (2,), float64

    Raises
    ------
    PsiragError
        Shapes that do not fit, or NaN.

    Source: ours.

    Examples
    --------
    >>> place_query([[0.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], [1.0, 1.0]).round(6).tolist()
    [0.5, 0.0]
    """
    places, rows = as_array(layout), unit_rows(vectors)
    query = unit_rows(np.atleast_2d(as_array(query_vector)), what="query_vector")
    if places.dtype.kind not in "fiu" or places.shape != (len(rows), 2) or query.shape != (1, rows.shape[1]):
        given = f"shapes {places.shape}, {rows.shape} and {np.shape(query_vector)}"
        raise PsiragError("place_query needs (n, 2) places, (n, d) vectors and a (d,) query", given, "Pass one query.")
    nearest, cosine = nearest_rows(rows, query[0], check_count("neighbours", neighbours))
    weight = 1.0 / np.maximum(1.0 - cosine, 1e-7) ** 2
    middle: FloatArray = weight @ places[nearest] / weight.sum()
    return middle


def nearest_rows(rows: npt.NDArray[np.float32], query: npt.NDArray[np.float32], k: int) -> tuple[IntArray, FloatArray]:
    """Return the most similar rows and their cosines, ties by number."""
    cosine = (rows @ query).astype(np.float64)
    nearest = np.argsort(-cosine, kind="stable")[:k]
    return nearest, cosine[nearest]

"""One clustering as RAPTOR makes it: fewer dimensions by UMAP, then a Gaussian mixture whose size BIC chooses."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from psirag.errors import PsiragError
from psirag.optional import needed
from psirag.vectors import Floats, Vectors

SEARCHES = ("quick", "full")
_SWEEP_ALL_UP_TO = 12
_STEP, _PATIENCE = 3, 3
# Covariance and regularisation, tried in order; the first is what RAPTOR fits.
_FITS = (("full", 1e-6), ("diag", 1e-6), ("spherical", 1e-3))


def reduce_dimensions(rows: Vectors, *, dimensions: int, neighbours: int, seed: int) -> Floats:
    """Return UMAP's coordinates of unit rows under cosine, seeded, on one thread, in float64.

    Parameters
    ----------
    rows : ndarray, shape (n, d), float32
        At least 3 different unit rows.
    dimensions : int
        Lowered to n − 2.
    neighbours : int
        Raised to 2 and lowered to n − 1.

    Returns
    -------
    ndarray, shape (n, min(dimensions, n − 2)), float64
        Centred; principal components where UMAP leaves a point without a place.

    Raises
    ------
    PsiragError
        UMAP is not installed.

    Source: RAPTOR §3 (arXiv:2401.18059); McInnes, Healy and Melville, UMAP (2018), doi:10.21105/joss.00861.
    """
    n = len(rows)
    size = min(dimensions, n - 2)
    with warnings.catch_warnings(action="ignore"):  # UMAP tells that a seed means one thread
        umap = needed("umap", "notebooks", what="gmm_tree")
    settings = {"metric": "cosine", "n_neighbors": min(max(neighbours, 2), n - 1), "random_state": seed, "n_jobs": 1}
    # UMAP's spectral start does not follow the seed: scipy's eigensolver draws new vectors on regular graphs.
    start = "pca" if rows.shape[1] >= size else "random"
    with warnings.catch_warnings(action="ignore"), threadpool_limits(1):  # sums in one order, whatever the machine
        places = umap.UMAP(n_components=size, init=start, **settings).fit_transform(rows).astype(np.float64)
    if not np.isfinite(places).all():
        centred = rows.astype(np.float64) - rows.mean(axis=0, dtype=np.float64)
        left, spread, _ = np.linalg.svd(centred, full_matrices=False)
        places = (left * spread)[:, :size]
    centred = places - places.mean(axis=0)
    return np.asarray(centred, dtype=np.float64)


def mixture_probabilities(points: Floats, *, seed: int, max_clusters: int, search: str) -> Floats:
    """Fit Gaussian mixtures of several sizes and return the memberships of the one with the lowest BIC.

    Parameters
    ----------
    points : ndarray, shape (n, d), float64
    seed : int
        Of every fit.
    max_clusters : int
        Largest number of components tried; at most n − 1.
    search : {"quick", "full"}
        See `best_size`.

    Returns
    -------
    ndarray, shape (n, k), float64
        Rows sum to 1.

    Source: RAPTOR §3 (arXiv:2401.18059).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> two = np.r_[rng.normal(0, 1, (40, 2)), rng.normal(9, 1, (40, 2))]
    >>> mixture_probabilities(two, seed=0, max_clusters=10, search="full").shape
    (80, 2)
    """
    size = best_size(points, seed=seed, max_clusters=max_clusters, search=search)
    with threadpool_limits(1):
        return np.asarray(_fitted(points, size, seed).predict_proba(points), dtype=np.float64)


def best_size(points: Floats, *, seed: int, max_clusters: int, search: str) -> int:
    """Return the number of components with the lowest BIC, the smaller one of equals.

    "full" fits every size from 1 to `max_clusters`. "quick" does so up to 12; beyond, it goes up in steps of 3 until 3
    steps in a row bring nothing better, and then tries the sizes within 2 of the best.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> two = np.r_[rng.normal(0, 1, (40, 2)), rng.normal(9, 1, (40, 2))]
    >>> [best_size(two, seed=0, max_clusters=30, search=search) for search in SEARCHES]
    [2, 2]
    """
    largest = max(1, min(max_clusters, len(points) - 1))
    known: dict[int, float] = {}

    def bic(size: int) -> float:
        if size not in known:
            known[size] = float(_fitted(points, size, seed).bic(points))
        return known[size]

    with threadpool_limits(1):  # fits are so small that threads cost ten times what they save
        return _sweep(bic, largest) if search == "full" or largest <= _SWEEP_ALL_UP_TO else _quick_search(bic, largest)


def _sweep(bic: Callable[[int], float], largest: int) -> int:
    """Return the size with the lowest BIC of all."""
    return min(range(1, largest + 1), key=bic)


def _quick_search(bic: Callable[[int], float], largest: int) -> int:
    """Return the size with the lowest BIC near the best of every third size."""
    best, waited = 1, 0
    for size in range(1, largest + 1, _STEP):
        better = bic(size) < bic(best)
        best, waited = (size, 0) if better else (best, waited + (size > best))
        if waited == _PATIENCE:
            break
    return min(range(max(1, best - _STEP + 1), min(largest, best + _STEP - 1) + 1), key=bic)


def _fitted(points: Floats, size: int, seed: int) -> Any:
    """Return a fitted mixture, with simpler covariances where the points do not carry full ones."""
    from sklearn.mixture import GaussianMixture

    for kind, floor in _FITS:
        model = GaussianMixture(size, covariance_type=kind, reg_covar=floor, random_state=seed)
        try:
            with warnings.catch_warnings(action="ignore"):  # fits of too many components need not converge
                return model.fit(points)
        except ValueError:  # an ill-defined covariance; LinAlgError is one too
            continue
    given = f"{len(points)} points of {points.shape[1]} dimensions"
    raise PsiragError("a mixture needs finite points", given, "Look for rows that are huge.")

"""Reranking: a CrossEncoder, or any object with `predict(pairs)`, scores query and text together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np

from psirag.checks import check_choice
from psirag.errors import PsiragError
from psirag.retrieval.trace import ScoreKind
from psirag.vectors import Floats


@runtime_checkable
class Reranker(Protocol):
    """What `rerank` takes: `predict` returns one number for each (query, text) pair, larger for a better match.

    Notes
    -----
    Source: Ψ-RAG §3.2 (reranking the union of both sides).
    """

    def predict(self, pairs: list[tuple[str, str]], /) -> Any:
        """Return one score a pair."""


def check_reranker(reranker: Any) -> ScoreKind:
    """Check a reranker at the door and say what its scores are.

    Parameters
    ----------
    reranker : object
        A CrossEncoder with one label, or any object with `predict(pairs)`. Its attribute `score_kind`, else a
        CrossEncoder's activation, says whether scores are logits or probabilities; without either: logits.

    Returns
    -------
    str
        "logit" or "probability".

    Raises
    ------
    PsiragError
        No `predict`; more than one label; an unknown `score_kind`.

    Notes
    -----
    Source: sentence-transformers, https://sbert.net/docs/package_reference/cross_encoder.

    Examples
    --------
    >>> class Overlap:
    ...     score_kind = "probability"
    ...     def predict(self, pairs):
    ...         return [float(query in text) for query, text in pairs]
    >>> check_reranker(Overlap())
    'probability'
    """
    if isinstance(reranker, type) or not isinstance(reranker, Reranker):
        remedy = "Pass a sentence_transformers.CrossEncoder, or None for rank fusion."
        raise PsiragError("rerank must have a method predict(pairs)", f"a {type(reranker).__name__}", remedy)
    config = getattr(reranker, "config", None)
    labels = getattr(reranker, "num_labels", getattr(config, "num_labels", 1))
    if labels != 1:
        remedy = "Use a cross-encoder trained to rank (num_labels=1)."
        raise PsiragError("rerank must be a model with one label", f"one with {labels} labels", remedy)
    activation = type(getattr(reranker, "activation_fn", None)).__name__
    kind = getattr(reranker, "score_kind", "probability" if activation == "Sigmoid" else "logit")
    return cast(ScoreKind, check_choice("score_kind of a reranker", kind, ("logit", "probability")))


def rerank_scores(reranker: Reranker, query: str, texts: Sequence[str]) -> Floats:
    """Return a reranker's score for each text; no texts, no call.

    Parameters
    ----------
    reranker : Reranker
    query : str
    texts : sequence of str

    Returns
    -------
    ndarray, shape (len(texts),), float64

    Raises
    ------
    PsiragError
        `predict` does not return one finite number a pair.

    Notes
    -----
    Source: Ψ-RAG §3.2 (reranking the union of both sides).

    Examples
    --------
    >>> class Overlap:
    ...     def predict(self, pairs):
    ...         return [float(query in text) for query, text in pairs]
    >>> rerank_scores(Overlap(), "radium", ["radon", "radium glows"]).tolist()
    [0.0, 1.0]
    """
    if not texts:
        return np.empty(0, dtype=np.float64)
    predicted = reranker.predict([(query, text) for text in texts])
    try:
        scores = np.asarray(predicted, dtype=np.float64)
    except (ValueError, TypeError):  # ragged, or no numbers
        scores = np.empty(0)
    scores = scores[:, 0] if scores.ndim == 2 and scores.shape[1] == 1 else scores
    if scores.shape != (len(texts),) or not np.isfinite(scores).all():
        given = f"an array of shape {scores.shape}" + ("" if np.isfinite(scores).all() else " with NaN or infinity")
        remedy = "Use a cross-encoder with one label."
        raise PsiragError(f"predict must return one finite score for each of {len(texts)} pairs", given, remedy)
    return scores

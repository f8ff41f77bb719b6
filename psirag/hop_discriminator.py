"""The query hop discriminator: how many hops a question needs, guessed from its vector before anything is retrieved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from psirag.checks import check_count, check_each, check_path, check_type
from psirag.corpus import Question
from psirag.encoding import as_encoder
from psirag.errors import PsiragError
from psirag.storage import MANIFEST, fitting, open_folder, write_folder
from psirag.vectors import Floats, Ints, unit_rows

if TYPE_CHECKING:
    import os
    from pathlib import Path

MOST = 4  # questions with more hops count as these
LEAST_RETRIEVALS = 2
WEIGHTS, KIND = "weights.npz", "hop discriminator"
_ARRAYS = ("hidden", "hidden_bias", "output", "output_bias", "hops")


@dataclass(frozen=True, eq=False)
class HopDiscriminator:
    """A two-layer perceptron from a question's vector to its number of hops, 1 to 4.

    Parameters
    ----------
    hidden, hidden_bias : ndarray, shapes (d, h) and (h,), float64
        First layer, followed by the positive part.
    output, output_bias : ndarray, shapes (h, c) and (c,), float64
        Second layer: a score for each number of hops.
    hops : ndarray, shape (c,), int64
        The numbers of hops seen in training, ascending.
    trained_on : tuple of str
        Names of the sets whose questions were learned from.
    encoder : str
        Identity of the encoder of the questions.

    Raises
    ------
    PsiragError
        For arrays whose shapes do not fit together.

    Notes
    -----
    hops(x) = the class of the largest entry of max(0, xW₁ + b₁)W₂ + b₂; the retrievals allowed are max(2, hops).

    Source: Ψ-RAG §E.2.

    Examples
    --------
    >>> made = HopDiscriminator(np.eye(2), np.zeros(2), np.eye(2), np.zeros(2), np.array([1, 3]), ("a",), "")
    >>> made.predict([[1, 0], [0, 1]]).tolist()
    [1, 3]
    """

    hidden: Floats
    hidden_bias: Floats
    output: Floats
    output_bias: Floats
    hops: Ints
    trained_on: tuple[str, ...]
    encoder: str

    def __post_init__(self) -> None:
        for name in _ARRAYS:
            array = np.array(getattr(self, name), dtype=np.int64 if name == "hops" else np.float64)
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        shapes = [getattr(self, name).shape for name in _ARRAYS]
        wide, classes = self.hidden_bias.size, self.hops.size
        if shapes != [(self.hidden.shape[0], wide), (wide,), (wide, classes), (classes,), (classes,)] or classes < 2:
            remedy = "Make it with train_hop_discriminator."
            raise PsiragError("HopDiscriminator's arrays must fit together", f"shapes {shapes}", remedy)

    def predict(self, vectors: npt.ArrayLike) -> Ints:
        """Return the number of hops of each question.

        Parameters
        ----------
        vectors : array_like, shape (n, d)
            What the encoder's `encode_queries` gives.

        Raises
        ------
        PsiragError
            For another number of columns, NaN or infinity.

        Notes
        -----
        Source: Ψ-RAG §E.2.
        """
        rows = unit_rows(np.asarray(vectors, dtype=np.float64), what="the questions' vectors").astype(np.float64)
        if rows.shape[1] != self.hidden.shape[0]:
            asked = f"predict needs rows of {self.hidden.shape[0]} columns"
            raise PsiragError(asked, f"shape {rows.shape}", "Encode the questions with the encoder of the training.")
        scores = np.maximum(rows @ self.hidden + self.hidden_bias, 0) @ self.output + self.output_bias
        found: Ints = self.hops[scores.argmax(axis=1)]
        return found

    def max_retrievals(self, vectors: npt.ArrayLike) -> Ints:
        """Return max(2, hops), the `max_retrievals` of an `Agent` for each question.

        Parameters
        ----------
        vectors : array_like, shape (n, d)
            As for `predict`.

        Notes
        -----
        Source: Ψ-RAG §E.2.
        """
        allowed: Ints = np.maximum(LEAST_RETRIEVALS, self.predict(vectors))
        return allowed

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the weights (.npz without pickle) and a manifest with checksums into a new folder.

        Raises
        ------
        PsiragError
            Something is there already.

        Notes
        -----
        Source: the layout is ours.
        """

        def write_files(at: Path) -> None:
            np.savez(at / WEIGHTS, allow_pickle=False, **{name: getattr(self, name) for name in _ARRAYS})

        about = {"kind": KIND, "trained_on": list(self.trained_on), "encoder": self.encoder}
        write_folder(check_path("folder", folder), write_files, about, overwrite=False)

    @staticmethod
    def load(folder: str | os.PathLike[str]) -> HopDiscriminator:
        """Read what `save` wrote, after checking every byte of it.

        Raises
        ------
        PsiragError
            No saved discriminator, or a file that is missing, altered or of a newer format, by name.

        Notes
        -----
        Source: the layout is ours.
        """
        path, manifest = open_folder(check_path("folder", folder), KIND, required=(WEIGHTS,))
        with fitting(MANIFEST):
            trained_on, encoder = tuple(map(str, manifest["trained_on"])), str(manifest["encoder"])
        with fitting(WEIGHTS), np.load(path / WEIGHTS, allow_pickle=False) as arrays:
            parts = {name: arrays[name] for name in _ARRAYS}
            return HopDiscriminator(**parts, trained_on=trained_on, encoder=encoder)


def train_hop_discriminator(
    sets: Mapping[str, Sequence[Question]],
    *,
    evaluated: str,
    encoder: Any = "auto",
    hidden: int = 128,
    penalty: float = 1.0,
    seed: int = 0,
) -> HopDiscriminator:
    """Learn hops from the questions of other sets than the one that will be evaluated.

    Parameters
    ----------
    sets : mapping of str to sequence of Question
        Questions by the name of their set; those without a number of hops are left out, more than 4 count as 4.
    evaluated : str
        The set that the discriminator is for. It must not be among `sets`, nor another set on the same corpus
        ("atlas" and "atlas-second").
    encoder : str or encoder
        Of the questions: that of the index they will be asked of.
    hidden : int
        Width of the hidden layer.
    penalty : float
        Weight of the squared weights against the questions' loss (`alpha` of scikit-learn).
    seed : int
        Of the first weights and of the order of the questions.

    Raises
    ------
    PsiragError
        `evaluated` is among the sets; fewer than two numbers of hops; wrong types.

    Notes
    -----
    scikit-learn's `MLPClassifier` with one hidden layer, fitted by Adam on one thread. Questions of rarer numbers of
    hops are repeated until each number counts alike.

    Source: Ψ-RAG §E.2 (two layers, trained on other sets' questions; labels are sub-questions or evidence passages).

    Examples
    --------
    >>> from psirag.corpus import load_questions
    >>> sets = {"atlas": load_questions("atlas")}
    >>> train_hop_discriminator(sets, evaluated="newsroom").hops.tolist()
    [1, 2, 3, 4]
    """
    from sklearn.neural_network import MLPClassifier
    from threadpoolctl import threadpool_limits

    questions = _learnable(sets, evaluated)
    hops = np.array([min(question.hops or 1, MOST) for question in questions], dtype=np.int64)
    classes, counts = np.unique(hops, return_counts=True)
    if classes.size < 2:
        given = f"{len(questions)} questions of {classes.tolist()} hops"
        raise PsiragError("A discriminator needs at least two numbers of hops", given, "Add sets of other questions.")
    known = as_encoder(encoder)
    rows = np.concatenate([np.resize(np.flatnonzero(hops == each), counts.max()) for each in classes])
    vectors = np.asarray(known.encode_queries([question.question for question in questions]), dtype=np.float64)
    width, start = check_count("hidden", hidden), check_count("seed", seed, minimum=0)
    settings = {"alpha": _checked(penalty), "learning_rate_init": 0.01, "max_iter": 1000, "random_state": start}
    network = MLPClassifier((width,), **settings)
    with threadpool_limits(1):  # products this small are slower on several threads, and must not depend on them
        network.fit(vectors[rows], hops[rows])
    (first, second), (bias, last) = network.coefs_, network.intercepts_
    if classes.size == 2:  # scikit-learn keeps one score, of the second class against the first
        second, last = np.hstack([np.zeros_like(second), second]), np.append(0.0, last)
    return HopDiscriminator(first, bias, second, last, classes, tuple(sets), known.identity)


def _learnable(sets: Any, evaluated: Any) -> list[Question]:
    """Return the questions with a number of hops, when none of the sets is on the evaluated set's corpus."""
    check_type("evaluated", evaluated, str, "Name the set that will be evaluated.")
    asked = "train_hop_discriminator needs questions by the name of their set"
    if not isinstance(sets, Mapping) or not sets or not all(isinstance(name, str) for name in sets):
        raise PsiragError(asked, f"{sets!r:.80}", 'Pass {"atlas": load_questions("atlas"), …}.')
    same = [name for name in sets if _corpus_of(name) == _corpus_of(evaluated)]
    if same:
        given = f"{', '.join(map(repr, same))}, on the corpus of {evaluated!r}"
        raise PsiragError("A discriminator is trained on other sets than the evaluated one", given, "Leave it out.")
    for name, questions in sets.items():
        check_each(f"{asked}: {name!r}", questions, Question)
    return [question for questions in sets.values() for question in questions if question.hops is not None]


def _corpus_of(name: str) -> str:
    """Return the name that sets on one corpus share, whatever the case."""
    return name.strip().lower().removesuffix("-second")


def _checked(penalty: Any) -> float:
    """Return the penalty as a float above 0."""
    if isinstance(penalty, bool) or not isinstance(penalty, (int, float)) or not 0 < penalty < np.inf:
        raise PsiragError("penalty must be a number above 0", repr(penalty), "Pass 1.0, say.")
    return float(penalty)

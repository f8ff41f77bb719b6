"""The sparse keyword index: BM25 over the leaves, by bm25s."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from psirag.checks import check_count, check_texts
from psirag.errors import PsiragError, PsiragWarning
from psirag.retrieval.keyword_tokens import KeywordTokens
from psirag.retrieval.ranking import best_of_each_query
from psirag.retrieval.trace import Ranking
from psirag.storage import fitting, read_array, read_json
from psirag.vectors import Floats, Ints, Mask

SETTINGS_FILE = "settings.json"
VOCABULARY_FILE = "vocab.index.json"
_ARRAYS = ("data", "indices", "indptr")
BM25S_FILES = (*(f"{name}.csc.index.npy" for name in _ARRAYS), "params.index.json", VOCABULARY_FILE)


@dataclass(frozen=True, eq=False)
class SparseIndex:
    """BM25 scores of texts for queries; only texts that share a token with the query are returned.

    score(q, t) = Σ_w idf(w) · tf(w, t) / (tf(w, t) + 1.5 · (0.25 + 0.75 · |t| / mean |t|)) over the tokens w of q,
    idf(w) = ln(1 + (n − df(w) + 0.5) / (df(w) + 0.5)).

    Parameters
    ----------
    n_texts : int
        Texts indexed.
    tokens : KeywordTokens
        How texts and queries become tokens.
    bm25 : bm25s.BM25 or None
        None where no text has a usable token: an empty side.

    Notes
    -----
    Source: Ψ-RAG §3.2 (sparse keyword index); bm25s, arXiv:2407.03618 (method "lucene").

    Examples
    --------
    >>> sparse = SparseIndex.build(["Marie Curie found radium", "Paris lies on the Seine"])
    >>> found, = sparse.search(["the discovery of radium"], k=5)
    >>> found.nodes.tolist()
    [0]
    """

    n_texts: int
    tokens: KeywordTokens
    bm25: Any | None

    @staticmethod
    def build(texts: Sequence[str]) -> SparseIndex:
        """Index texts by their English stems, and by characters where a script has no spaces.

        Parameters
        ----------
        texts : sequence of str

        Returns
        -------
        SparseIndex
            Empty, with one warning, where no text has a usable token.

        Raises
        ------
        PsiragError
            Not a sequence of str.

        Examples
        --------
        >>> SparseIndex.build(["radium", "radon"]).n_texts
        2
        """
        from bm25s import BM25
        from bm25s.stopwords import STOPWORDS_EN

        texts = check_texts("texts", texts)
        tokens = KeywordTokens("english", tuple(STOPWORDS_EN))
        tokenized = tokens(texts)
        vocabulary = {token: i for i, token in enumerate(dict.fromkeys(t for ts in tokenized for t in ts))}
        if not vocabulary:
            message = f"sparse index: none of {len(texts)} texts has a usable token, so this side returns nothing"
            warnings.warn(message, PsiragWarning, stacklevel=2)
            return SparseIndex(len(texts), tokens, None)
        bm25 = BM25(backend="numpy")
        bm25.index(([[vocabulary[t] for t in ts] for ts in tokenized], vocabulary), show_progress=False)
        return SparseIndex(len(texts), tokens, bm25)

    def search(
        self, queries: Sequence[str], k: int, *, allowed: Mask | None = None, same_text: Ints | None = None
    ) -> list[Ranking]:
        """Return each query's k best texts with a score above 0; ties: the lower number first.

        Parameters
        ----------
        queries : sequence of str
        k : int
        allowed : ndarray, shape (n,), bool, optional
            Texts that may be returned.
        same_text : ndarray, shape (n,), int64, optional
            A group number for every text; of a group only the best is returned.

        Returns
        -------
        list of Ranking
            Empty for a query of only stop words or unknown words.

        Raises
        ------
        PsiragError
            k is no integer of at least 1.

        Examples
        --------
        >>> SparseIndex.build(["radium", "radon"]).search(["of the"], k=1)[0].nodes.tolist()
        []
        """
        k = check_count("k", k)
        rankings = []
        for scores in map(self._scores, self.tokens(queries)):
            node = np.flatnonzero((scores > 0) & (True if allowed is None else allowed))
            best = node[best_of_each_query(np.zeros_like(node), node, scores[node], k, same_text=same_text)]
            rankings.append(Ranking.read_only(best, scores[best]))
        return rankings

    def _scores(self, tokens: list[str]) -> Floats:
        """Return the BM25 score of every text for the tokens of a query."""
        known = [] if self.bm25 is None else [self.bm25.vocab_dict[t] for t in tokens if t in self.bm25.vocab_dict]
        if self.bm25 is None or not known:
            return np.zeros(self.n_texts)
        with fitting(f"sparse/{_ARRAYS[1]}.csc.index.npy"):  # without verify=True its numbers are first seen here
            return np.asarray(self.bm25.get_scores_from_ids(known), dtype=np.float64)

    def save(self, folder: Path) -> None:
        """Write bm25s's own files and the tokens' settings into a folder; nothing is pickled.

        Examples
        --------
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> SparseIndex.build(["radium"]).save(folder)
        >>> SparseIndex.load(folder).n_texts
        1
        """
        folder.mkdir(parents=True, exist_ok=True)
        settings = {
            "n_texts": self.n_texts,
            "empty": self.bm25 is None,
            "stemmer": self.tokens.stemmer,
            "stop_words": self.tokens.stop_words,
        }
        text = json.dumps(settings, ensure_ascii=False, indent=1) + "\n"
        (folder / SETTINGS_FILE).write_text(text, encoding="utf-8", newline="\n")
        if self.bm25 is not None:
            self.bm25.save(folder, allow_pickle=False, show_progress=False)

    @staticmethod
    def load(folder: Path, *, mmap: bool = False) -> SparseIndex:
        """Read what `save` wrote; `mmap` maps the scores instead of reading them.

        Examples
        --------
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> SparseIndex.build(["radium", "radon"]).save(folder)
        >>> SparseIndex.load(folder, mmap=True).search(["radon"], k=1)[0].nodes.tolist()
        [1]
        """
        settings = read_json(folder / SETTINGS_FILE)
        with fitting(SETTINGS_FILE):
            n_texts, empty = check_count("n_texts", settings["n_texts"]), settings["empty"]
            tokens = KeywordTokens(settings["stemmer"], tuple(settings["stop_words"]))
            tokens([""])
        if empty:
            return SparseIndex(n_texts, tokens, None)
        from bm25s import BM25

        bm25 = BM25(backend="numpy")
        bm25.scores = {name: read_array(folder / f"{name}.csc.index.npy", mmap=mmap) for name in _ARRAYS}
        bm25.scores["num_docs"] = n_texts
        with fitting(VOCABULARY_FILE):
            bm25.vocab_dict = _vocabulary(read_json(folder / VOCABULARY_FILE), len(bm25.scores["indptr"]) - 1)
        bm25.nonoccurrence_array = None
        return SparseIndex(n_texts, tokens, bm25)


def _vocabulary(tokens: dict[str, Any], n_columns: int) -> dict[str, int]:
    """Return the columns of tokens, after checking that each column of scores has one token."""
    columns = [check_count("column", column, minimum=0) for token, column in tokens.items() if token]
    if sorted(columns) != list(range(n_columns)):  # bm25s adds "", which no query has
        raise PsiragError(f"A vocabulary numbers {n_columns} tokens", f"{len(columns)} tokens", "Build it again.")
    return tokens

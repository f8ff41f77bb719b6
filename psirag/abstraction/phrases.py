"""Keyword abstracts without a model: phrases that set a node apart from its siblings, by class-based TF-IDF."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from psirag.corpus.tokens import UNSPACED_SCRIPTS
from psirag.tree import AbstractTree
from psirag.vectors import Floats, Ints

MAX_PHRASES = 20  # Ψ-RAG App. C
_LONGEST = 3  # words in a phrase
_WITHIN_NAMES = frozenset(("of", "the", "and", "or", "in", "on", "at", "to", "for", "with"))
_CONSIDERED = 80  # best-scored phrases per node among which repetitions are dropped
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff\u200c\u200d"
_LETTER = rf"(?:[^\W_{UNSPACED_SCRIPTS}]|[{_MARKS}])"
_TOKEN = re.compile(rf"[{UNSPACED_SCRIPTS}]|{_LETTER}+(?:['’.-]{_LETTER}+)*")
_UNSPACED = re.compile(rf"[{UNSPACED_SCRIPTS}]")


def keyword_texts(tree: AbstractTree, leaf_texts: Sequence[str]) -> tuple[str, ...]:
    """Write every abstract node's phrases, at most 20, joined by ", "; "" where its leaves have no word.

    Parameters
    ----------
    tree : AbstractTree
    leaf_texts : sequence of str, length n_leaves

    Returns
    -------
    tuple of str, length n_nodes − n_leaves

    Notes
    -----
    Phrases are runs of 1–3 words without a stop word at either end (2–3 characters in unspaced scripts). In node a
    among its siblings, a phrase t scores

        tf(t, a) · ln(1 + A / f(t)) · ln(1 + n / df(t)) · w(t)

    with tf the occurrences below a, f those below a's parent, A the mean number of occurrences of all phrases per
    sibling, df the leaves (of n) that hold t, and w = the number of its words for a name (all words capitalised, but
    for "of" and the like), 1.5 for another run of words that occurs at least twice, 1 for a word, 0.5 for a number.
    The counts are those of the leaves, in every layer: what is common to siblings is what names their parent.

    Source: Ψ-RAG §3.1 (keyword abstract); class-based TF-IDF: doi:10.48550/arXiv.2203.05794.

    Examples
    --------
    >>> from psirag.tree import build_tree
    >>> tree = build_tree(np.eye(2)[[0, 0, 1, 1]])
    >>> texts = ["Ada Lovelace wrote.", "Ada Lovelace computed.", "Beavers build.", "Beavers swim."]
    >>> keyword_texts(tree, texts)[0].split(", ")[0]
    'Ada Lovelace'
    """
    vocabulary, counts = _count_phrases(leaf_texts)
    if not vocabulary.keys:
        return ("",) * (tree.n_nodes - tree.n_leaves)
    worth = vocabulary.weights(counts) * np.log1p(counts.shape[0] / np.maximum(1, np.diff(counts.tocsc().indptr)))
    texts: list[str] = []
    above = sum_children(tree, 1, counts) if tree.depth else counts
    for layer in range(1, tree.depth + 1):
        counts, nodes = above, tree.layer_nodes(layer)
        is_root = layer == tree.depth
        above = counts if is_root else sum_children(tree, layer + 1, counts)
        parents = np.zeros(1, np.int64) if is_root else tree.parent[nodes.start : nodes.stop] - nodes.stop
        n_children = np.bincount(parents)
        for row, parent in enumerate(parents):
            ids, scores = _scores(counts, row, above, parent, n_children[parent], worth)
            texts.append(", ".join(_distinct_phrases(vocabulary, ids, scores)))
    return tuple(texts)


def sum_children(tree: AbstractTree, layer: int, rows: Any) -> Any:
    """Add up the sparse rows of layer − 1 into one row for each node of `layer`."""
    from scipy.sparse import csr_array

    below, nodes = tree.layer_nodes(layer - 1), tree.layer_nodes(layer)
    parents = tree.parent[below.start : below.stop] - nodes.start
    ones = np.ones(len(below), dtype=rows.dtype)
    summed = csr_array((ones, (parents, np.arange(len(below)))), shape=(len(nodes), len(below))) @ rows
    summed.sort_indices()
    return summed


@cache
def stop_words() -> frozenset[str]:
    """Return scikit-learn's English stop words."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return frozenset(ENGLISH_STOP_WORDS)


def words_of(text: str) -> list[str]:
    """Return a text's words, casefolded, each character of an unspaced script a word.

    Examples
    --------
    >>> words_of("The O'Neill Café, 京都")
    ['the', "o'neill", 'café', '京', '都']
    """
    return [match.group().casefold() for match in _TOKEN.finditer(text)]


@dataclass
class _Vocabulary:
    """The phrases met while texts are counted: their spelling with the fewest capitals, by casefolded key."""

    spelling: dict[str, str] = field(default_factory=dict)
    keys: tuple[str, ...] = ()

    def phrases(self, text: str) -> Iterator[str]:
        """Yield the key of every phrase of a text, and remember how it is spelt."""
        for run in _runs(text):
            for first in range(len(run)):
                for last in range(first, min(first + _LONGEST, len(run))):
                    surface = _phrase(run[first : last + 1])
                    if surface:
                        key = surface.casefold()
                        known = self.spelling.get(key)
                        if known is None or (known != surface and _capitals(surface) < _capitals(known)):
                            self.spelling[key] = surface
                        yield key

    def weights(self, counts: Any) -> Floats:
        """Return w of every phrase; 0 drops one."""
        often = np.asarray(counts.sum(axis=0)).ravel() >= 2
        return np.array([_weight(self.spelling[key], bool(o)) for key, o in zip(self.keys, often, strict=True)])


def _count_phrases(texts: Sequence[str]) -> tuple[_Vocabulary, Any]:
    """Count the phrases of every text: the vocabulary in sorted order, and an (n, phrases) sparse matrix."""
    from sklearn.feature_extraction.text import CountVectorizer

    vocabulary = _Vocabulary()
    vectorizer = CountVectorizer(analyzer=vocabulary.phrases, dtype=np.float64)
    if not any(True for text in texts for _ in vocabulary.phrases(text)):  # scikit-learn refuses an empty vocabulary
        return vocabulary, None
    counts = vectorizer.fit_transform(texts)
    vocabulary.keys = tuple(vectorizer.get_feature_names_out())
    return vocabulary, counts


def _runs(text: str) -> Iterator[list[re.Match[str]]]:
    """Yield runs of words that nothing but spaces separates; an unspaced script and its neighbours are apart."""
    run: list[re.Match[str]] = []
    for match in _TOKEN.finditer(text):
        gap = text[run[-1].end() : match.start()] if run else ""
        unspaced = bool(_UNSPACED.match(match.group()))
        if run and (gap.strip(" ") or unspaced != bool(_UNSPACED.match(run[-1].group())) or (unspaced and gap)):
            yield run
            run = []
        run.append(match)
    if run:
        yield run


def _phrase(words: Sequence[re.Match[str]]) -> str:
    """Return the run of words as one phrase, or "" when it is none."""
    spelt = [match.group() for match in words]
    folded = [word.casefold() for word in spelt]
    if _UNSPACED.match(spelt[0]):
        return "".join(spelt) if len(spelt) > 1 else ""
    if folded[0] in stop_words() or folded[-1] in stop_words() or all(len(word) == 1 for word in spelt):
        return ""
    inner = any(word in stop_words() for word in folded)
    return "" if inner and not _is_name(spelt) else " ".join(spelt)


def _is_name(words: Sequence[str]) -> bool:
    """Tell whether the first word is capitalised, and every other one too, a number, or a word like "of"."""
    rest = (word for word in words if word.casefold() not in _WITHIN_NAMES)
    return words[0][0].isupper() and all(word[0].isupper() or word[0].isdigit() for word in rest)


def _capitals(phrase: str) -> int:
    return sum(letter.isupper() for letter in phrase)


def _weight(phrase: str, often: bool) -> float:
    """Return w of a phrase."""
    words = phrase.split()
    if _UNSPACED.match(phrase):
        return float(len(phrase)) if often else 1.0
    if len(words) == 1:
        return 0.5 if phrase[0].isdigit() else 1.0
    return float(len(words)) if _is_name(words) else 1.5 * often


def _scores(counts: Any, row: int, above: Any, parent: int, n_siblings: int, worth: Floats) -> tuple[Ints, Floats]:
    """Return the phrases below one node and their scores."""
    ids = counts.indices[counts.indptr[row] : counts.indptr[row + 1]]
    own = counts.data[counts.indptr[row] : counts.indptr[row + 1]]
    span = slice(above.indptr[parent], above.indptr[parent + 1])
    among = above.data[span][np.searchsorted(above.indices[span], ids)]
    mean = above.data[span].sum() / n_siblings
    return ids, own * np.log1p(mean / among) * worth[ids]


def _distinct_phrases(vocabulary: _Vocabulary, ids: Ints, scores: Floats) -> list[str]:
    """Take the best phrases; a name takes the place of its part, one that mostly repeats another is left out."""
    order = np.lexsort((ids, -scores))[:_CONSIDERED]
    chosen: list[tuple[str, frozenset[str]]] = []
    for phrase_id in ids[order[scores[order] > 0]]:
        key = vocabulary.keys[phrase_id]
        parts = frozenset(words_of(key))
        inside = [i for i, (_, others) in enumerate(chosen) if others < parts]
        if inside and _is_name(vocabulary.spelling[key].split()):
            chosen[inside[0]] = (key, parts)
            chosen = [one for i, one in enumerate(chosen) if i not in inside[1:]]
        elif not any(2 * len(parts & others) > len(parts) for _, others in chosen) and len(chosen) < MAX_PHRASES:
            chosen.append((key, parts))
    return [vocabulary.spelling[key] for key, _ in chosen]

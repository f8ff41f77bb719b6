"""Summative abstracts without a model: the sentences that best cover a node, chosen by maximal marginal relevance."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from psirag.abstraction.centroid import centroids
from psirag.abstraction.phrases import stop_words, sum_children, words_of
from psirag.corpus import split_into_sentences
from psirag.corpus.tokens import TokenCount
from psirag.tree import AbstractTree
from psirag.vectors import Floats, Ints

_RELEVANCE = 0.5  # the rest weighs against repeating a sentence that is already chosen


def sentence_texts(
    tree: AbstractTree, leaf_texts: Sequence[str], leaf_vectors: npt.ArrayLike, *, max_tokens: int, count: TokenCount,
    titles: Sequence[str] = (),
) -> tuple[str, ...]:  # fmt: skip
    """Write every abstract node's summary: sentences of its children's texts, of at most `max_tokens` tokens in all.

    Parameters
    ----------
    tree : AbstractTree
    leaf_texts : sequence of str, length n_leaves
    leaf_vectors : array_like, shape (n_leaves, d), real
    max_tokens : int
    count : callable
        From a text to its number of tokens.
    titles : sequence of str, length n_leaves or 0
        The first lines of the leaves' texts. They are no sentences: "Title: " comes before the first sentence of the
        first leaf that has the title.

    Returns
    -------
    tuple of str, length n_nodes − n_leaves
        Sentences in the order of the leaves; "" where no child has a text.

    Notes
    -----
    Bottom up: the candidates of a node are the sentences of its leaves, or those that its children's summaries chose.
    A sentence s of leaf u is worth rel(s) = ½ (x(s)·x̄(a) + e(u)·c(a)): x are unit TF-IDF rows, x̄(a) their direction
    over all leaves below a, c(a) the centroid of the vectors; no sentence has to go through the encoder. Chosen one
    by one for the largest ½ rel(s) − ½ max x(s)·x(chosen), while they fit.

    Source: Ψ-RAG §3.1 (summative abstract); maximal marginal relevance: doi:10.1145/290941.291025.

    Examples
    --------
    >>> from psirag.tree import build_tree
    >>> vectors = np.eye(2)[[0, 0, 1]]
    >>> texts = ["Beavers build dams. Hello.", "Dams made by beavers slow rivers.", "Bees make honey."]
    >>> sentence_texts(build_tree(vectors), texts, vectors, max_tokens=6, count=lambda text: len(text.split()))
    ('Dams made by beavers slow rivers.',)
    """
    sentences, chosen = _split(leaf_texts, titles)
    if not sentences:
        return ("",) * (tree.n_nodes - tree.n_leaves)
    leaf = np.repeat(np.arange(tree.n_leaves), [len(some) for some in chosen])
    vectors = centroids(tree, leaf_vectors)
    topics, rows = _tf_idf(leaf_texts, sentences)
    texts: list[str] = []
    for layer in range(1, tree.depth + 1):
        topics = sum_children(tree, layer, topics)
        for row, node in enumerate(tree.layer_nodes(layer)):
            candidates = np.concatenate([chosen[child] for child in tree.children(node)])
            topic = topics[[row]]
            relevance = (rows[candidates] @ topic.T).toarray().ravel() / max(float(np.sqrt((topic**2).sum())), 1e-12)
            relevance = relevance + vectors[leaf[candidates]] @ vectors[node].astype(np.float64)
            length = np.array([count(sentences[i]) for i in candidates], dtype=np.int64)
            picked = np.sort(candidates[_cover(rows[candidates], relevance / 2, length, max_tokens)])
            chosen.append(picked)
            texts.append(first_tokens(" ".join(sentences[i] for i in picked), max_tokens, count))
    return tuple(texts)


def covering_sentences(texts: Sequence[str], *, max_tokens: int, count: TokenCount) -> tuple[str, ...]:
    """Choose the sentences that best cover some texts, of at most `max_tokens` tokens in all, by their words alone.

    Parameters
    ----------
    texts : sequence of str
    max_tokens : int
    count : callable
        From a text to its number of tokens.

    Returns
    -------
    tuple of str
        In the order of the texts; equal sentences once. One that is longer than the limit stands alone, cut.

    Notes
    -----
    A sentence s is worth rel(s) = x(s)·x̄ ÷ the largest such product: x are unit TF-IDF rows, x̄ the direction of the
    texts' sum. Chosen one by one for the largest ½ rel(s) − ½ max x(s)·x(chosen), while they fit.

    Source: maximal marginal relevance, doi:10.1145/290941.291025; centroid of a set, doi:10.1016/j.ipm.2003.10.006.

    Examples
    --------
    >>> texts = ["Beavers build dams. Hello.", "Dams made by beavers slow rivers.", "Bees make honey."]
    >>> covering_sentences(texts, max_tokens=9, count=lambda text: len(text.split()))
    ('Dams made by beavers slow rivers.', 'Bees make honey.')
    """
    sentences = list(dict.fromkeys(_split(texts)[0]))
    if not sentences:
        return ()
    topics, rows = _tf_idf(texts, sentences)
    relevance = np.asarray(rows @ topics.sum(axis=0), dtype=np.float64)
    relevance /= max(float(relevance.max()), 1e-12)
    length = np.array([count(sentence) for sentence in sentences], dtype=np.int64)
    chosen = sorted(_cover(rows, relevance, length, max_tokens))
    return tuple(first_tokens(sentences[i], max_tokens, count) for i in chosen)


def nearest_sentence(texts: Sequence[str], query: str) -> str:
    """Return the sentence of some texts whose words are nearest to a query's; "" where none shares a word with it.

    Parameters
    ----------
    texts : sequence of str
    query : str

    Returns
    -------
    str
        The s with the largest x(s)·x(query), x unit TF-IDF rows over the texts; of equals the first.

    Notes
    -----
    Source: ours; TF-IDF as in Salton and Buckley (1988), doi:10.1016/0306-4573(88)90021-0.

    Examples
    --------
    >>> nearest_sentence(["Beavers build dams. They gnaw because teeth grow.", "Owls hunt."], "Why do they gnaw?")
    'They gnaw because teeth grow.'
    """
    sentences = _split(texts)[0]
    _, rows = _tf_idf(texts, [*sentences, query])
    similar = (rows[:-1] @ rows[[-1]].T).toarray().ravel()
    return sentences[int(similar.argmax())] if similar.any() else ""


def first_tokens(text: str, limit: int, count: TokenCount) -> str:
    """Return the longest beginning of a text, cut after a word, of at most `limit` tokens.

    Examples
    --------
    >>> first_tokens("one two three", 2, lambda text: len(text.split()))
    'one two'
    """
    if count(text) <= limit:
        return text
    words = [i for i in range(1, len(text)) if text[i].isspace() and not text[i - 1].isspace()]
    for ends in (words, range(1, len(text))):  # the latter for one long word, or a script without spaces
        fitting = bisect_right(ends, limit, key=lambda end: count(text[:end]))
        if fitting:
            return text[: ends[fitting - 1]]
    return ""


def _split(leaf_texts: Sequence[str], titles: Sequence[str] = ()) -> tuple[list[str], list[Ints]]:
    """Return the sentences of all leaves, white space within made single, and the numbers of each leaf's."""
    sentences: list[str] = []
    of_leaf: list[Ints] = []
    said = {""}
    for text, title in zip(leaf_texts, titles or ("",) * len(leaf_texts), strict=True):
        body = text.removeprefix(f"{title}\n") if title else text
        spelt = (" ".join(body[start:end].split()) for start, end in split_into_sentences(body))
        some = [sentence for sentence in spelt if sentence]
        if some and title not in said:
            some[0] = f"{' '.join(title.split())}: {some[0]}"
        said.add(title)
        of_leaf.append(np.arange(len(sentences), len(sentences) + len(some)))
        sentences += some
    return sentences, of_leaf


def _tf_idf(leaf_texts: Sequence[str], sentences: Sequence[str]) -> tuple[Any, Any]:
    """Return unit TF-IDF rows of the leaves and of the sentences, over the words of the leaves."""
    from scipy.sparse import csr_array
    from sklearn.feature_extraction.text import TfidfVectorizer

    def content(text: str) -> list[str]:
        return [word for word in words_of(text) if word not in stop_words()]

    if not any(content(text) for text in leaf_texts):  # scikit-learn refuses an empty vocabulary
        return csr_array((len(leaf_texts), 1)), csr_array((len(sentences), 1))
    vectorizer = TfidfVectorizer(analyzer=content, sublinear_tf=True)
    return csr_array(vectorizer.fit_transform(leaf_texts)), csr_array(vectorizer.transform(sentences))


def _cover(rows: Any, relevance: Floats, length: Ints, budget: int) -> list[int]:
    """Choose rows by maximal marginal relevance within a budget of tokens, at least one row."""
    if not len(relevance):
        return []
    repeats = np.zeros(len(relevance))
    left, chosen = budget, list[int]()
    open_to_choice = length <= budget
    if not open_to_choice.any():
        return [int(np.argmax(relevance))]
    while open_to_choice.any():
        value = np.where(open_to_choice, _RELEVANCE * relevance - (1 - _RELEVANCE) * repeats, -np.inf)
        best = int(np.argmax(value))
        chosen.append(best)
        left -= int(length[best])
        open_to_choice &= (length <= left) & (np.arange(len(length)) != best)
        repeats = np.maximum(repeats, (rows @ rows[[best]].T).toarray().ravel())
    return chosen

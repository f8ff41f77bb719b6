"""From a corpus to chunks: whole passages, or documents packed sentence by sentence up to a limit of tokens."""

from __future__ import annotations

import re
import warnings
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from psirag.checks import check_count, first_few
from psirag.corpus.chunks import Chunks
from psirag.corpus.documents import Corpus
from psirag.corpus.sentences import split_into_sentences
from psirag.corpus.tokens import TokenCount, token_counter
from psirag.errors import PsiragError, PsiragWarning

_CLAUSE_END = re.compile(r"[,;:،؛][”’\"')\]]*\s+|[，、；：—]\s*|\s–\s+")
_WORD_END = re.compile(r"\S\s+")
_CHARACTER_END = re.compile(r"\S\s*")


def split_into_chunks(corpus: Corpus, max_tokens: int = 100, *, tokenizer: Any = None) -> Chunks:
    r"""Split every text of a corpus into chunks of at most `max_tokens` tokens.

    Sentences are packed greedily in their order. A sentence longer than the limit is cut after clause marks, a clause
    longer than the limit between words, a word longer than the limit between characters. The chunks of a document
    tile it: joining `text[start:end]` gives the source, whitespace included (it belongs to the chunk before it).

    Parameters
    ----------
    corpus : Corpus
        Passages are split as well when they are handed to this function.
    max_tokens : int
        At least 1, counted by `count_tokens(chunk.text, tokenizer)`. One character that alone has more tokens than
        that is a chunk of its own.
    tokenizer : None, Hugging Face tokenizer or callable
        As in `count_tokens`.

    Returns
    -------
    Chunks
        Ids 0 … n-1 in corpus order. Equal chunks are all kept (`Chunks.n_duplicates` counts them); a document of
        nothing but whitespace gives no chunk and is named in one warning.

    Raises
    ------
    PsiragError
        For another type than a corpus, or a limit below 1.

    Notes
    -----
    Source: Ψ-RAG Appendix C.1 (chunks of at most 100 tokens); the order of the cuts is ours.

    Examples
    --------
    >>> from psirag.corpus import load_corpus
    >>> corpus = load_corpus("Beavers build dams. Dams slow rivers. Slow rivers flood.")
    >>> for chunk in split_into_chunks(corpus, max_tokens=6):
    ...     print(chunk.start, chunk.end, repr(chunk.text))
    0 38 'Beavers build dams. Dams slow rivers. '
    38 56 'Slow rivers flood.'
    """
    limit, count = check_count("max_tokens", max_tokens), token_counter(tokenizer)
    return _chunks(corpus, "split_into_chunks", lambda text: _spans(text, limit, count))


def passages_as_chunks(corpus: Corpus) -> Chunks:
    """Make one chunk of every text of a corpus, however long.

    Parameters
    ----------
    corpus : Corpus
        Of either kind.

    Returns
    -------
    Chunks
        Ids 0 … n-1 in corpus order; blank texts are left out and named in one warning.

    Raises
    ------
    PsiragError
        For another type than a corpus.

    Notes
    -----
    Source: Ψ-RAG Appendix C.1 (sets of paragraphs of similar size are not split again).

    Examples
    --------
    >>> from psirag.corpus import load_corpus
    >>> passages_as_chunks(load_corpus(["Beavers build dams.", "Dams slow rivers."])).end
    array([19, 17])
    """
    return _chunks(corpus, "passages_as_chunks", lambda text: [(0, len(text))])


def _chunks(corpus: Corpus, caller: str, spans: Callable[[str], Sequence[tuple[int, int]]]) -> Chunks:
    """Collect the columns of the chunks at the given spans."""
    if not isinstance(corpus, Corpus):
        given, remedy = f"a {type(corpus).__name__}", "Make a corpus first: load_corpus(source)."
        raise PsiragError(f"{caller} needs a Corpus", given, remedy)
    blank = [document.id for document in corpus if not document.text.strip()]
    if blank:
        message = f"{len(blank)} of {len(corpus)} documents are blank and give no chunk: ids {first_few(blank)}"
        warnings.warn(message, PsiragWarning, stacklevel=3)
    documents = (document for document in corpus if document.text.strip())
    rows = [(each, i, *span) for each in documents for i, span in enumerate(spans(each.text))]
    numbers = [(each.id, position, start, end) for each, position, start, end in rows]
    document, position, start, end = np.array(numbers, dtype=np.int64).reshape(-1, 4).T
    return Chunks(
        texts=tuple(each.text[start:end] for each, _, start, end in rows),
        titles=tuple(each.title for each, *_ in rows),
        ids=np.arange(len(rows)), document=document, position=position, start=start, end=end,
        metadata=tuple(each.metadata for each, *_ in rows),
    )  # fmt: skip


def _spans(text: str, limit: int, count: TokenCount) -> list[tuple[int, int]]:
    """Pack the cut points of a text greedily: each span reaches as far as the limit allows."""
    cuts = [0, *_cuts(text, split_into_sentences(text), limit, count, (_CLAUSE_END, _WORD_END, _CHARACTER_END))]
    chosen = [0]
    while chosen[-1] < len(cuts) - 1:
        chosen.append(_furthest(text, cuts, chosen[-1], limit, count))
    return list(pairwise(cuts[i] for i in chosen))


def _cuts(
    text: str, spans: Sequence[tuple[int, int]], limit: int, count: TokenCount, finer: Sequence[re.Pattern[str]]
) -> Iterator[int]:
    """Yield the ends of the spans, and inside a span over the limit the ends of its finer parts."""
    for start, end in spans:
        if finer and count(text[start:end]) > limit:
            inner = (match.end() for match in finer[0].finditer(text, start, end))
            parts = [*pairwise((start, *(cut for cut in inner if cut < end), end))]
            yield from _cuts(text, parts, limit, count, finer[1:])
        else:
            yield end


def _furthest(text: str, cuts: Sequence[int], first: int, limit: int, count: TokenCount) -> int:
    """Find the last cut that keeps the text from cut `first` within the limit: doubling steps, then halving."""

    def tokens(cut: int) -> int:
        return count(text[cuts[first] : cut])

    step, last = 1, len(cuts) - 1
    while first + step < last and tokens(cuts[first + step]) <= limit:
        step *= 2
    fitting = bisect_right(cuts, limit, first + 1, min(first + step, last) + 1, key=tokens)
    return max(first + 1, fitting - 1)

"""A summary without a model: the sentences that best cover the passages, in the order of the corpus."""

from __future__ import annotations

from collections.abc import Sequence

from psirag.abstraction.sentences import covering_sentences
from psirag.corpus import count_tokens
from psirag.readers.protocol import NOT_MENTIONED, Decision, Evidence

ENDS = tuple(".!?…。！？।\"'”’»)」』")
SUMMARY_WORDS = 150  # what a model may write too: 200 tokens, Ψ-RAG App. C.2, at ¾ of a word each


def summarise(evidence: Sequence[Evidence]) -> Decision:
    """Choose sentences of the passages, at most 150 words in all.

    Abstracts count when they are prose, or where there is nothing else.

    Notes
    -----
    Source: ours; it stands where Ψ-RAG §5.1 has a language model. See `covering_sentences`.

    Examples
    --------
    >>> summarise(()).action
    'not_mentioned'
    """
    ordered = sorted(evidence, key=lambda item: (item.hit.leaves, item.id))
    prose = [item for item in ordered if item.chunk is not None or item.text.rstrip().endswith(ENDS)]
    read = prose or ordered
    chosen = covering_sentences([item.text for item in read], max_tokens=SUMMARY_WORDS, count=count_tokens)
    if not chosen:
        return Decision("not_mentioned", NOT_MENTIONED, (), "No passage has a sentence.")
    return Decision("answer", " ".join(chosen), (), f"{len(chosen)} sentences of {len(read)} passages.")

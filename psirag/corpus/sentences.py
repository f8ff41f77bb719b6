"""Sentence ends: those that nupunkt finds, and those of scripts and layouts that it does not know."""

from __future__ import annotations

import re
from itertools import pairwise

from psirag.checks import check_type
from psirag.corpus.tokens import UNSPACED_SCRIPTS

_WHITESPACE = re.compile(r"\s*")
_CLOSING = "”’\"'」』）)》〉】〕］\\]"
_FURTHER_ENDS = re.compile(
    rf"[。！？｡।॥؟۔။។៕።։༎][。！？｡!?…]*[{_CLOSING}]*\s*"  # marks of scripts that put no space after them
    rf"|[!?]+(?=[{UNSPACED_SCRIPTS}])"
    r"|\n[^\S\n]*\n\s*"  # a blank line ends a paragraph, and so a sentence
    r"|^#{1,6}[^\S\n][^\n]*\n\s*",  # a Markdown heading is a sentence of its own
    re.MULTILINE,
)


def split_into_sentences(text: str) -> list[tuple[int, int]]:
    """Find the sentences of a text.

    Parameters
    ----------
    text : str
        Anything, in any script.

    Returns
    -------
    list of (int, int)
        Spans (start, end) in order. They tile the text: the first starts at 0, each ends where the next starts, the
        last ends at `len(text)`, so whitespace belongs to the sentence before it. No span for an empty text.

    Raises
    ------
    PsiragError
        For a text that is not a str.

    Notes
    -----
    Latin, Cyrillic and Greek ends come from nupunkt (Punkt with learnt abbreviations); `。！？`, danda, Arabic, Khmer,
    Myanmar, Ethiopic and Armenian marks, blank lines and Markdown headings are added to them.

    Source: Kiss and Strunk (2006), doi:10.1162/coli.2006.32.4.485.

    Examples
    --------
    >>> text = "Dr. Smith measured 3.14 metres. He left!"
    >>> [text[start:end] for start, end in split_into_sentences(text)]
    ['Dr. Smith measured 3.14 metres. ', 'He left!']
    """
    if not check_type("split_into_sentences' text", text, str):
        return []
    import nupunkt

    ends = {match.end() for match in _FURTHER_ENDS.finditer(text)} | {end for _, end in nupunkt.sent_spans(text)}
    first_word = len(text) - len(text.lstrip())
    cuts = {_WHITESPACE.match(text, end).end() for end in ends if end > first_word}  # type: ignore[union-attr]
    return list(pairwise((0, *sorted(cuts - {len(text)}), len(text))))

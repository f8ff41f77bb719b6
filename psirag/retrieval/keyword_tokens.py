"""Text into keyword tokens, decided script by script: words where words are spaced, characters and pairs elsewhere."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from psirag.corpus.tokens import UNSPACED_SCRIPTS

_UNSPACED = UNSPACED_SCRIPTS + "\u1100-\u11ff\uac00-\ud7af"  # Hangul is spaced, but its words carry particles
# Vowel signs and points that the regex engine does not count as parts of a word.
_MARKS = "\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u0900-\u0963\u0966-\u0dff"
_RUNS = re.compile(f"([{_UNSPACED}]+)|((?:(?![{_UNSPACED}_])[\\w{_MARKS}])+)")
_ACCENTS = re.compile("[\u0300-\u036f]")
_LATIN = re.compile("[a-z]")


@dataclass(frozen=True)
class KeywordTokens:
    """How texts become keyword tokens; called with texts, returns a list of tokens for each.

    Case and accents are folded (café = cafe). In Latin script, words are stemmed and stop words and single letters
    dropped. Scripts without spaces give each character and each pair of neighbours. All other words stay whole.

    Parameters
    ----------
    stemmer : str
        Name of a PyStemmer algorithm for words in Latin script.
    stop_words : tuple of str
        Words left out, folded and not stemmed.

    Notes
    -----
    Source: Ψ-RAG §3.2 (sparse keyword index); pairs of characters as in doi:10.1145/258525.258532.

    Examples
    --------
    >>> KeywordTokens("english", ("the", "of"))(["The cafés of Paris", "法国"])
    [['cafe', 'pari'], ['法', '国', '法国']]
    """

    stemmer: str
    stop_words: tuple[str, ...]

    def __call__(self, texts: Iterable[str]) -> list[list[str]]:
        """Return the tokens of each text."""
        from Stemmer import Stemmer

        stemmer = Stemmer(self.stemmer)  # one a call: a stemmer must not be shared between threads
        stop_words = frozenset(self.stop_words)

        @cache
        def of_word(word: str) -> list[str]:
            if word in stop_words or (len(word) == 1 and word.isalpha()):
                return []
            return [stemmer.stemWord(word) if _LATIN.search(word) else word]

        def of_run(run: re.Match[str]) -> list[str]:
            unspaced, word = run.groups()
            return of_word(word) if word else [*unspaced, *map("".join, pairwise(unspaced))]

        return [[token for run in _RUNS.finditer(fold(text)) for token in of_run(run)] for text in texts]


def fold(text: str) -> str:
    """Fold case, width, ligatures and accents, and leave the marks that other scripts spell with.

    Examples
    --------
    >>> fold("Café Ｎo Ёлка")
    'cafe no елка'
    """
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", _ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold()))).casefold()

"""Text into keyword tokens, decided script by script: words where words are spaced, characters and pairs elsewhere."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

# Han with its iteration marks, kana, Thai, Lao, Myanmar, Khmer, Hangul (spaced, but its words carry their particles).
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
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
        stem = _Stems(stemmer, self.stop_words)
        return [[token for run in _RUNS.finditer(fold(text)) for token in _tokens(run, stem)] for text in texts]


class _Stems(dict[str, tuple[str, ...]]):
    """Remembers, for each word seen, its token: none for a stop word or a single letter."""

    def __init__(self, stemmer: object, stop_words: Iterable[str]) -> None:
        self.stem_word = stemmer.stemWord  # type: ignore[attr-defined]
        self.stop_words = frozenset(stop_words)

    def __missing__(self, word: str) -> tuple[str, ...]:
        """Work out and remember the token of a word met for the first time."""
        if word in self.stop_words or (len(word) == 1 and word.isalpha()):
            self[word] = ()
        else:
            self[word] = (self.stem_word(word) if _LATIN.search(word) else word,)
        return self[word]


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


def _tokens(run: re.Match[str], stem: _Stems) -> Iterable[str]:
    """Return the tokens of one run of characters of one kind."""
    if run[1] is None:
        return stem[run[2]]
    return [*run[1], *map("".join, zip(run[1], run[1][1:], strict=False))]

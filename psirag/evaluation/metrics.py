"""Exact match, token F1 and ROUGE-L of an answer against the accepted ones."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from psirag.checks import check_texts
from psirag.corpus.tokens import UNSPACED_SCRIPTS
from psirag.optional import needed

ARTICLES = frozenset({"a", "an", "the"})
YES_NO = frozenset({"yes", "no", "noanswer"})
_UNSPACED = re.compile(rf"([{UNSPACED_SCRIPTS}])")
_WORD = re.compile(rf"[{UNSPACED_SCRIPTS}]|[^\W_{UNSPACED_SCRIPTS}]+")


def normalised_answer(text: str) -> str:
    """An answer as it is compared: compatible lower-case characters, dashes as spaces, no punctuation, no articles.

    Notes
    -----
    Source: SQuAD's evaluation, arXiv:1606.05250, with Unicode's punctuation and dashes.

    Examples
    --------
    >>> normalised_answer("The O’Brien, twenty–one!")
    'obrien twenty one'
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    spaced = "".join(" " if unicodedata.category(c) in {"Pd", "Zs", "Cc"} else c for c in folded)
    plain = "".join(c for c in spaced if not unicodedata.category(c).startswith(("P", "S")))
    return " ".join(word for word in plain.split() if word not in ARTICLES)


def exact_match(prediction: str, answers: Sequence[str]) -> float:
    """1.0 when the prediction equals one of the answers once both are normalised, else 0.0.

    Raises
    ------
    PsiragError
        For a prediction or an answer that is not a str.

    Notes
    -----
    Source: SQuAD's evaluation, arXiv:1606.05250.

    Examples
    --------
    >>> exact_match("the Meuse", ["Meuse", "Maas"]), exact_match("Rhine", ["Meuse"]), exact_match("a", ["The"])
    (1.0, 0.0, 1.0)
    """
    (said,), wanted = check_texts("prediction", [prediction]), check_texts("answers", answers)
    return float(normalised_answer(said) in {normalised_answer(answer) for answer in wanted})


def token_f1(prediction: str, answers: Sequence[str]) -> float:
    """The best harmonic mean of precision and recall of words over the answers; characters in unspaced scripts.

    F1 = 2 · common ÷ (words said + words wanted). Two answers without a word agree (1.0); yes and no agree only with
    themselves.

    Raises
    ------
    PsiragError
        For a prediction or an answer that is not a str.

    Notes
    -----
    Source: SQuAD's evaluation, arXiv:1606.05250; the rule for yes and no is HotpotQA's, arXiv:1809.09600.

    Examples
    --------
    >>> token_f1("Lake Constance", ["Constance"]), token_f1("no one", ["no"]), token_f1("a", ["The"])
    (0.6666666666666666, 0.0, 1.0)
    """
    (said,), wanted = check_texts("prediction", [prediction]), check_texts("answers", answers)
    return max((_f1(normalised_answer(said), normalised_answer(answer)) for answer in wanted), default=0.0)


def rouge_l(prediction: str, answers: Sequence[str]) -> float:
    """The best ROUGE-L over the answers: F1 of the longest common subsequence of words, without stemming.

    F1 = 2 · LCS ÷ (words said + words wanted). A word is a run of letters and digits in any script, in lower case, and
    one character in unspaced scripts; on ASCII text that is the library's own rule.

    Raises
    ------
    PsiragError
        For a prediction or an answer that is not a str, and without the package rouge-score.

    Notes
    -----
    Source: Lin (2004), aclanthology.org/W04-1013, by rouge-score; the best answer counts as for NarrativeQA,
    arXiv:1712.07040.

    Examples
    --------
    >>> rouge_l("The cat sat on the mat", ["the cat on mat", "a dog"])
    0.8
    """
    (said,), wanted = check_texts("prediction", [prediction]), check_texts("answers", answers)
    scorer = needed("rouge_score.rouge_scorer", "evaluation", what="ROUGE-L").RougeScorer(["rougeL"], tokenizer=_Words)
    return max((float(scorer.score(answer, said)["rougeL"].fmeasure) for answer in wanted), default=0.0)


class _Words:
    """The tokenizer that rouge-score is given."""

    @staticmethod
    def tokenize(text: str) -> list[str]:
        """Words, and single characters of unspaced scripts."""
        return _WORD.findall(text.lower())


def _f1(said: str, wanted: str) -> float:
    """Token F1 of two normalised answers."""
    if said == wanted:
        return 1.0
    if {said, wanted} & YES_NO:
        return 0.0
    first, second = (Counter(_UNSPACED.sub(r" \1 ", text).split()) for text in (said, wanted))
    common = sum((first & second).values())
    return 2 * common / (first.total() + second.total()) if common else 0.0

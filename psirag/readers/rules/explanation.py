"""Why and how: no name, date or number answers that, so a whole sentence does."""

from __future__ import annotations

from itertools import pairwise

from psirag.abstraction.sentences import nearest_sentence
from psirag.readers.rules.questions import AUXILIARIES, QuestionView
from psirag.readers.rules.spans import Reading


def asks_to_explain(question: QuestionView) -> bool:
    """Whether a question asks for a reason, or how something came about.

    Examples
    --------
    >>> [asks_to_explain(QuestionView(q)) for q in ("Why did it sink?", "How did it sink?", "How many sank?")]
    [True, True, False]
    """
    pairs = set(pairwise(question.words))
    return "why" in question.words or ("what", "reason") in pairs or any(("how", word) in pairs for word in AUXILIARIES)


def explain(question: QuestionView, reading: Reading) -> tuple[str, str, tuple[int, ...]]:
    """Return the sentence nearest to the question, twice ("" for none), and the passage that it stands in.

    Notes
    -----
    Source: ours.
    """
    texts = {key: passage.text for key, passage in sorted(reading.passages.items())}
    sentence = nearest_sentence([*texts.values()], question.text)
    path = tuple(key for key, text in texts.items() if sentence and sentence in " ".join(text.split()))
    return sentence, sentence, path[:1]

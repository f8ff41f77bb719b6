"""How recall falls as the index grows: the paper's Figure 1(b) on any corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from psirag.checks import check_count
from psirag.corpus import Corpus, Question, load_corpus, load_questions
from psirag.encoding import as_encoder
from psirag.errors import PsiragError
from psirag.evaluation.evaluating import evaluate
from psirag.evaluation.offline import offline_systems
from psirag.optional import needed

if TYPE_CHECKING:
    from pandas import DataFrame

SYSTEMS = ("flat", "Ψ-RAG keyword", "Ψ-RAG centroid", "RAPTOR traversal", "RAPTOR collapsed")


def recall_by_size(
    corpus: Any,
    questions: Any,
    sizes: Sequence[int] = (200, 500, 1000, 2000, 6000),
    *,
    systems: Sequence[str] = SYSTEMS,
    encoder: Any = "auto",
    k: int = 5,
    seed: int = 0,
) -> DataFrame:
    """Measure recall over nested samples of a corpus, in each of which all gold documents are.

    Parameters
    ----------
    corpus, questions
        See `load_corpus`, `load_questions`.
    sizes : sequence of int
        Documents in the index; a size beyond the corpus takes it whole.
    systems : sequence of str
        Names of `offline_systems`.
    encoder : str, Path or object
    k : int
        Depth of recall.
    seed : int
        Of the order in which other documents join the gold ones, and of RAPTOR's clustering.

    Returns
    -------
    DataFrame
        `documents`, `system`, `recall@k`, `recall@k low`, `recall@k high`, `nodes_scored`; one row a size and system.

    Raises
    ------
    PsiragError
        A size below the number of gold documents, or an unknown system.

    Notes
    -----
    Source: Ψ-RAG Figure 1(b).

    Examples
    --------
    >>> found = recall_by_size("toy", "toy", [9, 12], systems=["flat"], k=2)
    >>> found[["documents", "system"]].values.tolist()
    [[9, 'flat'], [12, 'flat']]
    """
    pandas = needed("pandas", "evaluation", what="recall_by_size")
    source, asked, model = load_corpus(corpus), load_questions(questions), as_encoder(encoder)
    order, metric = gold_first(source, asked, seed), f"recall@{check_count('k', k)}"
    n_gold = sum(_is_gold(source, asked))
    parts = []
    for size in sorted({min(check_count("each of sizes", size), len(source)) for size in sizes}):
        if size < n_gold:
            raise PsiragError("Every size must hold all gold", f"{size} for {n_gold} documents", "Pass larger sizes.")
        chosen = tuple(source.documents[place] for place in sorted(order[:size]))
        offered = {each.name: each for each in offline_systems(replace(source, documents=chosen), encoder=model)}
        if unknown := [name for name in systems if name not in offered]:
            raise PsiragError(f"systems are among {', '.join(offered)}", ", ".join(unknown), "Use these names.")
        found = evaluate([offered[name] for name in systems], asked, k=[k], ask=False, seed=seed)
        columns = ["system", metric, f"{metric} low", f"{metric} high", "nodes_scored"]
        part = found.table([metric, "nodes_scored"])[columns]
        part.insert(0, "documents", size)
        parts.append(part)
    return pandas.concat(parts, ignore_index=True)


def gold_first(corpus: Corpus, questions: Sequence[Question], seed: int) -> list[int]:
    """Return places of documents: those with evidence, in order, then the others shuffled.

    Source: ours.
    """
    gold = np.array(_is_gold(corpus, questions))
    others = np.random.default_rng(seed).permutation(np.flatnonzero(~gold))
    return [*np.flatnonzero(gold).tolist(), *others.tolist()]


def _is_gold(corpus: Corpus, questions: Sequence[Question]) -> list[bool]:
    """Whether each document is evidence for a question."""
    ids = {each for question in questions for each in question.supporting_documents}
    by_title = [question for question in questions if not question.supporting_documents]
    titles = {title for question in by_title for title in question.supporting_titles}
    return [document.id in ids or document.title in titles for document in corpus.documents]

"""Systems at matched cost: what each finds within the same budget of tokens, whatever it returns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from psirag.baselines import gmm_tree
from psirag.checks import check_count
from psirag.corpus import load_corpus
from psirag.encoding import as_encoder
from psirag.errors import PsiragError
from psirag.evaluation.evaluating import evaluate
from psirag.evaluation.evaluation import Evaluation
from psirag.evaluation.systems import SearchSystem, System, as_systems
from psirag.index import Index
from psirag.retrieval.packing import pack_hits
from psirag.retrieval.trace import Retrieval
from psirag.tree import build_tree
from psirag.variants import NavTree

if TYPE_CHECKING:
    from pandas import DataFrame

BUDGETS = (256, 512, 1024, 2000)
MOST_HITS = 100  # asked of every system, before its hits are packed
_NO_LIMIT = 10**9
_MEASURES = {
    "recall": f"recall@{MOST_HITS}",
    "answer present": f"answer_present@{MOST_HITS}",
    "nodes_scored": "nodes_scored",
}


class PackedSystem:
    """A system whose hits are packed into a budget; `find` asks it, once for all budgets."""

    def __init__(self, system: System, find: Any, budget: int, tokenizer: Any) -> None:
        self._system, self._find, self._budget, self._tokenizer = system, find, budget, tokenizer
        self.name = f"{system.name} @ {budget}"
        self.needs: str = getattr(system, "needs", "")
        self.within_document: bool = getattr(system, "within_document", False)

    @property
    def chunks(self) -> Any:
        """The chunks of the system, None where it tells none."""
        return getattr(self._system, "chunks", None)

    @property
    def settings(self) -> dict[str, Any]:
        """Those of the system, and the budget."""
        return {**getattr(self._system, "settings", {}), "budget": self._budget, "most hits": MOST_HITS}

    def retrieve(self, question: str, k: int = MOST_HITS, **inside: Any) -> Retrieval:
        """Return the hits that fit, at most k."""
        found = self._find(question, **inside)
        return Retrieval(found.query, pack_hits(found, self._budget, tokenizer=self._tokenizer)[:k], found.trace)


def packed(systems: Any, budgets: Sequence[int] = BUDGETS, *, tokenizer: Any = None) -> tuple[PackedSystem, ...]:
    """Return each system at each budget, named "system @ budget", for `evaluate` with k=[100] and ask=False.

    Parameters
    ----------
    systems : System, Index, or several
        Asked for 100 hits, which `pack_hits` cuts to the budgets.
    budgets : sequence of int
        Tokens.
    tokenizer : None, Hugging Face tokenizer or callable
        See `count_tokens`.

    Returns
    -------
    tuple of PackedSystem

    Raises
    ------
    PsiragError
        No system or no budget.

    Notes
    -----
    Source: NavTree §4 (matched cost), arXiv:2610.06902.

    Examples
    --------
    >>> two = packed(Index.build("toy"), [20, 60])
    >>> [(system.name, len(system.retrieve("Which planet orbits the Sun in 88 days?"))) for system in two]
    [('index @ 20', 0), ('index @ 60', 1)]
    """
    if isinstance(budgets, (str, bytes)) or not isinstance(budgets, Sequence) or not budgets:
        raise PsiragError("budgets must be a sequence of token counts", repr(budgets), f"Pass {BUDGETS}, say.")
    sizes = sorted({check_count("each of budgets", budget) for budget in budgets})
    several = []
    for system in as_systems(systems):
        find = cache(partial(system.retrieve, k=MOST_HITS))
        several += [PackedSystem(system, find, size, tokenizer) for size in sizes]
    return tuple(several)


def by_budget(evaluation: Evaluation) -> DataFrame:
    """Turn an evaluation of `packed` systems into one row a system and budget.

    Returns
    -------
    DataFrame
        Columns `system`, `budget`, `note`, `questions`, `recall`, `recall low`, `recall high`, `answer present`, …,
        `nodes_scored`, … (of the one search behind all budgets).

    Raises
    ------
    PsiragError
        An evaluation at another depth, or of systems that were not packed.

    Notes
    -----
    Source: NavTree §4 and §I.2, arXiv:2610.06902.
    """
    table = evaluation.table(list(_MEASURES.values()))
    names = table["system"].str.rsplit(" @ ", n=1)
    if (names.str.len() != 2).any():
        given = ", ".join(table["system"][names.str.len() != 2])
        raise PsiragError("by_budget needs an evaluation of packed systems", given, "Evaluate packed(systems).")
    table.insert(1, "budget", names.str[1].astype(int))
    table["system"] = names.str[0]
    renamed = {f"{old}{end}": f"{new}{end}" for new, old in _MEASURES.items() for end in ("", " low", " high")}
    return table[["system", "budget", "note", "questions", *renamed]].rename(columns=renamed)


def matched_cost(
    systems: Any, questions: Any, budgets: Sequence[int] = BUDGETS, *, tokenizer: Any = None, seed: int = 0
) -> DataFrame:
    """Compare systems at equal budgets: recall of the gold passages, and whether an answer's words were found.

    Parameters
    ----------
    systems, budgets, tokenizer
        See `packed`; `matched_systems` makes those of the paper.
    questions : str, path, list or tuple of Question
    seed : int
        Of the resampling behind the intervals.

    Returns
    -------
    DataFrame
        See `by_budget`.

    Raises
    ------
    PsiragError
        What `packed` and `evaluate` raise.

    Notes
    -----
    Each system is asked for 100 hits, whatever the budget: one whose beam follows k, as that of an `Index` without
    `beam=`, is then all but flat, and `nodes_scored` shows it.

    Texts are counted and titles are not, although an answer may stand in a title: that favours chunks a little over
    abstracts, which have none.

    Source: NavTree §4 and §I.2 (answer presence at equal budgets), arXiv:2610.06902.

    Examples
    --------
    >>> found = matched_cost(Index.build("toy"), "toy", [20, 200])
    >>> found["recall"].round(2).tolist()
    [0.0, 1.0]
    """
    several = packed(systems, budgets, tokenizer=tokenizer)
    return by_budget(evaluate(several, questions, k=[MOST_HITS], ask=False, seed=seed))


def matched_systems(
    corpus: Any, *, encoder: Any = "auto", max_tokens: int = 100, beam: int = 10, seed: int = 0
) -> tuple[System, ...]:
    """Return the systems of the comparison, on the same chunks and vectors: abstracts are extractive summaries.

    Parameters
    ----------
    corpus : str, path, list or Corpus
    encoder : str, Path or object
    max_tokens : int
        Longest chunk of a document.
    beam : int
        Candidates that pass a layer where a tree is descended; without it the beam would be as wide as the number of
        hits asked for, and the descent all but flat.
    seed : int
        Of RAPTOR's clustering.

    Returns
    -------
    tuple of System
        Two indexes and a NavTree stand behind them, each built when first needed.

    Raises
    ------
    PsiragError
        What `load_corpus` and `as_encoder` raise.

    Notes
    -----
    Source: NavTree §4 (methods), arXiv:2610.06902; Ψ-RAG §5.1.

    Examples
    --------
    >>> [system.name for system in matched_systems("toy")][-3:]
    ['flat', 'BM25', 'fused']
    """
    source, beam, seed = load_corpus(corpus), check_count("beam", beam), check_count("seed", seed, minimum=0)
    model = cache(partial(as_encoder, encoder))

    @cache
    def index(tree: Any = build_tree) -> Index:
        return Index.build(source, encoder=model(), tree=tree, abstraction="summary", max_tokens=max_tokens)

    @cache
    def nav() -> Any:
        return NavTree(index(), budget=_NO_LIMIT)

    raptor = partial(index, partial(gmm_tree, seed=seed))
    return (
        SearchSystem("Ψ-RAG, leaves", index, beam=beam),
        SearchSystem("Ψ-RAG, abstracts too", index, nodes="all"),
        SearchSystem("RAPTOR traversal", raptor, sides=("tree",), beam=beam),
        SearchSystem("RAPTOR collapsed", raptor, sides=("tree",), nodes="all"),
        SearchSystem("NavTree", nav),
        SearchSystem("flat", index, sides=("flat",)),
        SearchSystem("BM25", index, sides=("sparse",)),
        SearchSystem("fused", index, sides=("flat", "sparse")),
    )

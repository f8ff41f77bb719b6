"""The rules reader: deterministic, without a model, and with no sight of anything but the question and its evidence."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from psirag.errors import PsiragError
from psirag.readers.protocol import NOT_MENTIONED, AgentState, Decision
from psirag.readers.rules.bridging import HOPS, Rank, rank_passages
from psirag.readers.rules.comparison import compare, decide_yes_no
from psirag.readers.rules.explanation import asks_to_explain, explain
from psirag.readers.rules.looking_up import names_to_look_up
from psirag.readers.rules.passages import PassageView
from psirag.readers.rules.questions import QuestionView
from psirag.readers.rules.spans import Reading
from psirag.readers.rules.summary import summarise

PARTS = (
    "bridging",
    "descriptions",
    "hops",
    "shared names",
    "relations",
    "types",
    "comparison",
    "support",
    "path first",
    "explanation",
)
NAMES_IN_LAST_QUERY = 3
SUPPORTED = 0.0
ON_PATH = 0.3


class RulesReader:
    """Look up names from passage to passage, find the chain that tells what is asked, and cut a short answer out of it.

    It asks for the names in the question that no passage is about yet, then for names that its passages mention and the
    question does not. When it may not ask, or has nothing left to ask, it answers with a span, a date, a number, one of
    two options, yes/no, for why and how a sentence, or "Not mentioned". Its summaries are sentences of the passages.

    Parameters
    ----------
    without : collection of str
        Parts switched off, for ablations: "bridging" (looking up and ranking over bridges), "descriptions" (names in
        the place of "the director of Emma"), "hops" (an answer in another passage than the one described), "shared
        names" (hops over a name without a passage), "relations" (words of one relation), "types" (how names and nouns
        fit what is asked), "comparison" (options, yes/no), "support" ("Not mentioned"), "path first" (the best chain's
        passages first), "explanation" (a sentence for why and how).

    Raises
    ------
    PsiragError
        For a part that there is not.

    Notes
    -----
    Source: ours; it stands where Ψ-RAG §3.2 has a language model.

    Examples
    --------
    >>> RulesReader().decide(AgentState("Who?", (), (), 0, 0), may_retrieve=False).action
    'not_mentioned'
    """

    name = "rules"
    summarizes = True

    def __init__(self, *, without: Collection[str] = ()) -> None:
        unknown = [part for part in ([without] if isinstance(without, str) else without) if part not in PARTS]
        if unknown or isinstance(without, str):
            raise PsiragError("RulesReader's without is a collection of its parts", repr(without), f"Parts: {PARTS}.")
        self.without = frozenset(without)

    def decide(self, state: AgentState, *, may_retrieve: bool) -> Decision:
        """Ask for names while it may and there are any; then answer from the best chain. Or summarise."""
        if state.task == "summary":
            return summarise(state.evidence)
        question = QuestionView(state.question)
        reading = Reading({item.id: PassageView.of(item) for item in state.evidence}, self.without)
        fused = {item.id: item.score for item in state.evidence}
        ranks = rank_passages(question, reading.passages, fused, hops=0 if "bridging" in self.without else HOPS)
        evidence = {key: rank.score for key, rank in ranks.items()}
        queries = self._queries(question, reading, ranks, state) if may_retrieve else ()
        if queries:
            return Decision("retrieve", "", queries, f"To look up: {', '.join(queries)}.", evidence)
        text, why, path = self._answer(reading.view(state.question), reading)
        if "path first" not in self.without:
            evidence |= {key: evidence[key] + ON_PATH for key in path}
        if not text:
            return Decision("not_mentioned", NOT_MENTIONED, (), "No passage holds all that is asked.", evidence)
        return Decision("answer", text, (), f"It says: {why}", evidence)

    def _answer(self, question: QuestionView, reading: Reading) -> tuple[str, str, tuple[int, ...]]:
        """The answer ("" for none), the sentence that it is from, and the chain of passages that led there."""
        if "explanation" not in self.without and asks_to_explain(question):
            return explain(question, reading)
        if "comparison" not in self.without and question.type.kind in {"choice", "yes_no"}:
            verdict = (compare if question.type.kind == "choice" else decide_yes_no)(question, reading)
            return (verdict.text, verdict.sentence, ()) if verdict is not None else ("", "", ())
        best = reading.best(question)
        if best is None or ("support" not in self.without and best.support < SUPPORTED):
            return "", "", ()
        return best.candidate.text, best.sentence, reading.path_to(question, best)

    def _queries(
        self, question: QuestionView, reading: Reading, ranks: Mapping[int, Rank], state: AgentState
    ) -> tuple[str, ...]:
        """What to look up next, the queries left spread over the steps left."""
        # A single query left goes by what the passages mention, not by a guess at what the question means.
        without = self.without | ({"descriptions"} if state.queries_left < 2 else set())
        wanted = names_to_look_up(question, reading, ranks, without=without)
        last = state.retrievals_left <= 1
        room = state.queries_left if last else math.ceil(state.queries_left / state.retrievals_left)
        return queries_for(wanted, state.queries, room=room, gather=last)


def queries_for(names: Sequence[str], asked: Sequence[str], *, room: int, gather: bool = True) -> tuple[str, ...]:
    """One query a name, and up to three names in the last query that the budget allows.

    Parameters
    ----------
    names : sequence of str
        What to look up, most promising first.
    asked : sequence of str
        Queries sent before; a name that is one of them is left out.
    room : int
        Queries left.
    gather : bool
        Whether the last query takes several names.

    Notes
    -----
    Source: ours; a BM25 query of several names finds a passage about each.

    Examples
    --------
    >>> queries_for(["Ada", "Bo", "Cy", "Di"], ["Ada"], room=2)
    ('Bo', 'Cy Di')
    """
    left = [name for name in dict.fromkeys(names) if name not in asked]
    if room < 1:
        return ()
    last = " ".join(left[room - 1 : room - 1 + (NAMES_IN_LAST_QUERY if gather else 1)])
    return (*left[: room - 1], *([last] if last else []))

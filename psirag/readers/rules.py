"""The rules reader: deterministic, without a model, and with no sight of anything but the question and its evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from psirag.readers.bridging import PassageView, QuestionView, Rank, find_bridges, rank_passages
from psirag.readers.named_spans import Span
from psirag.readers.protocol import NOT_MENTIONED, AgentState, Decision
from psirag.readers.short_answers import find_answer

# A passage about a name this surely makes looking the name up again needless.
FOUND = 0.9
NAMES_IN_LAST_QUERY = 3


class RulesReader:
    """Follow names from passage to passage, rank what they lead to, and cut a short answer out of it.

    It asks for the names in the question that no passage is about yet, then for the names that its passages mention and
    the question does not (bridges), several in one step. When it may not ask, or has nothing left to ask, it answers
    with a span, a date, a number or yes/no, or says "Not mentioned".

    Notes
    -----
    Source: ours; it stands where Ψ-RAG §3.2 has a language model.

    Examples
    --------
    >>> RulesReader().decide(AgentState("Who?", (), (), 0, 0), may_retrieve=False).action
    'not_mentioned'
    """

    name = "rules"

    def decide(self, state: AgentState, *, may_retrieve: bool) -> Decision:
        """Ask for names while it may and there are any; then answer from the best passages."""
        question = QuestionView(state.question)
        passages = {item.id: PassageView(item) for item in state.evidence}
        ranks = rank_passages(question, passages)
        evidence = {key: rank.score for key, rank in ranks.items()}
        names = _names_to_look_up(question, passages, ranks) if may_retrieve else []
        queries = queries_for(names, state.queries, room=state.queries_left)
        if queries:
            return Decision("retrieve", "", queries, f"To look up: {', '.join(queries)}.", evidence)
        found = find_answer(question, passages, ranks)
        if found is None:
            return Decision("not_mentioned", NOT_MENTIONED, (), "No passage holds all that is asked.", evidence)
        return Decision("answer", found.text, (), f"From passage {found.passage}: {found.sentence}", evidence)


def queries_for(names: Sequence[str], asked: Sequence[str], *, room: int) -> tuple[str, ...]:
    """One query a name, and up to three names in the last query that the budget allows.

    Parameters
    ----------
    names : sequence of str
        What to look up, most promising first.
    asked : sequence of str
        Queries sent before; a name that is one of them is left out.
    room : int
        Queries left.

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
    last = " ".join(left[room - 1 : room - 1 + NAMES_IN_LAST_QUERY])
    return (*left[: room - 1], *([last] if last else []))


def _names_to_look_up(
    question: QuestionView, passages: Mapping[int, PassageView], ranks: Mapping[int, Rank]
) -> list[str]:
    """Names in the question, then bridges, that no passage is about yet."""

    def is_missing(name: Span) -> bool:
        return all(passage.about(name.words) < FOUND for passage in passages.values())

    bridges = [bridge.name for bridge in find_bridges(question, passages, ranks)]
    return [name.text for name in (*question.names, *bridges) if is_missing(name)]

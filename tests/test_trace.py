"""A retrieval as a sequence, and one that was put together from several searches."""

from __future__ import annotations

import pytest

from psirag.errors import PsiragError
from psirag.retrieval.trace import Hit, Retrieval, Trace

HITS = [Hit(i, 1.0 - i / 10, None, f"text {i}", ()) for i in range(3)]


@pytest.mark.oracle
def test_several_searches_joined_cost_their_sum():
    searches = [Retrieval("a", tuple(HITS[:2]), Trace((), 7)), Retrieval("b", tuple(HITS[1:]), Trace((), 5))]
    joined = Retrieval.joined("a and b", [HITS[2], HITS[0]], searches)
    assert (joined.query, [hit.node for hit in joined]) == ("a and b", [2, 0])
    assert (joined.trace.nodes_scored, joined.trace.queries, joined.trace.layers) == (12, 2, ())
    again = Retrieval.joined("more", HITS, iter([joined, searches[0]]))
    assert (again.trace.nodes_scored, again.trace.queries) == (19, 3)


def test_one_search_is_one_query_and_none_is_none():
    assert Trace((), 4).queries == 1
    none = Retrieval.joined("unasked", (), ())
    assert (len(none), none.trace.nodes_scored, none.trace.queries) == (0, 0, 0)


def test_only_hits_and_retrievals_are_joined():
    with pytest.raises(PsiragError, match="hits must hold Hit only"):
        Retrieval.joined("a", ["text"], [])
    with pytest.raises(PsiragError, match="retrievals must hold Retrieval only"):
        Retrieval.joined("a", HITS, [HITS])

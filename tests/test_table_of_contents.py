"""The sub-forest that chunks induce: which nodes, in which order, within which budget."""

from __future__ import annotations

import numpy as np
import pytest

from psirag.corpus.tokens import count_tokens
from psirag.retrieval.trace import Hit, Retrieval, Trace
from psirag.variants.sections import section_forest
from psirag.variants.table_of_contents import QueryTerms, induce_contents, node_scores, section_tokens
from tests.club_documents import club

NO_TERMS = QueryTerms((), np.empty(0), lambda node: np.empty(0, dtype=bool))


@pytest.fixture(scope="module")
def forest():
    return section_forest(club(), 10)


def node_named(forest, *path):
    return next(node for node in range(forest.n_nodes) if forest.path(node)[-len(path) :] == path)


def found_in(forest, *nodes):
    """A retrieval of the first chunk of each node, with falling scores."""
    chunks = [forest.chunks[forest.chunk_range(node)[0]] for node in nodes]
    hits = [Hit(c.id, 1 / (1 + i), c, c.text, (c.id,), score_kind="rrf") for i, c in enumerate(chunks)]
    return Retrieval("q", tuple(hits), Trace((), 7))


def induced(forest, *nodes, n_nodes=10, max_tokens=1000, terms=NO_TERMS):
    found = found_in(forest, *nodes)
    return induce_contents(found, forest, terms, n_nodes=n_nodes, max_tokens=max_tokens, count=count_tokens)


def test_nodes_and_their_ancestors_across_documents_best_document_first(forest):
    fog, fees, keys = (node_named(forest, title) for title in ("Fog", "Yearly fee", "Lost keys"))
    table = induced(forest, keys, fog, fees)
    assert table.text == (
        f"[{keys - 4}] Boat house\n"
        f"  [{keys - 2}] Keys\n"
        f"    [{keys}] Lost keys ({count_tokens(forest.own_text(keys))} tokens)\n"
        f"[{fog - 4}] Safety on the water\n"
        f"  [{fog - 3}] Weather\n"
        f"    [{fog}] Fog (9 tokens)\n"
        f"[0] Club rules (8 tokens)\n"
        f"  [5] Fees\n"
        f"    [{fees}] Yearly fee ({count_tokens(forest.own_text(fees))} tokens)"
    )
    assert [*table.nodes[~np.isnan(table.scores)]] == [keys, fog, fees]
    assert table.depth.tolist() == [0, 1, 2] * 3
    assert table.documents.tolist() == [1, 1, 1, 3, 3, 3, 0, 0, 0]
    assert len(table) == 0
    assert table.found[0].chunk.metadata["node"] == keys
    assert not table.nodes.flags.writeable


@pytest.mark.oracle
def test_the_sub_forest_is_the_union_of_paths_to_the_best_n(forest):
    nodes = np.random.default_rng(0).permutation(np.unique(forest.node))[:12].tolist()
    for n in (1, 2, 5, 12):
        table = induced(forest, *nodes, n_nodes=n)
        expected = set().union(*({node, *forest.ancestors(node)} for node in nodes[:n]))
        assert set(table.nodes.tolist()) == expected
        assert table.tokens.tolist() == [count_tokens(forest.own_text(node)) for node in table.nodes]


def test_over_the_budget_the_lowest_score_goes_first_and_the_best_stays(forest):
    fog, fees, keys = (node_named(forest, title) for title in ("Fog", "Yearly fee", "Lost keys"))
    whole = count_tokens(induced(forest, keys, fog, fees).text)
    two = induced(forest, keys, fog, fees, max_tokens=whole - 1)
    assert two.dropped == (fees,)
    assert 0 not in two.nodes
    one = induced(forest, keys, fog, fees, max_tokens=1)
    assert one.dropped == (fees, fog)
    assert one.nodes[-1] == keys


def test_of_equal_scores_the_deepest_goes_first(forest):
    shallow, deep = node_named(forest, "Boat house", "Opening hours"), node_named(forest, "Keys", "Lost keys")
    found = found_in(forest, shallow, deep)
    tied = tuple(Hit(hit.node, 1.0, hit.chunk, hit.text, hit.leaves) for hit in found)
    table = induce_contents(
        Retrieval("q", tied, found.trace), forest, NO_TERMS, n_nodes=2, max_tokens=1, count=count_tokens
    )
    assert table.dropped == (deep,)


def test_a_node_scores_as_its_best_chunk_and_copies_count():
    forest = section_forest(
        ["# A\n\n## B\n\nSame text here.\n\n## C\n\nOne two. Three four.", "# D\n\nSame text here."], 2
    )
    texts = list(forest.chunks.texts)
    first, copies = texts.index("Same text "), tuple(i for i, text in enumerate(texts) if text == "Same text ")[1:]
    low, high = texts.index("One two. "), texts.index("Three four.")
    hits = [
        Hit(first, 0.5, forest.chunks[first], "", (first,), copies),
        *(Hit(i, score, forest.chunks[i], "", (i,)) for i, score in ((low, 0.1), (high, 0.9))),
    ]
    assert node_scores(Retrieval("q", tuple(hits), Trace((), 0)), forest) == {1: 0.5, 3: 0.5, 2: 0.9}
    assert section_tokens(forest, [0, 2], count_tokens).tolist() == [0, 4]


def test_a_line_shows_the_six_heaviest_words_it_holds(forest):
    words = tuple("abcdefgh")
    terms = QueryTerms(words, np.arange(8.0), lambda node: np.array([True] * 7 + [False]))
    table = induced(forest, node_named(forest, "Fog"), terms=terms)
    assert table.text.splitlines()[-1].endswith("Fog (9 tokens; b, c, d, e, f, g)")
    assert table.holds[:-1].sum() == 0
    assert repr(table).startswith("TableOfContents('q', 3 nodes)\n[")


def test_nothing_found_is_an_empty_table(forest):
    table = induced(forest)
    assert (table.text, table.holds.shape) == ("", (0, 0))

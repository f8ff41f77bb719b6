"""Kruskal's algorithm and path bottlenecks, against networkx."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from psirag.tree.kruskal import Pairs, bottlenecks, kruskal


@st.composite
def connected_pairs(draw):
    """Draw a random connected graph with tied keys and repeated pairs."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, 20))
    u = np.append(rng.integers(0, np.arange(1, n)), rng.integers(0, n, draw(st.integers(0, 40))))
    v = np.append(np.arange(1, n), rng.integers(0, n, len(u) - n + 1))
    low, high = np.minimum(u, v)[u != v], np.maximum(u, v)[u != v]
    key = (low * 7 + high * 11) % draw(st.integers(1, 9))  # a function of the pair, so that repeated pairs agree
    return Pairs(low, high, key), n


@pytest.mark.oracle
@given(connected_pairs())
def test_kruskal_is_networkx_on_ranks(drawn):
    pairs, n = drawn
    ranked = sorted(zip(-pairs.key, pairs.u, pairs.v, strict=True))
    graph = nx.Graph()
    graph.add_weighted_edges_from((u, v, rank) for rank, (_, u, v) in reversed(list(enumerate(ranked))))
    truth = {tuple(sorted(edge)) for edge in nx.minimum_spanning_edges(graph, data=False)}
    tree = kruskal(pairs, n)
    assert set(zip(tree.u, tree.v, strict=True)) == truth
    assert list(zip(-tree.key, tree.u, tree.v, strict=True)) == sorted(zip(-tree.key, tree.u, tree.v, strict=True))


@pytest.mark.oracle
@given(connected_pairs())
def test_the_bottleneck_is_the_last_pair_on_the_path(drawn):
    pairs, n = drawn
    tree = kruskal(pairs, n)
    number = {(u, v): i for i, (u, v) in enumerate(zip(tree.u.tolist(), tree.v.tolist(), strict=True))}
    graph = nx.Graph(list(number))
    u, v = np.triu_indices(n, k=1)
    found = bottlenecks(tree, n).between(u, v)
    for a, b, last in zip(u.tolist(), v.tolist(), found, strict=True):
        path = nx.shortest_path(graph, a, b)
        assert last == max(number[tuple(sorted(step))] for step in pairwise(path))


def test_a_pair_precedes_another_by_key_then_u_then_v():
    a = Pairs(np.array([0, 0, 1, 0, 0]), np.array([1, 2, 2, 3, 3]), np.array([5, 5, 5, 4, 4]))
    b = Pairs(np.array([0, 0, 0, 0, 9]), np.array([1, 3, 9, 1, 9]), np.array([5, 5, 5, 5, 3]))
    assert a.precede(b).tolist() == [False, True, False, False, True]

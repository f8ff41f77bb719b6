"""Many readers at once: threads, processes, and twenty thousand queries with flat memory."""

from __future__ import annotations

import gc
import multiprocessing
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from psirag import Agent, Index, load_questions
from tests.hashing_encoder import HashingEncoder

THREADS, QUERIES = 64, 100


@pytest.fixture(scope="module")
def index() -> Index:
    """Atlas with word vectors that need no model."""
    return Index.build("atlas", encoder=HashingEncoder(name="hashing"))


def found(index: Index, query: str) -> list[tuple[int, float, int]]:
    """Hits, their scores, and the work done."""
    retrieval = index.retrieve(query, k=5)
    return [(hit.node, hit.score, retrieval.trace.nodes_scored) for hit in retrieval]


@cache
def queries() -> list[str]:
    """Questions that differ."""
    return [question.question for question in load_questions("atlas")][:QUERIES]


def test_sixty_four_threads_find_what_one_finds(index):
    serial = [found(index, query) for query in queries()]
    start = threading.Barrier(THREADS)

    def ask(shift: int) -> list:
        start.wait()
        order = np.roll(np.arange(QUERIES), shift)
        results = {int(i): found(index, queries()[i]) for i in order}
        return [results[i] for i in range(QUERIES)]

    with ThreadPoolExecutor(THREADS) as pool:
        assert all(results == serial for results in pool.map(ask, range(THREADS)))


def test_one_agent_answers_in_many_threads_as_in_one(index):
    agent = Agent(index, max_queries=4)
    asked = queries()[:12]
    serial = [(answer.text, answer.status, answer.queries) for answer in map(agent.ask, asked)]
    with ThreadPoolExecutor(8) as pool:
        assert [(answer.text, answer.status, answer.queries) for answer in pool.map(agent.ask, asked)] == serial


@cache
def opened(folder: str) -> Index:
    """The saved index, memory-mapped once a process."""
    return Index.load(folder, encoder=HashingEncoder(name="hashing"), verify=False)


def ask_saved(folder: str, query: str) -> list[tuple[int, float, int]]:
    """What another process finds."""
    return found(opened(folder), query)


def test_two_processes_share_one_index(index, tmp_path):
    folder = tmp_path / "index"
    index.save(folder)
    before = {path: path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}
    serial = [found(index, query) for query in queries()[:20]]
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert list(pool.map(ask_saved, [str(folder)] * 20, queries()[:20])) == serial
    assert {path: path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()} == before


def resident_megabytes() -> float:
    """Memory of this process that lies in RAM."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc, which Linux has")
def test_memory_stays_flat_over_twenty_thousand_queries(index):
    asked = queries()
    sizes = []
    for round_ in range(200):
        for number, query in enumerate(asked):
            index.retrieve(f"{query} {round_ * QUERIES + number}", k=5)
        gc.collect()
        sizes.append(resident_megabytes())
    settled = sizes[20:]
    assert max(settled) - settled[0] < 5, sizes[::20]

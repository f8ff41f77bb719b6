"""Time the builders of the tree and growth, each in a process of its own: `spanning_tree.py CASE [CASE …]`.

A case is KIND:SIZE. SIZE is ROWSxCOLUMNS of synthetic vectors (see `synthetic`), or `real` with --vectors FILE.npy, the
vectors of 2WikiMultihopQA's 6,119 passages. KINDs: exact, scipy, reference, hnsw, quick-hnsw, buckets, insert (the
last 1,000 rows into the others), clump (the same size, 40 % of the rows within 1e-7 of one another), layers (of random
spanning pairs; columns do not matter). Results are printed and kept in results/spanning_tree.json, one entry a case.

CPU seconds count: wall time depends on who else is on the machine. The floor is half a matrix product, n(n − 1)d
operations at the speed of numpy's product on one core, measured before and after, in the same process.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

RESULTS = Path(__file__).parent / "results" / "spanning_tree.json"
LIBRARIES = ("psirag", "numpy", "scipy", "joblib", "threadpoolctl", "faiss-cpu")
NEW = 1_000
SHORT = 5.0  # CPU seconds: shorter runs are repeated twice
PAPER = {  # Ψ-RAG, Table 14; 1,024 dimensions
    "hardware": "8 CPU cores (42k chunks), 64 CPU cores (350k chunks), 256 GB memory",
    "42k, as published": {"ranking_s": 304.84, "indexing_s": 15_996, "memory": "13.16 GB + 65.81 GB"},
    "42k, HNSW": {"ranking_s": 55.99, "indexing_s": 13_957, "memory": "10.55 MB + 656.7 MB"},
    "42k, 4 buckets and HNSW": {"ranking_s": 0.89, "indexing_s": 848, "memory": "2.45 MB + 37.89 MB"},
    "350k, HNSW": {"ranking_s": 168.02, "indexing_s": 280_000, "memory": "88.17 MB + 1.34 GB"},
    "350k, 63 buckets and HNSW": {"ranking_s": 7.87, "indexing_s": 2_261, "memory": "2.15 MB + 34.10 MB"},
}


def synthetic(n: int, d: int, *, clump: bool = False, seed: int = 0) -> np.ndarray:
    """Topics, documents of 10 chunks, a decaying spectrum, 5 % noise points, 0.5 % exact duplicates."""
    rng = np.random.default_rng(seed)
    scale = (1 + np.arange(d)) ** -0.5
    topics = rng.normal(size=(max(1, n // 200), d)) * scale
    documents = topics[rng.integers(0, len(topics), n // 10 + 1)] + 0.7 * rng.normal(size=(n // 10 + 1, d)) * scale
    rows = np.empty((n, d), dtype=np.float32)
    for start in range(0, n, 10_000):
        chunk = np.arange(start, min(start + 10_000, n))
        part = documents[chunk // 10] + 0.6 * rng.normal(size=(len(chunk), d)) * scale
        noise = rng.random(len(chunk)) < 0.05
        part[noise] = rng.normal(size=(noise.sum(), d)) * scale
        rows[chunk] = part / np.linalg.norm(part, axis=1, keepdims=True)
    copies = rng.choice(n, n // 200, replace=False)
    rows[copies] = rows[rng.integers(0, n, len(copies))]
    if clump:
        close = rng.choice(n, 2 * n // 5, replace=False)
        rows[close] = rows[close[0]] + 1e-7 * rng.normal(size=(len(close), d)) * d**-0.5
    return rows


def product_rate(d: int) -> float:
    """Operations a second of numpy's float32 matrix product on one core, at the size of a tile."""
    from threadpoolctl import threadpool_limits

    rng = np.random.default_rng(0)
    left, right = rng.random((512, d), dtype=np.float32), rng.random((4096, d), dtype=np.float32)
    with threadpool_limits(1):
        left @ right.T
        start = process_time()
        for _ in range(30):
            left @ right.T
        return 30 * 2 * 512 * 4096 * d / (process_time() - start)


def timed(run: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    """What a call returns, its wall and CPU seconds (of short runs the best), and the most memory there has been."""
    best, spent, repeats = np.inf, {}, 0
    while repeats == 0 or (repeats < 3 and best < SHORT):
        wall, cpu = perf_counter(), process_time()
        made = run()
        wall, cpu = perf_counter() - wall, process_time() - cpu
        spent = {"wall_s": wall, "cpu_s": cpu} if cpu < best else spent
        best, repeats = min(best, cpu), repeats + 1
    return made, {**spent, "repeats": repeats, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def measure(kind: str, vectors: np.ndarray) -> dict[str, Any]:
    """Run one kind on vectors; imports happen before the clock starts."""
    import joblib  # noqa: F401 - so that importing it is not timed

    from psirag.tree.building import build_tree, reference_tree, tree_of_pairs
    from psirag.tree.spanning_tree import spanning_tree

    build_tree(np.random.default_rng(0).normal(size=(700, 8)))
    if kind in ("exact", "clump"):
        return timed(lambda: build_tree(vectors))[1]
    if kind == "reference":
        tree, spent = timed(lambda: reference_tree(vectors))
        return {**spent, "equal to build_tree": tree == build_tree(vectors)}
    if kind == "scipy":
        from scipy.cluster.hierarchy import linkage

        return timed(lambda: linkage(vectors, "single"))[1]
    if kind == "insert":
        return measure_insertion(vectors)
    from psirag.tree.agreement import agreement
    from psirag.tree.bucketing import bucketed_pairs, bucketed_tree
    from psirag.tree.hnsw import hnsw_pairs
    from psirag.tree.similarity_keys import similarity_keys
    from psirag.tree.spanning_tree import SpanningTree
    from psirag.vectors import unit_rows

    if kind == "buckets":
        rows = unit_rows(vectors)
        tree, spent = timed(lambda: bucketed_tree(rows))
        u, v = bucketed_pairs(rows)
        shares = agreement(
            tree, build_tree(rows), SpanningTree(u, v, similarity_keys(rows, u, v), len(rows)), spanning_tree(rows)
        )
        return {
            **spent,
            "share of nodes": shares.nodes,
            "share of pairs": shares.pairs,
            "share of weight": shares.weight,
        }
    quick = {"links": 16, "ef_construction": 40, "ef_search": 64} if kind == "quick-hnsw" else {}
    rows = unit_rows(vectors)
    pairs, spent = timed(lambda: hnsw_pairs(rows, threads=os.cpu_count() or 1, **quick))
    exact = spanning_tree(rows)
    shares = agreement(tree_of_pairs(pairs), tree_of_pairs(exact), pairs, exact)
    return {**spent, **told(shares)}


def told(shares: Any) -> dict[str, float]:
    """Name the shares of the exact tree that an approximate one has."""
    return {"share of nodes": shares.nodes, "share of pairs": shares.pairs, "share of weight": shares.weight}


def measure_insertion(vectors: np.ndarray) -> dict[str, Any]:
    """Insert the last rows into the others, and build anew."""
    from psirag.tree.insertion import insert_rows, remove_rows
    from psirag.tree.spanning_tree import spanning_tree
    from psirag.vectors import unit_rows

    rows = unit_rows(vectors)
    old = spanning_tree(rows[:-NEW])
    grown, spent = timed(lambda: insert_rows(old, rows))
    rebuilt, anew = timed(lambda: spanning_tree(rows))
    left, removing = timed(lambda: remove_rows(rebuilt, rows, range(len(rows) - NEW, len(rows))))
    return {
        **spent,
        "rebuild_cpu_s": anew["cpu_s"],
        "rebuild_over_insert": anew["cpu_s"] / spent["cpu_s"],
        "equal to the rebuild": bool(np.array_equal([grown.u, grown.v], [rebuilt.u, rebuilt.v])),
        "remove_cpu_s": removing["cpu_s"],
        "removal equal to the rebuild": bool(np.array_equal([left.u, left.v], [old.u, old.v])),
    }


def measure_layers(n: int) -> dict[str, Any]:
    """Read the tree off random spanning pairs."""
    from psirag.tree.building import tree_of_pairs
    from psirag.tree.layering import boruvka_layers
    from psirag.tree.spanning_tree import SpanningTree

    rng = np.random.default_rng(0)
    v = np.arange(1, n)
    order = rng.permutation(n - 1)
    pairs = SpanningTree((rng.random(n - 1) * v).astype(np.int64)[order], v[order], np.arange(n - 1)[::-1].copy(), n)
    tree, spent = timed(lambda: boruvka_layers(pairs))
    balanced = timed(lambda: tree_of_pairs(pairs))[1]
    return {**spent, "depth": tree.depth, "with rebalancing_cpu_s": balanced["cpu_s"]}


def one_case(case: str, file: Path) -> None:
    """Measure a case in this process and print what came out."""
    kind, size = case.split(":")
    if kind == "layers":
        found, floor = measure_layers(int(size.split("x")[0])), {}
    else:
        vectors = np.load(file, mmap_mode="r", allow_pickle=False)
        n, d = vectors.shape
        rates = [product_rate(d)]
        found = measure(kind, vectors)
        rates.append(product_rate(d))
        seconds = n * (n - 1) * d / float(np.mean(rates))
        rounded = [round(rate / 1e9, 1) for rate in rates]
        floor = {"gflops": rounded, "floor_cpu_s": seconds, "cpu_over_floor": found["cpu_s"] / seconds}
    print(json.dumps({**found, **floor}))


def run_case(case: str, real: Path | None, scratch: Path) -> dict[str, Any]:
    """Make the vectors in one process and measure in another, so that making them is not in the peak."""
    kind, size = case.split(":")
    file = real if size == "real" else scratch / f"{size}{'-clump' if kind == 'clump' else ''}.npy"
    if file is None:
        raise SystemExit("the case `real` needs --vectors FILE.npy")
    if kind != "layers" and not file.exists():
        subprocess.run([sys.executable, __file__, "--make", str(file)], check=True)
    command = [sys.executable, __file__, "--one", str(file), case]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    measured = {"date": datetime.now(UTC).date().isoformat(), "load": os.getloadavg()[0], **hardware()}
    return {**json.loads(done.stdout), **measured}


def hardware() -> dict[str, Any]:
    """Name the machine and the versions."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    versions = {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}}
    return {"cpu": names[0] if names else platform.processor(), "cores": os.cpu_count(), "versions": versions}


def main() -> None:
    """Measure the cases one by one, print them and keep them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.make:
        size, _, clump = arguments.make.stem.partition("-")
        np.save(arguments.make, synthetic(*map(int, size.split("x")), clump=bool(clump)))
    elif arguments.one:
        one_case(arguments.cases[0], arguments.one)
    else:
        with tempfile.TemporaryDirectory() as scratch:
            for case in arguments.cases:
                found = run_case(case, arguments.vectors, Path(scratch))
                print(case, json.dumps({key: value for key, value in found.items() if key != "versions"}), flush=True)
                kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"cases": {}}
                cases = {**kept["cases"], case: found}
                RESULTS.parent.mkdir(exist_ok=True)
                text = json.dumps({"paper, Table 14": PAPER, "cases": dict(sorted(cases.items()))}, indent=1)
                RESULTS.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Encoder, faiss flat search, reader and likelihood stopping in one process: device, seconds, equality with the CPU.

On a machine with a GPU:  python tests/gpu_check.py [MODEL]     (a name for `load_reader`; smollm2 when left out)
Ends with 1 when a number differs from the CPU's by more than rounding. Generated words are compared and shown only.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from psirag.agent import Agent
from psirag.encoding import load_encoder
from psirag.index import Index
from psirag.readers import load_reader
from psirag.retrieval.flat import FlatIndex

QUESTION = "Which planet orbits the Sun in 88 days?"
TOLERANCE = {"encoder": 1e-3, "likelihood": 0.05}  # largest difference of a coordinate, and of a probability


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """What a call returns, and its seconds, the GPU's work included."""
    import torch

    started = time.perf_counter()
    result = call()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return result, time.perf_counter() - started


def describe_device(device: str) -> str:
    """The device's name and memory."""
    import torch

    if device == "cpu":
        return f"cpu, {torch.get_num_threads()} threads"
    about = torch.cuda.get_device_properties(device)
    return f"{device}, {about.name}, {about.total_memory / 2**30:.0f} GiB"


def check_encoder(device: str, texts: list[str]) -> tuple[str, bool]:
    """Rows on the device against rows on the CPU."""
    here, seconds = timed(lambda: load_encoder(device=device, cache=False).encode(texts))
    there = load_encoder(device="cpu", cache=False).encode(texts)
    worst = float(np.abs(here - there).max())
    return f"{len(texts)} texts in {seconds:.2f} s, largest difference {worst:.1e}", worst <= TOLERANCE["encoder"]


def check_flat_search(rows: int) -> tuple[str, bool]:
    """The ten nearest rows by faiss, on its GPU where it has one, against numpy."""
    import faiss

    made = np.random.default_rng(0).normal(size=(rows, 384)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    index = FlatIndex(made, backend="faiss")
    found, seconds = timed(lambda: index.search(made[:100], 10))
    plain = FlatIndex(made, backend="numpy").search(made[:100], 10)
    equal = all(np.array_equal(a.nodes, b.nodes) for a, b in zip(found, plain, strict=True))
    gpus = getattr(faiss, "get_num_gpus", int)()
    return f"{gpus} GPUs for faiss, 100 queries over {rows} rows in {seconds:.3f} s, same ids {equal}", equal


def check_reader(device: str, model: str, index: Index) -> tuple[str, bool]:
    """A question answered on both devices in float32: words a second, and how far the words agree."""
    said = {}
    for place in dict.fromkeys((device, "cpu")):
        reader = load_reader(model, device=place, dtype="float32", max_thought=48)
        reader.decide(_state(index), may_retrieve=False)  # the first run compiles and allocates
        reader = load_reader(model, device=place, dtype="float32", max_thought=48)
        said[place], seconds = timed(lambda reader=reader: reader.decide(_state(index), may_retrieve=False))
        if place == device:
            rate = said[place].tokens / seconds
    here, there = said[device].raw, said["cpu"].raw
    same = next((i for i, (a, b) in enumerate(zip(here, there, strict=False)) if a != b), min(len(here), len(there)))
    agree = f"first {same} of {len(there)} characters as on the CPU"
    return f"{said[device].tokens} tokens in {seconds:.2f} s, {rate:.1f} a second, {agree}", bool(here) == bool(there)


def check_likelihood(device: str, model: str, index: Index) -> tuple[str, bool]:
    """The probability of answering now, on both devices, after the same words; and the loop on the device."""
    shares = []
    for place in (device, "cpu"):
        reader = load_reader(model, device=place, dtype="float32")
        prompt = [{"role": "user", "content": QUESTION}]
        logs, seconds = timed(
            lambda reader=reader, prompt=prompt: reader.model.log_probabilities(
                prompt, opening="Thought: so", endings=("\nAnswer:", "\nRetrieve:"), on_text=lambda _: None
            )
        )
        shares.append((1 / (1 + np.exp(logs[1] - logs[0])), seconds))
    reader = load_reader(model, device=device, stopping="likelihood", dtype="float32", max_thought=32)
    answer = Agent(index, reader).ask(QUESTION, 3)
    weighed = [step.decision.probabilities["answer"] for step in answer.steps if step.decision]
    worst = abs(shares[0][0] - shares[1][0])
    line = f"answer {shares[0][0]:.4f}, on the CPU {shares[1][0]:.4f}, {shares[0][1]:.2f} s; "
    line += f"the agent: {answer.status} after {len(answer.queries)} queries, {', '.join(f'{p:.2f}' for p in weighed)}"
    return line, worst <= TOLERANCE["likelihood"] and answer.status in ("answered", "not_mentioned", "budget_exhausted")


def check(model: str = "smollm2", *, device: str = "", rows: int = 100_000, texts: int = 512) -> bool:
    """Run all four and print a line for each; True when all agree with the CPU."""
    import torch

    device = device or ("cuda:0" if torch.cuda.is_available() else "cpu")
    print(f"device      {describe_device(device)}")
    index = Index.build("toy", encoder=load_encoder(device=device), abstraction="centroid")
    sentences = [f"Sentence {number} tells of {word}." for number in range(texts // 2) for word in ("bees", "oaks")]
    checks = {
        "encoder": lambda: check_encoder(device, sentences),
        "flat": lambda: check_flat_search(rows),
        "reader": lambda: check_reader(device, model, index),
        "likelihood": lambda: check_likelihood(device, model, index),
    }
    fine = True
    for name, run in checks.items():
        (line, equal), seconds = timed(run)
        fine = fine and equal
        print(f"{name:<11} {'equal' if equal else 'DIFFERS'}: {line} ({seconds:.1f} s in all)")
    print("all equal to the CPU" if fine else "something DIFFERS from the CPU")
    return fine


def _state(index: Index) -> Any:
    """What a reader sees after one retrieval."""
    from psirag.readers import AgentState
    from psirag.transcript import gather_evidence

    found = ((index.retrieve(QUESTION, 3),),)
    return AgentState(QUESTION, gather_evidence(found), found, 0, 0)


if __name__ == "__main__":
    sys.exit(not check(*sys.argv[1:2]))

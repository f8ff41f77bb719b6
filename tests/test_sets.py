"""Sets by name."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import zipfile

import pytest

from psirag.corpus import load_corpus, load_questions
from psirag.corpus.sets import PUBLIC_SETS, built_in_sets
from psirag.errors import PsiragError


@pytest.fixture
def without_hub(monkeypatch):
    """Make huggingface_hub impossible to import, as on a base install."""
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    monkeypatch.delenv("PSIRAG_DATA", raising=False)


def write(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows), encoding="utf-8")


def test_built_in_sets_are_found_from_any_folder(monkeypatch, tmp_path):
    (tmp_path / "toy").mkdir()
    monkeypatch.chdir(tmp_path)
    assert "toy" in built_in_sets("corpus")
    assert (load_corpus("toy").name, len(load_corpus("toy")), len(load_questions("toy"))) == ("toy", 12, 5)
    with pytest.raises(PsiragError, match=r"must hold \.txt or \.md"):
        load_corpus("./toy")


@pytest.mark.parametrize(
    ("name", "near"),
    [("tyo", "'toy'"), ("HotpotQA", "'hotpotqa'"), ("2wiki", "'2wikimultihopqa'"), ("musiqe", "'musique'")],
)
def test_an_unknown_name_lists_the_sets_and_the_nearest(name, near):
    with pytest.raises(PsiragError, match=r"load_corpus needs a set \(.*toy, .*wcep\)") as caught:
        load_corpus(name)
    assert f"Did you mean {near}" in str(caught.value)
    with pytest.raises(PsiragError, match="load_questions needs a set"):
        load_questions(name)


ROWS = {  # one row of each set in its own format, which must be recognised by name wherever it lies
    "narrativeqa": {"document": {"id": "s1", "text": "passage"}, "question": {"text": "Why?"}, "answers": []},
    "qmsum": {
        "meeting_transcripts": [{"speaker": "A", "content": "passage"}],
        "general_query_list": [{"query": "Why?", "answer": "a"}],
        "specific_query_list": [],
    },
    "wcep": {"document": ["passage"], "summary": "a"},
}


def packed(path, rows):
    lines = "\n".join(map(json.dumps, rows))
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("test.txt", lines)
    elif path.suffix == ".gz":
        path.write_bytes(gzip.compress(lines.encode()))
    else:
        path.write_text(json.dumps(rows) if path.suffix == ".json" else lines, encoding="utf-8")


@pytest.mark.parametrize("name", sorted(PUBLIC_SETS))
@pytest.mark.parametrize("layout", ["{name}/{file}", "{name}/{part}.json", "{file}"])
@pytest.mark.parametrize("how", ["argument", "environment"])
def test_public_sets_lie_in_a_local_folder(name, layout, how, tmp_path, monkeypatch, without_hub):
    for part in ("corpus", "questions"):
        plain = [{"text": "passage"}] if part == "corpus" else ["Why?"]
        file = PUBLIC_SETS[name].files(part)[0]
        packed(tmp_path / layout.format(name=name, part=part, file=file), [ROWS[name]] if name in ROWS else plain)
    folder = tmp_path if how == "argument" else None
    if how == "environment":
        monkeypatch.setenv("PSIRAG_DATA", str(tmp_path))
    if how == "environment" and (layout, name) in (("{file}", "multihop-rag"), ("{file}", "wcep")):
        with pytest.raises(PsiragError, match=rf"needs the file {PUBLIC_SETS[name].corpus[0]}"):
            load_corpus(name)
        return
    corpus = load_corpus(name, folder=folder)
    assert (corpus.name, corpus[0].text.endswith("passage")) == (name, True)
    assert load_questions(name, folder=folder)[0].question in ("Why?", "Summarise this news event.")


def test_the_folder_of_the_call_goes_before_the_environment(tmp_path, monkeypatch, without_hub):
    write(tmp_path / "a" / "nq" / "corpus.json", ["a"])
    write(tmp_path / "b" / "nq" / "corpus.json", ["b"])
    monkeypatch.setenv("PSIRAG_DATA", str(tmp_path / "a"))
    assert load_corpus("nq")[0].text == "a"
    assert load_corpus("nq", folder=tmp_path / "b")[0].text == "b"


def test_the_error_says_which_file_was_looked_for_and_where(tmp_path, without_hub, monkeypatch):
    with pytest.raises(
        PsiragError, match=r"needs the file nq_rear_corpus\.json, .*PSIRAG_DATA is not set.*not installed"
    ):
        load_corpus("nq")
    with pytest.raises(PsiragError, match=r"the hub does not have this set\. .*Yale-LILY/QMSum .*put it into"):
        load_corpus("qmsum")
    with pytest.raises(PsiragError, match="the hub was not asked because folder= was given") as caught:
        load_questions("multihop-rag", folder=tmp_path)
    for path in ("multihop-rag/MultiHopRAG.json", "multihop-rag/questions.json", "MultiHopRAG.json"):
        assert str(tmp_path / path) in str(caught.value)
    assert "yixuantt/MultiHopRAG" in str(caught.value)
    monkeypatch.setenv("PSIRAG_DATA", str(tmp_path))
    with pytest.raises(PsiragError, match="not installed"):
        load_corpus("nq")


def test_a_hub_that_cannot_be_reached_is_named(tmp_path):
    pytest.importorskip("huggingface_hub")
    code = "from psirag.corpus import load_corpus; load_corpus('musique')"
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)}
    environment.pop("PSIRAG_DATA", None)
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert "PsiragError: load_corpus('musique') needs the file musique_corpus.json" in done.stderr
    assert "hub dataset osunlp/HippoRAG_2 did not give it" in done.stderr


def test_the_hub_is_asked_for_a_named_set_only(tmp_path):
    pytest.importorskip("huggingface_hub")
    code = "import sys; from psirag.corpus import *; load_corpus('toy'); print('huggingface_hub' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "False\n"


def test_a_file_in_the_hubs_cache_is_read_without_network(tmp_path):
    pytest.importorskip("huggingface_hub")
    repository = tmp_path / "datasets--osunlp--HippoRAG_2"
    write(repository / "snapshots" / ("0" * 40) / "popqa_corpus.json", [{"title": "T", "text": "cached"}])
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("0" * 40)
    code = "from psirag.corpus import load_corpus as f; c = f('popqa'); print(c.name, c[0].text)"
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HUB_CACHE": str(tmp_path)}
    environment.pop("PSIRAG_DATA", None)
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "popqa cached\n"


def test_further_questions_on_a_built_in_set_have_a_name_of_their_own():
    first, second = load_questions("atlas"), load_questions("atlas-second")
    assert "atlas-second" not in built_in_sets("corpus")
    assert len(second) >= 30
    assert not {question.id for question in first} & {question.id for question in second}


def test_a_folder_of_documents_is_read_whole_and_without_the_readme_beside_it(tmp_path):
    (tmp_path / "documents").mkdir()
    for name, text in {"02-b.md": "# B\n\n## Part\n\nText.\n", "01-a.md": "# A\n\nOne.\n"}.items():
        (tmp_path / "documents" / name).write_text(text, encoding="utf-8")
    (tmp_path / "README.md").write_text("# About", encoding="utf-8")
    write(tmp_path / "questions.json", [{"question": "Why?", "supporting_titles": ["B"], "kind": "narrative"}])
    corpus = load_corpus(tmp_path)
    assert (corpus.kind, corpus.name, corpus.titles) == ("documents", tmp_path.name, ("A", "B"))
    assert corpus[1].text == "# B\n\n## Part\n\nText.\n"
    assert load_questions(tmp_path, corpus=corpus)[0].supporting_documents == (1,)


@pytest.mark.parametrize("name", sorted(built_in_sets("corpus")))
def test_the_evidence_of_every_built_in_set_is_in_its_corpus(name):
    if name not in built_in_sets("questions"):
        pytest.skip(f"{name} has no questions yet")
    corpus = load_corpus(name)
    for question in load_questions(name, corpus=corpus):
        assert [corpus[i].title for i in question.supporting_documents] == list(question.supporting_titles)

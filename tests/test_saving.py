"""A saved evaluation: there and back, and every kind of damage told."""

from __future__ import annotations

import json

import pytest

from psirag.errors import PsiragError
from psirag.evaluation import Evaluation, Outcome
from psirag.index import Index
from psirag.storage import write_folder, write_lines
from tests.hashing_encoder import HashingEncoder


@pytest.fixture
def evaluation():
    figures, seconds = {"recall@2": 0.1 + 0.2, "queries": 3.0}, {"seconds": 0.25}
    words = {"asked": "Where?", "answers": ("Zürich", "Zurich")}
    outcomes = (
        Outcome("Ψ", "q1", "single", 2, True, "answered", "Zürich", "", (4, -1), "ab", figures, seconds, **words),
        Outcome("Ψ", "q2", "", None, False, "failed", error="no\nluck"),
    )
    notes = {"Ψ": "", "IRCoT": "not run: needs a model"}
    return Evaluation(notes, outcomes, (2, 5), 7, {"versions": {"numpy": "2"}}, "2026-01-01T00:00:00+00:00")


def test_there_and_back(evaluation, tmp_path):
    evaluation.save(tmp_path / "run")
    found = Evaluation.load(tmp_path / "run")
    assert found == evaluation
    assert (found.date, dict(found.manifest)) == (evaluation.date, evaluation.manifest)
    assert [each.seconds for each in found.outcomes] == [each.seconds for each in evaluation.outcomes]
    assert found.table().equals(evaluation.table())
    assert found.questions().equals(evaluation.questions())
    assert found.questions()[["asked", "answers"]].to_numpy().tolist() == [["Where?", ("Zürich", "Zurich")], ["", ()]]


def test_what_was_saved_without_the_words_of_the_questions_still_loads(evaluation, tmp_path):
    def write_old(at):
        for name in ("outcomes.jsonl", "seconds.jsonl"):
            rows = [json.loads(line) for line in (tmp_path / "run" / name).read_text().splitlines()]
            write_lines(at / name, [{k: v for k, v in row.items() if k not in ("asked", "answers")} for row in rows])

    evaluation.save(tmp_path / "run")
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    about = {name: manifest[name] for name in ("kind", "date", "k", "seed", "systems", "made")}
    write_folder(tmp_path / "old", write_old, about, overwrite=False)
    found = Evaluation.load(tmp_path / "old")
    assert found.table().equals(evaluation.table())
    assert {each.asked for each in found.outcomes} == {""}


def test_only_the_seconds_and_the_date_are_apart(evaluation, tmp_path):
    evaluation.save(tmp_path / "run")
    assert "0.25" not in (tmp_path / "run" / "outcomes.jsonl").read_text()
    assert json.loads((tmp_path / "run" / "manifest.json").read_text())["date"] == evaluation.date


def test_it_replaces_itself_only_when_told(evaluation, tmp_path):
    evaluation.save(tmp_path / "run")
    with pytest.raises(PsiragError, match="new folder"):
        evaluation.save(tmp_path / "run")
    shorter = Evaluation(evaluation.systems, evaluation.outcomes[:1], (2,))
    shorter.save(tmp_path / "run", overwrite=True)
    assert Evaluation.load(tmp_path / "run") == shorter
    assert [path.name for path in tmp_path.iterdir()] == ["run"]  # nothing is left beside it


def test_it_never_replaces_an_index(evaluation, tmp_path):
    index = Index.build(["Beavers build dams.", "Bats hunt moths."], encoder=HashingEncoder(), abstraction="centroid")
    index.save(tmp_path / "index")
    with pytest.raises(PsiragError, match="replaces a saved evaluation only"):
        evaluation.save(tmp_path / "index", overwrite=True)
    with pytest.raises(PsiragError, match=r"the folder of a saved evaluation.*something else"):
        Evaluation.load(tmp_path / "index")


def lines_swapped(folder):
    path = folder / "outcomes.jsonl"
    path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))


def altered_manifest(folder):
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace("Ψ", "B"))


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda folder: (folder / "outcomes.jsonl").unlink(), r"outcomes\.jsonl"),
        (lambda folder: (folder / "seconds.jsonl").write_text(""), r"seconds\.jsonl"),
        (lines_swapped, r"outcomes\.jsonl"),
        (lambda folder: (folder / "manifest.json").write_text("{}"), "format None"),
        (altered_manifest, r"manifest\.json"),
    ],
    ids=["missing", "truncated", "altered", "manifest", "altered manifest"],
)
def test_damage_is_told(evaluation, tmp_path, damage, told):
    evaluation.save(tmp_path / "run")
    damage(tmp_path / "run")
    with pytest.raises(PsiragError, match=told):
        Evaluation.load(tmp_path / "run")


@pytest.mark.parametrize("name", ["nothing", "file"])
def test_what_is_no_evaluation_is_told(tmp_path, name):
    (tmp_path / "file").write_text("text")
    with pytest.raises(PsiragError, match="needs the folder of a saved evaluation"):
        Evaluation.load(tmp_path / name)

"""The query hop discriminator: what it may learn from, what it predicts, and that it comes back as it was saved."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.neural_network import MLPClassifier

from psirag.agent import Agent
from psirag.corpus import Question, load_questions
from psirag.encoding import as_encoder
from psirag.errors import PsiragError
from psirag.hop_discriminator import HopDiscriminator, train_hop_discriminator
from psirag.index import Index
from psirag.storage import MANIFEST
from tests.hashing_encoder import HashingEncoder

ENCODER = HashingEncoder()
WORDS = {1: "capital of", 2: "mother of the director of", 3: "club of the coach of the rival of", 5: "a b c d e"}
NAMES = "Ada Bob Cyd Dov Eve Fay Gus Hal Ivo Jan Kim Leo".split()


def questions(*hops, names=NAMES):
    return tuple(Question(f"{h}{n}", f"What is the {WORDS[h]} {n}?", hops=h) for h in hops for n in names)


def vectors(asked):
    return as_encoder(ENCODER).encode_queries([each.question for each in asked])


def train(sets, evaluated="other", **settings):
    return train_hop_discriminator(sets, evaluated=evaluated, encoder=ENCODER, **{"hidden": 8, **settings})


@pytest.fixture(scope="module")
def discriminator():
    return train({"first": questions(1, 2), "second": questions(3, 5)})


def test_hops_are_learned_and_more_than_four_count_as_four(discriminator):
    assert discriminator.hops.tolist() == [1, 2, 3, 4]
    unseen = questions(1, 2, 3, 5, names=["Mia", "Ned"])
    assert discriminator.predict(vectors(unseen)).tolist() == [1, 1, 2, 2, 3, 3, 4, 4]
    assert discriminator.max_retrievals(vectors(unseen)).tolist() == [2, 2, 2, 2, 3, 3, 4, 4]
    assert discriminator.trained_on == ("first", "second")
    assert discriminator.predict(np.empty((0, ENCODER.dimension))).shape == (0,)


@pytest.mark.oracle
@pytest.mark.parametrize("hops", [(1, 2), (1, 2, 3)])
def test_predictions_are_those_of_scikit_learn(hops):
    asked = questions(*hops)
    mine = train({"a": asked})
    labels = [each.hops for each in asked]
    theirs = MLPClassifier((8,), alpha=1.0, learning_rate_init=0.01, max_iter=1000, random_state=0)
    theirs.fit(vectors(asked).astype(np.float64), labels)
    rows = np.random.default_rng(0).normal(size=(500, ENCODER.dimension))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert np.array_equal(mine.predict(rows), theirs.predict(rows.astype(np.float32).astype(np.float64)))


@pytest.mark.oracle
def test_predictions_by_hand():
    hidden, output = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    made = HopDiscriminator(hidden, np.array([-0.5, 0]), output, np.array([0, 0.2, 0]), np.array([1, 2, 4]), (), "")
    # (1, 0): scores (0.5, 0.2, 0); (0, 1): (0, 0.2, 2); (-1, 0): (0, 0.2, 0)
    assert made.predict([[1, 0], [0, 1], [-1, 0]]).tolist() == [1, 4, 2]


def test_the_same_seed_gives_the_same_weights_and_each_setting_counts(discriminator):
    sets = {"first": questions(1, 2), "second": questions(3, 5)}
    again = train(sets)
    for name in ("hidden", "hidden_bias", "output", "output_bias"):
        assert getattr(again, name).tobytes() == getattr(discriminator, name).tobytes()
    for settings in ({"seed": 1}, {"penalty": 0.1}, {"hidden": 9}):
        assert train(sets, **settings).hidden.tobytes() != discriminator.hidden.tobytes()


def test_questions_without_hops_teach_nothing(discriminator):
    sets = {"first": questions(1, 2), "second": (*questions(3, 5), Question("x", "Who ate the mother of it?"))}
    assert train(sets).hidden.tobytes() == discriminator.hidden.tobytes()


@pytest.mark.parametrize(
    ("names", "evaluated"),
    [
        (["atlas"], "atlas"),
        (["newsroom", "atlas"], "Atlas"),
        (["atlas-second"], "atlas"),
        (["newsroom", "atlas"], "atlas-second"),
    ],
)
def test_the_evaluated_corpus_is_refused(names, evaluated):
    with pytest.raises(
        PsiragError, match=rf"other sets than the evaluated one, but got .*on the corpus of '{evaluated}'"
    ):
        train({name: questions(1, 2) for name in names}, evaluated=evaluated)


@pytest.mark.parametrize(
    ("sets", "settings", "message"),
    [
        ({}, {}, "needs questions by the name of their set"),
        (questions(1, 2), {}, "needs questions by the name of their set"),
        ({1: questions(1, 2)}, {}, "needs questions by the name of their set"),
        ({"a": ["What?"]}, {}, r"'a' must hold Question only, .* positions 0 \(str\)"),
        ({"a": questions(2)}, {}, r"at least two numbers of hops, but got 12 questions of \[2\] hops"),
        ({"a": (Question("x", "Who?"),)}, {}, r"but got 0 questions of \[\] hops"),
        ({"a": questions(1, 2)}, {"evaluated": None}, "evaluated must be a str"),
        ({"a": questions(1, 2)}, {"hidden": True}, "hidden must be an integer"),
        ({"a": questions(1, 2)}, {"seed": -1}, "seed must be at least 0"),
        ({"a": questions(1, 2)}, {"penalty": 0}, "penalty must be a number above 0"),
        ({"a": questions(1, 2)}, {"penalty": True}, "penalty must be a number above 0"),
        ({"a": questions(1, 2)}, {"penalty": float("nan")}, "penalty must be a number above 0"),
    ],
)
def test_wrong_training_is_refused(sets, settings, message):
    with pytest.raises(PsiragError, match=message):
        train(sets, **settings)


def test_wrong_vectors_and_arrays_are_refused(discriminator):
    with pytest.raises(
        PsiragError, match=rf"predict needs rows of {ENCODER.dimension} columns, but got shape \(2, 3\)"
    ):
        discriminator.predict(np.ones((2, 3)))
    with pytest.raises(PsiragError, match="must be finite, but got NaN or infinity in row 1"):
        discriminator.predict(np.array([[1.0] * ENCODER.dimension, [np.nan] * ENCODER.dimension]))
    for wrong in ({"hidden_bias": np.zeros(7)}, {"output": np.zeros((8, 3))}, {"hops": np.array([1])}):
        with pytest.raises(PsiragError, match="arrays must fit together"):
            replace(discriminator, **wrong)
    with pytest.raises(ValueError, match="read-only"):
        discriminator.hidden[0, 0] = 1.0


def test_it_comes_back_as_it_was_saved(discriminator, tmp_path):
    folder = tmp_path / "é" / "hops"
    discriminator.save(folder)
    assert sorted(path.name for path in folder.iterdir()) == [MANIFEST, "weights.npz"]
    again = HopDiscriminator.load(folder)
    asked = vectors(questions(1, 2, 3, 5, names=["Mia", "Ned", "Oda"]))
    assert np.array_equal(again.predict(asked), discriminator.predict(asked))
    assert (again.trained_on, again.encoder) == (("first", "second"), discriminator.encoder)
    assert again.hidden.tobytes() == discriminator.hidden.tobytes()
    with pytest.raises(PsiragError, match="save needs a new folder"):
        discriminator.save(folder)


def test_damaged_and_foreign_folders_are_named(discriminator, tmp_path):
    folder = tmp_path / "hops"
    needs = "load needs the folder of a saved hop discriminator, but got "
    damaged = r"load needs the file {} as it was saved, but got "
    with pytest.raises(PsiragError, match=needs + ".*which does not exist"):
        HopDiscriminator.load(folder)
    discriminator.save(folder)
    weights, manifest = folder / "weights.npz", (folder / MANIFEST).read_text(encoding="utf-8")
    content = weights.read_bytes()
    for wrong, message in ((content[:-1], "bytes where"), (content[:-1] + b"x", "SHA-256 differs")):
        weights.write_bytes(wrong)
        with pytest.raises(PsiragError, match=damaged.format(r"weights\.npz") + f".*{message}"):
            HopDiscriminator.load(folder)
    weights.write_bytes(content)
    (folder / MANIFEST).write_text(manifest.replace("first", "third"), encoding="utf-8")
    with pytest.raises(PsiragError, match=damaged.format(r"manifest\.json") + ".*SHA-256"):
        HopDiscriminator.load(folder)
    Index.build("toy", encoder=ENCODER).save(tmp_path / "index")
    with pytest.raises(PsiragError, match=needs + ".*which holds something else"):
        HopDiscriminator.load(tmp_path / "index")
    for call in (HopDiscriminator.load, discriminator.save):
        with pytest.raises(PsiragError, match="folder must be a path"):
            call(None)


def test_no_pickle_is_ever_read(discriminator, tmp_path, monkeypatch):
    broken = {
        name: np.array([None], dtype=object) for name in ("hidden", "hidden_bias", "output", "output_bias", "hops")
    }
    saving = np.savez
    monkeypatch.setattr(np, "savez", lambda at, **arrays: saving(at, allow_pickle=True, **broken))
    discriminator.save(tmp_path / "hops")
    with pytest.raises(PsiragError, match="allow_pickle"):
        HopDiscriminator.load(tmp_path / "hops")


def test_an_agent_takes_its_budget_from_the_predicted_hops(discriminator):
    index = Index.build("toy", encoder=ENCODER)
    allowed = discriminator.max_retrievals(index.encoder.encode_queries([questions(3)[0].question]))
    assert Agent(index, max_retrievals=allowed[0]).max_retrievals == 3


def test_the_committed_figures_leave_each_corpus_out():
    results = Path(__file__).parent / "benchmarks" / "results" / "hop_discriminator.json"
    found = json.loads(results.read_text(encoding="utf-8"))
    for name, row in found["corpora"].items():
        assert name not in row["trained on"]
        assert len(row["trained on"]) >= 2
    assert set(found["corpora"]) <= {"atlas", "newsroom", "handbook", "2wiki"}
    counted = {
        name: sum(q.hops is not None for q in load_questions(name)) for name in found["corpora"] if name != "2wiki"
    }
    assert {name: found["corpora"][name]["questions"] for name in counted} == counted

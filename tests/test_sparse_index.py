"""BM25 by hand on three texts, against bm25s itself, in many scripts, and after a reload in a new process."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from psirag.errors import PsiragError, PsiragWarning
from psirag.retrieval import SparseIndex
from psirag.retrieval.keyword_tokens import KeywordTokens, fold

ROOT = Path(__file__).resolve().parent.parent
TEXTS = ["radium glows", "radium radium decay slowly", "paris"]


def found(texts, query, k=10):
    (ranking,) = SparseIndex.build(texts).search([query], k)
    return ranking.nodes.tolist()


@pytest.mark.oracle
def test_by_hand():
    lengths, mean = [2, 4, 1], 7 / 3

    def idf(df):
        return math.log(1 + (3 - df + 0.5) / (df + 0.5))

    def part(tf, length):
        return tf / (tf + 1.5 * (0.25 + 0.75 * length / mean))

    (ranking,) = SparseIndex.build(TEXTS).search(["radium glow"], 10)
    expected = {0: idf(2) * part(1, lengths[0]) + idf(1) * part(1, lengths[0]), 1: idf(2) * part(2, lengths[1])}
    assert ranking.nodes.tolist() == [0, 1]
    assert ranking.scores.tolist() == pytest.approx([expected[0], expected[1]], rel=1e-6)


@pytest.mark.oracle
@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.lists(st.sampled_from("abe cad deed fee gab".split()), max_size=6), min_size=1, max_size=8), st.data()
)
def test_equals_bm25s_with_its_own_vocabulary(documents, data):
    import bm25s

    query = data.draw(st.lists(st.sampled_from("abe cad deed fee gab zzz".split()), min_size=1, max_size=5))
    if not any(documents):
        return
    oracle = bm25s.BM25()
    oracle.index(documents, show_progress=False)
    known = [word for word in query if word in oracle.vocab_dict]
    scores = oracle.get_scores(known) if known else np.zeros(len(documents))
    expected = sorted((-s, i) for i, s in enumerate(scores.tolist()) if s > 0)
    (ranking,) = SparseIndex.build([" ".join(words) for words in documents]).search([" ".join(query)], 99)
    assert ranking.nodes.tolist() == [i for _, i in expected]
    assert ranking.scores.tolist() == pytest.approx([-s for s, _ in expected], rel=1e-6)


def test_only_positive_scores_and_at_most_k():
    assert found(TEXTS, "radium") == [1, 0]
    assert found(TEXTS, "radium", k=1) == [1]
    assert found(TEXTS, "paris radium") == [2, 1, 0]


@pytest.mark.parametrize("query", ["the of and", "xyzzy", "?!", "a", "the xyzzy"])
def test_stop_words_and_unknown_words_find_nothing(query):
    assert found(TEXTS, query) == []


def test_ties_go_to_the_lower_number():
    assert found(["radium"] * 7, "radium", k=4) == [0, 1, 2, 3]


def test_equal_texts_count_once_and_allowed_texts_only():
    sparse = SparseIndex.build(["radium", "radium", "radium decay", "paris"])
    (once,) = sparse.search(["radium"], 9, same_text=np.array([0, 0, 2, 3]))
    assert once.nodes.tolist() == [0, 2]
    (some,) = sparse.search(["radium"], 9, allowed=np.array([False, True, False, True]))
    assert some.nodes.tolist() == [1]


def test_a_batch_equals_one_by_one():
    sparse = SparseIndex.build(TEXTS)
    queries = ["radium", "of the", "paris decay"]
    for query, ranking in zip(queries, sparse.search(queries, 5), strict=True):
        (alone,) = sparse.search([query], 5)
        assert alone.nodes.tobytes() + alone.scores.tobytes() == ranking.nodes.tobytes() + ranking.scores.tobytes()
    assert sparse.search([], 5) == []


def test_stems_and_accents_and_width():
    assert found(["The cafés of Paris", "radium"], "cafe") == [0]
    assert found(["the cafe", "radium"], "CAFÉ") == [0]
    assert found(["she discovers", "radium"], "discovered discovering") == [0]
    assert found(["ﬁne Ｗｉｄｅ", "radium"], "wide fine") == [0]


@pytest.mark.parametrize(
    ("texts", "query", "first"),
    [
        (["巴黎是法国的首都", "北京是中国的首都"], "法国的首都", 0),
        (["北京は首都です", "猫は可愛い"], "猫", 1),
        (["猫"], "猫", 0),
        (["Москва — столица России", "Париж — столица Франции"], "МОСКВА", 0),
        (["Ёлка зелёная", "Дом"], "елка", 0),
        (["กรุงเทพเป็นเมืองหลวง", "แมวน่ารัก"], "แมว", 1),
        (["दिल्ली भारत की राजधानी है", "पेरिस"], "भारत", 0),
        (["서울은 한국의 수도이다", "파리"], "한국", 0),
        (["Η Αθήνα είναι πρωτεύουσα", "Παρίσι"], "αθηνα", 0),
        (["iPhone手机很好", "radium"], "手机", 0),
        (["iPhone手机很好", "radium"], "iphone", 0),
        (["snake_case name", "radium"], "snake", 0),
        (["season 5 finale", "season 6"], "5", 0),
    ],
)
def test_scripts(texts, query, first):
    (ranking,) = SparseIndex.build(texts).search([query], 5)
    assert ranking.nodes[0] == first
    assert ranking.scores[0] > 0


def test_tokens_by_hand():
    tokens = KeywordTokens("english", ("the",))
    assert tokens(["The U.S. doesn't 首都x The"]) == [["doesn", "首", "都", "首都"]]
    assert tokens(["भारत की"]) == [["भारत", "की"]]
    assert tokens(["", " \n", "_"]) == [[], [], []]
    assert fold("Straße É ﬁ") == "strasse e fi"
    assert fold("서울") == "서울"


@pytest.mark.parametrize("texts", [["the", "of the"], ["x y z"], ["", "  "], ["?"]])
def test_nothing_to_index_is_an_empty_side_and_one_warning(texts, tmp_path):
    with pytest.warns(PsiragWarning, match=f"none of {len(texts)} texts has a usable token") as caught:
        sparse = SparseIndex.build(texts)
    assert len(caught) == 1
    assert sparse.search(["the x radium"], 5)[0].nodes.tolist() == []
    sparse.save(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["settings.json"]
    assert SparseIndex.load(tmp_path).search(["the x radium"], 5)[0].nodes.tolist() == []


@pytest.mark.parametrize("k", [0, -1, True, 2.0, None])
def test_wrong_k(k):
    with pytest.raises(PsiragError, match="k must be"):
        SparseIndex.build(TEXTS).search(["radium"], k)


@pytest.mark.parametrize("texts", [None, "radium", ["a", None], [b"x"]])
def test_wrong_texts(texts):
    with pytest.raises(PsiragError, match="texts must"):
        SparseIndex.build(texts)


QUERIES = ["radium", "法国", "slow decay of radium", "CAFÉ", "the of", "paris glowing"]
READ_AGAIN = """
import json, sys
from pathlib import Path
from psirag.retrieval import SparseIndex
found = SparseIndex.load(Path(sys.argv[1]), mmap=sys.argv[2] == "mmap").search(json.loads(sys.argv[3]), 9)
print(json.dumps([[r.nodes.tolist(), r.scores.tolist()] for r in found]))
"""


@pytest.mark.parametrize("mode", ["read", "mmap"])
def test_the_same_scores_after_a_reload_in_a_new_process(tmp_path, mode):
    sparse = SparseIndex.build([*TEXTS, "法国的首都", "the cafés"])
    sparse.save(tmp_path / "à b")
    command = [sys.executable, "-c", READ_AGAIN, str(tmp_path / "à b"), mode, json.dumps(QUERIES)]
    output = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}
    )
    expected = [[r.nodes.tolist(), r.scores.tolist()] for r in sparse.search(QUERIES, 9)]
    assert json.loads(output.stdout) == expected


def test_two_builds_save_the_same_bytes(tmp_path):
    for name, seed in (("a", "1"), ("b", "2")):
        code = "from pathlib import Path; from psirag.retrieval import SparseIndex; "
        code += f"SparseIndex.build({TEXTS}).save(Path({name!r}))"
        environment = {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, env=environment)
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_the_settings_in_the_folder_rule(tmp_path):
    SparseIndex.build(TEXTS).save(tmp_path)
    settings_file = tmp_path / "settings.json"
    kept = json.loads(settings_file.read_text(encoding="utf-8"))
    assert (kept["stemmer"], "the" in kept["stop_words"]) == ("english", True)
    settings_file.write_text(json.dumps({**kept, "stop_words": ["radium"]}), encoding="utf-8")
    assert SparseIndex.load(tmp_path).search(["radium"], 5)[0].nodes.tolist() == []


def test_bm25s_loads_when_first_needed():
    code = "import sys, psirag.retrieval; print('bm25s' in sys.modules, 'faiss' in sys.modules, 'torch' in sys.modules)"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert output.stdout.split() == ["False", "False", "False"]

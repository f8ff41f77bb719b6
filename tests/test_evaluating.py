"""`evaluate` on small real indexes: a toy system, failures, what is refused, and two runs that agree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from psirag.agent import Agent
from psirag.corpus import Question
from psirag.errors import PsiragError, PsiragWarning
from psirag.evaluation import AgentSystem, Evaluation, NotRun, SearchSystem, evaluate
from psirag.evaluation.odd_hits import FOREIGN, TOO_MANY, TWICE
from psirag.index import Index
from psirag.retrieval.trace import Hit, Retrieval, Trace
from tests.hashing_encoder import HashingEncoder

QUESTIONS = [
    Question("q1", "Who builds dams?", ("beavers",), ("Beaver",), kind="single", hops=1),
    Question("q2", "Who hunts moths?", ("bats",), ("Bat", "Owl"), kind="cross", hops=2),
    Question("q3", "Who swims?", answerable=False),
]
PASSAGES = [
    {"title": "Beaver", "text": "Beavers build dams."},
    {"title": "Bat", "text": "Bats hunt moths."},
    {"title": "Owl", "text": "Owls hunt mice."},
]


@pytest.fixture(scope="module")
def index():
    return Index.build(PASSAGES, encoder=HashingEncoder(name=""), abstraction="centroid")


class Shortest:
    """The shortest chunks, whatever was asked: a system of one's own."""

    name = "shortest"

    def __init__(self, chunks):
        self.chunks = chunks

    def retrieve(self, question, k=5):
        best = sorted(self.chunks, key=lambda chunk: len(chunk.text))[:k]
        hits = tuple(Hit(c.id, -float(len(c.text)), c, c.text, (c.id,)) for c in best)
        return Retrieval(question, hits, Trace((), 0))


class Picky(Shortest):
    """Refuses one question."""

    name = "picky"

    def retrieve(self, question, k=5):
        if "moths" in question:
            raise PsiragError("picky needs another question", question, "Ask differently.")
        return super().retrieve(question, k)


def all_of(index):
    agent = AgentSystem("agent", Agent(index, "rules"))
    return [SearchSystem("flat", index, sides=("flat",)), agent, Shortest(index.chunks), NotRun("IRCoT", "a model")]


@pytest.mark.oracle
def test_a_system_of_one_s_own_among_others(index):
    found = evaluate(all_of(index), QUESTIONS, k=[3, 1, 3])
    assert found.k == (1, 3)
    table = found.table().set_index("system")
    assert table.loc["shortest", ["recall@1", "recall@3", "queries", "questions"]].tolist() == [0.25, 1.0, 1.0, 3]
    assert table.loc["flat", "recall@1"] == 0.75
    assert table.loc["IRCoT", "note"] == "not run: needs a model"
    assert [each.question for each in found.outcomes] == ["q1", "q2", "q3"] * 3
    assert table["em"].notna().tolist() == [False, True, False, False]


def test_an_index_alone_and_retrieval_alone(index):
    assert dict(evaluate(index, QUESTIONS).systems) == {"index": ""}
    assert {each.status for each in evaluate(Agent(index, "rules"), QUESTIONS, ask=False).outcomes} == {"retrieved"}


def test_fr_086_two_runs_agree_and_the_manifest_says_how(index, tmp_path):
    runs = [evaluate(all_of(index), QUESTIONS, folder=tmp_path / name) for name in "ab"]
    assert runs[0] == runs[1]
    first, second = ((tmp_path / name / "outcomes.jsonl").read_bytes() for name in "ab")
    assert first == second
    manifest = runs[0].manifest
    assert manifest["versions"]["numpy"]
    assert manifest["questions"]["count"] == 3
    assert len(manifest["prompts"]) == 16
    assert len(manifest["systems"]["flat"]["index"]["sha256"]) == 64
    assert manifest["systems"]["flat"]["retrieve"] == {"sides": ["flat"]}
    assert manifest["systems"]["agent"]["reader"] == "rules"
    other = evaluate(all_of(index), [*QUESTIONS[:2], Question("q3", "Who dives?", answerable=False)])
    assert other.manifest["questions"]["sha256"] != manifest["questions"]["sha256"]


def test_settings_that_json_lacks_are_told_by_name(index):
    odd = Shortest(index.chunks)
    odd.settings = {"reader": Agent(index, "rules").reader, "function": len, "thing": object(), "sides": ("a", "b")}
    found = evaluate(odd, QUESTIONS).manifest["systems"]["shortest"]
    assert found == {"reader": "rules", "function": "len", "thing": "object", "sides": ["a", "b"]}


def test_fr_084_a_question_that_fails_is_named_left_out_and_counted(index):
    with pytest.warns(PsiragWarning, match=r"1 of 6 outcomes failed .*: picky on q2 \(picky needs another question"):
        found = evaluate([Picky(index.chunks), Shortest(index.chunks)], QUESTIONS, k=[3])
    table = found.table().set_index("system")
    assert table.loc["picky", ["failed", "recall@3"]].tolist() == [1, 1.0]
    assert table.loc["shortest", ["failed", "recall@3"]].tolist() == [0, 1.0]
    assert found.compare("picky", "shortest", "recall@3").n == 1


def test_fr_084_questions_without_answers_or_gold_are_counted(index):
    questions = [*QUESTIONS, Question("q4", "Who sings?"), Question("q5", "Who digs?", supporting_titles=("Owl",))]
    row = evaluate(Agent(index, "rules"), questions).table().iloc[0]
    assert (row["questions"], row["without_gold"], row["failed"]) == (5, 1, 0)
    assert row[["em", "f1", "rouge_l", "false", "not_mentioned", "answered_unanswerable"]].notna().all()


def test_a_system_that_cannot_be_built_is_not_run(index):
    def broken():
        raise PsiragError("gmm_tree needs umap", "none", "Install it.")

    found = evaluate([SearchSystem("RAPTOR", broken), SearchSystem("flat", index)], QUESTIONS)
    assert found.systems["RAPTOR"] == "not run: gmm_tree needs umap, but got none. Install it."
    assert {each.system for each in found.outcomes} == {"flat"}
    assert found.manifest["systems"]["RAPTOR"] == {}


def test_gold_that_the_corpus_lacks_is_told_once(index):
    lacking = [Question("q1", "Who builds?", supporting_titles=("Otter", "Beaver"))]
    with pytest.warns(PsiragWarning, match="1 questions have gold passages that the corpus lacks.*: q1") as told:
        found = evaluate([SearchSystem("a", index), SearchSystem("b", index)], lacking)
    assert len(told) == 1
    assert {each.figures["recall@10"] for each in found.outcomes} == {0.5}


def test_questions_that_name_documents(index):
    by_document = [Question("q1", "Who builds dams?", supporting_documents=(0,))]
    assert evaluate(index, by_document, k=[1]).outcomes[0].figures["recall@1"] == 1.0


class Careless(Shortest):
    """Returns everything twice, from chunks of its own making."""

    name = "careless"

    def retrieve(self, question, k=5):
        hits = super().retrieve(question, k).hits
        own = [replace(hit, chunk=replace(hit.chunk, text=hit.text.upper())) for hit in hits]
        return Retrieval(question, (*own, *own), Trace((), 0))


def test_careless_hits_are_told_once(index):
    with pytest.warns(PsiragWarning, match="what was returned may be a mistake") as told:
        found = evaluate([Careless(index.chunks), Shortest(index.chunks)], QUESTIONS, k=[2])
    assert len(told) == 1
    assert all(f"'careless' {what} (3 questions)" in str(told[0].message) for what in (TOO_MANY, TWICE, FOREIGN))
    assert "shortest" not in str(told[0].message)
    assert {len(each.hits) for each in found.outcomes} == {2}


class Keeping(HashingEncoder):
    """Keeps its vectors, and tells when it makes one while a system runs."""

    def __init__(self):
        super().__init__()
        self.kept, self.asked, self.made = {}, [], []

    def encode_queries(self, texts):
        self.asked.append(list(texts))
        self.made += [text for text in texts if text not in self.kept]
        self.kept |= {text: self.encode([text])[0] for text in texts if text not in self.kept}
        return np.stack([self.kept[text] for text in texts])


@pytest.mark.parametrize(
    "wrap", [lambda index: index, lambda index: Agent(index, "rules"), lambda index: Own(index.encoder)]
)
def test_the_questions_are_encoded_before_the_clock_starts(wrap):
    encoder = Keeping()
    index = Index.build(PASSAGES, encoder=encoder, abstraction="centroid")
    system = wrap(index)
    evaluate([system, Own(index.encoder, "twin")], QUESTIONS, ask=False)
    words = [each.question for each in QUESTIONS]
    first = [] if isinstance(system, Own) else words[:1]  # one search of an index, for what is made once
    assert encoder.asked == [words, *([word] for word in (*first, *words, *words))]
    assert encoder.made == words


def test_what_an_index_makes_once_is_made_before_the_clock_starts(index):
    made = []

    class Slow(SearchSystem):
        def retrieve(self, question, k=5, *, document=None):
            made.append(k)
            return super().retrieve(question, k)

    evaluate(Slow("slow", index), QUESTIONS, k=[3])
    assert made == [3] * (1 + len(QUESTIONS))


class Own:
    """A system of one's own that has an encoder."""

    def __init__(self, encoder, name="own"):
        self.encoder, self.name = encoder, name

    def retrieve(self, question, k=5):
        self.encoder.encode_queries([question])
        return Retrieval(question, (), Trace((), 0))


def test_an_encoder_that_refuses_the_questions_is_met_where_it_is_used():
    class Refusing(Keeping):
        def encode_queries(self, texts):
            raise PsiragError("Refusing encodes nothing", "questions", "Choose another.")

    with pytest.warns(PsiragWarning, match="3 of 3 outcomes failed"):
        assert {each.status for each in evaluate(Own(Refusing()), QUESTIONS).outcomes} == {"failed"}


@pytest.mark.parametrize("k", [(), 5, "25", [0], [2.0], [True], None])
def test_a_wrong_k_is_refused(index, k):
    with pytest.raises(PsiragError, match="k must"):
        evaluate(index, QUESTIONS, k=k)


def test_what_is_missing_is_refused(index):
    with pytest.raises(PsiragError, match="at least one question"):
        evaluate(index, [])
    with pytest.raises(PsiragError, match="at least one system"):
        evaluate([], QUESTIONS)
    with pytest.raises(PsiragError, match="seed"):
        evaluate(index, QUESTIONS, seed=-1)


def test_a_folder_in_use_is_refused_before_the_run(index, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    never = SearchSystem("never", lambda: pytest.fail("it ran"))
    with pytest.raises(PsiragError, match="save replaces"):
        evaluate(never, QUESTIONS, folder=tmp_path)


def test_the_progress_bar_is_silent_unless_asked_for(index, capsys):
    evaluate(index, QUESTIONS)
    assert capsys.readouterr().err == ""
    evaluate(index, QUESTIONS, progress=True)
    assert "index" in capsys.readouterr().err


def test_it_is_saved_where_asked(index, tmp_path):
    found = evaluate(index, QUESTIONS, folder=tmp_path / "run")
    assert Evaluation.load(tmp_path / "run") == found

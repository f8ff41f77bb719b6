"""Questions in the shapes of the public sets."""

from __future__ import annotations

import json

import pytest

from psirag.corpus import Question, load_questions
from psirag.errors import PsiragError, PsiragWarning

HOTPOTQA = {
    "_id": "5a7a",
    "question": "Who?",
    "answer": "yes",
    "type": "comparison",
    "level": "hard",
    "supporting_facts": [["A", 0], ["A", 1], ["B", 0], ["B", 2]],
    "context": [["A", ["s"]], ["B", ["s"]]],
}
MUSIQUE = {
    "id": "2hop__1_2",
    "question": "Who?",
    "answer": "a",
    "answer_aliases": ["b", "a"],
    "answerable": True,
    "question_decomposition": [{"id": 1}, {"id": 2}],
    "paragraphs": [
        {"idx": 0, "title": "A", "paragraph_text": "p", "is_supporting": True},
        {"idx": 1, "title": "B", "paragraph_text": "p", "is_supporting": False},
        {"idx": 2, "title": "C", "paragraph_text": "p", "is_supporting": True},
        {"idx": 3, "title": "C", "paragraph_text": "p", "is_supporting": True},
    ],
}
MULTIHOP_RAG = {
    "query": "Which?",
    "answer": "Yes",
    "question_type": "inference_query",
    "evidence_list": [{"title": "A", "url": "u", "fact": "f"}, {"title": "B", "url": "u", "fact": "f"}],
}


def one(row):
    (question,) = load_questions([row])
    return question


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (HOTPOTQA, Question("5a7a", "Who?", ("yes",), ("A", "B"), "comparison", 2, metadata={"level": "hard"})),
        (MUSIQUE, Question("2hop__1_2", "Who?", ("a", "b"), ("A", "C"), "", 2)),
        (MULTIHOP_RAG, Question("0", "Which?", ("Yes",), ("A", "B"), "inference_query", 2)),
        (
            {"id": "q", "question": "Who?", "supporting_titles": ["B", "A"]},
            Question("q", "Who?", (), ("B", "A"), hops=2),
        ),
        (
            {"question": "Who?", "supporting_titles": ["A"], "supporting_documents": [4, 2]},
            Question("0", "Who?", (), ("A",), hops=2, supporting_documents=(4, 2)),
        ),
        ({"id": 7, "question": "Who?", "hops": 3, "kind": "k"}, Question("7", "Who?", kind="k", hops=3)),
        ({"question": "Who?", "answer": 1984}, Question("0", "Who?", ("1984",))),
        (
            {"question": "Who?", "possible_answers": '["a", "b"]', "contexts": [{"title": "T", "is_supporting": True}]},
            Question("0", "Who?", ("a", "b"), ("T",), hops=1),
        ),
        ({"question": "Who?", "reference": ["a"], "answer_aliases": "[b"}, Question("0", "Who?", ("a", "[b"))),
        ({"question": "Who?", "answer": '["a"]'}, Question("0", "Who?", ('["a"]',))),
        ({"question": "Who?", "answer_aliases": "12"}, Question("0", "Who?", ("12",))),
        (
            {"question": "Who?", "supporting_facts": {"title": ["A", "A"], "sent_id": [0, 1]}},
            Question("0", "Who?", (), ("A",), hops=1),
        ),
        ("Who?", Question("0", "Who?")),
    ],
)
def test_each_shape_gives_the_same_fields(row, expected):
    found = one(row)
    assert found == Question(**{**vars(expected), "metadata": found.metadata})
    assert expected.metadata.items() <= found.metadata.items()
    assert not {"context", "paragraphs", "contexts", "question", "query", "answer"} & set(found.metadata)


def test_questions_without_an_answer_in_the_corpus():
    null = {
        "query": "Which?",
        "answer": "Insufficient information.",
        "question_type": "null_query",
        "evidence_list": [],
    }
    assert [one(row).answerable for row in (null, {**MUSIQUE, "answerable": False}, MULTIHOP_RAG)] == [
        False,
        False,
        True,
    ]
    assert one(null).hops is None


@pytest.mark.parametrize("name", ["q.json", "q.jsonl"])
def test_files_of_questions(tmp_path, name):
    rows = [HOTPOTQA, MUSIQUE, MULTIHOP_RAG]
    path = tmp_path / name
    path.write_text("\n".join(map(json.dumps, rows)) if name.endswith("l") else json.dumps(rows), encoding="utf-8")
    assert load_questions(path) == load_questions(str(path)) == load_questions(rows)
    assert [question.id for question in load_questions(path)] == ["5a7a", "2hop__1_2", "2"]


def test_questions_and_one_text_pass():
    questions = [Question("x", "Who?"), Question("y", "Who?")]
    assert load_questions(questions) == tuple(questions)
    assert load_questions("Who builds dams?") == (Question("0", "Who builds dams?"),)


def test_lone_surrogates_in_titles_are_replaced_as_in_the_corpus():
    with pytest.warns(PsiragWarning, match="1 of 1 rows"):
        question = one({"question": "Who \ud800?", "supporting_titles": ["a\ud800"]})
    assert (question.question, question.supporting_titles) == ("Who \ufffd?", ("a\ufffd",))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "must hold at least one question, but got none"),
        ([{"question": "a"}, {"answer": "x"}], "field 'question' that holds a str, but got row 1 without it"),
        ([{"query": None}], "field 'query' that holds a str, but got row 0 without it"),
        ([{"question": " "}], "a question must not be blank, but got ' ' in row 0"),
        (["a", 3], r"positions 1 \(int\)"),
        (
            [{"id": "q", "question": "a"}, {"id": "q", "question": "b"}],
            "ids must be distinct, but got 'q' more than once",
        ),
        ([{"question": "a", "answer": True}], "'answer' must hold str, but got True, a bool, in row 0"),
        ([{"question": "a", "answers": ["x", None]}], "'answers' must hold str, but got None"),
        ([{"question": "a", "supporting_titles": "A"}], "'supporting_titles' must be a list, but got a str in row 0"),
        (
            [{"question": "a", "supporting_facts": {"sent_id": []}}],
            "'supporting_facts' must be a list, but got a NoneType",
        ),
        (
            [{"question": "a", "supporting_facts": [[3, 0]]}],
            r"must name its evidence by title, but got \[3, 0\] in row 0",
        ),
        ([{"question": "a", "evidence_list": [{"fact": "f"}]}], "'evidence_list' must name its evidence by title"),
        *(
            ([{"question": "a"}, {"question": "b", "supporting_documents": ids}], r"distinct ids, but got .* in row 1")
            for ids in (3, "3", [-1], [True], [1, 1], ["1"])
        ),
        ([{"question": "a", "hops": "two"}], "Question.hops must be an integer"),
    ],
)
def test_wrong_rows_are_named(rows, message):
    with pytest.raises(PsiragError, match=message):
        load_questions(rows)


@pytest.mark.parametrize("source", [None, 3, {"question": "a"}, b"x"])
def test_other_sources_are_refused(source):
    with pytest.raises(PsiragError, match="load_questions needs a path, a name or a list"):
        load_questions(source)


def test_a_text_file_holds_no_questions(tmp_path):
    path = tmp_path / "q.txt"
    path.write_text("Who?", encoding="utf-8")
    with pytest.raises(PsiragError, match=r"A file of questions must be one of \.json, \.jsonl"):
        load_questions(path)

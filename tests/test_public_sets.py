"""The public sets by name, each in its own format."""

from __future__ import annotations

import csv
import json
from dataclasses import fields
from pathlib import Path

import pytest

from psirag.corpus import load_corpus, load_questions
from psirag.corpus.public_sets import Dataset, datasets
from psirag.errors import PsiragError, PsiragWarning

TWO_WIKI = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "2wiki"
HOTPOT = [
    {
        "_id": "h1",
        "question": "Who built the dam?",
        "answer": "beavers",
        "type": "bridge",
        "level": "hard",
        "supporting_facts": [["Dam", 0], ["Beaver", 1], ["Dam", 1]],
        "context": [["Beaver", ["Beavers gnaw.", " They build."]], ["Dam", ["A dam.", " Built."]], ["Ox", ["Oxen."]]],
    },
    {
        "_id": "h2",
        "question": "Is the dam older?",
        "answer": "no",
        "type": "comparison",
        "level": "easy",
        "supporting_facts": [["Dam", 0], ["Elm", 0]],
        "context": [["Dam", ["A dam.", " Built."]], ["Elm", ["An elm."]]],
    },
]
HOTPOT_CORPUS = [
    {"idx": 0, "title": "Dam", "text": "A dam. Built."},
    {"idx": 1, "title": "Ox", "text": "Oxen."},
    {"idx": 2, "title": "Beaver", "text": "Beavers gnaw. They build."},
    {"idx": 3, "title": "Elm", "text": "An elm."},
]
MUSIQUE = [
    {
        "id": "3hop1__1_2_3",
        "question": "Who led the club that he joined?",
        "answer": "Ada",
        "answer_aliases": ["A."],
        "answerable": True,
        "question_decomposition": [{"id": i, "paragraph_support_idx": i} for i in range(3)],
        "paragraphs": [
            {"idx": 0, "title": "Club", "paragraph_text": "The first half.", "is_supporting": False},
            {"idx": 1, "title": "Club", "paragraph_text": "The second  half.", "is_supporting": True},
            {"idx": 2, "title": "Ada", "paragraph_text": "Ada led it.", "is_supporting": True},
        ],
    }
]
MUSIQUE_CORPUS = [
    {"title": "Ada", "text": "Ada led it."},
    {"title": "Club", "text": "The first half."},
    {"title": "Club", "text": "The second half."},
]
NQ = [
    {
        "question": "Who gnaws?",
        "reference": ["beavers", "the beaver"],
        "contexts": [
            {"title": "Beaver", "text": "Beavers gnaw.", "is_supporting": True},
            {"title": "Beaver", "text": "Beavers swim.", "is_supporting": True},
            {"title": "Ox", "text": "Oxen.", "is_supporting": False},
        ],
    }
]
NQ_CORPUS = [{"idx": i, "title": each["title"], "text": each["text"]} for i, each in enumerate(NQ[0]["contexts"])]
POPQA = [
    {
        "id": 4222362,
        "subj": "Rankin",
        "obj": "politician",
        "o_aliases": '["pol", "polit."]',
        "o_wiki_title": "Politician",
        "question": "What is Rankin's occupation?",
        "possible_answers": '["politician", "pol"]',
        "paragraphs": [
            {"title": "Rankin", "text": "Rankin was a politician."},
            {"title": "Politician", "text": "One in politics."},
        ],
    }
]
POPQA_CORPUS = POPQA[0]["paragraphs"][::-1]
MULTIHOP_RAG = [
    {
        "query": "Which company?",
        "answer": "Acme",
        "question_type": "inference_query",
        "evidence_list": [
            {
                "title": "B",
                "author": None,
                "url": "u",
                "source": "s",
                "category": "c",
                "published_at": "d",
                "fact": "f",
            },
            {
                "title": "A",
                "author": None,
                "url": "v",
                "source": "s",
                "category": "c",
                "published_at": "d",
                "fact": "g",
            },
        ],
    },
    {"query": "Whose?", "answer": "Insufficient information.", "question_type": "null_query", "evidence_list": []},
]
MULTIHOP_RAG_CORPUS = [{"title": t, "author": None, "source": "s", "category": "c", "body": f"On {t}."} for t in "AB"]
STORIES = {name: name * 40 for name in "ab"}
NARRATIVE_CORPUS = [
    {"idx": f"{STORIES['b']}_0", "title": "THE B", "text": "Bea wakes."},
    {"idx": f"{STORIES['b']}_1", "title": "THE B", "text": "Bea sleeps."},
    {"idx": f"{STORIES['a']}_0", "title": "THE A", "text": "Abe eats."},
]
NARRATIVE = [
    {
        "document": {"id": STORIES[name], "kind": "gutenberg", "text": text, "summary": {"text": "s", "title": title}},
        "question": question,
        "answer": answers,
    }
    for name, title, text, question, answers in (
        ("a", "Abe (film)", "<html><pre>Abe eats.</pre><script>if (x)</script></html>", "Who eats?", ["Abe", "He"]),
        ("b", "Bea", "Bea wakes. Bea sleeps.", "Who sleeps?", ["Bea"]),
    )
]
QMSUM = [
    {
        "topic_list": [{"topic": "Remote", "relevant_text_span": [["0", "1"]]}],
        "general_query_list": [{"query": "Summarize the meeting.", "answer": "They met."}],
        "specific_query_list": [
            {"query": "What of the remote?", "answer": "It is red.", "relevant_text_span": [["0", "1"]]}
        ],
        "meeting_transcripts": [
            {"speaker": "Marketing", "content": "{vocalsound} Hello {disfmarker} all ."},
            {"speaker": "Industrial", "content": "It is red ."},
        ],
    },
    {
        "topic_list": [],
        "general_query_list": [{"query": "Summarize it.", "answer": "They left."}],
        "specific_query_list": [],
        "meeting_transcripts": [{"speaker": "Chair", "content": "Bye ."}],
    },
]
WCEP = [{"document": ["One.", "Two."], "summary": "Both."}, {"document": ["Three."], "summary": "Third."}]
WCEP_ORIGINAL = [
    {
        "id": 7,
        "date": "2019-01-01",
        "summary": "Both.",
        "articles": [{"id": "x", "title": "T", "text": "One.", "url": "u"}, {"title": "", "text": "Two."}],
    }
]


def table(rows):
    return "\n".join(map(json.dumps, rows)) if isinstance(rows, list) else rows


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder for the sets, and no hub."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.delenv("PSIRAG_DATA", raising=False)

    def put(name, rows):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(rows) if name.endswith(".json") else table(rows), encoding="utf-8")
        return tmp_path

    return put


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("name", "files", "expected"),
    [  # id, answers, kind, hops, ids of the documents with the evidence, read off the rows above
        (
            "hotpotqa",
            {"hotpotqa_corpus.json": HOTPOT_CORPUS, "hotpotqa.json": HOTPOT},
            [("h1", ("beavers",), "bridge", 2, (0, 2)), ("h2", ("no",), "comparison", 2, (0, 3))],
        ),
        (
            "hotpotqa",
            {"hotpot_dev_distractor_v1.json": HOTPOT},
            [("h1", ("beavers",), "bridge", 2, (1, 0)), ("h2", ("no",), "comparison", 2, (1, 3))],
        ),
        (
            "2wikimultihopqa",
            {"2wikimultihopqa_corpus.json": HOTPOT_CORPUS, "2wikimultihopqa.json": HOTPOT},
            [("h1", ("beavers",), "bridge", 2, (0, 2)), ("h2", ("no",), "comparison", 2, (0, 3))],
        ),
        (
            "musique",
            {"musique_corpus.json": MUSIQUE_CORPUS, "musique.json": MUSIQUE},
            [("3hop1__1_2_3", ("Ada", "A."), "", 3, (2, 0))],
        ),
        ("musique", {"musique_ans_v1.0_dev.jsonl": MUSIQUE}, [("3hop1__1_2_3", ("Ada", "A."), "", 3, (1, 2))]),
        (
            "nq",
            {"nq_rear_corpus.json": NQ_CORPUS, "nq_rear.json": NQ},
            [("0", ("beavers", "the beaver"), "", 1, (0, 1))],
        ),
        (
            "popqa",
            {"popqa_corpus.json": POPQA_CORPUS, "popqa.json": POPQA},
            [("4222362", ("politician", "pol", "Politician", "polit."), "", 1, (1, 0))],
        ),
        (
            "multihop-rag",
            {"corpus.json": MULTIHOP_RAG_CORPUS, "MultiHopRAG.json": MULTIHOP_RAG},
            [
                ("0", ("Acme",), "inference_query", 2, (1, 0)),
                ("1", ("Insufficient information.",), "null_query", None, ()),
            ],
        ),
        (
            "narrativeqa",
            {"narrativeqa_dev_10_doc_corpus.json": NARRATIVE_CORPUS, "narrativeqa_dev_10_doc.json": NARRATIVE},
            [("0", ("Abe", "He"), "narrative", 1, (1,)), ("1", ("Bea",), "narrative", 1, (0,))],
        ),
        (
            "qmsum",
            {"test.jsonl": QMSUM},
            [
                ("0", ("They met.",), "summary", 1, (0,)),
                ("1", ("It is red.",), "specific", 1, (0,)),
                ("2", ("They left.",), "summary", 1, (1,)),
            ],
        ),
        ("wcep", {"wcep.txt": WCEP}, [("0", ("Both.",), "summary", 1, (0,)), ("1", ("Third.",), "summary", 1, (1,))]),
    ],
)
def test_each_set_gives_answers_kinds_hops_and_the_documents_of_its_evidence(folder, name, files, expected):
    for file, rows in files.items():
        place = folder(f"{name}/{file}", rows)
    public = next(each for each in datasets() if each.name == name)
    corpus, questions = load_corpus(name, folder=place), load_questions(name, folder=place)
    assert (corpus.name, corpus.kind) == (name, public.kind)
    found = [(each.id, each.answers, each.kind, each.hops, each.supporting_documents) for each in questions]
    assert found == [(*head, hops, documents) for *head, hops, documents in expected]
    titles = [{corpus[i].title for i in each.supporting_documents} for each in questions]
    named = [set(each.supporting_titles) for each in questions]
    assert all(not each or each == other for each, other in zip(named, titles, strict=True))


def test_a_set_of_questions_with_their_passages_is_a_corpus_of_the_distinct_ones(folder):
    path = folder("hotpot.json", HOTPOT) / "hotpot.json"
    corpus = load_corpus(path)
    assert corpus.kind == "passages"
    assert [(each.title, each.text) for each in corpus] == [
        ("Beaver", "Beavers gnaw. They build."),
        ("Dam", "A dam. Built."),
        ("Ox", "Oxen."),
        ("Elm", "An elm."),
    ]
    columns = [
        {**row, "context": {"title": [t for t, _ in row["context"]], "sentences": [s for _, s in row["context"]]}}
        for row in HOTPOT
    ]
    assert load_corpus(columns).documents == corpus.documents
    assert [each.supporting_documents for each in load_questions(columns, corpus=corpus)] == [(1, 0), (1, 3)]
    assert [each.supporting_documents for each in load_questions(path)] == [(), ()]
    assert load_corpus(MUSIQUE).titles == ("Club", "Club", "Ada")


def test_stories_meetings_and_events_are_documents(folder):
    stories = load_corpus(NARRATIVE_CORPUS)
    assert [(each.title, each.text) for each in stories] == [
        ("THE B", "Bea wakes. Bea sleeps."),
        ("THE A", "Abe eats."),
    ]
    hub = load_corpus([{**row, "question": {"text": row["question"], "tokens": []}} for row in NARRATIVE])
    assert [(each.title, each.text) for each in hub] == [("Abe (film)", "Abe eats."), ("Bea", "Bea wakes. Bea sleeps.")]
    meetings = load_corpus(QMSUM)
    assert [each.text for each in meetings] == ["Marketing: Hello all .\nIndustrial: It is red .", "Chair: Bye ."]
    assert meetings[0].metadata["topics"] == ["Remote"]
    assert load_questions(QMSUM)[1].metadata["relevant_text_span"] == [["0", "1"]]
    assert [each.text for each in load_corpus(WCEP)] == ["One.\n\nTwo.", "Three."]
    assert [each.text for each in load_corpus(WCEP_ORIGINAL)] == ["T\nOne.\n\nTwo."]
    assert {each.kind for each in (stories, hub, meetings)} == {"documents"}


def test_hub_rows_and_csv_files_of_narrativeqa(folder):
    hub = [
        {
            "document": row["document"],
            "question": {"text": row["question"]},
            "answers": [{"text": each} for each in row["answer"]],
        }
        for row in NARRATIVE
    ]
    corpus = load_corpus(hub)
    found = [(q.question, q.answers, q.supporting_documents) for q in load_questions(hub, corpus=corpus)]
    assert found == [("Who eats?", ("Abe", "He"), (0,)), ("Who sleeps?", ("Bea",), (1,))]
    place = folder("narrativeqa/tmp/b1.content", "Bea\nwakes.")
    with (place / "narrativeqa" / "documents.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [("document_id", "set", "kind", "wiki_title"), ("b1", "test", "movie", "Bea, again")]
        )
    with (place / "narrativeqa" / "qaps.csv").open("w", encoding="utf-8", newline="") as file:
        rows = [("document_id", "set", "question", "answer1", "answer2"), ("b1", "test", "Who, then?", "Bea", "She")]
        csv.writer(file).writerows(rows)
    (document,) = load_corpus("narrativeqa", folder=place)
    assert (document.title, document.text, document.metadata["kind"]) == ("Bea, again", "Bea\nwakes.", "movie")
    (question,) = load_questions("narrativeqa", folder=place)
    assert (question.answers, question.kind, question.supporting_documents) == (("Bea", "She"), "narrative", (0,))
    assert load_questions(place / "narrativeqa" / "qaps.csv")[0].supporting_documents == ()
    (place / "narrativeqa" / "tmp" / "b1.content").unlink()
    with pytest.raises(PsiragError, match=r"must be readable, but got .*b1\.content"):
        load_corpus("narrativeqa", folder=place)


def test_evidence_that_the_corpus_lacks_is_counted(folder):
    corpus = load_corpus(MUSIQUE_CORPUS[1:])
    with pytest.warns(PsiragWarning, match="the corpus lacks evidence of 1 of 1 questions: 3hop1__1_2_3"):
        (question,) = load_questions(MUSIQUE, corpus=corpus)
    assert (question.supporting_documents, question.supporting_titles) == ((), ("Club", "Ada"))
    with pytest.raises(PsiragError, match="load_questions' corpus must be a Corpus"):
        load_questions(MUSIQUE, corpus=MUSIQUE_CORPUS)


def test_what_the_questions_state_goes_before_a_look_up():
    corpus = load_corpus(MUSIQUE_CORPUS)
    rows = [{"question": "a", "supporting_titles": ["Ada"], "supporting_documents": [1]}]
    assert load_questions(rows, corpus=corpus)[0].supporting_documents == (1,)


@pytest.mark.parametrize("name", [each.name for each in datasets()])
def test_a_git_lfs_pointer_is_named(folder, name):
    public = next(each for each in datasets() if each.name == name)
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4f09\nsize 2943336\n"
    place = folder(f"{name}/x.txt", pointer)
    (place / name / public.corpus[0]).write_text(pointer, encoding="utf-8")
    with pytest.raises(PsiragError, match=rf"the Git LFS pointer .*{public.corpus[0]}.*git lfs pull"):
        load_corpus(name, folder=place)


@pytest.mark.parametrize(
    ("load", "rows", "message"),
    [
        (
            load_corpus,
            [QMSUM[0], {"general_query_list": []}],
            r"r\.json: every row needs a list of dict 'meeting_tr.*row 1",
        ),
        (
            load_corpus,
            [{"meeting_transcripts": [{"speaker": "A"}]}],
            r"r\.json: .* field 'content' .* row 0 without it",
        ),
        (
            load_corpus,
            [{"summary": "s", "document": "text"}],
            r"r\.json: .* list of str 'document', but got 'text' in row 0",
        ),
        (load_corpus, [WCEP[0], {"summary": "s"}], r"r\.json: every row needs a list of dict 'articles', .* row 1"),
        (load_corpus, [{"summary": "s", "articles": [{"title": "T"}]}], "field 'text' .* row 0 without it"),
        (load_corpus, [NARRATIVE[0], {"document": {"id": "x"}}], r"r\.json: .* field 'text' .* row 1 without it"),
        (load_corpus, [NARRATIVE_CORPUS[0], {"text": "x"}], r"r\.json: .* field 'idx' .* row 1 without it"),
        (load_corpus, [HOTPOT[0], {"context": [["A"]]}], r"r\.json: 'context' must hold passages, .* in row 1"),
        (
            load_corpus,
            [MUSIQUE[0], {"paragraphs": [{"text": "x"}]}],
            r"r\.json: 'paragraphs' must hold passages, .* row 1",
        ),
        (load_corpus, [HOTPOT[0], {"context": 3}], r"r\.json: 'context' must be a list, but got a int in row 1"),
        (
            load_questions,
            [QMSUM[0], {**QMSUM[1], "general_query_list": None}],
            r"r\.json: .*'general_query_list', .* row 1",
        ),
        (
            load_questions,
            [{**QMSUM[0], "general_query_list": [{"query": "q"}]}],
            r"r\.json: .* field 'answer' .* row 0",
        ),
        (load_questions, [WCEP[0], {"document": ["x"]}], r"r\.json: .* field 'summary' .* row 1 without it"),
        (
            load_questions,
            [NARRATIVE[0], {"document": {"id": "x"}}],
            r"r\.json: .* field 'question' .* row 1 without it",
        ),
        (
            load_questions,
            [{**NARRATIVE[0], "question": {"tokens": []}}],
            r"r\.json: .* field 'text' .* row 0 without it",
        ),
        (load_questions, [{**NARRATIVE[0], "answer": [None]}], r"r\.json: 'answers' must hold str, but got None"),
        (
            load_questions,
            [{"question": "a", "paragraphs": ["x"]}],
            r"r\.json: 'paragraphs' must hold passages, .* row 0",
        ),
        (
            load_questions,
            [{"question": "a", "paragraphs": [3]}],
            r"r\.json: 'paragraphs' must name its evidence .* row 0",
        ),
    ],
)
def test_a_field_that_is_missing_or_wrong_names_file_and_row(folder, load, rows, message):
    path = folder("r.json", rows) / "r.json"
    with pytest.raises(PsiragError, match=message):
        load(path)


def test_the_list_of_sets_is_a_table():
    rows = datasets()
    assert [each.name for each in rows] == (
        "hotpotqa 2wikimultihopqa musique nq popqa multihop-rag narrativeqa qmsum wcep".split()
    )
    names = [each.name for each in fields(Dataset)]
    for row in rows:
        texts = [getattr(row, name) for name in names if name not in ("documents", "n_questions", "hops", "repository")]
        assert all(texts), row.name
        assert row.documents > 0
        assert row.files("corpus") == row.corpus
        assert row.files("questions") == row.questions


def test_the_passages_of_2wiki_that_lie_beside_the_repository():
    if not TWO_WIKI.is_dir():
        pytest.skip(f"{TWO_WIKI} is absent")
    corpus = load_corpus(TWO_WIKI)
    questions = load_questions(TWO_WIKI, corpus=corpus)
    public = next(each for each in datasets() if each.name == "2wikimultihopqa")
    assert (corpus.kind, len(corpus), len(questions)) == (public.kind, public.documents, 51)
    assert {each.hops for each in questions} == {2, 4}
    for question in questions:
        assert tuple(corpus[i].title for i in question.supporting_documents) == question.supporting_titles

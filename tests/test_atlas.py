"""The built-in set `atlas` and its three sets of questions: written for psirag, interlinked, checkable."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from itertools import combinations, product
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from psirag.corpus import load_questions

FOLDER = Path(__file__).parents[1] / "data" / "atlas"
CORPUS: list[dict[str, Any]] = json.loads((FOLDER / "corpus.json").read_text(encoding="utf-8"))
SETS: dict[str, list[dict[str, Any]]] = {
    prefix: json.loads((FOLDER / name).read_text(encoding="utf-8"))
    for prefix, name in {"atlas": "questions.json", "atlas2": "questions2.json", "atlas3": "questions3.json"}.items()
}
QUESTIONS = [question for questions in SETS.values() for question in questions]
PASSAGES = {passage["title"]: passage for passage in CORPUS}
ANSWERABLE = [question for question in QUESTIONS if question["answerable"]]
UNANSWERABLE = [question for question in QUESTIONS if not question["answerable"]]


def only(prefix: str, questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [question for question in questions if question["id"].startswith(f"{prefix}-")]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def phrase(text: str) -> str:
    """Lower case, no punctuation, no articles, one space at each end."""
    return f" {' '.join(word for word in words(text) if word not in {'a', 'an', 'the'})} "


def plain_title(title: str) -> str:
    return title.split(" (")[0]


def evidence(question: dict[str, Any]) -> list[str]:
    return [phrase(f"{title} {PASSAGES[title]['text']}") for title in question["supporting_titles"]]


def fivegrams(text: str) -> set[tuple[str, ...]]:
    tokens = words(text)
    return {tuple(tokens[i : i + 5]) for i in range(len(tokens) - 4)}


WHOLE_CORPUS = " ".join(phrase(f"{passage['title']} {passage['text']}") for passage in CORPUS)


def test_enough_passages_of_the_right_length() -> None:
    assert len(CORPUS) >= 165
    lengths = {passage["title"]: len(passage["text"].split()) for passage in CORPUS}
    assert {title: n for title, n in lengths.items() if not 60 <= n <= 140} == {}


def test_passages_have_the_hipporag_shape() -> None:
    assert {frozenset(passage) for passage in CORPUS} == {frozenset({"title", "text", "metadata"})}
    assert all(passage["text"] == " ".join(passage["text"].split()) for passage in CORPUS)
    assert len({passage["metadata"]["topic"] for passage in CORPUS}) >= 10


def test_titles_and_pages_are_unique_and_pages_well_formed() -> None:
    assert len(PASSAGES) == len(CORPUS)
    pages = [passage["metadata"]["url"] for passage in CORPUS]
    assert len(set(pages)) == len(pages)
    for page in pages:
        parts = urlsplit(page)
        assert (parts.scheme, parts.netloc, parts.query, parts.fragment) == ("https", "en.wikipedia.org", "", "")
        assert re.fullmatch(r"/wiki/[A-Za-z0-9%()_,:'!.\-]+", parts.path)
        assert "\N{REPLACEMENT CHARACTER}" not in unquote(page)


def test_no_two_passages_share_a_fifth_of_their_5_grams() -> None:
    grams = [(passage["title"], fivegrams(passage["text"])) for passage in CORPUS]
    alike = [(a, b) for (a, x), (b, y) in combinations(grams, 2) if len(x & y) >= 0.2 * min(len(x), len(y))]
    assert alike == []


def test_openings_are_varied() -> None:
    openings = Counter(tuple(words(passage["text"])[:3]) for passage in CORPUS)
    assert openings.most_common(1)[0][1] <= 0.03 * len(CORPUS)


@pytest.mark.parametrize(
    ("prefix", "answerable", "hop", "kind", "unanswerable"),
    [("atlas", 72, 12, 12, 26), ("atlas2", 28, 7, 7, 8), ("atlas3", 60, 14, 14, 20)],
)
def test_enough_questions_of_each_kind(prefix: str, answerable: int, hop: int, kind: int, unanswerable: int) -> None:
    questions = only(prefix, ANSWERABLE)
    hops = Counter(question["hops"] for question in questions)
    assert len(questions) >= answerable
    assert set(hops) == {1, 2, 3, 4}
    assert min(hops.values()) >= hop
    kinds = Counter(question["kind"] for question in questions)
    assert set(kinds) == {"single", "bridge", "comparison"}
    assert min(kinds.values()) >= kind
    assert len(only(prefix, UNANSWERABLE)) >= unanswerable


@pytest.mark.parametrize(("prefix", "name"), list(zip(SETS, ["atlas", "atlas-second", "atlas-third"], strict=True)))
def test_each_set_of_questions_is_loaded_by_name(prefix: str, name: str) -> None:
    assert [question.id for question in load_questions(name)] == [question["id"] for question in SETS[prefix]]


@pytest.mark.parametrize("prefix", SETS)
def test_questions_are_numbered_and_open_in_many_ways(prefix: str) -> None:
    questions = SETS[prefix]
    assert [question["id"] for question in questions] == [f"{prefix}-{i:03d}" for i in range(1, len(questions) + 1)]
    openings = Counter(tuple(words(question["question"])[:3]) for question in questions)
    assert openings.most_common(1)[0][1] <= 0.06 * len(questions)


def test_questions_are_unique() -> None:
    assert len({phrase(question["question"]) for question in QUESTIONS}) == len(QUESTIONS)


@pytest.mark.parametrize(("first", "later"), list(combinations(SETS, 2)))
def test_a_later_set_neither_asks_what_an_earlier_asks_nor_copies_its_words(first: str, later: str) -> None:
    for one, other in product(SETS[first], SETS[later]):
        assert not fivegrams(one["question"]) & fivegrams(other["question"]), (one["id"], other["id"])
        same_passages = one["answerable"] and set(one["supporting_titles"]) == set(other["supporting_titles"])
        assert not (same_passages and one["answers"][0] == other["answers"][0]), (one["id"], other["id"])


def test_the_third_set_repeats_no_words_of_its_own() -> None:
    for one, other in combinations(SETS["atlas3"], 2):
        assert not fivegrams(one["question"]) & fivegrams(other["question"]), (one["id"], other["id"])


@pytest.mark.parametrize("question", ANSWERABLE, ids=lambda question: question["id"])
def test_answer_stands_in_a_supporting_passage(question: dict[str, Any]) -> None:
    titles = question["supporting_titles"]
    assert set(titles) <= set(PASSAGES)
    assert question["hops"] == len(set(titles)) == len(titles)
    assert (question["kind"] == "single") == (question["hops"] == 1)
    answers = question["answers"]
    assert answers
    assert all(answer == answer.strip() != "" for answer in answers)
    assert len(answers[0].split()) <= 6
    if answers[0] in {"yes", "no"}:
        assert answers == answers[:1]
    else:
        assert any(phrase(answers[0]) in passage for passage in evidence(question))


@pytest.mark.parametrize(
    "question", [q for q in ANSWERABLE if q["kind"] != "single" and q["hops"] > 1], ids=lambda question: question["id"]
)
def test_bridges_are_in_the_evidence_and_not_in_the_question(question: dict[str, Any]) -> None:
    asked = phrase(question["question"])
    bridges = question.get("metadata", {}).get("bridges", [])
    for bridge in bridges:
        assert phrase(bridge).strip() not in asked
        assert any(phrase(bridge).strip() in passage for passage in evidence(question))
    if question["kind"] == "bridge":
        assert bridges
        assert phrase(question["answers"][0]) not in asked
        assert [t for t in question["supporting_titles"][1:] if phrase(plain_title(t)) in asked] == []
    elif question["hops"] > 2:
        assert bridges


@pytest.mark.parametrize(
    "question", [q for q in ANSWERABLE if q["kind"] == "comparison"], ids=lambda question: question["id"]
)
def test_a_comparison_answers_yes_no_or_one_side(question: dict[str, Any]) -> None:
    sides = [phrase(plain_title(title)) for title in question["supporting_titles"]]
    answer = question["answers"][0]
    assert answer in {"yes", "no"} or any(phrase(answer) in side for side in sides)


@pytest.mark.parametrize(("prefix", "least"), [("atlas", 5), ("atlas2", 2), ("atlas3", 4)])
def test_comparisons_are_not_all_answered_alike(prefix: str, least: int) -> None:
    polar = Counter(q["answers"][0] for q in only(prefix, ANSWERABLE) if q["answers"][0] in {"yes", "no"})
    assert min(polar["yes"], polar["no"]) >= least


@pytest.mark.parametrize("prefix", SETS)
def test_each_unanswerable_question_says_what_is_missing(prefix: str) -> None:
    questions = only(prefix, UNANSWERABLE)
    missing = Counter(question["metadata"]["missing"] for question in questions)
    assert set(missing) == {"fact", "entity"}
    assert missing["fact"] >= len(questions) / 2
    for question in questions:
        assert (question["answers"], question["supporting_titles"], question["hops"]) == ([], [], None)


def test_missing_facts_concern_names_of_the_corpus() -> None:
    for question in UNANSWERABLE:
        if question["metadata"]["missing"] == "fact":
            assert question["metadata"]["named"]
            for name in question["metadata"]["named"]:
                assert name in question["question"]
                assert phrase(name) in WHOLE_CORPUS


def test_missing_entities_are_absent_or_the_premise_is_false() -> None:
    for question in UNANSWERABLE:
        if question["metadata"]["missing"] == "entity":
            absent = question["metadata"].get("absent", [])
            assert bool(absent) != question["metadata"].get("false_premise", False)
            for name in absent:
                assert name in question["question"]
                assert phrase(name) not in WHOLE_CORPUS


def test_the_papers_own_case_is_among_the_questions() -> None:
    chain = ["Beyoncé", "Michael Jackson: The Life of an Icon", "David Gest"]
    assert [q for q in ANSWERABLE if q["supporting_titles"][-3:] == chain and q["answers"][0] == "Liza Minnelli"]
    assert {"Michael Jackson's This Is It", "Amy (2015 film)", "Janet Jackson", "Quincy Jones"} <= set(PASSAGES)


@pytest.mark.parametrize("name", ["corpus.json", "questions.json", "questions2.json", "questions3.json"])
def test_the_readme_names_the_checksum(name: str) -> None:
    checksum = hashlib.sha256((FOLDER / name).read_bytes()).hexdigest()
    assert f"`{name}` `{checksum}`" in (FOLDER / "README.md").read_text(encoding="utf-8")

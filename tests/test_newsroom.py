"""The built-in set `newsroom`: written for psirag, skewed as the study of skewed data needs it."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from datetime import datetime
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import psirag

FOLDER = Path(__file__).parents[1] / "data" / "newsroom"
CORPUS: list[dict[str, Any]] = json.loads((FOLDER / "corpus.json").read_text(encoding="utf-8"))
QUESTIONS: list[dict[str, Any]] = json.loads((FOLDER / "questions.json").read_text(encoding="utf-8"))
README = (FOLDER / "README.md").read_text(encoding="utf-8")
ARTICLES = {article["title"]: article for article in CORPUS}
ANSWERABLE = [question for question in QUESTIONS if question["answerable"]]
UNANSWERABLE = [question for question in QUESTIONS if not question["answerable"]]
CATEGORIES = ["sports", "business", "entertainment", "technology"]
MINOR = CATEGORIES[1:]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def phrase(text: str) -> str:
    """Lower case, no punctuation, no articles, one space at each end."""
    return f" {' '.join(word for word in words(text) if word not in {'a', 'an', 'the'})} "


def fivegrams(text: str) -> set[tuple[str, ...]]:
    tokens = words(text)
    return {tuple(tokens[i : i + 5]) for i in range(len(tokens) - 4)}


def first_titles(category: str, n: int) -> set[str]:
    return set([article["title"] for article in CORPUS if article["category"] == category][:n])


WHOLE_CORPUS = " ".join(phrase(f"{article['title']} {article['body']}") for article in CORPUS)


def test_enough_articles_of_each_category_in_the_order_of_the_mixes() -> None:
    counts = Counter(article["category"] for article in CORPUS)
    assert list(counts) == CATEGORIES
    assert counts["sports"] >= 52
    assert min(counts[category] for category in MINOR) >= 13
    ranks = [CATEGORIES.index(article["category"]) for article in CORPUS]
    assert ranks == sorted(ranks)


def test_articles_are_of_the_right_length() -> None:
    lengths = {article["title"]: len(article["body"].split()) for article in CORPUS}
    assert {title: n for title, n in lengths.items() if not 150 <= n <= 350} == {}


def test_articles_have_the_multihop_rag_shape() -> None:
    fields = frozenset({"title", "body", "category", "source", "published_at"})
    assert {frozenset(article) for article in CORPUS} == {fields}
    for article in CORPUS:
        assert all(isinstance(value, str) and value == value.strip() != "" for value in article.values())
        assert datetime.fromisoformat(article["published_at"]).utcoffset() is not None


def test_bodies_hold_single_spaces_and_paragraphs() -> None:
    for article in CORPUS:
        lines = article["body"].split("\n")
        assert [line for line in lines if line != " ".join(line.split())] == []
        assert "\n\n\n" not in article["body"]


def test_titles_are_unique_and_sources_varied() -> None:
    assert len(ARTICLES) == len(CORPUS)
    assert len({article["source"] for article in CORPUS}) >= 10


def test_no_two_articles_share_a_fifth_of_their_5_grams() -> None:
    grams = [(article["title"], fivegrams(article["body"])) for article in CORPUS]
    alike = [(a, b) for (a, x), (b, y) in combinations(grams, 2) if len(x & y) >= 0.2 * min(len(x), len(y))]
    assert alike == []


def test_openings_are_varied() -> None:
    openings = Counter(tuple(words(article["body"])[:3]) for article in CORPUS)
    assert openings.most_common(1)[0][1] <= 0.03 * len(CORPUS)


def test_psirag_reads_the_set_by_name() -> None:
    corpus = psirag.load_corpus("newsroom")
    assert (corpus.kind, corpus.name, len(corpus)) == ("documents", "newsroom", len(CORPUS))
    assert [document.metadata["category"] for document in corpus] == [article["category"] for article in CORPUS]
    assert [document.text for document in corpus] == [article["body"] for article in CORPUS]
    questions = psirag.load_questions("newsroom")
    assert [question.answerable for question in questions] == [question["answerable"] for question in QUESTIONS]
    assert [question.hops for question in questions] == [question["hops"] for question in QUESTIONS]


def test_enough_questions_and_half_of_them_on_minor_articles() -> None:
    minor = [question for question in QUESTIONS if question["metadata"]["category"] in MINOR]
    assert len(QUESTIONS) >= 32
    assert len(minor) >= max(16, len(QUESTIONS) / 2)
    assert {question["metadata"]["category"] for question in QUESTIONS} == set(CATEGORIES)
    hops = Counter(question["hops"] for question in ANSWERABLE)
    assert set(hops) == {1, 2, 3}
    assert min(hops.values()) >= 5
    kinds = Counter(question["kind"] for question in QUESTIONS)
    assert set(kinds) == {"single", "inference", "comparison", "temporal", "null"}
    assert min(kinds.values()) >= 5


def test_questions_are_unique_and_numbered() -> None:
    assert [question["id"] for question in QUESTIONS] == [f"newsroom-{i:03d}" for i in range(1, len(QUESTIONS) + 1)]
    assert len({phrase(question["question"]) for question in QUESTIONS}) == len(QUESTIONS)
    openings = Counter(tuple(words(question["question"])[:3]) for question in QUESTIONS)
    assert openings.most_common(1)[0][1] <= 0.06 * len(QUESTIONS)


@pytest.mark.parametrize("category", MINOR)
def test_the_first_five_of_a_minor_category_carry_questions_of_their_own(category: str) -> None:
    """The mixes take five minor articles, so questions on them must be answerable there."""
    first = first_titles(category, 5)
    own = [question for question in ANSWERABLE if set(question["supporting_titles"]) <= first]
    assert len(own) >= 5
    assert {question["metadata"]["category"] for question in own} == {category}
    assert set().union(*(question["supporting_titles"] for question in own)) == first


@pytest.mark.parametrize("question", ANSWERABLE, ids=lambda question: question["id"])
def test_answer_stands_in_a_supporting_article(question: dict[str, Any]) -> None:
    titles = question["supporting_titles"]
    assert set(titles) <= set(ARTICLES)
    assert question["hops"] == len(set(titles)) == len(titles)
    assert question["metadata"]["category"] in {ARTICLES[title]["category"] for title in titles}
    answers = question["answers"]
    assert answers
    assert all(answer == answer.strip() != "" for answer in answers)
    assert len(answers[0].split()) <= 6
    if answers[0] in {"yes", "no"}:
        assert answers == answers[:1]
        assert question["kind"] in {"comparison", "temporal"}
        return
    evidence = [phrase(f"{title} {ARTICLES[title]['body']}") for title in titles]
    assert any(phrase(answers[0]) in article for article in evidence)
    if question["kind"] != "comparison":
        assert phrase(answers[0]) not in phrase(question["question"])


def test_kinds_agree_with_hops() -> None:
    assert {question["hops"] for question in ANSWERABLE if question["kind"] == "single"} == {1}
    assert {question["hops"] for question in ANSWERABLE if question["kind"] in {"inference", "temporal"}} == {2, 3}


def test_yes_and_no_both_occur() -> None:
    polar = Counter(q["answers"][0] for q in ANSWERABLE if q["answers"][0] in {"yes", "no"})
    assert min(polar["yes"], polar["no"]) >= 5


@pytest.mark.parametrize("question", UNANSWERABLE, ids=lambda question: question["id"])
def test_an_unanswerable_question_names_what_the_corpus_knows(question: dict[str, Any]) -> None:
    assert (question["answers"], question["supporting_titles"], question["hops"]) == ([], [], None)
    assert question["kind"] == "null"
    assert question["metadata"]["named"]
    for name in question["metadata"]["named"]:
        assert name in question["question"]
        assert phrase(name) in WHOLE_CORPUS


def test_the_readme_counts_what_is_there() -> None:
    counts = Counter(article["category"] for article in CORPUS)
    listed = ", ".join(f"{category} {counts[category]}" for category in CATEGORIES)
    assert f"{len(CORPUS)} articles" in README
    assert listed in README
    assert f"{len(QUESTIONS)} questions" in README
    assert f"{len(UNANSWERABLE)} questions cannot be answered" in README


@pytest.mark.parametrize("name", ["corpus.json", "questions.json"])
def test_the_readme_names_the_checksum(name: str) -> None:
    checksum = hashlib.sha256((FOLDER / name).read_bytes()).hexdigest()
    assert f"`{name}` `{checksum}`" in README

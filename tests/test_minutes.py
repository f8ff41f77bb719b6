"""The built-in set `minutes`: six long documents with summaries and narrative questions, written for psirag."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "data" / "minutes"
FILES = sorted((FOLDER / "documents").glob("*.md"))
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in FILES}
TITLES = {text.splitlines()[0].removeprefix("# "): name for name, text in TEXTS.items()}
QUESTIONS: list[dict[str, Any]] = json.loads((FOLDER / "questions.json").read_text(encoding="utf-8"))
SUMMARIES = [question for question in QUESTIONS if question["kind"] == "summary"]
NARRATIVE = [question for question in QUESTIONS if question["kind"] == "narrative"]
README = (FOLDER / "README.md").read_text(encoding="utf-8")


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def eightgrams(text: str) -> Counter[tuple[str, ...]]:
    tokens = words(text)
    return Counter(tuple(tokens[i : i + 8]) for i in range(len(tokens) - 7))


def document(question: dict[str, Any]) -> str:
    (title,) = question["supporting_titles"]
    return TEXTS[TITLES[title]]


def test_six_documents_with_a_title_and_no_deeper_headings() -> None:
    assert [int(name[:2]) for name in TEXTS] == [1, 2, 3, 4, 5, 6]
    assert len(TITLES) == len(TEXTS)
    for name, text in TEXTS.items():
        assert re.fullmatch(r"\d\d-[a-z0-9-]+\.md", name)
        assert text.startswith("# ")
        assert [line for line in text.splitlines()[1:] if line.startswith("#")] == []
        assert len(text.split("\n\n")) > 15


@pytest.mark.parametrize("name", TEXTS)
def test_word_counts_are_in_range_and_in_the_readme(name: str) -> None:
    count = len(TEXTS[name].split())
    assert 1500 <= count <= 3000
    title = TEXTS[name].splitlines()[0].removeprefix("# ")
    assert f"| `{name}` | {title} | {count} |" in README


def test_documents_share_no_runs_of_eight_words_and_do_not_repeat_themselves() -> None:
    grams = {name: eightgrams(text) for name, text in TEXTS.items()}
    for (one, a), (other, b) in combinations(grams.items(), 2):
        assert len(a.keys() & b.keys()) <= 1, (one, other)
    for name, counted in grams.items():
        assert sum(1 for count in counted.values() if count > 1) <= 3, name


def test_each_document_has_one_summary_and_four_narrative_questions() -> None:
    expected = [f"minutes-{i:02d}-{part}" for i in range(1, 7) for part in ("summary", "n1", "n2", "n3", "n4")]
    assert [question["id"] for question in QUESTIONS] == expected
    for question in QUESTIONS:
        assert TITLES[question["supporting_titles"][0]][:2] == question["id"].split("-")[1]
        assert (question["kind"] == "summary") == question["id"].endswith("-summary")
        assert question["kind"] in {"summary", "narrative"}
        assert question["answerable"] is True
        assert question["hops"] in {1, 2}
        assert set(question) - {"metadata"} == {
            *("id", "question", "answers", "supporting_titles", "kind", "hops", "answerable")
        }
    assert len({tuple(words(question["question"])) for question in QUESTIONS}) == len(QUESTIONS)


def test_summaries_have_90_to_140_words() -> None:
    for question in SUMMARIES:
        (summary,) = question["answers"]
        assert 90 <= len(summary.split()) <= 140, question["id"]
        assert not eightgrams(summary).keys() & eightgrams(document(question)).keys(), question["id"]


@pytest.mark.parametrize("question", NARRATIVE, ids=lambda question: question["id"])
def test_narrative_answers_are_short_and_their_places_are_quoted(question: dict[str, Any]) -> None:
    assert 1 <= len(question["answers"]) <= 3
    for answer in question["answers"]:
        assert answer == answer.strip() != ""
        assert len(answer.split()) <= 30
    text, places = document(question), question["metadata"]["places"]
    assert len(places) >= question["hops"]
    assert {place: text.count(place) for place in places} == dict.fromkeys(places, 1)
    if question["hops"] == 2:
        starts = [text.index(place) for place in places]
        assert len({text.count("\n\n", 0, start) for start in starts}) >= 2
        assert max(starts) - min(starts) >= 300


def test_some_questions_need_distant_places() -> None:
    far = 0
    for question in NARRATIVE:
        starts = [document(question).index(place) for place in question["metadata"]["places"]]
        far += max(starts) - min(starts) > 2000
    assert far >= 6


@pytest.mark.parametrize("path", [*FILES, FOLDER / "questions.json"], ids=lambda path: path.name)
def test_the_readme_names_the_checksum(path: Path) -> None:
    checksum = hashlib.sha256(path.read_bytes()).hexdigest()
    assert f"`{path.relative_to(FOLDER).as_posix()}` `{checksum}`" in README

"""The built-in set `handbook`: manuals of one invented organisation, four levels of headings, questions across them."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "data" / "handbook"
FILES = sorted((FOLDER / "documents").glob("*.md"))
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in FILES}
QUESTIONS: list[dict[str, Any]] = json.loads((FOLDER / "questions.json").read_text(encoding="utf-8"))
README = (FOLDER / "README.md").read_text(encoding="utf-8")
ANSWERABLE = [question for question in QUESTIONS if question["answerable"]]
UNANSWERABLE = [question for question in QUESTIONS if not question["answerable"]]
CROSS = [question for question in ANSWERABLE if question["kind"] == "cross"]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def phrase(text: str) -> str:
    """Lower case, no punctuation, no articles, one space at each end."""
    return f" {' '.join(word for word in words(text) if word not in {'a', 'an', 'the'})} "


def word_count(text: str) -> int:
    """Words as a reader counts them: what stands between spaces, without marks that hold no letter or digit."""
    return sum(bool(words(token)) for token in text.split())


def fivegrams(text: str) -> set[tuple[str, ...]]:
    tokens = words(text)
    return {tuple(tokens[i : i + 5]) for i in range(len(tokens) - 4)}


def outline(text: str) -> list[tuple[tuple[str, ...], str]]:
    """Each heading's path and the text directly under it, in order."""
    parts = re.split(r"(?m)^(#{1,6}) (.+)$", text)
    assert parts[0] == ""
    path: list[str] = []
    sections = []
    for marks, heading, body in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        assert len(marks) <= len(path) + 1, f"{heading}: a level is left out"
        path = [*path[: len(marks) - 1], heading]
        sections.append((tuple(path), body.strip()))
    return sections


OUTLINES = {name: outline(text) for name, text in TEXTS.items()}
TITLES = [sections[0][0][0] for sections in OUTLINES.values()]
PATHS = [path for sections in OUTLINES.values() for path, _ in sections]
PARENTS = {path[:-1] for path in PATHS}
LEAVES = {" > ".join(path): body for sections in OUTLINES.values() for path, body in sections if path not in PARENTS}


def test_at_least_twelve_documents_with_titles_of_their_own() -> None:
    assert len(TEXTS) >= 12
    assert len(set(TITLES)) == len(TITLES)
    assert [name[:2] for name in TEXTS] == [f"{i:02d}" for i in range(1, len(TEXTS) + 1)]


@pytest.mark.parametrize("name", TEXTS)
def test_each_document_is_long_enough_and_four_headings_deep(name: str) -> None:
    assert 900 <= word_count(TEXTS[name]) <= 1800
    depths = Counter(len(path) for path, _ in OUTLINES[name])
    assert set(depths) == {1, 2, 3, 4}
    assert depths[1] == 1
    assert min(depths[2], depths[3], depths[4]) >= 3


def test_paths_are_unique_and_only_leaves_have_text_of_the_right_length() -> None:
    assert len(set(PATHS)) == len(PATHS)
    assert {path: word_count(body) for path, body in LEAVES.items() if not 40 <= word_count(body) <= 150} == {}
    assert [path for s in OUTLINES.values() for path, body in s if body and " > ".join(path) not in LEAVES] == []


def test_documents_share_names_of_headings() -> None:
    shared = Counter(heading for s in OUTLINES.values() for heading in {path[-1] for path, _ in s})
    assert min(shared[heading] for heading in ("Responsibilities", "Limits", "Inspection", "Records")) >= 7


def test_some_sections_hold_tables_and_some_lists() -> None:
    tables = [path for path, body in LEAVES.items() if re.search(r"(?m)^\| ---", body)]
    lists = [path for path, body in LEAVES.items() if re.search(r"(?m)^(- |1\. )", body)]
    assert len(tables) >= 10
    assert len(lists) >= 4


def test_no_two_documents_share_a_twentieth_of_their_5_grams() -> None:
    grams = [(name, fivegrams(text)) for name, text in TEXTS.items()]
    alike = [(a, b) for (a, x), (b, y) in combinations(grams, 2) if len(x & y) >= 0.05 * min(len(x), len(y))]
    assert alike == []


def test_manuals_named_in_a_section_exist() -> None:
    for path, body in LEAVES.items():
        for name in re.findall(r"the ((?:[A-Z]\w+ |and )+Manual)\b", body):
            assert name in TITLES, (path, name)


def test_forty_questions_numbered_and_unique() -> None:
    assert [question["id"] for question in QUESTIONS] == [f"handbook-{i:03d}" for i in range(1, 41)]
    assert len({phrase(question["question"]) for question in QUESTIONS}) == len(QUESTIONS)
    openings = Counter(tuple(words(question["question"])[:3]) for question in QUESTIONS)
    assert openings.most_common(1)[0][1] <= 3
    fields = {"id", "question", "answers", "supporting_titles", "kind", "hops", "answerable", "metadata"}
    assert {frozenset(question) for question in QUESTIONS} == {frozenset(fields)}
    assert {question["kind"] for question in QUESTIONS} == {"single", "section", "cross"}


@pytest.mark.parametrize("question", ANSWERABLE, ids=lambda question: question["id"])
def test_sections_exist_and_hold_the_answer(question: dict[str, Any]) -> None:
    sections = question["metadata"]["sections"]
    assert set(sections) <= set(LEAVES)
    assert len(set(sections)) == len(sections)
    assert list(dict.fromkeys(path.split(" > ")[0] for path in sections)) == question["supporting_titles"]
    assert (len(sections) == 1) == (question["kind"] == "single") == (question["hops"] == 1)
    assert question["hops"] in {1, 2}
    assert (len(question["supporting_titles"]) == 2) == (question["kind"] == "cross")
    answers = question["answers"]
    assert 1 <= len(answers) <= 3
    assert all(answer == answer.strip() != "" for answer in answers)
    assert len(answers[0].split()) <= 6
    if question["metadata"].get("computed"):
        float(answers[0])
    elif answers[0] in {"yes", "no"}:
        assert answers == answers[:1]
    else:
        assert any(phrase(answers[0]) in phrase(LEAVES[path]) for path in sections)


def test_enough_questions_cross_from_one_document_to_another() -> None:
    assert len([question for question in CROSS if len(question["supporting_titles"]) >= 2]) >= 15


def test_questions_across_name_at_most_one_document_and_half_of_them_none() -> None:
    named = Counter(sum(title in question["question"] for title in TITLES) for question in CROSS)
    assert set(named) <= {0, 1}
    assert 0.4 * len(CROSS) <= named[0] <= 0.6 * len(CROSS)


def test_yes_and_no_are_balanced() -> None:
    polar = Counter(q["answers"][0] for q in ANSWERABLE if q["answers"][0] in {"yes", "no"})
    assert min(polar["yes"], polar["no"]) >= 2


def test_every_document_is_asked_about() -> None:
    assert {title for question in ANSWERABLE for title in question["supporting_titles"]} == set(TITLES)


def test_four_questions_ask_for_a_missing_fact() -> None:
    assert len(UNANSWERABLE) == 4
    for question in UNANSWERABLE:
        assert (question["answers"], question["supporting_titles"], question["hops"]) == ([], [], None)
        assert question["metadata"] == {"missing": "fact"}


def test_the_readme_counts_what_is_there() -> None:
    for name, text in TEXTS.items():
        leaves = sum(" > ".join(path) in LEAVES for path, _ in OUTLINES[name])
        depth = max(len(path) for path, _ in OUTLINES[name])
        assert f"| `{name}` | {OUTLINES[name][0][0][0]} | {word_count(text)} | {leaves} | {depth} |" in README
    assert f"| all | | {sum(map(word_count, TEXTS.values()))} | {len(LEAVES)} | 4 |" in README
    for kind, number in Counter(question["kind"] for question in ANSWERABLE).items():
        assert re.search(rf"(?m)^\| {kind} \|.* {number} \|$", README)


@pytest.mark.parametrize("name", [*(f"documents/{path.name}" for path in FILES), "questions.json"])
def test_the_readme_names_the_checksum(name: str) -> None:
    checksum = hashlib.sha256((FOLDER / name).read_bytes()).hexdigest()
    assert f"`{name}` `{checksum}`" in README

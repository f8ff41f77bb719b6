"""Sets of long documents with questions on each: NarrativeQA, QMSum and WCEP in their own formats."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from psirag.corpus.files import read_text
from psirag.corpus.rows import Row, text_field
from psirag.corpus.web_pages import WebPage
from psirag.errors import PsiragError

_PIECE = re.compile(r"[0-9a-f]{40}_\d+")  # HippoRAG's NarrativeQA: pieces of a story, named by its id and their number
_ID = re.compile(r"[\w-]{1,200}")
_SOUND = re.compile(r"\{\w+\} ?")  # QMSum: {vocalsound}, {disfmarker}, {pause}, …


def shape_of(row: Row) -> str:
    """Return "qmsum", "wcep", "narrativeqa", or "" for a row of another shape."""
    if "meeting_transcripts" in row:
        return "qmsum"
    if "summary" in row and {"document", "articles"} & set(row):
        return "wcep"
    pieces = isinstance(row.get("idx"), str) and _PIECE.fullmatch(row["idx"])
    return "narrativeqa" if pieces or isinstance(row.get("document"), dict) or "answer1" in row else ""


def long_documents(shape: str, place: str, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return rows with title and text, one a document, in the order of the source."""
    if shape == "qmsum":
        return [_meeting(place, i, row) for i, row in enumerate(rows)]
    if shape == "wcep":
        return [{"text": _articles(place, i, row)} for i, row in enumerate(rows)]
    return _stories(place, rows)


def long_questions(shape: str, place: str, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return rows with question, answers and the document that each is about."""
    if shape == "qmsum":
        return [question for i, row in enumerate(rows) for question in _meeting_questions(place, i, row)]
    if shape == "wcep":
        asked = {"question": "Summarise this news event.", "kind": "summary"}
        answers = [text_field(place, i, row, "summary") for i, row in enumerate(rows)]
        return [asked | {"answers": [text], "supporting_documents": [i]} for i, text in enumerate(answers)]
    return [_story_question(place, i, row) for i, row in enumerate(rows)]


def _entries(place: str, i: int, row: Row, name: str, kind: type) -> list[Any]:
    """Return a field that must be a list of one type."""
    value = row.get(name)
    if isinstance(value, list) and all(isinstance(item, kind) for item in value):
        return value
    given = f"row {i} without it" if value is None else f"{value!r:.80} in row {i}"
    raise PsiragError(f"{place}: every row needs a list of {kind.__name__} '{name}'", given, "Fill it in.")


def _meeting(place: str, i: int, row: Row) -> dict[str, Any]:
    """Write a QMSum transcript as one line a turn, without the marks for sounds."""
    turns = _entries(place, i, row, "meeting_transcripts", dict)
    parts = [(text_field(place, i, turn, "speaker"), text_field(place, i, turn, "content")) for turn in turns]
    topics = [topic.get("topic") for topic in _entries(place, i, {"topic_list": [], **row}, "topic_list", dict)]
    return {"text": "\n".join(f"{who}: {_SOUND.sub('', said).strip()}" for who, said in parts), "topics": topics}


def _meeting_questions(place: str, i: int, row: Row) -> list[dict[str, Any]]:
    """Return QMSum's queries on one meeting: general ones ask for a summary of all of it, specific ones of a part."""
    found = []
    for name, kind in (("general_query_list", "summary"), ("specific_query_list", "specific")):
        for query in _entries(place, i, row, name, dict):
            plain = {
                "question": text_field(place, i, query, "query"),
                "answers": [text_field(place, i, query, "answer")],
            }
            spans = {key: query[key] for key in ("relevant_text_span",) if key in query}
            found.append({**plain, **spans, "kind": kind, "supporting_documents": [i]})
    return found


def _articles(place: str, i: int, row: Row) -> str:
    """Join the articles of a WCEP event: `document`, a list of texts, or `articles`, a list of {title, text}."""
    if "document" in row:
        return "\n\n".join(_entries(place, i, row, "document", str))
    articles = _entries(place, i, row, "articles", dict)
    texts = [
        (text_field(place, i, each, "title", optional=True), text_field(place, i, each, "text")) for each in articles
    ]
    return "\n\n".join(f"{title}\n{text}".strip() for title, text in texts)


def _stories(place: str, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return NarrativeQA's stories: HippoRAG's pieces joined, or the documents of the hub's rows, each once."""
    stories: dict[str, dict[str, Any]] = {}
    for i, row in enumerate(rows):
        document = row.get("document")
        if isinstance(document, dict):
            name, text = text_field(place, i, document, "id"), text_field(place, i, document, "text")
            summary = document.get("summary")
            title = summary.get("title") if isinstance(summary, dict) else None
            stories.setdefault(name, {"title": title, "text": text, "document_id": name})
        else:
            name = text_field(place, i, row, "idx").rsplit("_", 1)[0]
            story = stories.setdefault(name, {"title": row.get("title"), "text": "", "document_id": name})
            story["text"] = f"{story['text']} {text_field(place, i, row, 'text')}".strip()
    return [story | {"text": _without_tags(story["text"])} for story in stories.values()]


def _story_question(place: str, i: int, row: Row) -> dict[str, Any]:
    """Return one NarrativeQA question: a row of the hub, of HippoRAG's file or of qaps.csv."""
    document, question, answers = row.get("document"), row.get("question"), row.get("answers", row.get("answer"))
    if isinstance(question, dict):
        question = text_field(place, i, question, "text")
    if answers is None:
        answers = [row[name] for name in ("answer1", "answer2") if row.get(name)]
    entries = answers if isinstance(answers, (list, tuple)) else [answers]
    texts = [each.get("text") if isinstance(each, dict) else each for each in entries]
    name = document.get("id") if isinstance(document, dict) else row.get("document_id")
    return {"question": question, "answers": texts, "kind": "narrative", "document_id": name}


def stories_beside(path: Path, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Read the stories of NarrativeQA's documents.csv from `tmp/<document_id>.content` beside it."""
    found = []
    for i, row in enumerate(rows):
        name = text_field(str(path), i, row, "document_id")
        if not _ID.fullmatch(name):
            given, remedy = f"{name!r:.80} in row {i}", "Name each story by letters, digits, - and _."
            raise PsiragError(f"{path}: 'document_id' must be the name of a file in tmp", given, remedy)
        text = _without_tags(read_text(path.parent / "tmp" / f"{name}.content"))
        title = row.get("wiki_title")
        found.append({"title": title, "text": text, "document_id": name, "kind": row.get("kind")})
    return found


class _Text(WebPage):
    """Collect what stands outside tags, scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._hidden = False

    def handle_starttag(self, tag: str, attrs: Any) -> None:  # noqa: ARG002
        """Hide what a script or a style holds."""
        self._hidden = tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002
        """Show again."""
        self._hidden = False

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        self.parts += [] if self._hidden else [data]


def _without_tags(text: str) -> str:
    """Return the text of a web page, and any other text as it is."""
    if not re.search(r"<(html|body|pre)\b", text, re.IGNORECASE):
        return text
    parser = _Text()
    parser.feed(text)
    parser.close()
    return re.sub(r"\n\s*\n+", "\n\n", "".join(parser.parts)).strip()

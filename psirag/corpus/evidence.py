"""Evidence: the passages that a question carries, and where they stand in a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from psirag.corpus.documents import Corpus
from psirag.corpus.rows import Row
from psirag.errors import PsiragError

# Fields in which HotpotQA and 2Wiki, MuSiQue and PopQA, and NQ give the passages that come with a question.
_CARRIED = ("context", "paragraphs", "contexts")
_EVIDENCE = ("supporting_titles", "supporting_facts", "evidence_list", "paragraphs", "contexts")


def carries_passages(row: Row) -> bool:
    """Tell whether a row is a question that brings its own passages."""
    return any(isinstance(row.get(name), (list, dict)) for name in _CARRIED) and not {"text", "body"} & set(row)


def passages_of(place: str, rows: Sequence[Row]) -> list[dict[str, str]]:
    """Return the distinct passages of all questions in the order in which they first appear."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for i, row in enumerate(rows):
        for title, text, _ in _carried(place, i, row):
            found.setdefault(_key(title, text), {"title": title, "text": text})
    return list(found.values())


def evidence_of(place: str, i: int, row: Row) -> list[tuple[str, str]]:
    """Return title and text ("" where the row has none) of each passage that supports the answer."""
    name = next((name for name in _EVIDENCE if row.get(name) is not None), None)
    if name in ("paragraphs", "contexts"):
        return [(title, text) for title, text, supporting in _carried(place, i, row) if supporting]
    carried = name == "supporting_facts" and isinstance(row.get("context"), (list, dict))
    texts = {title: text for title, text, _ in _carried(place, i, row)} if carried else {}
    return [(title, texts.get(title, "")) for title in _titles(place, i, row.get(name) if name else [], name)]


def _titles(place: str, i: int, value: Any, name: str | None) -> Iterator[str]:
    """Yield the titles in a list of titles, of [title, sentence] pairs or of rows with a title."""
    if isinstance(value, dict):  # the hub's column form: {"title": [...], "sent_id": [...]}
        value = value.get("title")
    for item in _list(place, i, value, name):
        title = item.get("title") if isinstance(item, dict) else item
        title = title[0] if isinstance(title, (list, tuple)) and title else title
        if not isinstance(title, str):
            given = f"{item!r} in row {i}"
            raise PsiragError(f"{place}: '{name}' must name its evidence by title", given, "Give each entry a title.")
        yield title


def _carried(place: str, i: int, row: Row) -> Iterator[tuple[str, str, bool]]:
    """Yield title, text and mark of each passage of a question; as in HippoRAG, one without a mark is supporting."""
    name = next((name for name in _CARRIED if row.get(name) is not None), None)
    value = row.get(name) if name else []
    if isinstance(value, dict):  # the hub's column form: {"title": [...], "sentences": [[...], ...]}
        titles, texts = (_list(place, i, value.get(key, ()), f"{name}.{key}") for key in ("title", "sentences"))
        value = list(zip(titles, texts, strict=False))
    for item in _list(place, i, value, name):
        pair = isinstance(item, (list, tuple)) and len(item) == 2
        fields = item if isinstance(item, dict) else {}
        title, text = item if pair else (fields.get("title"), fields.get("paragraph_text", fields.get("text", "")))
        text = " ".join(map(str.strip, map(str, text))) if isinstance(text, (list, tuple)) else text
        if not isinstance(title, str) or not isinstance(text, str):
            given, remedy = f"{item!r:.80} in row {i}", "Give each passage a title and a text."
            raise PsiragError(f"{place}: '{name}' must hold passages, named by title", given, remedy)
        yield title, text, pair or bool(fields.get("is_supporting", True))


def _list(place: str, i: int, value: Any, name: str | None) -> Sequence[Any]:
    """Return a field that must be a list of passages or of what names them."""
    if not isinstance(value, (list, tuple)):
        remedy = "See load_questions for the shapes that are read."
        raise PsiragError(f"{place}: '{name}' must be a list", f"a {type(value).__name__} in row {i}", remedy)
    if any(not isinstance(item, (str, dict, list, tuple)) for item in value):
        given = f"{list(value)!r:.80} in row {i}"
        raise PsiragError(f"{place}: '{name}' must name its evidence by title", given, "Give each entry a title.")
    return value


def _key(title: str, text: str) -> tuple[str, str]:
    """Return what makes two passages the same: title and text without regard to white space."""
    return "".join(title.split()), "".join(text.split())


class EvidencePlaces:
    """Where evidence stands in a corpus: by title and text, by a title that is there once, or by the source's id."""

    def __init__(self, corpus: Corpus) -> None:
        self._by_passage = {_key(each.title, each.text): each.id for each in reversed(corpus.documents)}
        titles: dict[str, list[int]] = {}
        for document in corpus:
            titles.setdefault(document.title, []).append(document.id)
        self._by_title = {title: ids[0] for title, ids in titles.items() if len(ids) == 1}
        named = ((each.metadata.get("document_id"), each.id) for each in corpus)
        self._by_name = {str(name): number for name, number in named if name is not None}

    def find(self, evidence: Iterable[tuple[str, str]], document_id: Any = None) -> tuple[int, ...] | None:
        """Return the documents of all the evidence, or None when some of it is not in the corpus."""
        if document_id is not None and self._by_name:
            found = [self._by_name.get(str(document_id))]
        else:
            found = [self._by_passage.get(_key(*each), self._by_title.get(each[0])) for each in evidence]
        return None if None in found else tuple(dict.fromkeys(number for number in found if number is not None))

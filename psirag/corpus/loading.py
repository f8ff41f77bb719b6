"""The two doors: `load_corpus` and `load_questions`."""

from __future__ import annotations

import os
import re
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

from psirag.checks import check_type, first_few
from psirag.corpus.documents import Corpus, Question
from psirag.corpus.files import ROW_SUFFIXES, read_rows
from psirag.corpus.formats import TEXT_SUFFIXES, documents_from_rows, documents_from_texts, read_corpus
from psirag.corpus.question_formats import questions_from_rows
from psirag.corpus.rows import as_list
from psirag.corpus.sets import PUBLIC_SETS, find_set, missing, part_of
from psirag.errors import PsiragError, PsiragWarning

_SUFFIXES = "|".join(re.escape(suffix) for suffix in (*ROW_SUFFIXES, *TEXT_SUFFIXES))
_NAME_OR_PATH = re.compile(
    rf"[!-~]{{1,255}}|(?:~|\.{{0,2}}[/\\]|[A-Z]:[/\\])[^\n]{{0,255}}|[^\n]{{0,255}}(?:{_SUFFIXES})", re.IGNORECASE
)


def load_corpus(source: Any, *, folder: str | os.PathLike[str] | None = None) -> Corpus:
    """Read a corpus from a set's name, a path, a text or a list.

    Parameters
    ----------
    source : str, path, list or Corpus
        A str is, in this order: the name of a built-in set ("toy", …) or public set (`datasets()`: hotpotqa,
        2wikimultihopqa, musique, nq, popqa, multihop-rag, narrativeqa, qmsum, wcep); the path of an existing file or
        folder; a text, which becomes one document. One word of ASCII, and one line that starts like a path or ends
        like a file, is never taken for a text: when there is no such set or file it is an error (a passage that looks
        so goes in a list).

        - `.json`, `.jsonl`: rows `{title, text}` (HippoRAG) or str are passages, rows `{title, body, …}` (MultiHop-RAG)
          are documents. Other fields go to the metadata; a missing or null title is "".
        - Questions that bring their passages (HotpotQA, 2Wiki, MuSiQue as published): the distinct passages.
        - QMSum's meetings, WCEP's events and NarrativeQA's stories: a document each (also `documents.csv` with the
          stories in `tmp/` beside it). A `.gz`, or a `.zip` of one file, holds one JSON row a line.
        - `.txt`, `.md`, or a folder of them (read recursively, in the order of their paths, hidden ones passed over):
          documents. The title is the first Markdown heading of a .md file, else the file's name without suffix.
        - A folder that holds `corpus.json` or `corpus.jsonl`, or a folder `corpus` or `documents`, is that.
        - A list of str or dict rows is passages (`body` rows: documents), a list of `Document` is documents.
        - A `Corpus` is returned as it is.
    folder : path, optional
        Where public sets lie: `folder/<set>/<file>`, `folder/<set>/corpus.json` or `folder/<file>`, with the names of
        `datasets()`. Without it the environment variable PSIRAG_DATA says where; then the Hugging Face hub is asked,
        for a set that was named only.

    Returns
    -------
    Corpus
        Ids are positions in the source. Blank documents are dropped, named in one warning; the other ids stay.

    Raises
    ------
    PsiragError
        For an unknown name, a missing or broken file (which, where, why), a row of another type or without text
        (file, row and field), and a corpus without text.

    Notes
    -----
    Source: Ψ-RAG §5.1 (the data sets); the formats are those of HippoRAG (arXiv:2405.14831) and MultiHop-RAG
    (arXiv:2401.15391).

    Examples
    --------
    >>> corpus = load_corpus(["Beavers build dams.", "Dams slow rivers."])
    >>> len(corpus), corpus.kind
    (2, 'passages')
    >>> len(load_corpus("toy"))
    12
    """
    if isinstance(source, Corpus):
        return source
    path, name = _locate(source, "corpus", folder)
    if path is not None:
        documents, kind = read_corpus(path, rows=isinstance(source, str) and source in PUBLIC_SETS)
    elif isinstance(source, str):
        documents, kind = documents_from_texts([{"text": source}], "load_corpus' text"), "documents"
    else:
        rows = as_list("load_corpus needs a path, a name, a text or a list", source)
        documents, kind = documents_from_rows(rows, "load_corpus' list")
    kept = tuple(document for document in documents if document.text.strip())
    blank = tuple(document.id for document in documents if not document.text.strip())
    if blank and kept:
        message = f"load_corpus: dropped {len(blank)} blank of {len(documents)} documents: ids {first_few(blank)}"
        warnings.warn(message, PsiragWarning, stacklevel=2)
    return Corpus(kept, kind, name, blank)


def load_questions(
    source: Any, *, folder: str | os.PathLike[str] | None = None, corpus: Corpus | None = None
) -> tuple[Question, ...]:
    """Read questions from a set's name, a path, one question or a list.

    Parameters
    ----------
    source : str, path or list
        As in `load_corpus`, with `.json` and `.jsonl` files, folders that hold `questions.json` or `questions.jsonl`,
        and lists of str, dict rows or `Question`. The fields of a row, where it has them:

        - `question` or `query`; `id` or `_id` (else its position);
        - `answers`, `answer`, `reference`, `obj`, `possible_answers`, `o_wiki_title`, `o_aliases`, `answer_aliases`
          (str, list, a list as JSON in a str);
        - `supporting_titles`, `supporting_facts` ([title, sentence] pairs), `paragraphs` or `contexts` (all but those
          marked as not `is_supporting`), `evidence_list` (entries with `title`); `supporting_documents` (ids);
        - `type`, `question_type` or `kind`; `hops`; `answerable` (MultiHop-RAG's null_query is not).

        QMSum's general queries and WCEP's events are of kind "summary", QMSum's other queries "specific",
        NarrativeQA's questions "narrative".
    folder : path, optional
        As in `load_corpus`.
    corpus : Corpus, optional
        Where the evidence of dict rows is looked up, by title and text, or by a title that is there once: this fills
        in `supporting_documents`. None: the public set's own corpus; no look-up for other sources.

    Returns
    -------
    tuple of Question

    Raises
    ------
    PsiragError
        For an unknown name, a missing or broken file, a row without a question, a repeated id, and no question.

    Notes
    -----
    A question whose evidence the corpus lacks keeps its titles alone; these are counted in one warning.

    Source: Ψ-RAG §5.1; formats of HotpotQA, 2WikiMultihopQA, MuSiQue, PopQA and MultiHop-RAG (arXiv:2401.15391).

    Examples
    --------
    >>> questions = load_questions("toy")
    >>> len(questions), sum(question.answerable for question in questions)
    (5, 4)
    """
    if corpus is not None:
        check_type("load_questions' corpus", corpus, Corpus, "Pass what load_corpus returned.")
    path, name = _locate(source, "questions", folder)
    public = PUBLIC_SETS.get(source) if isinstance(source, str) else None
    if path is not None:
        if public is None and path.name != "qaps.csv" and path.suffix.lower() not in ROW_SUFFIXES:
            asked = f"A file of questions must be one of {', '.join(ROW_SUFFIXES)}"
            raise PsiragError(asked, str(path), "Convert it, or read it and pass a list.")
        if public is not None and corpus is None:
            corpus = load_corpus(name, folder=folder)
        found = questions_from_rows(read_rows(path), str(path), corpus)
        hops = public.hops if public is not None else None
        return found if hops is None else tuple(replace(each, hops=hops) for each in found)
    rows = [source] if isinstance(source, str) else as_list("load_questions needs a path, a name or a list", source)
    return questions_from_rows(rows, "load_questions' list", corpus)


def _locate(source: Any, part: str, folder: str | os.PathLike[str] | None) -> tuple[Path | None, str]:
    """Return the path and the name of a source that is a set or a path, and (None, "") for a text or a list."""
    if not isinstance(source, (str, os.PathLike)):
        return None, ""
    found = find_set(source, part, folder) if isinstance(source, str) else None
    if found is not None:
        return found, str(source)
    path = _existing_path(source, part)
    if path is None:
        return None, ""
    inner = part_of(path, part) if path.is_dir() else None
    if inner is None and path.is_dir() and part == "questions":
        raise PsiragError("A folder of questions must hold questions.json", str(path), "Pass the file itself.")
    chosen = inner or path
    generic = chosen.stem in ("corpus", "documents", "questions")
    return chosen, chosen.absolute().parent.name if generic else chosen.stem


def _existing_path(source: str | os.PathLike[str], part: str) -> Path | None:
    """Return the path that the source names, None when it is a text, or raise when it looks like a path or a name."""
    try:
        path = Path(source).expanduser()
        exists = path.exists()
    except (OSError, ValueError, RuntimeError):  # too long, a null character, an unknown home folder
        exists = False
    if exists and str(source):
        if not path.is_file() and not path.is_dir():  # reading it may never end
            given = f"{path}, a pipe or a device"
            raise PsiragError("A source must be a file or a folder", given, "Copy what it gives into a file.")
        return path
    if isinstance(source, str) and not _NAME_OR_PATH.fullmatch(source):
        return None
    raise missing(str(source), part)

"""`evaluate`: systems and questions in, an `Evaluation` out."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from tqdm import tqdm

from psirag.checks import check_count, first_few
from psirag.corpus import Chunks, Question, load_questions
from psirag.errors import PsiragError, PsiragWarning
from psirag.evaluation.evaluation import Evaluation
from psirag.evaluation.gold import lacking_gold
from psirag.evaluation.metrics import rouge_l
from psirag.evaluation.outcome import Outcome, run_question
from psirag.evaluation.saving import check_place
from psirag.evaluation.systems import AgentSystem, SearchSystem, System, as_systems
from psirag.index import Index
from psirag.optional import installed_version
from psirag.readers.prompts import prompts_version

LIBRARIES = ("psirag", "numpy", "scipy", "bm25s", "sentence-transformers", "torch", "transformers", "rouge-score")


def evaluate(
    systems: Any,
    questions: Any,
    *,
    k: Sequence[int] = (2, 5, 10),
    ask: bool = True,
    seed: int = 0,
    folder: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Evaluation:
    """Run systems on questions, and measure what they find, what they answer, and what it costs.

    Parameters
    ----------
    systems : System, Index, Agent, or several
        See `System`; one that `needs` something is listed as not run.
    questions : str, path, list or tuple of Question
        See `load_questions`.
    k : sequence of int
        Depths; may be more than there are hits. Each system retrieves as many as the deepest, and `Index.retrieve`
        widens its pool and its beam with that: recall@5 may change with a deeper k. Set `beam=` and `pool=` to fix it.
    ask : bool
        Ask the systems that can answer; False only retrieves.
    seed : int
        Of the resampling behind the intervals.
    folder : path, optional
        Save the evaluation there, in a new folder.
    progress : bool, optional
        A progress bar. None: only on a terminal.

    Returns
    -------
    Evaluation
        Of its measures, these apply to answerable questions: `recall@k` (share of the gold passages among the first k
        hits, in the reader's order; duplicates credited, abstracts not), `fused_recall@k` (ordered by retrieval scores;
        the same for a plain retrieval), `answer_present@k`, `em`, `f1`, `rouge_l`, `false` (an answer without a right
        word: its F1 is 0) and `not_mentioned`. To the others: `answered_unanswerable`. To all: `nodes_scored`,
        `queries` (see `Retrieval.joined`), `model_calls` (corrections included), `tokens` generated, and the seconds of
        retrieval, of decisions and of both with what is between.

    Raises
    ------
    PsiragError
        No system or question; a wrong setting; a system that returns something else than hits or an `Answer`.

    Notes
    -----
    A question on which a system raises `PsiragError`, or its reader fails, is told in one warning, left out of that
    system's means and counted; any other exception stops the run, with a note that names system and question. Another
    warning tells of more hits than were asked for (they are cut), a hit twice, and chunks of another corpus. An answer
    without gold answers has no `em`, `f1`, `rouge_l` and `false`, a question without gold passages no recall.

    Before the clock starts, the questions are encoded once by the encoder of the system's agent or index, or its own
    `encoder`: where that keeps its vectors, as `load_encoder` does, the first system does not pay for the others. A
    system over an `Index` searches once, so that its first question does not pay for what is made once. An agent's
    further queries, and the questions of an encoder that keeps nothing, are within the clock.

    Source: Ψ-RAG §5.1, §D.4 (false and not-mentioned rates), Table 8 (time by part); NavTree §I.2 (answer presence).

    Examples
    --------
    >>> from psirag.index import Index
    >>> found = evaluate(Index.build("toy"), "toy", k=[2])
    >>> float(found.table(["recall@2"])["recall@2"].item())
    0.875
    """
    runs, asked = as_systems(systems), load_questions(questions)
    depths = _checked_depths(k)
    if folder is not None:
        check_place(folder, overwrite=False)
    seed = check_count("seed", seed, minimum=0)
    if ask and any(hasattr(system, "ask") for system in runs):
        rouge_l("", [])  # whether the library is there, before hours are spent
    notes: dict[str, str] = {}
    outcomes: list[Outcome] = []
    lacking: dict[str, None] = {}
    odd: dict[str, Counter[str]] = {}
    encoders: list[Any] = []
    with tqdm(total=len(runs) * len(asked), unit="question", disable=None if progress is None else not progress) as bar:
        for system in runs:
            bar.set_description(system.name)
            notes[system.name], chunks = _prepared(system)
            if not notes[system.name]:
                _make_ready(system, asked, depths[-1], encoders)
                odd[system.name] = Counter()
                lacking |= dict.fromkeys(() if chunks is None else lacking_gold(asked, chunks))
                for question in asked:
                    outcomes.append(
                        run_question(system, question, depths, ask=ask, chunks=chunks, odd=odd[system.name])
                    )
                    bar.update()
    _warn(outcomes, tuple(lacking), odd)
    manifest = _manifest(runs, notes, asked, ask=ask)
    date = datetime.now(UTC).isoformat(timespec="seconds")
    found = Evaluation(notes, tuple(outcomes), depths, seed, manifest, date)
    if folder is not None:
        found.save(folder)
    return found


def _checked_depths(k: Any) -> tuple[int, ...]:
    """The depths, ascending, each once."""
    if isinstance(k, (str, bytes)) or not isinstance(k, Sequence) or not k:
        raise PsiragError("k must be a sequence of depths", repr(k), "Pass (2, 5, 10), say.")
    return tuple(sorted({check_count("each of k", depth) for depth in k}))


def _prepared(system: System) -> tuple[str, Chunks | None]:
    """Why a system is not run, or "", and its chunks: what they need is built here, and not in a question's time."""
    needs = getattr(system, "needs", "")
    if needs:
        return f"not run: needs {needs}", None
    try:
        return "", getattr(system, "chunks", None)
    except PsiragError as error:
        return f"not run: {error}", None


def _make_ready(system: System, questions: Sequence[Question], most: int, encoders: list[Any]) -> None:
    """Let what is made once be made outside a question's time; what is refused is told where the system meets it."""
    behind: Any = system
    for name in ("agent", "index"):
        behind = getattr(behind, name, behind)
    encoder: Any = getattr(behind, "encoder", None)
    with suppress(PsiragError):
        if callable(getattr(encoder, "encode_queries", None)) and not any(encoder is known for known in encoders):
            encoders.append(encoder)
            encoder.encode_queries([each.question for each in questions])
        if isinstance(behind, Index) and isinstance(system, (SearchSystem, AgentSystem)):
            system.retrieve(questions[0].question, most)


def _warn(outcomes: Sequence[Outcome], lacking: Sequence[str], odd: Mapping[str, Counter[str]]) -> None:
    """Say what failed, which questions cannot reach a recall of 1, and what is odd about the hits."""
    failed = [f"{each.system} on {each.question} ({each.error})" for each in outcomes if each.status == "failed"]
    messages = []
    if failed:
        messages.append(f"{len(failed)} of {len(outcomes)} outcomes failed and have no figures: {first_few(failed)}")
    if lacking:
        said = f"{len(lacking)} questions have gold passages that the corpus lacks, counted as not found"
        messages.append(f"{said}: {first_few(lacking)}")
    returned = [f"{name!r} {what} ({n} questions)" for name, told in odd.items() for what, n in told.items()]
    if returned:
        messages.append(f"what was returned may be a mistake: {first_few(returned)}")
    for message in messages:
        warnings.warn(f"evaluate: {message}", PsiragWarning, stacklevel=3)


def _manifest(
    systems: Sequence[System], notes: dict[str, str], questions: Sequence[Question], *, ask: bool
) -> dict[str, Any]:
    """What is needed to repeat the run, in values that JSON has."""
    rows = [dict(sorted(vars(each).items())) for each in questions]
    digest = hashlib.sha256(json.dumps(rows, default=_plain).encode()).hexdigest()
    about = {
        "ask": bool(ask),
        "python": platform.python_version(),
        "versions": {name: installed_version(name) for name in LIBRARIES},
        "prompts": prompts_version(),
        "questions": {"count": len(questions), "sha256": digest},
        "systems": {each.name: {} if notes[each.name] else getattr(each, "settings", {}) for each in systems},
    }
    return dict(json.loads(json.dumps(about, default=_plain)))


def _plain(value: Any) -> Any:
    """A mapping as a dict, anything else by its name or its kind: an address would differ from run to run."""
    if isinstance(value, Mapping):
        return dict(value)
    return getattr(value, "name", None) or getattr(value, "__name__", None) or type(value).__name__

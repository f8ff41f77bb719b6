"""What the agent's panel shows, as HTML strings made from the transcript; whatever was written elsewhere is escaped."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from psirag.readers.protocol import Decision
from psirag.retrieval.trace import Hit, Retrieval
from psirag.transcript import Answer, Step
from psirag.views.hover import escaped, plain_text

if TYPE_CHECKING:
    from psirag.index import Index

STATUSES = {
    "answered": "answered",
    "not_mentioned": "the evidence does not say",
    "unparsed": "the reply could not be read",
    "budget_exhausted": "the budget is spent",
    "stopped": "stopped",
    "failed": "the reader failed",
}
ACTIONS = {"answer": "Answer", "retrieve": "Retrieve", "not_mentioned": "Not mentioned", "unparsed": "Unreadable"}
ACTIONS["stopped"] = "Stopped"
_SHORT, _NEIGHBOURS = 110, 2


class Problem(NamedTuple):
    """What went wrong: its kind, one line, and the details to unfold."""

    kind: str
    line: str
    details: str


def step_card(step: Step) -> str:
    """Return one step: thought, action with its probability, queries, hits with scores and sides, notes."""
    decision = step.decision
    kind = decision.action if decision else "failed"
    head = ACTIONS[decision.action] if decision else "No decision"
    timing = (
        f"<small>{step.seconds:.1f} s{f' · {decision.tokens} tokens' if decision and decision.tokens else ''}</small>"
    )
    parts = [f"<h4>Step {step.number} · {head} {_sure(decision)}{timing}</h4>"]
    if step.told:
        parts.append(f'<p class="told">told: the reply before was {escaped(step.told)}</p>')
    parts += _all_found(step.retrievals)
    parts += [] if decision is None else _decision_parts(decision)
    parts += [f'<p class="told">Note: {escaped(note)}</p>' for note in step.notes]
    return card(kind, parts)


def live_card(number: int, found: Sequence[Retrieval], doing: str) -> str:
    """Return the step under way and what it has found."""
    parts = [f"<h4>Step {number} <small>{escaped(doing)}…</small></h4>", *_all_found(found)]
    return card("live", parts)


def said_html(said: str) -> str:
    """Return the words that have come so far; the last ones stay in sight."""
    return page(f'<div class="said last" role="log"><div>{_lines(said)}</div></div>') if said else ""


def status_line(doing: str) -> str:
    """Return what is going on, in one line that a screen reader reads out."""
    return page(f'<p class="told" role="status" aria-live="polite">{escaped(doing)}…</p>') if doing else ""


def _all_found(found: Sequence[Retrieval]) -> list[str]:
    """Return every query with its hits: one unfolded, several folded."""
    return [found_html(retrieval, unfolded=len(found) == 1) for retrieval in found]


def found_html(retrieval: Retrieval, *, unfolded: bool) -> str:
    """Return a query and its hits, behind a line that says how many."""
    hits = "".join(f"<li>{_hit(hit)}</li>" for hit in retrieval)
    count = f"{len(retrieval)} hit{'' if len(retrieval) == 1 else 's'}, {retrieval.trace.nodes_scored} nodes scored"
    head = f"<summary>{escaped(retrieval.query)} <small>{count}</small></summary>"
    return f"<details{' open' if unfolded else ''}>{head}<ol>{hits}</ol></details>"


def answer_card(answer: Answer) -> str:
    """Return the outcome: question, answer, status, and what it cost."""
    retrievals = sum(bool(step.retrievals) for step in answer.steps)
    tokens = sum(step.decision.tokens for step in answer.steps if step.decision)
    cost = f"{retrievals} retrievals · {len(answer.queries)} queries · {sum(s.seconds for s in answer.steps):.1f} s"
    cost += f" · {tokens} tokens" if tokens else ""
    parts = [
        f"<h4>{escaped(answer.question)}</h4>",
        "" if answer.status in ("failed", "stopped") else f'<p class="big">{escaped(answer.text)}</p>',
        f'<p><span class="chip">{STATUSES[answer.status]}</span>',
        f'<small class="told">{escaped(answer.reader)} · {cost}</small></p>',
    ]
    return card(answer.status, parts)


def problem_card(problem: Problem) -> str:
    """Return an error: its kind and one line, details folded."""
    details = f'<details><summary>Details</summary><div class="said">{_lines(problem.details)}</div></details>'
    line = f"<h4>{escaped(problem.kind)}</h4><p>{escaped(problem.line)}</p>"
    return card("failed", [line, details if problem.details else ""], role="alert")


def evidence_html(answer: Answer, index: Index, *, limit: int = 3) -> str:
    """Return the best passages in their documents, each highlighted where it stands, the answer's words marked."""
    hits = [hit for hit in answer.hits if hit.chunk is not None][:limit]
    shown = "".join(_in_document(hit, index, answer.text) for hit in hits)
    return card("evidence-card", ["<h4>Evidence</h4>", shown]) if hits else ""


def exports_html(answer: Answer) -> str:
    """Return links that save the transcript as JSON and as Markdown; the files are in the links, no server is asked."""
    files = (
        ("JSON", "answer.json", "application/json", json.dumps(answer.to_dict(), ensure_ascii=False, indent=1)),
        ("Markdown", "answer.md", "text/markdown", answer.to_markdown()),
    )
    links = (
        f'<a class="export" download="{name}" href="data:{kind};base64,{_base64(text)}">Save as {label}</a>'
        for label, name, kind, text in files
    )
    return page("".join(links))


def static_page(answer: Answer | None, index: Index, drawn: tuple[str, str], problem: Problem | None = None) -> str:
    """Return the last state without a kernel: the outcome, the evidence, every step, the picture."""
    if answer is None:
        return problem_card(problem) if problem else page('<p class="told">Nothing was asked yet.</p>')
    steps = "".join(map(step_card, answer.steps))
    query, picture = drawn
    picture = card("", [f"<h4>Descent <small>{escaped(query)}</small></h4>", picture]) if picture else ""
    shown = problem_card(problem) if problem else ""
    return f"{answer_card(answer)}{shown}{steps}{picture}{evidence_html(answer, index)}"


def history_label(number: int, answer: Answer) -> str:
    """Return one line for the list of earlier questions."""
    return plain_text(f"{number}. {answer.question} → {answer.text}", _SHORT)


def query_label(number: int, query: str) -> str:
    """Return one line for the list of queries."""
    return plain_text(f"{number}. {query}", _SHORT // 2)


def card(kind: str, parts: Iterable[str], *, role: str = "group") -> str:
    """Return a card whose edge has the colour of its kind."""
    return page(f'<div class="psirag-card {kind}" role="{role}">{"".join(parts)}</div>')


def page(inner: str) -> str:
    """Return a piece of HTML that the stylesheet applies to."""
    return f'<div class="psirag mathjax_ignore tex2jax_ignore">{inner}</div>'


def _sure(decision: Decision | None) -> str:
    """Return how probable the action was, or every action that was weighed: a number and a bar."""
    if decision is None:
        return ""
    weighed = dict(decision.probabilities or {})
    if not weighed and decision.probability is not None:
        weighed = {decision.action: decision.probability}
    return "".join(
        f'<span class="chip">{escaped(action)} {share:.2f} '
        f'<span class="sure"><i style="width:{100 * min(max(share, 0.0), 1.0):.0f}%"></i></span></span>'
        for action, share in weighed.items()
    )


def _decision_parts(decision: Decision) -> list[str]:
    """Return what the reader thought and said."""
    parts = [f'<p class="thought">{escaped(decision.thought)}</p>'] if decision.thought.strip() else []
    if decision.action == "retrieve":
        queries = " ".join(f'<span class="chip">{escaped(query)}</span>' for query in decision.queries)
        parts.append(f'<p class="asked">→ {queries}</p>')
    elif decision.text.strip():
        parts.append(f"<p><b>{escaped(decision.text)}</b></p>")
    for label, text in (("Reply, word for word", decision.raw), ("Prompt, word for word", decision.prompt)):
        if text:
            parts.append(
                f'<details><summary><small>{label}</small></summary><div class="said">{_lines(text)}</div></details>'
            )
    return parts


def _hit(hit: Hit) -> str:
    """Return a hit: title, score, what each side made of it, and its text to unfold."""
    title = hit.chunk.title if hit.chunk is not None and hit.chunk.title else ""
    name = escaped(title) if title else ("abstract" if hit.chunk is None else "passage") + f" {hit.node}"
    sides = " ".join(
        f'<span class="chip">{escaped(side)} #{found.rank} · {found.score:.3g}</span>'
        for side, found in hit.sides.items()
    )
    score = f'<span class="chip">{hit.score_kind} {hit.score:.3g}</span>'
    return f"<details><summary><b>{name}</b> {score} {sides}</summary>{escaped(hit.text)}</details>"


def _in_document(hit: Hit, index: Index, words: str) -> str:
    """Return a passage among its neighbours in its document."""
    chunk = hit.chunk
    if chunk is None:
        return ""
    chunks = index.chunks
    same = np.flatnonzero(chunks.document == chunk.document)
    place = int(np.flatnonzero(chunks.ids[same] == chunk.id)[0])
    near = same[max(place - _NEIGHBOURS, 0) : place + _NEIGHBOURS + 1]
    texts = [
        f'<span class="evidence">{_marked(chunks[int(i)].text, words)}</span>'
        if chunks[int(i)].id == chunk.id
        else f'<span class="pale">{escaped(chunks[int(i)].text)}</span>'
        for i in near
    ]
    before, after = ("… " if near[0] != same[0] else ""), (" …" if near[-1] != same[-1] else "")
    where = f" · passage {place + 1} of {len(same)}" if len(same) > 1 else ""
    where = f"<small class='told'>document {chunk.document}{where}</small>"
    head = f"<b>{escaped(chunk.title or f'document {chunk.document}')}</b> {where}"
    return f"<p>{head}<br>{before}{' '.join(texts)}{after}</p>"


def _marked(text: str, words: str) -> str:
    """Return a text with the answer's words marked where they stand in it."""
    shown, wanted = escaped(text), escaped(words)
    at = shown.lower().find(wanted.lower()) if wanted else -1
    if at < 0 or len(shown.lower()) != len(shown):
        return shown
    return f"{shown[:at]}<mark>{shown[at : at + len(wanted)]}</mark>{shown[at + len(wanted) :]}"


def _lines(text: str) -> str:
    """Return several lines of text in which nothing acts as markup or as a formula."""
    return html.escape(text, quote=False).replace("$", "&#36;")


def _base64(text: str) -> str:
    """Return a text as a data address holds it."""
    return base64.b64encode(text.encode("utf-8", "replace")).decode("ascii")

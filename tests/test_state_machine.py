"""The public API in any order: an index against a plain dict of its texts, through growth, disk, damage and kills."""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from psirag import Agent, Index, PsiragError, PsiragWarning, build_tree
from psirag.corpus import Corpus, Document, passages_as_chunks, split_into_chunks
from psirag.retrieval.hybrid import HITS_WITH_SIBLINGS
from tests.hashing_encoder import HashingEncoder

MAX_TOKENS = 4
any_text = st.one_of(
    st.sampled_from(
        ["", " \n", "the of", "!!!", "moth moth", "bat", "a\ud800b", "法国的首都", "é cafe\u0301", "a\0b\u2028c"]
    ),
    st.lists(st.sampled_from("beaver dam river moth bat cave the . Who?".split()), min_size=1, max_size=9).map(
        " ".join
    ),
    st.text(st.characters(exclude_categories=()), max_size=12),
)
corpora = st.builds(
    lambda texts, kind: Corpus(tuple(Document(i, text) for i, text in enumerate(texts)), kind),
    st.lists(any_text, min_size=1, max_size=6),
    st.sampled_from(["passages", "passages", "documents"]),
)
questions = st.one_of(any_text, st.sampled_from(["Who built the dam?", "Where is the river of the moth?", "bat"]))
interruptions = st.sampled_from([KeyboardInterrupt(), MemoryError(), OSError(28, "No space left on device")])

FILE_EVENTS = {"open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.scandir", "shutil.rmtree"}
armed: dict[str, Any] = {}


def count_down(event: str, _: tuple[Any, ...]) -> None:
    """Raise at the file operation that was chosen; after a kill also at all later ones."""
    if armed and event in FILE_EVENTS:
        armed["left"] -= 1
        if armed["left"] <= 0:
            error = armed["error"]
            if not armed["killed"]:
                armed.clear()
            raise error


sys.addaudithook(count_down)


@contextlib.contextmanager
def interrupted_files(error: BaseException, left: int, *, killed: bool) -> Iterator[None]:
    armed.update(error=error, left=left, killed=killed)
    try:
        yield
    finally:
        armed.clear()


class BreakingEncoder(HashingEncoder):
    """Raises once, at the call that was chosen."""

    left, error = 0, RuntimeError()

    def encode(self, texts):
        self.left -= 1
        if self.left == 0:
            raise self.error
        return super().encode(texts)


class Overlap:
    """A reranker: shared letters."""

    score_kind = "probability"

    def predict(self, pairs):
        return [len(set(query) & set(text)) / len(set(query)) for query, text in pairs]


def same(one: Index, other: Index) -> bool:
    return (
        one.tree == other.tree
        and one.chunks == other.chunks
        and one.abstracts == other.abstracts
        and one.vectors.tobytes() == other.vectors.tobytes()
        and one.manifest == other.manifest
        and one.report == other.report
    )


def documents_of(chunks) -> dict[int, tuple[str, ...]]:
    found: dict[int, tuple[str, ...]] = {}
    for document, text in chunks:
        found[document] = (*found.get(document, ()), text)
    return found


class AnyOrder(RuleBasedStateMachine):
    """`texts` is the truth: id → (document, text) of every chunk."""

    def __init__(self):
        super().__init__()
        self.work = Path(tempfile.mkdtemp())
        self.folder = self.work / "index"
        self.quiet = warnings.catch_warnings()
        self.quiet.__enter__()
        warnings.simplefilter("ignore", PsiragWarning)
        self.saved: Index | None = None  # a copy of what is in the folder
        self.saved_texts: dict[int, tuple[int, str]] = {}
        self.exact = self.saved_exact = True

    def teardown(self):
        armed.clear()
        self.quiet.__exit__(None, None, None)
        shutil.rmtree(self.work)

    # Building and growing

    def chunked(self, corpus) -> list[tuple[int, str]]:
        chunks = passages_as_chunks(corpus) if corpus.kind == "passages" else split_into_chunks(corpus, MAX_TOKENS)
        return [(chunk.document, chunk.text) for chunk in chunks]

    def built(self, corpus, abstraction, per_document) -> Index:
        settings = {"abstraction": abstraction, "per_document": per_document, "max_tokens": MAX_TOKENS}
        return Index.build(corpus, encoder=BreakingEncoder(), **settings)

    @initialize()
    def start(self):
        self.build(Corpus((Document(0, "moth"), Document(1, "the bat")), "passages"), "keyword", False)

    @rule(corpus=corpora, abstraction=st.sampled_from(["keyword", "summary", "centroid"]), per_document=st.booleans())
    def build(self, corpus, abstraction, per_document):
        chunks = self.chunked(corpus)
        if not chunks:
            with pytest.raises(PsiragError):
                self.built(corpus, abstraction, per_document)
            return
        self.index = self.built(corpus, abstraction, per_document)
        self.texts, self.per_document, self.exact = dict(enumerate(chunks)), per_document, True

    def grown(self, corpus) -> dict[int, tuple[int, str]]:
        """The texts after an addition."""
        there = set(documents_of(self.texts.values()).values())
        new = {d: parts for d, parts in documents_of(self.chunked(corpus)).items() if parts not in there}
        first_id, first_document = max(self.texts) + 1, max(d for d, _ in self.texts.values()) + 1
        rows = [(first_document + place, text) for place, parts in enumerate(new.values()) for text in parts]
        return {**self.texts, **dict(enumerate(rows, first_id))}

    @rule(corpus=corpora, how=st.sampled_from(["exact", "exact", "attach", "subtree"]))
    def add(self, corpus, how):
        if self.per_document:
            with pytest.raises(PsiragError):
                self.index.add(corpus, how=how)
            return
        after = self.grown(corpus)
        assert self.index.add(corpus, how=how) is self.index
        if after != self.texts:
            self.exact = how == "exact"
            assert self.index.growth.added == tuple(sorted(set(after) - set(self.texts)))
        self.texts = after

    @rule(data=st.data(), how=st.sampled_from(["exact", "detach"]))
    def remove(self, data, how):
        ids = data.draw(st.lists(st.sampled_from([*self.texts, max(self.texts) + 1]), unique=True))
        after = {number: row for number, row in self.texts.items() if number not in ids}
        if self.per_document or (ids and (not after or not set(ids) <= set(self.texts))):
            with pytest.raises(PsiragError):
                self.index.remove(ids, how=how)
            return
        self.index.remove(ids, how=how)
        if ids:
            self.exact = how == "exact"
        self.texts = after

    # Asking

    @rule(data=st.data(), query=questions, sides=st.permutations(["tree", "flat", "sparse"]))
    def retrieve(self, data, query, sides):
        n = len(self.texts)
        counts = st.integers(1, n + 2)
        asked = {
            "k": data.draw(counts),
            "beam": data.draw(st.none() | counts),
            "pool": data.draw(counts),
            "siblings": data.draw(st.integers(0, 3)),
            "nodes": data.draw(st.sampled_from(["leaves", "all"])),
            "sides": tuple(sides[: data.draw(st.integers(1, 3))]),
            "rerank": data.draw(st.sampled_from([None, Overlap()])),
            "document": data.draw(st.none() | st.integers(0, max(d for d, _ in self.texts.values()) + 1)),
        }
        documents = {document for document, _ in self.texts.values()}
        if not query.strip() or (asked["document"] is not None and asked["document"] not in documents):
            with pytest.raises(PsiragError):
                self.index.retrieve(query, **asked)
            return
        found = self.index.retrieve(query, **asked)
        assert len(found) <= asked["k"] + HITS_WITH_SIBLINGS * asked["siblings"]
        shown = [hit.text for hit in found if hit.chunk is not None]
        assert len(set(shown)) == len(shown)
        for hit in found:
            assert hit.text == self.index.node_text(hit.node)
            assert set(hit.leaves) <= set(self.texts)
            if hit.chunk is not None:
                assert (hit.chunk.document, hit.text) == self.texts[hit.chunk.id]
            if asked["document"] is not None:
                assert {self.texts[leaf][0] for leaf in hit.leaves} == {asked["document"]}
        both = self.index.retrieve([query, query], **asked)
        assert [one.hits for one in both] == [found.hits] * 2

    @rule(question=questions, k=st.integers(1, 6))
    def ask(self, question, k):
        agent = Agent(self.index, "rules")
        if not question.strip():
            with pytest.raises(PsiragError):
                agent.ask(question, k)
            return
        answer = agent.ask(question, k)
        assert answer.status in ("answered", "not_mentioned", "budget", "unparsed")
        assert all((hit.chunk.document, hit.text) == self.texts[hit.chunk.id] for hit in answer.hits)
        assert answer.steps

    # Disk

    def keep(self):
        """Remember what the folder holds now."""
        self.saved_texts, self.saved_exact = dict(self.texts), self.exact
        self.saved = Index.load(self.folder, encoder=BreakingEncoder())
        self.saved_per_document = self.per_document

    @rule(overwrite=st.booleans())
    def save(self, overwrite):
        if self.saved is not None and not overwrite:
            with pytest.raises(PsiragError, match="which exists"):
                self.index.save(self.folder)
            return
        self.index.save(self.folder, overwrite=overwrite)
        assert same(self.index, Index.load(self.folder, encoder=BreakingEncoder()))
        self.keep()

    @precondition(lambda self: self.saved is not None)
    @rule(verify=st.booleans())
    def load(self, verify):
        self.index = Index.load(self.folder, encoder=BreakingEncoder(), verify=verify)
        self.texts, self.exact = dict(self.saved_texts), self.saved_exact
        self.per_document = self.saved_per_document

    @precondition(lambda self: self.saved is not None)
    @rule(data=st.data(), verify=st.booleans())
    def corrupt(self, data, verify):
        self.saved.save(self.work / "copy")
        paths = sorted(path for path in (self.work / "copy").rglob("*") if path.is_file())
        path = data.draw(st.sampled_from(paths))
        content = path.read_bytes()
        start = int(data.draw(st.floats(0, 1)) * len(content))  # its length differs from run to run by the seconds
        end = start + data.draw(st.integers(0, 40))
        new = data.draw(st.one_of(st.binary(max_size=40), st.binary(min_size=end - start, max_size=end - start)))
        path.write_bytes(content[:start] + new + content[end:])
        if data.draw(st.integers(0, 9)) == 0:
            path.unlink()
        try:
            again = Index.load(self.work / "copy", encoder=BreakingEncoder(), verify=verify)
        except PsiragError as error:
            named = path.name in str(error)
            assert named
        else:
            assert not verify or (path.read_bytes() == content and same(again, self.saved))
        finally:
            shutil.rmtree(self.work / "copy")

    # Interruption

    @rule(
        corpus=corpora, how=st.sampled_from(["exact", "attach", "subtree"]), error=interruptions, left=st.integers(1, 3)
    )
    def interrupt_growth(self, corpus, how, error, left):
        encoder, parts = self.index.encoder, dict(vars(self.index))
        inner = getattr(encoder, "encoder", encoder)
        inner.left, inner.error = left, error
        try:
            self.add(corpus, how)
        except (KeyboardInterrupt, MemoryError, OSError):
            assert vars(self.index) == parts
        finally:
            inner.left = 0

    @rule(error=interruptions, left=st.integers(1, 80), killed=st.booleans())
    def interrupt_saving(self, error, left, killed):
        try:
            with interrupted_files(error, left, killed=killed):
                self.index.save(self.folder, overwrite=True)
        except (KeyboardInterrupt, MemoryError, OSError, PsiragError):
            if self.saved is None and not (self.folder / "manifest.json").exists():
                with pytest.raises(PsiragError):
                    Index.load(self.folder, encoder=BreakingEncoder())
                return
            again = Index.load(self.folder, encoder=BreakingEncoder())
            if self.saved is None or not same(again, self.saved):
                assert same(again, self.index)
                self.keep()
        else:
            self.keep()

    # What always holds

    @invariant()
    def the_chunks_are_the_texts(self):
        chunks = self.index.chunks
        found = {chunk.id: (chunk.document, chunk.text) for chunk in chunks}
        assert found == self.texts
        assert chunks.ids.tolist() == sorted(self.texts)
        assert len(chunks) == self.index.tree.n_leaves == self.index.sparse.n_texts

    @invariant()
    def all_leaves_are_equally_deep(self):
        tree = self.index.tree
        for leaf in range(tree.n_leaves):
            assert len(tree.ancestors(leaf)) == tree.depth
        assert tree.leaves(tree.root).tolist() == list(range(tree.n_leaves))

    @invariant()
    def every_text_is_found_once(self):
        distinct = {text for _, text in self.texts.values()}
        n = len(self.texts)
        for side in ("tree", "flat"):
            found = self.index.retrieve("moth river", k=n, sides=(side,))
            assert sorted(hit.text for hit in found) == sorted(distinct), side

    @invariant()
    def growth_that_is_exact_equals_a_rebuild(self):
        rows = HashingEncoder().encode(self.index.chunks.indexed_texts)
        assert np.array_equal(self.index.vectors[: len(rows)], rows)
        if self.exact and not self.per_document:
            assert self.index.tree == build_tree(rows)

    @invariant()
    def the_folder_stays_what_was_saved(self):
        if self.saved is not None:
            assert same(Index.load(self.folder, encoder=BreakingEncoder()), self.saved)


class TestAnyOrder(AnyOrder.TestCase):
    settings = settings(max_examples=6, stateful_step_count=10, suppress_health_check=list(HealthCheck))


@pytest.mark.slow
class TestAnyOrderAtLength(AnyOrder.TestCase):
    settings = settings(max_examples=400, stateful_step_count=40, suppress_health_check=list(HealthCheck))

"""Inputs that nobody means, through every public door: `PsiragError` or the right result, nothing lost, no hang."""

from __future__ import annotations

import gzip
import math
import os
import xml.dom.minidom
import zipfile
from pathlib import Path

import numpy as np
import pytest

from psirag import (
    Agent,
    Index,
    build_tree,
    circular_tree,
    collapse,
    count_tokens,
    dasgupta_cost,
    descent_layout,
    embedding_map,
    load_corpus,
    load_encoder,
    load_questions,
    load_reader,
    merge_steps,
    spanning_tree,
    split_into_chunks,
    write_abstracts,
)
from psirag.corpus import Document
from psirag.errors import PsiragError, PsiragWarning
from psirag.evaluation import Evaluation, evaluate
from psirag.variants import NavTree, RitRag, section_forest
from psirag.views import embedding_map_layout, explore_agent, explore_map, explore_tree, merge_animation, place_query
from tests.hashing_encoder import HashingEncoder

TEXTS = ["moth bat cave", "owl pine river", "rain cloud sun", "moth owl night"]
VECTORS = np.random.default_rng(0).normal(size=(6, 4))
HUGE = 2**70


def build(corpus=TEXTS, **settings) -> Index:
    return Index.build(corpus, encoder=HashingEncoder(), **settings)


def sections(*texts: str, **settings) -> RitRag:
    return RitRag.build(list(texts) or ["# Bats\n\nmoth"], encoder=HashingEncoder(), **settings)


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


# Refused, with a message that names what is wrong


def holds_itself():
    row = {"text": "moth"}
    row["me"] = row
    return row


def nested(depth=100_000):
    value = {}
    for _ in range(depth):
        value = {"in": value}
    return value


def torch_rows(**settings):
    import torch

    return torch.eye(3, **settings)


def bfloat16_rows():
    import torch

    return torch.eye(3, dtype=torch.bfloat16)


MASKED = np.ma.masked_array(np.eye(3), mask=np.eye(3))

REFUSED = {
    "a row that holds itself": (lambda: load_corpus([holds_itself()]), "holds itself"),
    "a row nested without end": (lambda: load_corpus([{"text": "x", "m": nested()}]), "nested too deeply"),
    "metadata nested without end": (lambda: build([Document(0, "moth", "", nested())]).save("a"), "chunks.jsonl holds"),
    "an id beyond int64": (lambda: Document(HUGE, "moth"), "Document.id must be at most"),
    "vectors with a mask": (lambda: build_tree(MASKED), "a MaskedArray"),
    "weights with a mask": (lambda: dasgupta_cost(build_tree(np.eye(3)), MASKED), "weights must be real numbers"),
    "a tensor with a gradient": (lambda: build_tree(torch_rows(requires_grad=True)), "a Tensor"),
    "a tensor of bfloat16": (lambda: build_tree(bfloat16_rows()), "a Tensor"),
    "longdouble beyond float64": (
        lambda: build_tree(np.eye(3, dtype=np.longdouble) * np.longdouble("1e4000")),
        "rows 0, 1, 2" if np.finfo(np.longdouble).max > 1e308 * 10 else "finite",
    ),
    "a generator of vectors": (lambda: build_tree(row for row in np.eye(3)), "a generator"),
    "rows of any length where unit rows are meant": (
        lambda: spanning_tree(np.full((3, 2), 5, np.float32)),
        "rows 0, 1, 2 of another length",
    ),
    "NaN where unit rows are meant": (lambda: spanning_tree(np.full((3, 2), np.nan, np.float32)), "of another length"),
    "lists where unit rows are meant": (lambda: spanning_tree([[1.0, 0.0]]), "a list"),
    "ids of two kinds": (lambda: build().remove([None, 1]), r"\[None, 1\], which are none"),
    "ragged ids": (lambda: build().remove([[1], [2, 3]]), "which are none"),
    "a confirmation that is no function": (lambda: build().add(["new"], confirm=3), "confirm must be a function"),
    "an agent of nothing": (lambda: Agent(None), "Agent needs an index"),
    "a setting that retrieval lacks": (lambda: Agent(build(), "rules", retrieve={"beams": 1}), "got beams: "),
    "a watcher that is no function": (lambda: Agent(build(), "rules").ask("Who?", watch=3), "watch must be a function"),
    "a null character in a path": (lambda: build().save("a\0b"), "folder must be a path.*null"),
    "a path that UTF-8 cannot hold": (lambda: build().save("a\ud800"), "folder must be a path"),
    "a name too long for any system": (lambda: Index.load("x" * 5_000), "folder must be a path"),
    "a folder below a file": (lambda: (Path("f").touch(), build().save("f/index")), "folder must be a path"),
    "a name too long for its hidden twin": (lambda: build().save("x" * 250), "save needs a folder that can be made"),
    "a title that is none": (lambda: circular_tree(build_tree(VECTORS), title=None), "title must be a str"),
    "a number for texts": (lambda: circular_tree(build_tree(VECTORS), texts=5), "texts must be a sequence"),
    "ragged nodes": (lambda: circular_tree(build_tree(VECTORS), highlight=[[1], [2, 3]]), "highlight must be node"),
    "words for places": (lambda: embedding_map(VECTORS, layout="abc"), "layout must be finite"),
    "ragged places": (lambda: place_query([[1, 2], [3]], VECTORS, VECTORS[0]), "place_query needs"),
    "a seed beyond the generator's": (lambda: embedding_map_layout(VECTORS, seed=HUGE), "seed must be at most"),
    "a descent of nothing": (lambda: descent_layout(None, build_tree(VECTORS)), "trace must be a Trace"),
    "steps that are none": (lambda: merge_animation([1, 2], 3), "steps must hold MergeStep"),
    "a selection of words": (lambda: explore_map(VECTORS).select(["a"]), "select needs ids"),
    "a number for sections": (lambda: sections().get_content(0), "get_content needs a sequence"),
    "a list for a query of sections": (lambda: sections().get_toc(["moth"]), "query must be a str"),
    "headings alone": (lambda: section_forest(["# A\n\n## B\n\n## C\n"]), "needs sections with text"),
    "a truth in words": (
        lambda: load_questions([{"question": "Who?", "answerable": "no"}]),
        "must be true or false",
    ),
    "an answer that is no number": (lambda: load_questions([{"question": "Who?", "answers": [math.nan]}]), "got nan"),
    "ids that are one as text": (
        lambda: load_questions([{"id": 1, "question": "Who?"}, {"id": "1", "question": "Why?"}]),
        "'1' more than once",
    ),
    "two files in one .zip": (lambda: load_corpus(zipped("a.zip", "one", "two")), "one file, but got .* with 2"),
    "a .gz with something behind": (lambda: load_corpus(packed("a.gz", b"garbage")), "must be whole"),
    "a .gz that ends early": (lambda: load_corpus(packed("b.gz", cut=9)), "must be whole"),
    "a home of nobody": (lambda: build().save("~nobody-here/index"), "folder must be a path"),
    "a checkpoint nowhere": (lambda: build_tree(VECTORS, checkpoint="a\0b"), "checkpoint must be a path"),
    "a folder of sets that is a number": (lambda: load_corpus("musique", folder=3), "folder must be a path"),
    "a name of an encoder too long": (lambda: load_encoder("x" * 5_000), "load_encoder takes"),
    "a name of a reader with a null": (lambda: load_reader("a\0b"), "load_reader takes"),
    "a cache nowhere": (lambda: load_encoder(cache="a\0b"), "cache must be a folder"),
    "pairs of halves": (lambda: collapse([(0.5, 1)], 2), "pairs of integers"),
    "letters for pairs": (lambda: collapse("ab", 3), "pairs of integers"),
    "abstracts of no tree": (lambda: write_abstracts(None, ["a"], VECTORS), "tree must be a"),
    "tokens below none": (lambda: count_tokens("a b", lambda text: -1), "tokenizer must return tokens"),
    "a pipe for a file": (lambda: (os.mkfifo("p.txt"), load_corpus("p.txt")), "must be a file or a folder"),
}


def zipped(name, *members):
    with zipfile.ZipFile(name, "w") as archive:
        for member in members:
            archive.writestr(member, '{"text": "moth"}\n')
    return name


def packed(name, behind=b"", *, cut=0):
    data = gzip.compress(b'{"text": "moth"}\n' * 1_000)
    Path(name).write_bytes(data[: len(data) - cut] + behind)
    return name


@pytest.mark.parametrize(("call", "message"), REFUSED.values(), ids=REFUSED)
def test_is_refused(call, message):
    with pytest.raises(PsiragError, match=message):
        call()


# Taken as what it is


@pytest.mark.parametrize("setting", ["k", "pool", "beam", "siblings"])
def test_a_number_beyond_every_corpus_is_all_there_is(setting):
    assert len(build().retrieve("moth", **{"k": 4, setting: HUGE})) == 4


def test_a_walk_without_bounds_takes_every_chunk_once():
    found = NavTree(build(), anchors=HUGE, budget=HUGE).retrieve("moth", HUGE)
    assert sorted(hit.node for hit in found) == [0, 1, 2, 3]
    assert len(sections("# A\n\nmoth").retrieve("moth", HUGE)) == 1


@pytest.mark.parametrize("query", ["\0", "\u200b", "???!!!", "🦇❓", "من هو؟", "moth " * 100_000])
@pytest.mark.filterwarnings("ignore:encoder output")
def test_a_query_of_no_usable_word_finds_what_there_is(query):
    assert len(build().retrieve(query)) == 4
    answer = Agent(build(), "rules").ask(query[:10_000])
    assert answer.status in {"answered", "not_mentioned"}
    assert {hit.chunk.id for hit in answer.hits} == {0, 1, 2, 3}


def test_half_a_character_in_a_question_is_replaced_once_and_never_kept():
    with pytest.warns(PsiragWarning, match="question: lone surrogates") as told:
        answer = Agent(build(), "rules").ask("Who \ud800 flies?")
    assert len(told) == 1
    assert answer.question == "Who \ufffd flies?"


@pytest.mark.parametrize("said", ["[" * 100_000, "1" * 5_000, '["a", "b"'])
def test_an_alias_that_is_no_list_is_an_answer(said):
    (question,) = load_questions([{"question": "Who?", "possible_answers": said}])
    assert question.answers == (said,)


def test_numbers_that_json_lacks_come_back():
    build([{"text": "moth", "x": math.nan, "y": -math.inf}]).save("index")
    (metadata,) = Index.load("index", encoder=HashingEncoder()).chunks.metadata
    assert math.isnan(metadata["x"])
    assert metadata["y"] == -math.inf


def test_a_file_name_that_is_no_text_loses_no_document():
    Path("texts/folder.txt").mkdir(parents=True)
    Path(os.fsdecode(b"texts/caf\xe9.txt")).write_text("moth")
    Path("texts/loop").symlink_to("texts")
    Path("texts/broken.txt").symlink_to("nowhere")
    with pytest.warns(PsiragWarning, match="lone surrogates"):
        corpus = load_corpus("./texts")
    assert [(document.title, document.text) for document in corpus] == [("caf\ufffd", "moth")]


@pytest.mark.parametrize(
    "text",
    [
        "\n" * 50_000 + "x",
        "a" + "\u0301" * 20_000,
        "\0 " * 999,
        "a" * 100_000 + " b",
        "".join(map(chr, range(99))),
    ],
    ids=["newlines", "accents", "nulls", "one word", "controls"],
)
def test_any_text_is_split_without_loss(text):
    assert "".join(split_into_chunks(load_corpus([Document(0, text)]), 5).texts) == text
    greedy = split_into_chunks(load_corpus([Document(0, text[-500:])]), 1, tokenizer=lambda part: 1_000 * len(part))
    assert "".join(greedy.texts) == text[-500:]


@pytest.mark.parametrize("rows", [np.eye(3) * 1e308, np.eye(3) * 5e-324, np.eye(3, dtype=np.float16)])
def test_lengths_at_the_ends_of_float_make_the_same_tree(rows):
    assert build_tree(rows) == build_tree(np.eye(3))


def test_weights_beyond_int64_are_summed_exactly():
    star = build_tree(np.eye(3))
    assert dasgupta_cost(star, np.full((3, 3), 2**64 - 1, dtype=np.uint64)) == 9 * (2**64 - 1)


@pytest.mark.parametrize("how", ["exact", "attach", "subtree"])
def test_one_chunk_grows_and_shrinks_again(how):
    index = build(["moth"]).add(["owl pine"], how=how)
    assert (len(index.chunks), index.tree.n_nodes) == (2, 3)
    index.remove([0], how="exact" if how == "exact" else "detach")
    assert [hit.text for hit in index.retrieve("owl", 9)] == ["owl pine"]


def test_ways_of_growth_in_turn_lose_no_chunk():
    index = build()
    for i in range(9):
        index.add([f"moth number{i}"], how=("exact", "attach", "subtree")[i % 3])
    found = index.retrieve("moth", 99, sides=["tree"], beam=99)
    assert sorted(hit.node for hit in found) == list(range(13))


def test_an_index_and_an_evaluation_never_replace_each_other():
    evaluation = evaluate(build(), ["Who?"], ask=False)
    evaluation.save("evaluation")
    build().save("index")
    with pytest.raises(PsiragError, match="a saved index only"):
        build().save("evaluation", overwrite=True)
    with pytest.raises(PsiragError, match="a saved evaluation only"):
        evaluation.save("index", overwrite=True)
    assert Evaluation.load("evaluation").table().shape == evaluation.table().shape
    assert len(Index.load("index", encoder=HashingEncoder()).chunks) == 4


def test_a_system_may_have_any_name():
    class Named:
        name = "a/../../b\n|x| <b>"

        def retrieve(self, question, k=5):
            return build().retrieve(question, k)

    evaluate(Named(), ["Who?"], k=[HUGE], ask=False, folder="evaluation")
    assert list(Evaluation.load("evaluation").table()["system"]) == [Named.name]


def test_documents_alike_in_all_are_three_sections():
    found = sections("# A\n\nmoth", "# A\n\nmoth", "# A\n\nmoth")
    assert found.get_toc("moth").text.count("A (") == 3
    deep = sections("\n\n".join(f"{'#' * min(6, i + 1)} H{i}\n\ntext {i} moth" for i in range(200)))
    assert len(deep.retrieve("moth", 9)) == 9


NASTY = "\ufffe\uffff\x00\x1b\u202e\u200b</script><svg onload=alert(1)>]]>&amp;&#0;"


def test_a_drawing_of_any_text_is_xml():
    classes = [f"{NASTY}{i % 2}" for i in range(6)]
    tree = circular_tree(build_tree(VECTORS), texts=[NASTY] * 6, labels=[NASTY] * 6, classes=classes, title=NASTY)
    steps = merge_animation(merge_steps(VECTORS), 6, [NASTY] * 6, title=NASTY)
    for figure in (tree, steps, embedding_map(VECTORS, texts=[NASTY] * 6, classes=classes, title=NASTY)):
        page = xml.dom.minidom.parseString(figure.svg.encode())
        assert not page.getElementsByTagName("script")
        assert len(page.getElementsByTagName("svg")) == 1


@pytest.mark.parametrize("explore", [explore_tree, explore_agent])
def test_a_panel_needs_an_index(explore):
    with pytest.raises(PsiragError, match=f"{explore.__name__}'s index"):
        explore(None)

"""The figure of a table of contents: where its headings stand, and what is marked."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from psirag.agent import Agent
from psirag.errors import PsiragError
from psirag.index import Index
from psirag.variants import RitRag
from psirag.variants.rit_agent import tables_of
from psirag.views import contents, contents_layout
from psirag.views.hover import text_width
from tests.club_documents import CROSS, club
from tests.hashing_encoder import HashingEncoder

QUESTION = CROSS[0][0]


@pytest.fixture(scope="module")
def rit():
    return RitRag.build(club(), encoder=HashingEncoder(64))


@pytest.mark.oracle
def test_a_row_a_heading_below_what_it_belongs_to(rit):
    table = rit.get_toc(QUESTION)
    read = table.nodes[-1:].tolist()
    layout = contents_layout(table, read=read)
    assert layout.node.tolist() == table.nodes.tolist()
    assert layout.y.tolist() == [-float(i) for i in range(len(table.nodes))]
    assert [int(table.nodes[i]) if i >= 0 else -1 for i in layout.above] == rit.forest.parent[table.nodes].tolist()
    assert layout.found.tolist() == (~np.isnan(table.scores)).tolist()
    assert layout.node[layout.read].tolist() == read
    assert not layout.x.flags.writeable


def test_the_figure_marks_what_was_found_and_read(rit):
    answer = rit.ask(QUESTION)
    tables, read = tables_of(answer.steps)
    figure = contents(answer)
    marked = {node for trace in figure.data if trace.name == "read" for node in trace.customdata}
    assert marked == {node for content in read for node in content.nodes.tolist()}
    names = [trace.name for trace in contents(tables[0]).data]
    assert names == ["belongs to", "a heading above", "found"]
    texts = [element.text or "" for element in ET.fromstring(figure.svg).iter() if element.tag.endswith("text")]
    assert QUESTION in texts
    assert all(any(title in text for text in texts) for title in tables[0].titles)
    assert "mine" in contents(answer, title="mine").svg


def test_every_table_of_an_answer_is_a_panel(rit):
    answer = rit.ask(QUESTION)
    twice = replace(answer, steps=(answer.steps[0], *answer.steps))
    figure = contents(twice)
    assert len({trace.xaxis for trace in figure.data}) == len(tables_of(twice.steps)[0])
    assert "get_toc" not in figure.svg
    assert "table of contents 2, for: " in figure.svg


def test_the_figure_is_as_wide_as_its_lines():
    long = "A heading of many words about boats and about their keys"
    rit = RitRag.build([f"# Bats\n\n## Food\n\n### {long}\n\nBats hunt moths."], encoder=HashingEncoder(64))
    svg = contents(rit.get_toc("moths"), title="").svg
    width = int(re.search(r'width="(\d+)"', svg)[1])
    (line,) = re.findall(rf'<text x="([\d.]+)"[^>]* font-size="14"[^>]*>({long}[^<]*)<', svg)
    assert width - 60 < float(line[0]) + text_width(line[1], 14) < width


def test_titles_are_shown_as_written():
    rit = RitRag.build(["# <b>A</b> & $x$\n\nBats."], encoder=HashingEncoder(64))
    figure = contents(rit.get_toc("bats"))
    assert any("&lt;b&gt;A&lt;/b&gt;" in note.text for note in figure.layout.annotations)
    ET.fromstring(figure.svg)


def test_wrong_input(rit):
    with pytest.raises(PsiragError, match="needs a TableOfContents"):
        contents_layout(rit.get_content([1]))
    with pytest.raises(PsiragError, match="got a RitRag"):
        contents(rit)
    other = Agent(Index.build("toy", encoder=HashingEncoder(64), abstraction="centroid")).ask("Who wrote Messiah?")
    with pytest.raises(PsiragError, match="a Answer of another system"):
        contents(other)

"""Headings of Markdown, HTML, reStructuredText and numbered text, the first against a parser of CommonMark."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from psirag.errors import PsiragError
from psirag.variants.heading_formats import FORMATS, find_headings


def told(text, **settings):
    return [(heading.level, heading.title) for heading in find_headings(text, **settings)[1]]


MARKDOWN = """---
title: no heading
---
# One #

Some text
```python
# a comment
```
~~~~
## within
~~~
## still within
~~~~

Two
words
===

- item
lazy line
---

> quoted
---

Three
---

####
#no heading
    # code

| a | b |
| - | - |
 ### Four   ###
\\# no
* * *
###### Six
####### seven
"""


def test_markdown():
    assert told(MARKDOWN) == [(1, "One"), (1, "Two words"), (2, "Three"), (4, ""), (3, "Four"), (6, "Six")]


@pytest.mark.oracle
@pytest.mark.parametrize("text", [
    MARKDOWN.partition("---\ntitle: no heading\n---\n")[2], "a\n=\n", "a\n\n=\n", "# a\r\n\r\nb\r\n=\r\n", "```\n# a",
    "#", "   ## a ##b ##\n", "a\n    # b\nc\n-", "***\na\n***\n", "+ a\n\nb\n--\n", "1. a\n--\n", "```a`b\n# c\n",
    "~~~ a`b\n# c\n", "#\ta", "# a\\#", "- a\nb\n---\nc\nd\n---\n", "> a\nb\n---\n", "a\n- b\n---\n", "a\n> b\n---\n",
])  # fmt: skip
def test_markdown_as_commonmark_reads_it(text):
    parser = pytest.importorskip("markdown_it").MarkdownIt()
    tokens = parser.parse(text)
    expected = [
        (int(token.tag[1]), " ".join(tokens[i + 1].content.split()))
        for i, token in enumerate(tokens) if token.type == "heading_open" and not token.level
    ]  # fmt: skip
    assert told(text, format="markdown") == expected


def test_html():
    text = (
        "<!doctype html><html><head><title>no</title><style>h1 {}</style></head><body>before"
        "<h1>One <i>two</i> &amp; 3</h1>\n"
        "<p>some   text<br>more</p><ul><li>a<li>b</ul><h3>Deep<p>unclosed<h2>Line<br>broken</h2><pre>x\n  y</pre>"
        "<script>if (a < b) '<h2>no</h2>'</script><p>end"
    )
    shown, headings = find_headings(text)
    assert told(text) == [(1, "One two & 3"), (3, "Deep"), (2, "Line broken")]
    assert shown.splitlines() == [
        "before", "One two & 3", "some text", "more", "a", "b", "Deep", "unclosed", "Line broken", "x", "  y", "end",
    ]  # fmt: skip
    assert shown[headings[0].start : headings[0].end] == "One two & 3\n"


@pytest.mark.parametrize("text", ["<h1>a</h1>b", "<p>a<h1>b</h1>c</h2></p></pre></script>d", "<h2>a"])
def test_html_needs_no_page_and_no_order(text):
    shown, headings = find_headings(text, format="html")
    assert len(headings) == 1
    assert "<" not in shown
    assert find_headings(text)[0] == shown


RST = """=====
Title
=====

Part
----
Text under it
goes on.

Sub
~~~

  Indented
  ~~~~~~~~

Part again
----------

----

no blank above
Not a title
+++++++++++

====  ====
a     b
====  ====
"""


def test_rst():
    assert told(RST) == [(1, "Title"), (2, "Part"), (3, "Sub"), (2, "Part again")]


def test_rst_tells_a_line_above_from_none():
    assert told("===\nOne\n===\n\nTwo\n===\n\nThree\n.....\n", format="rst") == [(1, "One"), (2, "Two"), (3, "Three")]


NUMBERED = """A guide

1 Start
1.1 Deep
Text of it.

1.2.3. Skips a level

2. buy milk
3. buy bread

1984 was a year.

2 Second

2.1  Ends in a full stop.

2.2 Contents .... 7

9 Far

3 Third

1 Start again
"""


def test_numbered():
    assert told(NUMBERED) == [(1, "1 Start"), (3, "1.2.3 Skips a level"), (1, "2 Second"), (1, "3 Third")]
    assert told("1 Start\n1.1 Deep\n\nText.") == [(1, "1 Start"), (2, "1.1 Deep")]


def test_auto_takes_the_format_with_the_most_headings():
    assert told("===\nOne\n===\n\nText.\n") == [(1, "One")]
    assert told("# a\n\nb\n~~~~\n\nc\n~~~~\n\nd\n~~~~\n") == [(1, "b"), (1, "c"), (1, "d")]
    assert told("# a\n\n```html\n<h1>x</h1>\n```") == [(1, "a")]
    assert told("1 Start\n\nText.\n\n# Heading") == [(1, "Heading")]
    assert find_headings("No heading.") == ("No heading.", [])
    assert told("# a", format="plain") == []


def test_another_format_is_refused():
    with pytest.raises(PsiragError, match="format must be one of"):
        find_headings("a", format="latex")


@given(st.text(alphabet="#=-~` 1.2aA\n<h>/*", max_size=60), st.sampled_from(["auto", *FORMATS]))
def test_any_text_gives_ordered_spans_on_one_line_each(text, kind):
    shown, headings = find_headings(text, format=kind)
    places = [place for heading in headings for place in (heading.start, heading.end)]
    assert places == sorted(places)
    assert all(0 <= place <= len(shown) for place in places)
    assert all(heading.level >= 1 and "\n" not in heading.title for heading in headings)


@pytest.mark.parametrize(
    ("line", "title"),
    [("# a", "a"), ("# a #", "a"), ("# a ##  ", "a"), ("# a#", "a#"), ("#\ta\t#\t", "a"), ("# #", ""), ("# ## #", "##"),
     ("#  ", ""), ("#", ""), ("# a # b", "a # b"), ("#  a  b ", "a b")],
)  # fmt: skip
def test_signs_that_close_a_markdown_title(line, title):
    assert told(line) == [(1, title)]


@pytest.mark.parametrize("line", ["1 Bats ... 7", "1 Bats ..7", "1 Bats\t7", "1 Bats   7", "1 Bats . . .. 12  "])
def test_lines_of_a_printed_table_of_contents_are_no_headings(line):
    assert told(f"{line}\n\n1 Owls\n", format="numbered") == [(1, "1 Owls")]


@pytest.mark.parametrize("line", ["1 Bats 7", "1 Bats  7", "1 Bats.7", "1 Bats   x"])
def test_lines_that_only_look_like_it(line):
    assert told(f"{line}\n", format="numbered") == [(1, " ".join(line.split()))]


def test_what_is_open_where_a_page_ends_is_text():
    assert find_headings("<h1>One</h1>AT&amp;T &amp", format="html")[0].split() == ["One", "AT&T", "&"]
    assert told("<html><h1>One", format="html") == [(1, "One")]

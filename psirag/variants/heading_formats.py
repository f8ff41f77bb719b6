"""Where the headings of a text stand, in Markdown, HTML, reStructuredText and numbered plain text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from psirag.checks import check_choice
from psirag.corpus.web_pages import WebPage

FORMATS = ("markdown", "html", "rst", "numbered", "plain")

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t](.*))?")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*\Z)|~{3,}).*")
_BREAK = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*")
_NO_PARAGRAPH = re.compile(r" {0,3}(?:(?:[-*+]|\d{1,9}[.)])(?:\s|\Z)|>)|(?:    |\t)")  # a list, a quote, code
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n.*?^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*")
_OVERLINE = re.compile(r"([=~*^-])\1{2,} ")
_NUMBERED = re.compile(r" {0,3}(\d{1,3}(?:\.\d{1,3})*)\.?[ \t]+(?=[^\W\d_])(.{0,99}?[^\s.,;:])[ \t]*")
_HTML_START = re.compile(r"(?is)\s*(?:<!--(?:(?!-->).)*-->\s*)*<(?:!doctype html|html|head|body)\b")
_HTML_HEADING = re.compile(r"<h[1-6][\s>]", re.IGNORECASE)


class Heading(NamedTuple):
    """One heading: its level from 1, its title on one line, and the span of its lines in the text."""

    level: int
    title: str
    start: int
    end: int


class _Line(NamedTuple):
    """One line without its end, and its span with it."""

    text: str
    start: int
    end: int


def find_headings(text: str, *, format: str = "auto") -> tuple[str, list[Heading]]:  # noqa: A002
    r"""Find the headings of a text in their order; of HTML also take the tags out.

    Parameters
    ----------
    text : str
    format : {"auto", "markdown", "html", "rst", "numbered", "plain"}
        "auto": HTML when the text begins as a page; else the first of Markdown, reStructuredText and HTML with the most
        headings (a line above a title speaks for reStructuredText); numbered plain text when none of these has any.
        "plain" has no headings.

    Returns
    -------
    tuple of (str, list of Heading)
        The text that the spans are of, and its headings. The text is the one given, without tags where it is HTML and
        without its front matter where it is Markdown.

    Raises
    ------
    PsiragError
        Another format.

    Notes
    -----
    Markdown: ATX and setext headings, none within fenced code. reStructuredText: titles
    with an underline, or a line above and below; each style is one level deeper than those before it (a rule of ours:
    docutils is large). Numbered: "1 Title", "1.2 Title", "1.2.3. Title" on a line of its own, in rising order.
    Source: ours; RIT-RAG (2026) builds a tree from each document's table of contents and leaves open how it is found.

    Examples
    --------
    >>> [(h.level, h.title) for h in find_headings("# Bats\n\nThey fly.\n\n## Food ##\n\nMoths.")[1]]
    [(1, 'Bats'), (2, 'Food')]
    >>> find_headings("<h1>Bats</h1><p>They <b>fly</b>.</p>")[0]
    'Bats\nThey fly.\n'
    """
    check_choice("format", format, ("auto", *FORMATS))
    if format == "html" or (format == "auto" and _HTML_START.match(text)):
        return _read_html(text)
    body = _FRONT_MATTER.sub("", text) if format in ("auto", "markdown") else text
    if format != "auto":
        return body, _FINDERS[format](body)
    markdown, rst = _markdown(body), _rst(body)
    lined = any(_OVERLINE.match(heading.title) for heading in markdown)  # what Markdown makes of a line above a title
    best = rst if len(rst) > len(markdown) or (lined and rst) else markdown
    if len(_HTML_HEADING.findall(text)) > len(best):
        return _read_html(text)
    return body, best or _numbered(body)


def _lines(text: str) -> Iterator[_Line]:
    """The lines of a text."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield _Line(text[start:end].rstrip("\r\n"), start, end)
        start = end


def _one_line(text: str) -> str:
    """A title without line breaks and repeated spaces."""
    return " ".join(text.split())


def _without_closing(title: str) -> str:
    """A Markdown title without the signs that may close it, as in `# Title #`."""
    title = title.strip(" \t")
    opened = title.rstrip("#")
    return title if opened and opened[-1] not in " \t" else opened


def _is_contents_line(line: str) -> bool:
    """Whether dots, a tab or a wide gap part a page number from what stands before it."""
    line = line.rstrip()
    before = line.rstrip("0123456789")
    words = before.rstrip()
    gap = before[len(words) :]
    return before != line and (words.endswith("..") or "\t" in gap or len(gap) > 2)


def _markdown(text: str) -> list[Heading]:
    """ATX and setext headings outside fenced code."""
    found: list[Heading] = []
    fence, paragraph, quoted = "", -1, False  # the open fence, where a paragraph began, whether it is a list's or such
    for line in _lines(text):
        opened = _FENCE.fullmatch(line.text)
        if fence:
            closes = opened is not None and opened[1].startswith(fence) and not line.text.strip().strip(fence[0])
            fence = "" if closes else fence
            continue
        atx, setext = _ATX.fullmatch(line.text), _SETEXT.fullmatch(line.text)
        if opened or atx or not line.text.strip():
            if atx:
                found.append(Heading(len(atx[1]), _one_line(_without_closing(atx[2] or "")), line.start, line.end))
            fence, paragraph, quoted = opened[1] if opened else "", -1, False
        elif setext and paragraph >= 0:
            level = 1 if setext[1][0] == "=" else 2
            found.append(Heading(level, _one_line(text[paragraph : line.start]), paragraph, line.end))
            paragraph = -1
        elif _BREAK.fullmatch(line.text):
            paragraph, quoted = -1, False
        elif paragraph < 0 and not quoted:
            quoted = _NO_PARAGRAPH.match(line.text) is not None
            paragraph = -1 if quoted else line.start
        elif paragraph >= 0 and _NO_PARAGRAPH.match(line.text.lstrip()):
            paragraph, quoted = -1, True
    return found


def _rst(text: str) -> list[Heading]:
    """Titles with an underline, or with a line above and below; styles by first appearance are levels 1, 2, …."""
    lines = [*_lines(text), _Line("", len(text), len(text))]
    adorned = [_ADORNMENT.fullmatch(line.text.rstrip()) for line in lines]
    found: list[Heading] = []
    styles: list[str] = []
    last = -1  # the last line that is taken
    for i in range(1, len(lines)):
        under, title = adorned[i], lines[i - 1].text.rstrip()
        if under is None or i - 1 <= last or not title.strip() or adorned[i - 1]:
            continue
        over = adorned[i - 2] if i - 2 > last and i > 1 else None
        over = over if over is not None and over[0] == under[0] else None
        first = i - 2 if over else i - 1
        alone = first - 1 <= last or not lines[first - 1].text.strip()
        if not alone or (over is None and title[0].isspace()) or len(under[0]) < min(4, len(title.strip())):
            continue
        style = under[1] * (2 if over else 1)
        styles += [] if style in styles else [style]
        found.append(Heading(styles.index(style) + 1, _one_line(title), lines[first].start, lines[i].end))
        last = i
    return found


def _numbered(text: str) -> list[Heading]:
    """Numbered lines that stand alone, or above a deeper one, in rising order."""
    lines = [*_lines(text)]
    numbers = [_NUMBERED.fullmatch(line.text) for line in lines]
    found: list[Heading] = []
    last: tuple[int, ...] = (0,)
    taken = -1
    for i, (line, number) in enumerate(zip(lines, numbers, strict=True)):
        if number is None or _is_contents_line(line.text):
            continue
        parts = tuple(map(int, number[1].split(".")))
        follower = numbers[i + 1] if i + 1 < len(lines) else None
        closed = i + 1 == len(lines) or not lines[i + 1].text.strip()
        deeper = follower is not None and follower[1].startswith(number[1] + ".")
        opened = i == 0 or taken == i - 1 or not lines[i - 1].text.strip()
        if opened and (closed or deeper) and (parts > last or not found) and parts[0] <= last[0] + 1:
            found.append(Heading(len(parts), f"{number[1]} {_one_line(number[2])}", line.start, line.end))
            last, taken = parts, i
    return found


def _read_html(text: str) -> tuple[str, list[Heading]]:
    """The text of a page and its headings h1 to h6."""
    page = _Page()
    page.feed(text)
    page.close()
    page.end_heading()
    return "".join(page.pieces), page.headings


class _Page(WebPage):
    """Gathers the text of a page: white space folded outside <pre>, one line a block, title and scripts left out."""

    SILENT = frozenset("title script style template noscript".split())
    INLINE = frozenset(
        "a abbr b bdi bdo cite code data del dfn em font i img ins kbd label mark q s samp small span strong sub sup "
        "time tt u var wbr".split()
    )

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.headings: list[Heading] = []
        self.length = self.silent = self.verbatim = 0
        self.open: tuple[int, int, int] | None = None  # level, start and first piece of the heading that is open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.silent += tag in self.SILENT
        if tag in self.INLINE or self.silent:
            return
        if tag == "br" and self.open is not None:
            self._add(" ")
            return
        self.end_heading()
        self.verbatim += tag == "pre"
        if re.fullmatch("h[1-6]", tag):
            self.open = int(tag[1]), self.length, len(self.pieces)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.SILENT:
            self.silent = max(0, self.silent - 1)
        elif tag not in self.INLINE and not self.silent:
            self.end_heading()
            self.verbatim = max(0, self.verbatim - (tag == "pre"))

    def handle_data(self, data: str) -> None:
        if self.silent:
            return
        if not self.verbatim:
            data = re.sub(r"\s+", " ", data)
            at_start = not self.pieces or self.pieces[-1][-1].isspace()
            data = data.lstrip() if at_start else data
        self._add(data)

    def end_heading(self) -> None:
        """End the line, and the heading that is open."""
        self._end_line()
        if self.open is not None:
            level, start, first = self.open
            title = _one_line("".join(self.pieces[first:]))
            self.headings.append(Heading(level, title, start, self.length))
            self.open = None

    def _add(self, text: str) -> None:
        if text:
            self.pieces.append(text)
            self.length += len(text)

    def _end_line(self) -> None:
        if self.pieces and not self.pieces[-1].endswith("\n"):
            self._add("\n")


_FINDERS: dict[str, Callable[[str], list[Heading]]] = {
    "markdown": _markdown, "rst": _rst, "numbered": _numbered, "plain": lambda _: [],
}  # fmt: skip

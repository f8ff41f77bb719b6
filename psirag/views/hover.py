"""Text in pictures: what somebody wrote is shown as written, never read as markup or as a template."""

from __future__ import annotations

import html
import re
import textwrap
from itertools import accumulate

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def plain_text(text: str, limit: int | None = None) -> str:
    r"""Return `text` on one line without control characters, cut to `limit` characters with an ellipsis.

    Examples
    --------
    >>> plain_text("one  two\nthree", limit=8)
    'one two…'
    """
    line = " ".join(_CONTROL.sub(" ", text).split())
    if limit is None or len(line) <= limit:
        return line
    return line[: limit - 1].rstrip() + "…"


def escaped(text: str) -> str:
    """Return one line of text that plotly shows as written: no tag, no entity, no TeX.

    Examples
    --------
    >>> escaped("<b>5 & $x$</b>")
    '&lt;b&gt;5 &amp; &#36;x&#36;&lt;/b&gt;'
    """
    return html.escape(plain_text(text), quote=False).replace("$", "&#36;")


def hover_text(text: str, *, width: int = 60, limit: int = 200) -> str:
    """Return `text` for a hover box: cut, wrapped, escaped.

    The figures show it with ``hoverinfo="text"``, where plotly substitutes nothing, so ``%{x}`` stays as it is.

    Parameters
    ----------
    text : str
        Anything somebody wrote.
    width, limit : int
        Characters in a line, and in all.

    Returns
    -------
    str
        Lines joined by ``<br>``, the only markup in it.

    Examples
    --------
    >>> hover_text("<i>a</i> " * 3, width=10)
    '&lt;i&gt;a&lt;/i&gt;<br>&lt;i&gt;a&lt;/i&gt;<br>&lt;i&gt;a&lt;/i&gt;'

    Source: ours.
    """
    lines = textwrap.wrap(plain_text(text, limit), width=width, break_on_hyphens=False)
    return "<br>".join(escaped(line) for line in lines)


def hover_box(heading: str, text: str = "", *, limit: int = 200) -> str:
    """Return a hover box with a bold heading of our own words and a text below it.

    Examples
    --------
    >>> hover_box("chunk 3", "Oslo")
    '<b>chunk 3</b><br>Oslo'
    """
    head = f"<b>{escaped(heading)}</b>"
    return f"{head}<br>{hover_text(text, limit=limit)}" if text.strip() else head


def fitted(text: str, width: float, size: float) -> str:
    """Return `text` on one line, cut with an ellipsis where a font of `size` pixels would pass `width` pixels.

    Examples
    --------
    >>> fitted("A long title", 60, 14), fitted("A title", 60, 14)
    ('A long t…', 'A title')
    """
    line = plain_text(text)
    if text_width(line, size) <= width:
        return line
    room = width - text_width("…", size)
    widths = accumulate(text_width(character, size) for character in line)
    return line[: sum(reached <= room for reached in widths)].rstrip() + "…"


def text_width(text: str, size: float) -> float:
    """Return about how many pixels wide a sans-serif font of `size` pixels draws `text`.

    Examples
    --------
    >>> text_width("ill", 10) < text_width("MWM", 10)
    True
    """
    share = {"narrow": 0.27, "wide": 0.86, "capital": 0.68, "full": 1.0, "other": 0.55}
    return size * sum(share[_breadth(character)] for character in text)


def _breadth(character: str) -> str:
    """Return which of five breadths a character has."""
    if character in "iljtfrI.,:;'|!()[] -":
        return "narrow"
    if character in "mwMW@%—…":
        return "wide"
    if ord(character) >= 0x2E80:
        return "full"
    return "capital" if character.isupper() else "other"

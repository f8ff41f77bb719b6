"""Parsing web pages that no browser would refuse."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

_TOO_LONG = re.compile(r"&#[0-9]{1000,}")


class WebPage(HTMLParser):
    """The standard library's parser, but it goes on at declarations that are not known, as browsers do (`<![if IE]>`).

    What is open where the page ends is text; that parser would begin anew at every `<` in it, in quadratic time.

    Examples
    --------
    >>> page = WebPage()
    >>> page.feed("<p>One <![if !IE]>two")
    """

    def feed(self, data: str) -> None:
        """Parse a page; a character whose number is too long for Python is none."""
        super().feed(_TOO_LONG.sub("&#0", data))

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        """Take `<![…>` for a comment, as browsers do."""
        return self.parse_bogus_comment(i, report)

    def close(self) -> None:
        """Take the rest for text."""
        rest, self.rawdata = self.rawdata, ""
        super().close()
        if rest:
            self.handle_data(rest if self.cdata_elem else unescape(rest))

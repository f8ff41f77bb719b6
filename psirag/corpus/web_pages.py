"""Parsing web pages that no browser would refuse."""

from __future__ import annotations

from html.parser import HTMLParser


class WebPage(HTMLParser):
    """The standard library's parser, which stops at a declaration that it does not know (`<![if IE]>`), going on there.

    Examples
    --------
    >>> page = WebPage()
    >>> page.feed("<p>One <![if !IE]>two")
    """

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        """Take `<![…>` for a comment, as browsers do."""
        return self.parse_bogus_comment(i, report)

"""The rules reader: names, cues and answer type of a question; passages, hops, chains; candidates and scores."""

from __future__ import annotations

from psirag.readers.rules.reader import PARTS, RulesReader

__all__ = ["PARTS", "RulesReader"]

"""The index: built in stages, saved as a folder, searched from several sides."""

from __future__ import annotations

from psirag.index.build_report import BuildReport
from psirag.index.index import Index

__all__ = ["BuildReport", "Index"]

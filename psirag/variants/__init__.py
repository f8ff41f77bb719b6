"""Variants: other tree methods of the field on the same chunks, encoder and budget."""

from __future__ import annotations

from psirag.variants.frontier_walk import Walk, steiner_active, walk_frontier
from psirag.variants.headings import DocumentTree, document_tree
from psirag.variants.navtree import NavTrace, NavTree
from psirag.variants.rit_agent import RulesPolicy, ToolCalls, tool_calls
from psirag.variants.rit_model import ModelPolicy
from psirag.variants.rit_rag import RitRag
from psirag.variants.sections import SectionForest, index_sections, section_forest
from psirag.variants.segment_tree import SegmentForest, SegmentTree, segment_forest
from psirag.variants.table_of_contents import Content, TableOfContents

__all__ = [
    "Content",
    "DocumentTree",
    "ModelPolicy",
    "NavTrace",
    "NavTree",
    "RitRag",
    "RulesPolicy",
    "SectionForest",
    "SegmentForest",
    "SegmentTree",
    "TableOfContents",
    "ToolCalls",
    "Walk",
    "document_tree",
    "index_sections",
    "section_forest",
    "segment_forest",
    "steiner_active",
    "tool_calls",
    "walk_frontier",
]

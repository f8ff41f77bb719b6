"""Variants: other tree methods of the field on the same chunks, encoder and budget."""

from __future__ import annotations

from psirag.variants.frontier_walk import Walk, steiner_active, walk_frontier
from psirag.variants.navtree import NavTrace, NavTree
from psirag.variants.segment_tree import SegmentForest, SegmentTree, segment_forest

__all__ = [
    "NavTrace",
    "NavTree",
    "SegmentForest",
    "SegmentTree",
    "Walk",
    "segment_forest",
    "steiner_active",
    "walk_frontier",
]

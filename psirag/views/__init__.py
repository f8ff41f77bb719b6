"""Pictures in three steps: numbers (`*_layout`), figure (plotly and SVG from one drawing), widget.

Every figure has `.svg`, the picture as it was drawn: what is changed in the plotly figure afterwards is not in it.
"""

from psirag.skew import confused_nodes
from psirag.views.circular_descent import circular_descent
from psirag.views.circular_layout import CircularLayout, circular_tree_layout
from psirag.views.circular_tree import circular_tree, circular_trees
from psirag.views.contents import ContentsLayout, contents, contents_layout
from psirag.views.curves import curves
from psirag.views.descent import DescentLayout, descent, descent_layout
from psirag.views.embedding_layout import embedding_map_layout, place_query
from psirag.views.embedding_map import embedding_map
from psirag.views.growth import forest, forest_after, merge_animation, merge_stills
from psirag.views.intervals import intervals
from psirag.views.map_selection import MapSelection, explore_map
from psirag.views.segment_tree import SegmentTreeLayout, segment_tree, segment_tree_layout
from psirag.views.tree_placement import ForestLayout, forest_layout
from psirag.views.widgets import explore_agent, explore_tree

__all__ = [
    "CircularLayout",
    "ContentsLayout",
    "DescentLayout",
    "ForestLayout",
    "MapSelection",
    "SegmentTreeLayout",
    "circular_descent",
    "circular_tree",
    "circular_tree_layout",
    "circular_trees",
    "confused_nodes",
    "contents",
    "contents_layout",
    "curves",
    "descent",
    "descent_layout",
    "embedding_map",
    "embedding_map_layout",
    "explore_agent",
    "explore_map",
    "explore_tree",
    "forest",
    "forest_after",
    "forest_layout",
    "intervals",
    "merge_animation",
    "merge_stills",
    "place_query",
    "segment_tree",
    "segment_tree_layout",
]

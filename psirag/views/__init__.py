"""Pictures in three steps: numbers (`*_layout`), figure (plotly and SVG from one drawing), widget."""

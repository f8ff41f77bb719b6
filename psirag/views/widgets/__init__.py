"""Panels for JupyterLab: the agent at work, and a walk through the tree."""

from psirag.views.widgets.explore_agent import AgentPanel, explore_agent
from psirag.views.widgets.explore_tree import TreePanel, explore_tree

__all__ = ["AgentPanel", "TreePanel", "explore_agent", "explore_tree"]

"""Other systems' constructions: RAPTOR's tree on the same vectors, IRCoT as a reader of the same agent."""

from psirag.baselines.gmm_tree import GmmClustering, GmmLayer, gmm_clustering, gmm_memberships, gmm_tree
from psirag.baselines.ircot import IRCoT

__all__ = ["GmmClustering", "GmmLayer", "IRCoT", "gmm_clustering", "gmm_memberships", "gmm_tree"]

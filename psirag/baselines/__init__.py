"""Other systems' constructions on the same vectors."""

from psirag.baselines.gmm_tree import GmmClustering, GmmLayer, gmm_clustering, gmm_memberships, gmm_tree

__all__ = ["GmmClustering", "GmmLayer", "gmm_clustering", "gmm_memberships", "gmm_tree"]

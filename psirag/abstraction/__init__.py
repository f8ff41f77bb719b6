"""Abstraction: texts and vectors for the abstract nodes."""

from __future__ import annotations

from psirag.abstraction.abstracts import KINDS, Abstracts, node_vectors, write_abstracts
from psirag.abstraction.centroid import centroids
from psirag.abstraction.phrases import keyword_texts
from psirag.abstraction.sentences import sentence_texts
from psirag.abstraction.writing import Writer

__all__ = [
    "KINDS",
    "Abstracts",
    "Writer",
    "centroids",
    "keyword_texts",
    "node_vectors",
    "sentence_texts",
    "write_abstracts",
]

"""Hierarchical abstract trees for retrieval-augmented generation: build them, see them, check their theory, vary them."""

from psirag.abstraction import write_abstracts
from psirag.agent import Agent
from psirag.corpus import count_tokens, load_corpus, load_questions, split_into_chunks
from psirag.dasgupta import dasgupta_cost
from psirag.encoding import load_encoder
from psirag.errors import PsiragError, PsiragWarning
from psirag.index import Index
from psirag.readers import load_reader
from psirag.tree import AbstractTree, build_tree, collapse, merge_steps, rebalance, reference_tree, spanning_tree

__all__ = [
    "AbstractTree",
    "Agent",
    "Index",
    "PsiragError",
    "PsiragWarning",
    "build_tree",
    "collapse",
    "count_tokens",
    "dasgupta_cost",
    "load_corpus",
    "load_encoder",
    "load_questions",
    "load_reader",
    "merge_steps",
    "rebalance",
    "reference_tree",
    "spanning_tree",
    "split_into_chunks",
    "write_abstracts",
]

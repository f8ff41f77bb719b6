"""Executable companions of the paper's statements, one module a statement; imported as ``psirag.theory``."""

"""Readers: who decides, from the question and the evidence, whether to answer or to retrieve again."""

from __future__ import annotations

from collections.abc import Callable

from psirag.errors import PsiragError
from psirag.readers.protocol import NOT_MENTIONED, AgentState, Decision, Evidence, Reader
from psirag.readers.rules import RulesReader

READERS: dict[str, Callable[[], Reader]] = {"auto": RulesReader, "rules": RulesReader}


def load_reader(name: str = "auto") -> Reader:
    """Give the reader of that name.

    Parameters
    ----------
    name : str
        "rules" (the same as "auto"): the deterministic reader, which needs no model.

    Raises
    ------
    PsiragError
        When no reader has that name.

    Notes
    -----
    Source: Ψ-RAG §3.2, the R&A agent f; the rules reader is ours.

    Examples
    --------
    >>> load_reader("auto").name
    'rules'
    """
    if not isinstance(name, str) or name not in READERS:
        available = ", ".join(f'"{known}"' for known in READERS)
        raise PsiragError("load_reader needs the name of a reader", repr(name), f"Available: {available}.")
    return READERS[name]()


__all__ = ["NOT_MENTIONED", "READERS", "AgentState", "Decision", "Evidence", "Reader", "RulesReader", "load_reader"]

"""The one error class for wrong input, and the one warning class. Every module may import this one; it imports none."""

from __future__ import annotations


class PsiragError(ValueError):
    """Wrong input, told in three parts: what was asked, what was given, what to do.

    Parameters
    ----------
    asked : str
        What the function needs, naming the function or the argument.
    given : str
        What it got instead: a value, a type, a shape, the rows at fault.
    remedy : str
        What the caller can do about it, as a sentence.

    Examples
    --------
    >>> raise PsiragError("build_tree needs at least one vector", "an array of shape (0, 384)", "Add a chunk.")
    Traceback (most recent call last):
        ...
    psirag.errors.PsiragError: build_tree needs at least one vector, but got an array of shape (0, 384). Add a chunk.
    """

    def __init__(self, asked: str, given: str, remedy: str) -> None:
        super().__init__(asked, given, remedy)
        self.asked, self.given, self.remedy = asked, given, remedy

    def __str__(self) -> str:
        return f"{self.asked}, but got {self.given}. {self.remedy}"


class PsiragWarning(UserWarning):
    """Something was repaired or left out, and the message counts it."""

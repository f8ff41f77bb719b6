"""Two evaluations of the same questions side by side."""

from __future__ import annotations

from psirag.checks import check_each, first_few
from psirag.errors import PsiragError
from psirag.evaluation.evaluation import Evaluation


def join(first: Evaluation, second: Evaluation) -> Evaluation:
    """Return the systems and outcomes of both; see `Evaluation.joined`.

    Raises
    ------
    PsiragError
        Other questions, k or seed, or a system that both have.
    """
    check_each("Evaluation.joined", (first, second), Evaluation)
    asked = "Evaluation.joined needs the same questions, k and seed twice, and other systems"
    a, b = ((each.manifest.get("questions"), each.k, each.seed) for each in (first, second))
    differing = [what for what, x, y in zip(("questions", "k", "seed"), a, b, strict=True) if x != y or x is None]
    if differing:
        raise PsiragError(asked, f"other or unknown {', '.join(differing)}", "Evaluate both alike.")
    both = [name for name in first.systems if name in second.systems]
    if both:
        raise PsiragError(asked, f"both with {first_few(both)}", "Rename it and evaluate again.")
    otherwise = {name: value for name, value in second.manifest.items() if value != first.manifest.get(name)}
    settings = {**first.manifest.get("systems", {}), **otherwise.pop("systems", {})}
    joined = [*first.manifest.get("joined", []), otherwise]
    manifest = {**first.manifest, "systems": settings, "joined": joined}
    return Evaluation(
        {**first.systems, **second.systems}, (*first.outcomes, *second.outcomes), first.k, first.seed, manifest,
        max(first.date, second.date),
    )  # fmt: skip

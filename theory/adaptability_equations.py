"""The equations of Theorem 4.4's proof, each as printed: (42), (43), (44), (52), (53).

**(42)** (Ψ-RAG Appendix B.3) writes c(T) = C(n_i,2)n_i + C(n_j,2)n_j + n_i(n−n_i)n + n_j(n−n_j)n + C with C untouched
by the move. **False**: the pairs between T_i and T_j are counted twice, so the rest is not constant: it hides
−n·n_i·n_j.
**(43)** writes c(T′) with (n_i+1), (n_j−1), but prints (n_i−1)(n−n_i+1)n for (n_i+1)(n−n_i−1)n. **False**, twice: the
double count again, and the signs.
**(44)**: c(T′) − c(T) = 2n(n_j−n_i−1) + ½(3n_i² + n_i − 3n_j² + 5n_j − 2). **False**: it follows from (42) and the
corrected (43), and is too large by n(n_j − n_i − 1), what the double count adds. (45)–(49) are right as algebra and so
prove nothing.
**(52)**: Δc′ − Δc = (n_j − n_i − 1)(n − n_i − n_j − ½(n_i + n_j) + 1). **True**: it is the exact difference, and
contradicts (44) in the same proof.
**(53)** takes n = n_i + 2n_j as the smallest case. **False**: with k = 3 the other cluster may be as small as n_i + 1,
and there the difference is ½(n_j − n_i − 1)(n_i + 4 − n_j), negative from n_j = n_i + 5.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from math import comb

from .adaptability import cases, described, doubled_difference
from .three_layer import cost_of_sizes, moved
from .verdict import FALSE, HOLDS, Size, Tally, Verdict

Formula = Callable[[int, int, int], int]


def printed_42(n_i: int, n_j: int, n: int) -> int:
    """Return the right side of (42) without C."""
    return comb(n_i, 2) * n_i + comb(n_j, 2) * n_j + n_i * (n - n_i) * n + n_j * (n - n_j) * n


def printed_43(n_i: int, n_j: int, n: int) -> int:
    """Return the right side of (43) without C, signs as printed."""
    inside = comb(n_i + 1, 2) * (n_i + 1) + comb(n_j - 1, 2) * (n_j - 1)
    return inside + (n_i - 1) * (n - n_i + 1) * n + (n_j - 1) * (n - n_j + 1) * n


def corrected_43(n_i: int, n_j: int, n: int) -> int:
    """Return (42) at n_i + 1 and n_j − 1, which (43) means; the double count remains."""
    return printed_42(n_i + 1, n_j - 1, n)


def doubled_44(n_i: int, n_j: int, n: int) -> int:
    """Return twice the right side of (44)."""
    return 4 * n * (n_j - n_i - 1) + 3 * n_i**2 + n_i - 3 * n_j**2 + 5 * n_j - 2


def doubled_52(n_i: int, n_j: int, n: int) -> int:
    """Return twice the right side of (52)."""
    return (n_j - n_i - 1) * (2 * (n - n_i - n_j) - (n_i + n_j) + 2)


def doubled_53(n_i: int, n_j: int) -> int:
    """Return twice the right side of (53), the value that the paper calls the minimum."""
    return (n_j - n_i - 1) * (n_j - n_i + 2)


def check(size: Size, seed: int) -> tuple[Verdict, ...]:
    """Each equation on every case of the theorem with k = 3, 4, 5 below a bound on n."""
    del seed
    return (
        _constant_rest("(42) as printed: the rest is constant", FALSE_NOTE_42, size, printed_42, 0),
        _constant_rest("(43) as printed: the rest is constant", FALSE_NOTE_43, size, printed_43, 1),
        *_differences(size),
    )


FALSE_NOTE_42 = "counts i–j pairs twice; the rest hides −n·n_i·n_j"
FALSE_NOTE_43 = "double count, and (n_i−1)(n−n_i+1) for (n_i+1)(n−n_i−1)"


def _constant_rest(statement: str, note: str, size: Size, formula: Formula, move: int) -> Verdict:
    """For given others and n_i + n_j, the cost minus the formula must not depend on how n_i + n_j splits."""
    tally = Tally(statement, "Ψ-RAG Appendix B.3", FALSE, note)
    rests: dict[tuple[int, ...], dict[int, tuple[int, ...]]] = defaultdict(dict)
    for sizes, j, _ in cases(size):
        n, n_i, n_j = sum(sizes), sizes[0], sizes[j]
        others = tuple(part for at, part in enumerate(sizes) if at not in (0, j))
        after = moved(sizes, j, 0) if move else sizes
        seen = rests[(n_i + n_j, *others)]
        seen.setdefault(cost_of_sizes(after) - formula(n_i, n_j, n), sizes)
        case = f"rest {' or '.join(f'{rest} at {where}' for rest, where in list(seen.items())[:2])}"
        tally.claim(n, case, len(seen) == 1)
    return tally.verdict()


def _differences(size: Size) -> tuple[Verdict, ...]:
    """Compare (44), (52) with the true difference, and (53) with the smallest one."""
    source = "Ψ-RAG Appendix B.3"
    wrong = Tally("(44) as printed", source, FALSE, "too large by n(n_j − n_i − 1)")
    excess = Tally("(44) − true difference = n(n_j − n_i − 1)", "ours", HOLDS, "so (44) contradicts (52)")
    follows = Tally(
        "(44) = (43) with its signs mended − (42)", source, HOLDS, "the algebra is right, the double count remains"
    )
    right = Tally("(52) as printed", source, HOLDS, "the exact difference")
    least = Tally("(53): n = n_i + 2n_j is the minimum case", source, FALSE, "for k = 3 the minimum is n_o = n_i + 1")
    for sizes, j, difference in cases(size):
        n, n_i, n_j, case = sum(sizes), sizes[0], sizes[j], described(sizes, j)
        wrong.equal(n, f"{case}; (44) says {doubled_44(n_i, n_j, n) // 2:+d}", doubled_44(n_i, n_j, n), 2 * difference)
        excess.equal(n, case, doubled_44(n_i, n_j, n) - 2 * difference, 2 * n * (n_j - n_i - 1))
        mended = 2 * (corrected_43(n_i, n_j, n) - printed_42(n_i, n_j, n))
        follows.equal(n, case, doubled_44(n_i, n_j, n), mended)
        right.equal(n, case, doubled_52(n_i, n_j, n), 2 * difference)
        least.at_least(n, f"{case}, below {doubled_53(n_i, n_j) // 2}", 2 * difference - doubled_53(n_i, n_j))
        right.equal(n, case, doubled_52(n_i, n_j, n), doubled_difference(n_i, n_j, n - n_i - n_j))
    return wrong.verdict(), excess.verdict(), follows.verdict(), right.verdict(), least.verdict()

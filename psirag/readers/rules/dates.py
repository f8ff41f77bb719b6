"""Dates, numbers and quantities in running text, and their values."""

from __future__ import annotations

import re

from psirag.readers.rules.named_spans import MONTHS

ONES = {word: i for i, word in enumerate("one two three four five six seven eight nine".split(), 1)}
TEENS = {
    word: i
    for i, word in enumerate(
        "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(), 10
    )
}
TENS = {word: 10 * i for i, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
TIMES = {"once": 1, "twice": 2, "thrice": 3}
_SMALL = "|".join([f"(?:{'|'.join(TENS)})(?:-(?:{'|'.join(ONES)}))?", *TEENS, *ONES])
_SCALED = rf"(?:a|{_SMALL}|\d[\d,.]*) (?:{'|'.join(SCALES)})(?: and (?:{_SMALL}))?"
YEAR = re.compile(r"\b(?:1\d{3}|20\d{2}|[4-9]\d{2}(?= (?:AD|BC)\b))\b")
DATE = re.compile(
    rf"\b\d{{1,2}} (?:{MONTHS})\.? \d{{3,4}}\b|\b(?:{MONTHS})\.? \d{{1,2}}, \d{{3,4}}\b"
    rf"|\b(?:{MONTHS}) \d{{3,4}}\b|\b\d{{1,2}} (?:{MONTHS})\b|\b[12]\d{{3}}\b"
)
NUMBER = re.compile(rf"\b(?:{_SCALED}|{_SMALL}|{'|'.join(TIMES)})\b|\b\d[\d,]*(?:\.\d+)?\b", re.IGNORECASE)
_MONTH_NUMBER = {name[:3].lower(): 1 + number % 12 for number, name in enumerate(MONTHS.split("|")[:12])}
_MONTH = re.compile(rf"\b(?:{MONTHS})\b")
_DAY = re.compile(r"\b\d{1,2}\b")
_ANY_YEAR = re.compile(r"\b\d{3,4}\b")


def date_value(text: str) -> tuple[int, int, int] | None:
    """Year, month and day of a written date, 0 for what it does not tell; None without a year.

    Notes
    -----
    Source: ours.

    Examples
    --------
    >>> date_value("14 August 1899"), date_value("May 1859"), date_value("4 May")
    ((1899, 8, 14), (1859, 5, 0), None)
    """
    year = _ANY_YEAR.search(text)
    if year is None:
        return None
    month, day = _MONTH.search(text), _DAY.search(text)
    return int(year[0]), _MONTH_NUMBER[month[0][:3].lower()] if month else 0, int(day[0]) if day else 0


def number_value(text: str) -> float | None:
    """The value of a number in digits or words; None when it is neither.

    Notes
    -----
    Source: ours.

    Examples
    --------
    >>> number_value("a hundred and two"), number_value("1,047"), number_value("ninety-seven"), number_value("some")
    (102.0, 1047.0, 97.0, None)
    """
    plain = text.lower().replace(",", "").strip()
    if re.fullmatch(r"\d+(?:\.\d+)?", plain):
        return float(plain)
    values, total, known = {**ONES, **TEENS, **TENS, **TIMES, "a": 1}, 0.0, False
    for word in re.split(r"[\s-]+", plain):
        if word in SCALES:
            total = max(total, 1) * SCALES[word]
        elif word in values:
            total += values[word]
        elif re.fullmatch(r"\d+(?:\.\d+)?", word):
            total += float(word)
        elif word != "and":
            return None
        known = known or word != "and"
    return total if known and total else None

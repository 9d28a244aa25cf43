"""Patterns that write numbers and dates: `#,##0.00` and `dd.MM.yyyy HH:mm`.

A pattern with `0` or `#` outside quotes writes numbers, any other writes dates. In a number pattern
`0` is a digit that is always written, `#` one that is written if needed, `,` makes groups as long
as the last one, `.` is the point; text before and after is copied. In a date pattern letters are
the fields of the table below; other letters are errors. Text in single quotes is copied, two quotes
are one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from tocsin.values.decimals import MAX_DIGITS, round_number

LONGEST = 200
"""Longest pattern, in characters."""

_FIELDS: Mapping[str, Callable[[datetime], str]] = {
    "yyyy": lambda at: f"{at.year:04}",
    "yy": lambda at: f"{at.year % 100:02}",
    "MM": lambda at: f"{at.month:02}",
    "M": lambda at: str(at.month),
    "dd": lambda at: f"{at.day:02}",
    "d": lambda at: str(at.day),
    "HH": lambda at: f"{at.hour:02}",
    "H": lambda at: str(at.hour),
    "mm": lambda at: f"{at.minute:02}",
    "m": lambda at: str(at.minute),
    "ss": lambda at: f"{at.second:02}",
    "s": lambda at: str(at.second),
    "SSS": lambda at: f"{at.microsecond // 1000:03}",
}
_PIECE = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|'|[^A-Za-z']+")
_NUMBER = re.compile(r"([#,]*[0,]*)(?:\.(0*#*))?")
_QUOTED = re.compile(r"'(?:[^']|'')*'")


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """Format of numbers: least digits before the point, least and most behind it, group size."""

    before: str
    whole: int
    least: int
    most: int
    group: int
    after: str

    def written(self, number: Decimal) -> str | None:
        """Return the number as text, rounded half away from zero; None if it cannot be rounded."""
        near = round_number(number, self.most)
        if near is None:
            return None
        whole, _, fraction = format(abs(near), "f").partition(".")
        whole = whole.lstrip("0").rjust(self.whole, "0")
        fraction = fraction.rstrip("0").ljust(self.least, "0")
        whole = whole or ("" if fraction else "0")
        point = "." if fraction else ""
        if self.group:
            whole = _grouped(whole, self.group)
        minus = "-" if near < 0 else ""
        return f"{minus}{self.before}{whole}{point}{fraction}{self.after}"


@dataclass(frozen=True, slots=True)
class DateFormat:
    """Format of dates: fields, and copied text between them."""

    pieces: tuple[tuple[bool, str], ...]

    def written(self, at: datetime) -> str:
        """Return the date as text."""
        return "".join(_FIELDS[piece](at) if is_field else piece for is_field, piece in self.pieces)


def format_of(pattern: str) -> NumberFormat | DateFormat | None:
    """Parse a pattern; None if it is not valid."""
    if not pattern or len(pattern) > LONGEST:
        return None
    bare = _QUOTED.sub("", pattern)
    return _number_format(pattern) if "0" in bare or "#" in bare else _date_format(pattern)


def _number_format(pattern: str) -> NumberFormat | None:
    texts, digits = _around_digits(pattern)
    found = _NUMBER.fullmatch(digits)
    if found is None or texts is None:
        return None
    whole, fraction = found[1], found[2] or ""
    group = len(whole.rpartition(",")[2]) if "," in whole else 0
    if ("," in whole and not group) or len(fraction) > MAX_DIGITS or digits.endswith("."):
        return None
    return NumberFormat(
        texts[0], whole.count("0"), fraction.count("0"), len(fraction), group, texts[1]
    )


def _around_digits(pattern: str) -> tuple[tuple[str, str] | None, str]:
    """Split a number pattern into the texts around the digits, and the digits.

    The texts are None if digits stand in two places or a quote is left open.
    """
    texts, digits = ["", ""], ""
    for piece in re.findall(r"'(?:[^']|'')*'|[#0.,]+|.", pattern, re.DOTALL):
        if piece[0] in "#0" or (piece[0] in ".," and len(piece) > 1):
            if digits:
                return None, digits
            digits = piece
        else:
            if piece == "'":
                return None, digits
            texts[bool(digits)] += _unquoted(piece)
    return (texts[0], texts[1]), digits


def _date_format(pattern: str) -> DateFormat | None:
    pieces: list[tuple[bool, str]] = []
    for found in _PIECE.finditer(pattern):
        piece = found[0]
        if piece == "'" or (piece[0].isascii() and piece[0].isalpha() and piece not in _FIELDS):
            return None
        pieces.append((True, piece) if piece in _FIELDS else (False, _unquoted(piece)))
    return DateFormat(tuple(pieces)) if any(is_field for is_field, _ in pieces) else None


def _unquoted(piece: str) -> str:
    if piece == "''":
        return "'"
    return piece[1:-1].replace("''", "'") if piece.startswith("'") else piece


def _grouped(digits: str, size: int) -> str:
    first = len(digits) % size
    parts = [digits[:first]] if first else []
    parts += [digits[at : at + size] for at in range(first, len(digits), size)]
    return ",".join(parts)

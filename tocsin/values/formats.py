"""Numbers and dates as documents write them, and patterns: `#,##0.00` and `dd.MM.yyyy HH:mm`.

A decimal number is written `12`, `-0.50`, `+7.` or `.5`, without exponents, of any length.
Arithmetic is exact up to 34 significant digits; beyond that the last one is rounded half to even.
An operation without a result (division by zero, a number past 10^999) gives None.

A date (ISO 8601, as in XML Schema) is a day, `2026-01-31`, with or without a zone, or a moment of
it, `2026-01-31T08:30`, optionally with seconds, a fraction and a zone. Without a zone it is UTC. A
day compares as its first moment.

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
from datetime import UTC, datetime, timedelta, timezone
from decimal import (
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    Overflow,
)

from tocsin.values.time import Instant, format_instant

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_SPACE = " \t\r\n"
_TRAPS = [DivisionByZero, InvalidOperation, Overflow]
_EXACT = Context(prec=34, rounding=ROUND_HALF_EVEN, Emin=-999, Emax=999, traps=_TRAPS)
_WIDE = Context(
    prec=2_000_000, rounding=ROUND_HALF_UP, Emin=-3_000_000, Emax=3_000_000, traps=_TRAPS
)
MAX_DIGITS = 100
"""Most decimal places that rounding accepts, in either direction from the point."""

_OPERATIONS: Mapping[str, Callable[[Decimal, Decimal], Decimal]] = {
    "+": _EXACT.add,
    "-": _EXACT.subtract,
    "*": _EXACT.multiply,
    "/": _EXACT.divide,
}


def decimal_of(text: str) -> Decimal | None:
    """Return the number of a text, with optional white space around it; None if it is not one."""
    text = text.strip(_SPACE)
    return Decimal(text) if _DECIMAL.fullmatch(text) else None


def decimal_text(number: Decimal) -> str:
    """Return the shortest form: no exponent, no trailing zeros of a fraction, no minus zero."""
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def calculate(operator: str, left: Decimal, right: Decimal) -> Decimal | None:
    """Return the result of `+`, `-`, `*` or `/` on two numbers; None if there is no result."""
    try:
        return _OPERATIONS[operator](left, right)
    except (DivisionByZero, InvalidOperation, Overflow):
        return None


def round_number(number: Decimal, digits: int) -> Decimal | None:
    """Round to `digits` places behind the point; a half goes away from zero: 2.5 to 3, -2.5 to -3.

    Digits below 0 round to tens, hundreds and so on. None if there are more than 100 digits either
    way.
    """
    if abs(digits) > MAX_DIGITS:
        return None
    return number.quantize(Decimal(1).scaleb(-digits), context=_WIDE)


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


_WRITTEN = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(:\d\d)?(?:\.(\d{1,30}))?)?(Z|z|[+-]\d\d:[0-5]\d)?",
    re.ASCII,
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Date:
    """A day or a moment: its first instant, its fields as shown (a moment in UTC), and its text."""

    instant: Instant
    fields: datetime
    text: str


def date_of(text: str) -> Date | None:
    """Return the date of a text; None if it is not one. Cut off digits past microseconds."""
    found = _WRITTEN.fullmatch(text.strip(_SPACE))
    if found is None or (found[4] and not found[3]):
        return None
    day, minutes, seconds, fraction, zone = found.groups()
    try:
        shown = datetime.fromisoformat(f"{day}T{minutes or '00:00'}{seconds or ':00'}")
        shown += timedelta(microseconds=int((fraction or "0")[:6].ljust(6, "0")))
        moment = shown.replace(tzinfo=_zone(zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    since = moment - _EPOCH
    instant = (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    if minutes is None:
        return Date(instant, shown, day)
    return Date(instant, moment.replace(tzinfo=None), format_instant(instant))


def _zone(text: str | None) -> timezone:
    if text is None or text in "Zz":
        return UTC
    ahead = timedelta(hours=int(text[1:3]), minutes=int(text[4:6]))
    return timezone(-ahead if text[0] == "-" else ahead)

"""Decimal numbers that are written as texts: `12`, `-0.50`, `+7.`, `.5`, without exponents, of any
length.

Arithmetic is exact up to 34 significant digits, beyond which the last one is rounded half to even.
What has no result is None: a division by zero, or a number past 10^999.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import (
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    Overflow,
)

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_SPACE = " \t\r\n"
_TRAPS = [DivisionByZero, InvalidOperation, Overflow]
_EXACT = Context(prec=34, rounding=ROUND_HALF_EVEN, Emin=-999, Emax=999, traps=_TRAPS)
_WIDE = Context(
    prec=2_000_000, rounding=ROUND_HALF_UP, Emin=-3_000_000, Emax=3_000_000, traps=_TRAPS
)
MOST_DIGITS = 100
"""The most digits behind the point, or zeros before it, that rounding is asked for."""

_OPERATIONS: Mapping[str, Callable[[Decimal, Decimal], Decimal]] = {
    "+": _EXACT.add,
    "-": _EXACT.subtract,
    "*": _EXACT.multiply,
    "/": _EXACT.divide,
}


def decimal_of(text: str) -> Decimal | None:
    """The number that a text writes, white space around it left out; None where it is none."""
    text = text.strip(_SPACE)
    return Decimal(text) if _DECIMAL.fullmatch(text) else None


def decimal_text(number: Decimal) -> str:
    """The number in its shortest form: no exponent, no zeros at the end behind a point, and no
    minus before 0.
    """
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def calculated(operator: str, left: Decimal, right: Decimal) -> Decimal | None:
    """What `+`, `-`, `*` or `/` makes of two numbers; None where there is no result."""
    try:
        return _OPERATIONS[operator](left, right)
    except (DivisionByZero, InvalidOperation, Overflow):
        return None


def rounded(number: Decimal, digits: int) -> Decimal | None:
    """The nearest number with so many digits behind the point; a half goes away from zero, so 2.5
    to 3, -2.5 to -3.

    Digits below 0 round to tens, hundreds and so on. None where the digits are more than 100 either
    way.
    """
    if abs(digits) > MOST_DIGITS:
        return None
    return number.quantize(Decimal(1).scaleb(-digits), context=_WIDE)

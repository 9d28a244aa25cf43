"""Decimal numbers written as text: `12`, `-0.50`, `+7.`, `.5`, without exponents, of any length.

Arithmetic is exact up to 34 significant digits; beyond that the last one is rounded half to even.
An operation without a result (division by zero, a number past 10^999) gives None.
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

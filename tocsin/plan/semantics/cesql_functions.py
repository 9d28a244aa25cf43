"""Types, casts and functions of CloudEvents SQL 1.0.0 (sections 3.4 to 3.7). Each is total: it
returns a value, and an error beside it if there was one. Integers have 32 bits; an operation that
leaves them gives 0 and MATH.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

CesqlValue = str | int | bool
_SMALLEST, _LARGEST = -(2**31), 2**31 - 1
_INTEGER = re.compile(r"[+-]?[0-9]{1,20}")


class CesqlError(Enum):
    """Kinds of error, by their names in the conformance kit; a PARSE error is a
    SelectorSyntaxError.
    """

    PARSE = "parse"
    MATH = "math"
    CAST = "cast"
    MISSING_ATTRIBUTE = "missingAttribute"
    MISSING_FUNCTION = "missingFunction"
    FUNCTION_EVALUATION = "functionEvaluation"
    GENERIC = "generic"


Result = tuple[CesqlValue, tuple[CesqlError, ...]]
ZERO: dict[type, CesqlValue] = {str: "", int: 0, bool: False}


@dataclass(frozen=True, slots=True)
class CesqlFunction:
    """Parameter types, type of further arguments (None: none allowed), result type, and work."""

    parameters: tuple[type, ...]
    rest: type | None
    returns: type
    work: Callable[..., Result]

    def takes(self, count: int) -> bool:
        """True if it can be called with this number of arguments."""
        return count == len(self.parameters) or (
            self.rest is not None and count > len(self.parameters)
        )

    def types(self, count: int) -> tuple[type, ...]:
        """Return the types of this number of arguments."""
        return self.parameters + (self.rest or str,) * (count - len(self.parameters))


def cast(value: CesqlValue, target: type) -> Result:
    """Return the value as another type; the type's zero and CAST if that is impossible."""
    if type(value) is target:
        return value, ()
    if target is str:
        return (str(value).lower() if isinstance(value, bool) else str(value)), ()
    if isinstance(value, str):
        return _integer_of(value) if target is int else _boolean_of(value)
    return target(value), ()


def _integer_of(text: str) -> Result:
    if _INTEGER.fullmatch(text) and _SMALLEST <= int(text) <= _LARGEST:
        return int(text), ()
    return 0, (CesqlError.CAST,)


def _boolean_of(text: str) -> Result:
    known = {"true": True, "false": False}.get(text.lower())
    return (False, (CesqlError.CAST,)) if known is None else (known, ())


def _bounded(value: int) -> Result:
    return (value, ()) if _SMALLEST <= value <= _LARGEST else (0, (CesqlError.MATH,))


def _quotient(left: int, right: int) -> Result:
    """Return the quotient, rounded towards zero."""
    if right == 0:
        return 0, (CesqlError.MATH,)
    whole = abs(left) // abs(right)
    return _bounded(whole if (left < 0) == (right < 0) else -whole)


def _remainder(left: int, right: int) -> Result:
    """Return the remainder, with the sign of the left operand."""
    if right == 0:
        return 0, (CesqlError.MATH,)
    return (abs(left) % abs(right)) * (-1 if left < 0 else 1), ()


def _absolute(value: int) -> Result:
    return (_LARGEST, (CesqlError.MATH,)) if value == _SMALLEST else (abs(value), ())


def _left(text: str, count: int) -> Result:
    return (text, (CesqlError.FUNCTION_EVALUATION,)) if count < 0 else (text[:count], ())


def _right(text: str, count: int) -> Result:
    if count < 0:
        return text, (CesqlError.FUNCTION_EVALUATION,)
    return text[max(0, len(text) - count) :], ()


def _substring(text: str, position: int, length: int | None = None) -> Result:
    """Return the text from a position counted from 1, or from the end if negative.

    Position 0 gives the empty text.
    """
    if abs(position) > len(text) or (length is not None and length < 0):
        return "", (CesqlError.FUNCTION_EVALUATION,)
    if position == 0:
        return "", ()
    start = position - 1 if position > 0 else len(text) + position
    return text[start : None if length is None else start + length], ()


def _sure(work: Callable[..., Any]) -> Callable[..., Result]:
    """Return a function without errors as one that returns a Result."""
    return lambda *arguments: (work(*arguments), ())


def _of(
    parameters: tuple[type, ...],
    returns: type,
    work: Callable[..., Result],
    rest: type | None = None,
) -> CesqlFunction:
    return CesqlFunction(parameters, rest, returns, work)


_TWO_INTEGERS = (int, int)

FUNCTIONS: dict[str, tuple[CesqlFunction, ...]] = {
    "-": (
        _of((int,), int, lambda x: _bounded(-x)),
        _of(_TWO_INTEGERS, int, lambda x, y: _bounded(x - y)),
    ),
    "+": (_of(_TWO_INTEGERS, int, lambda x, y: _bounded(x + y)),),
    "*": (_of(_TWO_INTEGERS, int, lambda x, y: _bounded(x * y)),),
    "/": (_of(_TWO_INTEGERS, int, _quotient),),
    "%": (_of(_TWO_INTEGERS, int, _remainder),),
    "<": (_of(_TWO_INTEGERS, bool, _sure(int.__lt__)),),
    "<=": (_of(_TWO_INTEGERS, bool, _sure(int.__le__)),),
    ">": (_of(_TWO_INTEGERS, bool, _sure(int.__gt__)),),
    ">=": (_of(_TWO_INTEGERS, bool, _sure(int.__ge__)),),
    "INT": (_of((int,), int, _sure(int)),),
    "BOOL": (_of((bool,), bool, _sure(bool)),),
    "STRING": (_of((str,), str, _sure(str)),),
    "ABS": (_of((int,), int, _absolute),),
    "LENGTH": (_of((str,), int, _sure(len)),),
    "CONCAT": (_of((), str, _sure(lambda *texts: "".join(texts)), rest=str),),
    "CONCAT_WS": (
        _of((str,), str, _sure(lambda delimiter, *texts: delimiter.join(texts)), rest=str),
    ),
    "LOWER": (_of((str,), str, _sure(str.lower)),),
    "UPPER": (_of((str,), str, _sure(str.upper)),),
    "TRIM": (_of((str,), str, _sure(str.strip)),),
    "LEFT": (_of((str, int), str, _left),),
    "RIGHT": (_of((str, int), str, _right),),
    "SUBSTRING": (_of((str, int), str, _substring), _of((str, int, int), str, _substring)),
}
"""Every function of values only, by name; the number of arguments selects an overload."""

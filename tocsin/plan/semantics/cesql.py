"""Computed conditions of the cesql dialect: CloudEvents SQL 1.0.0, evaluated from left to right,
with its errors.

An operator or function with a failed operand gives the zero value of its own type and passes the
error on, without evaluating the operands after it: a missing attribute makes `missing = ""` false,
`missing * 5` zero. An error of the operator itself, in a cast or in its work, is returned beside
the value that it still gives.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from itertools import pairwise
from typing import Any

from tocsin.events.event import Event
from tocsin.plan.nodes.expressions import Attribute, Call, Expression, Value
from tocsin.values.like import LikePattern, Token, Wild, compile_like
from tocsin.values.scalars import ENVELOPE, Path
from tocsin.values.truth import Truth, truth

# Types, casts and functions (sections 3.4 to 3.7). Each function is total: it returns a value, and
# an error beside it if there was one. Integers have 32 bits; an operation that leaves them gives 0
# and MATH.

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


__all__ = ["CesqlError", "CesqlValue", "cesql_truth", "evaluate"]

_INTEGERS = range(-(2**31), 2**31)
_VERSION: Path = (ENVELOPE, "specversion")
_WILD: dict[str, Token] = {"%": Wild.ANY_RUN, "_": Wild.ANY_ONE}

Arguments = tuple[Expression, ...]


def cesql_truth(expression: Expression, event: Event) -> Truth:
    """Return TRUE if the value is true and there was no error, else FALSE (section 1.2)."""
    value, errors = evaluate(expression, event)
    return truth(value is True and not errors)


def evaluate(expression: Expression, event: Event) -> Result:
    """Return the value of the expression and the errors of its evaluation."""
    match expression:
        case Value(constant):
            return _primitive(constant.value), ()
        case Attribute(path):
            return _attribute(path, event)
        case Call(function, arguments):
            special = _SPECIAL.get(function)
            return special(arguments, event) if special else _called(function, arguments, event)


def _attribute(path: Path, event: Event) -> Result:
    value = event.attribute(path)
    if value is None:
        return ("1.0", ()) if path == _VERSION else (False, (CesqlError.MISSING_ATTRIBUTE,))
    return _primitive(value), ()


def _primitive(value: object) -> CesqlValue:
    """Return a value of one of the three types; any other becomes its text (section 3.2)."""
    if isinstance(value, str | bool) or (isinstance(value, int) and value in _INTEGERS):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _called(name: str, arguments: Arguments, event: Event) -> Result:
    function = _dispatched(name, len(arguments))
    if function is None:
        return False, (CesqlError.MISSING_FUNCTION,)
    values: list[CesqlValue] = []
    errors: tuple[CesqlError, ...] = ()
    for argument, wanted in zip(arguments, function.types(len(arguments)), strict=True):
        value, found = evaluate(argument, event)
        if found:
            return ZERO[function.returns], found
        value, found = cast(value, wanted)
        values.append(value)
        errors += found
    value, found = function.work(*values)
    return value, errors + found


def _dispatched(name: str, count: int) -> CesqlFunction | None:
    return next((function for function in FUNCTIONS.get(name, ()) if function.takes(count)), None)


def _and(arguments: Arguments, event: Event) -> Result:
    return _short_cut(arguments, event, decisive=False)


def _or(arguments: Arguments, event: Event) -> Result:
    return _short_cut(arguments, event, decisive=True)


def _short_cut(arguments: Arguments, event: Event, decisive: bool) -> Result:
    """Evaluate the operands up to the first that decides; those after it are not evaluated."""
    errors: tuple[CesqlError, ...] = ()
    for argument in arguments:
        value, found = evaluate(argument, event)
        if found:
            return False, found
        value, found = cast(value, bool)
        errors += found
        if value is decisive:
            return decisive, errors
    return not decisive, errors


def _xor(arguments: Arguments, event: Event) -> Result:
    odd = False
    errors: tuple[CesqlError, ...] = ()
    for argument in arguments:
        value, found = evaluate(argument, event)
        if found:
            return False, found
        value, found = cast(value, bool)
        odd, errors = odd != value, errors + found
    return odd, errors


def _not(arguments: Arguments, event: Event) -> Result:
    """Return the negation. An integer is not cast: the conformance kit has CastError and true for
    `NOT 10`.
    """
    value, found = evaluate(arguments[0], event)
    if found:
        return False, found
    if type(value) is int:
        return True, (CesqlError.CAST,)
    value, found = cast(value, bool)
    return not value, found


def _equal(arguments: Arguments, event: Event) -> Result:
    """Compare for equality; the left operand is cast to the type of the right one (section 3.7)."""
    left, found = evaluate(arguments[0], event)
    if found:
        return False, found
    right, found = evaluate(arguments[1], event)
    if found:
        return False, found
    left, found = cast(left, type(right))
    return left == right, found


def _in(arguments: Arguments, event: Event) -> Result:
    """Search the list; each element is cast to the type of the left operand, the first equal one
    ends it.
    """
    left, found = evaluate(arguments[0], event)
    if found:
        return False, found
    for argument in arguments[1:]:
        element, found = evaluate(argument, event)
        if not found:
            element, found = cast(element, type(left))
        if found:
            return False, found
        if element == left:
            return True, ()
    return False, ()


def _exists(arguments: Arguments, event: Event) -> Result:
    match arguments:
        case (Attribute(path),):
            return path == _VERSION or event.attribute(path) is not None, ()
        case _:
            return False, (CesqlError.GENERIC,)


def _like(arguments: Arguments, event: Event) -> Result:
    subject, found = evaluate(arguments[0], event)
    if found:
        return False, found
    pattern, found = evaluate(arguments[1], event)
    return _matcher(str(pattern))(str(cast(subject, str)[0])), found


@lru_cache(maxsize=1 << 12)
def _matcher(pattern: str) -> Callable[[str], bool]:
    return compile_like(LikePattern.of(list(_tokens(pattern))))


def _tokens(pattern: str) -> Iterator[Token]:
    """Yield the tokens of a LIKE pattern.

    A backslash escapes `%` and `_`; before anything else it is an ordinary character.
    """
    characters = pairwise(pattern + "\\")
    for character, following in characters:
        if character == "\\" and following in _WILD:
            next(characters)
            yield following
        else:
            yield _WILD.get(character, character)


_SPECIAL: dict[str, Callable[[Arguments, Event], Result]] = {
    "AND": _and,
    "OR": _or,
    "XOR": _xor,
    "NOT": _not,
    "=": _equal,
    "IN": _in,
    "EXISTS": _exists,
    "LIKE": _like,
}
"""Operators that need more than values: types, operands one by one, or the event itself."""

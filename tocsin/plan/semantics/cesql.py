"""Computed conditions of the cesql dialect: CloudEvents SQL 1.0.0, evaluated from left to right,
with its errors.

An operator or function with a failed operand gives the zero value of its own type and passes the
error on, without evaluating the operands after it: a missing attribute makes `missing = ""` false,
`missing * 5` zero. An error of the operator itself, in a cast or in its work, is returned beside
the value that it still gives.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise

from tocsin.events.event import ENVELOPE, Event, Path
from tocsin.plan.nodes.expression import Attribute, Call, Expression, Value
from tocsin.plan.semantics.cesql_functions import (
    FUNCTIONS,
    ZERO,
    CesqlError,
    CesqlFunction,
    CesqlValue,
    Result,
    cast,
)
from tocsin.values.like import LikePattern, Token, Wild, compile_like
from tocsin.values.truth import Truth, truth

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

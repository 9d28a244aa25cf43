"""Scalars: the four kinds of attribute values, their equality and order, and their paths.

Kinds never mix: `"100"`, `100` and `TRUE` are three different values. A list or an object is not a
scalar (OTHER).
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from decimal import Decimal
from enum import IntEnum

from tocsin.errors import EventProblem

Path = tuple[str, ...]
"""Path of an attribute: member names of nested objects. A first member "" is the envelope, see
ENVELOPE.
"""

ENVELOPE = ""
"""First step of a path into the envelope, for example ("", "id"). Members of data never have an
empty name.
"""

INSTANT = "instant"
"""Last step of the paths ("", "time", INSTANT) and ("", "endtime", INSTANT): the time in
microseconds.
"""

MILLISECONDS = "milliseconds"
"""Last step of such a path: the time in whole milliseconds, as in messaging standards."""


class Kind(IntEnum):
    """The kind of a value. OTHER (list, object) is present, but unknown in every comparison with a
    scalar.
    """

    NULL = 0
    BOOLEAN = 1
    NUMBER = 2
    STRING = 3
    OTHER = 4


Scalar = str | int | float | bool

ORDERED_KINDS = (Kind.NUMBER, Kind.STRING)
"""Kinds whose values have an order: numbers by value, texts by code point."""

_KINDS: dict[type, Kind] = {
    type(None): Kind.NULL,
    bool: Kind.BOOLEAN,
    int: Kind.NUMBER,
    float: Kind.NUMBER,
    str: Kind.STRING,
}


def kind_of(value: object) -> Kind:
    """Return the kind of an attribute's value as the event holds it."""
    return _KINDS.get(type(value), Kind.OTHER)


def key_number(value: float) -> int | float:
    """Return a number in the normal form of keys: 1.0 is 1. NaN stays NaN."""
    is_nan = isinstance(value, float) and math.isnan(value)  # an integer may be past all floats
    return value if is_nan else canonical_number(value)


def scalar_element(value: bool | float | str) -> Hashable:
    """Return a scalar as it is bound: equal where the scalars are, whatever their form."""
    if isinstance(value, bool):
        return (value,)  # TRUE must not equal 1
    return value if isinstance(value, str) else key_number(value)  # 1.0 is 1, in matches too


def canonical_number(value: float | Decimal) -> int | float:
    """Return one form per numeric value: whole numbers as `int`, others as the nearest float.

    A decimal in exponent form (`1e23`) is read as JSON readers do, through the nearest float: past
    its range, infinity. Raises for NaN.
    """
    if isinstance(value, int):
        return value
    if isinstance(value, Decimal):
        if value.is_nan():
            raise EventProblem("NaN is not a legal number")
        exponent = value.as_tuple().exponent
        is_written_whole = isinstance(exponent, int) and exponent <= 0
        if is_written_whole and value == value.to_integral_value():
            return int(value)
        value = float(value)
    if math.isnan(value):
        raise EventProblem("NaN is not a legal number")
    return int(value) if value.is_integer() else value


@dataclass(frozen=True, slots=True)
class Constant:
    """An operand in a plan. Kind and canonical value are its identity: `TRUE` never equals `1`."""

    kind: Kind
    value: Scalar

    @staticmethod
    def of(value: Scalar | Decimal) -> Constant:
        """Return the constant of a Python value; `100`, `100.0` and `Decimal("1e2")` give equal
        ones.
        """
        if isinstance(value, bool):
            return Constant(Kind.BOOLEAN, value)
        if isinstance(value, str):
            return Constant(Kind.STRING, value)
        return Constant(Kind.NUMBER, canonical_number(value))

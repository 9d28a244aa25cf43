"""Datatypes: their literals, how the text of a value is read, and how two values compare.

A number of an event has every numeric datatype whose range it fits, since JSON has only one kind of
number; a text has `xsd:string` and `xsd:anyURI`, and those of time if it is written as one. Other
values have no datatype, except `xsd:boolean` for TRUE and FALSE.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from tocsin.errors import MeaningProblem
from tocsin.knowledge.concepts.concept import Datatype, Value
from tocsin.values.time import parse_instant

XSD = "http://www.w3.org/2001/XMLSchema#"
PREFIX = "xsd:"
RELATIONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
    "=": eq,
    "!=": ne,
}
EQUALITIES = ("=", "!=")

Reader = Callable[[Value], Any]
"""Function that reads a value of the datatype; returns None if the value is not of it."""


@dataclass(frozen=True, slots=True)
class DatatypeReader:
    """The reader of a datatype, and a flag: True if its values have an order."""

    read: Reader
    ordered: bool = True


def _whole(low: float = -math.inf, high: float = math.inf) -> DatatypeReader:
    def read(value: Value) -> Any:
        return value if type(value) is int and low <= value <= high else None

    return DatatypeReader(read)


def _number(value: Value) -> Any:
    return value if type(value) in (int, float) else None


def _text(value: Value) -> Any:
    return value if isinstance(value, str) else None


def _truth(value: Value) -> Any:
    return value if isinstance(value, bool) else None


def _instant(value: Value) -> Any:
    try:
        return parse_instant(value) if isinstance(value, str) else None
    except MeaningProblem:
        return None


def _date(value: Value) -> Any:
    if not isinstance(value, str) or re.fullmatch(r"\d{4}-\d\d-\d\d", value, re.ASCII) is None:
        return None
    try:
        return date.fromisoformat(value).toordinal()
    except ValueError:
        return None


TYPES: Mapping[str, DatatypeReader] = {
    "decimal": DatatypeReader(_number),
    "float": DatatypeReader(_number),
    "double": DatatypeReader(_number),
    "integer": _whole(),
    "long": _whole(-(2**63), 2**63 - 1),
    "int": _whole(-(2**31), 2**31 - 1),
    "short": _whole(-(2**15), 2**15 - 1),
    "byte": _whole(-(2**7), 2**7 - 1),
    "nonNegativeInteger": _whole(0),
    "positiveInteger": _whole(1),
    "nonPositiveInteger": _whole(high=0),
    "negativeInteger": _whole(high=-1),
    "unsignedLong": _whole(0, 2**64 - 1),
    "unsignedInt": _whole(0, 2**32 - 1),
    "unsignedShort": _whole(0, 2**16 - 1),
    "unsignedByte": _whole(0, 2**8 - 1),
    "string": DatatypeReader(_text),
    "anyURI": DatatypeReader(_text),
    "boolean": DatatypeReader(_truth, ordered=False),
    "dateTime": DatatypeReader(_instant),
    "dateTimeStamp": DatatypeReader(_instant),
    "date": DatatypeReader(_date),
}


def datatype_name(name: str) -> str | None:
    """Return the short name of a known datatype, from `xsd:int` or its IRI; else None."""
    for start in (PREFIX, XSD):
        if name.startswith(start) and name.removeprefix(start) in TYPES:
            return name.removeprefix(start)
    return None


def datatype(name: str, relation: str, value: Value) -> Datatype:
    """Return the concept of a restricted datatype, by short name; raise if value or relation do not
    fit.
    """
    known = TYPES[name]
    if relation not in EQUALITIES and not known.ordered:
        raise MeaningProblem(
            f"{PREFIX}{name} has no order",
            code="OPERATOR_TYPE",
            token=relation,
            hint="compare with = or !=",
        )
    if known.read(value) is None:
        raise MeaningProblem(
            f"{value!r} is no value of {PREFIX}{name}",
            code="VALUE_TYPE",
            token=str(value),
            hint=_FORMS.get(name, "write a number in its range"),
        )
    return Datatype(PREFIX + name, relation, value)


def has(value: Value, restricted: Datatype) -> bool:
    """True if a literal is of the datatype and the comparison holds."""
    read = TYPES[restricted.type.removeprefix(PREFIX)].read
    mine = read(value)
    return mine is not None and RELATIONS[restricted.relation](mine, read(restricted.value))


_FORMS = {
    "string": 'write a text in quotes, as "abc"',
    "anyURI": 'write an address in quotes, as "urn:epc:id:1"',
    "boolean": "write true or false",
    "dateTime": 'write a time with its zone in quotes, as "2026-01-31T08:00:00Z"',
    "dateTimeStamp": 'write a time with its zone in quotes, as "2026-01-31T08:00:00Z"',
    "date": 'write a day in quotes, as "2026-01-31"',
    "decimal": "write a number",
    "float": "write a number",
    "double": "write a number",
    "integer": "write a whole number",
}

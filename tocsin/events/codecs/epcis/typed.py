"""Typed values: of terms that a document's own context gives a type, and of objects with `@type`.

A number or a boolean in a text is converted, the prefix of a URI is expanded; a time or a date
stays as written, and its type is used by the graph of the event. Text that is not valid for its
type stays text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from tocsin.events.codecs.epcis.json_context import RESOURCE, NameContext, expand_curie, individual
from tocsin.events.views.epcis import CONTEXT
from tocsin.values.scalars import canonical_number
from tocsin.values.terms import XSD

_LONGEST_NUMBER = 400
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_WHOLE = (
    "integer int long short byte nonNegativeInteger nonPositiveInteger positiveInteger"
    " negativeInteger unsignedInt unsignedLong unsignedShort unsignedByte"
).split()


def number_of(value: Any) -> Any:
    """Return the number that a text contains; any other value unchanged."""
    if not isinstance(value, str) or len(value) > _LONGEST_NUMBER or "_" in value:
        return value
    try:
        exact = Decimal(value.strip())
    except InvalidOperation:
        return value
    return canonical_number(exact) if exact.is_finite() else value


def boolean_of(value: Any) -> Any:
    """Return the boolean that a text contains; any other value unchanged."""
    return _BOOLEANS.get(value.strip(), value) if isinstance(value, str) else value


def typed_value(value: Any, kind: str, names: NameContext) -> Any:
    """Return a scalar converted to its type, if it is valid."""
    if isinstance(value, float):
        value = canonical_number(value)
    if kind == RESOURCE:
        return individual(value, names) if isinstance(value, str) else value
    return _READERS[kind](value) if kind in _READERS else value


def convert_typed_value(value: Mapping[str, Any], names: NameContext) -> Any:
    """Return the value of an object with `@value`, converted to its `@type` if it has one."""
    kind = value.get("@type")
    return typed_value(
        value["@value"], expand_curie(kind, names) if isinstance(kind, str) else "", names
    )


def find_types(data: Any, types: Mapping[str, str]) -> dict[str, Any]:
    """Return a context with the types of the fields in data; empty if none of them has one."""
    found = (
        {name: {"@type": types[name]} for name in sorted(set(_names_in(data))) if name in types}
        if types
        else {}
    )
    return {CONTEXT: found} if found else {}


def _names_in(data: Any) -> Iterator[str]:
    waiting = [data]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            yield from value
            waiting += value.values()


def _whole_number(value: Any) -> Any:
    found = number_of(value)
    return found if isinstance(found, int) else value


_READERS: dict[str, Callable[[Any], Any]] = {
    **{XSD + name: _whole_number for name in _WHOLE},
    **dict.fromkeys((XSD + "decimal", XSD + "double", XSD + "float"), number_of),
    XSD + "boolean": boolean_of,
}

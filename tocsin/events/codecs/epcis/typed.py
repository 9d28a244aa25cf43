"""Values of terms that a document's own context gives a type, and values that bring their type
along.

A number or a truth value that is written as text becomes one, a URI loses its prefix; a time or a
date stays as it is written, and its type is known to the graph of the event. Text that its type
does not allow stays text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from tocsin.events.codecs.epcis.json_context import RESOURCE, Names, individual, resource
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
    """The number that a text writes; any other value stays as it is."""
    if not isinstance(value, str) or len(value) > _LONGEST_NUMBER or "_" in value:
        return value
    try:
        exact = Decimal(value.strip())
    except InvalidOperation:
        return value
    return canonical_number(exact) if exact.is_finite() else value


def boolean_of(value: Any) -> Any:
    """The truth value that a text writes; any other value stays as it is."""
    return _BOOLEANS.get(value.strip(), value) if isinstance(value, str) else value


def typed_value(value: Any, kind: str, names: Names) -> Any:
    """A scalar as its type has it."""
    if isinstance(value, float):
        value = canonical_number(value)
    if kind == RESOURCE:
        return individual(value, names) if isinstance(value, str) else value
    return _READERS[kind](value) if kind in _READERS else value


def told_value(value: Mapping[str, Any], names: Names) -> Any:
    """What an object with `@value` says: its value, by its `@type` where it has one."""
    kind = value.get("@type")
    return typed_value(
        value["@value"], resource(kind, names) if isinstance(kind, str) else "", names
    )


def types_used(data: Any, types: Mapping[str, str]) -> dict[str, Any]:
    """The context that tells the types of the fields in data; empty where none of them has one."""
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

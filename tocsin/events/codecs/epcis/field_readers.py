"""Readers of one field: each checks a value and returns its normal form.

An invalid value raises with the name of the field. Times become UTC, standard terms their bare
word, whole numbers integers; an empty list counts as absent. Both bindings, JSON and XML, use them,
so that the same event gives the same data in either.

A value has a type if a term of the document's own context gives it one, or an object with `@type`.
A number or a boolean in such a text is converted, the prefix of a URI is expanded; a time or a date
stays as written, and its type is used by the graph of the event. Text that is not valid for its
type stays text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from tocsin.errors import EventProblem, MeaningProblem
from tocsin.events.codecs.epcis.json_context import (
    RESOURCE,
    NameContext,
    StandardTerms,
    expand_curie,
    expand_name,
    individual,
    names_of,
)
from tocsin.events.views.epcis import CONTEXT
from tocsin.values.scalars import canonical_number
from tocsin.values.terms import XSD
from tocsin.values.time import format_instant, parse_instant

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


CODE = "InvalidEpcisError"

Reading = Callable[[Any, str, NameContext], Any]
"""A function of the value as written, the position of the field, and the names in force there."""

_MINUTE = re.compile(r"(T\d\d:\d\d)(Z|[+-]\d\d:\d\d)$")
_NOTHING: tuple[object, ...] = ("", None, [], {})
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")


def wrong(at: str, message: str, hint: str = "") -> EventProblem:
    """Return the problem of a field; its last name is the token."""
    return EventProblem(
        f"{at}: {message}", code=CODE, token=re.split(r"[.\[]", at)[-1].rstrip("]") or at, hint=hint
    )


def text(value: Any, at: str, _: NameContext) -> str:
    """Return a text, stripped; raises if it is empty or not a string."""
    if not isinstance(value, str) or not value.strip():
        raise wrong(at, f"expected text, got {format_value(value)}")
    return value.strip()


def uri(value: Any, at: str, names: NameContext) -> str:
    """Return a URI, with the prefix of the document expanded."""
    given = expand_curie(text(value, at, names), names)
    if _URI.fullmatch(given) is None:
        raise wrong(
            at,
            f"expected a URI, got {format_value(given)}",
            "write it with its scheme, like urn:epc:id:... or https://...",
        )
    return given


def reference(value: Any, at: str, names: NameContext) -> str:
    """Return a text that should be a URI, with the prefix of the document expanded."""
    return expand_curie(text(value, at, names), names)


def hex_binary(value: Any, at: str, names: NameContext) -> str:
    """Return bytes in hexadecimal digits, in lower case."""
    return str(_HEX(value, at, names)).lower()


def instant(value: Any, at: str, names: NameContext) -> str:
    """Return a time with a zone in UTC; the seconds of a whole minute may be omitted."""
    given = _MINUTE.sub(r"\1:00\2", text(value, at, names))
    try:
        return format_instant(parse_instant(given))
    except MeaningProblem as problem:
        raise wrong(at, problem.message, problem.hint) from None


def number(value: Any, at: str, _: NameContext) -> int | float:
    """Return a number; text is not a number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong(at, f"expected a number, got {format_value(value)}")
    return canonical_number(value)


def boolean(value: Any, at: str, _: NameContext) -> bool:
    """Return True or False; raises for any other value."""
    if not isinstance(value, bool):
        raise wrong(at, f"expected true or false, got {format_value(value)}")
    return value


def matching(pattern: str, example: str) -> Reading:
    """Return a reader of text that matches a pattern."""
    compiled = re.compile(pattern)

    def read(value: Any, at: str, names: NameContext) -> str:
        given = text(value, at, names)
        if compiled.fullmatch(given) is None:
            raise wrong(at, f"{format_value(given)} is not served", f"write it like {example}")
        return given

    return read


_HEX = matching("[A-Fa-f0-9]+", "f0f0f0")


def term(vocabulary: StandardTerms) -> Reading:
    """Return a reader of a term of a vocabulary in any spelling, or another URI."""

    def read(value: Any, at: str, names: NameContext) -> str:
        word = vocabulary.word(text(value, at, names))
        if ":" in word or not vocabulary.allows(word):
            word = vocabulary.word(individual(word, names))
        if not vocabulary.allows(word):
            raise wrong(
                at, f"{word!r} is no {vocabulary.name} of the vocabulary", vocabulary.near(word)
            )
        return word

    return read


def items(reading: Reading) -> Reading:
    """Return a reader of a list."""

    def read(value: Any, at: str, names: NameContext) -> list[Any]:
        if not isinstance(value, list):
            raise wrong(at, f"expected a list, got {format_value(value)}")
        return [reading(item, f"{at}[{number}]", names) for number, item in enumerate(value)]

    return read


def one_or_more(reading: Reading) -> Reading:
    """Return a reader of one value or a list of them; the result is always a list."""
    several = items(reading)
    return lambda value, at, names: several(
        value if isinstance(value, list) else [value], at, names
    )


def record(fields: Mapping[str, Reading], required: tuple[str, ...] = ()) -> Reading:
    """Return a reader of an object with known fields; others need a namespace and are kept as
    extensions.
    """

    def read(value: Any, at: str, names: NameContext) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise wrong(at, f"expected an object, got {format_value(value)}")
        return read_members(value, at, names, fields, required)

    return read


def read_members(
    value: Mapping[str, Any],
    at: str,
    names: NameContext,
    fields: Mapping[str, Reading],
    required: tuple[str, ...],
) -> dict[str, Any]:
    """Return the members of an object in normal form, sorted by name, without empty ones."""
    inside = names_of(value["@context"], names) if "@context" in value else names
    found: dict[str, Any] = {}
    for name, given in value.items():
        if given is None or name == "@context":
            continue
        place, reading = f"{at}.{name}" if at else name, fields.get(name)
        if reading is not None:
            found[name] = reading(given, place, inside)
            continue
        full = expand_name(name, inside)
        if ":" not in full:
            raise wrong(
                place,
                f"the field {name} is not known",
                "a field of your own belongs to a namespace: prefix:name",
            )
        found[full] = extension(given, inside, inside.types.get(full, ""))
    for name in required:
        if name not in found:
            raise wrong(f"{at}.{name}" if at else name, f"{name} is missing")
    return {name: found[name] for name in sorted(found) if found[name] not in _NOTHING}


def extension(value: Any, names: NameContext, kind: str = "") -> Any:
    """Return a value of an extension with full names; a list of one becomes its item, as in XML."""
    if isinstance(value, list):
        found = [extension(item, names, kind) for item in value]
        return found[0] if len(found) == 1 else found
    return _object(value, names) if isinstance(value, dict) else typed_value(value, kind, names)


def _object(value: Mapping[str, Any], names: NameContext) -> Any:
    inside = names_of(value["@context"], names) if "@context" in value else names
    if "@value" in value:
        return convert_typed_value(value, inside)
    kept: dict[str, Any] = {}
    for name, item in value.items():
        full = expand_name(name, inside)
        if name != "@context":
            kept[full] = extension(
                item, inside, RESOURCE if name in ("@id", "@type") else inside.types.get(full, "")
            )
    return {name: kept[name] for name in sorted(kept) if kept[name] not in _NOTHING}


def format_value(value: object) -> str:
    """Return a value for a message, cut if it is long."""
    words = repr(value)
    return words if len(words) <= 60 else words[:57] + "..."

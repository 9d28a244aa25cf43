"""Readings: how one field is checked and brought to its one form. What does not fit raises and names the field.

Times become UTC, standard terms their bare word, whole numbers integers; an empty list is as good as none. Both
bindings, JSON and XML, end here, so that the same event gives the same data whichever way it was written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from tocsin.errors import EventProblem, MeaningProblem
from tocsin.events.codecs.epcis.names import Prefixes, expanded, prefixes_of
from tocsin.events.codecs.epcis.vocabulary import Vocabulary
from tocsin.values.scalars import canonical_number
from tocsin.values.time import format_instant, parse_instant

CODE = "InvalidEpcisError"

Reading = Callable[[Any, str, Prefixes], Any]
"""A function of the value as written, the place of the field, and the prefixes in force there."""

_MINUTE = re.compile(r"(T\d\d:\d\d)(Z|[+-]\d\d:\d\d)$")
_NOTHING: tuple[object, ...] = ("", None, [], {})
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")


def wrong(at: str, message: str, hint: str = "") -> EventProblem:
    """The problem of a field; its last name is the token."""
    return EventProblem(f"{at}: {message}", code=CODE, token=re.split(r"[.\[]", at)[-1].rstrip("]") or at, hint=hint)


def text(value: Any, at: str, _: Prefixes) -> str:
    """Any string that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise wrong(at, f"expected text, got {shown(value)}")
    return value.strip()


def uri(value: Any, at: str, prefixes: Prefixes) -> str:
    """A URI, as it is written."""
    given = text(value, at, prefixes)
    if _URI.fullmatch(given) is None:
        raise wrong(
            at, f"expected a URI, got {shown(given)}", "write it with its scheme, like urn:epc:id:... or https://..."
        )
    return given


def instant(value: Any, at: str, prefixes: Prefixes) -> str:
    """A time with its zone, in UTC; whole minutes may go without their seconds."""
    given = _MINUTE.sub(r"\1:00\2", text(value, at, prefixes))
    try:
        return format_instant(parse_instant(given))
    except MeaningProblem as problem:
        raise wrong(at, problem.message, problem.hint) from None


def number(value: Any, at: str, _: Prefixes) -> int | float:
    """A number; text that looks like one is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong(at, f"expected a number, got {shown(value)}")
    return canonical_number(value)


def boolean(value: Any, at: str, _: Prefixes) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise wrong(at, f"expected true or false, got {shown(value)}")
    return value


def matching(pattern: str, example: str) -> Reading:
    """Text of a fixed form."""
    compiled = re.compile(pattern)

    def read(value: Any, at: str, prefixes: Prefixes) -> str:
        given = text(value, at, prefixes)
        if compiled.fullmatch(given) is None:
            raise wrong(at, f"{shown(given)} is not served", f"write it like {example}")
        return given

    return read


def term(vocabulary: Vocabulary) -> Reading:
    """A term of a vocabulary in any spelling, or a URI of one's own."""

    def read(value: Any, at: str, prefixes: Prefixes) -> str:
        word = vocabulary.word(text(value, at, prefixes))
        if not vocabulary.allows(word):
            raise wrong(at, f"{word!r} is no {vocabulary.name} of the vocabulary", vocabulary.near(word))
        return word

    return read


def items(reading: Reading) -> Reading:
    """A list of what the reading reads."""

    def read(value: Any, at: str, prefixes: Prefixes) -> list[Any]:
        if not isinstance(value, list):
            raise wrong(at, f"expected a list, got {shown(value)}")
        return [reading(item, f"{at}[{number}]", prefixes) for number, item in enumerate(value)]

    return read


def one_or_more(reading: Reading) -> Reading:
    """One value or a list of them; always a list afterwards."""
    several = items(reading)
    return lambda value, at, prefixes: several(value if isinstance(value, list) else [value], at, prefixes)


def record(fields: Mapping[str, Reading], required: tuple[str, ...] = ()) -> Reading:
    """An object with known fields; others belong to a namespace and are kept as extensions."""

    def read(value: Any, at: str, prefixes: Prefixes) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise wrong(at, f"expected an object, got {shown(value)}")
        return read_members(value, at, prefixes, fields, required)

    return read


def read_members(
    value: Mapping[str, Any], at: str, prefixes: Prefixes, fields: Mapping[str, Reading], required: tuple[str, ...]
) -> dict[str, Any]:
    """The members of an object in their one form and in the order of their names; what is empty says nothing."""
    inside = prefixes_of(value["@context"], prefixes) if "@context" in value else prefixes
    found: dict[str, Any] = {}
    for name, given in value.items():
        if given is None or name == "@context":
            continue
        place, reading = f"{at}.{name}" if at else name, fields.get(name)
        if reading is not None:
            found[name] = reading(given, place, inside)
        elif ":" in name or name.startswith("@"):
            found[expanded(name, inside)] = extension(given, inside)
        else:
            raise wrong(
                place, f"the field {name} is not known", "a field of your own belongs to a namespace: prefix:name"
            )
    for name in required:
        if name not in found:
            raise wrong(f"{at}.{name}" if at else name, f"{name} is missing")
    return {name: found[name] for name in sorted(found) if found[name] not in _NOTHING}


def extension(value: Any, prefixes: Prefixes) -> Any:
    """A value of somebody's own: kept, with its names in full; a list of one is that one, as XML cannot tell."""
    if isinstance(value, dict):
        inside = prefixes_of(value["@context"], prefixes) if "@context" in value else prefixes
        kept = {expanded(name, inside): extension(item, inside) for name, item in value.items() if name != "@context"}
        return {name: kept[name] for name in sorted(kept) if kept[name] not in _NOTHING}
    if isinstance(value, list):
        return extension(value[0], prefixes) if len(value) == 1 else [extension(item, prefixes) for item in value]
    return canonical_number(value) if isinstance(value, float) else value


def shown(value: object) -> str:
    """A value in a message, cut where it is long."""
    words = repr(value)
    return words if len(words) <= 60 else words[:57] + "..."

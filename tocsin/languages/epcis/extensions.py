"""Parameters about extension fields: EQ_, GT_, GE_, LT_, LE_, EXISTS_, HASATTR_ and EQATTR_ with a
qualified name.

The name of a field is `prefix:local` by the `@context` of the query, or `namespace#local` as in
EPCIS 1.x. ILMD_, ERROR_DECLARATION_, SENSORELEMENT_, SENSORMETADATA_, SENSORREPORT_, readPoint_ and
bizLocation_ give the place of the field, else it is a field of the event; INNER_ means any depth
below that. An attribute belongs to the field itself, as in XML, or to the master data of the thing
that the field names.
"""

from __future__ import annotations

import re

from tocsin.events.codecs.epcis.json_context import expand_name
from tocsin.languages.epcis.conditions import Lowering, any_of, members
from tocsin.languages.epcis.master_data import attribute_is, has_attribute
from tocsin.languages.epcis.parameters import ORDERINGS
from tocsin.languages.epcis.values import Given, as_instant, as_number, strings
from tocsin.plan.nodes.atoms import BooleanNode
from tocsin.plan.nodes.expressions import Call
from tocsin.plan.semantics.list_conditions import DEEP, ITSELF, item_test
from tocsin.values.scalars import Path

_AREAS: dict[str, Path] = {
    "ILMD": ("ilmd",),
    "ERROR_DECLARATION": ("errorDeclaration",),
    "SENSORELEMENT": ("sensorElementList",),
    "SENSORMETADATA": ("sensorElementList", "sensorMetadata"),
    "SENSORREPORT": ("sensorElementList", "sensorReport"),
    "readPoint": ("readPoint",),
    "bizLocation": ("bizLocation",),
}
_NAME = re.compile(
    rf"(EQ_ATTR|EQATTR|EQ|GT|GE|LT|LE|EXISTS|HASATTR)_(INNER_)?(?:({'|'.join(_AREAS)})_)?([^:]+:.+)"
)
_FULL = ("http", "https", "urn", "ni", "tag")
"""Text before the colon of a full name, as opposed to a prefix."""


def extension(name: str) -> Lowering | None:
    """Return the lowering of a parameter about an extension field; None for other names."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    word, inner, area, field = found.groups()
    above = (*_AREAS.get(area, ()), *((DEEP,) if inner else ()))
    return lambda given: _condition(given, word, above, field)


def _condition(given: Given, word: str, above: Path, field: str) -> BooleanNode:
    if word in ("EQATTR", "EQ_ATTR"):
        field, _, attribute = field.rpartition("_")
        path = (*above, _key(given, field))
        written = members([path], item_test("=", _attribute(given, attribute), *strings(given)))
        return any_of([written, attribute_is(given, path[-1], [path], attribute)])
    path = (*above, _key(given, field))
    match word:
        case "EXISTS":
            return members([path], item_test("EXISTS", ITSELF))
        case "HASATTR":
            own = [
                members([path], item_test("EXISTS", _attribute(given, each)))
                for each in strings(given)
            ]
            return any_of([*own, has_attribute(given, path[-1], [path])])
        case "EQ":
            return members([path], _equality(given))
        case _:
            return members([path], _ordering(given, ORDERINGS[word]))


def _key(given: Given, field: str) -> str:
    """Return the name of the field in events; raise for an undeclared prefix.

    Such a prefix would never match.
    """
    prefix = field.partition(":")[0]
    if not field:
        raise given.wrong(
            f"{given.name} names no field", "write it like EQATTR_prefix:field_attribute"
        )
    if prefix not in given.names.prefixes and prefix not in _FULL:
        raise given.wrong(
            f"the prefix {prefix!r} is not declared",
            f'add it to the query: "@context": {{"{prefix}": "https://..."}}, or write'
            " namespace#name",
        )
    return expand_name(field, given.names)


def _attribute(given: Given, name: str) -> str:
    return expand_name(name, given.names)


def _equality(given: Given) -> Call:
    """Return the test for one number, or for texts; a time is compared as text."""
    value = given.value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return item_test("=", ITSELF, value)
    return item_test("=", ITSELF, *strings(given))


def _ordering(given: Given, relation: str) -> Call:
    """Return the test against a number or a time."""
    found = as_number(given.value)
    if found is not None:
        return item_test(relation, ITSELF, found)
    moment = as_instant(given.value)
    if moment is None:
        raise given.wrong(
            f"{given.name} takes a number or a time", "a time is written like 2026-01-31T08:00:00Z"
        )
    return item_test(f"TIME {relation}", ITSELF, moment)

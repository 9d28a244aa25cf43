"""Parameters of a SimpleEventQuery: those with fixed names, and those of extension fields.

Fixed names are those of EPCIS 2.0, section 8.2.7.1, and of 1.x.

Each parameter narrows the result; several values of one parameter are alternatives. A quantity or a
measurement with a unit (`GE_value_CEL`) matches that unit only: nothing is converted.

Extension fields have EQ_, GT_, GE_, LT_, LE_, EXISTS_, HASATTR_ and EQATTR_ with a qualified name.

The name of a field is `prefix:local` by the `@context` of the query, or `namespace#local` as in
EPCIS 1.x. ILMD_, ERROR_DECLARATION_, SENSORELEMENT_, SENSORMETADATA_, SENSORREPORT_, readPoint_ and
bizLocation_ give the place of the field, else it is a field of the event; INNER_ means any depth
below that. An attribute belongs to the field itself, as in XML, or to the master data of the thing
that the field names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tocsin.events.codecs.epcis import json_context
from tocsin.events.codecs.epcis.event_schema import ACTIONS, KINDS
from tocsin.events.codecs.epcis.json_context import expand_name
from tocsin.languages.epcis.conditions import (
    Lowering,
    any_of,
    below,
    equals,
    exists,
    make_identifier_equality,
    make_identifier_match,
    make_list_equality,
    make_time_comparison,
    make_typed_identifier,
    members,
    scalar,
)
from tocsin.languages.epcis.master_data import attribute_is, has_attribute, lies_in
from tocsin.languages.epcis.values import (
    Given,
    as_instant,
    as_number,
    flag,
    hex_digits,
    number,
    numbers,
    one_of,
    resources,
    strings,
    terms,
)
from tocsin.plan.nodes.atoms import BooleanNode
from tocsin.plan.nodes.expressions import Call
from tocsin.plan.semantics.list_conditions import DEEP, ITSELF, item_test
from tocsin.values.scalars import Path

CONTROLS = (
    "orderBy",
    "orderDirection",
    "eventCountLimit",
    "maxEventCount",
    "perPage",
    "nextPageToken",
)
"""Parameters that order or cut a finished result."""

ORDERINGS = {"GT": ">", "GE": ">=", "LT": "<", "LE": "<="}
_TIMES = {"GE": ">=", "LT": "<"}

_SENSOR: Path = ("sensorElementList",)
_METADATA: Path = (*_SENSOR, "sensorMetadata")
_REPORT: Path = (*_SENSOR, "sensorReport")
_QUANTITIES: tuple[Path, ...] = (
    ("quantityList",),
    ("childQuantityList",),
    ("inputQuantityList",),
    ("outputQuantityList",),
)
_EPCS: dict[str, tuple[Path, ...]] = {
    "epc": (("epcList",), ("childEPCs",)),
    "parentID": (("parentID",),),
    "inputEPC": (("inputEPCList",),),
    "outputEPC": (("outputEPCList",),),
    "anyEPC": (("epcList",), ("childEPCs",), ("inputEPCList",), ("outputEPCList",), ("parentID",)),
}
_CLASSES: dict[str, tuple[Path, ...]] = {
    "epcClass": (*_QUANTITIES[:2], ()),
    "inputEPCClass": _QUANTITIES[2:3],
    "outputEPCClass": _QUANTITIES[3:],
    "anyEPCClass": (*_QUANTITIES, ()),
}
"""Paths of classes; those of a QuantityEvent are in the event itself."""
_TIMED: dict[str, tuple[Path, ...]] = {
    "eventTime": (("eventTime",),),
    "recordTime": (("recordTime",),),
    "errorDeclarationTime": (("errorDeclaration", "declarationTime"),),
    "errorDeclaration_Time": (("errorDeclaration", "declarationTime"),),
    "time": ((*_METADATA, "time"), (*_REPORT, "time")),
    "startTime": ((*_METADATA, "startTime"),),
    "endTime": ((*_METADATA, "endTime"),),
    "SENSORMETADATA_time": ((*_METADATA, "time"),),
    "SENSORREPORT_time": ((*_REPORT, "time"),),
}
_DEVICE = ("deviceID", "deviceMetadata", "rawData", "dataProcessingMethod", "bizRules")
_DISPOSITIONS = terms(json_context.DISPOSITION)


def _event_type(given: Given) -> BooleanNode:
    """Return the condition on the event type, one of the standard or a URI."""
    names = [expand_name(each, given.names).removeprefix("epcis:") for each in strings(given)]
    for name in names:
        if name not in KINDS and ":" not in name:
            near = next(
                (each for each in KINDS if each.lower().removesuffix("event") == _stem(name)), ""
            )
            hint = f"did you mean {near}?" if near else f"known: {', '.join(KINDS)}"
            raise given.wrong(f"{name!r} is not a kind of event", hint)
    return equals(("type",), names)


def _stem(name: str) -> str:
    return name.lower().removesuffix("s").removesuffix("event").removesuffix("_")


def _within(place: str) -> Lowering:
    return lambda given: any_of(
        [below(given, (place, "id")), *lies_in(given, place, (place, "id"))]
    )


def _flagged(given: Given) -> BooleanNode:
    return members([(*_REPORT, "booleanValue")], item_test("=", ITSELF, flag(given)))


def _fixed() -> Iterator[tuple[str, Lowering]]:
    yield "eventType", _event_type
    yield "EQ_action", scalar(("action",), one_of(*ACTIONS))
    yield "EQ_bizStep", scalar(("bizStep",), terms(json_context.BIZ_STEP))
    yield "EQ_disposition", scalar(("disposition",), _DISPOSITIONS)
    yield (
        "EQ_persistentDisposition_set",
        make_list_equality(("persistentDisposition", "set"), read=_DISPOSITIONS),
    )
    yield (
        "EQ_persistentDisposition_unset",
        make_list_equality(("persistentDisposition", "unset"), read=_DISPOSITIONS),
    )
    yield "EQ_eventID", scalar(("eventID",), resources)
    yield "EQ_transformationID", make_identifier_equality(("transformationID",))
    yield "EQ_errorReason", scalar(("errorDeclaration", "reason"), terms(json_context.ERROR_REASON))
    yield (
        "EQ_correctiveEventID",
        make_list_equality(("errorDeclaration", "correctiveEventIDs"), read=resources),
    )
    for place in ("readPoint", "bizLocation"):
        yield f"EQ_{place}", make_identifier_equality((place, "id"))
        yield f"WD_{place}", _within(place)
    for field in ("errorDeclaration", "sensorElementList", "ilmd"):
        yield f"EXISTS_{field}", exists((field,))
    for name, paths in _EPCS.items():
        yield f"MATCH_{name}", make_identifier_match(*paths)
    for name, paths in _CLASSES.items():
        yield f"MATCH_{name}", make_identifier_match(*((*path, "epcClass") for path in paths))
    for name, paths in _TIMED.items():
        for word, relation in _TIMES.items():
            yield f"{word}_{name}", make_time_comparison(relation, *paths)
    yield from _sensor()


def _sensor() -> Iterator[tuple[str, Lowering]]:
    yield "EQ_type", make_list_equality((*_REPORT, "type"), read=terms(json_context.MEASUREMENT))
    yield (
        "EQ_exception",
        make_list_equality((*_REPORT, "exception"), read=terms(json_context.ALERT)),
    )
    yield (
        "EQ_component",
        make_list_equality((*_REPORT, "component"), read=terms(json_context.COMPONENT)),
    )
    yield "EQ_booleanValue", _flagged
    for name in _DEVICE:
        yield f"EQ_{name}", make_identifier_equality((*_METADATA, name), (*_REPORT, name))
        yield f"EQ_SENSORMETADATA_{name}", make_identifier_equality((*_METADATA, name))
        yield f"EQ_SENSORREPORT_{name}", make_identifier_equality((*_REPORT, name))
    yield "EQ_stringValue", make_list_equality((*_REPORT, "stringValue"))
    yield "EQ_hexBinaryValue", make_list_equality((*_REPORT, "hexBinaryValue"), read=hex_digits)
    for name in ("microorganism", "chemicalSubstance", "coordinateReferenceSystem"):
        yield f"EQ_{name}", make_identifier_equality((*_REPORT, name))
    yield "EQ_uriValue", make_identifier_equality((*_REPORT, "uriValue"))


FIXED: dict[str, Lowering] = dict(_fixed())

_MEASURED = (
    "value",
    "minValue",
    "maxValue",
    "meanValue",
    "sDev",
    "percValue",
    "percRank",
    "quantity",
)
_WITH_UNIT = re.compile(rf"(EQ|GT|GE|LT|LE)_({'|'.join(_MEASURED)})(?:_([A-Z0-9]{{2,4}}))?")
_WITH_TYPE = re.compile(r"EQ_(bizTransaction|source|destination)_(.+)")
_LISTS = {
    "bizTransaction": "bizTransactionList",
    "source": "sourceList",
    "destination": "destinationList",
}
_TYPES = {
    "bizTransaction": json_context.TRANSACTION_TYPE,
    "source": json_context.PARTY_TYPE,
    "destination": json_context.PARTY_TYPE,
}


def find_composed_parameter(name: str) -> Lowering | None:
    """Return the lowering of a parameter with a unit or a type in its name; None for others."""
    if found := _WITH_UNIT.fullmatch(name):
        return _measured(found.group(1), found.group(2), found.group(3))
    found = _WITH_TYPE.fullmatch(name)
    if found is None:
        return None
    field, kind = found.group(1), _TYPES[found.group(1)].word(found.group(2))
    return (
        make_typed_identifier((_LISTS[field],), field, kind) if _TYPES[field].allows(kind) else None
    )


def examples() -> Iterator[str]:
    """Yield the names of the parameters in this file; those with a unit only by their beginning."""
    yield from FIXED
    yield from CONTROLS
    for word in ("EQ", *ORDERINGS):
        yield from (f"{word}_{name}" for name in _MEASURED)
    for field, kinds in _TYPES.items():
        yield from (f"EQ_{field}_{kind}" for kind in sorted(kinds.words))


def _measured(word: str, field: str, unit: str | None) -> Lowering:
    """Return the lowering of a comparison of a number, with its unit in the same element."""
    paths = _QUANTITIES if field == "quantity" else (_REPORT,)

    def lower(given: Given) -> BooleanNode:
        values = numbers(given) if word == "EQ" else [number(given)]
        relation = ORDERINGS.get(word, "=")
        asked = item_test(relation, field, *values)
        listed = members(paths, *([item_test("=", "uom", unit)] if unit else []), asked)
        if field != "quantity" or unit:
            return listed
        # the quantity of a QuantityEvent is a field of the event itself, without a unit
        return any_of([listed, members([("quantity",)], item_test(relation, ITSELF, *values))])

    return lower


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

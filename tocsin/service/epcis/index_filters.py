"""Index filters for a condition: terms that every matching event has, and bounds of its times.

A filter may offer too many candidates, never too few: the engine verifies them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tocsin.events.codecs.epcis.event import KEYS
from tocsin.events.codecs.epcis.identifiers import canonical
from tocsin.plan.nodes.atoms import AllOf, AnyOf, BooleanNode, Computed, Condition, Equals, OneOf
from tocsin.plan.nodes.composites import Part
from tocsin.plan.nodes.expressions import Attribute, Call, Semantics, Value
from tocsin.plan.semantics.list_conditions import ITSELF, members_at
from tocsin.values.scalars import ENVELOPE, Constant, Path
from tocsin.values.time import Instant

EPC, EPC_CLASS = "epc", "epcClass"

_QUANTITIES = ("quantityList", "childQuantityList", "inputQuantityList", "outputQuantityList")
PATHS: Mapping[str, tuple[Path, ...]] = {
    "eventType": (("type",),),
    "action": (("action",),),
    "bizStep": (("bizStep",),),
    "disposition": (("disposition",),),
    "readPoint": (("readPoint", "id"),),
    "bizLocation": (("bizLocation", "id"),),
    "eventID": (("eventID",),),
    EPC: (("epcList",), ("childEPCs",), ("inputEPCList",), ("outputEPCList",), ("parentID",)),
    EPC_CLASS: (*((name, "epcClass") for name in _QUANTITIES), ("epcClass",)),
}
"""Indexed fields, and their paths in an event."""

_FIELDS: Mapping[Path, str] = {
    **{path: field for field, paths in PATHS.items() for path in paths},
    **{
        (ENVELOPE, name): field
        for path, name in KEYS.items()
        for field, paths in PATHS.items()
        if path in paths
    },
}
_TIMES: Mapping[Path, str] = {("eventTime",): "eventTime", ("recordTime",): "recordTime"}


@dataclass(frozen=True, slots=True)
class TermFilter:
    """Filter: an event has one of the values in a field; identifiers are in canonical form."""

    field: str
    values: frozenset[str]


@dataclass(frozen=True, slots=True)
class TimeFilter:
    """Filter: a time of an event is in the relation `<`, `<=`, `>` or `>=` to an instant."""

    field: str
    relation: str
    instant: Instant


Narrowing = TermFilter | TimeFilter


def terms_of(attributes: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the indexed terms of an event: field, value in canonical form, value as written."""
    for field, paths in PATHS.items():
        written = (each for path in paths for each in members_at(attributes, path))
        for each in dict.fromkeys(value for value in written if isinstance(value, str)):
            yield field, canonical(each), each


def narrowings_of(pattern: Part) -> list[Narrowing]:
    """Return filters that every event matching the pattern passes; empty if none is known."""
    if not isinstance(pattern, Condition):
        return []
    return [
        found
        for operand in _conjuncts(pattern.expression)
        if (found := _narrowing(operand)) is not None
    ]


def _conjuncts(node: BooleanNode) -> Iterator[BooleanNode]:
    if isinstance(node, AllOf):
        for operand in node.operands:
            yield from _conjuncts(operand)
    else:
        yield node


def _narrowing(node: BooleanNode) -> Narrowing | None:
    match node:
        case Equals(path, constant):
            return _terms(path, (constant,))
        case OneOf(path, constants):
            return _terms(path, constants)
        case AnyOf(operands) if operands:
            return _united([_narrowing(each) for each in operands])
        case Computed(Call() as call, Semantics.MEMBERS):
            return _of_members(call)
        case _:
            return None


def _terms(path: Path, constants: Iterable[Constant]) -> TermFilter | None:
    values = [constant.value for constant in constants]
    if path not in _FIELDS or not all(isinstance(value, str) for value in values):
        return None
    return TermFilter(_FIELDS[path], frozenset(canonical(str(value)) for value in values))


def _united(found: list[Narrowing | None]) -> TermFilter | None:
    """Return the union of terms of one field, or None."""
    terms = [each for each in found if isinstance(each, TermFilter)]
    if len(terms) < len(found) or len({each.field for each in terms}) != 1:
        return None
    return TermFilter(terms[0].field, frozenset().union(*(each.values for each in terms)))


def _of_members(call: Call) -> Narrowing | None:
    match call:
        case Call("SOME", (Attribute(first), *rest)):
            steps = tuple(str(each.constant.value) for each in rest if isinstance(each, Value))
            tests = [each for each in rest if isinstance(each, Call)]
            found = [_of_test((*first, *steps), each) for each in tests]
            return next((each for each in found if each is not None), None)
        case _:
            return None


def _of_test(path: Path, test: Call) -> Narrowing | None:
    field, *constants = (each.constant for each in test.arguments if isinstance(each, Value))
    if field.value != ITSELF:
        return _of_test((*path, str(field.value)), _about_itself(test)) if constants else None
    if test.function in ("IS", "="):
        return _terms(path, constants)
    kind, _, relation = test.function.partition(" ")
    if kind != "TIME" or path not in _TIMES or len(constants) != 1:
        return None
    limit = constants[0].value
    return TimeFilter(_TIMES[path], relation, limit) if isinstance(limit, int) else None


def _about_itself(test: Call) -> Call:
    return Call(test.function, (Value(Constant.of(ITSELF)), *test.arguments[1:]))

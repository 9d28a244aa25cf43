"""Conditions on master data: HASATTR_, EQATTR_ and WD_ test attributes of the thing that a field
names.

Master data comes from definitions, which turn a condition into a list of things, and from the
header of the event's document, which the event carries.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from tocsin.errors import EventProblem, MeaningProblem
from tocsin.events.codecs.epcis.json_context import expand_name
from tocsin.events.codecs.epcis.master_data import (
    FIELD,
    PATHS,
    WITHIN,
    MasterData,
    MasterDataRecord,
    read_master_data,
)
from tocsin.events.views.epcis import MASTER_DATA
from tocsin.languages.base.reading import Definition, MasterDataDefinition
from tocsin.languages.epcis.conditions import Lowering, any_of, is_one, members
from tocsin.languages.epcis.values import Given, identifiers, strings
from tocsin.plan.nodes.atoms import BooleanNode
from tocsin.plan.nodes.expressions import Call
from tocsin.plan.semantics.list_conditions import item_test
from tocsin.values.scalars import Path

_NAME = re.compile(rf"(EQATTR|EQ_ATTR|HASATTR)_({'|'.join(PATHS)})(?:_(.+))?")


def known_in(definitions: Iterable[Definition]) -> MasterData:
    """Return the master data of all definitions together; raise if some cannot be read."""
    found: dict[str, MasterDataRecord] = {}
    for each in definitions:
        if isinstance(each, MasterDataDefinition):
            found |= _read(
                each.name, each.data if isinstance(each.data, str) else json.dumps(each.data)
            )
    return found


@lru_cache(maxsize=32)
def _read(name: str, text: str) -> MasterData:
    try:
        return read_master_data(text if text.lstrip().startswith("<") else json.loads(text))
    except (EventProblem, ValueError) as problem:
        reason = problem.message if isinstance(problem, EventProblem) else str(problem)
        raise MeaningProblem(
            f"the master data {name!r} cannot be read: {reason}", code="MasterDataError", token=name
        ) from None


def about_master_data(name: str) -> Lowering | None:
    """Return the lowering of a parameter about an attribute of a thing in a standard field.

    None if the name is not such a parameter.
    """
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    word, field, attribute = found.groups()
    if word == "HASATTR":
        return (
            (lambda given: has_attribute(given, field, PATHS[field])) if attribute is None else None
        )
    return (
        (lambda given: attribute_is(given, field, PATHS[field], attribute)) if attribute else None
    )


def has_attribute(given: Given, field: str, paths: Sequence[Path]) -> BooleanNode:
    """Return the condition that the field names a thing that has one of the attributes."""
    names = [expand_name(each, given.names) for each in strings(given)]
    told = [_condition_on_own_data(field, item_test("EXISTS", name)) for name in names]
    return any_of(
        [
            *told,
            *_listed(given, paths, lambda thing: any(name in thing.attributes for name in names)),
        ]
    )


def attribute_is(given: Given, field: str, paths: Sequence[Path], attribute: str) -> BooleanNode:
    """Return the condition that the field names a thing whose attribute has one of the values."""
    name, values = expand_name(attribute, given.names), strings(given)
    told = _condition_on_own_data(field, item_test("=", name, *values))
    return any_of(
        [
            told,
            *_listed(
                given, paths, lambda thing: bool({*thing.attributes.get(name, ())} & {*values})
            ),
        ]
    )


def lies_in(given: Given, field: str, path: Path) -> list[BooleanNode]:
    """Return conditions that the field's thing is inside one of the parameter's, at any depth."""
    outer = identifiers(given)
    return [
        _condition_on_own_data(field, item_test("IS", WITHIN, *outer)),
        *_listed(given, [path], lambda thing: bool({*thing.within} & {*outer})),
    ]


def _condition_on_own_data(field: str, test: Call) -> BooleanNode:
    """Return the condition that the event's own data of the field's thing passes the test."""
    return members([(MASTER_DATA,)], item_test("=", FIELD, field), test)


def _listed(
    given: Given, paths: Sequence[Path], fits: Callable[[MasterDataRecord], bool]
) -> list[BooleanNode]:
    """Return the condition that a field at the paths names a fitting thing of the definitions, if
    any.
    """
    things = sorted(name for name, thing in given.known.items() if fits(thing))
    return [is_one(path, things) for path in paths] if things else []

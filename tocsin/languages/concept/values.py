"""Restricted datatypes `(type op value)`: an enumerated type compares individuals, any other its
literals.
"""

from __future__ import annotations

import json
from decimal import Decimal

from tocsin.errors import MeaningProblem
from tocsin.knowledge.concepts.concept import (
    Complement,
    Concept,
    Conjunction,
    Enumeration,
    Value,
    enumeration,
)
from tocsin.knowledge.concepts.datatypes import EQUALITIES, PREFIX, TYPES, datatype, datatype_name
from tocsin.languages.base.suggestions import nearest
from tocsin.languages.concept.names import ConceptNameResolver
from tocsin.languages.concept.syntax import ConceptName, Restriction
from tocsin.values.scalars import canonical_number

_SIGNS = {"≤": "<=", "≥": ">=", "≠": "!="}
_TRUTHS = {"true": True, "false": False}


def restriction(node: Restriction, names: ConceptNameResolver) -> Concept:
    """Return the concept of a restricted datatype; raise if type, operator and value do not fit."""
    operator = _SIGNS.get(node.operator.text, node.operator.text)
    full = names.full(node.type)
    if full in names.tbox.enumerated:
        return _of_enumerated(names.tbox.enumerated[full], operator, node, names)
    short = datatype_name(node.type.name) or datatype_name(full)
    if short is None:
        raise MeaningProblem(
            f"{node.type.name!r} is no datatype",
            code="UNKNOWN_TYPE",
            token=node.type.name,
            hint=_near_type(node.type.name),
        )
    return datatype(short, operator, _value(node))


def _near_type(name: str) -> str:
    """Return a suggestion: a datatype without its prefix, or one of similar spelling."""
    local = _OTHER_TYPES.get(name.rpartition(":")[2].lower(), name.rpartition(":")[2])
    if meant := nearest(local, TYPES, 0.7):
        return f"did you mean {PREFIX}{meant}?"
    return f"an enumerated concept, or one of {', '.join(PREFIX + each for each in TYPES)}"


_OTHER_TYPES = {
    "number": "decimal",
    "text": "string",
    "str": "string",
    "bool": "boolean",
    "time": "dateTime",
}
"""Words of other languages for datatypes."""


def _of_enumerated(
    listed: Enumeration, operator: str, node: Restriction, names: ConceptNameResolver
) -> Concept:
    """Return T and {v} for `(T = v)`, T without v for `(T != v)`."""
    if operator not in EQUALITIES:
        raise MeaningProblem(
            f"{listed.name} has no order",
            code="OPERATOR_TYPE",
            token=operator,
            hint="compare with = or !=",
        )
    value = names.full(node.value) if isinstance(node.value, ConceptName) else str(_value(node))
    if value not in listed.elements:
        raise MeaningProblem(
            f"{value!r} is no element of {listed.name}",
            code="VALUE_TYPE",
            token=value,
            hint=f"one of {', '.join(listed.elements)}",
        )
    one = enumeration((value,))
    return Conjunction((listed, one if operator == "=" else Complement(one)))


def _value(node: Restriction) -> Value:
    if isinstance(node.value, ConceptName):
        return _TRUTHS.get(node.value.name, node.value.name)
    written = node.value.text
    if not written.startswith('"'):
        return canonical_number(Decimal(written))
    try:
        return str(json.loads(written))
    except ValueError:
        raise MeaningProblem(
            "the text has an escape that is not known",
            code="VALUE_TYPE",
            token=written,
            hint=r"write \\ for a backslash",
        ) from None

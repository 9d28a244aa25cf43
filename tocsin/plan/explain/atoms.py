"""Atoms of every family in words: one line each, and as a tree.

Conditions are written as selector text, which parses back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import assert_never

from tocsin.plan.explain.exmlql import block_text
from tocsin.plan.explain.graphs import graph_lines, statement_text
from tocsin.plan.nodes.atoms import (
    AllOf,
    AnyOf,
    Atom,
    Between,
    BooleanNode,
    Computed,
    Condition,
    Equals,
    IsNull,
    Like,
    Not,
    OneOf,
    Ordered,
    PlaceIs,
    Predicate,
)
from tocsin.plan.nodes.concepts import ConceptTest, concept_test_text
from tocsin.plan.nodes.expressions import Attribute, Call, Expression, Semantics, Value
from tocsin.plan.nodes.graphs import GraphPattern
from tocsin.plan.xml.xml_patterns import XmlBlock
from tocsin.values.scalars import ENVELOPE, INSTANT, MILLISECONDS, Constant, Kind, Path
from tocsin.values.space import DISTANCES, SpatialRelation
from tocsin.values.time import format_instant, is_instant
from tocsin.values.truth import Truth

_CREATION_TIME = "properties.creation_time"
RESERVED = frozenset("AND OR NOT LIKE ESCAPE BETWEEN IN IS NULL TRUE FALSE".split())

_NAME = re.compile(r"[^\W\d]\w*")
_ESCAPES = "!\\^~|$"
_LONGEST_REGION = 60
_INFIX = frozenset("+ - * / % = <> != < <= > >= AND OR XOR LIKE IN".split())
_PLAIN = frozenset(("INSTANT", "COALESCE"))
"""Calls that are shown as their first argument: the conversion is not part of the text."""


def selector_text(node: BooleanNode) -> str:
    """Return the expression as selector text.

    Parsing it gives the same expression, if the language can express it.
    """
    return _text(node, 0)


def condition_lines(node: BooleanNode, indent: str = "") -> Iterator[str]:
    """Yield a boolean expression as an indented tree."""
    match node:
        case AllOf(()):
            yield f"{indent}every event"
        case AllOf(operands) | AnyOf(operands):
            yield f"{indent}{'all of' if isinstance(node, AllOf) else 'any of'}"
            for operand in operands:
                yield from condition_lines(operand, indent + "  ")
        case _:
            yield f"{indent}{_text(node, 0)}"


def predicate_text(predicate: Predicate) -> str:
    """Return one predicate as selector text."""
    match predicate:
        case Equals(path, value, mismatch):
            return f"{path_text(path)} = {_value_text(path, value)}{_strictness(mismatch)}"
        case Ordered(path, relation, limit, mismatch):
            return f"{path_text(path)} {relation} {_value_text(path, limit)}{_strictness(mismatch)}"
        case Between(path, low, high, mismatch):
            limits = f"{_value_text(path, low)} AND {_value_text(path, high)}"
            return f"{path_text(path)} BETWEEN {limits}{_strictness(mismatch)}"
        case OneOf(path, values, mismatch):
            listed = ", ".join(sorted(_value_text(path, value) for value in values))
            return f"{path_text(path)} IN ({listed}){_strictness(mismatch)}"
        case Like(path, _, mismatch):
            return f"{path_text(path)} LIKE {_like_text(predicate)}{_strictness(mismatch)}"
        case IsNull(path):
            return f"{path_text(path)} IS NULL"
        case Computed(expression, semantics):
            note = "" if semantics is Semantics.SELECTOR else f" [{semantics.value}]"
            return expression_text(expression) + note
        case PlaceIs(relation, region, distance):
            return f"place {relation_text(relation, distance)} {region_text(region)}"
        case _:
            assert_never(predicate)


def relation_text(relation: SpatialRelation, distance: float) -> str:
    """Return a relation in space, with its distance if it has one."""
    return f"{relation.value} ({distance:g})" if relation in DISTANCES else relation.value


def region_text(region: str) -> str:
    """Return a region as WKT, cut if it is long."""
    return region if len(region) <= _LONGEST_REGION else region[: _LONGEST_REGION - 3] + "..."


def path_text(path: Path) -> str:
    """Return a path as a name; steps that are not plain words get backticks."""
    if path[0] == ENVELOPE:
        return _CREATION_TIME if path[-1] == MILLISECONDS else "ce_" + path[1]
    if (
        all(_NAME.fullmatch(step) for step in path)
        and path[0].upper() not in RESERVED
        and not path[0].startswith("ce_")
    ):
        return ".".join(path)
    return ".".join(f"`{step}`" for step in path)


def constant_text(constant: Constant) -> str:
    """Return a constant as a literal of the language."""
    if constant.kind is Kind.STRING:
        return "'" + str(constant.value).replace("'", "''") + "'"
    if constant.kind is Kind.BOOLEAN:
        return "TRUE" if constant.value else "FALSE"
    endless: dict[object, str] = {float("inf"): "1e999", float("-inf"): "-1e999"}
    return endless.get(constant.value, repr(constant.value))


def _value_text(path: Path, constant: Constant) -> str:
    """Return a constant that the attribute is compared with; instants are written as times."""
    if path[-1] == INSTANT and path[0] == ENVELOPE and is_instant(constant.value):
        return f"'{format_instant(constant.value)}'"  # type: ignore[arg-type]
    return constant_text(constant)


def expression_text(expression: Expression) -> str:
    """Return a scalar expression in infix form."""
    match expression:
        case Value(constant):
            return constant_text(constant)
        case Attribute(path):
            return path_text(path)
        case Call("IN", (subject, *elements)):
            return f"{_operand(subject)} IN ({', '.join(map(expression_text, elements))})"
        case Call(function, (left, right)) if function.upper() in _INFIX:
            return f"{_operand(left)} {function} {_operand(right)}"
        case Call("IS NULL", (operand,)):
            return f"{_operand(operand)} IS NULL"
        case Call("INSTANT", (operand,)):
            return expression_text(operand)
        case Call("COALESCE", (attribute, _)):
            return expression_text(attribute)
        case Call(function, arguments):
            return f"{function}({', '.join(map(expression_text, arguments))})"
        case _:
            assert_never(expression)


def _operand(expression: Expression) -> str:
    text = expression_text(expression)
    return (
        f"({text})" if isinstance(expression, Call) and expression.function not in _PLAIN else text
    )


def _text(node: BooleanNode, binding: int) -> str:
    """Return a node as text, in parentheses if needed.

    `binding` is the operator strength around it: 0 nothing, 1 AND, 2 NOT.
    """
    match node:
        case AllOf(()) | AnyOf(()):
            return "TRUE" if isinstance(node, AllOf) else "FALSE"
        case AllOf(operands):
            text = " AND ".join(_text(operand, 1) for operand in operands)
            return f"({text})" if binding > 1 else text
        case AnyOf(operands):
            text = " OR ".join(_text(operand, 0) for operand in operands)
            return f"({text})" if binding > 0 else text
        case Not(operand):
            return _negated_text(operand)
        case _:
            return predicate_text(node)


def _negated_text(operand: BooleanNode) -> str:
    match operand:
        case Equals(path, value, mismatch):
            return f"{path_text(path)} <> {_value_text(path, value)}{_strictness(mismatch)}"
        case IsNull(path):
            return f"{path_text(path)} IS NOT NULL"
        case _:
            return f"NOT {_text(operand, 2)}"


def _like_text(like: Like) -> str:
    pattern = like.pattern
    if not pattern.needs_escape():
        return constant_text(Constant.of(pattern.text(escape="")))
    used = "".join(pattern.literals())
    escape = next((char for char in _ESCAPES if char not in used), _ESCAPES[0])
    return f"{constant_text(Constant.of(pattern.text(escape)))} ESCAPE '{escape}'"


def _strictness(mismatch: Truth) -> str:
    """Return a note for results that selector text cannot express.

    A value of another kind makes the predicate false ("[strict]") or true ("[lenient]").
    """
    return {Truth.UNKNOWN: "", Truth.FALSE: " [strict]", Truth.TRUE: " [lenient]"}[mismatch]


def atom_text(atom: Atom) -> str:
    """Return an atom in one line, to be read after the word event."""
    match atom:
        case Condition(expression):
            return f"with {selector_text(expression)}"
        case GraphPattern():
            return (
                "whose graph has"
                f" {' '.join(statement_text(each, atom.ontology) for each in atom.statements)}"
            )
        case ConceptTest():
            return f"that is {concept_test_text(atom)}"
        case XmlBlock():
            return f"whose document fits {block_text(atom)}"
        case _:
            assert_never(atom)


def atom_lines(atom: Atom) -> Iterator[str]:
    """Yield the lines of an atom as an indented tree."""
    match atom:
        case Condition(expression):
            yield from condition_lines(expression)
        case GraphPattern():
            yield from graph_lines(atom)
        case ConceptTest():
            yield f"concept {concept_test_text(atom)}"
        case XmlBlock():
            yield f"XML block {block_text(atom)}"
        case _:
            assert_never(atom)

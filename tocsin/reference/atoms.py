"""Evaluation of atoms by Kleene's tables, without short cuts, and of predicates by definition."""

from __future__ import annotations

from typing import Any, assert_never

from tocsin.events.event import Event
from tocsin.plan.bindings import NOTHING_BOUND, Rows
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
from tocsin.plan.nodes.concepts import ConceptTest
from tocsin.plan.nodes.graphs import GraphPattern
from tocsin.plan.xml.xml_patterns import XmlBlock
from tocsin.reference import blocks, concepts, graphs
from tocsin.reference.computed import computed_truth
from tocsin.reference.places import are_related
from tocsin.reference.values import is_like, is_ordered, sort_of
from tocsin.values.scalars import Kind
from tocsin.values.space import parse_place
from tocsin.values.truth import Truth, conjunction, disjunction, negation

_SORTS = {Kind.BOOLEAN: "truth", Kind.NUMBER: "number", Kind.STRING: "text"}


def predicate_truth(predicate: Predicate, event: Event) -> Truth:
    """Return the truth of a predicate: UNKNOWN if missing, its `mismatch` for another sort."""
    match predicate:
        case Computed(expression, semantics):
            return computed_truth(expression, semantics, event)
        case IsNull(path):
            return _certain(sort_of(event.attribute(path)) == "nothing")
        case PlaceIs(relation, region, distance, metric):
            return _certain(
                are_related(event.place, relation, parse_place(region), distance, metric)
            )
        case Equals() | Ordered() | Between() | OneOf() | Like():
            return _truth_of_value(predicate, event.attribute(predicate.path))
        case _:
            assert_never(predicate)


def _truth_of_value(predicate: Equals | Ordered | Between | OneOf | Like, value: Any) -> Truth:
    sort = sort_of(value)
    if sort == "nothing":
        return Truth.UNKNOWN
    match predicate:
        case Equals(_, constant):
            wanted, found = _SORTS[constant.kind], value == constant.value
        case Ordered(_, relation, limit):
            wanted = _SORTS[limit.kind]
            found = sort == wanted and is_ordered(value, relation, limit.value)
        case Between(_, low, high):
            wanted = _SORTS[low.kind]
            found = (
                sort == wanted
                and is_ordered(value, ">=", low.value)
                and is_ordered(value, "<=", high.value)
            )
        case OneOf(_, values):
            wanted = _SORTS[next(iter(values)).kind]
            found = any(value == each.value for each in values)
        case Like(_, pattern):
            wanted, found = "text", sort == "text" and is_like(value, pattern)
        case _:
            assert_never(predicate)
    return _certain(found) if sort == wanted else predicate.mismatch


def _certain(value: bool) -> Truth:
    return Truth.TRUE if value else Truth.FALSE


def holds(atom: Atom, event: Event) -> bool:
    """True if the event is an occurrence of the atom."""
    match atom:
        case Condition(expression):
            return truth_of(expression, event) is Truth.TRUE
        case GraphPattern():
            return graphs.holds(atom, event)
        case ConceptTest():
            return concepts.holds(atom, event)
        case XmlBlock():
            return blocks.holds(atom, event)
        case _:
            assert_never(atom)


def rows_of(atom: Atom, event: Event) -> Rows:
    """Return the rows that an occurrence of the atom binds."""
    match atom:
        case Condition():
            return NOTHING_BOUND
        case GraphPattern():
            return graphs.rows(atom, event)
        case ConceptTest():
            return concepts.rows(atom, event)
        case XmlBlock():
            return blocks.rows(atom, event)
        case _:
            assert_never(atom)


def truth_of(node: BooleanNode, event: Event) -> Truth:
    """Return the truth of a boolean expression."""
    match node:
        case Not(operand):
            return negation(truth_of(operand, event))
        case AllOf(operands):
            return conjunction(truth_of(operand, event) for operand in operands)
        case AnyOf(operands):
            return disjunction(truth_of(operand, event) for operand in operands)
        case _:
            return predicate_truth(node, event)

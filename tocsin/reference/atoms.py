"""Evaluation of atoms by Kleene's tables, without short cuts."""

from __future__ import annotations

from typing import assert_never

from tocsin.events.event import Event
from tocsin.plan.bindings import NOTHING_BOUND, Rows
from tocsin.plan.nodes.atoms import AllOf, AnyOf, Atom, BooleanNode, Condition, Not
from tocsin.plan.nodes.concepts import ConceptTest
from tocsin.plan.nodes.graphs import GraphPattern
from tocsin.plan.xml.xml_patterns import XmlBlock
from tocsin.reference import blocks, concepts, graphs
from tocsin.reference.predicates import predicate_truth
from tocsin.values.truth import Truth, conjunction, disjunction, negation


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

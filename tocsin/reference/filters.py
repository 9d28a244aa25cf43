"""Classes and filters of a graph pattern for one vertex, by Kleene's tables and the hierarchies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import assert_never

from tocsin.knowledge.ontology import Ontology
from tocsin.plan.nodes.graphs import (
    Comparison,
    Filter,
    FilterAll,
    FilterAny,
    FilterNot,
    Regex,
    Variable,
    VariableComparison,
    VariableRegex,
    Vertex,
)
from tocsin.values.regex import Search
from tocsin.values.terms import Literal, Term, compare
from tocsin.values.truth import Truth

_OPPOSITE = {Truth.TRUE: Truth.FALSE, Truth.FALSE: Truth.TRUE, Truth.UNKNOWN: Truth.UNKNOWN}


def is_of_class(term: Term, classes: Iterable[str], wanted: str, ontology: Ontology) -> bool:
    """True if a vertex has the class, or one below it. The classes of a literal are datatypes."""
    for each in classes:
        above = (
            ontology.superdatatypes(each)
            if isinstance(term, Literal)
            else ontology.superclasses(each)
        )
        if wanted in above:
            return True
    return False


def passes(condition: Filter, term: Term) -> bool:
    """True if the filter of a statement is TRUE for a term; UNKNOWN does not pass."""
    return _truth(condition, term, {}) is Truth.TRUE


def agrees(condition: Filter, images: Mapping[Vertex, Term]) -> bool:
    """True if a condition between variables is TRUE for their images."""
    return _truth(condition, None, images) is Truth.TRUE


def _truth(condition: Filter, term: Term | None, images: Mapping[Vertex, Term]) -> Truth:
    match condition:
        case Comparison(relation, value):
            assert term is not None
            return compare(term, relation, value)
        case VariableComparison(left, relation, right):
            other: Term = images[right] if isinstance(right, Variable) else right
            return compare(images[left], relation, other)
        case Regex(pattern, flags):
            return _found(pattern, flags, term)
        case VariableRegex(variable, pattern, flags):
            return _found(pattern, flags, images[variable])
        case FilterNot(operand):
            return _OPPOSITE[_truth(operand, term, images)]
        case FilterAll(operands):
            found = {_truth(operand, term, images) for operand in operands}
            return next(
                (each for each in (Truth.FALSE, Truth.UNKNOWN) if each in found), Truth.TRUE
            )
        case FilterAny(operands):
            found = {_truth(operand, term, images) for operand in operands}
            return next(
                (each for each in (Truth.TRUE, Truth.UNKNOWN) if each in found), Truth.FALSE
            )
        case _:
            assert_never(condition)


def _found(pattern: str, flags: str, term: Term | None) -> Truth:
    if not isinstance(term, Literal):
        return Truth.UNKNOWN
    return Truth.TRUE if Search(pattern, flags).found_in(term.lexical) else Truth.FALSE

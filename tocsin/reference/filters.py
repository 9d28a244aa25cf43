"""What classes and filters of a graph pattern say about one vertex, by Kleene's tables and the
hierarchies.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from tocsin.knowledge.ontology import Ontology
from tocsin.plan.graphs import Comparison, Filter, FilterAll, FilterAny, FilterNot, Regex
from tocsin.values.regex import Search
from tocsin.values.terms import Literal, Term, compare
from tocsin.values.truth import Truth

_OPPOSITE = {Truth.TRUE: Truth.FALSE, Truth.FALSE: Truth.TRUE, Truth.UNKNOWN: Truth.UNKNOWN}


def is_of_class(term: Term, classes: Iterable[str], wanted: str, ontology: Ontology) -> bool:
    """Whether a vertex is of the class: one that it has, or one above it. The classes of a literal
    are datatypes.
    """
    for each in classes:
        above = (
            ontology.superdatatypes(each)
            if isinstance(term, Literal)
            else ontology.superclasses(each)
        )
        if wanted in above:
            return True
    return False


def passes(condition: Filter, literal: Literal) -> bool:
    """Whether a literal passes a filter: it is TRUE, and not only not false."""
    return _truth(condition, literal) is Truth.TRUE


def _truth(condition: Filter, literal: Literal) -> Truth:
    match condition:
        case Comparison(relation, value):
            return compare(literal, relation, value)
        case Regex(pattern, flags):
            return Truth.TRUE if Search(pattern, flags).found_in(literal.lexical) else Truth.FALSE
        case FilterNot(operand):
            return _OPPOSITE[_truth(operand, literal)]
        case FilterAll(operands):
            found = {_truth(operand, literal) for operand in operands}
            return next(
                (each for each in (Truth.FALSE, Truth.UNKNOWN) if each in found), Truth.TRUE
            )
        case FilterAny(operands):
            found = {_truth(operand, literal) for operand in operands}
            return next(
                (each for each in (Truth.TRUE, Truth.UNKNOWN) if each in found), Truth.FALSE
            )
        case _:
            assert_never(condition)

"""Unsatisfiable concepts of a TBox: those whose meaning contradicts itself."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.errors import LimitProblem
from tocsin.knowledge.concepts.assertions import Assertions, Individual, IndividualKind, World
from tocsin.knowledge.concepts.axioms import Axiom
from tocsin.knowledge.concepts.concept import (
    Complement,
    Concept,
    Datatype,
    Enumeration,
    ForAll,
    Nothing,
    concepts_in,
)
from tocsin.knowledge.concepts.tableau import TableauLimits, examine
from tocsin.knowledge.concepts.tbox import TBox

_ANYTHING = Individual(IndividualKind.FRESH, "anything")
_NOTHING_SAID = Assertions((), ())
_LIMITS = TableauLimits(branches=200, assumptions=5_000, all_assumptions=50_000)
"""Beyond these limits a concept counts as satisfiable: refusing a TBox is not worth more work."""

_DENYING = (Complement, Nothing, Datatype, Enumeration, ForAll)
"""A concept made of none of these is satisfiable, whatever else is known."""


def unsatisfiable_concepts(tbox: TBox) -> frozenset[str]:
    """Return the names of all concepts that certainly can have no members.

    Only a concept that denies something can contradict: most ontologies are hierarchies, and need
    no search.
    """
    if not any(isinstance(each, _DENYING) for axiom in tbox.axioms for each in _parts(axiom)):
        return frozenset()
    return frozenset(axiom.name for axiom in tbox.axioms if _is_empty(tbox, axiom.name))


def _parts(axiom: Axiom) -> Iterator[Concept]:
    return concepts_in(axiom.concept)


def _is_empty(tbox: TBox, name: str) -> bool:
    try:
        meant = tbox.expanded(name)
    except LimitProblem:
        return False
    return examine(_NOTHING_SAID, [(_ANYTHING, meant)], World.OPEN, _LIMITS).is_inconsistent

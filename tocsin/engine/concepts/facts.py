"""Facts: the assertions of an event, indexed for evaluation. TRUE and FALSE hold in every model.

UNKNOWN need not be unknown to the tableau, which also sees that alternatives exclude each other, so
callers ask it then. A plain event asserts symbols only: it never contradicts itself, and in a
closed world UNKNOWN is only the membership of a placeholder in an enumeration.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import assert_never

from tocsin.knowledge.concepts.assertions import (
    EVENT,
    Assertions,
    Individual,
    IndividualKind,
    World,
)
from tocsin.knowledge.concepts.concept import (
    Complement,
    Concept,
    Conjunction,
    Datatype,
    Disjunction,
    Enumeration,
    Exists,
    ForAll,
    Nothing,
    Symbol,
    Thing,
    normal_form,
)
from tocsin.knowledge.concepts.datatypes import has
from tocsin.knowledge.concepts.tableau import Denials, examine
from tocsin.values.truth import Truth, conjunction, disjunction, negation, truth

Values = dict[str, list[Individual]]

_NO_VALUES: Values = {}


class EventFacts:
    """The facts of one event, computed on demand."""

    def __init__(self, stated: Assertions) -> None:
        self.stated = stated
        self.values: dict[Individual, Values] = {}
        for who, role, value in stated.roles:
            self.values.setdefault(who, {}).setdefault(role, []).append(value)
        self.certain: dict[Individual, set[Concept]] = {}
        self.is_plain = True
        for who, concept in stated.concepts:
            known = self.certain.setdefault(who, set())
            for each in _conjuncts(concept):
                known.add(each)
                self.is_plain &= isinstance(each, Symbol)
        self._consistent: dict[World, bool] = {}

    @cached_property
    def denials(self) -> Denials:
        """The denials of the closed world."""
        return Denials(self.stated)

    def values_of(self, individual: Individual) -> Values:
        """Return the values of an individual by role."""
        return self.values.get(individual, _NO_VALUES)

    def is_consistent(self, world: World) -> bool:
        """True if the assertions of the event are consistent; False if undecided."""
        if self.is_plain:
            return True
        if world not in self._consistent:
            self._consistent[world] = examine(self.stated, (), world).open is not None
        return self._consistent[world]

    def entails(self, concept: Concept, world: World) -> bool:
        """True if the event is an instance.

        The tableau is run only if nothing simpler decides.
        """
        if not self.is_consistent(world):
            return False
        known = self.truth(concept, EVENT, world)
        if known is not Truth.UNKNOWN:
            return known is Truth.TRUE
        return examine(
            self.stated, [(EVENT, normal_form(concept, negated=True))], world
        ).is_inconsistent

    def truth(self, concept: Concept, individual: Individual, world: World) -> Truth:
        """Return what is certain about an individual."""
        match concept:
            case Thing() | Nothing():
                return truth(isinstance(concept, Thing))
            case Symbol():
                return self._of_symbol(concept, individual, world)
            case Enumeration():
                return self._of_enumeration(concept, individual)
            case Datatype():
                return truth(individual.value is not None and has(individual.value, concept))
            case Complement(operand):
                return negation(self.truth(operand, individual, world))
            case Conjunction(operands):
                return conjunction(self.truth(each, individual, world) for each in operands)
            case Disjunction(operands):
                return disjunction(self.truth(each, individual, world) for each in operands)
            case Exists(role, filler):
                among = disjunction(
                    self.truth(filler, each, world)
                    for each in self.values_of(individual).get(role, ())
                )
                return (
                    among
                    if among is Truth.TRUE or self._has_all(individual, role, world)
                    else Truth.UNKNOWN
                )
            case ForAll(role, filler):
                among = conjunction(
                    self.truth(filler, each, world)
                    for each in self.values_of(individual).get(role, ())
                )
                return (
                    among
                    if among is Truth.FALSE or self._has_all(individual, role, world)
                    else Truth.UNKNOWN
                )
            case _:
                assert_never(concept)

    def _has_all(self, who: Individual, role: str, world: World) -> bool:
        return world is World.CLOSED and self.denials.has_all_values(who, role)

    def _of_symbol(self, symbol: Symbol, individual: Individual, world: World) -> Truth:
        if symbol in self.certain.get(individual, ()):
            return Truth.TRUE
        if individual.kind is IndividualKind.LITERAL or (
            world is World.CLOSED and self.denials.denies(individual, symbol.name)
        ):
            return Truth.FALSE
        return Truth.UNKNOWN

    def _of_enumeration(self, listed: Enumeration, individual: Individual) -> Truth:
        if individual.kind is not IndividualKind.PLACEHOLDER:
            return truth(
                individual.kind is IndividualKind.NAMED and individual.name in listed.elements
            )
        left = _could_be(self.certain.get(individual, set()))
        if left is None or not left:
            return Truth.UNKNOWN
        shared = left.intersection(listed.elements)
        return Truth.TRUE if shared == left else Truth.UNKNOWN if shared else Truth.FALSE


def _conjuncts(concept: Concept) -> Iterator[Concept]:
    if isinstance(concept, Conjunction):
        yield from concept.operands
    else:
        yield concept


def _could_be(known: set[Concept]) -> set[str] | None:
    """Return the names of which a placeholder is one for sure; None if it may be any."""
    listed = [set(each.elements) for each in known if isinstance(each, Enumeration)]
    if not listed:
        return None
    excluded = (
        e.operand.elements
        for e in known
        if isinstance(e, Complement) and isinstance(e.operand, Enumeration)
    )
    return set.intersection(*listed).difference(*excluded)

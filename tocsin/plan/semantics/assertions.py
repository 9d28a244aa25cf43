"""Event to assertions: its types are concepts of it, the members of its data are values of its
roles.

Types are the envelope's `type` and the texts of the data's `type` and `@type`. A list is several
values, null is no value. An object is an individual with roles of its own, identified by its `id`
or `@id`; without one it equals no other. A text is an individual of that name, and a literal too.
If the TBox knows the text as a concept, it is

* for a base symbol the individual of that name, which has the concept;
* for a name symbol or an enumerated concept some unknown member of it (a placeholder);
* for an element of the role's declared range the individual alone.

Numbers and truth values are literals.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from itertools import product
from math import prod
from typing import Any

from tocsin.errors import EventProblem
from tocsin.events.event import Event
from tocsin.knowledge.concepts.assertions import (
    EVENT,
    Assertions,
    Individual,
    Meant,
    World,
    literal,
    named_individual,
)
from tocsin.knowledge.concepts.concept import Concept
from tocsin.knowledge.concepts.tableau import examine
from tocsin.knowledge.concepts.tbox import TBox
from tocsin.plan.bindings import NOTHING_BOUND, Rows
from tocsin.plan.nodes.concepts import ConceptTest
from tocsin.values.scalars import scalar_element

TYPE_MEMBERS = ("type", "@type")
ID_MEMBERS = ("id", "@id")
"""Members that name an object: an object with such a text is the individual of that name."""


def assertions_of(event: Event, tbox: TBox) -> Assertions:
    """Return the assertions of an event.

    Raises EventProblem if its data is malformed, LimitProblem if a name expands to too much.
    """
    said = _Said(tbox)
    said.types(EVENT, event.type)
    said.members(EVENT, event.attributes)
    return Assertions(tuple(said.concepts), tuple(said.roles))


def unknown_types(event: Event, tbox: TBox) -> tuple[EventProblem, ...]:
    """Return warnings for types that the TBox does not know: each counts as a base symbol of its
    own.

    A TBox without axioms gives no warnings.
    """
    if not tbox.axioms:
        return ()
    given = (event.type, *(event.attributes.get(name) for name in TYPE_MEMBERS))
    names = (each for value in given for each in flat_values(value) if isinstance(each, str))
    return tuple(
        EventProblem(f"the type {name} is not known", code="UNKNOWN_TYPE", token=name)
        for name in dict.fromkeys(names)
        if not tbox.is_concept(tbox.resolved(name))
    )


class _Said:
    """Assertions collected from one event.

    Objects wait in a list, so that nesting costs no stack.
    """

    __slots__ = ("concepts", "objects", "roles", "tbox")

    def __init__(self, tbox: TBox) -> None:
        self.tbox = tbox
        self.concepts: dict[tuple[Individual, Concept], None] = {}
        self.roles: list[tuple[Individual, str, Individual]] = []
        self.objects = 0

    def types(self, individual: Individual, value: object) -> None:
        for each in flat_values(value):
            if isinstance(each, str):
                self.concepts[individual, self.tbox.expanded(self.tbox.resolved(each))] = None

    def members(self, individual: Individual, members: Mapping[str, Any]) -> None:
        waiting = [(individual, members)]
        while waiting:
            owner, inner = waiting.pop()
            for name in TYPE_MEMBERS:
                if name in inner:
                    self.types(owner, inner[name])
            for name, value in inner.items():
                role = self.tbox.resolved(name)
                for each in flat_values(value):
                    meant = self._meant(role, each)
                    self._note(owner, role, meant)
                    if isinstance(each, dict):
                        waiting.append((meant[0], each))

    def _meant(self, role: str, value: object) -> Meant:
        if isinstance(value, str):
            return self.tbox.meant(role, value)
        if isinstance(value, bool | int | float):
            return literal(value), None
        name = id_of(value) if isinstance(value, dict) else None
        if name is not None:
            return named_individual(self.tbox.resolved(name), name), None
        self.objects += 1
        return named_individual(f"{role} {self.objects}, an object without id"), None

    def _note(self, owner: Individual, role: str, meant: Meant) -> None:
        individual, concept = meant
        self.roles.append((owner, role, individual))
        if concept is not None:
            self.concepts[individual, concept] = None


def contradiction(said: Assertions, event: Event) -> EventProblem | None:
    """Return the problem of an event that contradicts itself.

    None if it is consistent, or if that is undecided.
    """
    outcome = examine(said, (), World.OPEN)
    if not outcome.is_inconsistent:
        return None
    return EventProblem(
        f"the event contradicts itself: {outcome.closed[0].clash.words}",
        code="EVENT_INCONSISTENT",
        token=event.id,
        hint=(
            "an event of contradicting types would match every subscription; correct its types or"
            " the TBox"
        ),
    )


def correlation_rows(test: ConceptTest, event: Event) -> Rows:
    """Return one row for every combination of values of the roles; empty if a role has no value."""
    if not test.correlate:
        return NOTHING_BOUND
    variables = test.variables
    return tuple(
        tuple(zip(variables, values, strict=True)) for values in product(*_choices(test, event))
    )


def row_count(test: ConceptTest, event: Event) -> int:
    """Return the number of rows without making them."""
    return prod(map(len, _choices(test, event)))


def _choices(test: ConceptTest, event: Event) -> list[dict[Hashable, None]]:
    """Return the different values of each role."""
    attributes = event.attributes
    return [dict.fromkeys(_plain_values(attributes, role, test.tbox)) for role in test.correlate]


def _plain_values(attributes: Mapping[str, Any], role: str, tbox: TBox) -> Iterator[Hashable]:
    for name, value in attributes.items():
        if tbox.resolved(name) == role:
            for each in flat_values(value):
                plain = id_of(each) if isinstance(each, dict) else each
                if isinstance(plain, str):
                    yield tbox.resolved(plain)
                elif plain is not None:
                    yield scalar_element(plain)


def flat_values(value: object) -> Iterator[Any]:
    """Yield the values of a member: nested lists are flattened, null gives none."""
    if not isinstance(value, list):
        if value is not None:
            yield value
        return
    waiting = [value]
    while waiting:
        first = waiting.pop()
        if isinstance(first, list):
            waiting += reversed(first)
        elif first is not None:
            yield first


def id_of(members: Mapping[str, Any]) -> str | None:
    """Return the name of an object, or None."""
    return next((name for each in ID_MEMBERS if isinstance(name := members.get(each), str)), None)

"""Concept tests: conditions of a subscription on the meaning of one event. Prepared: expanded, in
negation normal form.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

from tocsin.events.event import Event
from tocsin.knowledge.concepts.assertions import World
from tocsin.knowledge.concepts.concept import Concept, concept_text
from tocsin.knowledge.concepts.tbox import TBox
from tocsin.plan.bindings import NOTHING_BOUND, Rows
from tocsin.values.scalars import scalar_element

MAX_ROWS = 50_000
"""Combinations of correlated values that one event may have; with more it is undecided, which is no
match.
"""

ID_MEMBERS = ("id", "@id")
"""Members that name an object: an object with such a text is the individual of that name."""


# Without slots, to cache the hash of an expanded concept: composites look tests up for every event.
@dataclass(frozen=True)
class ConceptTest:
    """An atom: the event is an instance of the concept in the given world.

    The TBox gives the meaning of names in events. `correlate` are roles whose values the combined
    occurrences must share; `named` are the variables that the values are bound to, in the order of
    their names, by default the roles.
    """

    concept: Concept
    tbox: TBox
    world: World = World.CLOSED
    correlate: tuple[str, ...] = ()
    named: tuple[str, ...] = ()

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.concept, self.tbox, self.world, self.correlate, self.named))

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that the values of the roles are bound to."""
        return self.named or self.correlate

    def __reduce__(self) -> tuple[object, ...]:  # no hash: it differs between processes
        return (ConceptTest, (self.concept, self.tbox, self.world, self.correlate, self.named))


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


def concept_test_text(test: ConceptTest) -> str:
    """Return the test as text, for explanations."""
    told = [
        role if role == name else f"{role} as {name}"
        for role, name in zip(test.correlate, test.variables, strict=True)
    ]
    shared = f" correlate by {', '.join(told)}" if told else ""
    world = " (open world)" if test.world is World.OPEN else ""
    return f"{concept_text(test.concept)}{shared}{world}"


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

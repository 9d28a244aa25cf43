"""Concept tests: conditions of a subscription on the meaning of one event. Prepared: expanded, in
negation normal form.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tocsin.knowledge.concepts.assertions import World
from tocsin.knowledge.concepts.concept import Concept, concept_text
from tocsin.knowledge.concepts.tbox import TBox

MAX_ROWS = 50_000
"""Combinations of correlated values that one event may have; with more it is undecided, which is no
match.
"""


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


def concept_test_text(test: ConceptTest) -> str:
    """Return the test as text, for explanations."""
    told = [
        role if role == name else f"{role} as {name}"
        for role, name in zip(test.correlate, test.variables, strict=True)
    ]
    shared = f" correlate by {', '.join(told)}" if told else ""
    world = " (open world)" if test.world is World.OPEN else ""
    return f"{concept_text(test.concept)}{shared}{world}"

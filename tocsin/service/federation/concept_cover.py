"""Covering between concept tests: the narrow concept implies the wide one.

The terminology is part of the concepts already: a name is expanded, so that subclasses are
conjunctions with it and superclasses are disjunctions. Parts are compared pairwise. Datatypes are
compared for equality only, as the values of an individual that an event only describes are not
known.
"""

from __future__ import annotations

from dataclasses import dataclass

from tocsin.knowledge.concepts.concept import (
    Complement,
    Concept,
    Conjunction,
    Disjunction,
    Enumeration,
    Exists,
    ForAll,
    Nothing,
    Thing,
)
from tocsin.plan.nodes.concepts import ConceptTest

MAX_COMPARISONS = 2_000
"""Pairs of parts compared, at most; two large concepts have too many."""


def covers_concept(wide: ConceptTest, narrow: ConceptTest) -> bool:
    """Return True if every event that passes the narrow test certainly passes the wide one."""
    if wide.tbox != narrow.tbox or wide.world is not narrow.world:
        return False
    if not set(wide.correlate) <= set(narrow.correlate):
        return False  # an event without a value of such a role is not combined with any other
    return _Subsumption().holds(wide.concept, narrow.concept)


@dataclass(slots=True)
class _Subsumption:
    """A bounded search for a proof that one concept implies another."""

    steps: int = MAX_COMPARISONS

    def holds(self, wide: Concept, narrow: Concept) -> bool:
        """Return True if the proof is found."""
        self.steps -= 1
        if self.steps < 0:
            return False
        if wide == narrow or isinstance(wide, Thing) or isinstance(narrow, Nothing):
            return True
        if isinstance(wide, Conjunction):
            return all(self.holds(each, narrow) for each in wide.operands)
        if isinstance(narrow, Disjunction):
            return all(self.holds(wide, each) for each in narrow.operands)
        return self._has_part(wide, narrow) or self._is_wider(wide, narrow)

    def _has_part(self, wide: Concept, narrow: Concept) -> bool:
        choices = wide.operands if isinstance(wide, Disjunction) else ()
        parts = narrow.operands if isinstance(narrow, Conjunction) else ()
        return any(self.holds(each, narrow) for each in choices) or any(
            self.holds(wide, each) for each in parts
        )

    def _is_wider(self, wide: Concept, narrow: Concept) -> bool:
        match wide, narrow:
            case (Exists(role, filler), Exists(other, inner)) | (
                ForAll(role, filler),
                ForAll(other, inner),
            ):
                return role == other and self.holds(filler, inner)
            case Enumeration(more), Enumeration(fewer):
                return set(fewer) <= set(more)
            case Complement(Enumeration(fewer)), Complement(Enumeration(more)):
                return set(fewer) <= set(more)
            case _:
                return False

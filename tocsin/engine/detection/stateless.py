"""Operators that buffer nothing: atoms, names, restrictions, alternatives."""

from __future__ import annotations

from tocsin.engine.detection.base import Operator, StepContext
from tocsin.engine.detection.join_filters import restriction_test
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Either, Named, Only, is_bare, variables_of
from tocsin.plan.semantics.occurrence import Occurrence, element_rows, natural_join


class AtomSource(Operator):
    """Source of the events that the matcher found for an atom."""

    __slots__ = ("binds", "queues")

    part: Atom

    def __init__(self, part: Atom, inner: list[Operator]) -> None:
        super().__init__(part, inner)
        self.binds = not is_bare(part)
        """True if its occurrences may have rows, so that the matcher is asked for them."""
        self.queues: list[int] = []
        """Queues of the table of pairs under single use that its events go to."""


class NameOperator(Operator):
    """Operator that gives each occurrence of its part a name, and a row for each element that it
    binds.
    """

    __slots__ = ("_elements", "_name")

    is_direct = True

    def __init__(self, part: Named, inner: list[Operator]) -> None:
        super().__init__(part, inner)
        self._name = part.name
        self._elements = part.elements

    def receive(self, slot: int, occurrence: Occurrence, step: StepContext) -> None:
        """Add the name, join the rows of the elements, and emit."""
        named = occurrence.named(self._name)
        if self._elements is not None:
            self.renew(step)
            rows = element_rows(self._elements, occurrence.members[0])
            named = named.with_rows(natural_join(occurrence.rows, rows, self.spend))
        step.emit(self, named)


class FilterOperator(Operator):
    """Filter of the occurrences that meet a restriction."""

    __slots__ = ("_allows",)

    is_direct = True

    def __init__(self, part: Only, inner: list[Operator]) -> None:
        super().__init__(part, inner)
        self._allows = restriction_test(part.restriction)

    def receive(self, slot: int, occurrence: Occurrence, step: StepContext) -> None:
        """Emit the occurrence if the restriction allows it."""
        if self._allows(occurrence):
            step.emit(self, occurrence)


class UnionOperator(Operator):
    """Union of its parts; an occurrence that several parts emit in a step counts once."""

    __slots__ = ("_emitted", "_when")

    def __init__(self, part: Either, inner: list[Operator]) -> None:
        super().__init__(part, inner)
        self._when = -1
        self._emitted: set[object] = set()

    def receive(self, slot: int, occurrence: Occurrence, step: StepContext) -> None:
        """Emit the occurrence unless it was emitted in this step."""
        if self._when != step.number:
            self._when, self._emitted = step.number, set()
        if (same := occurrence.identity_key) not in self._emitted:
            self._emitted.add(same)
            step.emit(self, occurrence)


class EventUnionOperator(UnionOperator):
    """Union of atoms that bind nothing: all that they emit in a step is one event."""

    __slots__ = ()

    is_direct = True

    def receive(self, slot: int, occurrence: Occurrence, step: StepContext) -> None:
        """Emit the event once per step."""
        if self._when != step.number:
            self._when = step.number
            step.emit(self, occurrence)


def is_either_event(part: Either) -> bool:
    """True if all alternatives are atoms that bind nothing."""
    return all(isinstance(each, Atom) and not variables_of(each) for each in part.parts)

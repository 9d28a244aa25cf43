"""Nodes that keep nothing: atoms, names, restrictions, alternatives."""

from __future__ import annotations

from tocsin.engine.detection.base import Node, Step
from tocsin.engine.detection.join_filters import restriction_test
from tocsin.plan.nodes.atoms import Atom, Condition
from tocsin.plan.nodes.composites import Either, Named, Only, Part, variables_of
from tocsin.plan.nodes.concepts import ConceptTest
from tocsin.plan.nodes.list_elements import element_rows
from tocsin.plan.semantics.natural_join import natural_join
from tocsin.plan.semantics.occurrence import Occurrence


class AtomNode(Node):
    """Brings the events that the matcher found."""

    __slots__ = ("binds", "queues")

    part: Atom

    def __init__(self, part: Atom, inner: list[Node]) -> None:
        super().__init__(part, inner)
        self.binds = not is_bare(part)
        """Whether its occurrences may have rows, so that the matcher is to be asked for them."""
        self.queues: list[int] = []
        """Where it comes to in the table of pairs under single use."""


def is_bare(part: Part) -> bool:
    """Whether a part is an atom whose occurrences have no rows."""
    return isinstance(part, Condition | ConceptTest) and not variables_of(part)


class NamedNode(Node):
    """Brings every occurrence of its part, known by a name, with a row for each element that it
    binds.
    """

    __slots__ = ("_elements", "_name")

    is_direct = True

    def __init__(self, part: Named, inner: list[Node]) -> None:
        super().__init__(part, inner)
        self._name = part.name
        self._elements = part.elements

    def receive(self, slot: int, occurrence: Occurrence, step: Step) -> None:
        """Adds the name."""
        named = occurrence.named(self._name)
        if self._elements is not None:
            self.renew(step)
            rows = element_rows(self._elements, occurrence.members[0])
            named = named.binding(natural_join(occurrence.rows, rows, self.spend))
        step.bring(self, named)


class OnlyNode(Node):
    """Brings the occurrences that meet a restriction."""

    __slots__ = ("_allows",)

    is_direct = True

    def __init__(self, part: Only, inner: list[Node]) -> None:
        super().__init__(part, inner)
        self._allows = restriction_test(part.restriction)

    def receive(self, slot: int, occurrence: Occurrence, step: Step) -> None:
        """Lets through what the restriction allows."""
        if self._allows(occurrence):
            step.bring(self, occurrence)


class EitherNode(Node):
    """Brings the occurrences of all its parts; one that several parts bring in a step
    counts once.
    """

    __slots__ = ("_brought", "_when")

    def __init__(self, part: Either, inner: list[Node]) -> None:
        super().__init__(part, inner)
        self._when = -1
        self._brought: set[object] = set()

    def receive(self, slot: int, occurrence: Occurrence, step: Step) -> None:
        """Lets through what was not brought in this step."""
        if self._when != step.number:
            self._when, self._brought = step.number, set()
        if (same := occurrence.sameness) not in self._brought:
            self._brought.add(same)
            step.bring(self, occurrence)


class EitherEventNode(EitherNode):
    """Alternatives that are atoms and bind nothing: whatever they bring in a step is one event."""

    __slots__ = ()

    is_direct = True

    def receive(self, slot: int, occurrence: Occurrence, step: Step) -> None:
        """Lets the event through once."""
        if self._when != step.number:
            self._when = step.number
            step.bring(self, occurrence)


def is_either_event(part: Either) -> bool:
    """Whether alternatives can be served so."""
    return all(isinstance(each, Atom) and not variables_of(each) for each in part.parts)

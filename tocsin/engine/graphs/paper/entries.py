"""Statement types, the paper's EMS array: entries are created by the first pattern (spec 2.4).

A typed statement of an event is inspected at the entries at or above its own type, cached per type.
A repeated property is a property of its own, with no other above or below it.
"""

from __future__ import annotations

from typing import NamedTuple

from tocsin.knowledge.ontology import Ontology
from tocsin.plan.nodes.graphs import StatementPattern

_REPEATED = "+"


class StatementType(NamedTuple):
    """Subject class, property, object class."""

    subject_class: str
    property: str
    object_class: str


def repeated_property(name: str) -> str:
    """Return the name of `p+`."""
    return name + _REPEATED


def type_of(statement: StatementPattern) -> StatementType:
    """Return the entry at which a pattern waits."""
    used = repeated_property(statement.property) if statement.repeated else statement.property
    return StatementType(statement.subject_class, used, statement.object_class)


class StatementEntries:
    """The entries in use under one ontology, with reference counts."""

    __slots__ = ("_above", "_uses", "ontology")

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology
        self._uses: dict[StatementType, int] = {}
        self._above: dict[tuple[StatementType, bool], tuple[StatementType, ...]] = {}

    def __len__(self) -> int:
        return len(self._uses)

    def use(self, entry: StatementType) -> None:
        """Count one more use of an entry."""
        if entry not in self._uses:
            self._above.clear()
        self._uses[entry] = self._uses.get(entry, 0) + 1

    def release(self, entry: StatementType) -> None:
        """Count one use less; remove the entry with its last use."""
        self._uses[entry] -= 1
        if not self._uses[entry]:
            del self._uses[entry]
            self._above.clear()

    def at_or_above(self, own: StatementType, *, literal: bool) -> tuple[StatementType, ...]:
        """Return the entry of a typed statement and its ancestors, as far as patterns use them;
        each once.
        """
        found = self._above.get((own, literal))
        if found is None:
            found = self._above[own, literal] = self._found(own, literal)
        return found

    def _found(self, own: StatementType, literal: bool) -> tuple[StatementType, ...]:
        order = self.ontology
        subjects = order.superclasses(own.subject_class)
        properties = order.superproperties(own.property)
        objects = (order.superdatatypes if literal else order.superclasses)(own.object_class)
        return tuple(
            each
            for each in self._uses
            if each.subject_class in subjects
            and each.property in properties
            and each.object_class in objects
        )

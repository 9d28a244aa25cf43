"""Assertions: statements about individuals. Names are unique: different names, different
individuals.

A text of an event is both the individual of that name and a literal. A placeholder stands for an
unknown member of a concept. A fresh individual is one that must exist and has no other known
property.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, IntEnum

from tocsin.knowledge.concepts.concept import Concept, Value


class World(Enum):
    """World assumption: unstated facts are false (closed) or unknown (open)."""

    CLOSED = "closed"
    OPEN = "open"


class IndividualKind(IntEnum):
    """The kind of an individual, by what is known of it."""

    EVENT = 0
    NAMED = 1
    PLACEHOLDER = 2
    LITERAL = 3
    FRESH = 4


@dataclass(frozen=True, slots=True)
class Individual:
    """One thing. `value` is its value for datatypes: of a literal, the text of a name, or None."""

    kind: IndividualKind
    name: str
    value: Value | None = field(default=None, compare=False)

    @property
    def is_named(self) -> bool:
        """True if the individual is known by name, so that not being listed is a proof."""
        return self.kind in (IndividualKind.NAMED, IndividualKind.EVENT)


EVENT = Individual(IndividualKind.EVENT, "e")

Meant = tuple[Individual, Concept | None]
"""The meaning of a text: an individual, and the concept that its name gives it."""


def literal(value: Value) -> Individual:
    """Return the literal of a value; `1` and `1.0` are one, `1` and `True` are two."""
    plain = int(value) if isinstance(value, float) and value.is_integer() else value
    return Individual(IndividualKind.LITERAL, repr(plain), plain)


def named_individual(name: str, text: str | None = None) -> Individual:
    """Return the individual of a name, with its original text."""
    return Individual(IndividualKind.NAMED, name, text)


def placeholder(concept: str) -> Individual:
    """Return an individual for some member of a concept."""
    return Individual(IndividualKind.PLACEHOLDER, f"some {concept}")


@dataclass(frozen=True, slots=True)
class Assertions:
    """The assertions of an event: concepts of individuals, and values of their roles.

    Concepts are expanded and in negation normal form.
    """

    concepts: tuple[tuple[Individual, Concept], ...]
    roles: tuple[tuple[Individual, str, Individual], ...]

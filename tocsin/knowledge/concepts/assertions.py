"""Assertions: what is said of individuals. Names are unique: different names, different
individuals.

A text of an event is both the individual of that name and a literal. A placeholder stands for some
member of a concept, nobody knows which one. A fresh individual is one that must exist, and nothing
else is known of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, IntEnum

from tocsin.knowledge.concepts.concept import Concept, Value


class World(Enum):
    """Whether what an event does not say is false (closed) or not known (open)."""

    CLOSED = "closed"
    OPEN = "open"


class Kind(IntEnum):
    """What is known of an individual."""

    EVENT = 0
    NAMED = 1
    PLACEHOLDER = 2
    LITERAL = 3
    FRESH = 4


@dataclass(frozen=True, slots=True)
class Individual:
    """One thing. `value` is what datatypes see of it: the value of a literal, the text of a name,
    or nothing.
    """

    kind: Kind
    name: str
    value: Value | None = field(default=None, compare=False)

    @property
    def is_named(self) -> bool:
        """Whether the individual is known by name, so that not being listed is a proof."""
        return self.kind in (Kind.NAMED, Kind.EVENT)


EVENT = Individual(Kind.EVENT, "e")

Meant = tuple[Individual, Concept | None]
"""What a text stands for: an individual, and what it is by its name."""


def literal(value: Value) -> Individual:
    """The literal of a value; `1` and `1.0` are one, `1` and `True` are two."""
    plain = int(value) if isinstance(value, float) and value.is_integer() else value
    return Individual(Kind.LITERAL, repr(plain), plain)


def named(name: str, text: str | None = None) -> Individual:
    """The individual of a name, with the text that it came as."""
    return Individual(Kind.NAMED, name, text)


def placeholder(concept: str) -> Individual:
    """Some member of a concept."""
    return Individual(Kind.PLACEHOLDER, f"some {concept}")


@dataclass(frozen=True, slots=True)
class Assertions:
    """What an event says: concepts of individuals, expanded and in negation normal form, and values
    of their roles.
    """

    concepts: tuple[tuple[Individual, Concept], ...]
    roles: tuple[tuple[Individual, str, Individual], ...]

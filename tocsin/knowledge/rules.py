"""What may be concluded about one event beyond what it says, where an ontology is told to: `infer`.

Rules conclude arcs and classes of the event's own vertices, never new vertices, and for one event
alone:

* `domain-range`: who has a property is of its domain, the value of it, unless a literal, of its
  range;
* `inverse`: arcs of a property that has an inverse, or is symmetric or transitive, make further
  arcs;
* `existential`: a vertex that meets the definition of a class is of the class. Where a class is
  said to have some `p` that is a `B`, every vertex of the class counts as having one, for
  definitions only.

An arc of a property is one of all properties above it, a vertex of a class one of all classes above
it. All names are canonical. What is concluded is concluded from again, until nothing is new.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from tocsin.errors import MeaningProblem
from tocsin.knowledge.hierarchy import Edge
from tocsin.values.terms import Iri, Literal

MAX_INFERRED = 200_000
"""Arcs of one event, the concluded ones included; an event with more is refused."""


class Infer(StrEnum):
    """What an ontology is told to conclude."""

    DOMAIN_RANGE = "domain-range"
    INVERSE = "inverse"
    EXISTENTIAL = "existential"


@dataclass(frozen=True, slots=True)
class Named:
    """What is of the class."""

    name: str


@dataclass(frozen=True, slots=True)
class AllOf:
    """What meets every part."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """What meets some part."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """What has the property with a value that meets the filler."""

    property: str
    filler: Expression


@dataclass(frozen=True, slots=True)
class HasValue:
    """What has the property with this value; literals by value."""

    property: str
    value: Iri | Literal


Expression: TypeAlias = Named | AllOf | AnyOf | Some | HasValue


@dataclass(frozen=True, slots=True)
class Rules:
    """Pairs of a name and what holds of it, sorted. Inverses stand both ways; a symmetric property
    is its own inverse.

    Whatever meets the expression of a definition is of its class; every member of a class has what
    is `necessary`.
    """

    domains: tuple[Edge, ...] = ()
    ranges: tuple[Edge, ...] = ()
    inverses: tuple[Edge, ...] = ()
    transitive: tuple[str, ...] = ()
    definitions: tuple[tuple[str, Expression], ...] = ()
    necessary: tuple[tuple[str, Some], ...] = ()

    def __bool__(self) -> bool:
        return self != NO_RULES


NO_RULES = Rules()


def inferences(given: object) -> tuple[Infer, ...]:
    """The options that a caller means: one name, several, or several in one text with commas; None
    for none.
    """
    names = (given,) if isinstance(given, str) else given or ()
    if not isinstance(names, Iterable):
        raise _unknown(given)
    found: list[str] = []
    for each in names:
        if not isinstance(each, str):
            raise _unknown(each)
        found += [part.strip() for part in each.split(",")]
    for each in found:
        if each not in tuple(Infer):
            raise _unknown(each)
    return tuple(each for each in Infer if each in found)


def _unknown(given: object) -> MeaningProblem:
    return MeaningProblem(
        f"infer {given!r} is not known",
        code="OptionError",
        token="infer",
        hint=f"it is a list of {', '.join(Infer)}",
    )

"""What may be concluded about one event beyond what it says, where an ontology is told to: `infer`.

Rules conclude arcs and classes of the event's own vertices, never new vertices, and for one event
alone:

* `domain-range`: who has a property is of its domain, the value of it, unless a literal, of its
  range;
* `inverse`: arcs of a property that has an inverse, or is symmetric or transitive, make further
  arcs;
* `existential`: a vertex that meets the definition of a class is of the class. Where a class, or
  whatever meets an expression, is said to have some `p` that is a `B`, or the value `v`, every such
  vertex counts as having one, for definitions only;
* `meta-statements`: domains, ranges and `toClass` say which statements are allowed; of an event
  nothing is concluded.

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
    META_STATEMENTS = "meta-statements"


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

    Whatever meets the expression of a definition is of its class; whatever meets the first of a
    `necessary` pair has the second. Of a value that it has, nothing else is known than the value.
    """

    domains: tuple[Edge, ...] = ()
    ranges: tuple[Edge, ...] = ()
    inverses: tuple[Edge, ...] = ()
    transitive: tuple[str, ...] = ()
    definitions: tuple[tuple[str, Expression], ...] = ()
    necessary: tuple[tuple[Expression, Some | HasValue], ...] = ()

    def __bool__(self) -> bool:
        return self != NO_RULES

    def text(self) -> str:
        """Return the text that fingerprints are made of: the same for the same rules, in all
        versions.
        """
        necessary = tuple(
            (narrow.name if isinstance(narrow, Named) else narrow, has)
            for narrow, has in self.necessary
        )
        return (
            f"Rules(domains={self.domains!r}, ranges={self.ranges!r}, inverses={self.inverses!r},"
            f" transitive={self.transitive!r}, definitions={self.definitions!r},"
            f" necessary={necessary!r})"
        )


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

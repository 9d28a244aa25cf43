"""Rules that infer facts about one event beyond its own statements; enabled by `infer`.

Rules infer arcs and classes of the event's own vertices, never new vertices, and for one event
alone:

* `domain-range`: a vertex with a property is in its domain; the value, unless a literal, in its
  range;
* `inverse`: arcs of a property that has an inverse, or is symmetric or transitive, give further
  arcs;
* `existential`: a vertex that meets the definition of a class is in the class. If a class, or an
  expression, implies some `p` that is a `B`, or the value `v`, each of its vertices counts as
  having one, for definitions only;
* `meta-statements`: domains, ranges and `toClass` say which statements are allowed; nothing is
  inferred of an event.

An arc of a property is also one of all properties above it, a vertex of a class is in all classes
above it. All names are canonical. Inference repeats until nothing new follows.
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
"""Most arcs of one event, inferred ones included; an event with more is refused."""


class Infer(StrEnum):
    """Kinds of inference that an ontology may enable."""

    DOMAIN_RANGE = "domain-range"
    INVERSE = "inverse"
    EXISTENTIAL = "existential"
    META_STATEMENTS = "meta-statements"


@dataclass(frozen=True, slots=True)
class Named:
    """Members of a class."""

    name: str


@dataclass(frozen=True, slots=True)
class AllOf:
    """Things that meet every part."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Things that meet at least one part."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """Things that have the property with a value that meets the filler."""

    property: str
    filler: Expression


@dataclass(frozen=True, slots=True)
class HasValue:
    """Things that have the property with this value; literals compare by value."""

    property: str
    value: Iri | Literal


Expression: TypeAlias = Named | AllOf | AnyOf | Some | HasValue


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules as sorted pairs of a name and its consequence.

    Inverses are listed both ways; a symmetric property is its own inverse. A vertex that meets the
    expression of a definition is in its class; one that meets the first of a `necessary` pair has
    the second. Of a value implied this way only the value is known.
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
        """Return the text that fingerprints hash: the same for the same rules, in all versions."""
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
    """Parse the option `infer`: one name, several, or a text with commas; None gives none."""
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

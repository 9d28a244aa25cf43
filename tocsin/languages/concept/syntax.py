"""Syntax tree of the concept language, with places. Levels are not yet checked, names not yet
resolved.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tocsin.languages.base.texts import Spot


@dataclass(frozen=True, slots=True)
class _Node:
    spot: Spot = field(kw_only=True, compare=False)
    depth: int = field(default=0, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class Name(_Node):
    """A concept, an individual or a defined part; an IRI is without its angle brackets."""

    name: str
    is_iri: bool = False


@dataclass(frozen=True, slots=True)
class Top(_Node):
    """`Thing`."""


@dataclass(frozen=True, slots=True)
class Bottom(_Node):
    """`Nothing`."""


@dataclass(frozen=True, slots=True)
class Listing(_Node):
    """`{a, b}`."""

    elements: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Restriction(_Node):
    """`(type op value)`; the value is a name, or a number or text as written."""

    type: Name
    operator: Spot
    value: Name | Spot


@dataclass(frozen=True, slots=True)
class Negation(_Node):
    """`not A`."""

    operand: Syntax


@dataclass(frozen=True, slots=True)
class Intersection(_Node):
    """`A and B`."""

    operands: tuple[Syntax, ...]


@dataclass(frozen=True, slots=True)
class Union(_Node):
    """`A or B`."""

    operands: tuple[Syntax, ...]


@dataclass(frozen=True, slots=True)
class Quantified(_Node):
    """`exists role.A`, or `forall role.A`."""

    universal: bool
    role: Name
    filler: Syntax


@dataclass(frozen=True, slots=True)
class Timed(_Node):
    """`not (A) (1 h)`, or `not (A) (1 h anchored)`."""

    operand: Syntax
    duration: Spot
    anchored: bool


@dataclass(frozen=True, slots=True)
class Temporal(_Node):
    """`A Before B`."""

    relation: str
    left: Syntax
    right: Syntax


@dataclass(frozen=True, slots=True)
class Both(_Node):
    """`A & B`."""

    left: Syntax
    right: Syntax


@dataclass(frozen=True, slots=True)
class Either(_Node):
    """`A | B`."""

    operands: tuple[Syntax, ...]


@dataclass(frozen=True, slots=True)
class Embedded(_Node):
    """An atom of another language, from offset to offset of the text."""

    language: str
    start: int
    end: int


Syntax = (
    Name
    | Top
    | Bottom
    | Listing
    | Restriction
    | Negation
    | Intersection
    | Union
    | Quantified
    | Timed
    | Temporal
    | Both
    | Either
    | Embedded
)
SeveralEvents = Timed | Temporal | Both | Either | Embedded


@dataclass(frozen=True, slots=True)
class Shared:
    """Correlation by a role of all parts, or by one role for each of them, `parentID = epcList`."""

    roles: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Sole:
    """Correlation by a role that has one value in every event, `one parentID`.

    A member holds the value of an object, `one readPoint.id`.
    """

    path: tuple[Name, ...]

    @property
    def roles(self) -> tuple[Name, ...]:
        """The role, without members."""
        return self.path[:1]


@dataclass(frozen=True, slots=True)
class Subscription:
    """A whole text, and its correlations."""

    body: Syntax
    shared: tuple[Shared | Sole, ...]


@dataclass(frozen=True, slots=True)
class WrittenAxiom(_Node):
    """`name := A`, `name <: A` or `name = {a, b}`."""

    name: Name
    specialises: bool
    concept: Syntax


@dataclass(frozen=True, slots=True)
class Terminology:
    """A whole `.tbox` text."""

    axioms: tuple[WrittenAxiom, ...]


def children_of(node: Syntax) -> tuple[Syntax, ...]:
    """Return the nodes directly inside a node."""
    match node:
        case Intersection(operands) | Union(operands) | Either(operands):
            return operands
        case Temporal(_, left, right) | Both(left, right):
            return (left, right)
        case Negation(inner) | Quantified(_, _, inner) | Timed(inner):
            return (inner,)
        case _:
            return ()


def leaves_of(node: Syntax) -> Iterator[Syntax]:
    """Yield the parts about one event, in the order of the text."""
    if isinstance(node, Timed | Temporal | Both | Either):
        for child in children_of(node):
            yield from leaves_of(child)
    else:
        yield node

"""Syntax tree of the concept language, with places. Levels are not yet checked, names not yet
resolved.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tocsin.languages.base.texts import Extent, SourceSpan, enclose, extent_of


@dataclass(frozen=True, slots=True)
class _ConceptSyntaxNode:
    spot: SourceSpan = field(kw_only=True, compare=False)
    depth: int = field(default=0, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class ConceptName(_ConceptSyntaxNode):
    """A concept, an individual or a defined part; an IRI is without its angle brackets."""

    name: str
    is_iri: bool = False


@dataclass(frozen=True, slots=True)
class Top(_ConceptSyntaxNode):
    """`Thing`."""


@dataclass(frozen=True, slots=True)
class Bottom(_ConceptSyntaxNode):
    """`Nothing`."""


@dataclass(frozen=True, slots=True)
class Listing(_ConceptSyntaxNode):
    """`{a, b}`."""

    elements: tuple[ConceptName, ...]


@dataclass(frozen=True, slots=True)
class Restriction(_ConceptSyntaxNode):
    """`(type op value)`; the value is a name, or a number or text as written."""

    type: ConceptName
    operator: SourceSpan
    value: ConceptName | SourceSpan


@dataclass(frozen=True, slots=True)
class ConceptNegation(_ConceptSyntaxNode):
    """`not A`."""

    operand: Syntax


@dataclass(frozen=True, slots=True)
class Intersection(_ConceptSyntaxNode):
    """`A and B`."""

    operands: tuple[Syntax, ...]


@dataclass(frozen=True, slots=True)
class Union(_ConceptSyntaxNode):
    """`A or B`."""

    operands: tuple[Syntax, ...]


@dataclass(frozen=True, slots=True)
class Quantified(_ConceptSyntaxNode):
    """`exists role.A`, or `forall role.A`."""

    universal: bool
    role: ConceptName
    filler: Syntax


@dataclass(frozen=True, slots=True)
class TimedNegation(_ConceptSyntaxNode):
    """`not (A) (1 h)`, or `not (A) (1 h anchored)`."""

    operand: Syntax
    duration: SourceSpan
    anchored: bool


@dataclass(frozen=True, slots=True)
class TemporalRelation(_ConceptSyntaxNode):
    """`A Before B`."""

    relation: str
    left: Syntax
    right: Syntax


@dataclass(frozen=True, slots=True)
class ConceptAnd(_ConceptSyntaxNode):
    """`A & B`."""

    left: Syntax
    right: Syntax


@dataclass(frozen=True, slots=True)
class ConceptOr(_ConceptSyntaxNode):
    """`A | B`."""

    operands: tuple[Syntax, ...]


@dataclass(frozen=True, slots=True)
class ConceptEmbeddedAtom(_ConceptSyntaxNode):
    """An atom of another language, from offset to offset of the text."""

    language: str
    start: int
    end: int


Syntax = (
    ConceptName
    | Top
    | Bottom
    | Listing
    | Restriction
    | ConceptNegation
    | Intersection
    | Union
    | Quantified
    | TimedNegation
    | TemporalRelation
    | ConceptAnd
    | ConceptOr
    | ConceptEmbeddedAtom
)
SeveralEvents = TimedNegation | TemporalRelation | ConceptAnd | ConceptOr | ConceptEmbeddedAtom


@dataclass(frozen=True, slots=True)
class RoleCorrelation:
    """Correlation by a role of all parts, or by one role for each of them, `parentID = epcList`."""

    roles: tuple[ConceptName, ...]


@dataclass(frozen=True, slots=True)
class Sole:
    """Correlation by a role that has one value in every event, `one parentID`.

    A member holds the value of an object, `one readPoint.id`.
    """

    path: tuple[ConceptName, ...]

    @property
    def roles(self) -> tuple[ConceptName, ...]:
        """The role, without members."""
        return self.path[:1]


@dataclass(frozen=True, slots=True)
class ConceptSubscription:
    """A whole text, and its correlations."""

    body: Syntax
    shared: tuple[RoleCorrelation | Sole, ...]


@dataclass(frozen=True, slots=True)
class WrittenAxiom(_ConceptSyntaxNode):
    """`name := A`, `name <: A` or `name = {a, b}`."""

    name: ConceptName
    specialises: bool
    concept: Syntax


@dataclass(frozen=True, slots=True)
class Terminology:
    """A whole `.tbox` text."""

    axioms: tuple[WrittenAxiom, ...]


def children_of(node: Syntax) -> tuple[Syntax, ...]:
    """Return the nodes directly inside a node."""
    match node:
        case Intersection(operands) | Union(operands) | ConceptOr(operands):
            return operands
        case TemporalRelation(_, left, right) | ConceptAnd(left, right):
            return (left, right)
        case ConceptNegation(inner) | Quantified(_, _, inner) | TimedNegation(inner):
            return (inner,)
        case _:
            return ()


def extent(node: Syntax) -> Extent:
    """Return the extent of a node without the brackets at its ends."""
    match node:
        case Listing(elements):
            return enclose(extent_of(node.spot), *(extent_of(each.spot) for each in elements))
        case Restriction(name, _, value):
            last = value if isinstance(value, SourceSpan) else value.spot
            return enclose(extent_of(name.spot), extent_of(last))
        case TimedNegation():
            return enclose(extent_of(node.spot), extent_of(node.duration))
        case _:
            return enclose(extent_of(node.spot), *map(extent, children_of(node)))


def leaves_of(node: Syntax) -> Iterator[Syntax]:
    """Yield the parts about one event, in the order of the text."""
    if isinstance(node, TimedNegation | TemporalRelation | ConceptAnd | ConceptOr):
        for child in children_of(node):
            yield from leaves_of(child)
    else:
        yield node

"""Syntax tree of an OPSL subscription, with places, before its meaning is decided.

Trees are equal if they say the same; place and nesting depth do not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import assert_never

from tocsin.languages.base.texts import Extent, SourceSpan, enclose, extent_of


@dataclass(frozen=True, slots=True, kw_only=True)
class _OpslSyntaxNode:
    spot: SourceSpan = field(compare=False)
    depth: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Predicate(_OpslSyntaxNode):
    """`ARITH: id = 5`: type keyword, attribute, comparison and value, each as written."""

    type: SourceSpan
    attribute: SourceSpan
    comparison: SourceSpan
    value: SourceSpan


@dataclass(frozen=True, slots=True)
class Atomic(_OpslSyntaxNode):
    """One predicate, or several that must all hold."""

    predicates: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class OpslEmbeddedAtom(_OpslSyntaxNode):
    """An atom of another language: its name, and the offsets of the text between the braces."""

    language: str
    start: int = field(compare=False)
    end: int = field(compare=False)


@dataclass(frozen=True, slots=True)
class OpslVariable(_OpslSyntaxNode):
    """`$x;`, by the name between the signs."""

    name: str


@dataclass(frozen=True, slots=True)
class CatalogName(_OpslSyntaxNode):
    """A name of the catalog: a region or a part."""

    name: str


Ring = tuple[tuple[str, str], ...]
"""The vertices of a polygon ring, each a pair of numbers as written."""


@dataclass(frozen=True, slots=True)
class Polygon(_OpslSyntaxNode):
    """A region written out: polygons of rings of points, the numbers as written."""

    polygons: tuple[tuple[Ring, ...], ...]


@dataclass(frozen=True, slots=True)
class OpslAnd(_OpslSyntaxNode):
    """`A && B`."""

    left: Syntax
    right: Syntax


@dataclass(frozen=True, slots=True)
class OpslOr(_OpslSyntaxNode):
    """`A || B || ...`."""

    operands: tuple[Syntax, ...]


@dataclass(frozen=True, slots=True)
class Fixed(_OpslSyntaxNode):
    """The window `(T;t)`; both as written."""

    instant: SourceSpan
    duration: SourceSpan


@dataclass(frozen=True, slots=True)
class After(_OpslSyntaxNode):
    """The window `(A;t)`; the duration as written."""

    part: Syntax
    duration: SourceSpan


@dataclass(frozen=True, slots=True)
class OpslWindow(_OpslSyntaxNode):
    """The window `(A;B)`."""

    first: Syntax
    last: Syntax


Window = Fixed | After | OpslWindow


@dataclass(frozen=True, slots=True)
class WindowedOperand(_OpslSyntaxNode):
    """A window before an operand: `!` for absence in it, `=|` for happening in it, `|=` for
    happening after it.
    """

    operator: str
    window: Window
    operand: Syntax


@dataclass(frozen=True, slots=True)
class Concurrent(_OpslSyntaxNode):
    """`|(A)B`."""

    other: Syntax
    operand: Syntax


@dataclass(frozen=True, slots=True)
class Spatial(_OpslSyntaxNode):
    """`@`, `IN`, `OVLP`, `SPL` or `DIST` with a region or a part.

    DIST has a comparison and a distance as written.
    """

    operator: str
    place: Syntax | Polygon
    operand: Syntax
    comparison: SourceSpan | None = None
    distance: SourceSpan | None = None


Syntax = (
    Atomic
    | OpslEmbeddedAtom
    | OpslVariable
    | CatalogName
    | OpslAnd
    | OpslOr
    | WindowedOperand
    | Concurrent
    | Spatial
)


@dataclass(frozen=True, slots=True)
class Binding(_OpslSyntaxNode):
    """`$x; = ...`; the spot is the variable's."""

    name: str
    definition: Syntax


@dataclass(frozen=True, slots=True)
class OpslAttribute(_OpslSyntaxNode):
    """`$x;.a.b`, or `$x;.a.b[*]` for each element; the path as written, with its first dot."""

    variable: str
    path: SourceSpan
    is_each: bool = False


@dataclass(frozen=True, slots=True)
class OpslComparison(_OpslSyntaxNode):
    """A comparison of a WHERE clause; the spot is the relation's."""

    left: OpslAttribute
    relation: SourceSpan
    right: OpslAttribute


@dataclass(frozen=True, slots=True)
class OpslSubscription(_OpslSyntaxNode):
    """The main subscription, its bindings and its WHERE comparisons, in the order of the text."""

    main: Syntax
    bindings: tuple[Binding, ...] = ()
    comparisons: tuple[OpslComparison, ...] = ()


def children(node: Syntax | Polygon) -> tuple[Syntax | Polygon, ...]:
    """Return the nodes directly inside a node, in the order of the text."""
    match node:
        case Atomic() | OpslEmbeddedAtom() | OpslVariable() | CatalogName() | Polygon():
            return ()
        case OpslAnd():
            return (node.left, node.right)
        case OpslOr():
            return node.operands
        case WindowedOperand():
            return (*_bounds(node.window), node.operand)
        case Concurrent():
            return (node.other, node.operand)
        case Spatial():
            return (node.place, node.operand)
        case _:
            assert_never(node)


def nodes_of(node: Syntax | Polygon) -> Iterator[Syntax | Polygon]:
    """Yield the node and everything inside it, in the order of the text."""
    yield node
    for child in children(node):
        yield from nodes_of(child)


def extent(node: Syntax | Polygon) -> Extent:
    """Return the extent of a node without the brackets at its ends."""
    match node:
        case Atomic(predicates):
            return enclose(extent_of(predicates[0].type), extent_of(predicates[-1].value))
        case OpslOr(operands):
            return enclose(extent(operands[0]), extent(operands[-1]))
        case OpslAnd(left, right):
            return enclose(extent(left), extent(right))
        case WindowedOperand() | Concurrent() | Spatial():
            return enclose(extent_of(node.spot), extent(node.operand))
        case OpslEmbeddedAtom() | OpslVariable() | CatalogName() | Polygon():
            return extent_of(node.spot)
        case _:
            assert_never(node)


def _bounds(window: Window) -> tuple[Syntax, ...]:
    match window:
        case Fixed():
            return ()
        case After():
            return (window.part,)
        case OpslWindow():
            return (window.first, window.last)
        case _:
            assert_never(window)

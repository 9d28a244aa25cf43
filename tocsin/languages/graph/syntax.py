"""Syntax tree of a graph subscription, with places, before names are resolved.

Both spellings end as statements; triples are the SPARQL-like spelling before its translation. Trees
are equal if they say the same, at any place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias, assert_never

from tocsin.languages.base.texts import Spot


class Kind(Enum):
    """Kind of vertex at an end of a statement."""

    HOME = "_:H"
    BLANK = "blank"
    VARIABLE = "variable"
    IRI = "iri"
    LITERAL = "literal"


@dataclass(frozen=True, slots=True)
class Node:
    """An end of a statement, or a value in a filter.

    A literal may have a datatype or a language.
    """

    kind: Kind
    spot: Spot
    datatype: Spot | None = None
    language: str = ""

    @property
    def name(self) -> str:
        """The name of a variable."""
        return self.spot.text[1:]


@dataclass(frozen=True, slots=True)
class Step:
    """One property of a path; repeated if a `+` follows it."""

    property: Spot
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Compared:
    """`left relation right`; lowering requires at least one variable."""

    left: Node
    relation: Spot
    right: Node
    depth: int = field(default=1, compare=False)


@dataclass(frozen=True, slots=True)
class Matched:
    """A variable against a regular expression with flags; `negated` is the spelling `!~`."""

    variable: Node
    pattern: Spot
    flags: Spot | None = None
    negated: bool = False
    depth: int = field(default=1, compare=False)


@dataclass(frozen=True, slots=True)
class Negated:
    """`! filter`."""

    operand: FilterSyntax
    depth: int = field(default=1, compare=False)


@dataclass(frozen=True, slots=True)
class AllOf:
    """Filters joined by `&&`."""

    operands: tuple[FilterSyntax, ...]
    depth: int = field(default=1, compare=False)


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Filters joined by `||`."""

    operands: tuple[FilterSyntax, ...]
    depth: int = field(default=1, compare=False)


FilterSyntax: TypeAlias = Compared | Matched | Negated | AllOf | AnyOf


@dataclass(frozen=True, slots=True)
class Statement:
    """`(subject, object, (class, path, class), filter)`; without a path only the class of a vertex.

    `(vertex, class)` is such a statement, about the vertex at both ends.
    """

    subject: Node
    object: Node
    subject_class: Spot
    path: tuple[Step, ...]
    object_class: Spot
    filter: FilterSyntax | None = None
    across: tuple[FilterSyntax, ...] = ()
    """Conditions of the group between variables, which one of its statements carries."""

    @property
    def spot(self) -> Spot:
        """Place of the statement in problems."""
        return self.subject.spot


def class_statement(vertex: Node, kind: Spot) -> Statement:
    """Return the statement `(vertex, class)`."""
    return Statement(vertex, vertex, kind, (), kind)


@dataclass(frozen=True, slots=True)
class Prefix:
    """`PREFIX name: <namespace>`."""

    name: str
    namespace: str


@dataclass(frozen=True, slots=True)
class Subscription:
    """Statements with their optional and absent groups, and the selected variables."""

    prefixes: tuple[Prefix, ...]
    statements: tuple[Statement, ...]
    optionals: tuple[tuple[Statement, ...], ...] = ()
    absents: tuple[tuple[Statement, ...], ...] = ()
    selection: tuple[Spot, ...] = ()

    def groups(self) -> Iterator[tuple[Statement, ...]]:
        """Yield the statements and every other group."""
        yield self.statements
        yield from self.optionals
        yield from self.absents


@dataclass(frozen=True, slots=True)
class Triple:
    """`subject verb object`; the verb is a path, the word `a`, or a variable, which is refused."""

    subject: Node
    verb: tuple[Step, ...] | Spot
    object: Node


@dataclass(frozen=True, slots=True)
class TripleGroup:
    """Content of braces in the SPARQL-like spelling."""

    triples: tuple[Triple, ...]
    filters: tuple[FilterSyntax, ...] = ()
    optionals: tuple[TripleGroup, ...] = ()
    absents: tuple[TripleGroup, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """The SPARQL-like spelling as written; `bare` without ASK and braces."""

    prefixes: tuple[Prefix, ...]
    group: TripleGroup
    selection: tuple[Spot, ...] = ()
    bare: bool = False


def variables_in(condition: FilterSyntax) -> Iterator[Node]:
    """Yield every occurrence of a variable in a filter, in the order of the text."""
    match condition:
        case Compared():
            yield from (
                node for node in (condition.left, condition.right) if node.kind is Kind.VARIABLE
            )
        case Matched():
            yield condition.variable
        case Negated():
            yield from variables_in(condition.operand)
        case AllOf() | AnyOf():
            for operand in condition.operands:
                yield from variables_in(operand)
        case _:
            assert_never(condition)


def leaves_of(condition: FilterSyntax) -> Iterator[Compared | Matched]:
    """Yield every comparison and regular expression in a filter, in the order of the text."""
    match condition:
        case Compared() | Matched():
            yield condition
        case Negated():
            yield from leaves_of(condition.operand)
        case AllOf() | AnyOf():
            for operand in condition.operands:
                yield from leaves_of(operand)
        case _:
            assert_never(condition)


def spot_of(condition: FilterSyntax) -> Spot:
    """Return the place of a filter in problems: its first comparison."""
    match condition:
        case Compared():
            return condition.relation
        case Matched():
            return condition.variable.spot
        case Negated():
            return spot_of(condition.operand)
        case AllOf() | AnyOf():
            return spot_of(condition.operands[0])
        case _:
            assert_never(condition)

"""Syntax tree of a graph subscription, with places, before names are resolved.

Both spellings end as statements; triples are the SPARQL-like spelling before its translation. Trees
are equal if they say the same, at any place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias, assert_never

from tocsin.languages.base.texts import SourceSpan


class VertexKind(Enum):
    """Kind of vertex at an end of a statement."""

    HOME = "_:H"
    BLANK = "blank"
    VARIABLE = "variable"
    IRI = "iri"
    LITERAL = "literal"


@dataclass(frozen=True, slots=True)
class GraphTerm:
    """An end of a statement, or a value in a filter.

    A literal may have a datatype or a language.
    """

    kind: VertexKind
    spot: SourceSpan
    datatype: SourceSpan | None = None
    language: str = ""

    @property
    def name(self) -> str:
        """The name of a variable."""
        return self.spot.text[1:]


@dataclass(frozen=True, slots=True)
class PropertyStep:
    """One property of a path; repeated if a `+` follows it."""

    property: SourceSpan
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Compared:
    """`left relation right`; lowering requires at least one variable."""

    left: GraphTerm
    relation: SourceSpan
    right: GraphTerm
    depth: int = field(default=1, compare=False)


@dataclass(frozen=True, slots=True)
class RegexFilter:
    """A variable against a regular expression with flags; `negated` is the spelling `!~`."""

    variable: GraphTerm
    pattern: SourceSpan
    flags: SourceSpan | None = None
    negated: bool = False
    depth: int = field(default=1, compare=False)


@dataclass(frozen=True, slots=True)
class Negated:
    """`! filter`."""

    operand: FilterSyntax
    depth: int = field(default=1, compare=False)


@dataclass(frozen=True, slots=True)
class AllFilters:
    """Filters joined by `&&`."""

    operands: tuple[FilterSyntax, ...]
    depth: int = field(default=1, compare=False)


@dataclass(frozen=True, slots=True)
class AnyFilter:
    """Filters joined by `||`."""

    operands: tuple[FilterSyntax, ...]
    depth: int = field(default=1, compare=False)


FilterSyntax: TypeAlias = Compared | RegexFilter | Negated | AllFilters | AnyFilter


@dataclass(frozen=True, slots=True)
class Statement:
    """`(subject, object, (class, path, class), filter)`; without a path only the class of a vertex.

    `(vertex, class)` is such a statement, about the vertex at both ends.
    """

    subject: GraphTerm
    object: GraphTerm
    subject_class: SourceSpan
    path: tuple[PropertyStep, ...]
    object_class: SourceSpan
    filter: FilterSyntax | None = None
    across: tuple[FilterSyntax, ...] = ()
    """Conditions of the group between variables, which one of its statements carries."""

    @property
    def spot(self) -> SourceSpan:
        """Place of the statement in problems."""
        return self.subject.spot


def class_statement(vertex: GraphTerm, kind: SourceSpan) -> Statement:
    """Return the statement `(vertex, class)`."""
    return Statement(vertex, vertex, kind, (), kind)


@dataclass(frozen=True, slots=True)
class Prefix:
    """`PREFIX name: <namespace>`."""

    name: str
    namespace: str


@dataclass(frozen=True, slots=True)
class GraphSubscription:
    """Statements with their optional and absent groups, and the selected variables."""

    prefixes: tuple[Prefix, ...]
    statements: tuple[Statement, ...]
    optionals: tuple[tuple[Statement, ...], ...] = ()
    absents: tuple[tuple[Statement, ...], ...] = ()
    selection: tuple[SourceSpan, ...] = ()

    def groups(self) -> Iterator[tuple[Statement, ...]]:
        """Yield the statements and every other group."""
        yield self.statements
        yield from self.optionals
        yield from self.absents


@dataclass(frozen=True, slots=True)
class Triple:
    """`subject verb object`; the verb is a path, the word `a`, or a variable, which is refused."""

    subject: GraphTerm
    verb: tuple[PropertyStep, ...] | SourceSpan
    object: GraphTerm


@dataclass(frozen=True, slots=True)
class TripleGroup:
    """Content of braces in the SPARQL-like spelling."""

    triples: tuple[Triple, ...]
    filters: tuple[FilterSyntax, ...] = ()
    optionals: tuple[TripleGroup, ...] = ()
    absents: tuple[TripleGroup, ...] = ()


@dataclass(frozen=True, slots=True)
class SparqlQuery:
    """The SPARQL-like spelling as written; `bare` without ASK and braces."""

    prefixes: tuple[Prefix, ...]
    group: TripleGroup
    selection: tuple[SourceSpan, ...] = ()
    bare: bool = False


def variables_in(condition: FilterSyntax) -> Iterator[GraphTerm]:
    """Yield every occurrence of a variable in a filter, in the order of the text."""
    match condition:
        case Compared():
            yield from (
                node
                for node in (condition.left, condition.right)
                if node.kind is VertexKind.VARIABLE
            )
        case RegexFilter():
            yield condition.variable
        case Negated():
            yield from variables_in(condition.operand)
        case AllFilters() | AnyFilter():
            for operand in condition.operands:
                yield from variables_in(operand)
        case _:
            assert_never(condition)


def leaves_of(condition: FilterSyntax) -> Iterator[Compared | RegexFilter]:
    """Yield every comparison and regular expression in a filter, in the order of the text."""
    match condition:
        case Compared() | RegexFilter():
            yield condition
        case Negated():
            yield from leaves_of(condition.operand)
        case AllFilters() | AnyFilter():
            for operand in condition.operands:
                yield from leaves_of(operand)
        case _:
            assert_never(condition)


def spot_of(condition: FilterSyntax) -> SourceSpan:
    """Return the place of a filter in problems: its first comparison."""
    match condition:
        case Compared():
            return condition.relation
        case RegexFilter():
            return condition.variable.spot
        case Negated():
            return spot_of(condition.operand)
        case AllFilters() | AnyFilter():
            return spot_of(condition.operands[0])
        case _:
            assert_never(condition)

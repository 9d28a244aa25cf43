"""Grammar rules to syntax tree: one method per rule of `grammar.lark`, called as the rule ends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from tocsin.languages.base.grammar import Children, NestingTransformer, depth_of
from tocsin.languages.base.parsing import Token
from tocsin.languages.base.texts import SourceSpan, spot_of
from tocsin.languages.graph.syntax import (
    AllFilters,
    AnyFilter,
    Compared,
    FilterSyntax,
    GraphSubscription,
    GraphTerm,
    Negated,
    Prefix,
    PropertyStep,
    RegexFilter,
    SparqlQuery,
    Statement,
    Triple,
    TripleGroup,
    VertexKind,
    class_statement,
)

Each = TypeVar("Each")

_KINDS = {"HOME": VertexKind.HOME, "BLANK": VertexKind.BLANK, "VARIABLE": VertexKind.VARIABLE}


@dataclass(frozen=True, slots=True)
class _StatementGroup:
    """An optional or absent group, before its subscription is built."""

    content: Any
    optional: bool


@dataclass(frozen=True, slots=True)
class _Selection:
    variables: tuple[SourceSpan, ...]


class GraphTransformer(NestingTransformer):
    """Callbacks of the parser. Its only state is the nesting limit, so one serves every text."""

    def subscription(self, children: Children) -> GraphSubscription:
        items = next(each for each in children if isinstance(each, list))
        return GraphSubscription(
            _all(Prefix, children),
            _all(Statement, items),
            tuple(
                _all(Statement, each.content)
                for each in _all(_StatementGroup, items)
                if each.optional
            ),
            tuple(
                _all(Statement, each.content)
                for each in _all(_StatementGroup, items)
                if not each.optional
            ),
            _selected(children),
        )

    def query(self, children: Children) -> SparqlQuery:
        return SparqlQuery(
            _all(Prefix, children), _all(TripleGroup, children)[0], _selected(children)
        )

    def bare_query(self, children: Children) -> SparqlQuery:
        return replace(self.query(children), bare=True)

    def prefix(self, children: Children) -> Prefix:
        name, namespace = children
        return Prefix(str(name)[:-1], str(namespace)[1:-1])

    def selection(self, children: Children) -> _Selection:
        return _Selection(tuple(map(spot_of, children)))

    def statements(self, children: Children) -> Children:
        return children

    def statement(self, children: Children) -> Statement:
        opened, subject, value, _, subject_class, path, object_class, *condition = children
        del opened
        return Statement(
            subject, value, subject_class, path, object_class, condition[0] if condition else None
        )

    def classified(self, children: Children) -> Statement:
        _, vertex, kind = children
        return class_statement(vertex, kind)

    def optional(self, children: Children) -> _StatementGroup:
        return _StatementGroup(children[0], optional=True)

    def absent(self, children: Children) -> _StatementGroup:
        return _StatementGroup(children[0], optional=False)

    def triples_group(self, children: Children) -> TripleGroup:
        groups = _all(_StatementGroup, children)
        conditions = (Compared, RegexFilter, Negated, AllFilters, AnyFilter)
        return TripleGroup(
            tuple(triple for block in children if isinstance(block, list) for triple in block),
            tuple(each for each in children if isinstance(each, conditions)),
            tuple(each.content for each in groups if each.optional),
            tuple(each.content for each in groups if not each.optional),
        )

    def block(self, children: Children) -> list[Triple]:
        return [triple for triples in children for triple in triples]

    def triples(self, children: Children) -> list[Triple]:
        subject, *abouts = children
        return [Triple(subject, verb, value) for verb, values in abouts for value in values]

    def about(self, children: Children) -> tuple[Any, Children]:
        verb, *values = children
        return (spot_of(verb) if isinstance(verb, Token) else verb, values)

    def path(self, children: Children) -> tuple[PropertyStep, ...]:
        return tuple(children)

    def step(self, children: Children) -> PropertyStep:
        return PropertyStep(children[0], repeated=len(children) > 1)

    def name(self, children: Children) -> SourceSpan:
        return spot_of(children[0])

    def node(self, children: Children) -> GraphTerm:
        (child,) = children
        return (
            child
            if isinstance(child, GraphTerm)
            else GraphTerm(_KINDS.get(child.type, VertexKind.IRI), spot_of(child))
        )

    def text(self, children: Children) -> GraphTerm:
        return GraphTerm(VertexKind.LITERAL, spot_of(children[0]))

    number = truth = text

    def typed(self, children: Children) -> GraphTerm:
        return GraphTerm(VertexKind.LITERAL, spot_of(children[0]), datatype=children[1])

    def tagged(self, children: Children) -> GraphTerm:
        return GraphTerm(
            VertexKind.LITERAL, spot_of(children[0]), language=str(children[1])[1:].lower()
        )

    def any_of(self, children: Children) -> FilterSyntax:
        return AnyFilter(tuple(children), depth=depth_of(children) + 1)

    def all_of(self, children: Children) -> FilterSyntax:
        return AllFilters(tuple(children), depth=depth_of(children) + 1)

    def negated(self, children: Children) -> FilterSyntax:
        sign, operand = children
        return Negated(operand, depth=self._below(spot_of(sign), [operand]))

    def group(self, children: Children) -> FilterSyntax:
        opened, inner = children
        self._below(spot_of(opened), [inner])
        return inner  # type: ignore[no-any-return]

    def comparison(self, children: Children) -> FilterSyntax:
        left, relation, right = children
        return Compared(left, spot_of(relation), right)

    def matching(self, children: Children) -> FilterSyntax:
        variable, sign, pattern = children
        return RegexFilter(_variable(variable), spot_of(pattern), negated=sign == "!~")

    def regex(self, children: Children) -> FilterSyntax:
        _, _, variable, pattern, *flags = children
        return RegexFilter(
            _variable(variable), spot_of(pattern), spot_of(flags[0]) if flags else None
        )


def _all(kind: type[Each], children: Iterable[object]) -> tuple[Each, ...]:
    return tuple(each for each in children if isinstance(each, kind))


def _selected(children: Children) -> tuple[SourceSpan, ...]:
    return tuple(variable for each in _all(_Selection, children) for variable in each.variables)


def _variable(token: Token) -> GraphTerm:
    return GraphTerm(VertexKind.VARIABLE, spot_of(token))

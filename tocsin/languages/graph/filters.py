"""Filters of a text as filters of the plan: about the object of their statement, or between
variables of its group.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import assert_never

from tocsin.errors import Problem
from tocsin.languages.base.texts import ProblemCollector
from tocsin.languages.graph.names import GraphNameResolver, literal_of, text_of
from tocsin.languages.graph.syntax import (
    AllFilters,
    AnyFilter,
    Compared,
    FilterSyntax,
    GraphTerm,
    Negated,
    RegexFilter,
    Statement,
    VertexKind,
    leaves_of,
    spot_of,
    variables_in,
)
from tocsin.plan.nodes.graphs import (
    Comparison,
    Filter,
    FilterAll,
    FilterAny,
    FilterNot,
    Regex,
    Variable,
    VariableComparison,
    VariableRegex,
)
from tocsin.values.regex import Search
from tocsin.values.terms import Iri, Literal

_SPELLINGS = {"≤": "<=", "≥": ">=", "≠": "!="}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}


@dataclass(frozen=True, slots=True)
class Filters:
    """Filter of a statement's object, and the condition between variables that the statement
    carries.
    """

    own: Filter | None = None
    across: Filter | None = None


def filters_of(
    statement: Statement,
    is_literal: bool,
    known: Container[str],
    names: GraphNameResolver,
    problems: ProblemCollector,
) -> Filters:
    """Return the filters of a statement; empty if it has none or one has a problem.

    `is_literal` refers to the object, `known` are the variables that have an image in its group.
    """
    conjuncts = list(_conjuncts(statement.filter))
    own = [each for each in conjuncts if _is_about(each, statement.object)]
    across = [each for each in conjuncts if each not in own]
    if own and _own_is_allowed(statement, own, is_literal, problems):
        whole = statement.filter if not across else _all_of(own)
    else:
        whole = None
    for condition in across:
        _check_variables(condition, statement.object, known, problems)
    for condition in statement.across:
        _check_variables(condition, None, known, problems)
    walk = _FilterLowering(names, problems)
    found = None if whole is None else walk.lowered(whole)
    walk.across = True
    conditions = [walk.lowered(each) for each in (*across, *statement.across)]
    whole_across = [each for each in conditions if each is not None]
    if len(whole_across) < 2:
        return Filters(found, whole_across[0] if whole_across else None)
    return Filters(found, FilterAll(tuple(whole_across)))


def _conjuncts(condition: FilterSyntax | None) -> Iterator[FilterSyntax]:
    if isinstance(condition, AllFilters):
        for operand in condition.operands:
            yield from _conjuncts(operand)
    elif condition is not None:
        yield condition


def _all_of(conditions: list[FilterSyntax]) -> FilterSyntax:
    return conditions[0] if len(conditions) == 1 else AllFilters(tuple(conditions))


def _is_about(condition: FilterSyntax, vertex: GraphTerm) -> bool:
    """True if the condition has no variable but the vertex."""
    return {each.name for each in variables_in(condition)} <= {vertex.name}


def _own_is_allowed(
    statement: Statement, own: list[FilterSyntax], is_literal: bool, problems: ProblemCollector
) -> bool:
    if statement.object.kind is not VertexKind.VARIABLE:
        _refuse_constant(own[0], problems)
        return False
    for condition in () if is_literal else own:
        if not any(map(_names_iri, leaves_of(condition))):
            problems.add(
                "FILTER_NOT_ALLOWED",
                spot_of(condition),
                "a resource is compared with a resource, and the object's class is no datatype",
                "compare it with an IRI by = or !=, or give the object a datatype such as"
                " xsd:decimal, or rdfs:Literal",
            )
    return True


def _refuse_constant(condition: FilterSyntax, problems: ProblemCollector) -> None:
    problems.add(
        "FILTER_NOT_ALLOWED",
        spot_of(condition),
        "the object is a constant, so there is nothing to filter",
        "put a variable in its place",
    )


def _names_iri(leaf: Compared | RegexFilter) -> bool:
    return isinstance(leaf, Compared) and VertexKind.IRI in (leaf.left.kind, leaf.right.kind)


def _check_variables(
    condition: FilterSyntax,
    target: GraphTerm | None,
    known: Container[str],
    problems: ProblemCollector,
) -> None:
    unknown = [each for each in variables_in(condition) if each.name not in known]
    if unknown and target is not None and target.kind is not VertexKind.VARIABLE:
        _refuse_constant(condition, problems)
    else:
        for each in unknown:
            problems.add(
                "FILTER_VARIABLE",
                each.spot,
                f"no statement of this group, or around it, has {each.spot.text}",
                f"say in a statement how {each.spot.text} is reached",
            )


class _FilterLowering:
    """Conversion of one filter to the plan; with `across`, its conditions name their variables."""

    def __init__(self, names: GraphNameResolver, problems: ProblemCollector) -> None:
        self._names = names
        self._problems = problems
        self.across = False

    def lowered(self, condition: FilterSyntax) -> Filter | None:
        """Return the filter, or None if a part of it has a problem; all parts are checked."""
        match condition:
            case Compared():
                return self._compared(condition)
            case RegexFilter():
                return self._matched(condition)
            case Negated():
                operand = self.lowered(condition.operand)
                return None if operand is None else FilterNot(operand)
            case AllFilters():
                operands = self._operands(condition.operands)
                return None if operands is None else FilterAll(operands)
            case AnyFilter():
                operands = self._operands(condition.operands)
                return None if operands is None else FilterAny(operands)
            case _:
                assert_never(condition)

    def _operands(self, conditions: tuple[FilterSyntax, ...]) -> tuple[Filter, ...] | None:
        found = [self.lowered(each) for each in conditions]
        whole = tuple(each for each in found if each is not None)
        return whole if len(whole) == len(found) else None

    def _compared(self, condition: Compared) -> Filter | None:
        relation = _SPELLINGS.get(condition.relation.text, condition.relation.text)
        left, right = condition.left, condition.right
        variables = [node.name for node in (left, right) if node.kind is VertexKind.VARIABLE]
        if not variables or (len(variables) == 2 and variables[0] == variables[1]):
            self._problems.add(
                "FILTER_VARIABLE",
                condition.relation,
                "a comparison has a variable on one side, and on the other a value or another"
                " variable",
                "compare the object's variable with a literal",
            )
            return None
        if len(variables) == 2:
            return VariableComparison(Variable(left.name), relation, Variable(right.name))
        if left.kind is not VertexKind.VARIABLE:
            left, relation, right = right, _TURNED[relation], left
        value = self._value(right)
        if value is None:
            return None
        if self.across:
            return VariableComparison(Variable(left.name), relation, value)
        return Comparison(relation, value)

    def _value(self, node: GraphTerm) -> Literal | Iri | None:
        if node.kind is VertexKind.LITERAL:
            return literal_of(node, self._names, self._problems)
        iri = self._names.term(node.spot)
        return None if iri is None else Iri(iri)

    def _matched(self, condition: RegexFilter) -> Filter | None:
        pattern = text_of(condition.pattern, self._problems)
        flags = "" if condition.flags is None else text_of(condition.flags, self._problems)
        if pattern is None or flags is None:
            return None
        try:
            Search(pattern, flags)
        except Problem as problem:
            self._problems.add(problem.code, condition.pattern, problem.message, problem.hint)
            return None
        found: Filter = Regex(pattern, flags)
        if self.across:
            found = VariableRegex(Variable(condition.variable.name), pattern, flags)
        return FilterNot(found) if condition.negated else found

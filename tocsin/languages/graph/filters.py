"""Filters of a text as filters of the plan: about one variable, the object of their statement."""

from __future__ import annotations

from typing import assert_never

from tocsin.errors import Problem
from tocsin.languages.base.texts import Problems
from tocsin.languages.graph.literals import literal_of, text_of
from tocsin.languages.graph.names import Names
from tocsin.languages.graph.syntax import (
    AllOf,
    AnyOf,
    Compared,
    FilterSyntax,
    Kind,
    Matched,
    Negated,
    Node,
    Statement,
    spot_of,
    variables_in,
)
from tocsin.plan.graphs import Comparison, Filter, FilterAll, FilterAny, FilterNot, Regex
from tocsin.values.regex import Search
from tocsin.values.terms import Iri, Literal

_SPELLINGS = {"≤": "<=", "≥": ">=", "≠": "!="}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}


def filter_of(
    statement: Statement, is_literal: bool, names: Names, problems: Problems
) -> Filter | None:
    """The filter of a statement; None where it has none, or a problem. `is_literal` is told of the
    object.
    """
    condition = statement.filter
    if condition is None:
        return None
    if statement.object.kind is not Kind.VARIABLE:
        problems.add(
            "FILTER_NOT_ALLOWED",
            spot_of(condition),
            "the object is a constant, so there is nothing to filter",
            "put a variable in its place",
        )
        return None
    if not is_literal:
        problems.add(
            "FILTER_NOT_ALLOWED",
            spot_of(condition),
            "a filter is about literals, and the object's class is no datatype",
            "give the object a datatype such as xsd:decimal, or rdfs:Literal",
        )
    _check_variables(condition, statement.object, problems)
    return _Lowering(names, problems).lowered(condition)


def _check_variables(condition: FilterSyntax, variable: Node, problems: Problems) -> None:
    for each in variables_in(condition):
        if each != variable:
            problems.add(
                "FILTER_VARIABLE",
                each.spot,
                f"the filter is about {variable.spot.text}, not {each.spot.text}",
                f"name {variable.spot.text} only; say the rest in a statement that ends at"
                f" {each.spot.text}",
            )


class _Lowering:
    def __init__(self, names: Names, problems: Problems) -> None:
        self._names = names
        self._problems = problems

    def lowered(self, condition: FilterSyntax) -> Filter | None:
        """The filter, or None where a part of it has a problem; all of its parts are looked at."""
        match condition:
            case Compared():
                return self._compared(condition)
            case Matched():
                return self._matched(condition)
            case Negated():
                operand = self.lowered(condition.operand)
                return None if operand is None else FilterNot(operand)
            case AllOf():
                operands = self._operands(condition.operands)
                return None if operands is None else FilterAll(operands)
            case AnyOf():
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
        variables = [
            node for node in (condition.left, condition.right) if node.kind is Kind.VARIABLE
        ]
        if len(variables) != 1:
            self._problems.add(
                "FILTER_VARIABLE",
                condition.relation,
                "a comparison has a variable on one side and a value on the other",
                "compare the object's variable with a literal",
            )
            return None
        if condition.left.kind is Kind.VARIABLE:
            value = self._value(condition.right)
            return None if value is None else Comparison(relation, value)
        value = self._value(condition.left)
        return None if value is None else Comparison(_TURNED[relation], value)

    def _value(self, node: Node) -> Literal | Iri | None:
        if node.kind is Kind.LITERAL:
            return literal_of(node, self._names, self._problems)
        iri = self._names.term(node.spot)
        return None if iri is None else Iri(iri)

    def _matched(self, condition: Matched) -> Filter | None:
        pattern = text_of(condition.pattern, self._problems)
        flags = "" if condition.flags is None else text_of(condition.flags, self._problems)
        if pattern is None or flags is None:
            return None
        try:
            Search(pattern, flags)
        except Problem as problem:
            self._problems.add(problem.code, condition.pattern, problem.message, problem.hint)
            return None
        found = Regex(pattern, flags)
        return FilterNot(found) if condition.negated else found

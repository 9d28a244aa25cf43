"""The selector language: conditions on the attributes of one event, in four dialects.

`selector` is the native dialect, `jms` follows Jakarta Messaging 3.1, `amqp` is the SQL filter of AMQP Filter
Expressions 1.0, `cesql` is CloudEvents SQL 1.0. All give a plan of one condition; a text that is empty in `selector`
and `jms` matches every event.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType

from tocsin.errors import MeaningProblem, Place, Problem
from tocsin.languages.parsing import Parser
from tocsin.languages.selector.build import Builder
from tocsin.languages.selector.cesql import read_expression
from tocsin.languages.selector.limits import Limits
from tocsin.languages.selector.lower import lower
from tocsin.languages.selector.read import grammar, read
from tocsin.languages.selector.rules import AMQP, JMS, NATIVE, Rules
from tocsin.languages.selector.values import Setting
from tocsin.plan.atoms import BooleanNode, Computed, Condition
from tocsin.plan.composites import Plan
from tocsin.plan.expression import Semantics

__all__ = ["DIALECTS", "Limits", "parse", "problems"]

_NO_OPTIONS: Mapping[str, object] = MappingProxyType({})
_DEFAULT_LIMITS = Limits()
_START = Place(1, 1)


def parse(text: str, options: Mapping[str, object] = _NO_OPTIONS, limits: Limits = _DEFAULT_LIMITS) -> Plan:
    """The plan of a selector; raises its first problem. The option `dialect` is one of DIALECTS."""
    condition, found = DIALECTS[_dialect(options)](text, limits)
    if found:
        raise found[0]
    return Plan(Condition(condition))


def problems(text: str, options: Mapping[str, object] = _NO_OPTIONS, limits: Limits = _DEFAULT_LIMITS) -> list[Problem]:
    """Every problem of a selector in the order of its places; empty iff it parses."""
    try:
        _, found = DIALECTS[_dialect(options)](text, limits)
    except Problem as problem:
        return [problem]
    return sorted(found, key=_reading_order)


def _native(text: str, limits: Limits) -> tuple[BooleanNode, list[Problem]]:
    return _lowered(("values.lark", "native.lark"), text, limits, NATIVE)


def _jms(text: str, limits: Limits) -> tuple[BooleanNode, list[Problem]]:
    return _lowered(("values.lark", "jms.lark"), text, limits, JMS)


def _amqp(text: str, limits: Limits) -> tuple[BooleanNode, list[Problem]]:
    return _lowered(("amqp.lark",), text, limits, AMQP)


def _cesql(text: str, limits: Limits) -> tuple[BooleanNode, list[Problem]]:
    return Computed(read_expression(text, limits), Semantics.CESQL), []


DIALECTS: Mapping[str, Callable[[str, Limits], tuple[BooleanNode, list[Problem]]]] = {
    "selector": _native,
    "jms": _jms,
    "amqp": _amqp,
    "cesql": _cesql,
}


def _lowered(tokens: tuple[str, ...], text: str, limits: Limits, rules: Rules) -> tuple[BooleanNode, list[Problem]]:
    syntax = read(_parser(tokens, limits.nesting), text, limits, rules.wording)
    return lower(syntax, Setting(text, rules, limits))


@cache
def _parser(tokens: tuple[str, ...], nesting: int) -> Parser:
    return Parser(grammar("condition.lark", *tokens), Builder(nesting))


def _dialect(options: Mapping[str, object]) -> str:
    for name in options:
        if name != "dialect":
            raise _option_problem(
                f"the option {name!r} is not known", str(name), "the selector language takes: dialect"
            )
    dialect = options.get("dialect", "selector")
    if not isinstance(dialect, str) or dialect not in DIALECTS:
        raise _option_problem(
            f"the dialect {dialect!r} is not known", str(dialect), f"known dialects: {', '.join(DIALECTS)}"
        )
    return dialect


def _option_problem(message: str, token: str, hint: str) -> Problem:
    return MeaningProblem(message, code="OptionError", token=token, hint=hint)


def _reading_order(problem: Problem) -> tuple[int, int]:
    place = problem.place or _START
    return (place.line, place.column)

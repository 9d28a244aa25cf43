"""The selector language: conditions on the attributes of one event, in four dialects.

`selector` is the native dialect, `jms` follows Jakarta Messaging 3.1, `amqp` is the SQL filter of
AMQP Filter Expressions 1.0, `cesql` is CloudEvents SQL 1.0. All give a plan of one condition; a
text that is empty in `selector` and `jms` matches every event.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType

from tocsin.errors import MeaningProblem, Place, Problem
from tocsin.languages.base.parsing import Parser
from tocsin.languages.selector.cesql import read_expression
from tocsin.languages.selector.checks import warnings_of
from tocsin.languages.selector.limits import Limits
from tocsin.languages.selector.lower import lower
from tocsin.languages.selector.read import grammar, read
from tocsin.languages.selector.rules import AMQP, JMS, NATIVE, Rules
from tocsin.languages.selector.syntax import Syntax
from tocsin.languages.selector.transformer import Transformer
from tocsin.languages.selector.values import Setting
from tocsin.plan.atoms import BooleanNode, Computed, Condition
from tocsin.plan.composites import Plan
from tocsin.plan.expression import Semantics

__all__ = ["DIALECTS", "Limits", "parse", "problems", "warnings"]

_NO_OPTIONS: Mapping[str, object] = MappingProxyType({})
_DEFAULT_LIMITS = Limits()
_START = Place(1, 1)


def parse(
    text: str, options: Mapping[str, object] = _NO_OPTIONS, limits: Limits = _DEFAULT_LIMITS
) -> Plan:
    """The plan of a selector; raises its first problem. The option `dialect` is one of DIALECTS."""
    dialect = _dialect(options)
    condition, found = DIALECTS[dialect](dialect, text, limits)
    if found:
        raise found[0]
    return Plan(Condition(condition))


def problems(
    text: str, options: Mapping[str, object] = _NO_OPTIONS, limits: Limits = _DEFAULT_LIMITS
) -> list[Problem]:
    """Every problem of a selector in the order of its places; empty iff it parses."""
    try:
        dialect = _dialect(options)
        _, found = DIALECTS[dialect](dialect, text, limits)
    except Problem as problem:
        return [problem]
    return sorted(found, key=_reading_order)


def warnings(
    text: str, options: Mapping[str, object] = _NO_OPTIONS, limits: Limits = _DEFAULT_LIMITS
) -> list[Problem]:
    """What a selector without problems says that is probably not meant; nothing is known of a cesql
    text.
    """
    dialect = _dialect(options)
    if dialect not in _GRAMMARS or problems(text, options, limits):
        return []
    syntax, setting = _syntax(dialect, text, limits)
    return sorted(warnings_of(syntax, lower(syntax, setting), setting), key=_reading_order)


def _read(dialect: str, text: str, limits: Limits) -> tuple[BooleanNode, list[Problem]]:
    lowered = lower(*_syntax(dialect, text, limits))
    return lowered.condition, lowered.problems


def _read_cesql(_: str, text: str, limits: Limits) -> tuple[BooleanNode, list[Problem]]:
    return Computed(read_expression(text, limits), Semantics.CESQL), []


_GRAMMARS: Mapping[str, tuple[tuple[str, ...], Rules]] = {
    "selector": (("grammar.lark", "values.lark", "native.lark"), NATIVE),
    "jms": (("grammar.lark", "values.lark", "jms.lark"), JMS),
    "amqp": (("grammar.lark", "amqp.lark"), AMQP),
}
"""The dialects that share one syntax: their grammars and their rules."""

DIALECTS: Mapping[str, Callable[[str, str, Limits], tuple[BooleanNode, list[Problem]]]] = {
    **dict.fromkeys(_GRAMMARS, _read),
    "cesql": _read_cesql,
}


def _syntax(dialect: str, text: str, limits: Limits) -> tuple[Syntax | None, Setting]:
    files, rules = _GRAMMARS[dialect]
    return read(_parser(files, limits.nesting), text, limits, rules.wording), Setting(
        text, rules, limits
    )


@cache
def _parser(files: tuple[str, ...], nesting: int) -> Parser:
    return Parser(grammar(*files), Transformer(nesting))


def _dialect(options: Mapping[str, object]) -> str:
    for name in options:
        if name != "dialect":
            raise _option_problem(
                f"the option {name!r} is not known",
                str(name),
                "the selector language takes: dialect",
            )
    dialect = options.get("dialect", "selector")
    if not isinstance(dialect, str) or dialect not in DIALECTS:
        raise _option_problem(
            f"the dialect {dialect!r} is not known",
            str(dialect),
            f"known dialects: {', '.join(DIALECTS)}",
        )
    return dialect


def _option_problem(message: str, token: str, hint: str) -> Problem:
    return MeaningProblem(message, code="OptionError", token=token, hint=hint)


def _reading_order(problem: Problem) -> tuple[int, int]:
    place = problem.place or _START
    return (place.line, place.column)

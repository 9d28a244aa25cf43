"""The language `selector`: conditions on the attributes of one event, in four dialects.

Begin with `parse` in this file. `selector` is native, `jms` follows Jakarta Messaging 3.1, `amqp`
the SQL of AMQP Filter Expressions 1.0, `cesql` CloudEvents SQL 1.0: see `dialects.py` and
`cesql.py`. `transformer.py` gives the tree of `syntax.py`; `lower.py` one condition, with
`values.py`; `checks.py` warns. An empty text in `selector` and `jms` matches every event.

Imports: `errors`, `events`, `languages.base`, `plan`, `values`.
Test a change with: `tests/languages/selector`, `tests/scenarios`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial

from tocsin.languages.base.grammar import grammar_of
from tocsin.languages.base.parsing import Parser
from tocsin.languages.base.reading import (
    EMPTY_CONTEXT,
    NO_OPTIONS,
    Context,
    Options,
    Reading,
    capture_problems,
    option_problem,
    refuse_unknown,
    whole_text,
)
from tocsin.languages.base.texts import reading_order
from tocsin.languages.selector.cesql import read_expression
from tocsin.languages.selector.checks import warnings_of
from tocsin.languages.selector.dialects import AMQP, JMS, NATIVE, Dialect
from tocsin.languages.selector.lower import lower
from tocsin.languages.selector.problems import Limits
from tocsin.languages.selector.syntax import Syntax
from tocsin.languages.selector.transformer import SelectorTransformer, read
from tocsin.languages.selector.values import LoweringContext
from tocsin.plan.nodes.atoms import Computed, Condition
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.nodes.expressions import Semantics

__all__ = ["DIALECTS", "Limits", "parse"]

_DEFAULT_LIMITS = Limits()
_CESQL = "cesql"
_GRAMMARS: Mapping[str, tuple[tuple[str, ...], Dialect]] = {
    "selector": (("grammar", "values", "native"), NATIVE),
    "jms": (("grammar", "values", "jms"), JMS),
    "amqp": (("grammar", "amqp"), AMQP),
}
"""Dialects that share one syntax: their grammars and their rules."""

DIALECTS = (*_GRAMMARS, _CESQL)


@capture_problems
def parse(
    text: str,
    options: Options = NO_OPTIONS,
    context: Context = EMPTY_CONTEXT,
    limits: Limits = _DEFAULT_LIMITS,
) -> Reading:
    """Return the reading of a selector, with its problems in the order of their places.

    The context is ignored. The option `dialect` is one of DIALECTS.
    """
    del context
    dialect = _dialect(options)
    if dialect == _CESQL:
        expression = read_expression(text, limits)
        computed = Plan(Condition(Computed(expression, Semantics.CESQL)))
        return Reading(computed, syntax=expression, recorder=whole_text(computed, text))
    files, rules = _GRAMMARS[dialect]
    syntax: Syntax | None = read(_parser(files, limits.nesting), text, limits, rules.wording)
    setting = LoweringContext(text, rules, limits)
    lowered = lower(syntax, setting)
    if lowered.problems:
        return Reading(problems=tuple(sorted(lowered.problems, key=reading_order)), syntax=syntax)
    warn = partial(warnings_of, syntax, lowered, setting)
    plan = Plan(Condition(lowered.condition))
    return Reading(plan, syntax=syntax, warn=warn, recorder=whole_text(plan, text))


@cache
def _parser(files: tuple[str, ...], nesting: int) -> Parser:
    return Parser(grammar_of("selector", *files), SelectorTransformer(nesting))


def _dialect(options: Options) -> str:
    refuse_unknown(options, "the selector language", ("dialect",))
    dialect = options.get("dialect", "selector")
    if not isinstance(dialect, str) or dialect not in DIALECTS:
        raise option_problem(
            f"the dialect {dialect!r} is not known",
            dialect,
            f"known dialects: {', '.join(DIALECTS)}",
        )
    return dialect

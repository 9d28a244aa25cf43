"""OPSL: spatio-temporal composites with variables, over atoms of any language.

Windows in time, relations in space, absence, `&&` and `||` lower to the joins, absences and
restrictions of the plan. A variable stands for one and the same occurrence wherever it is used;
WHERE compares attributes of variables.
"""

from __future__ import annotations

from collections.abc import Mapping

from tocsin.errors import Place, Problem
from tocsin.languages.base.context import Context
from tocsin.languages.opsl.checks import warnings_of
from tocsin.languages.opsl.limits import Limits
from tocsin.languages.opsl.meaning import meaning_of
from tocsin.languages.opsl.written_windows import find_window
from tocsin.plan.composites import Plan
from tocsin.values.time import Duration, Instant

__all__ = ["Limits", "parse", "problems", "warnings", "window"]

_DEFAULT_LIMITS = Limits()


def parse(
    text: str, options: Mapping[str, object], context: Context, limits: Limits = _DEFAULT_LIMITS
) -> Plan:
    """The plan of a subscription; raises its first problem."""
    meaning = meaning_of(text, options, context, limits)
    if meaning.problems:
        raise meaning.problems[0]
    return Plan(meaning.part)


def problems(
    text: str, options: Mapping[str, object], context: Context, limits: Limits = _DEFAULT_LIMITS
) -> list[Problem]:
    """Every problem of a subscription in the order of its places; empty iff it parses."""
    try:
        return meaning_of(text, options, context, limits).problems
    except Problem as problem:
        return [problem]


def warnings(text: str, options: Mapping[str, object], context: Context) -> list[Problem]:
    """What a text that parses says that is probably not meant."""
    return warnings_of(text, options, context, _DEFAULT_LIMITS)


def window(text: str, start: Instant, length: Duration) -> tuple[Place, str] | None:
    """Where a text that parses has the window `(T; t)`, and how it is written."""
    return find_window(text, start, length, _DEFAULT_LIMITS)

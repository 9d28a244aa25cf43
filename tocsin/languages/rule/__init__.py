"""The language `rule`: English words for order, absence, counts, time, place and keys.

Begin with `parse` in this file. `grammar.lark` and `transformer.py` give the tree of `syntax.py`;
`compile.py` the plan and the warnings, with `lower.py`, `lower_aggregates.py` and `where.py`;
`static_checks.py` refuses. `building.py` writes rules in Python, `printer.py` as text. Atoms may be
of any language.

Imports: `errors`, `languages.base`, `plan`, `values`.
Test a change with: `tests/languages/rule`, `tests/scenarios`.
"""

from __future__ import annotations

from functools import partial

from tocsin.languages.base.reading import (
    EMPTY_CONTEXT,
    NO_OPTIONS,
    Context,
    Options,
    Reading,
    capture_problems,
)
from tocsin.languages.rule.compile import meaning_of, warnings_of
from tocsin.languages.rule.transformer import RuleLimits

__all__ = ["RuleLimits", "parse"]

_DEFAULT_LIMITS = RuleLimits()


@capture_problems
def parse(
    text: str,
    options: Options = NO_OPTIONS,
    context: Context = EMPTY_CONTEXT,
    limits: RuleLimits = _DEFAULT_LIMITS,
) -> Reading:
    """Return the reading of a rule, with its problems in the order of their places."""
    meaning = meaning_of(text, options, context, limits)
    if meaning.problems:
        return Reading(problems=tuple(meaning.problems), syntax=meaning.rule)
    warn = partial(warnings_of, meaning, text, context)
    return Reading(meaning.plan, (), meaning.rule, warn, meaning.sources)

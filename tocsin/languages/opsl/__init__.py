"""The language `opsl` (OPSL): composites in time and space, with variables.

Begin with `parse` in this file. `grammar.lark` and `transformer.py` give the tree of `syntax.py`,
`lower.py` the joins, absences and filters of the plan; `names.py`, `variables.py` and `where.py`
serve its parts, `checks.py` warns. Atoms may be of any language. A variable is the same occurrence
wherever it is used.

Imports: `errors`, `events`, `languages.base`, `plan`, `values`.
Test a change with: `tests/languages/opsl`, `tests/scenarios`.
"""

from __future__ import annotations

from functools import partial

from tocsin.errors import Place
from tocsin.languages.base.reading import (
    EMPTY_CONTEXT,
    NO_OPTIONS,
    Context,
    Options,
    Reading,
    capture_problems,
)
from tocsin.languages.opsl.checks import warnings_of
from tocsin.languages.opsl.lower import lower
from tocsin.languages.opsl.quantities import find_window
from tocsin.languages.opsl.read import OpslLimits, read, settings_of
from tocsin.plan.nodes.composites import Plan
from tocsin.values.time import Duration, Instant

__all__ = ["OpslLimits", "parse", "window"]

_DEFAULT_LIMITS = OpslLimits()


@capture_problems
def parse(
    text: str,
    options: Options = NO_OPTIONS,
    context: Context = EMPTY_CONTEXT,
    limits: OpslLimits = _DEFAULT_LIMITS,
) -> Reading:
    """Return the reading of a subscription, with its problems in the order of their places."""
    settings = settings_of(options)
    syntax = read(text, limits)
    meaning = lower(text, syntax, settings, context, limits)
    if meaning.problems:
        return Reading(problems=tuple(meaning.problems), syntax=syntax)
    warn = partial(warnings_of, text, syntax, settings.metric, context, limits)
    return Reading(Plan(meaning.part), syntax=syntax, warn=warn, recorder=meaning.sources)


def window(text: str, start: Instant, length: Duration) -> tuple[Place, str] | None:
    """Return the place and text of the window `(T; t)` in a text that parses.

    None if a definition has the window.
    """
    return find_window(text, read(text, _DEFAULT_LIMITS), start, length)

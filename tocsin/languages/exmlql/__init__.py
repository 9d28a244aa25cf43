"""The language `exmlql` (E-XML-QL): XML blocks, time operators, contexts, CONSTRUCT.

Begin with `parse` in this file. `grammar.lark` and `transformer.py` give the tree of `syntax.py`;
`lower.py` the plan, with `where.py` for patterns and conditions, `variables.py` for what they bind
and `time_clauses.py` for several blocks; `checks.py` warns.
Every document can be queried, also one lifted from JSON. A subscription forwards an event, triggers
others or builds documents.

Imports: `errors`, `events`, `languages.base`, `plan`, `values`.
Test a change with: `tests/languages/exmlql`, `tests/engine/xml`, `tests/scenarios`.
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
    refuse_unknown,
)
from tocsin.languages.base.texts import ProblemCollector
from tocsin.languages.exmlql.checks import warnings_of
from tocsin.languages.exmlql.lower import lower
from tocsin.languages.exmlql.read import read
from tocsin.languages.exmlql.term_transformer import ExmlqlLimits
from tocsin.plan.nodes.sources import SourceRecorder

__all__ = ["ExmlqlLimits", "parse"]

_DEFAULT_LIMITS = ExmlqlLimits()


@capture_problems
def parse(
    text: str,
    options: Options = NO_OPTIONS,
    context: Context = EMPTY_CONTEXT,
    limits: ExmlqlLimits = _DEFAULT_LIMITS,
) -> Reading:
    """Return the reading of a subscription, with its problems in the order of the checks."""
    refuse_unknown(options, "exmlql")
    found, syntax = ProblemCollector(text), read(text, limits)
    recorder, warn = SourceRecorder(), partial(warnings_of, text, syntax)
    plan = lower(syntax, context.definitions, found, recorder)
    return Reading(plan, tuple(found.found), syntax, warn, recorder)

"""E-XML-QL: blocks that describe XML documents, temporal operators between them, contexts, and
CONSTRUCT.

Every document of an event can be asked, also one lifted from JSON. A subscription forwards an
event, lets a combination of events trigger another, or builds new documents out of the values that
its variables are bound to.
"""

from __future__ import annotations

from collections.abc import Mapping

from tocsin.errors import MeaningProblem, Problem
from tocsin.languages.base.context import Context
from tocsin.languages.base.reading import Language
from tocsin.languages.base.texts import Problems
from tocsin.languages.exmlql.checks import warnings_of
from tocsin.languages.exmlql.limits import Limits
from tocsin.languages.exmlql.lower import lowered
from tocsin.languages.exmlql.read import read
from tocsin.languages.exmlql.xml_ql import xml_ql_queries
from tocsin.plan.composites import Plan

__all__ = ["LANGUAGE", "Limits", "parse", "problems", "xml_ql"]

_DEFAULT_LIMITS = Limits()


def parse(
    text: str, options: Mapping[str, object], context: Context, limits: Limits = _DEFAULT_LIMITS
) -> Plan:
    """The plan of a subscription; raises its first problem."""
    plan, found = _meaning(text, options, context, limits)
    if plan is None:
        raise found[0]
    return plan


def problems(
    text: str, options: Mapping[str, object], context: Context, limits: Limits = _DEFAULT_LIMITS
) -> list[Problem]:
    """Every problem of a subscription in the order of the checks; empty iff it parses."""
    try:
        return _meaning(text, options, context, limits)[1]
    except Problem as problem:
        return [problem]


def _meaning(
    text: str, options: Mapping[str, object], context: Context, limits: Limits
) -> tuple[Plan | None, list[Problem]]:
    for name in options:
        raise MeaningProblem(
            f"the option {name!r} is not known",
            code="OptionError",
            token=str(name),
            hint="exmlql takes no options",
        )
    found = Problems(text)
    return lowered(read(text, limits), context.definitions, found), found.found


def xml_ql(text: str, options: Mapping[str, object], context: Context) -> list[str]:
    """The XML-QL queries that build what a subscription constructs; none where it constructs
    nothing.
    """
    plan = parse(text, options, context)
    return xml_ql_queries(read(text, _DEFAULT_LIMITS), plan)


LANGUAGE = Language(parse, problems, warnings=lambda text, options, context: warnings_of(text))

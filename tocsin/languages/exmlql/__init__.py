"""E-XML-QL: blocks that describe XML documents, temporal operators between them, contexts, and
CONSTRUCT.

Every document of an event can be queried, also one lifted from JSON. A subscription forwards an
event, lets a combination of events trigger another, or builds new documents from the values of its
variables.
"""

from __future__ import annotations

from functools import partial

from tocsin.languages.base.context import NOTHING_AROUND, Context
from tocsin.languages.base.options import NO_OPTIONS, refuse_unknown
from tocsin.languages.base.reading import Options, Reading, with_refusals
from tocsin.languages.base.texts import Problems
from tocsin.languages.exmlql.checks import warnings_of
from tocsin.languages.exmlql.limits import Limits
from tocsin.languages.exmlql.lower import lower
from tocsin.languages.exmlql.read import read
from tocsin.languages.exmlql.syntax import Subscription
from tocsin.languages.exmlql.xml_ql import xml_ql_queries

__all__ = ["Limits", "parse", "xml_ql"]

_DEFAULT_LIMITS = Limits()


@with_refusals
def parse(
    text: str,
    options: Options = NO_OPTIONS,
    context: Context = NOTHING_AROUND,
    limits: Limits = _DEFAULT_LIMITS,
) -> Reading:
    """Return the reading of a subscription, with its problems in the order of the checks."""
    refuse_unknown(options, "exmlql")
    found, syntax = Problems(text), read(text, limits)
    plan = lower(syntax, context.definitions, found)
    return Reading(plan, tuple(found.found), syntax, partial(warnings_of, text, syntax))


def xml_ql(reading: Reading) -> list[str]:
    """Return the XML-QL queries that build a subscription's output; empty without CONSTRUCT."""
    assert isinstance(reading.syntax, Subscription)
    return xml_ql_queries(reading.syntax, reading.require_plan())

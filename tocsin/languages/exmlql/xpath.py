"""XPATH blocks are checked when they are read: known functions, declared prefixes, no variables,
and a real expression.

XPath 1.0 itself looks at names only when it comes to them, which may be in some document next year.
What an expression costs depends on the document, and is judged there: see `plan/xpath/work.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tocsin.errors import Problem
from tocsin.events.views.document import XPath
from tocsin.plan.xml.xpath.read import read_xpath


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with an expression, and what to do about it."""

    message: str
    hint: str


def check_xpath(expression: str, namespaces: Mapping[str, str]) -> Fault | None:
    """What is wrong with an expression; None where nothing is."""
    try:
        read_xpath(expression, namespaces)
        XPath(expression, namespaces)
    except Problem as problem:
        return Fault(problem.message, problem.hint or "write an XPath 1.0 expression")
    return None

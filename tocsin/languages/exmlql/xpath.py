"""Check of XPATH blocks when they are read: known functions, declared prefixes, no variables, valid
syntax.

XPath 1.0 itself resolves a name only when it evaluates it, which may be in some document next year.
The cost of an expression depends on the document, and is bounded there: see `plan/xpath/work.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tocsin.errors import Problem
from tocsin.events.views.document import XPath
from tocsin.plan.xml.xpath.read import read_xpath


@dataclass(frozen=True, slots=True)
class XPathFault:
    """Error in an expression, and a hint."""

    message: str
    hint: str


def check_xpath(expression: str, namespaces: Mapping[str, str]) -> XPathFault | None:
    """Return the error in an expression; None if it is valid."""
    try:
        read_xpath(expression, namespaces)
        XPath(expression, namespaces)
    except Problem as problem:
        return XPathFault(problem.message, problem.hint or "write an XPath 1.0 expression")
    return None

"""XPATH blocks are checked when they are read: known functions, declared prefixes, no variables, and a real expression.

XPath 1.0 itself looks at names only when it comes to them, which may be in some document next year. An expression whose
cost would grow with the cube of a document's size, or worse, is refused: nothing could stop it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tocsin.errors import SyntaxProblem
from tocsin.events.views.document import XPath

_NAME = r"[^\W\d][\w.-]*"
_TOKEN = re.compile(rf""""[^"]*"|'[^']*'|\$|(?:(?P<prefix>{_NAME}):(?!:))?(?:(?P<name>{_NAME})(?P<call>\s*\()?|\*)""")
_NODE_TESTS = frozenset(("text", "node", "comment", "processing-instruction"))
_FUNCTIONS = frozenset(
    "last position count id local-name namespace-uri name string concat starts-with contains substring-before "
    "substring-after substring string-length normalize-space translate boolean not true false lang number sum floor "
    "ceiling round".split()
)
_OPERATORS = frozenset(("and", "or", "div", "mod"))
_LITERAL = re.compile(r"""\"[^"]*"|'[^']*'""")
_WIDE = re.compile(r"\[|\]|//|descendant(?:-or-self)?\s*::|following\s*::|preceding\s*::")


def check_xpath(expression: str, namespaces: Mapping[str, str]) -> str:
    """What is wrong with an expression, in words; empty where nothing is."""
    for token in _TOKEN.finditer(expression):
        fault = _fault(token, namespaces)
        if fault:
            return fault
    if _wide_searches(expression) > 1:
        return "the expression searches the whole document again and again"
    try:
        XPath(expression, namespaces)
    except SyntaxProblem as problem:
        return problem.message
    return ""


def _fault(token: re.Match[str], namespaces: Mapping[str, str]) -> str:
    if token[0] == "$":
        return "an XPath expression here has no variables"
    prefix, name, call = token["prefix"], token["name"], token["call"]
    if prefix is not None and prefix not in namespaces:
        return f"the prefix {prefix} is not declared"
    known = not prefix and name in _FUNCTIONS | _NODE_TESTS | _OPERATORS
    return f"{name}() is no function of XPath 1.0" if call and not known else ""


def _wide_searches(expression: str) -> int:
    """How often the document is searched from every one of many elements; each time multiplies the cost by its size."""
    depth = found = 0
    for mark in _WIDE.finditer(_LITERAL.sub("", expression)):
        if mark[0] in "[]":
            depth += 1 if mark[0] == "[" else -1
        else:
            found += depth > 0 or mark[0][0] in "fp"
    return found

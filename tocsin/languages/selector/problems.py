"""Problems of a selector: limits of its text, wrong types and wrong escapes, each with its place.

A text beyond a limit is refused with SelectorLimitError.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tocsin.errors import Problem
from tocsin.languages.base.grammar import TextLimits, limit_problems
from tocsin.languages.base.texts import SourceSpan, problem_at

SYNTAX_CODE = "SelectorSyntaxError"


def type_problem(text: str, spot: SourceSpan, message: str, hint: str) -> Problem:
    """Return the problem of a value of a kind that its operator cannot use."""
    return problem_at(text, spot, "SelectorTypeError", message, hint)


def escape_problem(text: str, spot: SourceSpan, message: str, hint: str) -> Problem:
    """Return the problem of an invalid ESCAPE clause, or of its use in the pattern."""
    return problem_at(text, spot, "SelectorEscapeError", message, hint)


def form_problem(text: str, spot: SourceSpan, message: str, hint: str) -> Problem:
    """Return the problem of a text that the parser accepts and the language does not."""
    return problem_at(text, spot, SYNTAX_CODE, message, hint)


@dataclass(frozen=True, slots=True)
class Limits(TextLimits):
    """Bytes of text in UTF-8; levels of parentheses, NOT, signs and arithmetic; predicates; digits
    of one number.
    """

    deepest: ClassVar[int | None] = 200

    literals: int = 1024
    digits: int = 400


exceeded = limit_problems("SelectorLimitError")

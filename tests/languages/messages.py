"""Rows of messages: a text, the code and the place of its one problem or warning, and words of its
hint.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tocsin.errors import Problem
from tocsin.languages import problems_in_subscription, warnings_in_subscription
from tocsin.languages.base.reading import Context

NOTHING: Mapping[str, object] = MappingProxyType({})
Row = tuple[str, str, tuple[int, int], str]
"""The text, the code, line and column, and words of the hint or the message."""


def require_problem(
    language: str, row: Row, options: Mapping[str, object] = NOTHING, context: Context | None = None
) -> None:
    """The text has one problem, and it is that of the row."""
    found = problems_in_subscription(language, row[0], options, context)
    require_told(row, found)


def require_warning(
    language: str, row: Row, options: Mapping[str, object] = NOTHING, context: Context | None = None
) -> None:
    """The text has no problem and one warning, and it is that of the row."""
    assert problems_in_subscription(language, row[0], options, context) == []
    require_told(row, warnings_in_subscription(language, row[0], options, context))


def require_silence(
    language: str,
    text: str,
    options: Mapping[str, object] = NOTHING,
    context: Context | None = None,
) -> None:
    """The text has neither a problem nor a warning."""
    assert problems_in_subscription(language, text, options, context) == []
    assert warnings_in_subscription(language, text, options, context) == []


def require_told(row: Row, found: list[Problem]) -> None:
    """One was found, and it is that of the row, with something to do about it."""
    _, code, place, words = row
    assert [(each.code, each.place and (each.place.line, each.place.column)) for each in found] == [
        (code, place)
    ]
    assert words in f"{found[0].message}; {found[0].hint}"
    assert found[0].hint

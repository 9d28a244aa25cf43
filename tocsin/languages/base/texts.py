"""Texts of every language: tokens with their places, problems at them, and wording of parse errors.

A problem has its place, the token there and a hint. Every language reports a text that leaves the
grammar in one form: the token found, the tokens expected, and a suggestion.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from tocsin.errors import (
    MeaningProblem,
    Place,
    Problem,
    SyntaxProblem,
    UnsupportedProblem,
)
from tocsin.languages.base.parsing import END, Token, Unexpected

LONGEST_TOKEN = 40
"""Characters of a token that a problem repeats."""

_LOOK_BACK = 200
"""Characters before an error that a hint looks at."""

CURLY_QUOTES = frozenset("“”„‟‘’‚‛«»")
"""Quotes that word processors put in place of straight ones."""

_LONGEST_SHOWN = 30
START = Place(1, 1)
"""Place of a problem of the whole text."""


@dataclass(frozen=True, slots=True)
class SourceSpan:
    """A token of the text: its characters, and its offset, which does not count in comparisons."""

    offset: int = field(compare=False)
    text: str


def spot_of(token: Token) -> SourceSpan:
    """Return the offset and characters of a token of the parser."""
    return SourceSpan(token.start_pos or 0, str(token))


class TooDeep(Exception):
    """Raised where the nesting limit is passed, with the offset."""

    def __init__(self, offset: int) -> None:
        super().__init__(offset)
        self.offset = offset


def problem_at(text: str, spot: SourceSpan, code: str, message: str, hint: str) -> Problem:
    """Return a problem at a token of a text; the code decides its class."""
    place = Place.at(text, spot.offset)
    return _kind(code)(message, code=code, place=place, token=spot.text, hint=hint)


class ProblemCollector:
    """Problems of one text in the order of discovery, each once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[Problem] = []
        self._reported: set[tuple[str, int, str]] = set()

    def __bool__(self) -> bool:
        return bool(self.found)

    def add(self, code: str, spot: SourceSpan, message: str, hint: str) -> None:
        """Add a problem at a token of the text; the code decides its class."""
        if (code, spot.offset, message) not in self._reported:
            self._reported.add((code, spot.offset, message))
            cut = SourceSpan(spot.offset, spot.text[:LONGEST_TOKEN])
            self.found.append(problem_at(self.text, cut, code, message, hint))

    def at(self, spot: SourceSpan, problem: Problem, code: str = "") -> None:
        """Add a problem raised by a deeper layer, placed at the token."""
        self.found.append(
            type(problem)(
                problem.message,
                code=code or problem.code,
                place=self.place(spot),
                token=problem.token or spot.text[:LONGEST_TOKEN],
                hint=problem.hint,
            )
        )

    def place(self, spot: SourceSpan) -> Place:
        """Return the line and column of a token."""
        return Place.at(self.text, spot.offset)

    def in_reading_order(self) -> list[Problem]:
        """Return all problems, from the start of the text to its end."""
        return sorted(self.found, key=reading_order)


@dataclass(frozen=True, slots=True)
class SyntaxErrorContext:
    """A text that leaves the grammar: the text before the error, the rest, and the error."""

    before: str
    here: str
    found: Unexpected

    @property
    def just_before(self) -> str:
        """End of the text before the error: enough for a hint.

        A pattern anchored at the end tries every place of its text, so the text must be short.
        """
        return end_of(self.before)

    @property
    def last_word(self) -> str:
        """Word right before the error, or ""."""
        word = re.search(r"[\w-]*$", self.just_before)
        return word[0] if word else ""

    def could_be(self, *terminals: str) -> bool:
        """True if one of the terminals is expected here."""
        return not self.found.expected.isdisjoint(terminals)


def end_of(text: str) -> str:
    """Return the last characters of a text, at most the number that a hint may look at."""
    return text[-_LOOK_BACK:]


def split_at_error(text: str, found: Unexpected) -> tuple[str, str]:
    """Return the text before an error, without blanks at its end, and the rest."""
    return text[: found.offset].rstrip(), text[found.offset :]


def unexpected_problem(
    text: str, found: Unexpected, code: str, expected: str, hint: str, what: str = "text"
) -> SyntaxProblem:
    """Return the problem of a text that is not in the grammar; `expected` are words for what may
    follow.
    """
    there = (
        f"the {what} ends"
        if found.terminal == END
        else f"{show_token(found.token)} is not expected"
    )
    return SyntaxProblem(
        f"{there} here" + (f"; expected {expected}" if expected else ""),
        code=code,
        place=Place.at(text, found.offset),
        token=found.token[:LONGEST_TOKEN],
        hint=hint,
    )


@dataclass(frozen=True, slots=True)
class TerminalNames:
    """Words for the terminals of a grammar.

    `unsaid` terminals are left out; a whole group that is expected somewhere is named by one word.
    """

    words: Mapping[str, str]
    unsaid: frozenset[str] = frozenset(("BLANK",))
    groups: tuple[tuple[frozenset[str], str], ...] = ()
    end_last: bool = True

    def describe(self, terminals: frozenset[str]) -> str:
        """Return the expected terminals in words, as a choice."""
        rest = terminals - self.unsaid
        told: list[str] = []
        for group, word in self.groups:
            if group <= rest:
                rest -= group
                told.append(word)
        words = {self.words.get(each, each.lstrip("_")) for each in rest}
        return alternatives(told + sorted(words, key=self._order))

    def _order(self, word: str) -> tuple[bool, str]:
        return (self.end_last and word.startswith("the end"), word)


AnyErrorContext = TypeVar("AnyErrorContext", bound=SyntaxErrorContext)


def find_hint(error: AnyErrorContext, rules: Iterable[Callable[[AnyErrorContext], str]]) -> str:
    """Return the hint of the first rule that has one; "" if none has."""
    return next(filter(None, (rule(error) for rule in rules)), "")


def alternatives(words: Iterable[str]) -> str:
    """Return words as a choice: `a, b or c`."""
    given = list(words)
    return " or ".join(filter(None, (", ".join(given[:-1]), *given[-1:])))


def show_token(token: str) -> str:
    """Return a token as a message shows it: escaped if not printable, and cut to length."""
    visible = token if token.isprintable() else ascii(token)
    return visible if len(visible) <= _LONGEST_SHOWN else visible[: _LONGEST_SHOWN - 3] + "..."


def _kind(code: str) -> type[Problem]:
    if code == "UNSUPPORTED":
        return UnsupportedProblem
    return SyntaxProblem if code == "SYNTAX" or code.endswith("SyntaxError") else MeaningProblem


def reading_order(problem: Problem) -> tuple[int, int]:
    """Sort key of problems, from the start of the text to its end."""
    place = problem.place or START
    return (place.line, place.column)

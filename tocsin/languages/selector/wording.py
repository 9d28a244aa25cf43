"""What a dialect says about its own quotes, and a text of it that leaves the grammar."""

from __future__ import annotations

from dataclasses import dataclass

from tocsin.languages.base.texts import Slip

KEYWORDS = frozenset(
    (
        "AND",
        "OR",
        "XOR",
        "NOT",
        "LIKE",
        "ESCAPE",
        "BETWEEN",
        "IN",
        "IS",
        "NULL",
        "TRUE",
        "FALSE",
        "EXISTS",
    )
)


@dataclass(frozen=True, slots=True)
class Wording:
    """The words of a dialect; `name_quotes` is how any text becomes a name, if there is a way."""

    dialect: str
    double_quotes: bool
    quote_inside: str
    name_quotes: str = ""

    @property
    def backticks(self) -> bool:
        """Whether names may stand in backticks."""
        return "backticks" in self.name_quotes

    @property
    def functions(self) -> bool:
        """Whether the dialect has functions."""
        return self.dialect in ("amqp", "cesql")


_TWICE = "write a quote inside a text twice, as in 'it''s'"
_BACKSLASH = "write a backslash before a quote inside a text"

NATIVE_WORDING = Wording(
    "selector", double_quotes=True, quote_inside=_TWICE, name_quotes="backticks"
)
JMS_WORDING = Wording("jms", double_quotes=False, quote_inside=_TWICE)
AMQP_WORDING = Wording(
    "amqp", double_quotes=True, quote_inside=_TWICE, name_quotes="square brackets"
)
CESQL_WORDING = Wording("cesql", double_quotes=True, quote_inside=_BACKSLASH)


@dataclass(frozen=True, slots=True)
class SelectorSlip(Slip):
    """What stands around the error, and what the dialect says about it."""

    wording: Wording

    @property
    def keyword(self) -> str:
        """The reserved word that was found, or nothing."""
        word = self.found.terminal.lstrip("_")
        return word if word in KEYWORDS else ""

    @property
    def touching(self) -> bool:
        """Whether no blank stands before the error."""
        return len(self.before) == self.found.offset

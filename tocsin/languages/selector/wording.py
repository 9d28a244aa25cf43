"""Wording of a dialect: its quotes, and the context of its syntax errors."""

from __future__ import annotations

from dataclasses import dataclass

from tocsin.languages.base.texts import SyntaxErrorContext

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
    """Words of a dialect; `name_quotes` are the quotes that make any text a name, if it has any."""

    dialect: str
    double_quotes: bool
    quote_inside: str
    name_quotes: str = ""

    @property
    def backticks(self) -> bool:
        """True if names may be written in backticks."""
        return "backticks" in self.name_quotes

    @property
    def functions(self) -> bool:
        """True if the dialect has functions."""
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
class SelectorErrorContext(SyntaxErrorContext):
    """Text around the error, and the wording of the dialect."""

    wording: Wording

    @property
    def keyword(self) -> str:
        """Reserved word that was found, or ""."""
        word = self.found.terminal.lstrip("_")
        return word if word in KEYWORDS else ""

    @property
    def touching(self) -> bool:
        """True if there is no blank before the error."""
        return len(self.before) == self.found.offset

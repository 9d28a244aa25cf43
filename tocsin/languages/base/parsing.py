"""The only module that imports lark: a grammar becomes a parser, a parse error becomes
`Unexpected`.

A parser reads in one pass without recursion (LALR(1), contextual lexer), so that nesting costs
memory and never the stack. The builder's methods, named like the grammar's rules, are called with
the children of each rule as it ends.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lark import Lark, Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

__all__ = ["END", "Parser", "Token", "Unexpected"]

END = "$END"


class Unexpected(Exception):
    """Raised when a text leaves the grammar: the offset, the token there, and the expected
    terminals.
    """

    def __init__(self, offset: int, terminal: str, token: str, expected: Iterable[str]) -> None:
        super().__init__(offset, terminal, token)
        self.offset = offset
        self.terminal = terminal
        self.token = token
        self.expected = frozenset(expected)


class Parser:
    """Parser of one grammar with its builder, for any number of texts."""

    def __init__(self, grammar: str, builder: object) -> None:
        self._lark = Lark(
            grammar,
            parser="lalr",
            lexer="contextual",
            maybe_placeholders=False,
            transformer=builder,
        )

    def read(self, text: str) -> Any:
        """Return the builder's result; raise `Unexpected` if the text is not in the grammar."""
        try:
            return self._lark.parse(text)
        except UnexpectedInput as error:
            raise _unexpected(text, error) from None


def _unexpected(text: str, error: UnexpectedInput) -> Unexpected:
    if isinstance(error, UnexpectedToken) and error.token.type != END:
        return Unexpected(
            error.token.start_pos or 0, error.token.type, str(error.token), _acceptable(error)
        )
    if isinstance(error, UnexpectedCharacters):
        offset = error.pos_in_stream or 0
        return Unexpected(offset, "", text[offset], _acceptable(error))
    return Unexpected(len(text.rstrip()), END, "", _acceptable(error))


def _acceptable(error: UnexpectedInput) -> Iterable[str]:
    """Return the terminals that the parser accepts here.

    The state's own list also has terminals that only end a rule.
    """
    parser = error.interactive_parser
    return parser.accepts() if parser else ()  # type: ignore[no-untyped-call]

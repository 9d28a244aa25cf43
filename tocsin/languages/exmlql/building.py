"""Shared parts of the E-XML-QL transformers: texts without their quotes, and errors at a token."""

from __future__ import annotations

import re

from tocsin.languages.base.parsing import Token
from tocsin.languages.base.texts import SourceSpan, spot_of
from tocsin.languages.exmlql.problems import SYNTAX_CODE

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Misplaced(Exception):
    """Raised for a token that the grammar allows and the language does not, with a hint."""

    def __init__(self, spot: SourceSpan, message: str, hint: str, code: str = SYNTAX_CODE) -> None:
        super().__init__(spot, message, hint)
        self.spot = spot
        self.message = message
        self.hint = hint
        self.code = code


class TooMany(Exception):
    """Raised at the token that passes a limit, with a hint."""

    def __init__(self, spot: SourceSpan, message: str, hint: str) -> None:
        super().__init__(spot, message, hint)
        self.spot = spot
        self.message = message
        self.hint = hint


def unquote(token: Token) -> str:
    """Return the text of a token in double quotes; two of them stand for one inside."""
    return require_xml(str(token)[1:-1].replace('""', '"'), spot_of(token))


def require_xml(text: str, spot: SourceSpan) -> str:
    """Return the text; raise if XML cannot hold it."""
    found = _NOT_XML.search(text)
    if found:
        raise Misplaced(
            spot, f"no XML document can hold the character {found[0]!a}", "leave it out"
        )
    return text

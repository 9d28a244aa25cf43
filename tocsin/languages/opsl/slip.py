"""Context of a syntax error in OPSL: the parenthesis that is open there, and its operator."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tocsin.languages.base.texts import SyntaxErrorContext, end_of

_CALL = re.compile(r"(=\||\|=|\|\||&&|!|\||@|[A-Za-z]+)?\s*$")
_BRACKETS = {"(": 1, ")": -1}


@dataclass(frozen=True, slots=True)
class OpslErrorContext(SyntaxErrorContext):
    """Text around the error."""

    @property
    def opened(self) -> int:
        """Offset of the innermost parenthesis that is open here, or -1."""
        depth = 0
        for offset in range(len(self.before) - 1, -1, -1):
            depth += _BRACKETS.get(self.before[offset], 0)
            if depth > 0:
                return offset
        return -1

    @property
    def operator(self) -> str:
        """Operator of the parenthesis that is open here, or ""."""
        call = _CALL.search(end_of(self.before[: max(0, self.opened)]))
        return (call and call[1]) or ""

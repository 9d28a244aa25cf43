"""Base of the transformers: callbacks of a parser, one method per rule of its grammar, called as
the rule ends.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tocsin.languages.base.texts import SourceSpan, TooDeep

Children = list[Any]


class NestingTransformer:
    """Transformer with the nesting limit; it has no other state, so one serves every text."""

    def __init__(self, nesting: int) -> None:
        self._nesting = nesting

    def _below(self, spot: SourceSpan, operands: Iterable[Any]) -> int:
        """Return the depth of a node above operands; raise at the token if it is too deep."""
        depth = depth_of(operands) + 1
        self._watch(depth, spot)
        return depth

    def _watch(self, depth: int, spot: SourceSpan) -> None:
        if depth > self._nesting:
            raise TooDeep(spot.offset)


def depth_of(operands: Iterable[Any]) -> int:
    """Return the depth of the deepest operand; 0 without operands."""
    return max((operand.depth for operand in operands), default=0)

"""Rows served in pieces: what one row raises is told of that row, so that it stops no query, nor
stops it again.

Results of a piece are made whole before any of them is handed on: a piece that raises leaves
nothing behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

MOST_HELD = 200_000
"""So many matches are held at once; a piece with more of them is halved like one that raises."""

Serve = Callable[[Any], Sequence[Any]]


class TooMuchAtOnce(Exception):
    """A piece has more matches than are to be held at once."""


def serve_rows(rows: Any, serve: Serve, apart: Serve) -> Iterator[Any]:
    """What all rows come to, in order; a piece that raises is halved, and a single row that raises
    is served apart.
    """
    waiting = [rows]
    while waiting:
        some = waiting.pop()
        try:
            found = serve(some)
        except Exception:
            if some.num_rows > 1:
                middle = some.num_rows // 2
                waiting += (some.slice(middle), some.slice(0, middle))
                continue
            found = apart(some)
        yield from found


def refuse_too_much(matches: int, rows: int) -> None:
    """Raises where several rows have more matches than are to be held at once."""
    if matches > MOST_HELD and rows > 1:
        raise TooMuchAtOnce

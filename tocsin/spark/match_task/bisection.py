"""Fault isolation by bisection: an error of one row is reported for that row and never ends the
query.

The results of a piece are complete before any of them is yielded: a piece that raises has no
effect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

MAX_MATCHES_HELD = 200_000
"""The number of matches held at once; a piece with more is bisected like one that raises."""

Serve = Callable[[Any], Sequence[Any]]


class TooMuchAtOnce(Exception):
    """Raised for a piece with more matches than may be held at once."""


def serve_rows(rows: Any, serve: Serve, apart: Serve) -> Iterator[Any]:
    """Yield the results of all rows, in order; a piece that raises is bisected.

    A single row that raises is served by `apart`.
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
    """Raise if several rows have more matches than may be held at once."""
    if matches > MAX_MATCHES_HELD and rows > 1:
        raise TooMuchAtOnce

"""Rows served in pieces: what one row raises is told of that row, so that it stops no query, nor
stops it again.

Results of a piece are made whole before any of them is handed on: a piece that raises leaves
nothing behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tocsin.engine.engine import Engine
from tocsin.errors import Problem
from tocsin.events.dead_letter import INTERNAL_ERROR, DeadLetter, shown_error
from tocsin.hosts.guarded import GuardedEngine, Plans
from tocsin.hosts.spark.rows import Letter

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


def guarded(engine: Engine, plans: Plans) -> GuardedEngine:
    """The engine of a worker with its faults contained: whoever else serves a subscription goes on
    to serve it.
    """
    return GuardedEngine(engine, plans, suspends=False)


def letters_of(plain: Sequence[DeadLetter]) -> list[Letter]:
    """Dead letters of the other hosts as those of a worker."""
    return [
        Letter(
            each.code,
            each.reason,
            each.subscription,
            each.line,
            None,
            each.subscription,
            each.input,
        )
        for each in plain
    ]


def internal_problem(error: Exception) -> Problem:
    """A fault of ours as a problem, where only problems can be told."""
    return Problem(
        shown_error(error), code=INTERNAL_ERROR, hint="say it in another way; please report it"
    )

"""The demo without a terminal: a line now and then, and one for each change and each rare bell that
rang.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from tocsin_demo.board import Board, time_of_day
from tocsin_demo.screen import ON_PURPOSE, news_line

_LOOK_SECONDS = 0.25
_EVERY_SECONDS = 2.0
COLUMNS = 100


@contextmanager
def plain_screen(board: Board, put: Callable[[str], object]) -> Iterator[None]:
    """Puts out lines about the board until the block ends, and then the last ones."""
    put(ON_PURPOSE)
    teller, ended = PlainLines(board), Event()

    def tell() -> None:
        waited = 0.0
        while not ended.wait(_LOOK_SECONDS):
            waited += _LOOK_SECONDS
            due = waited >= _EVERY_SECONDS
            waited = 0.0 if due else waited
            for line in teller.lines() if due else teller.phases():
                put(line)

    thread = Thread(target=tell, name="tocsin-demo-lines", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        for line in teller.lines():
            put(line)


class PlainLines:
    """Tells of a board what it has not told before."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._told: object = None
        self._news = 0
        self._phases = 0
        self._rings: dict[str, int] = {}

    def phases(self) -> list[str]:
        """What has been begun since the last call, before the first micro-batch is there."""
        with self._board.lock:
            begun = self._board.phases[self._phases :]
            self._phases += len(begun)
            return [fitted(f"{phase} ...") for phase, _ in begun]

    def lines(self) -> list[str]:
        """The changes and what rare bells rang since the last call, then how things stand, where
        that has changed.
        """
        phases = self.phases()
        with self._board.lock:
            news = list(self._board.news)[self._news :]
            self._news += len(news)
            lines = [*map(news_line, news), *self._rare_bells()]
            if self._board.batch is not None and self._board.batch != self._told:
                lines.append(_state_line(self._board))
            self._told = self._board.batch
            return [*phases, *map(fitted, lines)]

    def _rare_bells(self) -> Iterator[str]:
        """They ring seldom beside the others, and would never be among the loudest."""
        for id_, row in self._board.rows.items():
            more = row.rings - self._rings.get(id_, 0)
            if row.is_rare and more:
                self._rings[id_] = row.rings
                yield f"* {id_} rang {more} x, last: {row.last}"


def fitted(line: str) -> str:
    """A line that is no wider than a usual window."""
    return line if len(line) <= COLUMNS else f"{line[: COLUMNS - 3]}..."


def _state_line(board: Board) -> str:
    return (
        f"{time_of_day(board.clock)}  micro-batch {board.batch}, catalog version {board.version}:"
        f" {board.events:,} events, {board.matches:,} matches, {board.late} late,"
        f" {board.dead_letters} dead letters"
    )

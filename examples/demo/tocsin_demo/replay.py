"""The day played to a stream: slices are released one after the other, and the catalog changes
between two of them.

A change of the catalog waits until everything released before it is done, so that every slice meets
the subscriptions of its hour, however fast or slow the machine is: the same seed always rings the
same bells.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Condition
from time import monotonic

from tocsin.catalog import Catalog
from tocsin.errors import StateProblem
from tocsin.events.dead_letter import LATE, DeadLetter, late
from tocsin.events.matches.match import Match
from tocsin.values.time import parse_duration
from tocsin_demo.board import Board, Rung, time_of_day
from tocsin_demo.combinations import TOLD, ring_in_words
from tocsin_demo.keeping import Keeper
from tocsin_demo.lateness import LateWatch
from tocsin_demo.slices import Slice, line_of
from tocsin_demo.story import LATENESS, MIDNIGHT
from tocsin_demo.subscriptions import Change
from tocsin_demo.wording import in_words, values_in_words

_AHEAD = 2
_LOOK_SECONDS = 0.2
_GRACE_SECONDS = 15.0
_HOUR = parse_duration("1h")


@dataclass(frozen=True, slots=True)
class Found:
    """What the stream made of one micro-batch: how many slices were read by its end, and what rang.

    A micro-batch reads one slice, or none: a stream that keeps state may run one without input.
    """

    batch: int
    slices_read: int
    matches: Sequence[Match]
    dead_letters: Sequence[DeadLetter]


class Replay:
    """Releases slices and hears what became of them; `play` and `receive` run in different
    threads.
    """

    def __init__(self, board: Board, catalog: Catalog, inbox: Path, keeper: Keeper) -> None:
        self._board = board
        self._catalog = catalog
        self._inbox = inbox
        self._keeper = keeper
        self._watch = LateWatch(LATENESS)
        self._released: list[tuple[Slice, int]] = []
        self._done = 0
        self._changed = Condition()
        self._began = 0.0

    def play(
        self,
        slices: Iterable[Slice],
        changes: Sequence[Change],
        failure: Callable[[], str | None],
        until: float,
    ) -> None:
        """Plays the slices, but releases none after the moment `until`; raises where the stream has
        failed.
        """
        pending = list(changes)
        self._began = monotonic()
        for each in slices:
            due = [change for change in pending if MIDNIGHT + change.hour * _HOUR <= each.start]
            self._wait(0 if due else _AHEAD - 1, failure, until)
            if monotonic() >= until:
                break
            for change in due:
                self._make(change)
            pending = pending[len(due) :]
            self._release(each)
        self._wait(0, failure, until + _GRACE_SECONDS)

    def receive(self, found: Found) -> None:
        """Takes what a micro-batch brought to the board and to the keeper."""
        fresh = [slice_ for slice_, _ in self._released[self._done : found.slices_read]]
        if not (fresh or found.matches or found.dead_letters):
            return
        latest, version = self._released[found.slices_read - 1]
        lines = [line for slice_ in fresh for line in slice_.path.read_text().splitlines()]
        # The stream tells late events only where a composite wants them; the watch knows them all.
        malformed = [letter for letter in found.dead_letters if letter.reason != LATE]
        late_ones = list(self._watch.late_ones(lines, {letter.input for letter in malformed}))
        in_order = sorted(found.matches, key=lambda match: match.order)
        newest = {match.subscription: match for match in in_order}
        rings = dict.fromkeys(newest, 0)
        for match in found.matches:
            rings[match.subscription] += 1
        last = self._in_words(newest, found.slices_read)
        self._keeper.keep(
            (match.line() for match in found.matches),
            (letter.text() for letter in (*malformed, *map(late, late_ones))),
        )
        built = next((match.outputs[0] for match in reversed(in_order) if match.outputs), "")
        rung = Rung(
            found.batch,
            latest.end,
            version,
            len(lines),
            rings,
            last,
            len(malformed),
            len(late_ones),
            built,
        )
        self._board.rang(rung, monotonic() - self._began)
        with self._changed:
            self._done = found.slices_read
            self._changed.notify_all()

    def _in_words(self, matches: Mapping[str, Match], slices_read: int) -> dict[str, str]:
        """The last event of each match in words; it may be of an earlier slice where a match has
        waited.
        """
        said = {id_: _words(match, "") for id_, match in matches.items() if not match.events}
        for slice_, _ in reversed(self._released[:slices_read]):
            missing = {id_: match for id_, match in matches.items() if id_ not in said}
            if not missing:
                break
            text = slice_.path.read_text()
            lines = {id_: line_of(match.events[-1], text) for id_, match in missing.items()}
            said |= {
                id_: _words(matches[id_], line) for id_, line in lines.items() if line is not None
            }
        return said

    def _release(self, slice_: Slice) -> None:
        """Moves the file, as a whole, to where the stream looks; it is on our list before the
        stream can see it.
        """
        released = slice_.inside(self._inbox)
        self._released.append((released, self._catalog.version()))
        slice_.path.rename(released.path)

    def _make(self, change: Change) -> None:
        clock = MIDNIGHT + change.hour * _HOUR
        for subscription in change.add:
            self._board.added(subscription, clock, self._catalog.add(subscription))
        for id_ in change.remove:
            self._board.removed(id_, clock, self._catalog.remove(id_))

    def _wait(self, most: int, failure: Callable[[], str | None], until: float) -> None:
        """Until at most so many slices are released but not done, or the time is over."""
        with self._changed:
            while len(self._released) - self._done > most and monotonic() < until:
                self._changed.wait(_LOOK_SECONDS)
                if (reason := failure()) is not None:
                    raise StateProblem(f"the Spark query failed: {reason}", code="SparkError")


def _words(match: Match, line: str) -> str:
    """What happened, for a combination; else the event and what the match tells of it, and when it
    rang later.
    """
    if match.subscription in TOLD:
        return ring_in_words(match, json.loads(line) if line else None)
    rang = None if match.detected is None else time_of_day(match.detected)
    said = in_words(line) + values_in_words(match.bindings)
    return said if rang is None or said.startswith(rang) else f"{said}; rang at {rang}"

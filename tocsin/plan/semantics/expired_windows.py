"""Windows of absolute time that are over: no later event can be in them (decision 0031).

Over means before the clock of the host, never before today: last year's events are replayed with
last year's clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tocsin.errors import MeaningProblem
from tocsin.plan.nodes.composites import Absence, DuringWindow, FixedWindow, Only, Part, parts_of
from tocsin.values.time import Duration, Instant, format_instant

WINDOW_IN_PAST = "WindowInPast"
HINT = (
    "give a window that ends later; to replay events of that time, subscribe before the first of"
    " them"
)


@dataclass(frozen=True, slots=True)
class AbsoluteWindow:
    """The half-open window (start, start + length] that a subscription fixes in time."""

    start: Instant
    length: Duration

    @property
    def end(self) -> Instant:
        """Last instant of the window."""
        return self.start + self.length


def absolute_windows(part: Part) -> Iterator[AbsoluteWindow]:
    """Yield the windows of absolute time in a part, of absences and of restrictions."""
    match part:
        case Absence(_, FixedWindow(start, length)) | Only(_, DuringWindow(start, length)):
            yield AbsoluteWindow(start, length)
        case _:
            pass
    for inner in parts_of(part):
        yield from absolute_windows(inner)


def find_expired_window(part: Part, now: Instant) -> AbsoluteWindow | None:
    """Return the first window of a part that has ended by `now`, or None.

    With such a window the part can no longer occur.
    """
    return next((each for each in absolute_windows(part) if each.end <= now), None)


def past_window_problem(window: AbsoluteWindow, now: Instant) -> MeaningProblem:
    """Return the problem of a subscription with such a window."""
    ended, time = format_instant(window.end), format_instant(now)
    message = f"the window is over: it ended at {ended}, and the time here is {time}"
    return MeaningProblem(message, code=WINDOW_IN_PAST, hint=HINT)

"""The baseline of the sequence patterns: a bare loop over tuples in memory, which asks every
pattern about every event.

It is what one writes by hand for a few patterns. It finds what the patterns mean under single use,
oldest first.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence

from tocsin_benchmarks.sequences.workload import Pattern, Reading

_Feed = Callable[[int, str, int, int], int]


def matches_of_loop(
    patterns: Iterable[Pattern], readings: Sequence[tuple[int, str, int, int]]
) -> int:
    """How many matches the patterns have in readings of (time, kind, key, value), time running on
    to the end.
    """
    feeds = [_absence(pattern) if pattern.absent else _sequence(pattern) for pattern in patterns]
    found = 0
    for at, kind, key, v in readings:
        for feed in feeds:
            found += feed(at, kind, key, v)
    return found + sum(feed(2**62, "", 0, 0) for feed in feeds)


def as_tuples(readings: Iterable[Reading]) -> list[tuple[int, str, int, int]]:
    """Readings as the loop takes them."""
    return [(each.at, each.kind, each.key, each.v) for each in readings]


def _sequence(pattern: Pattern) -> _Feed:
    x, y, window = pattern.x, pattern.y, pattern.window
    waiting: dict[int, deque[tuple[int, int]]] = defaultdict(deque)

    def feed(at: int, kind: str, key: int, v: int) -> int:
        if kind == x:
            waiting[key].append((at, v))
        elif kind == y:
            queue = waiting[key]
            while queue and queue[0][0] + window < at:
                queue.popleft()
            for entry in queue:
                if entry[0] < at and v > entry[1]:
                    queue.remove(entry)
                    return 1
        return 0

    return feed


def _absence(pattern: Pattern) -> _Feed:
    x, y, window = pattern.x, pattern.y, pattern.window
    waiting: dict[int, list[int]] = defaultdict(list)
    deadlines: deque[tuple[int, int]] = deque()

    def feed(at: int, kind: str, key: int, v: int) -> int:  # noqa: ARG001
        found = 0
        while deadlines and deadlines[0][0] + window < at:
            since, of = deadlines.popleft()
            if since in waiting[of]:
                waiting[of].remove(since)
                found += 1
        if kind == x:
            waiting[key].append(at)
            deadlines.append((at, key))
        elif kind == y and waiting[key]:
            waiting[key].clear()
        return found

    return feed

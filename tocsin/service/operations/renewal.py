"""Restart of a runner with empty state at its position.

Partial matches are dropped. The ids of seen events stay: a repeated event counts once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tocsin.engine.detection.base import State
from tocsin.errors import Problem
from tocsin.events.codecs.decode import decode_all
from tocsin.runtime.clock_skew import wall_clock
from tocsin.service.core.service import Service
from tocsin.service.runner.state_codec import pack_state, unpack_state
from tocsin.service.storage.log import EventLog
from tocsin.service.storage.progress import RunnerStep
from tocsin.values.time import Instant

Identity = tuple[str, str]

_AT_ONCE = 1_000


def begin_anew(
    service: Service, position: int, seen: Iterable[Identity], newest: Instant | None
) -> None:
    """Store an empty state after a position of the log, from which the local runner begins.

    `newest` is the newest time of an event, from which the watermark follows; None if time begins
    with the next event.
    """
    hub = service.make_hub(service.catalog)
    now, version = wall_clock(), service.catalog.version()
    hub.step(now, version)
    state: State = hub.snapshot() | {"seen": list(seen), "newest": newest}
    number = service.progress.last_step() + 1
    service.progress.begin_anew(RunnerStep(number, position, now, version), pack_state(state))


def kept_state(service: Service) -> State | None:
    """Return the newest undamaged snapshot of the local runner, or None."""
    try:
        snapshot = service.progress.newest_snapshot()
        return None if snapshot is None else unpack_state(snapshot.body) | {"at": snapshot.position}
    except (Problem, ValueError, KeyError, TypeError):
        return None


def seen_events(
    log: EventLog, state: State | None, until: int, remember: int
) -> Iterator[Identity]:
    """Yield the events that a snapshot counts as seen, and those of the log since then."""
    after = max(0, until - remember)
    if state is not None:
        yield from ((source, id) for source, id in state["seen"])
        after = max(after, state["at"])
    while rows := log.read_stored(after, _AT_ONCE, until):
        after = rows[-1].position
        for row in rows:
            if row.code is None:
                yield from _identities(row.body)


def _identities(body: bytes) -> list[Identity]:
    try:
        return [event.identity for event in decode_all(body)]
    except Problem:
        return []

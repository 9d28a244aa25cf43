"""`tocsin recover` and `tocsin reset-time`: repair of a service.

After a loss of data in its stores everything readable is kept. Positions continue above everything
that any store, reader or mark has seen, so that none is used again.

After a clock was ahead, time is set back. The watermark of a runner and the receive time of its log
never go back by themselves: after one event or one clock ten years ahead every event of a composite
would be late for ten years.

Where a runner restarts with empty state at its position, partial matches are dropped; the ids of
seen events stay, so that a repeated event counts once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tocsin.catalog.store import complete_catalog
from tocsin.engine.detection.base import State
from tocsin.errors import Problem, StateProblem
from tocsin.events.codecs.decode import decode_all
from tocsin.hub.step_hub import StepHub
from tocsin.runtime.admission import wall_clock
from tocsin.service.core.service import Service, lock_folder
from tocsin.service.delivery.part import delivery_of
from tocsin.service.epcis.part import part_of
from tocsin.service.operations.components import open_service
from tocsin.service.runner.local import pack_state, unpack_state
from tocsin.service.settings.settings import Settings
from tocsin.service.storage.faults import (
    FaultKind,
    StoreFault,
    find_faults,
    read_marks,
    require_sound,
)
from tocsin.service.storage.lock import runner_lock
from tocsin.service.storage.log import EventLog
from tocsin.service.storage.marks import mark_path
from tocsin.service.storage.positions import CHECKPOINT, FILES, read_positions
from tocsin.service.storage.progress import RunnerStep
from tocsin.service.storage.repair import (
    Floors,
    find_floors,
    raise_log,
    raise_sequences,
    salvage,
    set_log_back,
    set_state_back,
)
from tocsin.values.time import Instant, format_instant

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


_LOSSES = {
    "log": (
        "events that were accepted and are not in the log any more: those that were not matched"
        " yet never ring, unless they are published again"
    ),
    "state": (
        "matches, dead letters, API keys and pauses that are not in the state any more; events"
        " since its last step that is kept are matched again, with the same match ids"
    ),
    "catalog": (
        "subscriptions and definitions that are not in the catalog any more, and what waited in"
        " the composites of all subscriptions"
    ),
    "delivery": (
        "the progress of deliveries that is not kept any more: lines are made again from the"
        " catalog, after the newest match; new secrets count from the first again"
    ),
    "epcis": (
        "EPCIS capture jobs, named queries and their subscriptions that are not kept any more; the"
        " index is made again from the log"
    ),
}


def explain_losses(settings: Settings) -> list[str]:
    """Return a line for each fault of the stores and one for its cost; change nothing."""
    with sole_use(settings):
        return _explain(_find_all_faults(settings))


def recover_stores(settings: Settings) -> list[str]:
    """Repair the stores without the lost data; return what was done, nothing without a fault.

    The marks go last: an interrupted recovery can be repeated.
    """
    with sole_use(settings):
        faults = _find_all_faults(settings)
        if not faults:
            return []
        marks = {} if settings.database else read_marks(settings.data)
        done = [*_explain(faults), *_salvage_all(settings, faults)]
        service = open_service(settings, recovering=True)
        try:
            found = read_positions(settings.data, settings.database, list(FILES))
            done += _Recovery(service, faults, find_floors(found, marks)).run()
        finally:
            service.stop()
        for fault in faults:
            mark_path(settings.data / FILES[fault.store]).unlink(missing_ok=True)
    open_service(settings).stop()  # makes the marks; refuses a store that is still behind
    return done


@contextmanager
def sole_use(settings: Settings) -> Iterator[None]:
    """Hold the folder, or the lock of the runner in a database; raise StateProblem if a service
    runs.
    """
    number = lock_folder(settings)
    lock = runner_lock(settings.state_url, settings.data)
    try:
        if settings.database is not None and not lock.acquire():
            raise StateProblem(
                "a service matches on this database",
                code="DataFolderError",
                hint="stop all its gateways first",
            )
        yield
    finally:
        lock.release()
        if number is not None:
            os.close(number)


class _Recovery:
    """One recovery of an open service that is not started."""

    def __init__(self, service: Service, faults: Sequence[StoreFault], floors: Floors) -> None:
        self._service, self._floors = service, floors
        self._faults = {fault.store: fault for fault in faults}

    def run(self) -> Iterator[str]:
        """Raise all positions, then let the runner and the deliveries begin from what is kept.
        Yield a line for each step.
        """
        service, floors = self._service, self._floors
        reached = service.log.head
        if "catalog" in self._faults:
            version = service.catalog.skip_to(floors.version + 1)
            yield f"the catalog goes on at version {version}"
        raise_sequences(service.database, floors.matches, floors.dead_letters)
        part_of(service).repository.index.skip_to(floors.number)
        yield from self._renew_runner(reached)
        if "log" in self._faults:
            reason = f"events up to position {floors.events} were lost; {self._faults['log']}"
            yield f"the log goes on after {raise_log(service.log_database, floors.events, reason)}"
        if "delivery" in self._faults:
            yield f"{self._renew_lines()} subscriptions are delivered"

    def _renew_runner(self, head: int) -> Iterator[str]:
        """Reset the runner if its state is lost or does not fit the catalog any more."""
        if "catalog" not in self._faults and self._can_resume():
            return
        service, floors = self._service, self._floors
        position = head if floors.runner is None else floors.runner
        state = kept_state(service)
        seen = seen_events(service.log, state, position, service.settings.remember)
        newest = None if state is None else state["newest"]
        begin_anew(service, position, seen, newest)
        yield f"the runner goes on after position {position}, with nothing that waits"
        yield from set_checkpoint_aside(service.settings.data)

    def _can_resume(self) -> bool:
        """True if the runner can continue from its stored state."""
        if self._service.progress.last_step() == 0 and self._floors.runner:
            return False
        try:
            self._service.local_runner().load()
        except Exception:  # a damaged state may raise anything: it is not used
            return False
        return True

    def _renew_lines(self) -> int:
        """Rebuild the delivery of each subscription from the catalog; return their number."""
        return delivery_of(self._service).renew_lines()


def set_checkpoint_aside(folder: Path) -> Iterator[str]:
    """Rename the checkpoint of Spark, whose state does not fit any more, if there is one."""
    checkpoint = folder / CHECKPOINT
    if checkpoint.exists():
        number = 1 + sum(1 for _ in folder.glob(f"{CHECKPOINT}.before-*"))
        aside = checkpoint.rename(folder / f"{CHECKPOINT}.before-{number}")
        yield f"the checkpoint of Spark is in {aside} now"


def _find_all_faults(settings: Settings) -> list[StoreFault]:
    """Return the faults of the stores; without any, that of the runner's snapshots."""
    faults = find_faults(settings.data, settings.database)
    if faults:
        return faults
    service = open_service(settings, recovering=True)
    try:
        service.progress.load()
    except Problem as problem:
        return [StoreFault("state", FaultKind.BEHIND, problem.message)]
    finally:
        service.stop()
    return []


def _explain(faults: Sequence[StoreFault]) -> list[str]:
    return [line for fault in faults for line in (str(fault), f"  lost: {_LOSSES[fault.store]}")]


def _salvage_all(settings: Settings, faults: Sequence[StoreFault]) -> Iterator[str]:
    for fault in faults:
        if fault.kind is FaultKind.DAMAGED:
            aside, count = salvage(settings.data / FILES[fault.store])
            yield f"{count} rows of the {fault.store} could be read; the damaged file is {aside}"
            if fault.store == "catalog":
                complete_catalog(str(settings.data / FILES[fault.store]))


# `tocsin reset-time`.


def reset_time(settings: Settings, to: Instant | None = None) -> list[str]:
    """Set the time of a service back; return what was done and what is lost.

    The watermark becomes `to` less the lateness; without `to` time begins with the next event.
    Positions, matches and the ids of seen events stay; partial matches are dropped.
    """
    with sole_use(settings):
        require_sound(settings.data, settings.database)
        service = open_service(settings, recovering=True)
        try:
            return list(_reset(service, wall_clock(), to))
        finally:
            service.stop()


def _reset(service: Service, now: Instant, to: Instant | None) -> Iterator[str]:
    hub = service.local_runner().load()
    before = hub.watermark
    yield f"the watermark was {'not set' if before is None else format_instant(before)}"
    yield from _losses(hub)
    begin_anew(service, service.progress.position(), hub.snapshot()["seen"], to)
    yield from set_checkpoint_aside(service.settings.data)
    count = set_log_back(service.log_database, now)
    yield f"{count} events of the log were received later than now: they count as received now"
    set_state_back(service.database, now)
    delivery_of(service).set_clock_back(now)
    part_of(service).repository.set_clock_back(now)
    yield "time begins with the next event" if to is None else f"time is {format_instant(to)}"


def _losses(hub: StepHub) -> Iterator[str]:
    """Yield a line for each subscription whose partial matches are dropped."""
    for id in sorted(hub.plans()):
        count = len(hub.pending(id)) + len(hub.held_events(id))
        if count:
            yield f"  lost: {count} partial matches of subscription {id!r}"

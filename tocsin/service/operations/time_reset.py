"""`tocsin reset-time`: repair after a clock was ahead.

The watermark of a runner and the receive time of its log never go back by themselves: after one
event or one clock ten years ahead every event of a composite would be late for ten years.
"""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.hub.step_hub import StepHub
from tocsin.runtime.clock_skew import wall_clock
from tocsin.service.core.service import Service
from tocsin.service.delivery.part import delivery_of
from tocsin.service.epcis.part import part_of
from tocsin.service.operations.components import open_service
from tocsin.service.operations.recovery import set_checkpoint_aside, sole_use
from tocsin.service.operations.renewal import begin_anew
from tocsin.service.settings.settings import Settings
from tocsin.service.storage.clock import set_log_back, set_state_back
from tocsin.service.storage.faults import require_sound
from tocsin.values.time import Instant, format_instant


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

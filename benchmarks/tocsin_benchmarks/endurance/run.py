"""One long run with state that expires: what waits and what the process holds are looked at every
so many events.

Events are drawn one after the other, never held as a whole, and the engine is driven as a live host
drives it: match a batch, detect its events in order, tell the time, forget what is over.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from tocsin.engine.columns.batch import Batch
from tocsin.engine.engine import Engine
from tocsin.events.event import Event
from tocsin.runtime.finite_run import BATCH_SIZE
from tocsin.values.time import Instant, Interval
from tocsin_benchmarks.harness.process_memory import resident
from tocsin_benchmarks.harness.stopwatch import Stopwatch
from tocsin_benchmarks.sequences.workload import Reading, SequenceWorkload


@dataclass(frozen=True, slots=True)
class Sample:
    """After so many events: matches so far, occurrences that wait, bytes resident, processor
    seconds so far.
    """

    events: int
    matches: int
    pending: int
    resident: int
    seconds: float


def samples(
    workload: SequenceWorkload, every: int, batch_size: int = BATCH_SIZE
) -> Iterator[Sample]:
    """A sample after every so many events, and one at the end where something is left over."""
    engine = Engine()
    for key, plan in workload.plans().items():
        engine.add(key, plan)
    readings, events, matches = workload.readings(), 0, 0
    watch = Stopwatch()
    while piece := [
        _event(reading) for reading in islice(readings, min(batch_size, every - events % every))
    ]:
        matches += _served(engine, piece)
        events += len(piece)
        if events % every == 0 or events == workload.events:
            yield Sample(
                events,
                matches,
                sum(1 for _ in engine.network.pending()),
                resident(),
                watch.read()[0],
            )


def _served(engine: Engine, events: list[Event]) -> int:
    """How many matches a batch brings; afterwards time has come to the end of its last event."""
    batch = Batch(events)
    found = 0
    for each in engine.match(batch).composite_inputs:
        found += len(engine.detect(batch.event(each.index), each.atoms).matches)
    now = _end(events[-1])
    found += len(engine.advance_to(now).matches)
    engine.forget_before(now)
    return found


def _end(event: Event) -> Instant:
    assert event.interval is not None
    return event.interval.end


def _event(reading: Reading) -> Event:
    """The event as decoding would give it; decoding itself keeps nothing and is left out."""
    envelope = {"id": f"e{reading.number}", "source": "bench", "type": "reading"}
    data = {"kind": reading.kind, "key": reading.key, "v": reading.v}
    return Event(envelope, data, Interval(reading.at, reading.at))

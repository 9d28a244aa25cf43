"""One measurement of the sequence patterns, meant for a process of its own: ours from bytes to
matches, and the loop.

Run as a module: the trial comes as JSON on standard input, its figures go as JSON to standard
output.
"""

from __future__ import annotations

import gc
import json
import sys
import tracemalloc
from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import islice
from time import perf_counter
from typing import Any

import numpy as np

from tocsin.engine.columns.batch import Batch
from tocsin.engine.engine import Engine
from tocsin.events.codecs.base.cloudevents import decode
from tocsin.events.matches.match import Match
from tocsin.hub.hub import Hub
from tocsin.plan.nodes.composites import Plan
from tocsin.runtime.finite_run import match_events, read_events
from tocsin.runtime.gc_tuning import collect_rarely
from tocsin.values.time import Instant, format_instant
from tocsin_benchmarks.harness.stopwatch import Stopwatch
from tocsin_benchmarks.sequences.loop import as_tuples, matches_of_loop
from tocsin_benchmarks.sequences.workload import Density, SequenceWorkload

PIECE = 8192
"""Lines that come in at a time where the rate is measured."""

SMALL_PIECE = 256
"""Lines that come in at a time where the latency is measured."""

LIMIT_SECONDS = 20
"""After so much processor time the rate is known well enough."""

LATENCY_EVENTS = 50_000
STATE_EVENTS = 20_000
LOOP_PAIRS = 10_000_000
"""The bare loop sees so many pairs of pattern and event at most."""


def run(request: Mapping[str, Any]) -> dict[str, Any]:
    """All figures of one trial."""
    density = Density(request["density"])
    workload = SequenceWorkload(density, request["patterns"], request["events"], request["seed"])
    watch = Stopwatch()
    plans = workload.plans()
    compiled = watch.read()[0]
    lines = workload.lines()
    _warm_up(plans, lines)
    figures = {
        "trial": dict(request),
        "compile_seconds": compiled,
        "build_seconds": _build_seconds(plans),
    }
    figures |= {"distinct": len({plan.pattern for plan in plans.values()})}
    figures |= (
        _throughput(plans, lines)
        | _through_hub(workload, lines, tells=False)
        | _through_hub(workload, lines, tells=True)
        | _latency(plans, lines[:LATENCY_EVENTS])
        | _state(plans, lines[:STATE_EVENTS])
    )
    return figures | _loop(workload, plans)


def _warm_up(plans: Mapping[str, Plan], lines: Sequence[bytes]) -> None:
    """What is compiled or imported on first use belongs to no measurement."""
    match_events(dict(islice(plans.items(), 10)), read_events(lines[:PIECE]))


def _build_seconds(plans: Mapping[str, Plan]) -> float:
    watch = Stopwatch()
    _engine(plans)
    return watch.read()[0]


def _engine(plans: Mapping[str, Plan]) -> Engine:
    engine = Engine()
    for key, plan in plans.items():
        engine.add(key, plan)
    return engine


def _throughput(plans: Mapping[str, Plan], lines: Sequence[bytes]) -> dict[str, Any]:
    """Bytes in, matches out, piece by piece: decoding, matching, detection and rendering, all on
    one core.
    """
    engine = _engine(plans)
    settle_memory()
    watch, served, matches, decoding = Stopwatch(), 0, 0, 0.0
    while served < len(lines) and watch.read()[0] < LIMIT_SECONDS:
        reading = Stopwatch()
        events = read_events(lines[served : served + PIECE]).events
        decoding += reading.read()[0]
        matches += len(_served(engine, Batch(events)))
        served += len(events)
    seconds, clock = watch.read()
    timed = {"seconds": seconds, "clock_seconds": clock, "decoding_seconds": decoding}
    return timed | {"measured_events": served, "matches": matches}


def _through_hub(
    workload: SequenceWorkload, lines: Sequence[bytes], *, tells: bool
) -> dict[str, Any]:
    """The same by what a user calls: the patterns as texts, the lines published piece by piece; at
    the end the watermark passes the last of them. With `tells`, all that a match tells is asked of
    every one.
    """
    hub = Hub(ahead=None, lateness=timedelta(0))
    for pattern in workload.drawn_patterns():
        hub.subscribe(pattern.text, language="opsl")
    watch, served, matches = Stopwatch(), 0, 0
    while served < len(lines) and watch.read()[0] < LIMIT_SECONDS:
        matches += _told(hub.publish(*lines[served : served + PIECE]), tells)
        served += PIECE
    (last,) = read_events(lines[min(served, len(lines)) - 1 :][:1]).events
    matches += _told(hub.advance_to(format_instant(last.order[0] + 1)), tells)
    name = "told" if tells else "hub"
    return {
        f"{name}_seconds": watch.read()[0],
        f"{name}_events": min(served, len(lines)),
        f"{name}_matches": matches,
    }


def _told(found: Sequence[Match], tells: bool) -> int:
    """How many were found; where they are to be told, each is."""
    if tells:
        for match in found:
            match.as_json()
    return len(found)


def settle_memory() -> None:
    """What is there now is there to stay: libraries, subscriptions, lines. The collector looks
    rarely from here on, as it does in the hosts.
    """
    gc.collect()
    collect_rarely()


def _served(engine: Engine, batch: Batch) -> list[Match]:
    """As the hosts drive it."""
    matches: list[Match] = []
    relevant = engine.match(batch).composite_inputs
    events = batch.chosen(np.array([each.index for each in relevant], np.intp))
    wanted = [(event, each.atoms) for event, each in zip(events, relevant, strict=True)]
    for found, event, atoms in engine.detect_batch(wanted):
        matches += found.matches
        matches += engine.detect(event, atoms).matches
    now: Instant = wanted[-1][0].order[0] if wanted else 0
    matches += engine.advance_to(now - 1).matches
    engine.forget_before(now)
    return matches


def _latency(plans: Mapping[str, Plan], lines: Sequence[bytes]) -> dict[str, Any]:
    """From the last event that a match needs, or the event that shows its time is over, to the
    match in hand.
    """
    engine = _engine(plans)
    waits: list[float] = []
    for start in range(0, len(lines), SMALL_PIECE):
        begun = perf_counter()
        batch = Batch(read_events(lines[start : start + SMALL_PIECE]).events)
        for each in engine.match(batch).composite_inputs:
            found = engine.detect(batch.event(each.index), each.atoms).matches
            waits += [perf_counter() - begun] * len(found)
    if not waits:
        return {"latency_p50": None, "latency_p99": None}
    return {
        "latency_p50": float(np.percentile(waits, 50)),
        "latency_p99": float(np.percentile(waits, 99)),
    }


def _state(plans: Mapping[str, Plan], lines: Sequence[bytes]) -> dict[str, Any]:
    """What one waiting part costs in memory and in a snapshot, and how long one of all takes; the
    events themselves are shared and counted apart.
    """
    engine = _engine(plans)
    events = [decode(line) for line in lines]
    tracemalloc.start()
    for start in range(0, len(events), PIECE):
        _served(engine, Batch(events[start : start + PIECE]))
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    pending = sum(1 for _ in engine.network.pending())
    settle_memory()
    watch = Stopwatch()
    state = engine.snapshot()
    seconds = watch.read()[0]
    snapshot = len(json.dumps(state))
    each = (held / pending, snapshot / pending) if pending else (None, None)
    return {
        "pending": pending,
        "bytes_per_pending": each[0],
        "snapshot_bytes_per_pending": each[1],
        "snapshot_seconds": seconds,
    }


def _loop(workload: SequenceWorkload, plans: Mapping[str, Plan]) -> dict[str, Any]:
    """The bare loop over as many events as it has time for, and whether we find as many matches in
    them as it does.
    """
    count = min(workload.events, LOOP_PAIRS // workload.patterns)
    readings = list(islice(workload.readings(), count))
    tuples, patterns = as_tuples(readings), list(workload.drawn_patterns())
    watch = Stopwatch()
    found = matches_of_loop(patterns, tuples)
    seconds = watch.read()[0]
    ours = len(match_events(plans, read_events(reading.line() for reading in readings)))
    return {
        "loop_events": count,
        "loop_seconds": seconds,
        "loop_matches": found,
        "same_matches": found == ours,
    }


if __name__ == "__main__":
    json.dump(run(json.load(sys.stdin)), sys.stdout)

"""One class of the logistics scenario, meant for a process of its own: ours, from bytes or events,
and the fat client.

Run as a module: the trial comes as JSON on standard input, its figures go as JSON to standard
output.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from itertools import islice
from operator import itemgetter
from time import perf_counter
from typing import Any

import numpy as np

from tocsin.engine.columns.batch import Batch
from tocsin.engine.engine import Engine
from tocsin.events.codecs.base.cloudevents import decode
from tocsin.events.event import Event
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.semantics.extent import DEFAULT_HORIZON
from tocsin.runtime.finite_run import match_events, read_events
from tocsin_benchmarks.harness import process_memory
from tocsin_benchmarks.harness.stopwatch import Stopwatch
from tocsin_benchmarks.logistics.client import composites_of_client
from tocsin_benchmarks.logistics.workload import LogisticsWorkload, Scenario
from tocsin_benchmarks.sequences.trial import settle_memory

PIECE = 2_000
"""Events that come in at a time: one second of the paper's run."""

AFTERWARDS = 2 * DEFAULT_HORIZON
"""After so long nothing may wait: parts without a window of their own are kept for the horizon."""

REPEATS = 3


def run(request: Mapping[str, Any]) -> dict[str, Any]:
    """All figures of one class; rates are the best of some runs, as others may use the machine
    meanwhile.
    """
    workload = LogisticsWorkload(
        Scenario(request["scenario"]), request["vehicles"], request["events"]
    )
    watch = Stopwatch()
    plans = workload.plans()
    figures: dict[str, Any] = {
        "trial": dict(request),
        "compile_seconds": watch.read()[0],
        "composites": workload.composites,
    }
    positions = list(workload.positions())
    lines = [position.line() for position in positions]
    events = [decode(line) for line in lines]
    _warm_up(plans, lines)
    settle_memory()
    runs = [_played(plans, events) for _ in range(REPEATS)]
    figures |= min(runs, key=itemgetter("seconds"))
    # the later ones find the memory that the first one left
    figures |= {"peak_bytes": runs[0]["peak_bytes"]}
    figures |= {"found": len(match_events(plans, read_events(lines)))}
    figures |= {"json_seconds": min(_seconds_from_lines(plans, lines) for _ in range(REPEATS))}
    some = positions[: request["client_events"]]
    watch = Stopwatch()
    found = composites_of_client(workload, some)
    return figures | {
        "client_seconds": watch.read()[0],
        "client_events": len(some),
        "client_found": found,
    }


def _warm_up(plans: Mapping[str, Plan], lines: Sequence[bytes]) -> None:
    """What is compiled or imported on first use belongs to no measurement."""
    match_events(dict(islice(plans.items(), 10)), read_events(lines[:PIECE]))


def _engine(plans: Mapping[str, Plan]) -> Engine:
    """With the collector's look at all that was built, which would come with some event or other
    else.
    """
    engine = Engine()
    for key, plan in plans.items():
        engine.add(key, plan)
    settle_memory()
    return engine


def _played(plans: Mapping[str, Plan], events: Sequence[Event]) -> dict[str, Any]:
    """Decoded events in, matches out; latency is from the moment a piece came in to the match in
    hand.
    """
    process_memory.reset_peak()
    before = process_memory.resident()
    watch, waits = Stopwatch(), []
    engine = _engine(plans)
    built = watch.read()[0]
    watch = Stopwatch()
    for start in range(0, len(events), PIECE):
        begun = perf_counter()
        batch = Batch(events[start : start + PIECE])
        for each in engine.match(batch).composite_inputs:
            found = engine.detect(batch.event(each.index), each.atoms).matches
            waits += [perf_counter() - begun] * len(found)
    seconds, clock = watch.read()
    peak = process_memory.peak() - before
    engine.advance_to(None)
    engine.forget_before(events[-1].order[0] + AFTERWARDS)
    return {
        "build_seconds": built,
        "seconds": seconds,
        "clock_seconds": clock,
        "latency_p50": float(np.percentile(waits, 50)) if waits else None,
        "latency_p99": float(np.percentile(waits, 99)) if waits else None,
        "peak_bytes": peak,
        "left_waiting": sum(1 for _ in engine.network.pending()),
    }


def _seconds_from_lines(plans: Mapping[str, Plan], lines: Sequence[bytes]) -> float:
    """The same with decoding."""
    engine = _engine(plans)
    watch = Stopwatch()
    for start in range(0, len(lines), PIECE):
        batch = Batch(read_events(lines[start : start + PIECE]).events)
        for each in engine.match(batch).composite_inputs:
            engine.detect(batch.event(each.index), each.atoms)
    return watch.read()[0]


if __name__ == "__main__":
    json.dump(run(json.load(sys.stdin)), sys.stdout)

"""One measurement of rules, meant for a process of its own: ours from bytes to matches, and the
loop by hand.

Run as a module: the trial comes as JSON on standard input, its figures go as JSON to standard
output.
"""

from __future__ import annotations

import json
import sys
import tracemalloc
from collections.abc import Mapping, Sequence
from typing import Any

from tocsin.engine.columns.batch import Batch
from tocsin.engine.engine import Engine
from tocsin.plan.nodes.composites import Plan
from tocsin.runtime.finite_run import read_events
from tocsin_benchmarks.harness.stopwatch import Stopwatch
from tocsin_benchmarks.rules.loop import rings_of_loop
from tocsin_benchmarks.rules.workload import Question, RulesWorkload
from tocsin_benchmarks.sequences.trial import settle_memory

PIECE = 8192
"""Lines that come in at a time."""

LIMIT_SECONDS = 20
"""After so much processor time the rate is known well enough."""

STATE_EVENTS = 20_000


def run(request: Mapping[str, Any]) -> dict[str, Any]:
    """All figures of one trial."""
    workload = RulesWorkload(
        Question[request["question"]],
        request["rules"],
        request["keys"],
        request["events"],
        request["seed"],
    )
    plans, lines = workload.plans(), workload.lines(workload.reports())
    figures: dict[str, Any] = {"trial": dict(request)}
    figures |= _throughput(plans, lines)
    figures |= _loop(workload, lines[: figures["measured_events"]])
    return figures | _state(plans, lines[:STATE_EVENTS], workload)


def _throughput(plans: Mapping[str, Plan], lines: Sequence[bytes]) -> dict[str, Any]:
    """Bytes in, matches out, piece by piece, all on one core."""
    building = Stopwatch()
    engine = _engine(plans)
    _served(engine, lines[:1], last=False)
    built = building.read()[0]
    engine = _engine(plans)
    settle_memory()
    watch, served, matches = Stopwatch(), 0, 0
    while served < len(lines) and watch.read()[0] < LIMIT_SECONDS:
        piece = lines[served : served + PIECE]
        served += len(piece)
        matches += _served(engine, piece, last=served == len(lines))
    seconds, clock = watch.read()
    timed = {"seconds": seconds, "clock_seconds": clock, "build_seconds": built}
    return timed | {"measured_events": served, "matches": matches}


def _engine(plans: Mapping[str, Plan]) -> Engine:
    engine = Engine()
    for key, plan in plans.items():
        engine.add(key, plan)
    return engine


def _served(engine: Engine, lines: Sequence[bytes], last: bool) -> int:
    events, matches = read_events(lines).events, 0
    batch = Batch(events)
    now = max(event.interval.end for event in events if event.interval is not None)
    for each in engine.match(batch).composite_inputs:
        matches += len(engine.detect(batch.event(each.index), each.atoms).matches)
    if last:
        matches += len(engine.advance_to(now).matches)
    engine.forget_before(now)
    return matches


def _loop(workload: RulesWorkload, lines: Sequence[bytes]) -> dict[str, Any]:
    watch = Stopwatch()
    rings = rings_of_loop(workload, lines)
    return {"loop_seconds": watch.read()[0], "loop_matches": rings}


def _state(
    plans: Mapping[str, Plan], lines: Sequence[bytes], workload: RulesWorkload
) -> dict[str, Any]:
    """What is held after so many events, for each key that came, members included."""
    engine = _engine(plans)
    _served(engine, lines[:1], last=False)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    _served(engine, lines[1:], last=False)
    held = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    keys = len({each.key for each in workload.reports()[: len(lines)]})
    return {"bytes_per_key": held / keys}


if __name__ == "__main__":
    json.dump(run(json.load(sys.stdin)), sys.stdout)

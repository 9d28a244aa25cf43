"""One measurement of geofences, meant for a process of its own: the bare tree, and ours from events
and from JSON.

Run as a module: the trial comes as JSON on standard input, its figures go as JSON to standard
output. Of several runs the quickest counts, for the bare tree and for ours.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy.typing as npt

from tocsin.engine.columns.batch import Batch
from tocsin.engine.engine import Engine
from tocsin.engine.results import AtomicMatches
from tocsin.events.codecs.base.cloudevents import decode
from tocsin.events.event import Event
from tocsin.events.matches.match import Match, matches_of_events
from tocsin.plan.nodes.composites import Plan
from tocsin.runtime.finite_run import read_events
from tocsin_benchmarks.geofences.bare import BareTree
from tocsin_benchmarks.geofences.workload import GeofenceWorkload
from tocsin_benchmarks.harness.stopwatch import Stopwatch
from tocsin_benchmarks.sequences.trial import settle_memory

PIECE = 8192
"""Events that come in at a time."""

SINGLES = 2_000
"""Events that come one by one."""

RUNS = 3


def run(request: Mapping[str, Any]) -> dict[str, Any]:
    """All figures of one trial."""
    workload = GeofenceWorkload(request["regions"], request["positions"], request["seed"])
    lines = workload.lines()
    watch = Stopwatch()
    engine = _engine(workload.plans())
    # what is compiled or imported on first use belongs to no measurement; after many events a lone
    # one is matched by compiled code
    _to_matches(engine, lines[:PIECE])
    engine.match(Batch([decode(lines[0])]))
    figures = {"trial": dict(request), "build_seconds": watch.read()[0]}
    bare = BareTree(workload.rings(), workload.points())
    settle_memory()
    figures["bare_seconds"] = min(_seconds(bare.pairs) for _ in range(RUNS))
    figures["seconds"] = min(
        _seconds(_to_rings, engine, [decode(line) for line in lines]) for _ in range(RUNS)
    )
    figures["json_seconds"] = min(_seconds(_to_matches, engine, lines) for _ in range(RUNS))
    few = [decode(line) for line in lines[:SINGLES]]
    figures |= {"singles": len(few), "single_seconds": _seconds(_one_by_one, engine, few)}
    return figures | _compared(engine, lines, bare)


def _engine(plans: Mapping[str, Plan]) -> Engine:
    engine = Engine()
    for key, plan in plans.items():
        engine.add(key, plan)
    return engine


def _seconds(work: Callable[..., object], *given: object) -> float:
    watch = Stopwatch()
    work(*given)
    return watch.read()[0]


def _pieces(size: int) -> Iterable[slice]:
    return (slice(first, first + PIECE) for first in range(0, size, PIECE))


def _to_rings(
    engine: Engine, events: Sequence[Event]
) -> list[tuple[npt.NDArray[Any], AtomicMatches]]:
    """Events to pairs of event and subscription, by piece: the numbers of events over all."""
    found = []
    for piece in _pieces(len(events)):
        rings = engine.match(Batch(events[piece])).atomic_matches
        found.append((rings.events + piece.start, rings))
    return found


def _one_by_one(engine: Engine, events: Sequence[Event]) -> int:
    return sum(len(engine.match(Batch([event])).atomic_matches) for event in events)


def _to_matches(engine: Engine, lines: Sequence[bytes]) -> int:
    """Text to matches, as the local host makes them."""
    count = 0
    for piece in _pieces(len(lines)):
        batch = Batch(read_events(lines[piece]).events)
        rings = engine.match(batch).atomic_matches
        matches: list[Match] = matches_of_events(rings.keys, batch.chosen(rings.events))
        count += len(matches)
    return count


def _compared(engine: Engine, lines: Sequence[bytes], bare: BareTree) -> dict[str, Any]:
    """Whether ours are the pairs of the bare tree, one for one."""
    mine = {
        (at, int(key.split()[1]))
        for numbers, rings in _to_rings(engine, [decode(line) for line in lines])
        for at, key in zip(numbers.tolist(), rings.keys, strict=True)
    }
    theirs = set(map(tuple, bare.pairs().T.tolist()))
    return {"hits": len(mine), "same_hits": mine == theirs}


if __name__ == "__main__":
    json.dump(run(json.load(sys.stdin)), sys.stdout)

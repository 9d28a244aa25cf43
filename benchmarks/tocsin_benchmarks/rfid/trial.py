"""One measurement of concept subscriptions, meant for a process of its own, beside the plain
tableau per subscription.

Run as a module: the trial comes as JSON on standard input, its figures go as JSON to standard
output.
"""

from __future__ import annotations

import json
import sys
import tracemalloc
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from time import process_time
from typing import Any

import numpy as np

from tocsin.engine.columns.batch import Batch
from tocsin.engine.engine import Engine
from tocsin.events.codecs.base.cloudevents import decode
from tocsin.events.event import Event
from tocsin.knowledge.concepts.concept import (
    Datatype,
    Enumeration,
    Exists,
    ForAll,
    Symbol,
    concepts_in,
)
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Plan, atoms_of
from tocsin.plan.nodes.concepts import ConceptTest
from tocsin.plan.passes.settings import with_settings
from tocsin.plan.semantics.extent import DEFAULT_HORIZON
from tocsin.reference.concepts import holds
from tocsin.runtime.watermark import ReorderBuffer, Watermark
from tocsin_benchmarks.harness.stopwatch import Stopwatch
from tocsin_benchmarks.rfid.workload import RfidWorkload
from tocsin_benchmarks.sequences.trial import settle_memory

PIECE = 256
"""Lines that come in at a time."""

LIMIT_SECONDS = 20
"""After so much processor time the rate is known well enough."""

SINGLES = 500
"""Events that are timed one by one."""

SAMPLE = 200
"""Subscriptions that the plain tableau is asked about, and compared with."""

TABLEAU_SECONDS = 5
LATE_SHARE, LATE_SECONDS = 0.05, 60
_SECOND = 1_000_000


def run(request: Mapping[str, Any]) -> dict[str, Any]:
    """All figures of one trial."""
    workload = RfidWorkload(request["subscriptions"], request["events"], request["seed"])
    texts = list(
        workload.atomic_texts() if request["series"] == "atomic" else workload.composite_texts()
    )
    _ = workload.context
    watch = Stopwatch()
    plans = {f"s{number}": _plan(workload, text) for number, text in enumerate(texts)}
    figures = {"trial": dict(request), "prepare_seconds": watch.read()[0]}
    figures |= _space(plans)
    lines = workload.lines()
    if request["series"] == "atomic":
        return figures | _atomic(plans, lines) | _tableau(plans, lines, request["seed"])
    late = request["series"] == "late"
    return figures | _composite(
        plans, _arriving(lines, late, request["seed"]), LATE_SECONDS * _SECOND if late else 0
    )


def _plan(workload: RfidWorkload, text: str) -> Plan:
    return with_settings(workload.plan(text), None, DEFAULT_HORIZON)


def _engine(plans: Mapping[str, Plan]) -> Engine:
    engine = Engine()
    for key, plan in plans.items():
        engine.add(key, plan)
    return engine


def _space(plans: Mapping[str, Plan]) -> dict[str, Any]:
    """Bytes of the engine, and the paper's unit: concepts and attributes in the prepared
    subscriptions.
    """
    atoms = [
        atom
        for plan in plans.values()
        for atom in atoms_of(plan.pattern)
        if isinstance(atom, ConceptTest)
    ]
    counted = (Symbol, Enumeration, Datatype, Exists, ForAll)
    units = sum(isinstance(each, counted) for atom in atoms for each in concepts_in(atom.concept))
    tracemalloc.start()
    watch = Stopwatch()
    engine = _engine(plans)
    built = watch.read()[0]
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    del engine
    return {"units": units, "bytes": held, "build_seconds_traced": built}


def _atomic(plans: Mapping[str, Plan], lines: Sequence[bytes]) -> dict[str, Any]:
    watch = Stopwatch()
    engine = _engine(plans)
    built = watch.read()[0]
    engine.match(Batch([decode(line) for line in lines[:PIECE]]))
    settle_memory()
    watch, served, hits = Stopwatch(), 0, 0
    while served < len(lines) and watch.read()[0] < LIMIT_SECONDS:
        piece = lines[served : served + PIECE]
        hits += len(engine.match(Batch([decode(line) for line in piece])).atomic_matches)
        served += len(piece)
    seconds = watch.read()[0]
    times = [_timed(engine, decode(line)) for line in lines[:SINGLES]]
    singles = {"single_mean": float(np.mean(times)), "single_p99": float(np.percentile(times, 99))}
    return {
        "build_seconds": built,
        "served": served,
        "seconds": seconds,
        "matches": hits,
        **singles,
    }


def _timed(engine: Engine, event: Event) -> float:
    begun = process_time()
    engine.match(Batch([event]))
    return process_time() - begun


def _tableau(plans: Mapping[str, Plan], lines: Sequence[bytes], seed: int) -> dict[str, Any]:
    """The plain tableau on a sample of the subscriptions, until its time is up; and whether we
    agree with it.
    """
    keys = Random(seed).sample(sorted(plans), min(SAMPLE, len(plans)))
    tests = {key: plans[key].pattern for key in keys}
    engine = _engine({key: plans[key] for key in keys})
    events = [decode(line) for line in lines]
    watch, pairs, agreed = Stopwatch(), 0, True
    for event in events:
        found = {
            key
            for key, test in tests.items()
            if isinstance(test, ConceptTest) and holds(test, event)
        }
        agreed &= found == set(engine.match(Batch([event])).atomic_matches.keys)
        pairs += len(tests)
        if watch.read()[0] > TABLEAU_SECONDS:
            break
    return {"tableau_pairs": pairs, "tableau_seconds": watch.read()[0], "tableau_agrees": agreed}


def _arriving(lines: Sequence[bytes], late: bool, seed: int) -> list[Event]:
    """Events in the order of their ends, or with a share of them up to a minute late."""
    random = Random(seed + 3)
    events = [decode(line) for line in lines]
    delay = {
        event.id: random.randrange(LATE_SECONDS * _SECOND)
        if late and random.random() < LATE_SHARE
        else 0
        for event in events
    }
    return sorted(events, key=lambda event: (event.order[0] + delay[event.id], event.order))


def _composite(plans: Mapping[str, Plan], events: Sequence[Event], lateness: int) -> dict[str, Any]:
    watch = Stopwatch()
    engine = _engine(plans)
    built = watch.read()[0]
    engine.match(Batch(events[:1]))  # what is loaded for the first event is none of its time
    settle_memory()
    watermark, buffer = Watermark(lateness), ReorderBuffer[tuple[Atom, ...]]()
    watch, times, found, served = Stopwatch(), list[float](), 0, 0
    for start in range(0, len(events), PIECE):
        begun = process_time()
        piece = events[start : start + PIECE]
        found += sum(1 for _ in _detected(engine, piece, watermark, buffer))
        times.append((process_time() - begun) / len(piece))
        served += len(piece)
        if watch.read()[0] > LIMIT_SECONDS:
            break
    seconds, pending = watch.read()[0], sum(1 for _ in engine.network.pending())
    return {
        "build_seconds": built,
        "served": served,
        "seconds": seconds,
        "matches": found,
        "pending": pending,
        "match_units": pending * _said_of_an_event(events),
        "single_mean": float(np.mean(times)),
        "single_p99": float(np.percentile(times, 99)),
    }


def _said_of_an_event(events: Sequence[Event]) -> int:
    """The paper's unit of an event that waits: its types and the values of its attributes, on the
    average.
    """
    said = [1 + len(event.attributes) for event in events]
    return round(sum(said) / len(said))


def _detected(
    engine: Engine,
    piece: Sequence[Event],
    watermark: Watermark,
    buffer: ReorderBuffer[tuple[Atom, ...]],
) -> Iterator[object]:
    """Matches a piece, puts it in order as far as the watermark allows, and detects composites in
    that order.
    """
    batch = Batch(piece)
    for event in piece:
        watermark.is_late(event)
    for each in engine.match(batch).composite_inputs:
        buffer.add(batch.event(each.index), each.atoms)
    mark = watermark.instant
    for event, atoms in buffer.release(mark):
        yield from engine.detect(event, atoms).matches
    if mark is not None:
        engine.forget_before(mark)


if __name__ == "__main__":
    json.dump(run(json.load(sys.stdin)), sys.stdout)

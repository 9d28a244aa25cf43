"""One trial: one matcher and one workload, meant for a process of its own, where no other matcher
left its traces.

Selectors are drawn and added in portions and never kept, so that what memory grows by is what the
matcher keeps. Where the matcher refuses the workload, the reason is the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from itertools import islice
from typing import Any

from tocsin.errors import Problem
from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import BooleanNode
from tocsin.runtime.finite_run import read_events
from tocsin_benchmarks.harness import process_memory
from tocsin_benchmarks.harness.stopwatch import (
    Rate,
    Stopwatch,
    rate_of_batches,
    rate_of_pieces,
    rate_of_singles,
)
from tocsin_benchmarks.selectors.baselines import Contender, Found
from tocsin_benchmarks.selectors.baselines.columns import ColumnMatcher
from tocsin_benchmarks.selectors.contenders import CONTENDERS, Name
from tocsin_benchmarks.selectors.workloads import PaperWorkload, ScaleWorkload, Shape, Workload
from tocsin_benchmarks.selectors.workloads.population import json_lines

PORTION = 5_000
COLUMN_BATCH = 10_000
WARM_UP_SELECTORS = 50
COUNTED_EVENTS = 100
COMPARED_EVENTS = 1_000
COMPARED_PAIRS = 500_000


@dataclass(frozen=True, slots=True)
class Trial:
    """What to measure. A shape of None means the paper's workload; `batches` empty means the
    matcher's own way only.
    """

    contender: Name
    shape: Shape | None
    subscriptions: int
    attributes: int
    seed: int
    seconds: float
    events: int
    batches: tuple[int, ...] = ()
    singles: bool = False
    from_json: bool = False

    @property
    def workload(self) -> Workload:
        """The workload, drawn from the seed."""
        if self.shape is None:
            return PaperWorkload(self.subscriptions, self.attributes, self.seed)
        return ScaleWorkload(self.shape, self.subscriptions, self.attributes, self.seed)

    def as_json(self) -> dict[str, Any]:
        """The trial as plain data."""
        shape = None if self.shape is None else self.shape.value
        return asdict(self) | {
            "contender": self.contender.value,
            "shape": shape,
            "batches": list(self.batches),
        }

    @staticmethod
    def of_json(given: Mapping[str, Any]) -> Trial:
        """The trial of plain data."""
        shape = None if given["shape"] is None else Shape(given["shape"])
        parts = {
            "contender": Name(given["contender"]),
            "shape": shape,
            "batches": tuple(given["batches"]),
        }
        return Trial(**{**given, **parts})


def run_trial(trial: Trial) -> dict[str, Any]:
    """All figures of one trial; where the matcher refuses the workload, the reason."""
    events = trial.workload.events(trial.events)
    _warm_up(trial, events[:PORTION])
    process_memory.reset_peak()
    before = process_memory.resident()
    contender = CONTENDERS[trial.contender]()
    try:
        seconds = _build(contender, trial.workload.selectors(), events[0])
        kept = process_memory.resident() - before
        rates = _rates(contender, trial, events)
    except Problem as problem:
        return {"trial": trial.as_json(), "refused": problem.message}
    return {
        "trial": trial.as_json(),
        "build_seconds": seconds,
        "memory_bytes": kept,
        "peak_bytes": process_memory.peak() - before,
        "rates": {name: rate.as_json() for name, rate in rates.items()},
        **_counts(contender, trial, events),
    }


def _warm_up(trial: Trial, events: Sequence[Event]) -> None:
    """What is compiled or imported on first use belongs to no measurement."""
    contender = CONTENDERS[trial.contender]()
    _build(contender, islice(trial.workload.selectors(), WARM_UP_SELECTORS), events[0])
    contender.match(events)
    contender.match(events[:1])


def _build(contender: Contender, selectors: Iterator[BooleanNode], event: Event) -> float:
    """Processor seconds from the first selector to the first answer; drawing the selectors is not
    counted.
    """
    seconds, number = 0.0, 0
    while portion := list(islice(selectors, PORTION)):
        watch = Stopwatch()
        for selector in portion:
            contender.add(number, selector)
            number += 1
        seconds += watch.read()[0]
    watch = Stopwatch()
    contender.prepare()
    contender.match([event])
    return seconds + watch.read()[0]


def _rates(contender: Contender, trial: Trial, events: Sequence[Event]) -> dict[str, Rate]:
    def matched(batch: Sequence[Event]) -> int:
        return len(contender.match(batch).events)

    def decoded(batch: Sequence[bytes]) -> int:
        return matched(read_events(batch).events)

    if isinstance(contender, ColumnMatcher):
        return {f"batch {COLUMN_BATCH}": _rate_of_columns(contender, trial, events[:COLUMN_BATCH])}
    if not trial.batches and not trial.singles:
        return {"each event": rate_of_pieces(matched, events, trial.seconds, most=trial.events)}
    rates = {
        f"batch {size}": rate_of_batches(matched, events, size, trial.seconds)
        for size in trial.batches
    }
    if trial.singles:
        rates["single event"] = rate_of_singles(matched, events, trial.seconds)
    if trial.from_json:
        size = trial.batches[0]
        rates[f"JSON, batch {size}"] = rate_of_batches(
            decoded, json_lines(events), size, trial.seconds
        )
    return rates


def _rate_of_columns(contender: ColumnMatcher, trial: Trial, events: Sequence[Event]) -> Rate:
    """All subscriptions if the time allows; else as many as it allows, since each costs the same on
    average.
    """
    probe = min(trial.subscriptions, 200)
    tried = rate_of_batches(
        lambda batch: len(contender.match_first(batch, probe).events), events, len(events), 0.0
    )
    affordable = int(probe * trial.seconds / tried.seconds)
    count = min(trial.subscriptions, max(probe, affordable))
    watch = Stopwatch()
    found = contender.match_first(events, count)
    return Rate(len(events), len(found.events), *watch.read(), count / trial.subscriptions)


def _counts(contender: Contender, trial: Trial, events: Sequence[Event]) -> dict[str, Any]:
    """What is counted, not timed: the work per event and a digest of the first matches, to compare
    contenders by.
    """
    compared = max(1, min(COMPARED_EVENTS, COMPARED_PAIRS // trial.subscriptions))
    first = events[:compared]
    found = contender.match(first)
    counted = events[: min(compared, COUNTED_EVENTS)]
    work = contender.work(counted)
    return {
        "compared": {"events": compared, "matches": len(found.events), "digest": digest(found)},
        "evaluations_per_event": None if work is None else work.evaluations / len(counted),
        "visits_per_event": None if work is None else work.visits / len(counted),
    }


def digest(found: Found) -> str:
    """The same for the same set of matches, in whatever order they were found."""
    pairs = sorted(zip(found.events.tolist(), found.subscriptions.tolist(), strict=True))
    return blake2b(repr(pairs).encode(), digest_size=16).hexdigest()

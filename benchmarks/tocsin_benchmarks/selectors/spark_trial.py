"""One trial through Spark on this machine: the scale workload read from Parquet, matched, and
thrown away.

The first run includes what Spark and its Python workers do once (planning, starting workers,
compiling subscriptions); the rate is taken from runs after it, as in a query that lives on. The
other way round, one boolean column for each subscription, is what can be done in Spark without
Tocsin.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tocsin.errors import Problem
from tocsin.events.event import Event
from tocsin.plan.explain.atoms import selector_text
from tocsin.spark import local_session, match
from tocsin_benchmarks.selectors.spark_schedule import Way
from tocsin_benchmarks.selectors.workloads import ScaleWorkload, Shape
from tocsin_benchmarks.selectors.workloads.population import json_lines

MASTER = "local[2]"
MEMORY = "3g"
FILES = 8
RUNS = 2


@dataclass(frozen=True, slots=True)
class SparkTrial:
    """What to measure; the events are split over eight files."""

    way: Way
    subscriptions: int
    attributes: int
    events: int
    seed: int

    @property
    def workload(self) -> ScaleWorkload:
        """Plain conjunctions, as in the scale tests."""
        return ScaleWorkload(Shape.AND, self.subscriptions, self.attributes, self.seed)

    def as_json(self) -> dict[str, Any]:
        """The trial as plain data."""
        return asdict(self) | {"way": self.way.value}

    @staticmethod
    def of_json(given: Mapping[str, Any]) -> SparkTrial:
        """The trial of plain data."""
        return SparkTrial(**{**given, "way": Way(given["way"])})


def run_spark_trial(trial: SparkTrial) -> dict[str, Any]:
    """Seconds of the first run and events per second of the following ones; where Spark refuses,
    the reason.
    """
    with tempfile.TemporaryDirectory() as directory:
        _write(trial, Path(directory))
        try:
            return {"trial": trial.as_json(), **_measured(trial, directory)}
        except Problem as problem:
            return {"trial": trial.as_json(), "refused": problem.message}


def _measured(trial: SparkTrial, directory: str) -> dict[str, Any]:
    session = local_session(MASTER, memory=MEMORY)
    try:
        result = _WAYS[trial.way](session.read.parquet(directory), trial)
        first = _seconds(result)
        following = [_seconds(result) for _ in range(RUNS)]
        matches = result.count() if trial.way is not Way.BOOLEANS else None
        speed = trial.events * RUNS / sum(following)
        return {"first_seconds": first, "events_per_second": speed, "matches": matches}
    finally:
        session.stop()


def _seconds(frame: Any) -> float:
    started = perf_counter()
    frame.write.format("noop").mode("overwrite").save()
    return perf_counter() - started


def _matched(frame: Any, trial: SparkTrial) -> Any:
    mapping = {name: f"data.{name}" for name in _attribute_names(frame)}
    return match(frame, _subscriptions(trial), columns=mapping, deduplicate=False)


def _matched_once(frame: Any, trial: SparkTrial) -> Any:
    mapping = {name: f"data.{name}" for name in _attribute_names(frame)}
    return match(frame, _subscriptions(trial), columns=mapping)


def _matched_json(frame: Any, trial: SparkTrial) -> Any:
    return match(frame, _subscriptions(trial), deduplicate=False)


def _booleans(frame: Any, trial: SparkTrial) -> Any:
    """Selectors of this workload are Spark SQL as they stand."""
    tests = (
        f"{selector_text(one)} AS m{number}"
        for number, one in enumerate(trial.workload.selectors())
    )
    return frame.selectExpr("id", *tests)


_WAYS: dict[Way, Callable[[Any, SparkTrial], Any]] = {
    Way.TYPED: _matched,
    Way.DEDUPLICATED: _matched_once,
    Way.JSON: _matched_json,
    Way.BOOLEANS: _booleans,
}


def _attribute_names(frame: Any) -> list[str]:
    return [name for name in frame.columns if name not in ("id", "source", "type")]


def _subscriptions(trial: SparkTrial) -> list[dict[str, str]]:
    return [
        {"id": str(number), "language": "selector", "expression": selector_text(selector)}
        for number, selector in enumerate(trial.workload.selectors())
    ]


def _write(trial: SparkTrial, directory: Path) -> None:
    events = trial.workload.events(trial.events)
    share = -(-len(events) // FILES)
    for number in range(FILES):
        part = events[number * share : (number + 1) * share]
        pq.write_table(_table(part, trial.way), directory / f"part-{number}.parquet")


def _table(events: Sequence[Event], way: Way) -> Any:
    if way is Way.JSON:
        return pa.table({"value": pa.array(json_lines(events), pa.binary())})
    rows = [
        {"id": one.id, "source": one.source, "type": one.type, **one.attributes} for one in events
    ]
    return pa.Table.from_pylist(rows)

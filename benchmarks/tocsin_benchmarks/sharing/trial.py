"""One measurement of what is shared, meant for a process of its own.

Run as a module: the trial comes as JSON on standard input, its figures go as JSON to standard
output. All but the start of a worker go through the Hub, from lines to matches in hand.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tocsin.catalog import Subscription, compile_subscription, create_catalog
from tocsin.engine.engine import Engine
from tocsin.hub.hub import Hub
from tocsin.spark.plans.plan_cache import MatchIndexCache
from tocsin.spark.plans.sources import LiveCatalog
from tocsin_benchmarks.harness.stopwatch import Stopwatch
from tocsin_benchmarks.logistics.workload import LogisticsWorkload, Scenario
from tocsin_benchmarks.sequences.trial import settle_memory
from tocsin_benchmarks.sequences.workload import SPACING, WINDOW, Density, SequenceWorkload

PIECE = 100
"""Lines that come between one subscription and the next."""

TEXT_SHARE = 20
"""One selector in so many is also compiled from its text, to tell what that takes."""

RUNS = 3


def run(request: Mapping[str, Any]) -> dict[str, Any]:
    """All figures of one trial."""
    kind, size = request["kind"], request["size"]
    if kind == "worker":
        return {"trial": dict(request), **_worker(size)}
    measure = {"later": _later, "settled": _settled, "alike": _alike}[kind]
    return {"trial": dict(request), **measure(size, request["events"])}


def _hub() -> Hub:
    return Hub(ahead=None, lateness=timedelta(0))


def _settled(size: int, events: int) -> dict[str, Any]:
    """As `_later`, once two windows of events have passed: those who came hold the same by then."""
    return _later(size, events, 2 * WINDOW // SPACING)


def _later(size: int, events: int, between: int = 0) -> dict[str, Any]:
    """Equal composites that come one by one while events flow, against all at once before; so many
    events that come in between are not measured.
    """
    first = size * PIECE + between
    workload = SequenceWorkload(Density.DENSE, 1, first + events, seed=5)
    lines = workload.lines()
    (pattern,) = workload.drawn_patterns()
    before, after = lines[:first], lines[first:]

    def seconds_of_a_match(one_by_one: bool) -> float:
        hub = _hub()
        for number in range(0 if one_by_one else size):
            hub.subscribe(pattern.text, language="opsl", id=f"s{number}")
        for number in range(len(before) // PIECE):
            hub.publish(*before[number * PIECE : (number + 1) * PIECE])
            if one_by_one and number < size:
                hub.subscribe(pattern.text, language="opsl", id=f"s{number}")
        return _seconds_of_a_match(hub, after)

    return _compared(lambda: seconds_of_a_match(False), lambda: seconds_of_a_match(True))


def _alike(size: int, events: int) -> dict[str, Any]:
    """Many subscribers to one and the same convoy, against one of them."""
    workload = LogisticsWorkload(Scenario.CONVOY, vehicles=1, events=events)
    (convoy,) = workload.subscriptions()
    lines = [position.line() for position in workload.positions()]

    def seconds(subscribers: int) -> float:
        hub = _hub()
        for number in range(subscribers):
            hub.subscribe(
                convoy["expression"], language="opsl", id=f"s{number}", options=convoy["options"]
            )
        settle_memory()
        watch = Stopwatch()
        for first in range(0, len(lines), PIECE):
            hub.publish(*lines[first : first + PIECE])
        return watch.read()[0]

    return _compared(lambda: seconds(1), lambda: seconds(size))


def _worker(size: int) -> dict[str, Any]:
    """A worker that loads the plans of a catalog, and then one subscription more; against compiling
    texts.
    """
    given = [_selector(number) for number in range(size)]
    with TemporaryDirectory(prefix="tocsin-bench-") as folder:
        catalog = create_catalog(str(Path(folder) / "catalog.db"))
        version = catalog.add(*given)
        source = LiveCatalog(catalog.url)
        indexes = MatchIndexCache()
        settle_memory()
        watch = Stopwatch()
        indexes.at(source, version)
        loaded = watch.read()[0]
        version = catalog.add(_selector(size))
        watch = Stopwatch()
        indexes.at(source, version)
        one_more = watch.read()[0]
    engine = Engine()
    watch = Stopwatch()
    for each in given[::TEXT_SHARE]:
        engine.add(each.id, compile_subscription(each))
    from_texts = watch.read()[0] * len(given) / len(given[::TEXT_SHARE])
    return {"base_seconds": from_texts, "seconds": loaded, "one_more_seconds": one_more}


def _selector(number: int) -> Subscription:
    low, word = number % 997, f"w{number % 1009}"
    text = f"n{number % 10} > {low} AND s{number % 7} = '{word}' AND n{number % 9} < {number}"
    return Subscription(f"s{number}", "selector", text)


def _seconds_of_a_match(hub: Hub, lines: Sequence[bytes]) -> float:
    settle_memory()
    watch, matches = Stopwatch(), 0
    for first in range(0, len(lines), PIECE):
        matches += len(hub.publish(*lines[first : first + PIECE]))
    return watch.read()[0] / max(1, matches)


def _compared(base: Callable[[], float], other: Callable[[], float]) -> dict[str, Any]:
    """The quickest of several runs of each, in turn; the first of both warms up."""
    base(), other()
    runs = [(base(), other()) for _ in range(RUNS)]
    return {"base_seconds": min(run[0] for run in runs), "seconds": min(run[1] for run in runs)}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(run(json.load(sys.stdin))))

"""One measurement of graph patterns, meant for a process of its own: both strategies, backtracking
and SPARQL.

Run as a module: the trial comes as JSON on standard input, its figures go as JSON to standard
output.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tocsin.engine.columns.batch import Batch
from tocsin.engine.graphs.encoding import EncodedGraph
from tocsin.engine.graphs.matcher import GraphMatcher
from tocsin.events.event import Event
from tocsin.papers.graph_matcher import PaperMatcher
from tocsin.plan.nodes.graphs import GraphPattern, Home
from tocsin_benchmarks.graphs.backtracking import Backtracking
from tocsin_benchmarks.graphs.sparql import AskedEvent, ask_query
from tocsin_benchmarks.graphs.workload import GraphWorkload, Kind
from tocsin_benchmarks.harness.process_memory import peak, reset_peak, resident
from tocsin_benchmarks.harness.stopwatch import Stopwatch
from tocsin_benchmarks.sequences.trial import settle_memory

Pairs = list[tuple[int, int]]


def run(request: Mapping[str, Any]) -> dict[str, Any]:
    """All figures of one trial."""
    workload = GraphWorkload(Kind(request["kind"]), request["subscriptions"], request["seed"])
    patterns, events = workload.patterns(), workload.events()
    _warm_up(patterns[:10], events[:1])
    figures: dict[str, Any] = {"trial": dict(request)} | _reading(workload)
    figures |= _default(patterns, events, request["seconds"])
    expected = [tuple(pair) for pair in figures.pop("pairs")]
    figures["match_rate"] = len(expected) / len(events) / len(patterns)
    for contender in (_paper, _backtracking):
        figures |= contender(patterns, events, request["seconds"], expected)
    return figures | _asked(patterns, events, set(expected), request["asked"])


def _warm_up(patterns: Sequence[GraphPattern], events: Sequence[Event]) -> None:
    """What is compiled on first use belongs to no measurement."""
    _matched(_filled(GraphMatcher(), patterns), events)


def _reading(workload: GraphWorkload) -> dict[str, Any]:
    """From text to the graph of an event, which every matcher needs and none is charged with."""
    events = [Event(each.envelope, each.data, each.interval) for each in workload.events()]
    watch = Stopwatch()
    for each in events:
        _ = each.graph
    return {"reading_seconds": watch.read()[0] / len(events)}


def _default(
    patterns: Sequence[GraphPattern], events: Sequence[Event], seconds: float
) -> dict[str, Any]:
    before = resident()
    reset_peak()
    watch = Stopwatch()
    matcher = _filled(GraphMatcher(), patterns)
    built = watch.read()[0]
    held = resident() - before
    settle_memory()
    watch = Stopwatch()
    pairs = _matched(matcher, events)
    first = watch.read()[0] / len(events)
    work = {
        "candidates": matcher.work.candidates / len(events),
        "survivors": matcher.work.survivors / len(events),
    }
    shapes = {"shapes": matcher.distinct_shapes, "links": matcher.distinct_links}
    memory = {"memory_bytes": held, "peak_bytes": peak() - before}
    each = _repeated(lambda: matcher.match(Batch(events)), seconds) / len(events)
    return (
        {"build_seconds": built, "first_seconds": first, "seconds": each, "pairs": pairs}
        | work
        | shapes
        | memory
    )


def _repeated(action: Callable[[], object], seconds: float) -> float:
    """Seconds of one run, when it is repeated for some time."""
    watch, runs = Stopwatch(), 0
    while not runs or watch.read()[0] < seconds:
        action()
        runs += 1
    return watch.read()[0] / runs


def _paper(
    patterns: Sequence[GraphPattern], events: Sequence[Event], seconds: float, expected: Pairs
) -> dict[str, Any]:
    matcher = _filled(PaperMatcher(), patterns)
    pairs = _matched(matcher, events)
    each = _repeated(lambda: matcher.match(Batch(events)), seconds) / len(events)
    nodes = sum(_nodes(matcher, patterns, event) for event in events) / len(events) / len(patterns)
    return {"paper_seconds": each, "nodes_per_tree": nodes, "paper_agrees": pairs == expected}


def _nodes(matcher: PaperMatcher, patterns: Sequence[GraphPattern], event: Event) -> int:
    """Circles and squares; a subscription that was not touched has its root and its home squares
    (spec 6).
    """
    trees = matcher.trees(event)
    resting = (
        _home_squares(each) + 1 for number, each in enumerate(patterns) if str(number) not in trees
    )
    return sum(tree.nodes for tree in trees.values()) + sum(resting)


def _home_squares(pattern: GraphPattern) -> int:
    return sum(isinstance(each.subject, Home) for each in dict.fromkeys(pattern.statements))


def _backtracking(
    patterns: Sequence[GraphPattern], events: Sequence[Event], seconds: float, expected: Pairs
) -> dict[str, Any]:
    baseline = Backtracking(patterns)

    def pairs() -> Pairs:
        graphs = enumerate(EncodedGraph(event.graph) for event in events)
        return [(place, number) for place, graph in graphs for number in baseline.match(graph)]

    each = _repeated(pairs, seconds) / len(events)
    return {"backtracking_seconds": each, "backtracking_agrees": pairs() == expected}


def _asked(
    patterns: Sequence[GraphPattern],
    events: Sequence[Event],
    expected: set[tuple[int, int]],
    count: int,
) -> dict[str, Any]:
    """A sample of all pairs is timed and scaled to all subscriptions; as many that match are
    compared as well.
    """
    draw = random.Random(count)
    anyone = [(draw.randrange(len(events)), draw.randrange(len(patterns))) for _ in range(count)]
    stores = [AskedEvent(event) for event in events]
    queries = [ask_query(patterns[number]) for _, number in anyone]
    watch = Stopwatch()
    answers = [
        stores[place].matches(query) for (place, _), query in zip(anyone, queries, strict=True)
    ]
    each = watch.read()[0] / len(anyone)
    matching = draw.sample(sorted(expected), min(len(expected), count))
    agrees = answers == [pair in expected for pair in anyone] and all(
        stores[place].matches(ask_query(patterns[number])) for place, number in matching
    )
    return {"ask_pair_seconds": each, "ask_seconds": each * len(patterns), "ask_agrees": agrees}


def _filled(matcher: Any, patterns: Sequence[GraphPattern]) -> Any:
    for number, pattern in enumerate(patterns):
        matcher.add(str(number), pattern)
    return matcher


def _matched(matcher: Any, events: Sequence[Event]) -> Pairs:
    hits = matcher.match(Batch(events))
    return list(zip(hits.events.tolist(), map(int, matcher.keys_of(hits.slots)), strict=True))


if __name__ == "__main__":
    json.dump(run(json.load(sys.stdin)), sys.stdout)

"""One measurement of XML blocks, meant for a process of its own: our matcher, and one compiled
XPath per block.

Run as a module: the trial comes as JSON on standard input, its figures go as JSON to standard
output.
"""

from __future__ import annotations

import gc
import json
import sys
import tracemalloc
from collections.abc import Mapping, Sequence
from typing import Any

from tocsin.engine.columns.batch import Batch
from tocsin.engine.xml import BlockMatcher
from tocsin.events.event import Event
from tocsin.events.views.document import XPath
from tocsin_benchmarks.harness.stopwatch import Stopwatch
from tocsin_benchmarks.xml.workload import AskedBlock, XmlWorkload

BASELINE_BLOCKS = 10_000
"""The baseline asks so many blocks at most; where there are more, its rate is scaled."""

LIMIT_SECONDS = 3.0
"""After so much processor time a rate is known well enough."""


def run(request: Mapping[str, Any]) -> dict[str, Any]:
    """All figures of one trial."""
    workload = XmlWorkload(request["blocks"], request["bytes"], request["seed"])
    asked = list(workload.asked())
    events = workload.events(request["documents"])
    parsing = _parse(events)
    matcher, built = _built(asked)
    figures = {
        "trial": dict(request),
        "document_bytes": sum(len(str(each.data)) for each in events) / len(events),
    }
    figures |= {
        "parsing_seconds": parsing / len(events),
        "distinct": matcher.distinct_blocks,
    } | built
    return figures | _measured(matcher, events) | _baseline(asked, matcher, events)


def _parse(events: Sequence[Event]) -> float:
    watch = Stopwatch()
    for event in events:
        _ = event.document
    return watch.read()[0]


def _built(asked: Sequence[AskedBlock]) -> tuple[BlockMatcher, dict[str, Any]]:
    gc.collect()
    watch = Stopwatch()
    matcher = _matcher(asked)
    seconds = watch.read()[0]
    part = asked[:BASELINE_BLOCKS]
    tracemalloc.start()
    again = _matcher(part)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return matcher, {"build_seconds": seconds, "bytes_per_block": held / len(again)}


def _matcher(asked: Sequence[AskedBlock]) -> BlockMatcher:
    matcher = BlockMatcher()
    for number, each in enumerate(asked):
        matcher.add(str(number), each.block)
    return matcher


def _measured(matcher: BlockMatcher, events: Sequence[Event]) -> dict[str, Any]:
    matcher.match(Batch(events[:1]))
    before = (matcher.work.candidates, matcher.work.hits)
    seconds, served = 0.0, 0
    while served == 0 or seconds < LIMIT_SECONDS:
        # or what is known of them would be used
        again = [Event(event.envelope, event.data, None) for event in events]
        _parse(again)
        watch = Stopwatch()
        matcher.match(Batch(again))
        seconds += watch.read()[0]
        served += len(events)
    work = matcher.work
    return {
        "seconds_per_document": seconds / served,
        "candidates": (work.candidates - before[0]) / served,
        "hits": (work.hits - before[1]) / served,
    }


def _baseline(
    asked: Sequence[AskedBlock], matcher: BlockMatcher, events: Sequence[Event]
) -> dict[str, Any]:
    """Every expression on every document, as many documents as there is time for; and whether we
    find the same.
    """
    part = asked[:BASELINE_BLOCKS]
    paths = [XPath(each.xpath, {}) for each in part]
    watch, found, served = Stopwatch(), 0, 0
    while served < len(events) and watch.read()[0] < LIMIT_SECONDS:
        root = events[served].document
        found += sum(path.select(root) is True for path in paths)
        served += 1
    seconds = watch.read()[0] * len(asked) / len(part)
    hits = matcher.match(Batch(events[:served]))
    ours = sum(int(key) < len(part) for key in matcher.keys_of(hits.slots))
    return {
        "baseline_seconds_per_document": seconds / served,
        "baseline_documents": served,
        "baseline_blocks": len(part),
        "same_matches": found == ours,
    }


if __name__ == "__main__":
    json.dump(run(json.load(sys.stdin)), sys.stdout)

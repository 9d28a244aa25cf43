"""Worlds whose subscriptions are plans in their wire form, played on the fake host in any cut, with
workers lost on the way.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import strategies as st

from tests.spark.shard.fake import FakeHost
from tests.spark.shard.scenes import ids
from tocsin.catalog import Snapshot, Subscription
from tocsin.events.event import Event
from tocsin.knowledge.concepts.tbox import EMPTY
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.wire.wire import plan_from_json, plan_to_json
from tocsin.runtime.finite_run import match_events, read_events
from tocsin.runtime.watermark import ClockSettings
from tocsin.spark.plans import plan_cache
from tocsin.spark.plans import shard_plans as members
from tocsin.spark.shard import state_store
from tocsin.spark.shard import state_store as keeping
from tocsin.values.time import format_instant

LATENESS = 3
LAST = 60
"""After all deadlines, and not long after: windows that come again ring until then."""
BEGINNING = json.dumps(
    {"id": "0", "source": "s", "type": "t", "time": format_instant(0), "data": {"kind": "z"}}
)
END = json.dumps(
    {"id": "end", "source": "s", "type": "t", "time": format_instant(LAST), "data": {"kind": "z"}}
)


@dataclass(frozen=True)
class WireSource:
    """Subscriptions whose expression is a plan in its wire form; the version says how many of them
    there are.
    """

    plans: tuple[str, ...]
    key: str = "list of plans"

    def snapshot(self, version: int) -> Snapshot:
        return Snapshot(
            version,
            tuple(Subscription(f"s{n}", "wire", text) for n, text in enumerate(self.plans)),
            (),
        )


@pytest.fixture(autouse=True, scope="module")
def wire_plans() -> Any:
    """Subscriptions are compiled from the wire form; a snapshot is made as often as can be."""
    patch = pytest.MonkeyPatch()
    for module in (members, plan_cache):
        patch.setattr(
            module, "compile_subscription", lambda each, _: plan_from_json(each.expression, [EMPTY])
        )
    patch.setattr(keeping, "_described", lambda key, _: SOURCES[key])
    yield
    patch.undo()


SOURCES: dict[str, WireSource] = {}


def source_of(plans: list[Plan]) -> WireSource:
    texts = tuple(plan_to_json(plan) for plan in plans)
    source = WireSource(texts, f"list {hash(texts)}")
    SOURCES[source.key] = source
    return source


def line_of(event: Event) -> str:
    place = {} if event.place_source is None else {"place": event.place_source}
    return json.dumps({**event.envelope, **place, "data": event.data})


@st.composite
def arrivals(draw: st.DrawFn, events: Sequence[Event]) -> list[str]:
    """The lines of events in the order in which they come, none of them late."""
    delays = {event.id: draw(st.integers(0, LATENESS)) for event in events}
    arrived = sorted(events, key=lambda event: event.order[0] + delays[event.id])
    return [BEGINNING, *map(line_of, arrived)]


def rings_as_the_local_host(
    plans: list[Plan], lines: list[str], shards: int, data: st.DataObject
) -> FakeHost:
    """Plays lines in any cut and compares what rings; the host is given back."""
    told = match_events(
        {f"s{n}": plan for n, plan in enumerate(plans)},
        read_events(map(str.encode, [*lines, END])),
        until=LAST - LATENESS - 1,
    )
    # The last event only moves the clock: on a stream it waits, and so does what it brings about.
    expected = [match for match in told if (match.detected or 0) < LAST - LATENESS]
    host = FakeHost(source_of(plans), shards, ClockSettings(LATENESS))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(state_store, "LOG_BYTES", data.draw(st.sampled_from([0, 1000, 1 << 20])))
        patch.setattr(state_store, "LOG_FACTOR", 0)
        rest = [*lines, END]
        while rest:
            size = data.draw(st.integers(1, len(rest)))
            batch, rest = rest[:size], rest[size:]
            middle = data.draw(st.integers(0, len(batch)))
            host.batch(*(part for part in (batch[:middle], batch[middle:]) if part))
            if data.draw(st.booleans()):
                host.lose_workers()
    assert ids(host.matches) == ids(expected)
    assert host.letters == []
    return host

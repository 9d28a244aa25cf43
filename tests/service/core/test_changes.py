"""A change has a position in the log: events that were accepted before it are matched with what
stood then, those after it with what stands now, however late the runner is and whatever dies.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.service.core.held import HeldService, Rung
from tocsin.catalog import Subscription
from tocsin.hub.step_hub import StepHub
from tocsin.service.storage.schema import PAUSED

PAIR = "WHEN n(v = 0) THEN n(v = 1) WITHIN 1h"
IN_DEPOT = "@(Depot)(ARITH: v >= 0)"


@pytest.fixture
def held(tmp_path: Path) -> Iterator[HeldService]:
    service = HeldService(tmp_path / "data")
    yield service
    service.close()


def _below(limit: int) -> dict[str, object]:
    return {"language": "selector", "expression": f"v < {limit}"}


def _depot(limit: int) -> dict[str, object]:
    """A region that has the places of events whose value is below a limit."""
    edge = 10 * limit
    return {"region": f"POLYGON((0 0,0 10,{edge} 10,{edge} 0,0 0))"}


def _ids(held: HeldService, subscription: str) -> list[int]:
    found = [int(events[0]) for (name, events) in held.rung().elements() if name == subscription]
    return sorted(found)


def test_events_before_a_subscription_do_not_ring_it(held: HeldService) -> None:
    held.publish(*[0] * 5000)
    held.service.entries.put("", "s", _below(1))
    held.publish(*[0] * 3)
    held.run()
    assert _ids(held, "s") == [5000, 5001, 5002]


def test_events_before_a_replacement_ring_what_stood(held: HeldService) -> None:
    held.service.entries.put("", "s", _below(1))
    held.publish(0, 1, 2)
    held.service.entries.put("", "s", _below(2))
    held.publish(0, 1, 2)
    held.run()
    assert _ids(held, "s") == [0, 3, 4]


@pytest.mark.parametrize("how", ["delete", "pause", "put paused"])
def test_events_before_an_end_ring_all(held: HeldService, how: str) -> None:
    entries = held.service.entries
    entries.put("", "s", _below(1))
    held.publish(*[0] * 5000)
    if how == "delete":
        entries.remove("", "s")
    elif how == "pause":
        entries.pause("", "s", True)
    else:
        entries.put("", "s", _below(1) | {"paused": True})
    held.publish(*[0] * 10)
    held.run()
    assert _ids(held, "s") == list(range(5000))


def test_events_while_paused_do_not_ring_and_those_after_do(held: HeldService) -> None:
    entries = held.service.entries
    entries.put("", "s", _below(1))
    held.publish(0)
    entries.pause("", "s", True)
    held.publish(0, 0)
    entries.pause("", "s", False)
    held.publish(0)
    held.run()
    assert _ids(held, "s") == [0, 3]


def test_events_before_a_definition_are_matched_with_the_one_before(held: HeldService) -> None:
    held.service.definitions.put("", "Depot", _depot(1))
    held.service.entries.put("", "there", {"language": "opsl", "expression": IN_DEPOT})
    held.publish(0, 1, 2)
    held.service.definitions.put("", "Depot", _depot(2))
    held.publish(0, 1, 2)
    held.service.definitions.remove("", "Depot", force=True)
    held.publish(0, 1, 2)
    held.run()
    assert _ids(held, "there") == [0, 3, 4]


def test_several_changes_at_one_position_and_a_restart_between(held: HeldService) -> None:
    held.publish(0)
    for limit in (3, 2, 1):
        held.service.entries.put("", "s", _below(limit))
    held.publish(0, 1)
    held.restart()
    held.service.entries.remove("", "s")
    held.service.entries.put("", "s", _below(2))
    held.restart()
    held.publish(0, 1, 2)
    held.run()
    assert _ids(held, "s") == [1, 3, 4]


def test_a_composite_is_kept_over_the_change_of_another_and_ends_with_its_own(
    held: HeldService,
) -> None:
    entries = held.service.entries
    entries.put("", "kept", {"language": "rule", "expression": PAIR})
    entries.put("", "gone", {"language": "rule", "expression": PAIR})
    held.publish(0, 2)  # the second has the first leave the buffer that puts events in order
    entries.put("", "late", {"language": "rule", "expression": PAIR})
    entries.remove("", "gone")
    held.publish(1, 2)
    held.run()
    assert held.rung() == Counter({("kept", ("0", "2")): 1})


def test_a_change_by_the_command_line_holds_from_where_it_is_noticed(held: HeldService) -> None:
    held.publish(0)
    held.service.catalog.add(Subscription("s", "selector", "v < 1"))
    held.restart()
    held.publish(0)
    held.run()
    assert _ids(held, "s") == [1]
    held.service.catalog.remove("s")
    held.publish(0)
    held.run()
    held.publish(0)
    held.run()
    assert _ids(held, "s") == [1, 2], "noticed by a run that found the event before it in the log"


def test_a_change_that_the_catalog_refuses_has_no_position(held: HeldService) -> None:
    held.service.entries.put("", "s", _below(1))
    before = held.service.catalog.placed(0)
    with pytest.raises(ZeroDivisionError):
        held.service.catalog.put(Subscription("t", "selector", "v < 1"), position=lambda: 1 // 0)
    assert held.service.catalog.placed(0) == before
    assert held.service.catalog.version() == before[-1].version


def test_subscriptions_that_an_earlier_release_paused_are_paused(held: HeldService) -> None:
    stored = '{"id": "s", "language": "selector", "expression": "v < 1"}'
    with held.service.database.writing() as connection:
        connection.execute(PAUSED.insert().values(subscription="s", body=stored))
    held.restart()
    assert held.service.entries.get("", "s").is_paused
    assert held.service.entries._standing.paused() == {}
    held.publish(0)
    held.service.entries.pause("", "s", False)
    held.restart()
    assert not held.service.entries.get("", "s").is_paused
    held.publish(0)
    held.run()
    assert _ids(held, "s") == [1]


@dataclass
class Model:
    """What stands, and what has rung: every event is matched when it comes."""

    held: HeldService
    hub: StepHub
    limits: dict[str, int] = field(default_factory=dict)
    paused: set[str] = field(default_factory=set)
    depot: int = 1
    rung: Rung = field(default_factory=Counter)

    def publish(self, values: list[int]) -> None:
        for made, value in zip(self.held.publish(*values), values, strict=True):
            for name in self.limits.keys() - self.paused - {"pair"}:
                if value < (self.depot if name == "there" else self.limits[name]):
                    self.rung[name, (made["id"],)] += 1
            version = self.held.service.catalog.version()
            outcome = self.hub.step(self.held.count, version, [json.dumps(made).encode()])
            for match in outcome.matches:
                if match.subscription == "pair":
                    self.rung["pair", tuple(match.events)] += 1

    def put(self, name: str, limit: int, paused: bool) -> None:
        body = _below(limit)
        if name == "there":
            body = {"language": "opsl", "expression": IN_DEPOT}
        elif name == "pair":
            body = {"language": "rule", "expression": PAIR}
        self.held.service.entries.put("", name, body | {"paused": paused})
        self.limits[name] = limit
        (self.paused.add if paused else self.paused.discard)(name)

    def remove(self, name: str) -> None:
        if name in self.limits:
            self.held.service.entries.remove("", name)
            del self.limits[name]
            self.paused.discard(name)

    def pause(self, name: str, paused: bool) -> None:
        if name in self.limits:
            self.held.service.entries.pause("", name, paused)
            (self.paused.add if paused else self.paused.discard)(name)

    def define(self, limit: int) -> None:
        self.held.service.definitions.put("", "Depot", _depot(limit))
        self.depot = limit


NAMES = st.sampled_from(["a", "b", "there", "pair"])
LIMITS = st.integers(1, 3)
OPERATIONS = st.one_of(
    st.tuples(st.just("publish"), st.lists(st.integers(0, 2), min_size=1, max_size=4)),
    st.tuples(st.just("put"), NAMES, LIMITS, st.booleans()),
    st.tuples(st.just("remove"), NAMES),
    st.tuples(st.just("pause"), NAMES, st.booleans()),
    st.tuples(st.just("define"), LIMITS),
    st.tuples(st.just("run")),
    st.tuples(st.just("restart")),
)


@given(
    st.lists(OPERATIONS, max_size=16),
    st.randoms(use_true_random=False),
    st.integers(1, 4),
    st.booleans(),
)
def test_any_order_of_changes_and_events_with_deaths_is_as_if_each_came_alone(
    operations: list[tuple[Any, ...]], chance: random.Random, rows_at_once: int, snapshots: bool
) -> None:
    deaths = 3

    def dies() -> bool:
        nonlocal deaths
        is_now = deaths > 0 and chance.random() < 0.3
        deaths -= is_now
        return is_now

    with tempfile.TemporaryDirectory() as folder:
        held = HeldService(Path(folder) / "data", rows_at_once, snapshots)
        held.service.definitions.put("", "Depot", _depot(1))
        model = Model(held, held.service.make_hub(held.service.catalog))
        for name, *rest in operations:
            if name == "run":
                held.run(dies)
            elif name == "restart":
                held.restart()
            else:
                getattr(model, name)(*rest)
        held.run(dies)
        rung = held.rung()
        held.close()
    assert rung == model.rung

"""Equal subscriptions that came apart become one once they hold the same, and nobody can tell: each
rings as if it had nodes of its own.
"""

from __future__ import annotations

import json
from collections import Counter
from unittest.mock import patch

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.engine.detection.test_agreement import ANY_POLICY, is_over, key, play
from tests.engine.detection.test_work import X, Y, event, then
from tests.timelines import has_clock, nested_overlapping, overlapping, timelines
from tocsin.engine.detection import share_groups as crowds
from tocsin.engine.detection.base import StateComparison
from tocsin.engine.detection.scheduling.network import Network
from tocsin.engine.detection.scheduling.steps import Emissions
from tocsin.events.event import Event
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    End,
    Join,
    Moment,
    Part,
    Policy,
    Precedes,
)

PATTERNS = nested_overlapping() | st.sampled_from(list(Policy)).flatmap(overlapping) | ANY_POLICY
STEPS = st.lists(
    st.sampled_from(["add", "remove", "event", "event", "event", "time", "forget", "restart"]),
    max_size=25,
)
AT_ONCE = patch.multiple(crowds, _LEAST_PAUSE=0, _LOOKS_A_STEP=10**9)
"""Compares them whenever something is forgotten."""


class World:
    """One network with all subscriptions, and one for each of them alone."""

    def __init__(self, pattern: Part, events: list[Event]) -> None:
        self.pattern, self.events = pattern, events
        self.network = Network()
        self.alone: dict[str, Network] = {}
        self.found: Emissions = []
        self.expected: Emissions = []
        self.added = 0

    def add(self) -> None:
        assume(not is_over(self.pattern, max(self.network.now, self.network.known)))
        self.added += 1
        name = str(self.added)
        self.network.add(name, self.pattern)
        self.alone[name] = Network()
        self.alone[name].add(name, self.pattern)

    def remove(self) -> None:
        if self.alone:
            name = next(iter(self.alone))
            self.network.remove(name)
            del self.alone[name]

    def event(self) -> None:
        if self.events:
            self.each(lambda network: play(network, self.events[:1]))
            del self.events[0]

    def time(self) -> None:
        if self.events and self.events[0].interval is not None:
            now = self.events[0].interval.end - 1
            self.each(lambda network: network.advance_to(now))

    def forget(self) -> None:
        now = self.network.now
        self.each(lambda network: network.forget_before(now) or [])

    def restart(self) -> None:
        body = json.loads(json.dumps(self.network.snapshot()))
        self.network = Network()
        for name in self.alone:
            self.network.add(name, self.pattern)
        self.network.restore(body)

    def each(self, work: object) -> None:
        self.found += work(self.network)  # type: ignore[operator]
        for network in self.alone.values():
            self.expected += work(network)  # type: ignore[operator]

    def end(self) -> None:
        while self.events:
            self.event()
        self.each(lambda network: network.advance_to(None))


def told(found: Emissions) -> Counter[tuple[object, ...]]:
    return Counter((name, key(each)) for name, each in found)


@given(PATTERNS, timelines(9), STEPS)
def test_each_rings_as_if_it_had_nodes_of_its_own(
    pattern: Part, events: list[Event], steps: list[str]
) -> None:
    assume(not has_clock(pattern))
    world = World(pattern, events)
    with AT_ONCE:
        for step in ["add", *steps]:
            getattr(world, step)()
        world.end()
    assert told(world.found) == told(world.expected)
    for name in list(world.alone):
        world.network.remove(name)
    assert (world.network.operator_count, len(world.network._graph._share_groups)) == (0, 0)


def test_they_are_one_once_they_hold_the_same() -> None:
    pattern = Join((X, Y), then(0, 1), keep=4)
    alone, network = Network(), Network()
    alone.add("s", pattern)
    with AT_ONCE:
        for instant in range(10):
            network.add(str(instant), pattern)
            play(network, [event(instant, "a")])
            network.forget_before(network.now)
        assert network.operator_count > alone.operator_count
        found = play(network, [event(20, "a"), event(21, "b"), event(40, "a")])
        network.forget_before(network.now)
    assert network.operator_count == alone.operator_count
    found += play(network, [event(41, "b")])
    assert Counter(name for name, _ in found) == Counter({str(n): 2 for n in range(10)})


def newcomers(network: Network, pattern: Part, count: int, waiting: int) -> int:
    """They come one by one, while events do that wait for all who are there; gives the time."""
    now = 0
    for number in range(count):
        network.add(str(number), pattern)
        for _ in range(waiting // count):
            now += 1
            play(network, [event(now, "a")])
            network.forget_before(network.now)
    return now


KEPT_FOR = 400
SEQUENCE = Join((X, Y), (Precedes(Moment(0, End.FINISH), Moment(1, End.START)),), keep=KEPT_FOR)
SILENCE = Absence(Y, AfterWindow(X, KEPT_FOR))


@pytest.mark.parametrize("pattern", [SEQUENCE, SILENCE])
def test_they_are_one_once_their_past_is_over_without_being_asked_to(pattern: Part) -> None:
    alone, network = Network(), Network()
    alone.add("s", pattern)
    came = newcomers(network, pattern, 20, 100)
    assert network.operator_count == alone.operator_count + 19
    for instant in range(came + 1, came + 3 * KEPT_FOR, 20):
        play(network, [event(instant, "a")])
        network.advance_to(instant)
        network.forget_before(instant)
    assert network.operator_count == alone.operator_count


@pytest.mark.parametrize("pattern", [SEQUENCE, SILENCE])
def test_what_waits_is_looked_at_once_for_all_that_are_compared(pattern: Part) -> None:
    """Twice as many of them look at nothing that waits twice."""
    looks = {}
    for count in (50, 100):
        network = Network()
        newcomers(network, pattern, count, 300)
        comparison = StateComparison()
        crowds_ = network._graph._share_groups._all[pattern]
        held = {tuple(node.state_key(comparison) for node in each.operators) for each in crowds_}
        assert len(held) == count
        looks[count] = comparison.work
    assert all(work <= 300 + count * count for count, work in looks.items())


@given(st.sampled_from([SEQUENCE, SILENCE]), st.lists(st.sampled_from("AAabR"), max_size=20))
def test_those_who_hold_the_same_are_told_as_snapshots_tell_them(
    pattern: Part, doings: list[str]
) -> None:
    """One comes, an event comes, or the first goes."""
    network, names = Network(), ["0"]
    network.add("0", pattern)
    for number, doing in enumerate(doings, 1):
        if doing == "A":
            names.append(f"{number}")
            network.add(f"{number}", pattern)
        elif doing == "R" and names:
            network.remove(names.pop(0))
        else:
            play(network, [event(number, doing)])
    comparison = StateComparison()
    nodes = [network._graph.operators_of(name)[-1] for name in names]
    told_apart = [node.state_key(comparison) for node in nodes]
    written = [repr(node.snapshot(StateComparison())) for node in nodes]
    assert [a == b for a in told_apart for b in told_apart] == [
        a == b for a in written for b in written
    ]


def test_who_chooses_differently_stays_apart() -> None:
    """The first has one more waiting, and so pairs each that comes with another than the second
    does.
    """
    pattern = Join((X, Y), (), Policy.CHRONICLE, 100)
    network = Network()
    network.add("first", pattern)
    with AT_ONCE:
        play(network, [event(0, "a")])
        network.add("second", pattern)
        count = network.operator_count
        found = play(network, [event(n, letter) for n, letter in enumerate("abab", 1)])
        network.forget_before(network.now)
    assert network.operator_count == count
    pairs = {name: [each.start for who, each in found if who == name] for name, _ in found}
    assert pairs == {"first": [0, 1], "second": [1, 3]}

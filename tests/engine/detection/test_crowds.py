"""Equal subscriptions have their nodes in common, and nobody can tell: each rings as if it were
alone from the moment at which it came.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.engine.detection.test_agreement import ANY_POLICY, expected, is_over, key, play
from tests.engine.detection.test_work import X, Y, event, then
from tests.timelines import has_clock, nested_overlapping, overlapping, timelines
from tocsin.engine.detection.scheduling.network import Network
from tocsin.engine.detection.scheduling.steps import Emissions
from tocsin.engine.detection.sequence import SequenceOperator
from tocsin.events.event import Event
from tocsin.plan.nodes.composites import Absence, AfterWindow, Join, Part, Policy

PATTERNS = nested_overlapping() | st.sampled_from(list(Policy)).flatmap(overlapping) | ANY_POLICY
MOMENTS = st.lists(st.just(0) | st.integers(0, 6), min_size=2, max_size=5)


def counted(found: Emissions, name: str) -> Counter[tuple[object, ...]]:
    return Counter(key(each) for ringing, each in found if ringing == name)


def came_at(moments: Sequence[int], moment: int) -> list[str]:
    return [f"{number}" for number, each in enumerate(moments) if each == moment]


def assert_each_alone(
    found: Emissions, pattern: Part, events: list[Event], moments: Sequence[int], but: str = ""
) -> None:
    for number, moment in enumerate(moments):
        if f"{number}" != but and (moment == 0 or not has_clock(pattern)):
            assert counted(found, f"{number}") == expected(pattern, events[moment:])


@given(PATTERNS, timelines(), MOMENTS, st.integers(0, 7))
def test_each_rings_as_if_it_were_alone(
    pattern: Part, events: list[Event], moments: list[int], leaving: int
) -> None:
    """The first leaves on the way."""
    network, found = Network(), Emissions()
    moments = [min(moment, len(events)) for moment in moments]
    leaving = min(max(leaving, moments[0]), len(events))
    for moment in range(len(events) + 1):
        for name in came_at(moments, moment):
            assume(not is_over(pattern, network.now))
            network.add(name, pattern)
        if moment == leaving:
            network.remove("0")
        found += play(network, events[moment : moment + 1])
    found += network.advance_to(None)
    assert_each_alone(found, pattern, events, moments, but="0")
    for number in range(1, len(moments)):
        network.remove(f"{number}")
    assert (network.operator_count, network.next_timer(), len(network._graph._share_groups)) == (
        0,
        None,
        0,
    )


@given(PATTERNS, timelines(), MOMENTS, st.integers(0, 7), st.booleans())
def test_restarted_anywhere_each_rings_as_if_it_were_alone(
    pattern: Part, events: list[Event], moments: list[int], cut: int, first_is_gone: bool
) -> None:
    """In the new network they are entered in another order, and the first may be gone."""
    network, found = Network(), Emissions()
    moments = [min(moment, cut, len(events)) for moment in moments]
    for moment in range(min(cut, len(events)) + 1):
        for name in came_at(moments, moment):
            assume(not is_over(pattern, network.now))
            network.add(name, pattern)
        if moment < cut:
            found += play(network, events[moment : moment + 1])
    second = Network()
    for number in reversed(range(first_is_gone, len(moments))):
        second.add(f"{number}", pattern)
    second.restore(json.loads(json.dumps(network.snapshot())))
    found += play(second, events[cut:]) + second.advance_to(None)
    assert_each_alone(found, pattern, events, moments, but="0" if first_is_gone else "")


SILENCE = Absence(Y, AfterWindow(X, 100))
SEQUENCE = Join((X, Y), then(0, 1), keep=100)


@pytest.mark.parametrize("pattern", [SEQUENCE, SILENCE])
def test_what_waits_is_kept_once_for_all_who_came_meanwhile(pattern: Part) -> None:
    network = Network()
    for number in range(10):
        network.add(f"{number}", pattern)
        play(network, [event(number, "a")])
    assert network.buffered_count == 10
    waiting = [len(list(network.pending(f"{number}"))) for number in range(10)]
    assert waiting == list(range(10, 0, -1))


def test_those_who_came_meanwhile_ask_once_for_all() -> None:
    network = Network()
    for number in range(10):
        network.add(f"{number}", SEQUENCE)
        play(network, [event(number, "a")])
    found = play(network, [event(9, "b")])
    assert [each.start for _, each in found] == list(range(9))
    nodes = [node for node in network.operators if isinstance(node, SequenceOperator)]
    assert sum(node.tried for node in nodes) == 10


def test_who_came_when_nothing_has_come_since_has_the_node_of_the_one_before() -> None:
    network = Network()
    network.add("first", SEQUENCE)
    play(network, [event(0, "a")])
    network.add("second", SEQUENCE)
    count = network.operator_count
    network.add("third", SEQUENCE)
    assert network.operator_count == count
    found = play(network, [event(1, "a"), event(2, "b"), event(3, "b")])
    assert [(name, each.start) for name, each in found] == [
        ("first", 0),
        ("second", 1),
        ("third", 1),
        ("first", 1),
    ]


@pytest.mark.parametrize("pattern", [SEQUENCE, SILENCE])
def test_too_much_waits_for_those_only_for_whom_it_waits(pattern: Part) -> None:
    network = Network(queue_limit=3)
    network.add("first", pattern)
    play(network, [event(number, "a") for number in range(3)])
    network.add("second", pattern)
    play(network, [event(3, "a")])
    assert network.failures.take_overfull() == ["first"]
    network.remove("first")
    play(network, [event(4, "a"), event(5, "a")])
    assert network.failures.take_overfull() == []
    play(network, [event(6, "a")])
    assert network.failures.take_overfull() == ["second"]


@given(st.sampled_from([SEQUENCE, SILENCE]), st.lists(st.integers(0, 3), max_size=12))
def test_bits_of_those_who_went_are_taken_by_those_who_come(
    pattern: Part, doings: list[int]
) -> None:
    """One comes, the first or the last goes, or an event comes."""
    network, found = Network(), Emissions()
    events: list[Event] = []
    came: dict[str, int] = {}
    for number, doing in enumerate([0, *doings]):
        if doing == 0:
            came[f"{number}"] = len(events)
            network.add(f"{number}", pattern)
        elif doing < 3 and came:
            name = list(came)[doing - 2]
            del came[name]
            network.remove(name)
        else:
            events.append(event(number, "aab"[number % 3]))
            found += play(network, events[-1:])
    found += network.advance_to(None)
    for name, moment in came.items():
        assert counted(found, name) == expected(pattern, events[moment:])


def test_a_name_that_was_taken_before_is_not_taken_for_the_old_one() -> None:
    """Another joins a crowd, its first member leaves and comes again while something waits."""
    pattern = Join((Join((X, Y), then(0, 1)), X))
    events = [event(number, letter) for number, letter in enumerate("abab")]
    network = Network()
    network.add("first", pattern)
    network.add("second", pattern)
    play(network, events[:1])
    network.remove("first")
    network.add("first", pattern)
    found = play(network, events[1:]) + network.advance_to(None)
    assert counted(found, "second") == expected(pattern, events)
    assert counted(found, "first") == expected(pattern, events[1:])
    assert counted(found, "second") != counted(found, "first")

"""The detection network agrees with the reference, for every node kind and policy."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from operator import itemgetter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.timelines import (
    event_at,
    has_clock,
    kind,
    meeting_names,
    nested_overlapping,
    overlapping,
    patterns,
    timelines,
)
from tocsin.engine.detection.scheduling.network import Network
from tocsin.engine.detection.scheduling.steps import Emissions
from tocsin.errors import MeaningProblem
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.events.event import Event
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    DuringWindow,
    Either,
    EveryWindow,
    FixedWindow,
    Join,
    Named,
    Only,
    Part,
    PartAttribute,
    Policy,
    Related,
    parts_of,
)
from tocsin.plan.semantics.occurrence import OccurrenceView
from tocsin.reference.atoms import holds
from tocsin.reference.detection import PatternDetection

ANY_POLICY = st.sampled_from(list(Policy)).flatmap(patterns)


def expected(pattern: Part, events: list[Event]) -> Counter[tuple[object, ...]]:
    detection = PatternDetection(pattern)
    for event in events:
        detection.event(event)
    detection.advance_to(None)
    return Counter(key(each) for each in detection.found)


def key(each: OccurrenceView) -> tuple[object, ...]:
    names = tuple(
        sorted((name, identity(one), one.start, one.end) for name, one in each.names.items())
    )
    rows = tuple(map(repr, each.rows))  # 1 and 1.0 are equal, but a match tells them apart
    return (identity(each), each.start, each.end, names, each.absences, rows)


def identity(each: OccurrenceView) -> tuple[tuple[str, str], ...]:
    return tuple(member.identity for member in each.members)


def play(network: Network, events: list[Event]) -> Emissions:
    found: Emissions = []
    for event in events:
        found += network.event(event, [atom for atom in network.atoms if holds(atom, event)])
    return found


@given(ANY_POLICY, timelines())
def test_the_network_agrees_with_the_reference(pattern: Part, events: list[Event]) -> None:
    network = Network()
    network.add("s", pattern)
    found = play(network, events) + network.advance_to(None)
    assert Counter(key(each) for _, each in found) == expected(pattern, events)


@pytest.mark.parametrize("policy", list(Policy), ids=lambda policy: policy.value)
@given(data=st.data())
def test_one_event_in_several_roles(policy: Policy, data: st.DataObject) -> None:
    pattern, events = data.draw(overlapping(policy)), data.draw(timelines())
    network = Network()
    network.add("s", pattern)
    found = play(network, events) + network.advance_to(None)
    assert Counter(key(each) for _, each in found) == expected(pattern, events)


def assert_same_restarted(pattern: Part, events: list[Event], cut: int) -> None:
    """A network that takes over from another after some events rings as the reference says."""
    first, second = Network(), Network()
    first.add("s", pattern)
    second.add("s", pattern)
    found = play(first, events[:cut])
    second.restore(json.loads(json.dumps(first.snapshot())))
    found += play(second, events[cut:]) + second.advance_to(None)
    assert Counter(key(each) for _, each in found) == expected(pattern, events)


@given(nested_overlapping(), timelines(), st.integers(0, 7))
def test_several_roles_under_several_policies_restarted_anywhere(
    pattern: Part, events: list[Event], cut: int
) -> None:
    assert_same_restarted(pattern, events, cut)


@given(st.sampled_from(list(Policy)).flatmap(meeting_names), timelines(), st.integers(0, 7))
def test_names_that_meet_restarted_anywhere(pattern: Part, events: list[Event], cut: int) -> None:
    assert_same_restarted(pattern, events, cut)


@given(st.lists(ANY_POLICY, min_size=2, max_size=4), timelines())
def test_sharing_never_shows(many: list[Part], events: list[Event]) -> None:
    network = Network()
    for number, pattern in enumerate(many):
        network.add(str(number), pattern)
    found = play(network, events) + network.advance_to(None)
    for number, pattern in enumerate(many):
        mine = Counter(key(each) for name, each in found if name == str(number))
        assert mine == expected(pattern, events)


@given(ANY_POLICY, timelines(), st.integers(0, 7))
def test_restarted_anywhere_is_as_never_restarted(
    pattern: Part, events: list[Event], cut: int
) -> None:
    assert_same_restarted(pattern, events, cut)


def is_over(part: Part, now: int) -> bool:
    match part:
        case Absence(_, FixedWindow(start, length)) | Only(_, DuringWindow(start, length)) if (
            start + length <= now
        ):
            return True
        case _:
            return any(is_over(inner, now) for inner in parts_of(part))


def test_a_newcomer_counts_windows_that_come_again_from_the_next_that_starts() -> None:
    network = Network()
    pattern = Absence(kind("a"), EveryWindow(10))
    network.add("early", pattern)
    network.event(event_at(3), [])
    network.add("late", pattern)
    found = [(name, each.start, each.end) for name, each in network.advance_to(30)]
    expected_ends = [
        ("early", 0, 10),
        ("early", 10, 20),
        ("late", 10, 20),
        ("early", 20, 30),
        ("late", 20, 30),
    ]
    # within an instant no order is promised
    assert sorted(found, key=itemgetter(2, 0)) == expected_ends


@pytest.mark.parametrize(
    "windowed",
    [
        lambda length: Absence(kind("b"), FixedWindow(0, length)),
        lambda length: Only(kind("b"), DuringWindow(0, length)),
        lambda length: Join(
            (kind("a"), Either((kind("c"), Absence(kind("b"), FixedWindow(0, length)))))
        ),
    ],
    ids=["absence", "happening", "somewhere inside"],
)
def test_a_window_that_is_over_is_refused_and_changes_nothing(
    windowed: Callable[[int], Part],
) -> None:
    network = Network()
    network.add("clock", kind("a"))
    network.event(event_at(5), [])
    with pytest.raises(MeaningProblem, match="WindowInPast"):
        network.add("s", windowed(5))
    network.add("s", windowed(6))
    network.advance_to(7)
    with pytest.raises(MeaningProblem, match="WindowInPast"):
        network.add("t", windowed(7))
    assert len(network) == 2


def test_a_window_that_is_not_over_rings() -> None:
    network = Network()
    network.event(event_at(5), [])
    network.add("s", Absence(kind("b"), FixedWindow(0, 6)))
    assert [name for name, _ in network.advance_to(None)] == ["s"]


@given(st.lists(ANY_POLICY, min_size=1, max_size=3), timelines(), st.integers(0, 7))
def test_a_subscription_counts_from_when_it_is_added_and_leaves_nothing_behind(
    many: list[Part], events: list[Event], cut: int
) -> None:
    network = Network()
    for number, pattern in enumerate(many):
        network.add(f"early {number}", pattern)
    found = play(network, events[:cut])
    assume(not any(is_over(pattern, network.now) for pattern in many))
    for number, pattern in enumerate(many):
        network.add(f"late {number}", pattern)
    found += play(network, events[cut:]) + network.advance_to(None)
    for number, pattern in enumerate(many):
        late = Counter(key(each) for name, each in found if name == f"late {number}")
        if not has_clock(pattern):
            assert late == expected(pattern, events[cut:])
        early = Counter(key(each) for name, each in found if name == f"early {number}")
        assert early == expected(pattern, events)
    for number in range(len(many)):
        network.remove(f"early {number}")
        network.remove(f"late {number}")
    assert (len(network), network.operator_count, network.next_timer()) == (0, 0, None)


@pytest.mark.parametrize(
    "data", [{"k": 1}, {"k": 1, "v": 2}, {"v": 2}, {"k": [1], "v": 2}], ids=str
)
def test_who_has_a_key_and_lacks_an_attribute_is_ended_by_nothing(data: dict[str, object]) -> None:
    same = Related(PartAttribute("p", ("v",)), "=", PartAttribute("q", ("v",)))
    window = AfterWindow(Named("p", kind("a")), 4)
    pattern = Absence(Named("q", kind("b")), window, (same,), by=(("k",),))
    events = [
        from_mapping(event_at(1).envelope | {"data": {"kind": "a"} | data}),
        from_mapping(event_at(2, "b").envelope | {"data": {"kind": "b", "k": 1, "v": 2}}),
    ]
    network = Network()
    network.add("s", pattern)
    found = play(network, events) + network.advance_to(None)
    assert Counter(key(each) for _, each in found) == expected(pattern, events)

"""Counting, measures over time, changes and keys: the network agrees with the reference, restarted
anywhere, in any company.
"""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.detection.test_agreement import assert_same_restarted, expected, key, play
from tests.measured_worlds import gatherings, held_states, keyed, slidings, state_changes
from tests.timelines import ATOMS, parts, timelines
from tocsin.engine.detection.scheduling.network import Network
from tocsin.events.event import Event
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    BeforeWindow,
    BetweenWindow,
    Gathered,
    Join,
    Part,
    Policy,
)

INNER = st.one_of(ATOMS, parts(Policy.DEFERRED))
KINDS = {
    "sliding": slidings(ATOMS),
    "change": state_changes(ATOMS),
    "held": held_states(),
    "gathered": st.sampled_from(list(Policy)).flatmap(lambda p: gatherings(ATOMS, ATOMS, p)),
    "gathered around more": gatherings(INNER, ATOMS, Policy.DEFERRED),
    "keyed": st.sampled_from(list(Policy)).flatmap(lambda policy: keyed(ATOMS, ATOMS, policy)),
}
ANY = st.one_of(*KINDS.values())


@pytest.mark.parametrize("name", KINDS)
@given(data=st.data())
def test_the_network_agrees_with_the_reference(name: str, data: st.DataObject) -> None:
    pattern, events = data.draw(KINDS[name]), data.draw(timelines())
    network = Network()
    network.add("s", pattern)
    found = play(network, events) + network.advance_to(None)
    assert Counter(key(each) for _, each in found) == expected(pattern, events)


@pytest.mark.parametrize("name", KINDS)
@given(data=st.data())
def test_restarted_anywhere_is_as_never_restarted(name: str, data: st.DataObject) -> None:
    pattern, events, cut = (
        data.draw(KINDS[name]),
        data.draw(timelines()),
        data.draw(st.integers(0, 7)),
    )
    assert_same_restarted(pattern, events, cut)


@given(st.lists(ANY, min_size=2, max_size=4), timelines(), st.integers(0, 7))
def test_company_never_shows_and_all_goes_when_it_goes(
    many: list[Part], events: list[Event], cut: int
) -> None:
    """Equal parts are one, groups are shared; what is told is what each alone would tell."""
    network = Network()
    for number, pattern in enumerate([*many, *many]):
        network.add(str(number), pattern)
    found = play(network, events[:cut])
    for number in range(len(many), 2 * len(many)):
        network.remove(str(number))
    found += play(network, events[cut:]) + network.advance_to(None)
    for number, pattern in enumerate(many):
        mine = Counter(key(each) for name, each in found if name == str(number))
        assert mine == expected(pattern, events)
        network.remove(str(number))
    assert network.operator_count == 0
    assert len(list(network.pending())) == 0


@given(ANY, timelines())
def test_forgetting_in_between_never_shows(pattern: Part, events: list[Event]) -> None:
    network = Network()
    network.add("s", pattern)
    found = []
    for event in events:
        found += play(network, [event])
        network.forget_before(event.order[0])
    found += network.advance_to(None)
    assert Counter(key(each) for _, each in found) == expected(pattern, events)


@given(ANY, timelines(), st.integers(0, 7))
def test_a_newcomer_counts_from_when_it_comes(pattern: Part, events: list[Event], cut: int) -> None:
    """What came before it is nothing to it, though another shares its parts."""
    network = Network()
    network.add("old", pattern)
    play(network, events[:cut])
    network.advance_to(events[cut - 1].order[0] if 0 < cut <= len(events) else None)
    alone, beside = Network(), network
    alone.add("new", pattern)
    beside.add("new", pattern)
    later = [event for event in events[cut:] if event.order[0] > network.now]
    if network.has_begun and later:
        alone.begin_at(network.known)
        told = [play(each, later) + each.advance_to(None) for each in (alone, beside)]
        counts = [Counter(key(each) for name, each in found if name == "new") for found in told]
        assert counts[0] == counts[1] or _has_windows(pattern)


def _has_windows(pattern: Part) -> bool:
    """Whether it counts windows that come again, which a newcomer does from the next on."""
    return getattr(pattern, "every", None) is not None


@given(st.sampled_from(list(Policy)).flatmap(lambda p: gatherings(ATOMS, ATOMS, p)), timelines())
def test_a_part_that_counts_can_be_followed(pattern: Part, events: list[Event]) -> None:
    whole = Join((pattern, pattern), policy=Policy.UNRESTRICTED, keep=3)
    network = Network()
    network.add("s", whole)
    found = play(network, events) + network.advance_to(None)
    assert Counter(key(each) for _, each in found) == expected(whole, events)


@given(
    st.sampled_from(list(Policy)),
    st.tuples(ATOMS, ATOMS, ATOMS),
    st.integers(0, 4),
    st.sampled_from([(), (("v",),)]),
    timelines(),
)
def test_an_absence_is_what_is_gathered_with_nothing(
    policy: Policy,
    atoms: tuple[Part, Part, Part],
    length: int,
    by: tuple[tuple[str, ...], ...],
    events: list[Event],
) -> None:
    counted, first, last = atoms
    for window in (
        AfterWindow(first, length),
        BetweenWindow(first, last),
        BeforeWindow(last, length, whole=True),
    ):
        absence = Absence(counted, window, policy=policy, keep=9, by=by)
        nothing = Gathered(counted, window, 0, 0, policy=policy, keep=9, by=by)
        rung = [
            Counter((each[0], each[2]) for each in expected(part, events).elements())
            for part in (absence, nothing)
        ]
        assert rung[0] == rung[1]

"""Two events, each used once, for many subscriptions at a time: as the reference says, and as the
join that serves each subscription for itself.
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import permutations
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.detection.test_agreement import expected, key
from tests.engine.detection.test_families import found_by
from tests.timelines import ATOMS, conditions, event_at, kind, timelines
from tocsin.engine.detection import operator_selection as node_choice
from tocsin.engine.detection import pair_table
from tocsin.engine.detection.join import PairJoinOperator
from tocsin.engine.detection.scheduling.network import Network
from tocsin.engine.detection.scheduling.steps import Emissions
from tocsin.engine.detection.single_use import SingleUseOperator
from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import AnyOf, Atom, Condition, Equals
from tocsin.plan.nodes.composites import End, Join, Moment, Part, Policy, Precedes, Stands
from tocsin.reference.atoms import holds
from tocsin.values.scalars import Constant

V = Condition(Equals(("v",), Constant.of(1)))
KEPT = st.sampled_from([0, 2, 5])


@st.composite
def pairs(draw: st.DrawFn) -> Part:
    """Two atoms, which one event may both be."""
    atoms = ATOMS | st.just(V)
    return Join((draw(atoms), draw(atoms)), draw(conditions(2)), Policy.CHRONICLE, draw(KEPT))


MANY = st.lists(pairs(), min_size=1, max_size=6)
FEW = st.sampled_from([0, pair_table.MAX_PAIRS_IN_PYTHON])
"""Whether the loop is compiled, or runs as it is written."""
TURNS = st.randoms(use_true_random=False)


def played(
    network: Network, events: list[Event], turns: object, few: int = pair_table.MAX_PAIRS_IN_PYTHON
) -> Emissions:
    """The atoms of an event come in any order."""
    found: Emissions = []
    with patch.object(pair_table, "MAX_PAIRS_IN_PYTHON", few):
        for event in events:
            atoms: list[Atom] = [atom for atom in network.atoms if holds(atom, event)]
            turns.shuffle(atoms)  # type: ignore[attr-defined]
            found += network.event(event, atoms)
    return found


@given(MANY, timelines(9), st.integers(0, 9), TURNS, FEW)
def test_each_finds_its_own_also_after_a_restart(
    many: list[Part], events: list[Event], cut: int, turns: object, few: int
) -> None:
    first, second = Network(), Network()
    for number, pattern in enumerate(many):
        first.add(str(number), pattern)
        second.add(str(number), pattern)
    found = played(first, events[:cut], turns, few)
    second.restore(json.loads(json.dumps(first.snapshot())))
    found += played(second, events[cut:], turns, few) + second.advance_to(None)
    for number, pattern in enumerate(many):
        assert found_by(found, str(number)) == expected(pattern, events)


@given(MANY, timelines(9), st.integers(0, 9), TURNS)
def test_who_comes_later_sees_nothing_of_before_and_who_goes_takes_nothing_along(
    many: list[Part], events: list[Event], cut: int, turns: object
) -> None:
    network = Network()
    for number, pattern in enumerate(many):
        network.add(f"early {number}", pattern)
        network.add(f"brief {number}", pattern)
    found = played(network, events[:cut], turns)
    for number, pattern in enumerate(many):
        network.add(f"late {number}", pattern)
        network.remove(f"brief {number}")
    network.forget_before(network.now)
    found += played(network, events[cut:], turns)
    for number, pattern in enumerate(many):
        assert found_by(found, f"early {number}") == expected(pattern, events)
        assert found_by(found, f"late {number}") == expected(pattern, events[cut:])
        network.remove(f"early {number}")
        network.remove(f"late {number}")
    assert (network.operator_count, network.next_timer()) == (0, None)


def as_pairs(many: list[Part]) -> Network:
    """A network in which every join is served for itself."""
    network = Network()
    with patch.object(node_choice, "is_single_use", return_value=False):
        for number, pattern in enumerate(many):
            network.add(str(number), pattern)
    assert not any(isinstance(node, SingleUseOperator) for node in network.operators)
    return network


@given(MANY, timelines(9), st.sets(st.integers(0, 8)), st.integers(0, 9), TURNS, FEW)
def test_events_that_come_twice_are_used_as_by_the_join_of_one(
    many: list[Part], events: list[Event], twice: set[int], cut: int, turns: object, few: int
) -> None:
    """What waits is the same too, at any moment."""
    repeated = [event for number, event in enumerate(events) for _ in range(1 + (number in twice))]
    network, oracle = Network(), as_pairs(many)
    for number, pattern in enumerate(many):
        network.add(str(number), pattern)
    found = played(network, repeated[:cut], turns, few)
    wanted = played(oracle, repeated[:cut], turns)
    for each in (network, oracle):
        each.forget_before(each.now)
    assert waiting(network, many) == waiting(oracle, many)
    found += played(network, repeated[cut:], turns, few)
    wanted += played(oracle, repeated[cut:], turns)
    for number in range(len(many)):
        assert found_by(found, str(number)) == found_by(wanted, str(number))


def waiting(network: Network, many: list[Part]) -> list[Counter[tuple[object, ...]]]:
    return [
        Counter((each.slot, each.until, key(each.occurrence)) for each in network.pending(str(n)))
        for n in range(len(many))
    ]


@pytest.mark.parametrize("swapped", [False, True])
def test_an_event_that_is_both_is_used_once(swapped: bool) -> None:
    """Two that cannot pair with each other wait, one at each slot; it could pair with either."""
    either_end = Condition(AnyOf((kind_is("c"), kind_is("b"))))
    start = Condition(AnyOf((kind_is("c"), kind_is("a"))))
    parts = (either_end, start) if swapped else (start, either_end)
    pattern = Join(parts, (Stands(0, "UnEquals", 1),), Policy.CHRONICLE, 5)
    events = [event_at(1, "a"), event_at(1, "b"), event_at(2, "c"), event_at(3, "c")]
    for order in permutations(parts):
        network = Network()
        network.add("s", pattern)
        found: Emissions = []
        for event in events:
            found += network.event(event, [atom for atom in order if holds(atom, event)])
        assert found_by(found, "s") == expected(pattern, events)
        assert len(found) == 2


def kind_is(letter: str) -> Equals:
    return Equals(("kind",), Constant.of(letter))


def test_this_is_the_node_under_test() -> None:
    network = Network()
    network.add("both", Join((kind("a"), kind("b")), (), Policy.CHRONICLE, 4))
    after = (Precedes(Moment(0, End.FINISH), Moment(1, End.START)),)
    network.add("then", Join((kind("a"), kind("b")), after, Policy.CHRONICLE, 4))
    network.add("twice", Join((kind("a"), kind("a")), (), Policy.CHRONICLE, 4))
    kinds = Counter(type(node) for node in network.operators)
    assert (kinds[SingleUseOperator], kinds[PairJoinOperator]) == (2, 1)


def test_only_nodes_with_something_to_pair_are_asked() -> None:
    """A hundred pairs that have the first event in common: where it waits, nobody is asked."""
    network = Network()
    letters = [Condition(Equals(("kind",), Constant.of(f"k{n}"))) for n in range(100)]
    for number, letter in enumerate(letters):
        network.add(str(number), Join((kind("a"), letter), (), Policy.CHRONICLE, 1000))
    nodes = [node for node in network.operators if isinstance(node, SingleUseOperator)]
    for instant in range(50):
        network.event(event_at(instant, "a"), [kind("a")])
    assert sum(node.tried for node in nodes) == 0
    found = network.event(event_at(50, "k7"), [letters[7]])
    assert [name for name, _ in found] == ["7"]
    assert sum(node.tried > 0 for node in nodes) == 1

"""Subscriptions that share what they wait for: one event then another, one event without another,
many at a time.
"""

from __future__ import annotations

import json
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tests.engine.detection.test_agreement import expected, key, play
from tests.timelines import kind, timelines
from tocsin.engine.detection.absence_after import AtomAbsenceOperator
from tocsin.engine.detection.scheduling.network import Network
from tocsin.engine.detection.scheduling.steps import Emissions
from tocsin.engine.detection.sequence import SequenceOperator
from tocsin.events.event import Event
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    End,
    Join,
    JoinCondition,
    Moment,
    Named,
    Part,
    PartAttribute,
    Precedes,
    Related,
)

LETTERS = st.sampled_from("ab")
WINDOWS = st.sampled_from([0, 2, 4])
RELATIONS = st.lists(st.sampled_from(["=", "<>", "<", ">="]), max_size=2, unique=True)


def related(relation: str) -> Related:
    return Related(PartAttribute("y", ("v",)), relation, PartAttribute("x", ("v",)))


@st.composite
def families(draw: st.DrawFn) -> Part:
    """X then Y, written in either order, or X without Y."""
    x, y = Named("x", kind(draw(LETTERS))), Named("y", kind(draw(LETTERS)))
    window = draw(WINDOWS)
    if draw(st.booleans()):
        return Absence(
            y,
            AfterWindow(x, window),
            tuple(map(related, draw(st.sampled_from([[], ["="], [">="]])))),
        )
    first = draw(st.sampled_from([0, 1]))
    conditions: tuple[JoinCondition, ...] = (
        Precedes(Moment(first, End.FINISH), Moment(1 - first, End.START)),
        Precedes(
            Moment(1 - first, End.FINISH), Moment(first, End.FINISH), -window, draw(st.booleans())
        ),
        *map(related, draw(RELATIONS)),
    )
    return Join((y, x) if first else (x, y), conditions)


def found_by(found: Emissions, name: str) -> Counter[tuple[object, ...]]:
    return Counter(key(each) for subscription, each in found if subscription == name)


@given(st.lists(families(), min_size=1, max_size=6), timelines(9), st.integers(0, 9))
def test_each_finds_its_own_also_after_a_restart(
    many: list[Part], events: list[Event], cut: int
) -> None:
    first, second = Network(), Network()
    for number, pattern in enumerate(many):
        first.add(str(number), pattern)
        second.add(str(number), pattern)
    found = play(first, events[:cut])
    second.restore(json.loads(json.dumps(first.snapshot())))
    found += play(second, events[cut:]) + second.advance_to(None)
    for number, pattern in enumerate(many):
        assert found_by(found, str(number)) == expected(pattern, events)


@given(st.lists(families(), min_size=1, max_size=4), timelines(9), st.integers(0, 9))
def test_who_comes_later_sees_nothing_of_before_and_who_goes_takes_nothing_along(
    many: list[Part], events: list[Event], cut: int
) -> None:
    network = Network()
    for number, pattern in enumerate(many):
        network.add(f"early {number}", pattern)
        network.add(f"brief {number}", pattern)
    found = play(network, events[:cut])
    for number, pattern in enumerate(many):
        network.add(f"late {number}", pattern)
        network.remove(f"brief {number}")
    network.forget_before(network.now)
    found += play(network, events[cut:]) + network.advance_to(None)
    for number, pattern in enumerate(many):
        assert found_by(found, f"early {number}") == expected(pattern, events)
        assert found_by(found, f"late {number}") == expected(pattern, events[cut:])
        network.remove(f"early {number}")
        network.remove(f"late {number}")
    assert (network.operator_count, network.next_timer()) == (0, None)


def test_these_are_the_nodes_under_test() -> None:
    network = Network()
    network.add(
        "then",
        Join(
            (kind("a"), kind("b")), (Precedes(Moment(0, End.FINISH), Moment(1, End.START)),), keep=4
        ),
    )
    network.add("without", Absence(kind("b"), AfterWindow(kind("a"), 4)))
    kinds = {type(node) for node in network.operators}
    assert {SequenceOperator, AtomAbsenceOperator} < kinds

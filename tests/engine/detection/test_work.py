"""What detection costs, by counting: candidates tried, nodes at work, what is held. Times are for
benchmarks.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.builders import build_event
from tests.timelines import kind
from tocsin.engine.detection.absence_after import AtomAbsenceOperator
from tocsin.engine.detection.base import Operator
from tocsin.engine.detection.join import JoinOperator
from tocsin.engine.detection.scheduling.network import Network
from tocsin.engine.detection.scheduling.steps import Emissions
from tocsin.engine.detection.sequence import FirstEventBuffer, SequenceOperator  # type: ignore[attr-defined]
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
    Policy,
    Precedes,
    Related,
)
from tocsin.reference.atoms import holds

WINDOW = 10
X, Y, Z = (Named(name, kind(letter)) for name, letter in zip("xyz", "abc", strict=True))


def same_key(left: str, right: str) -> Related:
    return Related(PartAttribute(left, ("key",)), "=", PartAttribute(right, ("key",)))


def then(earlier: int, later: int) -> tuple[JoinCondition, ...]:
    return (
        Precedes(Moment(earlier, End.FINISH), Moment(later, End.START)),
        Precedes(Moment(later, End.FINISH), Moment(earlier, End.FINISH), -WINDOW, or_equal=True),
    )


def event(number: int, letter: str, **data: Any) -> Event:
    return build_event(f"e{number}", time=number, data={"kind": letter, **data})


def play(network: Network, *events: Event) -> Emissions:
    return [
        each
        for one in events
        for each in network.event(one, [atom for atom in network.atoms if holds(atom, one)])
    ]


def tried(network: Network) -> int:
    return sum(
        node.tried for node in nodes(network) if isinstance(node, JoinOperator | SequenceOperator)
    )


def nodes(network: Network) -> list[Operator]:
    return list(network.operators)


def network_of(*patterns: Part) -> Network:
    network = Network()
    for number, pattern in enumerate(patterns):
        network.add(str(number), pattern)
    return network


def test_an_equality_lets_only_the_same_key_be_tried() -> None:
    network = network_of(Join((X, Y), (*then(0, 1), same_key("x", "y"))))
    play(network, *(event(number, "a", key=number) for number in range(8)))
    assert [name for name, _ in play(network, event(9, "b", key=3))] == ["0"]
    assert tried(network) == 1


def test_equalities_through_a_third_part_are_a_key_for_all_three() -> None:
    pattern = Join((X, Y, Z), (*then(0, 1), *then(1, 2), same_key("x", "y"), same_key("y", "z")))
    network = network_of(pattern)
    play(network, *(event(number, "ab"[number % 2], key=number // 2) for number in range(8)))
    found = play(network, event(9, "c", key=2))
    assert [each.identity for _, each in found] == [(("s", "e4"), ("s", "e5"), ("s", "e9"))]
    assert tried(network) == 1


def test_parts_with_a_name_in_common_are_tried_where_it_is_the_same() -> None:
    one, other = Join((X, Y), then(0, 1)), Join((Y, X), then(1, 0))
    pattern = Join((one, other), (), Policy.UNRESTRICTED)
    network = network_of(pattern)
    pairs = [(event(100 * number, "a"), event(100 * number + 1, "b")) for number in range(20)]
    found = play(network, *(each for pair in pairs for each in pair))
    assert [each.members for _, each in found] == pairs
    (root,) = [node for node in nodes(network) if node.part == pattern]
    assert isinstance(root, JoinOperator)
    assert root.tried == len(pairs)


def test_true_is_no_key_of_one_and_what_has_no_key_is_not_tried() -> None:
    network = network_of(Join((X, Y), (*then(0, 1), same_key("x", "y"))))
    play(
        network, event(0, "a", key=1), event(1, "a"), event(2, "a", key=[1]), event(3, "a", key="1")
    )
    assert play(network, event(4, "b", key=True), event(5, "b"), event(6, "b", key=[1])) == []
    assert tried(network) == 0
    assert len(play(network, event(7, "b", key=1.0))) == 1


def test_what_can_only_come_last_does_not_wait() -> None:
    network = network_of(Join((X, Y), then(0, 1)))
    play(network, event(0, "b"), event(1, "b"), event(2, "a"))
    assert len(list(network.pending())) == 1
    assert tried(network) == 0


def test_equal_subscriptions_with_names_are_one_node_until_it_holds_something() -> None:
    pattern = Join((X, Y), (*then(0, 1), same_key("x", "y")))
    network = network_of(*[pattern] * 50)
    assert network.operator_count == 5
    play(network, event(0, "a", key=1))
    network.add("late", pattern)
    assert network.operator_count == 6
    assert len(play(network, event(1, "b", key=1))) == 50


def test_names_with_a_scope_are_shared_by_equal_subscriptions_only() -> None:
    scoped = Join((Join((X, Y), then(0, 1)), X))
    other = Join((Join((X, Y), then(0, 1)), X), then(0, 1))
    of_one = len({"a", "b", "y", "x", "inner", "outer"})
    assert network_of(*[scoped] * 50).operator_count == of_one
    assert network_of(scoped, other).operator_count == len({"a", "b", "y"}) + 2 * 3


def test_only_nodes_with_something_to_forget_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[Operator] = []
    monkeypatch.setattr(
        FirstEventBuffer, "forget_before", _noting(FirstEventBuffer.forget_before, looked_at)
    )
    network = network_of(
        *(Join((kind("a"), kind("b")), then(0, 1), keep=length) for length in range(1, 6))
    )
    play(network, event(0, "a"))
    network.forget_before(1)
    assert looked_at == []
    network.forget_before(4)
    assert len(looked_at) == 3
    assert len(list(network.pending())) == 2


def _noting(
    forget: Callable[[FirstEventBuffer, int], None], looked_at: list[Operator]
) -> Callable[[FirstEventBuffer, int], None]:
    def noted(node: FirstEventBuffer, now: int) -> None:
        looked_at.append(node)
        forget(node, now)

    return noted


def test_silence_needs_one_timer_however_many_wait() -> None:
    network = network_of(Absence(kind("b"), AfterWindow(kind("a"), WINDOW)))
    play(network, *(event(number, "a") for number in range(8)))
    assert len(network._timers.waiting) == 1
    assert [each.end for _, each in network.advance_to(None)] == [
        number + WINDOW for number in range(8)
    ]


def test_what_was_ended_is_not_held_until_its_deadline() -> None:
    network = network_of(Absence(Y, AfterWindow(X, 10**9), (same_key("x", "y"),)))
    for number in range(0, 4000, 2):
        play(network, event(number, "a", key=number % 10), event(number + 1, "b", key=number % 10))
    [node] = [node for node in nodes(network) if isinstance(node, AtomAbsenceOperator)]
    assert len(list(node.deadlines.waiting())) < 200
    assert len(list(network.pending())) == 0


def test_a_shared_part_is_written_once_and_any_of_its_subscriptions_may_be_gone_when_it_is_read() -> (
    None
):
    pattern = Join((X, Y), (*then(0, 1), same_key("x", "y")))
    network = network_of(pattern, pattern)
    play(network, event(0, "a", key=1))
    state = json.loads(json.dumps(network.snapshot()))
    assert json.dumps(state["nodes"]).count("queues") == 1
    second = Network()
    second.add("1", pattern)
    second.restore(state)
    assert [name for name, _ in play(second, event(1, "b", key=1))] == ["1"]


def test_what_is_removed_leaves_no_timer() -> None:
    pattern = Absence(kind("b"), AfterWindow(kind("a"), WINDOW))
    network = network_of(pattern, Absence(kind("c"), AfterWindow(kind("a"), 2 * WINDOW)))
    play(network, event(0, "a"))
    network.remove("0")
    assert network.next_timer() == 2 * WINDOW
    assert [(name, each.end) for name, each in network.advance_to(None)] == [("1", 2 * WINDOW)]


def test_what_comes_first_is_kept_once_for_all_who_wait_for_it() -> None:
    patterns = [
        Join((X, Named("y", kind(letter))), (*then(0, 1), same_key("x", "y")))
        for letter in "bcdefg"
    ]
    network = network_of(*patterns)
    play(network, *(event(number, "a", key=number) for number in range(5)))
    lines = {
        id(node.buffer): node.buffer
        for node in nodes(network)
        if isinstance(node, SequenceOperator)
    }
    assert [len(line.queue) for line in lines.values()] == [5]
    assert [
        name
        for name, _ in play(
            network, event(6, "b", key=3), event(7, "b", key=3), event(8, "c", key=3)
        )
    ] == [
        "0",
        "1",
    ]


def test_what_is_kept_is_counted_once_for_all_who_wait_for_it() -> None:
    followed = [
        Join((X, Named("y", kind(letter))), (*then(0, 1), same_key("x", "y")), keep=100)
        for letter in "bcdefg"
    ]
    network = network_of(*followed, Absence(Y, AfterWindow(X, 100), (same_key("x", "y"),)))
    assert network.buffered_count == 0
    play(network, *(event(number, "a", key=number) for number in range(5)))
    in_line, by_deadline = 5, 5
    assert network.buffered_count == in_line + by_deadline
    assert len(list(network.pending())) == len(followed) * in_line + by_deadline
    network.advance_to(1000)
    network.forget_before(1000)
    assert network.buffered_count == len(list(network.pending())) == 0


def test_the_line_of_a_single_node_does_not_keep_what_is_used_up() -> None:
    network = network_of(Join((X, Y), (*then(0, 1), same_key("x", "y"))))
    play(network, event(0, "a", key=1), event(1, "b", key=1))
    [node] = [node for node in nodes(network) if isinstance(node, SequenceOperator)]
    assert len(node.buffer.queue) == 0


def test_starts_are_remembered_no_longer_than_a_window_asks() -> None:
    network = network_of(Absence(Y, AfterWindow(X, WINDOW), (same_key("x", "y"),)))
    play(network, *(event(number, "b", key=number) for number in range(5000)))
    [node] = [node for node in nodes(network) if isinstance(node, AtomAbsenceOperator)]
    assert len(node.absent.starts) < 1100

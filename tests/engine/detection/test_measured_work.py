"""What counting and changes cost, by counting: windows asked, what is held, who is told."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from tests.builders import build_event
from tests.timelines import kind
from tocsin.engine.detection.change import SharedChangeState
from tocsin.engine.detection.scheduling.network import Network
from tocsin.engine.detection.sliding import SlidingOperator
from tocsin.errors import StateProblem
from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import Condition, Equals, Ordered
from tocsin.plan.nodes.composites import (
    AfterWindow,
    Change,
    Gathered,
    Part,
    Sliding,
    is_one_event,
)
from tocsin.plan.nodes.expressions import Aggregate, Measure, Ring
from tocsin.plan.passes.simplify import fold_states
from tocsin.reference.atoms import holds
from tocsin.values.scalars import Constant

A, B = kind("a"), kind("b")
BY = (("key",),)
V = ("v",)


def event(instant: int, number: int, letter: str = "b", **data: Any) -> Event:
    return build_event(f"e{number}", time=instant, data={"kind": letter, **data})


def play(network: Network, *events: Event) -> int:
    """How many rings."""
    return sum(
        len(network.event(one, [atom for atom in network.atoms if holds(atom, one)]))
        for one in events
    )


def only(network: Network, kind_of_node: type) -> Any:
    return next(node for node in network.operators if isinstance(node, kind_of_node))


@pytest.mark.parametrize(
    ("aggregate", "relation"),
    [(each, relation) for each in Aggregate for relation in (">=", "<")],
)
def test_a_window_is_asked_a_few_times_for_each_event_however_much_lies_in_it(
    aggregate: Aggregate, relation: str
) -> None:
    measure = Measure(aggregate, () if aggregate is Aggregate.COUNT else V)
    asked = []
    for held in (10, 1000):
        network = Network()
        network.add("s", Sliding(B, measure, relation, 10**9, held, by=BY))
        play(network, *(event(n, n, key=1, v=n % 7) for n in range(2_000)))
        asked.append(only(network, SlidingOperator).evaluated)
    assert max(asked) <= 4 * 2_000
    assert max(asked) <= 1.1 * min(asked)


def test_what_only_more_can_fulfil_sets_no_timers() -> None:
    network = Network()
    network.add("s", Sliding(B, Measure(Aggregate.COUNT), ">=", 3, 10, by=BY))
    play(network, *(event(n, n, key=n % 10) for n in range(1_000)))
    assert network.next_timer() is None


def test_keys_that_nothing_is_left_of_are_freed() -> None:
    network = Network()
    network.add("s", Sliding(B, Measure(Aggregate.SUM, V), ">", 5, 10, by=BY))
    network.add("few", Sliding(B, Measure(Aggregate.COUNT), "<", 5, 10, by=BY, keep=20))
    play(network, *(event(n, n, key=n, v=1) for n in range(1_000)))
    nodes = [node for node in network.operators if isinstance(node, SlidingOperator)]
    network.forget_before(999)
    assert len(nodes[0]._windows) <= 11
    assert len(nodes[1]._windows) <= 32
    network.advance_to(2_000)
    network.forget_before(2_000)
    assert [node.buffered_count for node in nodes] == [0, 0]
    assert all(node.is_empty for node in nodes)


def test_what_is_used_up_is_kept_no_longer_than_its_window() -> None:
    network = Network()
    network.add("s", Sliding(B, Measure(Aggregate.COUNT), ">=", 2, 10, ring=Ring.ONCE, by=BY))
    rings = play(network, *(event(n, n, key=0) for n in range(1_000)))
    node = only(network, SlidingOperator)
    assert rings == 500 - 1  # the last pair is known when the instant is over
    assert node.buffered_count <= 11
    assert len(list(node.pending())) <= 2


def test_an_event_costs_what_is_true_of_it_and_not_how_many_watch() -> None:
    network = Network()
    watched = 200
    for number in range(watched):
        state = Condition(Equals(("room",), Constant.of(number)))
        for becomes in (True, False):
            part = fold_states(Change(B, state, becomes, BY))
            network.add(f"{number} {becomes}", part)
    group = next(iter(only_groups(network)))
    assert len(list(only_groups(network))) == 1
    numbers = count()
    rings = 0
    for number in range(300):
        one = event(number, next(numbers), key=number % 3, room=number // 30)
        rings += play(network, one)
    assert rings == 3 * 10 + 3 * 9  # three keys enter ten rooms and leave nine
    assert group.buffered_count == 3
    assert sum(len(each.true_for) for each in group._records.values()) == 2 * 3


def only_groups(network: Network) -> set[SharedChangeState]:
    return {
        user
        for node in network.operators
        for user, _ in node.consumers
        if isinstance(user, SharedChangeState)
    }


def test_keys_of_which_nothing_is_true_cost_nothing_and_old_ones_are_forgotten() -> None:
    network = Network()
    hot = Condition(Ordered(V, ">", Constant.of(8)))
    network.add("s", fold_states(Change(B, hot, True, BY, keep=100)))
    play(network, *(event(n, n, key=n, v=n % 2 * 9) for n in range(200)))
    (group,) = only_groups(network)
    assert group.buffered_count == 100
    network.forget_before(1_000)
    assert group.buffered_count == 0
    network.remove("s")
    assert network.operator_count == 0
    assert group.is_removed


@pytest.mark.parametrize(
    "part",
    [
        Gathered(B, AfterWindow(A, 10), 2, None, by=BY),
        Gathered(B, AfterWindow(A, 10), 2, 3, by=BY),
    ],
)
def test_what_is_gathered_is_kept_while_a_window_is_open(part: Part) -> None:
    network = Network()
    network.add("s", part)
    play(network, *(event(n, n, key=0) for n in range(50)))
    assert len(list(network.pending())) == 0
    play(network, event(50, 50, "a", key=0), *(event(n, n, key=0) for n in range(51, 60)))
    assert len(list(network.pending())) > 0
    network.advance_to(100)
    network.forget_before(100)
    assert len(list(network.pending())) == 0


def test_too_many_keys_suspend_a_subscription_and_no_other() -> None:
    network = Network(queue_limit=10)
    network.add("s", Sliding(B, Measure(Aggregate.COUNT), ">", 100, 1_000, by=BY))
    network.add("t", Sliding(A, Measure(Aggregate.COUNT), ">", 100, 1_000, by=BY))
    play(network, *(event(n, n, key=n) for n in range(12)))
    assert network.failures.take_overfull() == ["s"]
    with pytest.raises(StateProblem):
        network.add("t", A)


def test_a_state_is_asked_only_of_what_it_is_a_state_of() -> None:
    hot = Condition(Ordered(V, ">", Constant.of(8)))
    folded = fold_states(Change(B, hot, True))
    assert isinstance(folded, Change)
    assert is_one_event(folded)
    assert not holds(folded.state, event(1, 1, "a", v=9))
    assert holds(folded.state, event(1, 1, "b", v=9))

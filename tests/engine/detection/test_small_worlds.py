"""Every timeline of a few events, engine against reference, for patterns whose edges random worlds
seldom meet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement, product

import pytest

from tests.engine.detection.test_agreement import expected, key, play
from tests.engine.detection.test_horizon import bounded
from tests.engine.detection.test_operators import assert_agree
from tests.timelines import event_at, event_from, kind
from tocsin.engine.detection.scheduling.network import Network
from tocsin.events.event import Event
from tocsin.plan.nodes.composites import (
    Absence,
    BeforeWindow,
    BetweenWindow,
    Either,
    End,
    Join,
    Moment,
    Named,
    Part,
    Plan,
    Policy,
    Precedes,
)
from tocsin.plan.semantics.bounds import with_horizon

A, B, C = (kind(letter) for letter in "abc")


def worlds(kinds: str, length: int) -> Iterator[list[Event]]:
    """One event an instant, of every kind in every order."""
    for letters in product(kinds, repeat=length):
        yield [event_at(instant, letter) for instant, letter in enumerate(letters, 1)]


def worlds_of_intervals(length: int) -> Iterator[list[Event]]:
    """Events of kind a and b that last for a while: who ends together may have begun in either
    order.
    """
    for choice in combinations_with_replacement(product("ab", (1, 2), (2, 3)), length):
        lasting = [
            event_from(start, end, letter, number)
            for number, (letter, start, end) in enumerate(choice)
        ]
        yield sorted(lasting, key=lambda each: each.order)


@pytest.mark.parametrize("or_equal", [True, False])
@pytest.mark.parametrize("gap", [-1, 0, 1])
@pytest.mark.parametrize("policy", list(Policy), ids=lambda policy: policy.value)
def test_ends_that_precede_each_other_or_are_one(policy: Policy, gap: int, or_equal: bool) -> None:
    first, last = Moment(0, End.FINISH), Moment(1, End.FINISH)
    for events in worlds_of_intervals(3):
        assert_agree(Join((A, B), (Precedes(first, last, gap, or_equal),), policy), events)


@pytest.mark.parametrize("policy", list(Policy), ids=lambda policy: policy.value)
@pytest.mark.parametrize(
    "parts", [(A, A, A), (A, A, B), (B, A, B), (C, A, B)], ids=["aaa", "aab", "bab", "cab"]
)
def test_absence_between_parts_that_one_event_may_be(
    parts: tuple[Named, ...], policy: Policy
) -> None:
    absent, first, last = parts
    for events in worlds("abc", 5):
        assert_agree(Absence(absent, BetweenWindow(first, last), policy=policy), events)


def test_a_name_is_settled_where_its_places_meet() -> None:
    x, y = Named("x", A), Named("y", B)
    root = Join(
        (Join((x, y), policy=Policy.DEFERRED), Join((y, x), policy=Policy.DEFERRED)),
        policy=Policy.DEFERRED,
    )
    for events in worlds("abc", 6):
        assert_agree(Join((root, C), policy=Policy.DEFERRED), events)


X, Y = Named("x", A), Named("y", B)


@pytest.mark.parametrize("policy", list(Policy), ids=lambda policy: policy.value)
@pytest.mark.parametrize("places", ["x xy", "xy yx", "xy xyc", "xc yx", "x xy yx"])
def test_parts_pair_where_a_name_is_the_same_in_both(places: str, policy: Policy) -> None:
    known: dict[str, Part] = {
        "x": X,
        "xy": Join((X, Y), policy=policy),
        "yx": Join((Y, X), policy=policy),
        "xc": Join((X, C), policy=policy),
        "xyc": Join((X, Y, C), policy=policy),
    }
    pattern = Join(tuple(known[place] for place in places.split()), policy=policy)
    for events in worlds("abc", 4):
        assert_agree(pattern, events)


@pytest.mark.parametrize("policy", list(Policy), ids=lambda policy: policy.value)
@pytest.mark.parametrize("inner", list(Policy), ids=lambda policy: policy.value)
@pytest.mark.parametrize("places", ["x", "x or y", "yx"])
def test_each_operator_goes_by_its_own_policy(places: str, inner: Policy, policy: Policy) -> None:
    others: dict[str, Part] = {
        "x": X,
        "x or y": Either((X, Y)),
        "yx": Join((Y, X), policy=policy),
    }
    pattern = Join((Join((X, Y), policy=inner), others[places]), policy=policy)
    for events in worlds("ab", 5):
        assert_agree(pattern, events)


@pytest.mark.parametrize("policy", list(Policy), ids=lambda policy: policy.value)
def test_an_alternative_may_lack_the_name_that_the_other_part_has(policy: Policy) -> None:
    pattern = Join((Join((X, Y), policy=policy), Either((X, Y))), policy=policy)
    for events in worlds("ab", 5):
        assert_agree(pattern, events)


@pytest.mark.parametrize("horizon", [1, 2, 3])
def test_evidence_before_a_part_is_kept_as_long_as_the_part_may_take(horizon: int) -> None:
    pattern = Absence(
        B, BeforeWindow(Join((A, C), policy=Policy.UNRESTRICTED), 2), policy=Policy.UNRESTRICTED
    )
    for events in worlds("abc", 5):
        network = Network()
        network.add("s", with_horizon(Plan(pattern), horizon).pattern)
        found = play(network, events) + network.advance_to(None)
        assert Counter(key(each) for _, each in found) == expected(
            bounded(pattern, horizon), events
        )

"""Each kind of operator and condition on its own, engine against reference: small worlds in which
its edges are met.
"""

from __future__ import annotations

from collections import Counter

from hypothesis import example, given
from hypothesis import strategies as st

from tests.engine.detection.test_agreement import expected, key, play
from tests.timelines import (
    ALLEN,
    DURATIONS,
    REGION,
    ROLES,
    UNLIKE,
    event_at,
    kind,
    timelines,
)
from tocsin.engine.detection.scheduling.network import Network
from tocsin.events.event import Event
from tocsin.plan.nodes.composites import (
    Absence,
    AfterInstant,
    AfterWindow,
    AtRegion,
    BetweenWindow,
    DuringWindow,
    Either,
    End,
    EveryWindow,
    FixedWindow,
    Join,
    Moment,
    Named,
    Near,
    Only,
    Part,
    PartAttribute,
    Policy,
    Precedes,
    Related,
    Stands,
    Triggered,
    Waiting,
)
from tocsin.values.space import SpatialRelation

A, B, C = (kind(letter) for letter in "abc")
POLICIES = st.sampled_from(list(Policy))
RELATIONS = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
PLACES = st.sampled_from(list(SpatialRelation))
DISTANCES = st.sampled_from([0.0, 1.0, 1.5])


def assert_agree(pattern: Part, events: list[Event]) -> None:
    """Network and reference find the same occurrences."""
    network = Network()
    network.add("s", pattern)
    found = play(network, events) + network.advance_to(None)
    assert Counter(key(each) for _, each in found) == expected(pattern, events)


@given(ROLES, st.integers(1, 4), st.sampled_from([None, 0, 2]), timelines())
def test_windows_that_come_again(
    absent: Part, length: int, origin: int | None, events: list[Event]
) -> None:
    assert_agree(Absence(absent, EveryWindow(length, origin)), events)


@given(st.integers(2, 3), st.data(), POLICIES, timelines())
def test_orders_hold_between_two_and_three_parts(
    count: int, data: st.DataObject, policy: Policy, events: list[Event]
) -> None:
    moments = st.builds(Moment, st.integers(0, count - 1), st.sampled_from(list(End)))
    order = st.builds(Precedes, moments, moments, st.sampled_from([-2, 0, 0, 1]), st.booleans())
    parts, orders = (
        data.draw(st.permutations([A, B, C])),
        data.draw(st.lists(order, min_size=1, max_size=2)),
    )
    assert_agree(Join(tuple(parts[:count]), tuple(orders), policy), events)


@given(DURATIONS, DURATIONS, timelines())
def test_fixed_windows(start: int, length: int, events: list[Event]) -> None:
    assert_agree(Absence(A, FixedWindow(start, length)), events)
    assert_agree(Only(B, DuringWindow(start, length)), events)
    assert_agree(Only(C, AfterInstant(start)), events)


@given(ROLES, ROLES, DURATIONS, st.booleans(), timelines())
def test_silence_after_a_part(
    first: Part, absent: Part, length: int, together: bool, events: list[Event]
) -> None:
    whole: Part = Join((first, C), policy=Policy.UNRESTRICTED) if together else first
    assert_agree(Absence(absent, AfterWindow(whole, length)), events)


@given(ROLES, ROLES, ROLES, timelines(9))
def test_single_use_between_two_parts(
    first: Part, last: Part, absent: Part, events: list[Event]
) -> None:
    assert_agree(Absence(absent, BetweenWindow(first, last), policy=Policy.CHRONICLE), events)


@given(st.sampled_from(ALLEN), st.booleans(), timelines())
def test_intervals_stand_as_the_definitions_say(
    relation: str, proper: bool, events: list[Event]
) -> None:
    assert_agree(Join((A, B), (Stands(0, relation, 1, proper),), Policy.UNRESTRICTED), events)


@given(PLACES, PLACES, DISTANCES, timelines())
def test_places_relate_as_the_definitions_say(
    one: SpatialRelation, other: SpatialRelation, distance: float, events: list[Event]
) -> None:
    pair = Join((A, B), (Near(0, one, 1, distance),), Policy.UNRESTRICTED)
    assert_agree(pair, events)
    assert_agree(
        Only(Join((A, B), (), Policy.UNRESTRICTED), AtRegion(other, REGION, distance)), events
    )


@given(RELATIONS, st.booleans(), st.booleans(), timelines(9, UNLIKE))
def test_attributes_are_compared_as_the_reference_does(
    relation: str, ordered: bool, hidden: bool, events: list[Event]
) -> None:
    compared = Related(PartAttribute("x", ("v",)), relation, PartAttribute("y", ("v",)))
    order = (Precedes(Moment(0, End.FINISH), Moment(1, End.START)),) if ordered else ()
    first: Part = Named("x", A)
    pair = (
        Only(first, AtRegion(SpatialRelation.FARTHER, REGION)) if hidden else first,
        Named("y", B),
    )
    assert_agree(Join(pair, (*order, compared), Policy.UNRESTRICTED), events)


TWO_OF_EACH = [event_at(second, letter) for second, letter in enumerate("abab")]


@given(POLICIES, ROLES, ROLES, st.sampled_from([None, 0, 2]), st.booleans(), timelines(9))
@example(Policy.UNRESTRICTED, A, B, None, False, TWO_OF_EACH)
def test_names_agree(
    policy: Policy, one: Part, other: Part, keep: int | None, outside: bool, events: list[Event]
) -> None:
    x, y = Named("x", one), Named("y", Join((other, C), policy=policy) if outside else other)
    left = Join((x, y), (Precedes(Moment(0, End.START), Moment(1, End.FINISH)),), policy, keep)
    right = Join((y, x), (), policy)
    root = Join((left, right), (), policy)
    assert_agree(Join((root, C), (), policy) if outside else root, events)


@given(timelines(9))
@example([*TWO_OF_EACH, event_at(4, "c")])
def test_names_agree_among_three(events: list[Event]) -> None:
    x, y = Named("x", A), Named("y", B)
    left, right = (Join(each, (), Policy.UNRESTRICTED) for each in ((x, y), (y, x)))
    assert_agree(Join((left, right, C), (), Policy.UNRESTRICTED), events)


@given(st.sampled_from([Policy.DEFERRED, Policy.CHRONICLE]), ROLES, st.booleans(), timelines(9))
def test_names_are_settled_at_the_lowest_operator_above_them(
    policy: Policy, last: Part, twice: bool, events: list[Event]
) -> None:
    x, y = Named("x", A), Named("y", B)
    root = Join((Join((x, y), policy=policy), Join((y, x), policy=policy, keep=6)), policy=policy)
    above = Join((root, last), policy=policy)
    assert_agree(Join((above, last), policy=policy) if twice else above, events)


@given(POLICIES, DURATIONS, DURATIONS, timelines())
def test_a_part_waits_for_the_slowest_of_the_others(
    policy: Policy, short: int, long: int, events: list[Event]
) -> None:
    def ends_within(part: int, length: int) -> Precedes:
        return Precedes(Moment(part, End.FINISH), Moment(0, End.FINISH), -length, or_equal=True)

    assert_agree(Join((A, B, C), (ends_within(1, short), ends_within(2, long)), policy), events)


@given(ROLES, ROLES, DURATIONS, timelines(9))
def test_what_waits_in_vain_below_an_alternative_is_not_lost(
    one: Part, other: Part, keep: int, events: list[Event]
) -> None:
    x, y, policy = Named("x", one), Named("y", other), Policy.CHRONICLE
    brief, patient = Join((x, y), (), policy, keep), Join((x, C), (), policy, 6)
    assert_agree(Join((Either((brief, y)), patient), (), policy), events)
    assert_agree(Join((brief, patient), (), policy), events)


@given(st.sampled_from(list(Waiting)), ROLES, ROLES, st.sampled_from([None, 0, 2]), timelines())
def test_triggers_send_as_the_reference_does(
    waiting: Waiting, one: Part, target: Part, keep: int | None, events: list[Event]
) -> None:
    assert_agree(Triggered(Join((one, B)), target, waiting, keep), events)

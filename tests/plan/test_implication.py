"""A literal that follows, and a kind without a value, are certain: tried with values of all kinds."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.strategies import patterns
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.plan.nodes.atoms import Between, Equals, IsNull, Like, Not, OneOf, Ordered, PlaceIs
from tocsin.plan.semantics.implication import can_hold, follows_from, kinds_of
from tocsin.reference.atoms import truth_of
from tocsin.values.like import LikePattern, Wild
from tocsin.values.scalars import Constant, Kind, kind_of
from tocsin.values.space import SpatialRelation
from tocsin.values.truth import Truth

CONSTANTS = st.one_of(st.integers(-2, 2), st.sampled_from(["", "a", "ab", "b"]), st.booleans())
P = ("a",)


@st.composite
def literals(draw):
    """Literals about one attribute, with few values, so that many follow from others."""
    mismatch = draw(st.sampled_from([Truth.UNKNOWN, Truth.FALSE]))
    number = st.integers(-2, 2).map(Constant.of)
    text = st.sampled_from(["", "a", "ab", "b"]).map(Constant.of)
    limit = draw(st.one_of(number, text))
    same = number if not isinstance(limit.value, str) else text
    node = draw(
        st.one_of(
            st.builds(lambda c: Equals(P, c, mismatch), CONSTANTS.map(Constant.of)),
            st.builds(
                lambda r: Ordered(P, r, limit, mismatch), st.sampled_from(["<", "<=", ">", ">="])
            ),
            st.builds(lambda other: Between(P, limit, other, mismatch), same),
            st.builds(
                lambda some: OneOf(P, frozenset((limit, *some)), mismatch),
                st.lists(same, max_size=2),
            ),
            st.builds(lambda pattern: Like(P, pattern, mismatch), patterns()),
            st.just(IsNull(P)),
        )
    )
    return Not(node) if draw(st.booleans()) else node


VALUES = [None, True, False, *range(-3, 4), 0.5, -1.5, "", "a", "aa", "ab", "b", "c", [], {"x": 1}]


EVENTS = [
    (value, from_mapping({"id": "1", "source": "s", "type": "t", "data": {"a": value}}))
    for value in VALUES
]


def left_by(given_literals):
    """Return the values of which all literals are TRUE, with their events."""
    return [
        (value, event)
        for value, event in EVENTS
        if all(truth_of(each, event) is Truth.TRUE for each in given_literals)
    ]


@settings(max_examples=400, deadline=None)
@given(literals(), st.lists(literals(), max_size=3))
@example(Not(Equals(P, Constant.of(1))), [Not(OneOf(P, frozenset((Constant.of(1),))))])
def test_literal_that_follows_is_true_of_every_value_left(goal, given_literals):
    if follows_from(goal, given_literals):
        for _, event in left_by(given_literals):
            assert truth_of(goal, event) is Truth.TRUE


@settings(max_examples=400, deadline=None)
@given(st.lists(literals(), min_size=1, max_size=4))
@example([Ordered(P, "<=", Constant.of("")), Like(P, LikePattern((Wild.ANY_ONE,)))])
def test_every_value_left_is_of_a_kind_that_may_have_one(given_literals):
    for value, _ in left_by(given_literals):
        kind = kind_of(value)
        assert all(kind in kinds_of(each) for each in given_literals)
        assert can_hold(kind, given_literals)


def test_a_single_value_between_limits_is_tested():
    limits = [Ordered(P, "<=", Constant.of("a")), Ordered(P, ">=", Constant.of("a"))]
    assert can_hold(Kind.STRING, [*limits, Like(P, LikePattern((Wild.ANY_RUN,)))])
    assert not can_hold(Kind.STRING, [*limits, Like(P, LikePattern(("b", Wild.ANY_RUN)))])
    assert can_hold(Kind.NUMBER, limits)


def test_nothing_is_known_of_a_region():
    region = PlaceIs(SpatialRelation.WITHIN, "POINT (1 1)")
    assert not follows_from(region, [Equals(P, Constant.of(1))])
    assert not follows_from(Not(region), [IsNull(P)])

"""The index of regions: the same answers as the scan and the reference, and no comparison with
regions far away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import build_unread_event
from tests.engine.worlds import pairs, pairs_of_reference, subscribed
from tocsin.engine.columns.batch import ArrowBatch, Batch
from tocsin.engine.conditions import places
from tocsin.engine.conditions.matcher import Matcher
from tocsin.engine.conditions.scan import ScanMatcher
from tocsin.errors import MeaningProblem
from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import AllOf, AnyOf, BooleanNode, Condition, Equals, Not, PlaceIs
from tocsin.values import regions
from tocsin.values.regions import RegionTest, RegionTree
from tocsin.values.scalars import Constant
from tocsin.values.space import Metric, SpatialRelation, format_place

MATCHERS: dict[str, Callable[[], Matcher]] = {
    "blocks": lambda: Matcher(few=0, block=3),
    "one block": lambda: Matcher(few=0),
    "one by one": lambda: Matcher(few=99),
}
ORIGINS = ((0, 0), (175, 0), (-180, 0), (20, 84), (20, -90), (100, 48))
"""Corners of the small worlds: the plane, both sides of the 180th meridian and beyond, and around
the poles.
"""

SCALES = (1, 1, 20)
"""Degrees of longitude to a step: edges up to a third of the globe."""

SHAPES = (
    "POINT ({0} {1})",
    "LINESTRING ({0} {1}, {2} {3})",
    "POLYGON (({0} {1}, {2} {1}, {2} {3}, {0} {3}, {0} {1}))",
    "POLYGON (({0} {1}, {2} {1}, {2} {3}, {0} {1}))",
    "POLYGON (({0} {1}, {4} {1}, {4} {5}, {0} {5}, {0} {1}), ({2} {3}, {6} {3}, {6} {7}, {2} {7}, {2} {3}))",
    "MULTIPOLYGON ((({0} {1}, {2} {1}, {2} {3}, {0} {1})), (({4} {5}, {6} {5}, {6} {7}, {4} {5})))",
    "MULTIPOINT (({0} {1}), ({4} {3}))",
)


def placed(place: str | None, **data: object) -> Event:
    return build_unread_event(data, place=place)


@st.composite
def shapes(draw: st.DrawFn, origin: tuple[int, int], scale: int = 1) -> str:
    """Shapes with corners on a small grid, so that borders and corners meet."""
    x = sorted(draw(st.lists(st.integers(0, 6), min_size=4, max_size=4, unique=True)))
    y = sorted(draw(st.lists(st.integers(0, 6), min_size=4, max_size=4, unique=True)))
    shape = draw(st.sampled_from(SHAPES))
    # apart, or one around the other
    order = (0, 1, 2, 3) if shape.startswith("MULTIPOLYGON") else (0, 1, 3, 2)
    return shape.format(
        *(value for at in order for value in (origin[0] + scale * x[at], origin[1] + y[at]))
    )


@st.composite
def worlds(draw: st.DrawFn, metric: Metric) -> tuple[list[BooleanNode], list[Event]]:
    """Conditions about places, and events to compare them with."""
    origin = draw(st.sampled_from(ORIGINS)) if metric is Metric.WGS84 else (0, 0)
    scale = draw(st.sampled_from(SCALES)) if metric is Metric.WGS84 else 1
    distances = (
        [0.0, 30_001.0, 111_001.0, 700_001.0, 1.5e6]
        if metric is Metric.WGS84
        else [0.0, 0.5, 1.0, 2.0**0.5, 9.0]
    )
    tests = st.builds(
        PlaceIs,
        st.sampled_from(list(SpatialRelation)),
        shapes(origin, scale),
        st.sampled_from(distances),
        st.just(metric),
    )
    nodes = st.one_of(
        tests,
        tests.map(Not),
        tests.map(lambda test: AllOf((Equals(("k",), Constant.of(1)), test))),
        st.lists(tests, min_size=2, max_size=2).map(lambda both: AnyOf(tuple(both))),
    )
    events = st.builds(placed, st.one_of(st.none(), shapes(origin, scale)), k=st.integers(0, 1))
    many = 3 if metric is Metric.WGS84 else 9
    return draw(st.lists(nodes, max_size=many)), draw(st.lists(events, min_size=1, max_size=many))


@pytest.mark.parametrize("make", MATCHERS.values(), ids=MATCHERS)
@pytest.mark.parametrize("metric", list(Metric))
@given(data=st.data())
def test_the_index_agrees_with_the_scan(
    make: Callable[[], Matcher], metric: Metric, data: st.DataObject
) -> None:
    nodes, events = data.draw(worlds(metric))
    expected = pairs(subscribed(ScanMatcher(), nodes), Batch(events))
    assert pairs(subscribed(make(), nodes), Batch(events)) == expected


@pytest.mark.parametrize("metric", list(Metric))
@given(data=st.data())
def test_the_scan_agrees_with_the_reference(metric: Metric, data: st.DataObject) -> None:
    nodes, events = data.draw(worlds(metric))
    expected = pairs_of_reference(nodes, events)
    assert pairs(subscribed(ScanMatcher(), nodes), Batch(events)) == expected


@pytest.mark.parametrize("make", MATCHERS.values(), ids=MATCHERS)
@given(data=st.data())
def test_any_history_of_changes_between_batches_matches_like_its_outcome(
    make: Callable[[], Matcher], data: st.DataObject
) -> None:
    # so that all ways are taken
    with patch.object(places, "_SMALL", 2), patch.object(regions, "_PIECE", 2):
        matcher, living, number = make(), dict[str, BooleanNode](), 0
        for _ in range(data.draw(st.integers(1, 5))):
            nodes, events = data.draw(worlds(Metric.PLANAR))
            for key in (
                data.draw(st.lists(st.sampled_from(sorted(living)), unique=True)) if living else ()
            ):
                matcher.remove(key)
                del living[key]
            for node in nodes:
                number += 1
                living[f"{number:03}"] = node
                matcher.add(f"{number:03}", Condition(node))
            keys = list(living)
            expected = [
                (i, keys[int(place)])
                for i, place in pairs_of_reference(list(living.values()), events)
            ]
            assert pairs(matcher, Batch(events)) == expected
        for key in living:
            matcher.remove(key)
        assert matcher.distinct_predicates == 0


def square(x: float, y: float) -> str:
    return f"POLYGON (({x} {y}, {x + 1} {y}, {x + 1} {y + 1}, {x} {y + 1}, {x} {y}))"


def sparse_map(side: int) -> list[BooleanNode]:
    """Unit squares two apart."""
    return [
        PlaceIs(SpatialRelation.INSIDE, square(3 * x, 3 * y))
        for x in range(side)
        for y in range(side)
    ]


@pytest.mark.parametrize("few", [0, 99])
def test_only_regions_near_an_event_are_compared_with_it(few: int) -> None:
    matcher = subscribed(Matcher(few=few), sparse_map(30))
    events = [placed(f"POINT ({3 * at + 0.5} {3 * at + 0.5})") for at in range(30)]
    events += [placed(f"POINT ({3 * at + 2} {3 * at + 2})") for at in range(30)] + [placed(None)]
    assert len(pairs(matcher, Batch(events))) == 30
    assert matcher.work.place_checks == 30


@pytest.mark.parametrize(
    "relation", [SpatialRelation.NEARER, SpatialRelation.AT, SpatialRelation.WITHIN]
)
def test_a_distance_widens_what_is_compared_by_no_more_than_itself(
    relation: SpatialRelation,
) -> None:
    nodes = [PlaceIs(relation, square(10 * at, 0), 2.0) for at in range(100)]
    matcher = subscribed(Matcher(), nodes)
    pairs(matcher, Batch([placed(f"POINT ({10 * at + 2.5} 0.5)") for at in range(100)]))
    assert matcher.work.place_checks == 100


def test_metres_compare_only_what_is_near() -> None:
    ports = [
        PlaceIs(SpatialRelation.WITHIN, f"POINT ({at} 50)", 5_000.0, Metric.WGS84)
        for at in range(-90, 90)
    ]
    matcher = subscribed(Matcher(), ports)
    found = pairs(matcher, Batch([placed(f"POINT ({at + 0.01} 50)") for at in range(-90, 90)]))
    assert found == [(at, str(at)) for at in range(180)]
    assert matcher.work.place_checks == 180


def test_an_edge_that_is_straight_in_degrees_does_not_bulge() -> None:
    """The straight line on the ground between the upper corners runs 1.2 km north of the border in
    its middle.
    """
    border = "POLYGON ((0 59, 5 59, 5 60, 0 60, 0 59))"
    tests = [
        PlaceIs(SpatialRelation.NEARER, border, limit, Metric.WGS84) for limit in (1_000.0, 1_200.0)
    ]
    events = [placed("POINT (2.5 60.01)")]  # 1114 m north of it
    assert pairs_of_reference(tests, events) == [(0, "1")]
    assert pairs(subscribed(Matcher(), tests), Batch(events)) == [(0, "1")]


@pytest.mark.parametrize("longitude", [185, -175])
def test_longitudes_a_turn_apart_are_the_same_ground(longitude: int) -> None:
    near = PlaceIs(SpatialRelation.NEARER, f"POINT ({longitude} 0)", 10.0, Metric.WGS84)
    events = [
        placed("POINT (185 0)"),
        placed("POINT (-175 0)"),
        placed("POINT (185 1)"),
        placed("POINT (175 0)"),
    ]
    assert pairs_of_reference([near], events) == [(0, "0"), (1, "0")]
    assert pairs(subscribed(Matcher(), [near]), Batch(events)) == [(0, "0"), (1, "0")]


def test_regions_across_the_180th_meridian_are_compared_with_what_is_near_alone() -> None:
    rows = [
        (f"{179 + at % 2} {at}", f"{181 + at % 2} {at}", f"{180} {at + 0.5}")
        for at in range(-80, 80)
    ]
    nodes = [
        PlaceIs(SpatialRelation.INSIDE, f"POLYGON (({a}, {b}, {c}, {a}))", 0.0, Metric.WGS84)
        for a, b, c in rows
    ]
    matcher = subscribed(Matcher(), nodes)
    events = [
        placed(f"POINT ({x} {at + 0.1})")
        for at in range(-80, 80)
        for x in (-180, 180, -179.9, 0, 170)
    ]
    assert len(pairs(matcher, Batch(events))) == 3 * 160
    assert matcher.work.place_checks == 3 * 160


def test_places_that_the_globe_does_not_have_are_neither_near_nor_far() -> None:
    relations = [SpatialRelation.NEARER, SpatialRelation.FARTHER, SpatialRelation.INSIDE]
    tests: list[BooleanNode] = [
        PlaceIs(each, square(0, 0), 5e6, Metric.WGS84) for each in relations
    ]
    events = [placed("POINT (0 91)"), placed("POINT (0.5 0.5)"), placed("POINT (90 0)")]
    expected = [(1, "0"), (1, "2"), (2, "1")]
    assert pairs_of_reference(tests, events) == expected
    assert pairs(subscribed(Matcher(few=0), tests), Batch(events)) == expected
    assert pairs(subscribed(Matcher(few=99), tests), Batch(events)) == expected


def test_farther_is_answered_without_comparing_what_is_far() -> None:
    nodes = [PlaceIs(SpatialRelation.FARTHER, square(10 * at, 0), 2.0) for at in range(50)]
    matcher = subscribed(Matcher(), nodes)
    assert len(pairs(matcher, Batch([placed("POINT (0.5 0.5)"), placed(None)]))) == 49
    assert matcher.work.place_checks == 1


def test_one_more_region_does_not_rebuild_the_others() -> None:
    matcher = subscribed(Matcher(), sparse_map(20))
    pairs(matcher, Batch([placed("POINT (0 0)")]))
    built: list[int] = []

    class Counted(RegionTree):
        def __init__(self, tests: Sequence[RegionTest]) -> None:
            built.append(len(tests))
            super().__init__(tests)

    with patch.object(places, "RegionTree", Counted):
        matcher.add("new", Condition(PlaceIs(SpatialRelation.INSIDE, square(0, 0))))
        matcher.add("newer", Condition(PlaceIs(SpatialRelation.MEETS, square(0, 0))))
        assert pairs(matcher, Batch([placed("POINT (0 0)")])) == [
            (0, "0"),
            (0, "new"),
            (0, "newer"),
        ]
        matcher.remove("newer")
        matcher.remove("0")
        assert pairs(matcher, Batch([placed("POINT (0 0)")])) == [(0, "new")]
    assert built == [1]


def test_several_points_are_no_ground_between_them_in_any_batch() -> None:
    inside = PlaceIs(SpatialRelation.MEETS, square(4, 4))
    events = [placed("MULTIPOINT ((0 0), (9 9))"), placed("MULTIPOINT ((0 0), (4.5 4.5))")]
    arrow = ArrowBatch(pa.table({"n": [0, 1]}), {}, events.__getitem__)
    assert pairs_of_reference([inside], events) == [(1, "0")]
    for batch in (Batch(events), arrow):
        for few in (0, 99):
            assert pairs(subscribed(Matcher(few=few), [inside]), batch) == [(1, "0")]
    assert [format_place(place) for place in arrow.places()] == [
        event.place_text for event in events
    ]


def test_what_is_no_region_is_refused_and_changes_nothing() -> None:
    matcher = Matcher()
    bow_tie = PlaceIs(SpatialRelation.INSIDE, "POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))")
    with pytest.raises(MeaningProblem, match="not a valid geometry"):
        matcher.add("s", Condition(AllOf((Equals(("k",), Constant.of(1)), bow_tie))))
    assert len(matcher) == matcher.distinct_predicates == 0


def test_one_event_visits_only_subscriptions_whose_region_it_is_in() -> None:
    matcher = Matcher()
    for place, node in enumerate(sparse_map(20)):
        matcher.add(str(place), Condition(AllOf((Equals(("k",), Constant.of(1)), node))))
    assert pairs(matcher, Batch([placed("POINT (3.5 0.5)", k=1)])) == [(0, "20")]
    assert matcher.work.candidates <= 2

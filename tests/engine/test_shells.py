"""Points and plain polygons by the compiled loop: what it is sure of is what shapely says, and it is
unsure only at borders.
"""

from __future__ import annotations

from fractions import Fraction
from math import cos, inf, nextafter, pi, sin

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tocsin.engine.conditions.places import PolygonBorders
from tocsin.errors import MeaningProblem
from tocsin.values.regions import RegionTest, RegionTree
from tocsin.values.space import (
    Geometry,
    Metric,
    SpatialRelation,
    as_places,
    parse_place,
    related_in_plane,
)

FARTHER = SpatialRelation.FARTHER
Corner = tuple[float, float]

SCALES = (1.0, 0.1, 1e-7, 1e9, 1e-160)
SHAPES = (
    "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0))",
    "POLYGON Z ((0 0 1, 4 0 1, 4 4 1, 0 0 1))",
    "POLYGON ((0 0, 6 0, 6 6, 0 6, 0 0), (1 1, 5 1, 5 5, 1 5, 1 1))",
    "MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((4 4, 6 4, 6 6, 4 4)))",
    "LINESTRING (0 0, 6 6)",
    "POINT (2 2)",
)


@st.composite
def stars(draw: st.DrawFn) -> list[Corner]:
    """Corners around a middle, at any distance: a border that never meets itself."""
    reaches = draw(st.lists(st.integers(1, 6), min_size=3, max_size=9))
    middle, scale = draw(st.integers(-2, 2)), draw(st.sampled_from(SCALES))
    turns = [2 * pi * number / len(reaches) for number in range(len(reaches))]
    return [
        ((middle + round(reach * cos(turn), 2)) * scale, (middle + reach * sin(turn)) * scale)
        for reach, turn in zip(reaches, turns, strict=True)
    ]


@st.composite
def steps(draw: st.DrawFn) -> list[Corner]:
    """A stair of level and upright edges, which points share heights with."""
    heights = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    tops = [(float(x), float(y)) for at, y in enumerate(heights) for x in (at, at + 1)]
    return [(0.0, 0.0), *tops, (float(len(heights)), 0.0)]


def polygon(corners: list[Corner]) -> Geometry:
    text = ", ".join(f"{x!r} {y!r}" for x, y in (*corners, corners[0]))
    try:
        return parse_place(f"POLYGON (({text}))")
    except MeaningProblem:
        assume(False)
        raise


def nudged(value: float, by: int) -> float:
    for _ in range(abs(by)):
        value = nextafter(value, inf if by > 0 else -inf)
    return value


@st.composite
def points(draw: st.DrawFn, corners: list[Corner]) -> Corner:
    """Corners, points of edges as near as numbers come, their neighbours, and others."""
    number = draw(st.integers(0, len(corners) - 1))
    (x, y), (to_x, to_y) = corners[number - 1], corners[number]
    part = draw(st.sampled_from([0.0, 0.5, 1 / 3, 0.1, -0.5, 1.5]))
    other = draw(st.sampled_from([part, part, 0.25, 2.0]))
    nudges = st.integers(-2, 2)
    return (
        nudged(x + part * (to_x - x), draw(nudges)),
        nudged(y + other * (to_y - y), draw(nudges)),
    )


@given(st.data())
def test_what_is_sure_is_what_shapely_says(data: st.DataObject) -> None:
    corners = data.draw(st.one_of(stars(), steps()))
    region = polygon(corners)
    drawn = data.draw(st.lists(points(corners), min_size=1, max_size=20))
    places = as_places([parse_place(f"POINT ({x!r} {y!r})") for x, y in drawn])
    for relation in (SpatialRelation.INSIDE, SpatialRelation.MEETS):
        at = np.arange(len(places))
        holds, unsure = PolygonBorders([RegionTest(relation, region)]).classify(places, at, 0 * at)
        sure = np.ones(len(places), np.bool_)
        sure[unsure] = False
        expected = related_in_plane(places, relation, np.array([region] * len(places)), 0.0)
        assert holds[sure].tolist() == expected[sure].tolist()
        assert not holds[unsure].any()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("relation", [each for each in SpatialRelation if each is not FARTHER])
def test_with_and_without_it_the_same_pairs_are_found(
    shape: str, relation: SpatialRelation
) -> None:
    tests = [
        RegionTest(relation, parse_place(shape), 1.0, metric)
        for metric in (Metric.PLANAR, Metric.WGS84)
    ]
    texts = [f"POINT ({x / 2} {y / 2})" for x in range(-1, 14) for y in range(-1, 14)]
    texts += ["LINESTRING (1 1, 3 3)", "MULTIPOINT ((1 1), (9 9))", "POINT Z (1 1 1)"]
    places = as_places([None, *map(parse_place, texts)])
    tree = RegionTree(tests)
    alone, helped = tree.holding(places), tree.holding(places, PolygonBorders(tests).classify)
    assert alone.places.tolist() == helped.places.tolist()
    assert alone.tests.tolist() == helped.tests.tolist()


def test_it_is_not_sure_where_rounding_hides_the_side_of_an_edge() -> None:
    """A last bit beside an edge, a side that is computed plainly comes out wrong for many."""
    (x, y), (to_x, to_y) = edge = [(-7.3, -2.1), (17.9, 21.3)]
    test = RegionTest(SpatialRelation.INSIDE, polygon([*edge, (17.9, -2.1)]))
    near = [
        (nudged(x + part * (to_x - x), by), y + part * (to_y - y))
        for part in (number / 97 for number in range(1, 97))
        for by in range(-4, 5)
    ]
    places = as_places([parse_place(f"POINT ({x!r} {y!r})") for x, y in near])
    at = np.arange(len(places))
    holds, unsure = PolygonBorders([test]).classify(places, at, 0 * at)
    sides = [_side(edge, point) for point in near]
    for number in set(at.tolist()) - set(unsure.tolist()):
        assert sides[number] == (1 if holds[number] else -1)
    found = RegionTree([test]).holding(places, PolygonBorders([test]).classify).places.tolist()
    assert found == [number for number, side in enumerate(sides) if side >= 0]


def _side(edge: list[Corner], point: Corner) -> int:
    """On which side of an edge a point lies, exactly: 1 to the right of it, 0 on it."""
    (x, y), (to_x, to_y) = (tuple(map(Fraction, corner)) for corner in edge)
    here_x, here_y = map(Fraction, point)
    turn = (here_x - x) * (to_y - y) - (here_y - y) * (to_x - x)
    return (turn > 0) - (turn < 0)


def test_it_is_sure_of_what_is_not_at_a_border() -> None:
    test = RegionTest(SpatialRelation.INSIDE, parse_place(SHAPES[0]))
    grid = [(x + 0.3, y + 0.7) for x in range(-2, 6) for y in range(-2, 6)]
    places = as_places([parse_place(f"POINT ({x} {y})") for x, y in grid])
    at = np.arange(len(places))
    holds, unsure = PolygonBorders([test]).classify(places, at, 0 * at)
    assert (int(holds.sum()), len(unsure)) == (16, 0)


def test_what_is_no_point_is_left_to_others() -> None:
    test = RegionTest(SpatialRelation.MEETS, parse_place(SHAPES[0]))
    places = as_places([None, parse_place("LINESTRING (1 1, 2 2)")])
    holds, unsure = PolygonBorders([test]).classify(places, np.arange(2), np.zeros(2, np.intp))
    assert (holds.any(), unsure.tolist()) == (False, [0, 1])

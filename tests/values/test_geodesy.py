"""Distances on the globe, against published values of the WGS84 ellipsoid."""

from __future__ import annotations

import pytest

from tocsin.values.space import Metric, SpatialRelation, are_related, distance_between, parse_place

DEGREE_AT_EQUATOR = 111_319.491


@pytest.mark.parametrize(
    ("one", "other", "metres"),
    [
        ("POINT (0 0)", "POINT (1 0)", DEGREE_AT_EQUATOR),
        ("POINT (0 60)", "POINT (1 60)", 55_799.470),
        ("POINT (0 0)", "POINT (0 1)", 110_574.389),
        ("POINT (179.5 0)", "POINT (-179.5 0)", DEGREE_AT_EQUATOR),
    ],
)
def test_distances_between_points_are_geodesics(one: str, other: str, metres: float) -> None:
    assert distance_between(parse_place(one), parse_place(other), Metric.WGS84) == pytest.approx(
        metres, abs=0.01
    )


def test_a_point_and_a_region() -> None:
    region = parse_place("POLYGON ((1 -1, 2 -1, 2 1, 1 1, 1 -1))")
    point = parse_place("POINT (0 0)")
    assert distance_between(point, region, Metric.WGS84) == pytest.approx(
        DEGREE_AT_EQUATOR, rel=1e-3
    )
    assert distance_between(parse_place("POINT (1.5 0)"), region, Metric.WGS84) == 0
    assert distance_between(parse_place("POINT (1 0)"), region, Metric.WGS84) == 0
    assert are_related(point, SpatialRelation.FARTHER, region, 111_000, Metric.WGS84)
    assert not are_related(point, SpatialRelation.FARTHER, region, 112_000, Metric.WGS84)


def test_same_place_is_told_in_metres() -> None:
    here, there = parse_place("POINT (0 0)"), parse_place("POINT (0.00001 0)")
    assert are_related(here, SpatialRelation.SAME_PLACE, there, 2, Metric.WGS84)
    assert not are_related(here, SpatialRelation.SAME_PLACE, there, 1, Metric.WGS84)

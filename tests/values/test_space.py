"""Space: which texts and objects are places, and that a place written as WKT is the same place."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.errors import MeaningProblem
from tocsin.values.limits import PLACE_LIMITS
from tocsin.values.space import (
    Metric,
    distance_between,
    format_place,
    is_plain_point,
    parse_place,
    parse_places,
    read_place,
)

SQUARE = "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0))"
coordinates = st.floats(allow_nan=False, allow_infinity=False)


def nested_wkt(depth: int) -> str:
    return "GEOMETRYCOLLECTION (" * depth + "POINT (1 2)" + ")" * depth


def nested_geojson(depth: int) -> dict[str, Any]:
    inner: dict[str, Any] = {"type": "Point", "coordinates": [1, 2]}
    for _ in range(depth):
        inner = {"type": "GeometryCollection", "geometries": [inner]}
    return inner


@pytest.mark.parametrize(
    ("given_place", "wkt"),
    [
        ("POINT (1 2)", "POINT (1 2)"),
        ("point(1.50 2)", "POINT (1.5 2)"),
        ("POINT Z (1 2 3)", "POINT Z (1 2 3)"),
        (SQUARE, SQUARE),
        ("MULTIPOINT ((1 2), (3 4))", "MULTIPOINT ((1 2), (3 4))"),
        ({"type": "Point", "coordinates": [1, 2]}, "POINT (1 2)"),
        ({"type": "LineString", "coordinates": [[0, 0], [1, 1]]}, "LINESTRING (0 0, 1 1)"),
        ({"type": "Polygon", "coordinates": [[[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]]}, SQUARE),
        (
            {
                "type": "Feature",
                "properties": {},
                "geometry": {"type": "Point", "coordinates": [1, 2]},
            },
            "POINT (1 2)",
        ),
        (nested_wkt(3), "GEOMETRYCOLLECTION (" * 3 + "POINT (1 2)" + ")" * 3),
    ],
)
def test_wkt_and_geojson_are_places(given_place: object, wkt: str) -> None:
    assert format_place(parse_place(given_place)) == wkt


@given(coordinates, coordinates)
def test_a_place_written_as_wkt_is_the_same_place(x: float, y: float) -> None:
    place = parse_place({"type": "Point", "coordinates": [x, y]})
    again = parse_place(format_place(place))
    for read, meant in ((again.x, x), (again.y, y)):
        assert read == meant if abs(meant) >= 1 else abs(read - meant) <= 1e-16


@pytest.mark.parametrize(
    "given_place",
    [
        "POINT (nan nan)",
        "POINT (1 nan)",
        "POINT (inf 1)",
        "POINT (1e400 1)",
        "POINT Z (1 2 nan)",
        "LINESTRING (0 0, 1 nan)",
    ],
)
def test_coordinates_are_finite(given_place: str) -> None:
    with pytest.raises(MeaningProblem, match="finite"):
        parse_place(given_place)


@pytest.mark.parametrize(
    "given_place",
    [
        "POINT EMPTY",
        "GEOMETRYCOLLECTION EMPTY",
        {"type": "Point", "coordinates": []},
        {"type": "FeatureCollection", "features": []},
        {"type": "Feature", "properties": {}, "geometry": None},
        "MULTIPOLYGON EMPTY",
    ],
)
def test_a_place_is_not_empty(given_place: object) -> None:
    with pytest.raises(MeaningProblem, match="empty"):
        parse_place(given_place)
    assert read_place(given_place) is None
    assert parse_places([given_place, None]).tolist() == [None, None]


@pytest.mark.parametrize(
    ("given_place", "reason"),
    [
        ("POLYGON ((0 0, 4 4, 4 0, 0 4, 0 0))", "Self-intersection"),
        ("POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0), (9 9, 10 9, 10 10, 9 9))", "Hole lies outside"),
        ("LINESTRING (0 0, 0 0)", "Too few points"),
    ],
)
def test_an_invalid_geometry_is_refused_with_the_reason(given_place: str, reason: str) -> None:
    with pytest.raises(MeaningProblem, match=reason):
        parse_place(given_place)


@pytest.mark.parametrize(
    "given_place",
    [
        "",
        "here",
        "POINT (1)",
        "POINT (1 2",
        "POINT (1 2) and more",
        "POINT (1 2)\0 and more",
        "SRID=4326;POINT (1 2)",
        "CIRCULARSTRING (0 0, 1 1, 2 0)",
        "\ud800",
        "POLYGON ((0 0, 1 0, 1 1))",
        {},
        {"type": "Point"},
        {"type": "Circle", "coordinates": [1, 2]},
        {"type": "Point", "coordinates": ["1", 2]},
        {"type": "Point", "coordinates": [1]},
        {"type": "Point", "coordinates": [1, float("nan")]},
        {"type": "Point", "coordinates": {1, 2}},
        {"type": "Feature"},
        {"type": ["Point"]},
    ],
)
def test_what_is_no_geometry_is_refused(given_place: object) -> None:
    with pytest.raises(MeaningProblem):
        parse_place(given_place)


@pytest.mark.parametrize("given_place", [None, 5, [1, 2], b"POINT (1 2)", True])
def test_a_place_is_a_text_or_an_object(given_place: object) -> None:
    with pytest.raises(MeaningProblem, match="WKT string or a GeoJSON object"):
        parse_place(given_place)


@pytest.mark.parametrize(
    "given_place", [nested_wkt(100_000), nested_wkt(PLACE_LIMITS.depth + 1), "(" * 100_000], ids=len
)
def test_deep_wkt_is_refused_before_it_ends_the_process(given_place: str) -> None:
    with pytest.raises(MeaningProblem, match="deeper"):
        parse_place(given_place)


@pytest.mark.parametrize("depth", [PLACE_LIMITS.depth + 1, 5_000])
def test_deep_geojson_is_refused_before_it_ends_the_process(depth: int) -> None:
    with pytest.raises(MeaningProblem):
        parse_place(nested_geojson(depth))


def test_a_polygon_with_many_rings_is_not_deep() -> None:
    holes = [f"({x} 1, {x + 1} 1, {x + 1} 2, {x} 1)" for x in range(1, 200, 3)]
    assert parse_place(f"POLYGON ((0 0, 300 0, 300 9, 0 9, 0 0), {', '.join(holes)})").is_valid


TEXTS = st.one_of(
    st.builds("POINT ({} {})".format, st.integers(-9, 9), st.decimals(-500, 500, places=3)),
    st.builds("POINT({} {})".format, st.integers(-(10**14), 10**14), st.integers(0, 9)),
)
ODD_TEXTS = st.one_of(st.builds("POINT ({} {})".format, coordinates, coordinates), st.just(SQUARE))
OBJECTS = st.builds(
    lambda x, y: {"type": "Point", "coordinates": [x, y]}, coordinates, st.integers(-9, 9)
)
PLACES = st.one_of(TEXTS, ODD_TEXTS, OBJECTS, st.none())


@given(
    st.one_of(
        *(
            st.lists(each, max_size=20)
            for each in (TEXTS, st.one_of(TEXTS, ODD_TEXTS), OBJECTS, PLACES)
        )
    )
)
def test_places_read_together_are_as_read_one_by_one(given_places: list[Any]) -> None:
    one_by_one = [None if each is None else parse_place(each) for each in given_places]
    assert parse_places(given_places).tolist() == one_by_one


@given(PLACES.filter(is_plain_point))
def test_a_plain_point_is_a_place(given_place: Any) -> None:
    assert parse_place(given_place).geom_type == "Point"


@pytest.mark.parametrize(
    "given_place",
    [
        "POINT (1 2)\nPOINT (3 4)",
        "POINT (1 2) ",
        "POINT (1 2",
        "POINT (1 nan)",
        "POINT (1 1e999)",
        "POINT (1 \u0662)",
        {"type": "Point", "coordinates": [1, float("nan")]},
        {"type": "Point", "coordinates": [1, True]},
        {"type": "Point", "coordinates": [1]},
        {"type": "LineString", "coordinates": [1, 2]},
        None,
    ],
)
def test_what_needs_a_second_look_is_not_plain(given_place: object) -> None:
    assert not is_plain_point(given_place)


def test_one_bad_place_among_plain_points_is_refused() -> None:
    with pytest.raises(MeaningProblem):
        parse_places(["POINT (1 2)", "POINT (1 2)\nPOINT (3 4)"])


def test_the_other_side_of_the_globe_is_far_away() -> None:
    antipode = parse_place("POLYGON ((179 -1, 180 -1, 180 1, 179 1, 179 -1))")
    assert distance_between(parse_place("POINT (0 0)"), antipode, Metric.WGS84) > 19_000_000

"""Places on the globe: edges straight in longitude and latitude, one ground however it is written,
exact distances.

The reference searches for a distance along the edges; published lengths of the ellipsoid are the
third opinion.
"""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
import shapely
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pyproj import Geod

from tocsin.reference import places as reference
from tocsin.reference import places as reference_globe
from tocsin.values import globe
from tocsin.values.geodesy import (
    geodesic_lengths,
    longest_way,
    position_in_space,
    shortest_way,
    widen,
)
from tocsin.values.globe_distance import Chains, Metres, cut, slack
from tocsin.values.space import (
    Geometry,
    Metric,
    SpatialRelation,
    are_related,
    distance_between,
    extent,
    parse_place,
)

GEOD = Geod(ellps="WGS84")
SWISS_BOX = "POLYGON ((6.5 46, 9.5 46, 9.5 47.4, 6.5 47.4, 6.5 46))"
FIJI = "POLYGON ((177 -20, 182 -20, 182 -15, 177 -15, 177 -20))"
FIJI_WEST = "((177 -20, 180 -20, 180 -15, 177 -15, 177 -20))"
FIJI_EAST = "((-180 -20, -178 -20, -178 -15, -180 -15, -180 -20))"
FIJI_CUT = f"MULTIPOLYGON ({FIJI_WEST}, {FIJI_EAST})"
ARCTIC = "POLYGON ((-180 70, 180 70, 180 90, -180 90, -180 70))"


def metres(one: str, other: str) -> float:
    return distance_between(parse_place(one), parse_place(other), Metric.WGS84)


def stands(one: str, relation: SpatialRelation, other: str, limit: float = 0.0) -> bool:
    """As the engine says, which the reference must confirm."""
    places = parse_place(one), parse_place(other)
    found = are_related(places[0], relation, places[1], limit, Metric.WGS84)
    assert reference.are_related(places[0], relation, places[1], limit, Metric.WGS84) == found
    return found


def along_meridian(longitude: float, latitude: float, other_latitude: float) -> float:
    return float(GEOD.inv(longitude, latitude, longitude, other_latitude)[2])


@pytest.mark.parametrize(
    ("point", "region", "expected"),
    [
        ("POINT (8 47.404)", SWISS_BOX, along_meridian(8, 47.404, 47.4)),
        ("POINT (8 45.99)", SWISS_BOX, along_meridian(8, 45.99, 46)),
        (
            "POINT (5 60.01)",
            "POLYGON ((0 59, 10 59, 10 60, 0 60, 0 59))",
            along_meridian(5, 60.01, 60),
        ),
        ("POINT (0 90)", "LINESTRING (-170 80, 170 80)", along_meridian(0, 90, 80)),
        ("POINT (20 0)", "LINESTRING (-60 60, 100 60)", along_meridian(20, 0, 60)),
        ("POINT (5 0)", "POLYGON ((-1 -80, 1 -80, 1 80, -1 80, -1 -80))", 4 * 111_319.490_793),
        ("POINT (-179 0)", "POLYGON ((170 -1, 180 -1, 180 1, 170 1, 170 -1))", 111_319.490_793),
        ("POINT (0 0)", "POINT (0 90)", 10_001_965.729),
        ("POINT (0 0)", "POINT (180 0)", 20_003_931.459),
        ("POINT (0 89.99)", "POINT (180 89.99)", 2 * along_meridian(0, 89.99, 90)),
    ],
)
def test_distances_are_those_of_the_ellipsoid_however_long_an_edge_is(
    point: str, region: str, expected: float
) -> None:
    assert metres(point, region) == pytest.approx(expected, abs=0.1)
    assert metres(region, point) == pytest.approx(expected, abs=0.1)


def test_the_decision_at_a_threshold_is_that_of_the_straight_edge() -> None:
    """North of the middle of the box, where the straight line on the ground between its corners
    runs 1 km higher.
    """
    for latitude, nearer in ((47.4 + 0.0044, True), (47.4 + 0.0046, False)):
        assert stands(f"POINT (8 {latitude})", SpatialRelation.NEARER, SWISS_BOX, 500) is nearer
        assert (
            stands(f"POINT (8 {latitude})", SpatialRelation.FARTHER, SWISS_BOX, 500) is not nearer
        )


@pytest.mark.parametrize(
    ("point", "inside"),
    [
        ("POINT (180 -17)", True),
        ("POINT (-180 -17)", True),
        ("POINT (-178 -17)", True),
        ("POINT (182 -17)", True),
        ("POINT (-177.9 -17)", False),
        ("POINT (176.9 -17)", False),
        ("POINT (0 -17)", False),
    ],
)
@pytest.mark.parametrize(
    "region", [FIJI, FIJI_CUT, "POLYGON ((-183 -20, -178 -20, -178 -15, -183 -15, -183 -20))"]
)
def test_a_region_across_the_180th_meridian_is_written_in_any_of_three_ways(
    point: str, inside: bool, region: str
) -> None:
    assert stands(point, SpatialRelation.INSIDE, region) is inside
    assert stands(point, SpatialRelation.MEETS, region) is inside
    assert (metres(point, region) == 0) is inside


def test_shapes_across_the_180th_meridian() -> None:
    ship = "LINESTRING (179 -17, 181 -17)"
    for region in (FIJI, FIJI_CUT):
        assert stands(ship, SpatialRelation.INSIDE, region)
        assert stands("LINESTRING (-181 -17, -179 -17)", SpatialRelation.INSIDE, region)
        assert not stands("LINESTRING (179 -17, 183 -17)", SpatialRelation.INSIDE, region)
        assert stands("LINESTRING (179 -17, 183 -17)", SpatialRelation.MEETS, region)
        assert stands(FIJI_CUT, SpatialRelation.INSIDE, region)
        assert stands("POINT (-180.5 -17.5)", SpatialRelation.SAME_PLACE, region, 10.0)
        assert not stands("POINT (-179.5 -17.5)", SpatialRelation.SAME_PLACE, region, 10.0)
    # the long way round, as written
    assert not stands("LINESTRING (179 -17, -179 -17)", SpatialRelation.INSIDE, FIJI)


def test_a_pole_is_one_point() -> None:
    assert stands("POINT (10 90)", SpatialRelation.MEETS, "POINT (-50 90)")
    assert stands("LINESTRING (0 90, 120 90)", SpatialRelation.INSIDE, "POINT (5 90)")
    assert stands("LINESTRING (0 85, 0 90)", SpatialRelation.INSIDE, ARCTIC)
    assert stands(
        "POINT (7 90)", SpatialRelation.INSIDE, "POLYGON ((0 80, 5 80, 5 90, 0 90, 0 80))"
    )
    assert not stands("POINT (7 -90)", SpatialRelation.INSIDE, ARCTIC)
    assert not stands(
        "LINESTRING (7 85, 7 90)",
        SpatialRelation.INSIDE,
        "POLYGON ((0 80, 5 80, 5 90, 0 90, 0 80))",
    )
    assert metres("POINT (33 -90)", "POINT (-120 -90)") == 0


def test_what_the_globe_does_not_have_stands_in_no_relation() -> None:
    for relation in set(SpatialRelation) - {SpatialRelation.WITHIN}:
        for nowhere in ("POINT (0 90.1)", "POINT (361 0)", "LINESTRING (-181 0, 181 0)"):
            assert not stands(nowhere, relation, ARCTIC, 1e9)


def test_a_hull_on_the_globe_takes_the_short_way() -> None:
    east, west = parse_place("POINT (179 10)"), parse_place("POINT (-179 10)")
    hull = extent([east, west], Metric.WGS84)
    assert hull is not None
    assert hull.equals(parse_place("LINESTRING (179 10, 181 10)"))
    assert reference.place_of([east, west], Metric.WGS84).equals(hull)  # type: ignore[union-attr]
    plane = extent([east, west])
    assert plane is not None
    assert plane.length == 358


longitudes = st.one_of(
    st.sampled_from([-180.0, 180.0, 0.0, -360.0, 360.0]),
    st.floats(-200, 200).map(lambda x: round(x, 3)),
)
latitudes = st.one_of(
    st.sampled_from([-90.0, 90.0, 0.0]), st.floats(-90, 90).map(lambda x: round(x, 3))
)
widths = st.one_of(st.floats(0.001, 1), st.floats(1, 20), st.floats(20, 150)).map(
    lambda x: round(x, 3)
)


@st.composite
def shapes(draw: st.DrawFn) -> Geometry:
    """Points, lines and boxes anywhere on the globe, from small to a third of it; at poles and the
    180th meridian.
    """
    x, y = draw(longitudes), draw(latitudes)
    a, b = (
        min(360.0, x + draw(widths)),
        max(-90.0, min(90.0, y + draw(widths) * draw(st.sampled_from([-1, 1])))),
    )
    kind = draw(st.sampled_from(["point", "line", "box", "triangle"]))
    if kind == "point" or a <= x or b == y:
        return shapely.Point(x, y)
    if kind == "line":
        return shapely.LineString([(x, y), (a, b)])
    return (
        shapely.box(x, min(y, b), a, max(y, b))
        if kind == "box"
        else shapely.Polygon([(x, y), (a, y), (a, b)])
    )


@settings(max_examples=60)
@given(shapes(), shapes())
def test_distances_agree_with_the_reference_to_a_metre(one: Geometry, other: Geometry) -> None:
    expected = reference.distance_of(one, other, Metric.WGS84)
    found = distance_between(one, other, Metric.WGS84)
    assert (found == 0) == (expected == 0)
    assert found == pytest.approx(expected, abs=1)


@settings(max_examples=60)
@given(shapes(), st.floats(0, 1), st.floats(-0.1, 0.1), st.floats(-0.1, 0.1))
def test_metres_from_near_an_edge_agree_with_the_reference(
    shape: Geometry, share: float, right: float, up: float
) -> None:
    start, end, *_ = [*shapely.get_coordinates(shape), *shapely.get_coordinates(shape)]
    x, y = start + share * (end - start) + (right, up)
    point = shapely.Point(min(360.0, x), max(-90.0, min(90.0, y)))
    expected = reference.distance_of(point, shape, Metric.WGS84)
    assert distance_between(point, shape, Metric.WGS84) == pytest.approx(expected, abs=1)
    assert distance_between(shape, point, Metric.WGS84) == pytest.approx(expected, abs=1)


@pytest.mark.parametrize("centre", [(0, 90), (0, -90), (10, 10), (179, -5)], ids=str)
@pytest.mark.parametrize("count", [7, 8, 24])
def test_many_edges_that_touch_in_one_point_are_all_looked_at(
    count: int, centre: tuple[float, float]
) -> None:
    east, north = centre
    turns = [2 * np.pi * k / count for k in range(count)]
    if abs(north) == 90:
        meridians = [float(np.degrees(turn)) - 180 for turn in turns]
        spokes = [((each, north), (each, 0.8 * north)) for each in meridians]
        point = shapely.Point(meridians[-1] + 0.5, np.copysign(89.95, north))
    else:
        spokes = [(centre, (east + 4 * np.cos(turn), north + 4 * np.sin(turn))) for turn in turns]
        near = turns[-1] + 0.05
        point = shapely.Point(east + 0.4 * np.cos(near), north + 0.4 * np.sin(near))
    star = shapely.MultiLineString(spokes)
    expected = GEOD.geometry_length(shapely.shortest_line(point, star))
    found = reference.distance_of(point, star, Metric.WGS84)
    assert found == pytest.approx(expected, rel=0.05)
    assert distance_between(point, star, Metric.WGS84) == pytest.approx(found, abs=0.01)


@given(shapes(), shapes(), st.floats(-0.02, 0.02), st.sampled_from([-2.0, 2.0, -5_000.0, 5_000.0]))
def test_a_limit_never_changes_the_decision(
    one: Geometry, other: Geometry, share: float, metres: float
) -> None:
    exact = distance_between(one, other, Metric.WGS84)
    limit = max(0.0, exact * (1 + share) + metres)
    assume(abs(exact - limit) > 0.2)
    places = np.array([one], np.object_), np.array([other], np.object_)
    [found] = globe.distances(*places, np.array([limit]))
    assert (found > limit) == (exact > limit)


@given(longitudes, latitudes, longitudes, latitudes)
def test_points_are_measured_alike_one_by_one_and_together(
    x: float, y: float, a: float, b: float
) -> None:
    one, other = shapely.Point(x, y), shapely.Point(a, b)
    [together] = globe.distances(np.array([one], np.object_), np.array([other], np.object_))
    assert globe.distance_of_points(one, other) == together
    assert globe.distance_of_points(shapely.Point(x, 90.5), other) is None


@settings(max_examples=200)
@given(shapes(), shapes(), st.sampled_from([SpatialRelation.MEETS, SpatialRelation.INSIDE]))
def test_what_shares_ground_is_what_the_reference_says(
    one: Geometry, other: Geometry, relation: SpatialRelation
) -> None:
    found = are_related(one, relation, other, 0, Metric.WGS84)
    assert reference.are_related(one, relation, other, 0, Metric.WGS84) == found
    if relation is SpatialRelation.MEETS:
        assert (distance_between(one, other, Metric.WGS84) == 0) == found
        assert are_related(one, SpatialRelation.AT, other, 0, Metric.WGS84) == found


@given(longitudes, latitudes, longitudes, latitudes)
def test_a_chord_bounds_the_way(x: float, y: float, a: float, b: float) -> None:
    ends = np.array([[x, y]]), np.array([[a, b]])
    [way], chord = (
        geodesic_lengths(*ends),
        np.linalg.norm(position_in_space(ends[0]) - position_in_space(ends[1]), axis=1),
    )
    assert shortest_way(chord)[0] <= way + 1e-6
    assert way <= longest_way(chord)[0] + 1e-6


@given(longitudes, latitudes, st.floats(0, 8), st.floats(-8, 8), st.floats(0, 1))
def test_an_edge_stays_within_its_slack(
    x: float, y: float, right: float, up: float, share: float
) -> None:
    edge = np.array([[x, y, x + right, max(-90.0, min(90.0, y + up))]])
    on_edge = edge[:, :2] + share * (edge[:, 2:] - edge[:, :2])
    start, end, at = (position_in_space(each)[0] for each in (edge[:, :2], edge[:, 2:], on_edge))
    assert np.linalg.norm(at - (start + share * (end - start))) <= slack(edge)[0] + 1e-6


@given(
    longitudes,
    latitudes,
    widths,
    widths,
    st.floats(0, 3e6),
    st.floats(0, 360),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_a_widened_box_holds_what_is_so_near(
    x: float,
    y: float,
    width: float,
    height: float,
    metres: float,
    azimuth: float,
    share: float,
    other_share: float,
) -> None:
    box = np.array([[x, y, x + width, min(90.0, y + height)]])
    from_x, from_y = x + share * width, y + other_share * (box[0, 3] - y)
    longitude, latitude, _ = GEOD.fwd(from_x, from_y, azimuth, metres)
    [[west, south, east, north]] = widen(box, np.array([metres + 0.01]))
    assert south <= latitude <= north
    assert (longitude - west) % 360 <= east - west + 1e-9


def test_shapes_with_very_many_edges_are_searched_in_balls() -> None:
    angles = np.linspace(0, 2 * np.pi, 30_001)
    ring = shapely.Polygon(np.column_stack((np.cos(angles), np.sin(angles))))
    other = shapely.transform(ring, lambda corners: corners + np.array([3.0, 0.0]))
    assert distance_between(ring, other, Metric.WGS84) == pytest.approx(111_319.491, abs=0.1)


def test_edges_are_cut_into_parts_that_make_them_up() -> None:
    edges = np.array([[0.0, 0, 10, 20], [5, 5, 5, 5]])
    parts, parents = cut(edges, np.array([4, 1]))
    assert parents.tolist() == [0, 0, 0, 0, 1]
    assert parts[0].tolist() == [0, 0, 2.5, 5]
    assert parts[3].tolist() == [7.5, 15, 10, 20]
    assert parts[4].tolist() == [5, 5, 5, 5]


def test_every_edge_of_every_shape_is_there() -> None:
    places = [
        "POINT (1 2)",
        "GEOMETRYCOLLECTION (POINT (0 0), POLYGON ((0 0, 4 0, 4 4, 0 0), (2 1, 3 1, 3 2, 2 1)))",
        "MULTIPOINT ((1 1), (2 2))",
        "LINESTRING (0 0, 1 1, 40 1)",
    ]
    chains = globe.chains_of(np.array([parse_place(each) for each in places], np.object_))
    assert isinstance(chains, Chains)
    assert chains.starts.tolist() == [0, 1, 8, 10, 16]
    assert chains.edges[0].tolist() == [1, 2, 1, 2]
    assert chains.edges[8:10].tolist() == [[1, 1, 1, 1], [2, 2, 2, 2]]
    assert chains.edges[10:12].tolist() == [[0, 0, 1, 1], [1, 1, 8.8, 1]]
    assert not np.isin(inf, chains.edges)


def test_the_reference_looks_at_some_pairs_of_edges_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All pairs of two shapes with 20,000 edges each took more memory than there is."""
    together: list[int] = []

    def counted(ours: Metres, theirs: Metres) -> Metres:
        together.append(len(ours))
        return geodesic_lengths(ours, theirs)

    monkeypatch.setattr(reference_globe, "geodesic_lengths", counted)
    near, far = (
        shapely.LineString([(x + n / 100, n % 3) for n in range(120)]) for x in (10.0, 20.0)
    )
    expected = reference_globe.distance(near, far)
    monkeypatch.setattr(reference_globe, "_PAIRS_AT_ONCE", 100)
    together.clear()
    assert reference_globe.distance(near, far) == expected
    assert max(together) <= 100 * 25

"""Every form of the language, by the glyph table of the specification, as the plan that it stands
for.
"""

from __future__ import annotations

import pytest

from tests.languages.opsl.plans import SECOND, A, B, C, D, E, finish, parsed, start
from tocsin.languages.base.reading import Context, PartDefinition
from tocsin.plan.nodes.composites import (
    Absence,
    AfterInstant,
    AfterWindow,
    AtRegion,
    BetweenWindow,
    DuringWindow,
    Either,
    FixedWindow,
    Join,
    Near,
    Only,
    Part,
    Precedes,
)
from tocsin.values.space import Metric, SpatialRelation

SQUARE = "POLYGON ((0 0, 10 0, 10 10, 0 10, 0 0))"
INSIDE = SpatialRelation.INSIDE
NEW_YEAR = 1_704_067_200 * SECOND

CONCURRENT = (Precedes(start(1), finish(0), 0, True), Precedes(start(0), finish(1), 0, True))

TEMPORAL: dict[str, Part] = {
    "!(5;10)B": Absence(B, FixedWindow(5_000, 10_000)),
    "!(A;10)B": Absence(B, AfterWindow(A, 10_000)),
    "!(A;B)C": Absence(C, BetweenWindow(A, B)),
    "=|(5;10)B": Only(B, DuringWindow(5_000, 10_000)),
    "=|(A;10)B": Join(
        (A, B),
        (Precedes(finish(0), start(1)), Precedes(finish(1), finish(0), gap=-10_000, or_equal=True)),
    ),
    "=|(A;B)C": Join((A, B, C), (Precedes(finish(0), start(2)), Precedes(finish(2), start(1)))),
    "|=(5;10)B": Only(B, AfterInstant(15_000)),
    "|=(A;10)B": Join((A, B), (Precedes(finish(0), start(1), gap=10_000),)),
    "|=(A;B)C": Join((A, B, C), (Precedes(finish(0), start(1)), Precedes(finish(1), start(2)))),
    "|(A)B": Join((A, B), CONCURRENT),
}

SPATIAL: dict[str, Part] = {
    "@(POLYGON((0 0,10 0,10 10,0 10)))A": Only(A, AtRegion(SpatialRelation.INSIDE, SQUARE)),
    "IN(A)B": Join((A, B), (Near(1, SpatialRelation.INSIDE, 0),)),
    "OVLP(POLYGON((0 0,10 0,10 10,0 10)))A": Only(A, AtRegion(SpatialRelation.MEETS, SQUARE)),
    "OVLP(A)B": Join((A, B), (Near(1, SpatialRelation.MEETS, 0),)),
    "SPL(POLYGON((0 0,10 0,10 10,0 10)))A": Only(
        A, AtRegion(SpatialRelation.SAME_PLACE, SQUARE, 1.0)
    ),
    "SPL(A)B": Join((A, B), (Near(1, SpatialRelation.SAME_PLACE, 0, 1.0),)),
    "DIST(POLYGON((0 0,10 0,10 10,0 10));<;5)A": Only(
        A, AtRegion(SpatialRelation.NEARER, SQUARE, 5.0)
    ),
    "DIST(POLYGON((0 0,10 0,10 10,0 10));=;5)A": Only(A, AtRegion(SpatialRelation.AT, SQUARE, 5.0)),
    "DIST(POLYGON((0 0,10 0,10 10,0 10));>;5)A": Only(
        A, AtRegion(SpatialRelation.FARTHER, SQUARE, 5.0)
    ),
    "DIST(A;<;0.5)B": Join((A, B), (Near(1, SpatialRelation.NEARER, 0, 0.5),)),
    "DIST(A;=;5)B": Join((A, B), (Near(1, SpatialRelation.AT, 0, 5.0),)),
    "DIST(A;>;5e2)B": Join((A, B), (Near(1, SpatialRelation.FARTHER, 0, 500.0),)),
}


@pytest.mark.parametrize("text", TEMPORAL)
def test_temporal_form(text: str) -> None:
    assert parsed(text) == TEMPORAL[text]


@pytest.mark.parametrize("text", SPATIAL)
def test_spatial_form(text: str) -> None:
    assert parsed(text) == SPATIAL[text]


def test_there_are_ten_temporal_and_twelve_spatial_forms() -> None:
    assert (len(TEMPORAL), len(SPATIAL)) == (10, 12)


@pytest.mark.parametrize(
    ("written", "microseconds"),
    [
        ("0", 0),
        ("7", 7_000),
        ("7ms", 7_000),
        ("7 s", 7 * SECOND),
        ("7m", 420 * SECOND),
        ("7h", 25_200 * SECOND),
        ("7d", 604_800 * SECOND),
        ("+7", 7_000),
        ("36600d", 36_600 * 86_400 * SECOND),
    ],
)
def test_durations_are_whole_milliseconds_or_have_a_unit(written: str, microseconds: int) -> None:
    assert parsed(f"!(A;{written})B") == Absence(B, AfterWindow(A, microseconds))


@pytest.mark.parametrize(
    ("written", "instant"),
    [
        ("0", 0),
        ("-1", -1_000),
        ("1704067200000", NEW_YEAR),
        ("2024-01-01T00:00:00Z", NEW_YEAR),
        ("2024-01-01T01:00:00.5+01:00", NEW_YEAR + SECOND // 2),
        ("2024-01-01t00:00:00z", NEW_YEAR),
    ],
)
def test_instants_are_milliseconds_since_1970_or_times(written: str, instant: int) -> None:
    assert parsed(f"!({written};1s)B") == Absence(B, FixedWindow(instant, SECOND))


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("A && B || C && D", Either((Join((A, B)), Join((C, D))))),
        ("A || B && C || D", Either((A, Join((B, C)), D))),
        ("A && B && C", Join((Join((A, B)), C))),
        ("A && (B && C)", Join((A, Join((B, C))))),
        ("(A || B) && C", Join((Either((A, B)), C))),
        ("A || (B || C)", Either((A, Either((B, C))))),
        ("!(0;1)A && B", Join((Absence(A, FixedWindow(0, 1_000)), B))),
        ("!(0;1)(A && B)", Absence(Join((A, B)), FixedWindow(0, 1_000))),
        ("!(0;1)!(0;2)A", Absence(Absence(A, FixedWindow(0, 2_000)), FixedWindow(0, 1_000))),
        ("!(A && B;C || D)E", Absence(E, BetweenWindow(Join((A, B)), Either((C, D))))),
    ],
)
def test_prefixes_bind_before_and_before_or(text: str, pattern: Part) -> None:
    assert parsed(text) == pattern


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("A|||(B)C", "A || (|(B)C)"),
        ("A|||=(B;C)D", "A || (|=(B;C)D)"),
        ("A||=|(B;C)D", "A || (=|(B;C)D)"),
        ("A&&|(B)C", "A && (|(B)C)"),
        ("$x;, $x;=|(A)B", "$x;, $x; = (|(A)B)"),
        ("$x;,$x;==|(A;B)C", "$x;, $x; = (=|(A;B)C)"),
        ("$x;,$x;=|=(A;B)C", "$x;, $x; = (|=(A;B)C)"),
        ("=|($e1;;60s)$e2;,$e1;=A,$e2;=B", "=|( $e1; ; 60s )( $e2; ), $e1; = (A), $e2; = (B)"),
        ("=|($e1;;$e2;)C,$e1;=A,$e2;=B", "=| ($e1; ; $e2;) C, $e1; = A, $e2; = B"),
        ("DIST($x;;<;5)B,$x;=A", "DIST ( $x; ; < ; 5 ) B , $x; = A"),
    ],
)
def test_the_longest_token_wins_except_after_a_bound_variable(text: str, same: str) -> None:
    assert parsed(text) == parsed(same)


def test_a_name_may_begin_like_an_operator() -> None:
    context = Context(
        {
            name: PartDefinition(name, "opsl", 'STRING: k = "A"')
            for name in ("IN-A", "INside", "DIST_1")
        }
    )
    assert parsed("IN(INside)IN-A && DIST_1", context) == Join(
        (Join((A, A), (Near(1, INSIDE, 0),)), A)
    )


def test_blanks_and_line_ends_change_nothing() -> None:
    assert parsed("\n=|\t( A\n;\n10 s )\r\n  B  ") == parsed("=|(A;10s)B")


@pytest.mark.parametrize("metric", ["wgs84", "EPSG:4326", "WGS84"])
def test_on_the_ellipsoid_every_spatial_form_says_so(metric: str) -> None:
    assert parsed("DIST(A;<;5)B", crs=metric) == Join(
        (A, B), (Near(1, SpatialRelation.NEARER, 0, 5.0, Metric.WGS84),)
    )
    assert parsed("@(POLYGON((0 0,10 0,10 10,0 10)))A", crs=metric) == Only(
        A, AtRegion(SpatialRelation.INSIDE, SQUARE, 0.0, Metric.WGS84)
    )


def test_a_longest_event_of_nothing_is_not_the_same_as_none_given() -> None:
    assert parsed("|(A)B", max_event_duration=0) == Join((A, B), CONCURRENT, keep=0)


def test_tolerance_and_longest_event_bound_what_is_concurrent() -> None:
    conditions = (
        Precedes(start(1), finish(0), -2_000, True),
        Precedes(start(0), finish(1), -2_000, True),
    )
    expected = Join((A, B), conditions, keep=2_000 + 3 * SECOND)
    assert parsed("|(A)B", concurrency_tolerance=2, max_event_duration="3s") == expected
    assert parsed("|(A)B", concurrency_tolerance="2ms", max_event_duration="PT3S") == expected


def test_threshold_is_how_near_the_same_place_is() -> None:
    assert parsed("SPL(A)B", spl_threshold=25) == Join(
        (A, B), (Near(1, SpatialRelation.SAME_PLACE, 0, 25.0),)
    )

"""Warnings of OPSL: what is legal and probably not meant is told, with its place and a way out."""

from __future__ import annotations

import pytest

from tests.languages.opsl.plans import CONTEXT
from tocsin.errors import Problem
from tocsin.languages import warnings_in_subscription
from tocsin.languages.base.reading import Context, RegionDefinition

WIDE = "POLYGON((170 -5, -170 -5, -170 5, 170 5))"


def warned(text: str, **options: object) -> list[Problem]:
    return warnings_in_subscription("opsl", text, options, CONTEXT)


@pytest.mark.parametrize(
    ("text", "column", "token", "hint"),
    [
        ("=|(A;60)B", 6, "60", "write 60s for seconds, 60ms if they are meant"),
        ("!(A; 5000)B", 6, "5000", "5000ms or 5s if they are meant"),
        ("!(2024-01-01T00:00:00Z; 10)B", 25, "10", "write 10s"),
        ("A && $x;, $x; = |=(A;7)B", 22, "7", "write 7s"),
    ],
)
def test_a_duration_without_a_unit(text: str, column: int, token: str, hint: str) -> None:
    [warning] = warned(text)
    assert (warning.code, str(warning.place), warning.token) == (
        "DurationWithoutUnit",
        f"line 1, column {column}",
        token,
    )
    assert hint in warning.hint


@pytest.mark.parametrize(
    "text", ["=|(A;60ms)B", "=|(A;1h)B", "!(A;0)B", "!(5;10s)B", "A && B", "=|(A;B)B", "=|(A;"]
)
def test_nothing_to_warn_of(text: str) -> None:
    assert warned(text) == []


def test_an_edge_that_goes_the_long_way_round() -> None:
    [warning] = warned(f"@({WIDE})A", crs="EPSG:4326")
    assert (warning.code, str(warning.place)) == ("LongWayRound", "line 1, column 3")
    assert warning.hint == "across the 180th meridian write 170 to 190"
    assert warned(f"@({WIDE})A") == []
    assert warned("@(POLYGON((170 -5, 190 -5, 190 5, 170 5)))A", crs="EPSG:4326") == []
    assert warned("@(POLYGON((-180 80, 180 80, 180 90, -180 90)))A", crs="EPSG:4326") == []


def test_a_named_region_that_goes_the_long_way_round() -> None:
    closed = WIDE.replace("170 5))", "170 5, 170 -5))")
    context = Context({"R": RegionDefinition("R", closed)})
    found = warnings_in_subscription(
        "opsl", "DIST(R; <; 5)(ARITH: id = 1)", {"crs": "wgs84"}, context
    )
    assert [(each.code, each.token) for each in found] == [("LongWayRound", "R")]

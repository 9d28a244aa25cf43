"""The test cases of the JTS geometry library, run against our few spatial functions.

Contains and within differ from covers for what lies on the boundary alone: they say no where we say
yes, so a case that contains is a case that covers, and a case that does not cover does not contain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from lxml import etree

from tests.conftest import SHARED_DATA, shared_data
from tocsin.errors import MeaningProblem
from tocsin.values.space import (
    Geometry,
    SpatialRelation,
    are_related,
    centre,
    distance_between,
    extent,
    parse_place,
)

FOLDER = "geometry-jts"


@dataclass(frozen=True)
class Case:
    """One operation of one case: operands by name, further argument and the expected text."""

    name: str
    operation: str
    places: dict[str, str]
    arguments: tuple[str, str]
    number: str
    expected: str


def cases() -> Iterator[Case]:
    for path in sorted((SHARED_DATA / FOLDER).glob("*.xml")):
        for index, case in enumerate(etree.parse(path).iter("case")):
            places = {
                name.upper(): " ".join((case.findtext(name) or "").split()) for name in ("a", "b")
            }
            for op in case.iter("op"):
                arguments = (op.get("arg1", "A").upper(), op.get("arg2", "B").upper())
                name = f"{path.stem}-{index}-{op.get('name')}"
                yield Case(
                    name,
                    op.get("name", ""),
                    places,
                    arguments,
                    op.get("arg3", ""),
                    (op.text or "").strip(),
                )


def inside(one: Geometry, other: Geometry) -> bool:
    return are_related(one, SpatialRelation.INSIDE, other)


def meets(one: Geometry, other: Geometry) -> bool:
    return are_related(one, SpatialRelation.MEETS, other)


PREDICATES: dict[str, Callable[[Geometry, Geometry], bool]] = {
    "covers": lambda one, other: inside(other, one),
    "coveredBy": inside,
    "intersects": meets,
    "disjoint": lambda one, other: not meets(one, other),
}
ALL = list(cases())
SERVED = {
    *PREDICATES,
    "contains",
    "within",
    "distance",
    "isWithinDistance",
    "convexhull",
    "getCentroid",
    "isValid",
}


def is_place(text: str) -> bool:
    try:
        parse_place(text)
    except MeaningProblem:
        return False
    return True


def served(operation: str) -> list[Case]:
    """Cases whose operands are places for us: valid and not empty."""
    return [
        case
        for case in ALL
        if case.operation == operation
        and all(is_place(text) for text in case.places.values() if text)
    ]


def operands(case: Case) -> tuple[Geometry, Geometry]:
    one, other = (parse_place(case.places[name]) for name in case.arguments)
    return one, other


def by_name(case: Case) -> str:
    return case.name


def test_the_cases_are_there() -> None:
    shared_data(FOLDER)
    assert len([case for case in ALL if case.operation in SERVED]) > 350


@pytest.mark.parametrize(
    "case", [case for name in PREDICATES for case in served(name)], ids=by_name
)
def test_predicates(case: Case) -> None:
    assert PREDICATES[case.operation](*operands(case)) == (case.expected == "true")


@pytest.mark.parametrize("case", served("contains") + served("within"), ids=by_name)
def test_what_contains_covers(case: Case) -> None:
    one, other = operands(case)
    covers = inside(other, one) if case.operation == "contains" else inside(one, other)
    assert covers or case.expected == "false"


@pytest.mark.parametrize("case", served("distance"), ids=by_name)
def test_distance(case: Case) -> None:
    assert distance_between(*operands(case)) == pytest.approx(float(case.expected))


@pytest.mark.parametrize("case", served("isWithinDistance"), ids=by_name)
def test_within_distance(case: Case) -> None:
    one, other = operands(case)
    farther = are_related(one, SpatialRelation.FARTHER, other, float(case.number))
    assert farther == (case.expected == "false")


@pytest.mark.parametrize("case", served("convexhull"), ids=by_name)
def test_hull(case: Case) -> None:
    place = parse_place(case.places["A"])
    found = extent([place, place])
    assert found is not None
    assert found.equals(parse_place(case.expected))


@pytest.mark.parametrize("case", served("getCentroid"), ids=by_name)
def test_centre(case: Case) -> None:
    found, expected = centre(parse_place(case.places["A"])), parse_place(case.expected)
    assert (found.x, found.y) == pytest.approx((expected.x, expected.y))


@pytest.mark.parametrize(
    "case",
    [case for case in ALL if case.operation == "isValid" and "EMPTY" not in case.places["A"]],
    ids=by_name,
)
def test_only_valid_geometries_are_places(case: Case) -> None:
    assert is_place(case.places["A"]) == (case.expected == "true")

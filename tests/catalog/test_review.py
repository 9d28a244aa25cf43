"""A file looked at as a whole: its definitions, used or not, and what its good lines warn of."""

from __future__ import annotations

import json

import pytest

from tocsin.catalog import Entries, read_entries
from tocsin.catalog.files import LineProblem
from tocsin.catalog.review import review

SQUARE = "POLYGON((0 0, 10 0, 10 10, 0 10, 0 0))"
TRUCK = {"define": "Truck", "language": "opsl", "expression": "STRING: type = 'truck'"}
USES = {"id": "s", "language": "opsl", "expression": "@(Yard)Truck"}
YARD = {"define": "Yard", "region": SQUARE}


def entries(*lines: object):
    return read_entries([json.dumps(line).encode() + b"\n" for line in lines])


def problems_in(given: Entries) -> list[LineProblem]:
    return list(review(given).problems)


def file_warnings(given: Entries) -> list[LineProblem]:
    return list(review(given).warnings)


def told(found: list) -> list[tuple[int, str, str]]:
    return [(each.line, each.subscription, each.problem.code) for each in found]


@pytest.mark.parametrize(
    ("definition", "code", "words"),
    [
        (
            {"define": "X", "region": "POLYGON((0 0, 10 10, 10 0, 0 10, 0 0))"},
            "RegionInvalid",
            "crosses itself",
        ),
        ({"define": "X", "region": "POINT (1 1)"}, "RegionInvalid", "got a Point"),
        ({"define": "X", "region": 5}, "RegionInvalid", ""),
        (
            {"define": "X", "language": "opsl", "expression": "price < 4"},
            "OpslSyntaxError",
            "selector{ price < 4 }",
        ),
        ({"define": "X", "language": "opsl", "expression": "X"}, "CyclicName", "break the circle"),
        ({"define": "X", "language": "opsl", "expression": "Nobody"}, "UnknownName", "add a line"),
        ({"define": "X", "language": "selector", "expression": "a ="}, "SelectorSyntaxError", ""),
        (
            {"define": "X", "language": "klingon", "expression": "a"},
            "LanguageError",
            "known languages",
        ),
        ({"define": "X", "masterdata": {"vocabularyList": 5}}, "MasterDataError", "vocabularyList"),
    ],
)
def test_a_broken_definition_is_a_problem_whether_it_is_used_or_not(
    definition: dict, code: str, words: str
) -> None:
    found = problems_in(entries(TRUCK, definition))
    assert told(found) == [(2, "X", code)]
    assert words in str(found[0])


def test_definitions_that_are_in_order_have_no_problems() -> None:
    assert problems_in(entries(YARD, TRUCK, USES)) == []
    assert file_warnings(entries(YARD, TRUCK, USES)) == []


def test_what_nobody_uses_is_warned_of() -> None:
    chained = {"define": "Chained", "language": "opsl", "expression": "Truck && Truck"}
    found = file_warnings(
        entries(chained, YARD, TRUCK, {**USES, "expression": "@(Yard)(ARITH: id = 1)"})
    )
    assert told(found) == [(1, "Chained", "UNUSED_DEFINITION"), (3, "Truck", "UNUSED_DEFINITION")]


def test_what_is_used_through_others_is_used() -> None:
    chained = {"define": "Chained", "language": "opsl", "expression": "@(Yard)Truck"}
    assert file_warnings(entries(chained, YARD, TRUCK, {**USES, "expression": "Chained"})) == []


@pytest.mark.parametrize(
    ("definition", "subscription"),
    [
        ({"define": "rates", "xml": "<r/>"}, ("exmlql", 'WHERE <a>$x</>, <r></> IN "rates"')),
        (
            {"define": "places", "masterdata": {"vocabularyList": []}},
            ("epcis", '{"EQ_action": ["ADD"]}'),
        ),
        ({"define": "P", "language": "concept", "expression": "ObjectEvent"}, ("concept", "P")),
    ],
)
def test_definitions_of_every_kind_can_be_used(
    definition: dict, subscription: tuple[str, str]
) -> None:
    language, expression = subscription
    good = {"id": "s", "language": language, "expression": expression}
    other = {"id": "o", "language": "selector", "expression": "a = 1"}
    assert file_warnings(entries(definition, good)) == []
    assert told(file_warnings(entries(definition, other))) == [
        (1, definition["define"], "UNUSED_DEFINITION")
    ]


def test_nobody_knows_what_a_broken_line_would_use() -> None:
    assert file_warnings(entries(YARD, TRUCK, {**USES, "expression": "@("})) == []


def test_the_good_lines_are_warned_of_beside_a_broken_one() -> None:
    odd = {"id": "odd", "language": "selector", "expression": "x = 1 AND x = 2"}
    found = file_warnings(entries({**USES, "expression": "@("}, odd))
    assert told(found) == [(2, "odd", "UNSATISFIABLE")]


@pytest.mark.parametrize("name", ["Region 1", "IN", "1st", "AND", "a.b"])
def test_a_name_that_no_text_can_write(name: str) -> None:
    found = file_warnings(entries({"define": name, "region": SQUARE}, USES, YARD, TRUCK))
    assert told(found) == [(1, name, "UNUSABLE_NAME")]


def test_geojson_that_is_off_the_globe() -> None:
    region = {"type": "Polygon", "coordinates": [[[0, 0], [10, 0], [10, 100], [0, 0]]]}
    (found,) = file_warnings(entries({**YARD, "region": region}, TRUCK, USES))
    assert (found.line, found.problem.message) == (1, "the latitude 100 is not between -90 and 90")


def test_a_definition_that_never_happens() -> None:
    never = {**TRUCK, "expression": "ARITH: a = 1, ARITH: a = 2"}
    assert told(file_warnings(entries(YARD, never, USES))) == [(2, "Truck", "UNSATISFIABLE")]


def test_a_name_that_is_defined_twice_is_told_with_its_first_line() -> None:
    (problem,) = entries(YARD, TRUCK, YARD).problems
    assert (problem.line, problem.problem.code) == (3, "DuplicateSubscriptionError")
    assert "line 1 has it already" in problem.problem.hint


FORMATS = [
    ({"id": "a", "language": "opsel", "expression": "A"}, "LanguageError", "did you mean opsl?"),
    (
        {"id": "a", "language": "Selector", "expression": "A"},
        "LanguageError",
        "did you mean selector?",
    ),
    ({"id": "a", "language": "sql", "expression": "A"}, "LanguageError", "did you mean selector?"),
    ({"id": "a", "language": "sparql", "expression": "A"}, "LanguageError", "did you mean graph?"),
    (
        {"id": "a", "language": "jms", "expression": "A"},
        "LanguageError",
        '"options": {"dialect": "jms"}',
    ),
    (
        {"id": "a", "language": "selector", "expresion": "A"},
        "SubscriptionFormatError",
        "did you mean expression?",
    ),
    (
        {"language": "selector", "expression": "a = 1"},
        "SubscriptionFormatError",
        '{"id": "cheap", "language"',
    ),
    (
        {"id": 5, "language": "selector", "expression": "a = 1"},
        "SubscriptionFormatError",
        '{"id": "cheap"',
    ),
    ({**USES, "policy": "Deferred"}, "SubscriptionFormatError", "did you mean deferred?"),
    ({**USES, "horizon": "60"}, "SubscriptionFormatError", "write it like 500ms, 2s"),
    ({**USES, "horizon": 60}, "SubscriptionFormatError", 'write it like "2h"'),
]


@pytest.mark.parametrize(("line", "code", "words"), FORMATS, ids=[row[2] for row in FORMATS])
def test_a_line_that_is_no_subscription_is_told_with_a_way_out(
    line: dict, code: str, words: str
) -> None:
    (found,) = problems_in(entries(line, YARD, TRUCK))
    assert (found.line, found.problem.code) == (1, code)
    assert words in found.problem.hint

"""What a person who slips in OPSL is told: the code, the place and a way out. More slips are in
test_errors.
"""

from __future__ import annotations

import pytest

from tests.languages.messages import Row, require_problem, require_silence, require_warning
from tests.languages.opsl.plans import CONTEXT

SYNTAX = "OpslSyntaxError"
GLOBE = {"crs": "EPSG:4326"}
NEAR = "POLYGON((0 0, 1 0, 1 1, 0 1))"
BESIDE = "POLYGON((1 0, 2 0, 2 1, 1 1))"
FAR = "POLYGON((5 5, 6 5, 6 6, 5 6))"
EPCIS = '$a; = epcis{"EQ_bizStep": ["shipping"]}, $b; = epcis{"EQ_bizStep": ["receiving"]}'

PROBLEMS: list[Row] = [
    ("price < 400", SYNTAX, (1, 7), "ARITH: price < 400, or selector{ price < 400 }"),
    ("5km", SYNTAX, (1, 1), "DIST(A; <; 5000)B"),
    ("A &&(5km) B", SYNTAX, (1, 6), "in metres with the option crs EPSG:4326"),
    ("A &&(60s) B", SYNTAX, (1, 6), "a duration stands in a window, =|(A; 60s)B"),
    ("DIST(A; <; 5km)B", SYNTAX, (1, 13), "5km is 5000"),
    ("@(POINT(1 1))A", SYNTAX, (1, 8), "a region is a POLYGON or a MULTIPOLYGON, not a POINT"),
    ("A @(Region1)", SYNTAX, (1, 3), "an operator stands before its part: @(Region1)A"),
    ("A DIST(B; <; 5)", SYNTAX, (1, 3), "an operator stands before its part"),
    ("ARITH: a = 1 AND ARITH: b = 2", SYNTAX, (1, 14), "a comma joins predicates of one event"),
    ("A or B", SYNTAX, (1, 3), "write || between two parts"),
    ("A and B", SYNTAX, (1, 3), "write && between two parts"),
    ("A THEN B", SYNTAX, (1, 3), "=|(A; 60s)B"),
    ("A -> B", SYNTAX, (1, 3), "=|(A; 60s)B"),
    ("NOT A", SYNTAX, (1, 5), "an absence has a window: !(A; 60s)B"),
    ("! A", SYNTAX, (1, 3), "an absence has a window: !(A; 60s)B"),
    ("selector(price < 400)", SYNTAX, (1, 9), "selector{ price < 400 }"),
    ("STRING: k = “x”", SYNTAX, (1, 13), "write straight quotes"),
    ("ARITH: a == 1", SYNTAX, (1, 11), "write = once"),
    ("A;", SYNTAX, (1, 2), "leave ; out"),
    ("A -- the truck", SYNTAX, (1, 3), "no comments"),
    ("A // the truck", SYNTAX, (1, 3), "no comments"),
    ("=|(A; 10 min)B", "ParameterError", (1, 7), "write 10m"),
    ("=|(A; 2hours)B", "ParameterError", (1, 7), "write 2h"),
    ("!(A; 2 weeks)B", "ParameterError", (1, 6), "write 14d"),
    (
        "Tram",
        "UnknownName",
        (1, 1),
        '{"define": "Tram", "language": "opsl", "expression": "ARITH: id = 7"}',
    ),
    ("@(Yard)A", "UnknownName", (1, 3), '{"define": "Yard", "region": "POLYGON((0 0, '),
]

LISTS: list[Row] = [  # after a line break and WHERE
    ("$a;.epcList = $b;.epcList", "WhereError", (2, 7), "$a;.epcList[*] = ..."),
    (
        "$a;.persistentDisposition.set = $b;.x",
        "WhereError",
        (2, 7),
        "$a;.persistentDisposition.set[*] = ...",
    ),
    (
        "$a;.quantityList[*] = $b;.quantityList[*]",
        "WhereError",
        (2, 7),
        "$a;.quantityList.epcClass[*] = ...",
    ),
    ("$a;.parentID = $b;.sourceList[*]", "WhereError", (2, 22), "$b;.sourceList.source[*] = ..."),
    (
        "$a;.epcList.id[*] = $b;.epcList[*]",
        "WhereError",
        (2, 7),
        "identifiers, which have no members",
    ),
    ("$a;.readPoint[*] = $b;.readPoint[*]", "WhereError", (2, 7), "$a;.readPoint.id[*] = ..."),
]

WARNINGS: list[Row] = [
    (
        "ARITH: a = 1, ARITH: a = 2",
        "UNSATISFIABLE",
        (1, 22),
        "a = 1 and a = 2 are never true of one event",
    ),
    ("ARITH: a > 5, STRING: k = 'x', ARITH: a < 3", "UNSATISFIABLE", (1, 39), "a > 5 and a < 3"),
    ("ARITH: a = 1, STRING: a = 'x'", "UNSATISFIABLE", (1, 23), "never true of one event"),
    ("A &&\n selector{ a = 1 AND a = 2 }", "UNSATISFIABLE", (2, 22), "never true of one event"),
    ("A && selector{ kind = laptop }", "BARE_WORD", (1, 23), "write 'laptop' for the text"),
    ("xml{ <a>$x</>, $x > 5, $x < 3 }", "UNSATISFIABLE", (1, 24), "$x > 5 and $x < 3"),
    ('epcis{ "EQ_bizStep": [] }', "UNSATISFIABLE", (1, 9), "it never rings"),
    ("=|(A; 0s)B", "UNSATISFIABLE", (1, 7), "a window of no length"),
    ("=|(2026-01-01T00:00:00Z; 0)B", "UNSATISFIABLE", (1, 26), "a window of no length"),
    ("DIST(A; <; 0)B", "UNSATISFIABLE", (1, 12), "no distance is less than 0"),
    (
        "=|($a;; 5s)$b; WHERE $a;.x < $b;.x AND $b;.x < $a;.x, $a; = A, $b; = B",
        "UNSATISFIABLE",
        (1, 46),
        "cannot stand in all of these relations",
    ),
    (f"@({NEAR})@({FAR})A", "UNSATISFIABLE", (1, 35), "nothing lies in both"),
    (f"OVLP({NEAR})(@({FAR})A)", "UNSATISFIABLE", (1, 39), "nothing lies in both"),
    ("ARITH: pos.lat > 100", "IMPOSSIBLE_COORDINATE", (1, 8), "a latitude lies between -90 and 90"),
    ("STRING: readPoint = 'x'", "LIST_COMPARISON", (1, 9), "write readPoint.id"),
]

SILENT = [
    "ARITH: a > 1, ARITH: a < 3",
    f"@({NEAR})@({BESIDE})A",
    f"OVLP({NEAR})OVLP({FAR})A",
    f"@({NEAR})A && @({FAR})A",
    "ARITH: a = 1 || ARITH: a = 2",
    "!(A; 0s)B",
    "DIST(A; =; 0)B",
    "=|($a;; 5s)$b; WHERE $a;.x <= $b;.x AND $b;.x <= $a;.x, $a; = A, $b; = B",
    "=|($a;; 5s)$b; WHERE $a;.x < $b;.x AND $b;.y < $a;.y, $a; = A, $b; = B",
    f"=|($a;; 5h)$b; WHERE $a;.readPoint.id = $b;.readPoint.id, {EPCIS}",
]


@pytest.mark.parametrize("row", PROBLEMS, ids=[row[0] for row in PROBLEMS])
def test_a_slip_is_told_with_a_way_out(row: Row) -> None:
    require_problem("opsl", row, context=CONTEXT)


@pytest.mark.parametrize("row", LISTS, ids=[row[0] for row in LISTS])
def test_a_comparison_of_lists_that_can_only_be_false_is_refused(row: Row) -> None:
    comparison, *told = row
    require_problem(
        "opsl", (f"=|($a;; 5h)$b;\nWHERE {comparison}, {EPCIS}", *told), context=CONTEXT
    )


@pytest.mark.parametrize("row", WARNINGS, ids=[row[0] for row in WARNINGS])
def test_what_is_probably_not_meant_is_warned_of(row: Row) -> None:
    require_warning("opsl", row, context=CONTEXT)


@pytest.mark.parametrize("text", SILENT)
def test_what_can_ring_is_not_warned_of(text: str) -> None:
    require_silence("opsl", text, context=CONTEXT)


def test_a_distance_that_the_globe_does_not_have() -> None:
    row = (
        "DIST(A; >; 30000000)B",
        "UNSATISFIABLE",
        (1, 12),
        "no two places on the globe are 30,000,000 m apart",
    )
    require_warning("opsl", row, GLOBE, CONTEXT)
    require_silence("opsl", row[0], context=CONTEXT)
    require_silence("opsl", "DIST(A; >; 20000000)B", GLOBE, CONTEXT)

"""What a person who slips in an EPCIS query is told: the code, the place and a way out."""

from __future__ import annotations

import json

import pytest

from tests.languages.messages import Row, require_problem, require_silence, require_warning

WRONG, SYNTAX = "QueryParameterException", "QuerySyntaxError"
DAY, NEXT = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"

NAMES = [
    ("EQ_bizstep", "did you mean EQ_bizStep? Capital letters count"),
    ("bizStep", "did you mean EQ_bizStep?"),
    ("EQ_bizSteps", "did you mean EQ_bizStep"),
    ("IN_bizStep", "did you mean EQ_bizStep?"),
    ("NE_bizStep", "say it with a selector: bizStep <> '...'"),
    ("eventtype", "did you mean eventType?"),
    ("EQ_eventType", "did you mean eventType?"),
    ("EQ_epc", "did you mean MATCH_epc?"),
    ("MATCH_EPC", "did you mean MATCH_epc?"),
    ("MATCH_epcList", "did you mean MATCH_epc?"),
    ("LIKE_epc", "did you mean MATCH_epc?"),
    ("EQ_parentID", "did you mean MATCH_parentID?"),
    ("GT_eventTime", "GE_eventTime (from then on) and LT_eventTime (before then)"),
    ("EQ_recordTime", "GE_recordTime (from then on)"),
    ("WITHIN_readPoint", "did you mean WD_readPoint?"),
    ("GE_value_celsius", "GE_value_CEL"),
    ("EQ_bizTransaction_PO", "did you mean EQ_bizTransaction_po?"),
    ("carrier", "a field of your own has a prefix"),
]

PROBLEMS: list[Row] = [
    ('{"eventType": ["objectEvent"]}', WRONG, (1, 3), "did you mean ObjectEvent?"),
    ('{"eventType": ["Object"]}', WRONG, (1, 3), "did you mean ObjectEvent?"),
    ("EQ_bizStep=shipping", SYNTAX, (1, 1), 'write {"EQ_bizStep": ["shipping"]}'),
    ("<Poll>\n<x", SYNTAX, (2, 3), "malformed XML"),
    ("bizStep = 'shipping'", SYNTAX, (1, 1), 'the language "selector"'),
    ("{'EQ_bizStep': ['shipping']}", SYNTAX, (1, 2), "JSON has double quotes"),
    ('{"EQ_bizStep": [“shipping”]}', SYNTAX, (1, 17), "write straight double quotes"),
    (
        '{"EQ_bizStep":\n ["shipping", oops]}',
        SYNTAX,
        (2, 15),
        "names and texts stand in double quotes",
    ),
    ('"EQ_bizStep": [oops]', SYNTAX, (1, 16), "names and texts stand in double quotes"),
]

WARNINGS: list[Row] = [
    ('{"EQ_bizStep": []}', "UNSATISFIABLE", (1, 3), "it never rings; give it a value"),
    (
        f'{{"GE_eventTime": "{NEXT}", "LT_eventTime": "{DAY}"}}',
        "UNSATISFIABLE",
        (1, 43),
        "it never rings",
    ),
    (
        f'{{"GE_eventTime": "{DAY}", "LT_eventTime": ["{DAY}"]}}',
        "UNSATISFIABLE",
        (1, 43),
        "it never rings",
    ),
]


@pytest.mark.parametrize(("name", "hint"), NAMES)
def test_a_name_that_comes_near(name: str, hint: str) -> None:
    require_problem("epcis", (json.dumps({name: ["x"]}), WRONG, (1, 3), hint))


@pytest.mark.parametrize("row", PROBLEMS, ids=[row[0] for row in PROBLEMS])
def test_a_slip_is_told_with_a_way_out(row: Row) -> None:
    require_problem("epcis", row)


@pytest.mark.parametrize("row", WARNINGS, ids=[row[0] for row in WARNINGS])
def test_what_never_rings_is_warned_of(row: Row) -> None:
    require_warning("epcis", row)


def test_what_can_ring_is_not_warned_of() -> None:
    require_silence("epcis", json.dumps({"GE_eventTime": DAY, "LT_eventTime": NEXT}))
    # each may be another sensor's
    require_silence("epcis", json.dumps({"GE_value_CEL": 5, "LT_value_CEL": 3}))

"""Queries that are wrong, and the queries of the test resources: each problem has a code, a place
and a way out.
"""

from __future__ import annotations

import json

import pytest

from tests.conftest import shared_data
from tests.events.epcis.corpus import FOLDER
from tests.events.epcis.test_queries import plan_of
from tocsin.languages import problems_in_subscription

PROBLEMS: list[tuple[str, str, str, str]] = [
    ('{"GE_eventDate": "x"}', "QueryParameterException", "GE_eventDate", "GE_eventTime"),
    ('{"EQ_bizStep": ["shiping"]}', "QueryParameterException", "EQ_bizStep", "shipping"),
    ('{"EQ_action": ["SHIPPED"]}', "QueryParameterException", "EQ_action", "OBSERVE"),
    ('{"eventType": ["ObjectEvnt"]}', "QueryParameterException", "eventType", "ObjectEvent"),
    ('{"GE_quantity": "many"}', "QueryParameterException", "GE_quantity", "number"),
    ('{"GE_eventTime": "2026-01-31T08:00:00"}', "QueryParameterException", "GE_eventTime", "zone"),
    (
        '{"EQ_bizTransaction_pp": ["urn:x:1"]}',
        "QueryParameterException",
        "EQ_bizTransaction_pp",
        "EQ_bizTransaction_po",
    ),
    ('{"EQ_nobody:knows": ["x"]}', "QueryParameterException", "EQ_nobody:knows", "@context"),
    ('{"GT_cbvmda:size": "big"}', "QueryParameterException", "GT_cbvmda:size", "number or a time"),
    ('{"orderBy": "eventTime"}', "QueryControlError", "orderBy", "subscription"),
    ('{"eventCountLimit": 5}', "QueryControlError", "eventCountLimit", "leave"),
    ('{"maxEventCount": 5}', "QueryControlError", "maxEventCount", "leave"),
    ('{"perPage": 5}', "QueryControlError", "perPage", "leave"),
    ("[]", "QuerySyntaxError", "", "SimpleEventQuery"),
    ("{", "QuerySyntaxError", "", "SimpleEventQuery"),
    ("<a/>", "QuerySyntaxError", "", "Poll"),
]


@pytest.mark.parametrize(
    ("text", "code", "token", "says"), PROBLEMS, ids=[each[0] for each in PROBLEMS]
)
def test_a_problem_has_a_code_a_place_and_a_way_out(
    text: str, code: str, token: str, says: str
) -> None:
    (problem,) = problems_in_subscription("epcis", text, {})
    assert (problem.code, problem.token) == (code, token)
    assert says in str(problem)
    if token:
        assert problem.place is not None
        assert text[problem.place.column - 1 :].startswith(token)


def test_every_problem_is_told_in_the_order_of_the_text() -> None:
    text = (
        '{"orderBy": "x",\n "EQ_action": ["GO"],\n "EQ_bizStep": ["shipping"],\n "GE_value": true}'
    )
    found = problems_in_subscription("epcis", text, {})
    assert [problem.place and problem.place.line for problem in found] == [1, 2, 4]
    (refused,) = problems_in_subscription("epcis", "{}", {"dialect": "x"})
    assert refused.code == "OptionError"


def query_text(path: str) -> str:
    return (shared_data(FOLDER) / "2.0/EPCIS" / path).read_text()


def test_the_queries_of_the_test_resources_parse() -> None:
    body = json.loads(query_text("JSON/Query/Queries/SimpleEventQuery.json"))
    found = problems_in_subscription("epcis", json.dumps(body), {})
    assert {(problem.code, problem.token) for problem in found} == {
        ("QueryControlError", name) for name in ("orderBy", "orderDirection", "eventCountLimit")
    }
    rest = {
        name: value
        for name, value in body.items()
        if name not in {problem.token for problem in found}
    }
    assert plan_of(rest)
    in_xml = plan_of(query_text("XML/Query/Queries/SimpleEventQuery.xml"))
    asked = (
        "eventType",
        "GE_eventTime",
        "LT_eventTime",
        "EQ_bizStep",
        "EQ_bizLocation",
        "MATCH_epc",
    )
    assert in_xml == plan_of({name: body[name] for name in asked})


@pytest.mark.parametrize(
    ("path", "tokens"),
    [
        (
            "JSON/Query/Queries/Invalid/Query_with_invalid_values.json",
            {"GE_eventTime", "EQ_action", "orderDirection"},
        ),
        ("JSON/Query/Queries/Invalid/Query_with_unknown_parameter.json", {"GE_eventDate"}),
        ("XML/Query/Queries/Invalid/Query_without_queryName.xml", {"queryName"}),
        ("XML/Query/Invalid/QueryDocument_with_missing_value.xml", {"EQ_readPoint"}),
    ],
)
def test_an_invalid_query_names_its_parameters(path: str, tokens: set[str]) -> None:
    assert {
        problem.token for problem in problems_in_subscription("epcis", query_text(path), {})
    } == tokens

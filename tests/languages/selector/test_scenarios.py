"""The worked examples and edge cases of boolean selectors (specification sections 5.1 to 5.5), on
every evaluator.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.languages.asked import SELECTOR
from tests.languages.selector.evaluators import EVALUATORS, Evaluator, event_with

parse = SELECTOR.parse

BOOK = {"Abstract": "AJSMG", "Author": "Jack", "Publisher": "OReilly", "Price": 100, "Type": "PDA"}
BOOK_ON_JMS = BOOK | {"Abstract": "AJMSG"}

LISTED = {
    "Sub1": """Author = "Jack" or Abstract LIKE "%JMS%" and Publisher = "QReilly" #""",
    "Sub2": """Abstract LIKE "%JMS%" and Price < 100 or Type = "Computer" #""",
    "Sub3": """Author = "Jack" or Publisher = "OReilly" and Type = "PDA" #""",
    "Sub4": """Abstract LIKE "%JMS%" or Price < 100 or Publisher = "GReilly" #""",
}
PROCESSED = {
    "Sub1": """Publisher = "QReilly" and Abstract LIKE "%JMS%" or Author = "Jack" #""",
    "Sub2": """Price < 200 and Abstract LIKE "%JMS%" or Type = "Computer" #""",
    "Sub3": """Type = "Computer" and Publisher = "OReilly" or Author = "Jack" #""",
    "Sub4": """Price < 200 or Abstract LIKE "%JMS%" or Publisher = "QReilly" #""",
}
PAPER = [
    (LISTED, BOOK, {"Sub1", "Sub3"}),
    (LISTED, BOOK_ON_JMS, {"Sub1", "Sub3", "Sub4"}),
    (PROCESSED, BOOK, {"Sub1", "Sub3", "Sub4"}),
    (PROCESSED, BOOK_ON_JMS, {"Sub1", "Sub2", "Sub3", "Sub4"}),
]

EDGE_CASES: list[tuple[str, dict[str, Any], bool]] = [
    ("a = 1", {}, False),
    ("NOT a = 1", {}, False),
    ("a = 1 OR b = 2", {"b": 2}, True),
    ("NOT (a = 1 AND b = 2)", {"b": 3}, True),
    ("a = 1 OR a <> 1", {}, False),
    ("a IS NULL", {}, True),
    ("a IS NULL", {"a": None}, True),
    ("a IS NULL", {"a": ""}, False),
    ("a IS NOT NULL", {"a": ""}, True),
    ("a = '5'", {"a": 5}, False),
    ("NOT a = '5'", {"a": 5}, False),
    ("a <> '5'", {"a": 5}, False),
    ("a = 1", {"a": True}, False),
    ("a = 100", {"a": 100.0}, True),
    ("a = 1e2", {"a": 100}, True),
    ("s LIKE '100!%' ESCAPE '!'", {"s": "100%"}, True),
    ("s LIKE '100!%' ESCAPE '!'", {"s": "100x"}, False),
    ("s LIKE '_'", {"s": ""}, False),
    ("s LIKE '_'", {"s": "x"}, True),
    ("s LIKE '_'", {"s": "\n"}, True),
    ("s LIKE '_'", {"s": "\U0001f514"}, True),
    ("s LIKE 'a.c'", {"s": "abc"}, False),
    ("s NOT LIKE '%x%'", {}, False),
    ("s NOT LIKE '%x%'", {"s": 7}, False),
    ("a BETWEEN 1 AND 5", {"a": 1}, True),
    ("a BETWEEN 1 AND 5", {"a": 5}, True),
    ("a BETWEEN 1 AND 5", {"a": 5.01}, False),
    ("a BETWEEN 5 AND 1", {"a": 3}, False),
    ("NOT a BETWEEN 5 AND 1", {"a": 3}, True),
    ("a NOT BETWEEN 5 AND 1", {"a": 3}, True),
    ("s IN ('x','y') AND s IN ('y','x')", {"s": "y"}, True),
    ("a=1 AND b=1 OR c=1 AND d=1", {"a": 1, "b": 1, "c": 0, "d": 0}, True),
    ('s = "say ""hi"""', {"s": 'say "hi"'}, True),
    ("s = 'it''s'", {"s": "it's"}, True),
    ("", {"a": 1}, True),
    ("#", {}, True),
    ("   \n ", {}, True),
    ('name = "tom"', {"name": "Tom"}, False),
    ('name = "tom"', {"Name": "tom"}, False),
    ("b = TRUE", {"b": False}, False),
    ("b <> TRUE", {"b": False}, True),
    ("a = 1", {"a": [1]}, False),
    ("NOT a = 1", {"a": {"b": 1}}, False),
    ("a IS NULL", {"a": []}, False),
    ("`and` = 1", {"and": 1}, True),
    ("`a.b` = 1", {"a.b": 1}, True),
    ("`a.b` = 1", {"a": {"b": 1}}, False),
    ("a.b = 1", {"a": {"b": 1}}, True),
    ("a.b = 1", {"a.b": 1}, False),
    ("a.`b c`.d = 1", {"a": {"b c": {"d": 1}}}, True),
    ("größe > 1", {"größe": 2}, True),
    ("a = 9007199254740993", {"a": 9007199254740992}, False),
    ("a > 9007199254740992", {"a": 9007199254740993}, True),
    ("a = 0.1", {"a": 0.1}, True),
    ("a = 1e300", {"a": 1e300}, True),
    ("oR_x = 1", {"oR_x": 1}, True),
    ("a != 1", {"a": 2}, True),
    ("a != 1", {"a": 1}, False),
    ("a != 1", {}, False),
    ("NOT a != 1", {"a": 1}, True),
    ("date < '2026-02-01'", {"date": "2026-01-31"}, True),
    ("date < '2026-02-01'", {"date": "2026-02-01"}, False),
    ("date < '2026-02-01'", {"date": 20260131}, False),
    ("NOT date < '2026-02-01'", {"date": 20260131}, False),
    ("date BETWEEN '2026-01-01' AND '2026-01-31'", {"date": "2026-01-31"}, True),
    ("date NOT BETWEEN '2026-01-01' AND '2026-01-31'", {"date": "2026-02-01"}, True),
    ("date BETWEEN 'b' AND 'a'", {"date": "a"}, False),
    ("'2026' <= date", {"date": "2026-01-31"}, True),
    ("s < '10'", {"s": "9"}, False),
    ("s < 'a'", {"s": "Z"}, True),
    ("s < 'z'", {"s": "ä"}, False),
    ("s >= ''", {"s": ""}, True),
    ("s < ''", {"s": ""}, False),
    ("s > '\uffff'", {"s": "\U00010000"}, True),
    ("s < 10", {"s": "9"}, False),
    ("s LIKE ''", {"s": ""}, True),
    ("s LIKE ''", {"s": "a"}, False),
    ("s NOT LIKE ''", {"s": "a"}, True),
    ("s LIKE '%'", {"s": ""}, True),
    ("s LIKE '%%'", {"s": "ab"}, True),
    ("s LIKE '_%_'", {"s": "a"}, False),
    ("s LIKE '\\'", {"s": "\\"}, True),
]

COMPUTED: list[tuple[str, dict[str, Any], bool]] = [
    ("a + b > 5", {"a": 2, "b": 4}, True),
    ("a + b > 5", {"a": 2}, False),
    ("NOT a + b > 5", {"a": 2}, False),
    ("a < b", {"a": 1, "b": 1.5}, True),
    ("b > a", {"a": 1, "b": 1.5}, True),
    ("a = b", {"a": "x", "b": "x"}, True),
    ("a <> b", {"a": "x", "b": "y"}, True),
    ("a <> b", {"a": "1", "b": 1}, False),
    ("a = b", {"a": [1], "b": [1]}, False),
    ("a < b", {"a": "x", "b": "y"}, True),
    ("a < b", {"a": "x", "b": 1}, False),
    ("NOT a < b", {"a": "x", "b": 1}, False),
    ("a < b", {"a": False, "b": True}, False),
    ("'m' BETWEEN a AND b", {"a": "a", "b": "z"}, True),
    ("'a' < 'b' AND 'b' BETWEEN 'a' AND 'b'", {}, True),
    ("price * quantity > 100", {"price": 12.5, "quantity": 9}, True),
    ("a / 4 = 2.5", {"a": 10}, True),
    ("a / 5 = 2", {"a": 10}, True),
    ("a / b > 0", {"a": 1, "b": 0}, False),
    ("NOT a / b > 0", {"a": 1, "b": 0}, False),
    ("a / b IS NULL", {"a": 1, "b": 0}, True),
    ("a / b IS NOT NULL", {"a": 1, "b": 2}, True),
    ("a * a > 1", {"a": 1e200}, False),
    ("a * 10 = 90071992547409930", {"a": 9007199254740993}, True),
    ("a - b - c = 1", {"a": 6, "b": 3, "c": 2}, True),
    ("a - (b - c) = 5", {"a": 6, "b": 3, "c": 2}, True),
    ("2 + 3 * a = 14", {"a": 4}, True),
    ("-a = 5", {"a": -5}, True),
    ("- -a = 5", {"a": 5}, True),
    ("5 BETWEEN a AND b", {"a": 5, "b": 5}, True),
    ("5 NOT BETWEEN a AND b", {"a": 6, "b": 7}, True),
    ("a BETWEEN b AND b + 10", {"a": 7, "b": 0}, True),
    ("5 IN (a, b)", {"a": 1, "b": 5}, True),
    ("5 NOT IN (a, b)", {"a": 1, "b": 2}, True),
    ("a + 1 IN (2, 3)", {"a": 2}, True),
    ("TRUE AND a = 1", {"a": 1}, True),
    ("FALSE OR NOT FALSE", {}, True),
    ("1 < 2 AND 'a' <> 'b' AND 'abc' LIKE 'a%'", {}, True),
]


@pytest.mark.parametrize("rings", EVALUATORS)
@pytest.mark.parametrize(("selectors", "book", "expected"), PAPER)
def test_the_papers_subscriptions(
    selectors: dict[str, str], book: dict[str, Any], expected: set[str], rings: Evaluator
):
    event = event_with(book)
    assert {name for name, text in selectors.items() if rings(parse(text), event)} == expected


@pytest.mark.parametrize("rings", EVALUATORS)
@pytest.mark.parametrize(("price", "expected"), [(200, False), (199, True)])
def test_the_introductory_event(price: int, expected: bool, rings: Evaluator):
    event = event_with({"username": "Tom", "Number Of Orders": 100, "Price": price})
    text = 'username = "Tom" and `Number Of Orders` >= 50 and Price < 200'
    assert rings(parse(text), event) == expected


@pytest.mark.parametrize("rings", EVALUATORS)
@pytest.mark.parametrize(("text", "data", "expected"), EDGE_CASES)
def test_edge_case(text: str, data: dict[str, Any], expected: bool, rings: Evaluator):
    assert rings(parse(text), event_with(data)) == expected


@pytest.mark.parametrize("rings", EVALUATORS)
@pytest.mark.parametrize(("text", "data", "expected"), COMPUTED)
def test_computed_value(text: str, data: dict[str, Any], expected: bool, rings: Evaluator):
    assert rings(parse(text), event_with(data)) == expected


@pytest.mark.parametrize("rings", EVALUATORS)
def test_envelope_names_reach_the_envelope_and_plain_names_the_data(rings: Evaluator):
    event = event_with(
        {"id": "of data", "ce_id": "in data"}, id="e7", time="2026-01-01T00:00:00Z", subject="s"
    )
    for text in (
        "ce_id = 'e7'",
        "id = 'of data'",
        "`ce_id` = 'in data'",
        "ce_time LIKE '2026-%'",
        "ce_endtime = '2026-01-01T00:00:00Z'",
        "ce_source = 'test' AND ce_type = 't' AND ce_subject = 's'",
        "ce_dataschema IS NULL AND ce_datacontenttype IS NULL",
    ):
        assert rings(parse(text), event), text

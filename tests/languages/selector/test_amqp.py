"""The amqp dialect: the SQL filter of AMQP Filter Expressions 1.0, as the brokers that speak it
decide, and what of it is refused and why. Expectations on events follow the brokers' published
rules, not this implementation.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.languages.asked import SELECTOR
from tests.languages.selector.evaluators import EVALUATORS, Evaluator, condition_of, event_with
from tests.strategies import attribute_values
from tocsin.plan.nodes.atoms import Between, Equals, Like, Not, OneOf, Ordered
from tocsin.reference import truth_of
from tocsin.values.truth import Truth, negation

parse, problems = SELECTOR.parse, SELECTOR.problems

AMQP = {"dialect": "amqp"}
T, F, U = Truth.TRUE, Truth.FALSE, Truth.UNKNOWN

ORDER = {
    "country": "UK",
    "city": "London",
    "description": "This is a test message",
    "product_id": "ABC_123",
    "weight": 5,
    "price": 10.5,
    "quantity": 100,
    "discount": 0.25,
    "temperature": -5,
    "active": True,
    "premium": False,
    "absent": None,
    "percentage": 75,
    "score": 0,
    "tags": ["a"],
    "order": {"price": 7, "order-status": "new"},
}

MATCHES: list[tuple[str, bool]] = [
    ("country > 'DE' AND 'Zurich' > city", True),
    ("country <= 'DE'", False),
    ("country BETWEEN 'UA' AND 'UZ'", True),
    ("country NOT BETWEEN 'UA' AND 'UZ'", False),
    ("price BETWEEN 10 AND '11'", False),
    ("price NOT BETWEEN 10 AND '11'", True),
    ("country != 'US' AND country <> 'FR'", True),
    ('country = "UK" AND "UK" = country', True),
    ("weight % 2 = 1 AND quantity % weight = 0.00", True),
    ("7 % temperature = 2", True),
    ("temperature % 3 = -2", True),
    ("quantity % score = 0", False),
    ("price % 3 = 1.5", False),
    ("price % 3 IS NULL", True),
    ("101 % percentage % weight = 1", True),
    ("+temperature = -5 AND -weight = -5 AND 6 - -weight = 11 AND 6 - +weight = 1", True),
    ("+city = 'London'", False),
    ("-absent IS NULL", True),
    ("weight / 2 = 2.5 AND quantity / 10 = 10", True),
    ("weight / score IS NULL", True),
    ("absent + 4 IS NULL AND weight + 4 IS NOT NULL", True),
    ("price * quantity * (1 - discount) > 500", True),
    ("country IN ('US', 'UK', 5, TRUE)", True),
    ("weight IN ('US', 5)", True),
    ("weight NOT IN ('5', TRUE)", True),
    ("'London' IN (city, country)", True),
    ("'London' NOT IN (city, country)", False),
    ("price IN (weight * 2 + 0.5, 'x')", True),
    ("absent IN ('UK', 1)", False),
    ("absent NOT IN ('UK', 1)", False),
    ("weight NOT IN (absent, missing)", True),
    ("weight IN (absent, 5)", True),
    ("1 IN (1, 'a')", True),
    ("country LIKE 'U_' AND description LIKE 'T_i% a %e_%e_sa%'", True),
    ("country NOT LIKE 'U%S'", True),
    ("product_id LIKE 'ABC\\_%' ESCAPE '\\'", True),
    ("product_id LIKE 'ABC\\%' ESCAPE '\\'", False),
    ("product_id LIKE 'zAzBC_123' ESCAPE 'z'", True),
    ("weight LIKE '5'", False),
    ("weight NOT LIKE '5'", False),
    ("description LIKE ''", False),
    ("description NOT LIKE ''", True),
    ("LOWER(country) = 'uk' AND UPPER(city) = 'LONDON'", True),
    ("lower(country) LIKE 'u%'", True),
    ("LOWER(country) NOT LIKE 'u%'", False),
    ("LOWER(weight) IS NULL", True),
    ("LEFT(city, 3) = 'Lon' AND RIGHT(city, 3) = 'don'", True),
    ("LEFT(city, 99) = city AND LEFT(city, 0) = ''", True),
    ("RIGHT(city, 0) = '' AND RIGHT(city, 99) = city", True),
    ("SUBSTRING(city, 2, 3) = 'ond' AND SUBSTRING(city, 4) = 'don'", True),
    ("SUBSTRING(city, 99) = ''", True),
    (
        "SUBSTRING(city, score) IS NULL AND LEFT(city, temperature) IS NULL AND LEFT(city, price) IS NULL",
        True,
    ),
    ("LEFT(city, weight / 5) = 'L'", True),
    ("EXISTS(country) AND NOT EXISTS(missing) AND NOT EXISTS(absent)", True),
    ("exists ( order.price )", True),
    ("active AND NOT premium", True),
    ("percentage OR active", True),
    ("NOT percentage", False),
    ("absent OR active", True),
    ("NOT absent", False),
    ("TRUE", True),
    ("order.price = 7 AND order.[order-status] = 'new'", True),
    ("a.country = 'UK' AND application_properties.weight = 5 AND a.order.price = 7", True),
    ("country='UK'AND weight=5", True),
    ("tags = 'a'", False),
    ("tags <> 'a'", True),
    ("weight = '5'", False),
    ("weight <> '5'", True),
    ("NOT weight = '5'", True),
    ("weight >= '5' OR weight < '5'", False),
    ("NOT weight >= '5'", True),
    ("active = 'TRUE' OR active = 1", False),
    ("premium >= 'false' OR premium <= 0", False),
    ("missing = missing OR missing <> missing OR missing <> 0", False),
    ("country = weight", False),
    ("country <> weight", True),
    ("country < city", False),
    ("city < country", True),
    ("absent <> country", False),
    ("1.2E3 = 1200 AND -5.0E-2 = -0.05", True),
]


@pytest.mark.parametrize("rings", EVALUATORS)
@pytest.mark.parametrize(("text", "expected"), MATCHES)
def test_match(text: str, expected: bool, rings: Evaluator):
    assert rings(parse(text, AMQP), event_with(ORDER)) == expected


ENVELOPE = {
    "id": "id-123",
    "subject": "some subject",
    "time": "2011-07-26T18:21:03.521Z",
    "datacontenttype": "application/json",
    "to": "q1",
    "replyto": "reply",
    "correlationid": 789,
    "groupsequence": 999,
    "absoluteexpirytime": 1311999988888,
    "priority": 7,
}
SECTIONS = [
    "p.message_id = 'id-123' AND properties.message_id LIKE 'id-%'",
    "p.subject = 'some subject' AND ce_subject = p.subject",
    "p.content_type = 'application/json'",
    "p.to = 'q1' AND p.reply_to = 'reply'",
    "p.correlation_id > 500 AND p.group_sequence % 2 = 1",
    "p.creation_time = 1311704463521",
    "p.creation_time < p.absolute_expiry_time",
    "p.creation_time = DATE('2011-07-26T20:21:03.521+02:00')",
    "p.creation_time > DATE('2011-07-26T18:21:03.520Z') AND p.creation_time < 1311704463521.5",
    "p.creation_time BETWEEN 1311704463521 AND 1311704463521",
    "p.group_id IS NULL AND p.user_id IS NULL",
    "h.priority = 7 AND header.priority > 4",
    "ce_time = '2011-07-26T18:21:03.521Z'",
]


@pytest.mark.parametrize("rings", EVALUATORS)
@pytest.mark.parametrize("text", SECTIONS)
def test_sections_of_a_message_are_found_in_an_event(text: str, rings: Evaluator):
    assert rings(parse(text, AMQP), event_with({}, **ENVELOPE))


@pytest.mark.parametrize("rings", EVALUATORS)
def test_the_priority_of_a_message_that_says_none_is_four(rings: Evaluator):
    assert rings(parse("h.priority = 4", AMQP), event_with())
    assert not rings(parse("h.priority > 4", AMQP), event_with())


NAMES = [
    " ",
    "NOT",
    "-",
    "FALSE",
    "!@#$%^&*()_+~`|{}?<>",
    "[ key ]",
    "[[key]]",
    "]",
    "][",
    "properties.to",
    "p.to",
    "🥕",
]


@pytest.mark.parametrize("name", NAMES)
def test_any_text_is_a_name_in_brackets(name: str):
    written = name.replace("[", "[[").replace("]", "]]")
    for rings in EVALUATORS:
        assert rings(parse(f"[{written}] = 1", AMQP), event_with({name: 1}))
        assert rings(parse(f"a.[{written}] = 1", AMQP), event_with({name: 1}))


SYNTAX, TYPE, UNSUPPORTED = "SelectorSyntaxError", "SelectorTypeError", "SelectorUnsupportedError"
REFUSED = [
    ("", SYNTAX, 1, "", "compare a name"),
    ("a = 1 #", SYNTAX, 7, "#", "end mark"),
    ("`a` = 1", SYNTAX, 1, "`", "backticks"),
    ("UTC() > p.creation_time", UNSUPPORTED, 1, "UTC", "DATE("),
    ("a = 1 AND utc ( ) > 5", UNSUPPORTED, 11, "utc", "DATE("),
    ("LENGTH(a) > 1", SYNTAX, 1, "LENGTH", "SUBSTRING"),
    ("LOWER(a, b) = 'x'", SYNTAX, 1, "LOWER", "LOWER(name)"),
    ("LEFT(a) = 'x'", SYNTAX, 1, "LEFT", "LEFT(name, 3)"),
    ("LOWER(5) = 'x'", TYPE, 7, "5", "LOWER(name)"),
    ("LEFT(a, 'x') = 'x'", TYPE, 9, "'x'", "LEFT(name, 3)"),
    ("SUBSTRING('abc', 0) = 'x'", TYPE, 1, "SUBSTRING", "counted from 1"),
    ("DATE('yesterday') = 5", TYPE, 1, "DATE", "with a zone"),
    ("p.creation_time > '2026-01-01T00:00:00Z'", TYPE, 19, "'2026-01-01T00:00:00Z'", "DATE("),
    ("EXISTS price", SYNTAX, 8, "price", "EXISTS(price)"),
    ("LOWER(a)", SYNTAX, 1, "LOWER", "compare it"),
    ("h.priority", SYNTAX, 1, "h.priority", "compare it"),
    ("a + 'x' = 'bx'", TYPE, 5, "'x'", "not joined"),
    ("a > TRUE", TYPE, 5, "TRUE", "only = and <>"),
    ("a = 5 / 0", TYPE, 7, "/", "never be true"),
    ("a = 5 % 0", TYPE, 7, "%", "never be true"),
    ("a = 5 % 1.5", TYPE, 7, "%", "never be true"),
    ("(a = 1) = TRUE", TYPE, 4, "=", "AND or OR"),
    ("a = 0x1F", SYNTAX, 6, "x1F", "decimal number"),
    ("items[0] = 1", SYNTAX, 6, "[0]", "order.price"),
    ("p.color = 1", SYNTAX, 1, "p.color", "message_id"),
    ("header.color = 1", SYNTAX, 1, "header.color", "priority"),
    ("m.x = 1", UNSUPPORTED, 1, "m.x", "application_properties"),
    (
        "delivery_annotations.x = 1",
        UNSUPPORTED,
        1,
        "delivery_annotations.x",
        "application_properties",
    ),
    ("footer.x = 1", UNSUPPORTED, 1, "footer.x", "application_properties"),
    ("a LIKE 'x!' ESCAPE '!'", "SelectorEscapeError", 8, "'x!'", "write it twice"),
    ("a LIKE 'x' ESCAPE ''", "SelectorEscapeError", 19, "''", "ESCAPE '!'"),
    ("not = 1", SYNTAX, 5, "=", ""),
    ("and = 1", SYNTAX, 1, "and", "square brackets"),
]


@pytest.mark.parametrize(
    ("text", "code", "column", "token", "hint"), REFUSED, ids=[case[0] for case in REFUSED]
)
def test_refused(text: str, code: str, column: int, token: str, hint: str):
    (found,) = problems(text, AMQP)
    assert (found.code, found.place.column, found.token) == (code, column, token)
    assert hint in found.hint


def test_what_an_index_can_serve_is_a_predicate_of_one_attribute():
    for text, kind in (
        ("a < 'x'", Ordered),
        ("'x' > a", Ordered),
        ("a BETWEEN 'a' AND 'b'", Between),
        ("a IN (1, 2)", OneOf),
        ("a = 'x'", Equals),
        ("a LIKE 'x%'", Like),
        ("p.creation_time > 5", Ordered),
        ("LOWER('ABC') = a", Equals),
    ):
        assert isinstance(condition_of(parse(text, AMQP)).expression, kind), text
    assert isinstance(condition_of(parse("a <> 'x'", AMQP)).expression, Not)


# ---- every operator against a few lines of plain Python
# --------------------------------------------------------


def _sort(value: Any) -> str:
    if value is None:
        return "null"
    return {bool: "truth", int: "number", float: "number", str: "text"}.get(type(value), "other")


def _compare(relation: str, left: Any, right: Any) -> Truth:
    sorts = _sort(left), _sort(right)
    if "null" in sorts:
        return U
    like = sorts[0] == sorts[1] != "other"
    if relation in ("=", "<>"):
        return T if (like and left == right) is (relation == "=") else F
    if not like or sorts[0] == "truth":
        return F
    found = {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}
    return T if found[relation] else F


LITERALS = st.sampled_from(["1", "0.5", "'a'", "'ab'", "''", "TRUE", "FALSE", "'NaN'"])
OPERANDS = st.one_of(st.sampled_from(["a", "b", "[c]"]), LITERALS)
DATA = st.dictionaries(st.sampled_from(["a", "b", "c"]), attribute_values())


def _value(text: str, data: dict[str, Any]) -> Any:
    if text in ("TRUE", "FALSE"):
        return text == "TRUE"
    if text[0] in "'0123456789":
        return text[1:-1] if text[0] == "'" else float(text)
    return data.get(text.strip("[]"))


@given(OPERANDS, st.sampled_from(["=", "<>", "!=", "<", "<=", ">", ">="]), OPERANDS, DATA)
def test_comparisons_mean_what_plain_python_says(
    left: str, relation: str, right: str, data: dict[str, Any]
):
    text = f"{left} {relation} {right}"
    if relation not in ("=", "<>", "!=") and {left, right} & {"TRUE", "FALSE"}:
        assert problems(text, AMQP)[0].code == TYPE
        return
    expected = _compare(
        "<>" if relation == "!=" else relation, _value(left, data), _value(right, data)
    )
    _check(text, expected, data)


@given(OPERANDS, st.lists(OPERANDS, min_size=1, max_size=4), DATA)
def test_in_means_what_plain_python_says(subject: str, elements: list[str], data: dict[str, Any]):
    value = _value(subject, data)
    found = any(_compare("=", value, _value(element, data)) is T for element in elements)
    expected = U if value is None else T if found else F
    _check(f"{subject} IN ({', '.join(elements)})", expected, data)
    _check(f"{subject} NOT IN ({', '.join(elements)})", negation(expected), data)


def _check(text: str, expected: Truth, data: dict[str, Any]) -> None:
    event = event_with(data)
    assert truth_of(condition_of(parse(text, AMQP)).expression, event) is expected
    for truth, written in ((expected, text), (negation(expected), f"NOT ({text})")):
        assert {rings(parse(written, AMQP), event) for rings in EVALUATORS} == {truth is T}

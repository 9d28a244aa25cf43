"""Where the dialects part: what jms and cesql decide otherwise than the native dialect, on every
evaluator.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.languages.asked import SELECTOR
from tests.languages.selector.evaluators import EVALUATORS, Evaluator, condition_of, event_with
from tocsin.plan.nodes.atoms import Computed
from tocsin.plan.semantics.cesql import CesqlError, evaluate
from tocsin.reference import truth_of
from tocsin.values.truth import Truth

parse = SELECTOR.parse

JMS = {"dialect": "jms"}
CESQL = {"dialect": "cesql"}
T, F, U = Truth.TRUE, Truth.FALSE, Truth.UNKNOWN

MISMATCHES = [
    ("a = '5'", F, U),
    ("a <> '5'", F, U),
    ("NOT a = '5'", T, U),
    ("NOT a <> '5'", T, U),
    ("a LIKE '5'", F, U),
    ("a NOT LIKE '5'", F, U),
    ("NOT a LIKE '5'", T, U),
    ("a IN ('5')", F, U),
    ("a NOT IN ('5')", F, U),
    ("NOT a IN ('5')", T, U),
    ("a = TRUE", F, U),
    ("s > 5", F, U),
    ("s BETWEEN 1 AND 2", F, U),
    ("s NOT BETWEEN 1 AND 2", F, U),
    ("NOT s BETWEEN 1 AND 2", T, U),
    ("s = a", F, U),
    ("s <> a", F, U),
    ("s < a", F, U),
    ("s + 1 = 2", U, U),
    ("-s = 2", U, U),
    ("x = 1", U, U),
    ("x <> 1", U, U),
]


@pytest.mark.parametrize(("text", "in_jms", "in_native"), MISMATCHES)
def test_value_of_another_kind_is_false_in_jms_and_unknown_in_the_native_dialect(
    text: str, in_jms: Truth, in_native: Truth
):
    event = event_with({"a": 5, "s": "five"})
    assert truth_of(condition_of(parse(text, JMS)).expression, event) is in_jms
    assert truth_of(condition_of(parse(text)).expression, event) is in_native


@pytest.mark.parametrize("rings", EVALUATORS)
@pytest.mark.parametrize(("text", "in_jms", "in_native"), MISMATCHES)
def test_every_evaluator_sees_the_difference(
    text: str, in_jms: Truth, in_native: Truth, rings: Evaluator
):
    event = event_with({"a": 5, "s": "five"})
    assert rings(parse(text, JMS), event) == (in_jms is T)
    assert rings(parse(text), event) == (in_native is T)


JMS_CASES: list[tuple[str, dict[str, Any], bool]] = [
    ("express", {"express": True}, True),
    ("NOT express", {"express": False}, True),
    ("express", {"express": "true"}, False),
    ("a = 0x1F", {"a": 31}, True),
    ("a = 017", {"a": 15}, True),
    ("a = 57L", {"a": 57}, True),
    ("a = 1.5d AND b = 2.5F", {"a": 1.5, "b": 2.5}, True),
    ("a = 0", {"a": 0}, True),
    ("$a_1 = 1", {"$a_1": 1}, True),
    ("Color = 'red'", {"color": "red"}, False),
    ("s LIKE 'a%%b' ESCAPE '%'", {"s": "a%b"}, True),
    ("s LIKE '!ab' ESCAPE '!'", {"s": "ab"}, True),
    ("s LIKE 'a\\%'", {"s": "a\\bc"}, True),
    ("1 = 'x' OR a = 1", {"a": 1}, True),
    ("NOT 1 = 'x'", {}, True),
    ("order.price > 5", {"order": {"price": 6}}, True),
]


@pytest.mark.parametrize("rings", EVALUATORS)
@pytest.mark.parametrize(("text", "data", "expected"), JMS_CASES)
def test_jms(text: str, data: dict[str, Any], expected: bool, rings: Evaluator):
    assert rings(parse(text, JMS), event_with(data)) == expected


CESQL_PASSES: list[tuple[str, dict[str, Any], bool]] = [
    ("b = 2 OR a = 1", {"b": 2}, True),
    ("a = 1 OR b = 2", {"b": 2}, False),
    ("a = 2 AND missing = 1", {"a": 1}, False),
    ("NOT (a = 2 AND missing = 1)", {"a": 1}, True),
    ("missing <> 'x'", {}, False),
    ("a NOT IN (missing)", {"a": 1}, False),
    ("a", {"a": True}, True),
    ("a", {"a": "true"}, False),
    ("a + 0", {"a": 1}, False),
    ("NOT EXISTS a AND EXISTS id", {}, True),
    ("EXISTS specversion", {}, True),
    ("TRUE OR FALSE AND FALSE", {}, False),
    ("TRUE XOR TRUE XOR TRUE", {}, True),
    ("MISSING(a) OR TRUE", {"a": 1}, False),
    ("TRUE OR MISSING(a)", {"a": 1}, True),
    ("STRING(a) = '1.5'", {"a": 1.5}, True),
    ("LENGTH(a) = 10", {"a": 3_000_000_000}, True),
    ("a LIKE '%x_y%' AND a NOT LIKE '%\\%%'", {"a": "1xay2"}, True),
    ("a LIKE '\\\\%'", {"a": "\\%"}, True),
    ("ID = 'e1'", {}, True),
    ("type LIKE ''", {}, False),
    ("a LIKE ''", {"a": ""}, True),
    ("a NOT LIKE ''", {"a": "x"}, True),
    ("a LIKE '%'", {"a": ""}, True),
    ("a LIKE '_'", {"a": ""}, False),
    ("a LIKE '\\%'", {"a": "%"}, True),
    ("a LIKE '\\%'", {"a": "x"}, False),
    ("a LIKE '\\\\'", {"a": "\\\\"}, True),
    ("a LIKE '%\\_'", {"a": "x_"}, True),
    ("a LIKE '\\x'", {"a": "\\x"}, True),
    ("1st = 1", {"1st": 1}, True),
]


@pytest.mark.parametrize("rings", EVALUATORS)
@pytest.mark.parametrize(("text", "attributes", "expected"), CESQL_PASSES)
def test_cesql(text: str, attributes: dict[str, Any], expected: bool, rings: Evaluator):
    assert rings(parse(text, CESQL), event_with(**attributes)) == expected


ARITHMETIC: list[tuple[str, object, list[CesqlError]]] = [
    ("2147483647 + 1", 0, [CesqlError.MATH]),
    ("-2147483648 - 1", 0, [CesqlError.MATH]),
    ("65536 * 65536", 0, [CesqlError.MATH]),
    ("-2147483648 / -1", 0, [CesqlError.MATH]),
    ("-(-2147483648)", 0, [CesqlError.MATH]),
    ("-7 / 2", -3, []),
    ("-7 % 2", -1, []),
    ("7 % -2", 1, []),
    ("1 + 5 / 0", 0, [CesqlError.MATH]),
    ("INT('2147483648')", 0, [CesqlError.CAST]),
    ("INT('+7')", 7, []),
    ("'abc' = 1", False, [CesqlError.CAST]),
    ("SUBSTRING('abc', 1, -1)", "", [CesqlError.FUNCTION_EVALUATION]),
    ("CONCAT('a', missing)", "", [CesqlError.MISSING_ATTRIBUTE]),
    ("+5", 5, []),
]


@pytest.mark.parametrize(("text", "value", "errors"), ARITHMETIC)
def test_cesql_gives_a_value_beside_every_error(text: str, value: object, errors: list[CesqlError]):
    predicate = condition_of(parse(text, CESQL)).expression
    assert isinstance(predicate, Computed)
    assert evaluate(predicate.expression, event_with()) == (value, tuple(errors))

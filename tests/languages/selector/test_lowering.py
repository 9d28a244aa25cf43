"""What can be a test of one attribute against constants becomes one; equal meanings become equal
plans.
"""

from __future__ import annotations

import pytest

from tests.languages.asked import SELECTOR
from tests.languages.selector.evaluators import condition_of
from tocsin.plan.nodes.atoms import (
    AllOf,
    AnyOf,
    Between,
    BooleanNode,
    Computed,
    Equals,
    IsNull,
    Like,
    Not,
    OneOf,
    Ordered,
)
from tocsin.plan.nodes.expressions import Attribute, Call, Semantics, Value
from tocsin.values.like import LikePattern, Wild
from tocsin.values.scalars import Constant
from tocsin.values.truth import Truth

parse = SELECTOR.parse

A = ("a",)


def number(value: float) -> Constant:
    """A number as a constant of a plan."""
    return Constant.of(value)


def lowered(text: str, dialect: str = "selector") -> BooleanNode:
    """The expression of a selector."""
    return condition_of(parse(text, {"dialect": dialect})).expression


LOWERED: list[tuple[str, BooleanNode]] = [
    ("a = 100.0", Equals(A, number(100))),
    ("a <> 'x'", Not(Equals(A, Constant.of("x")))),
    ("5 < a", Ordered(A, ">", number(5))),
    ("5 >= a", Ordered(A, "<=", number(5))),
    ("'x' = a", Equals(A, Constant.of("x"))),
    ("a > 2 * 50", Ordered(A, ">", number(100))),
    ("a > -5", Ordered(A, ">", number(-5))),
    ("(a) = (1 + 1) * 2 - +1", Equals(A, number(3))),
    ("a = 7 / 2", Equals(A, number(3.5))),
    ("-a < 5", Ordered(A, ">", number(-5))),
    ("+a < 5", Ordered(A, "<", number(5))),
    ("a BETWEEN -1 AND 2 * 5", Between(A, number(-1), number(10))),
    ("a NOT BETWEEN 1 AND 2", Not(Between(A, number(1), number(2)))),
    ("a IN (2, 1, 1.0, 1e0)", OneOf(A, frozenset((number(1), number(2))))),
    ("a NOT IN ('x')", Not(OneOf(A, frozenset((Constant.of("x"),))))),
    ("a LIKE 'x%%_'", Like(A, LikePattern(("x", Wild.ANY_ONE, Wild.ANY_RUN)))),
    ("a NOT LIKE 'x'", Not(Like(A, LikePattern(("x",))))),
    ("a IS NOT NULL", Not(IsNull(A))),
    ("5 BETWEEN a AND 10", AllOf((Ordered(A, "<=", number(5)), AllOf(())))),
    ("1 IN (a, 2)", AnyOf((Equals(A, number(1)), AnyOf(())))),
    ("TRUE", AllOf(())),
    ("1 > 2", AnyOf(())),
    ("'a' IS NULL", AnyOf(())),
    ("ce_type = 'x'", Equals(("", "type"), Constant.of("x"))),
    ("a.b = 1", Equals(("a", "b"), number(1))),
    ("`a.b` = 1", Equals(("a.b",), number(1))),
    (
        "NOT a = 1 AND b = 2 OR c = 3",
        AnyOf(
            (
                AllOf((Not(Equals(A, number(1))), Equals(("b",), number(2)))),
                Equals(("c",), number(3)),
            )
        ),
    ),
]


@pytest.mark.parametrize(("text", "expected"), LOWERED)
def test_lowered_to_what_an_index_can_serve(text: str, expected: BooleanNode):
    assert lowered(text) == expected


SAME = [
    ("s LIKE 'a!%' ESCAPE '!'", "s LIKE 'a\\%' ESCAPE '\\'"),
    ("s LIKE 'a%%b'", "s LIKE 'a%b'"),
    ("s LIKE '%_'", "s LIKE '_%'"),
    ("a = b", "b = a"),
    ("a > b", "b < a"),
    ("a + 1 > 5", "5 < a + 1"),
    ("a = 1", " a\n=\t1 # "),
    ("`a` = 1", "a = 1"),
    ("a in (1) and b like 'x' or c is null", "a IN (1) AND b LIKE 'x' OR c IS NULL"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_equal_meanings_are_equal_plans(one: str, other: str):
    assert lowered(one) == lowered(other)


@pytest.mark.parametrize(
    ("one", "other"), [("a = '100'", "a = 100"), ("a = TRUE", "a = 1"), ("a = 'TRUE'", "a = TRUE")]
)
def test_kinds_never_collide(one: str, other: str):
    assert lowered(one) != lowered(other)


def test_only_what_needs_computing_is_computed():
    a, b = Attribute(A), Attribute(("b",))
    total = Call("+", (a, b))
    expected = Computed(Call(">", (total, Value(number(5)))), Semantics.SELECTOR)
    assert lowered("a + b > 2 + 3") == expected
    assert lowered("a <> b") == Not(Computed(Call("=", (a, b)), Semantics.SELECTOR))


def test_jms_writes_its_mismatch_into_the_predicates():
    assert lowered("a = 1", "jms") == Equals(A, number(1), Truth.FALSE)
    assert lowered("a <> 1", "jms") == Not(Equals(A, number(1), Truth.TRUE))
    assert lowered("express", "jms") == Equals(("express",), Constant.of(True), Truth.FALSE)


def test_cesql_is_one_predicate_in_the_order_of_the_text():
    name = Attribute(("", "b"))
    compared = Call("=", (name, Value(number(2))))
    expected = Computed(Call("AND", (compared, Call("EXISTS", (name,)), compared)), Semantics.CESQL)
    assert lowered("b = 2 AND EXISTS b AND b = 2", "cesql") == expected

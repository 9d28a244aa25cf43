"""What is said to be never true is never true: of random events none makes such a condition
TRUE.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.languages.asked import SELECTOR
from tests.languages.selector.evaluators import condition_of
from tests.strategies import boolean_nodes, events, predicates
from tocsin.plan.nodes.atoms import AllOf, AnyOf, BooleanNode, Not
from tocsin.plan.passes.contradictions import contradictions, never_holds
from tocsin.reference import truth_of
from tocsin.values.truth import Truth

parse = SELECTOR.parse

crowded = st.lists(st.one_of(predicates(), predicates().map(Not)), min_size=2, max_size=6).map(
    lambda operands: AllOf(tuple(operands))
)


@given(st.one_of(crowded, boolean_nodes()), st.lists(events(), max_size=8))
def test_it_is_certain(node: BooleanNode, given_events: list):
    found = contradictions(node)
    for event in given_events:
        if never_holds(node):
            assert truth_of(node, event) is not Truth.TRUE
        for literals in found:
            assert truth_of(AllOf(literals), event) is not Truth.TRUE


NEVER = [
    "x = 1 AND x = 2",
    "x BETWEEN 10 AND 1",
    "x BETWEEN 'b' AND 'a'",
    "x < 1 AND x > 2",
    "x < 1 AND x > 1",
    "x < 1 AND x >= 1",
    "x <= 1 AND x >= 1 AND x <> 1",
    "kind = 'a' AND kind = 'b'",
    "kind = 'a' AND kind <> 'a'",
    "kind = 'a' AND kind LIKE 'b%'",
    "kind = 'a' AND NOT kind LIKE 'a%'",
    "kind LIKE 'abc' AND kind = 'x'",
    "kind IN ('a', 'b') AND kind IN ('c', 'd')",
    "kind IN ('a', 'b') AND kind NOT IN ('a', 'b', 'c')",
    "kind < 'a' AND kind > 'b'",
    "kind < ''",
    "x IS NULL AND x = 1",
    "x IS NULL AND x <> 1",
    "x IS NULL AND x IS NOT NULL",
    "x IS NULL AND x LIKE '%'",
    "x IS NULL AND x + 1 > 2",
    "x IS NULL AND x < y",
    "x = 1 AND x = 'a'",
    "x < 'a' AND x > 1",
    "x LIKE 'a%' AND x + 1 > 2",
    "x = TRUE AND x = FALSE",
    "x <> TRUE AND x <> FALSE",
    "x = 1 AND x.y = 2",
    "x IS NULL AND x.y = 2",
    "x = 1 AND (x = 2 OR x = 3)",
    "NOT (x <> 1 OR x <> 2)",
    "NOT (x = 1 OR x <> 1)",
    "a = 1 AND (b = 2 AND (x > 5 AND x < 3))",
    "(x = 1 AND x = 2) OR (y = 1 AND y = 2)",
    "x > 5 AND NOT x > 3",
    "x NOT BETWEEN 1 AND 5 AND x = 3",
    "ce_time < '2026-01-01T00:00:00Z' AND ce_time > '2026-01-01T00:00:00+00:00'",
    "ce_time IS NULL AND ce_time > '2026-01-01T00:00:00Z'",
    "1 = 2",
    "FALSE AND x = 1",
    "x <> x",
    "x < x",
    "NOT (x = x)",
    "a = 1 AND x > x",
    "ce_type = 5",
    "ce_id > 3",
    "ce_subject BETWEEN 1 AND 3",
    "NOT ce_source = TRUE",
    "ce_type = 'a' AND ce_type > 3",
]
POSSIBLE = [
    "x = 1 OR x = 2",
    "x > 1 AND x < 2",
    "x >= 1 AND x <= 1",
    "x BETWEEN 1 AND 1",
    "kind LIKE 'a%' AND kind LIKE '%b'",
    "kind > 'a' AND kind < 'b'",
    "kind <= ''",
    "x IS NOT NULL AND x = 1",
    "x <> 1 AND x <> 2",
    "x.y = 1 AND x.z = 2",
    "x = 1 AND y = 2",
    "x = y AND x = 1 AND y = 2",
    "ce_time LIKE '2026%' AND ce_time > '2026-01-01T00:00:00Z'",
    "(x = 1 AND x = 2) OR y = 1",
    "TRUE",
    "",
    "x = x",
    "x <= x",
    "NOT (x < x)",
    "x < y",
    "ce_type = 'a'",
    "ce_subject IS NULL",
    "ce_type = x",
]


@pytest.mark.parametrize("text", NEVER)
def test_never(text: str):
    assert never_holds(condition_of(parse(text)).expression)


@pytest.mark.parametrize("text", POSSIBLE)
def test_possible(text: str):
    assert not never_holds(condition_of(parse(text)).expression)


@pytest.mark.parametrize(
    ("text", "dialect", "never"),
    [
        ("NOT x = 1 AND x = 'a'", "jms", False),
        ("x <> 1 AND x = 'a'", "jms", True),
        ("x <> 1 AND x = 'a'", "amqp", False),
        ("x NOT IN (1) AND x = 'a'", "amqp", False),
        ("x NOT BETWEEN 1 AND 5 AND x = 'a'", "amqp", False),
        ("NOT x < 1 AND x = TRUE", "amqp", False),
        ("x IN (1, 'a') AND x = TRUE", "amqp", True),
        ("x IN (1, 'a') AND x > 'b'", "amqp", True),
        ("x NOT LIKE 'a' AND x = 1", "amqp", True),
        ("LOWER(x) = 'a' AND x IS NULL", "amqp", False),
        ("x <> x", "amqp", False),  # of a list
        ("NOT (x <= x)", "jms", False),  # of a text
    ],
)
def test_dialects_where_unlike_kinds_may_meet(text: str, dialect: str, never: bool):
    """`LOWER(x) = 'a' AND x IS NULL` is never true either, but this is not looked for."""
    assert never_holds(condition_of(parse(text, {"dialect": dialect})).expression) is never


def test_an_alternative_that_never_holds_is_found_beside_one_that_may():
    node = condition_of(parse("y = 1 OR x = 1 AND x = 2")).expression
    assert isinstance(node, AnyOf)
    (literals,) = contradictions(node)
    assert set(literals) == set(node.operands[1].operands)  # type: ignore[union-attr]


def test_a_thousand_conditions_are_looked_at_in_a_moment():
    """Every test of one attribute meets every other of it at most once: half a million questions,
    not a billion.
    """
    many = (
        " AND ".join(f"x <> {n}" for n in range(500))
        + " AND ("
        + " OR ".join(f"x = {n}" for n in range(500))
        + ")"
    )
    assert never_holds(condition_of(parse(many)).expression)

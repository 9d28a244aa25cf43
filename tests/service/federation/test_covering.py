"""Covering: what is said is certain (by the reference), and the plain cases are seen."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import boolean_nodes, events
from tocsin.catalog import Subscription, compile_subscription
from tocsin.plan.nodes.atoms import (
    AllOf,
    AnyOf,
    Condition,
    Equals,
)
from tocsin.reference.atoms import truth_of
from tocsin.service.federation.covering import EVERYTHING, covers, covers_expression
from tocsin.values.scalars import Constant
from tocsin.values.truth import Truth


def atom(text: str, language: str = "selector"):
    return compile_subscription(Subscription("s", language, text)).pattern


def epcis(**query: object):
    return atom(json.dumps(query), "epcis")


COVERED = [
    ("price < 400", "price < 300"),
    ("price < 400", "price <= 399.5 AND kind = 'laptop'"),
    ("price <= 400", "price < 400"),
    ("price >= 1", "price > 1"),
    ("price BETWEEN 1 AND 9", "price BETWEEN 2 AND 9"),
    ("price BETWEEN 1 AND 9", "price > 1 AND price < 9"),
    ("price NOT BETWEEN 1 AND 9", "price > 9"),
    ("price > 1", "price IN (2, 3)"),
    ("kind IN ('a', 'b')", "kind = 'a'"),
    ("kind IN ('a', 'b', 'c')", "kind IN ('a', 'c')"),
    ("kind <> 'a'", "kind = 'b'"),
    ("kind NOT IN ('a', 'b')", "kind = 'c'"),
    ("kind IS NOT NULL", "kind = 'a'"),
    ("kind IS NOT NULL", "kind LIKE 'a%'"),
    ("kind LIKE 'a%'", "kind LIKE 'ab%'"),
    ("kind LIKE '%b'", "kind LIKE 'a%ab'"),
    ("kind LIKE '%b%'", "kind LIKE 'abc%'"),
    ("kind LIKE '%'", "kind > 'a'"),
    ("kind LIKE 'a_c'", "kind = 'abc'"),
    ("a = 1 OR b = 2", "b = 2 AND c = 3"),
    ("a = 1 OR b = 2", "a = 1"),
    ("(a = 1 OR b = 2) AND c > 1", "a = 1 AND c > 3 OR b = 2 AND c = 5"),
    ("a > 1", "(a = 2 OR a = 3) AND b = 1"),
    ("NOT (a > 5)", "a < 3"),
    ("flag = TRUE", "flag = TRUE AND a = 1"),
    ("n IS NOT NULL", "n.a = 1"),
    ("a = 1", "b < 1 AND b > 2 AND a = 1"),
    ("a + b > 3", "a + b > 3 AND c = 1"),
]
NOT_COVERED = [
    ("price < 300", "price < 400"),
    ("price < 400", "price <= 400"),
    ("price < 400", "cost < 300"),
    ("price < 400", "price < '300'"),
    ("price BETWEEN 1 AND 9", "price > 1"),
    ("kind = 'a'", "kind IN ('a', 'b')"),
    ("kind <> 'a'", "kind IS NOT NULL"),
    ("kind IS NULL", "kind = 'a'"),
    ("kind LIKE 'ab%'", "kind LIKE 'a%'"),
    ("kind LIKE 'a%'", "kind LIKE '%a'"),
    ("a = 1 AND b = 2", "a = 1"),
    ("a = 1", "a = 1 OR b = 2"),
    ("a > 0", "a <> 0"),
    ("a + b > 3", "a + b > 4"),
]


@pytest.mark.parametrize(("wide", "narrow"), COVERED)
def test_covered(wide, narrow):
    assert covers(atom(wide), atom(narrow))


@pytest.mark.parametrize(("wide", "narrow"), NOT_COVERED)
def test_not_covered(wide, narrow):
    assert not covers(atom(wide), atom(narrow))


def test_epcis_queries_cover():
    assert covers(epcis(EQ_bizStep=["shipping", "packing"]), epcis(EQ_bizStep=["packing"]))
    wide = epcis(MATCH_epc=["urn:epc:id:sgtin:0614141.107346.1", "urn:epc:id:sgtin:1.2.3"])
    narrow = epcis(MATCH_epc=["urn:epc:id:sgtin:0614141.107346.1"], EQ_action=["ADD"])
    assert covers(wide, narrow)
    assert not covers(narrow, wide)
    early, late = (epcis(GE_eventTime=f"2026-01-0{day}T00:00:00Z") for day in (1, 2))
    assert covers(early, late)
    assert not covers(late, early)
    before = [epcis(LT_eventTime=f"2026-01-0{day}T00:00:00Z") for day in (1, 2)]
    assert covers(before[1], before[0])
    assert not covers(before[0], before[1])


def test_other_atoms_cover_themselves_only():
    one = atom("WHERE <order><id>$i</></>", "exmlql")
    other = atom("WHERE <order><nr>$i</></>", "exmlql")
    assert covers(one, one)
    assert not covers(one, other)
    assert covers(EVERYTHING, one)
    assert not covers(one, EVERYTHING)


def test_search_ends():
    deep = AllOf(
        tuple(AnyOf(tuple(Equals((f"a{i}",), Constant.of(j)) for j in range(5))) for i in range(40))
    )
    assert not covers_expression(Equals(("z",), Constant.of(1)), deep)


def _says_right(wide, narrow, found):
    if covers_expression(wide, narrow):
        for event in found:
            if truth_of(narrow, event) is Truth.TRUE:
                assert truth_of(wide, event) is Truth.TRUE, (wide, narrow, event.attributes)


MANY = st.lists(events(), min_size=3, max_size=10)


@settings(max_examples=100, deadline=None)
@given(boolean_nodes(), boolean_nodes(), MANY)
def test_covering_is_never_wrong(wide, narrow, found):
    _says_right(wide, narrow, found)
    _says_right(wide, AllOf((narrow, wide)), found)
    _says_right(AnyOf((wide, narrow)), narrow, found)


P = ("a",)


def test_condition_and_everything():
    assert covers(EVERYTHING, Condition(Equals(P, Constant.of(1))))
    assert not covers(Condition(Equals(P, Constant.of(1))), EVERYTHING)

"""Atomic subscriptions: what a predicate asks of an event, and atoms of other languages in
braces.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import build_event
from tests.languages.opsl.plans import A, parsed, problems_of, told
from tocsin.languages import parse_subscription
from tocsin.plan.nodes.atoms import AllOf, Condition, Equals, Ordered
from tocsin.plan.nodes.composites import Join
from tocsin.plan.passes import prepared
from tocsin.reference import holds
from tocsin.values.scalars import ENVELOPE, Constant


def rings(text: str, data: dict[str, Any]) -> bool:
    pattern = parsed(text)
    assert isinstance(pattern, Condition)
    return holds(pattern, build_event(data=data))


def test_predicates_of_one_event_are_one_condition() -> None:
    expected = AllOf((Equals(("id",), Constant.of(5)), Equals(("type",), Constant.of("truck"))))
    assert parsed('ARITH: id = 5, STRING: type = "truck"') == Condition(expected)
    assert parsed("ARITH:id=5,STRING:type='truck'") == Condition(expected)


@pytest.mark.parametrize("relation", ["<", "<=", ">", ">="])
def test_numbers_have_an_order(relation: str) -> None:
    expected = Condition(AllOf((Ordered(("order", "price"), relation, Constant.of(-2.5)),)))
    assert parsed(f"ARITH: order.price {relation} -2.5") == expected


def test_a_name_leads_into_objects_and_into_the_envelope() -> None:
    assert parsed("STRING: ce_type = 'x'") == Condition(
        AllOf((Equals((ENVELOPE, "type"), Constant.of("x")),))
    )
    assert parsed("STRING: a.`b c`.d = 'x'") == Condition(
        AllOf((Equals(("a", "b c", "d"), Constant.of("x")),))
    )


def test_a_quote_inside_a_text_is_written_twice() -> None:
    assert parsed('STRING: k = \'it\'\'s\', STRING: l = "say ""a"""') == Condition(
        AllOf((Equals(("k",), Constant.of("it's")), Equals(("l",), Constant.of('say "a"'))))
    )


@pytest.mark.parametrize(
    ("text", "data", "expected"),
    [
        ("ARITH: id != 5", {"id": 6}, True),
        ("ARITH: id != 5", {"id": 5}, False),
        ("ARITH: id != 5", {}, False),
        ("ARITH: id != 5", {"id": None}, False),
        ("ARITH: id != 5", {"id": "7"}, False),
        ("ARITH: id != 5", {"id": True}, False),
        ("ARITH: id != 5", {"id": [7]}, False),
        ("ARITH: id <> 5", {"id": 6}, True),
        ("STRING: k != 'a'", {"k": "b"}, True),
        ("STRING: k != 'a'", {"k": 5}, False),
        ("STRING: k != 'a'", {}, False),
        ("ARITH: id = 5", {"id": 5.0}, True),
        ("ARITH: id = 5.0", {"id": 5}, True),
        ("ARITH: id = 5", {"id": "5"}, False),
        ("ARITH: id < 5", {"id": "4"}, False),
        ("ARITH: id >= 5, ARITH: id < 7", {"id": 6}, True),
        ("ARITH: id >= 5, ARITH: id < 7", {"id": 7}, False),
    ],
)
def test_a_predicate_never_holds_for_a_missing_attribute_or_another_type(
    text: str, data: dict[str, Any], expected: bool
) -> None:
    assert rings(text, data) is expected


def test_an_atom_of_the_selector_language_is_the_same_atom() -> None:
    plan = parse_subscription("selector", "price < 400 AND kind = 'laptop'", {})
    assert parsed("selector{ price < 400 AND kind = 'laptop' }") == plan.pattern
    assert parsed("A && selector{price < 400 AND kind = 'laptop'}") == Join((A, plan.pattern))


def test_one_condition_in_two_languages_is_one_atom_to_the_engine() -> None:
    opsl = prepared(parse_subscription("opsl", "ARITH: id = 5", {}))
    selector = prepared(parse_subscription("selector", "id = 5", {}))
    assert opsl == selector


@pytest.mark.parametrize(
    "inner", ["k = '}'", "k = '{'", 'k = "}{"', "k = 'it''s }'", "`{}` = 1 OR k = '}'"]
)
def test_braces_in_quoted_texts_do_not_count(inner: str) -> None:
    assert parsed(f"selector{{{inner}}} && A") == Join(
        (parse_subscription("selector", inner, {}).pattern, A)
    )


def test_a_brace_in_a_predicate_is_no_atom() -> None:
    assert parsed("STRING: k = '}{'") == Condition(AllOf((Equals(("k",), Constant.of("}{")),)))


def test_problems_inside_braces_have_their_place_in_the_whole_text() -> None:
    assert told("A && selector{ price << 400 }") == [("SelectorSyntaxError", 1, 23, "<")]
    assert told("A &&\n selector{ a = 1\n  AND b = }") == [("SelectorSyntaxError", 3, 10, "")]


def test_every_problem_inside_and_outside_of_braces_is_told() -> None:
    codes = [code for code, *_ in told("Nowhere && selector{ x = } && selector{ y > TRUE }")]
    assert codes == ["UnknownName", "SelectorSyntaxError", "SelectorTypeError"]


def test_a_language_that_is_not_there_is_told_with_those_that_are() -> None:
    assert told("A && nolanguage{ ?x }") == [("LanguageError", 1, 6, "nolanguage")]
    assert "selector" in problems_of("nolanguage{ ?x }")[0].hint


def test_the_language_itself_stands_in_parentheses_not_in_braces() -> None:
    assert [code for code, *_ in told("A && opsl{ B }")] == ["AtomError"]


def test_a_block_in_braces_needs_no_where_and_problems_keep_their_places() -> None:
    with_where, without = (
        parsed(f"=|(A;10)xml{{{opening}<order><id>$i</></>}}") for opening in ("WHERE ", "")
    )
    assert with_where == without
    assert told("A && xml{<o><id></x></o>}")[0][:3] == ("ExmlqlSyntaxError", 1, 19)
    assert told("A && xml{WHERE <o><id></x></o>}")[0][:3] == ("ExmlqlSyntaxError", 1, 25)

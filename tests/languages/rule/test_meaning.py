"""A rule means what the OPSL text means that says the same: on the reference and on the engine."""

from __future__ import annotations

import json
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import event_json
from tests.languages.rule.contexts import CONTEXT, parsed, problems_of, warnings_of
from tests.languages.rule.trees import RULES
from tocsin.catalog import Definition, Subscription, compile_subscription
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.languages import parse_subscription
from tocsin.languages.rule.printer import print_rule
from tocsin.languages.rule.syntax import RuleSyntax
from tocsin.plan.nodes.atoms import AllOf, Condition, Ordered
from tocsin.plan.nodes.composites import Plan, Policy, names_of
from tocsin.plan.nodes.expressions import Attribute, Call
from tocsin.reference import matches
from tocsin.runtime.finite_run import match_events, read_events
from tocsin.values.scalars import Constant

DEFINITIONS = [
    Definition(letter, language="selector", expression=f"kind = '{letter.lower()}'")
    for letter in "ABC"
]
BOUND = ", $a; = A, $b; = B"
PAIRS = [
    ("A THEN B WITHIN 3ms", "=|(A;3)B"),
    ("A THEN B", "|=(A;0)B"),
    ("A THEN B THEN C", "|=(A;B)C"),
    ("A THEN NO B WITHIN 3ms", "!(A;3)B"),
    ("A THEN NO B THEN C", "!(A;C)B"),
    ("A AND B", "A && B"),
    ("A AND B AND C", "A && B && C"),
    ("A OR B THEN C", "A || |=(B;0)C"),
    ("(A OR B) THEN C WITHIN 2ms", "=|((A || B);2)C"),
    ("A THEN (B AND C) WITHIN 3ms", "=|(A;3)(B && C)"),
    ("A THEN B WITHIN 3ms FOR EACH k", f"=|($a;;3)$b; WHERE $a;.k = $b;.k{BOUND}"),
    ("A AND B FOR EACH k, v", f"$a; && $b; WHERE $a;.k = $b;.k AND $a;.v = $b;.v{BOUND}"),
    (
        "A THEN NO B WITHIN 3ms FOR EACH k",
        "!($a;;3)$b; WHERE $a;.k = $b;.k, $b; = B, $a; = selector{kind = 'a' AND k IS NOT NULL}",
    ),
    ("a: A THEN b: B WHERE a.v < b.v", f"|=($a;;0)$b; WHERE $a;.v < $b;.v{BOUND}"),
    ("a: A AND b: B WHERE a.v = b.k", f"$a; && $b; WHERE $a;.v = $b;.k{BOUND}"),
    ("a: A THEN NO b: B WITHIN 3ms WHERE b.v <> a.v", f"!($a;;3)$b; WHERE $b;.v <> $a;.v{BOUND}"),
    ("a: A AND b: B WHERE DISTANCE(a, b) < 2", "DIST(A;<;2)B"),
]
EVENTS = st.lists(
    st.fixed_dictionaries(
        {
            "kind": st.sampled_from("abc"),
            "start": st.integers(0, 8),
            "length": st.sampled_from([0, 0, 1, 3]),
            "k": st.sampled_from([1, 1, 2, None, "x"]),
            "v": st.integers(0, 2),
            "x": st.integers(0, 3),
        }
    ),
    max_size=9,
)


@pytest.mark.parametrize(("text", "opsl"), PAIRS)
@settings(max_examples=20, deadline=None)
@given(events=EVENTS, policy=st.sampled_from(list(Policy)))
def test_a_rule_means_what_opsl_says(
    text: str, opsl: str, events: list[dict[str, object]], policy: Policy
) -> None:
    rule = compiled("rule", f"WHEN {text} POLICY {policy.value}", None)
    other = compiled("opsl", opsl, policy.value)
    told = {
        (name, kind): found
        for name, plan in (("rule", rule), ("opsl", other))
        for kind, found in rung(plan, events).items()
    }
    assert len(set(map(tuple, told.values()))) == 1, told


@cache
def compiled(language: str, text: str, policy: str | None) -> Plan:
    return compile_subscription(Subscription("s", language, text, policy=policy), DEFINITIONS)


def rung(plan: Plan, events: list[dict[str, object]]) -> dict[str, list[tuple[object, ...]]]:
    """What rings, on the reference and on the engine."""
    given = [cloud_event(number, each) for number, each in enumerate(events)]
    lines = [json.dumps(each).encode() for each in given]
    found = {
        "reference": matches("s", plan, list(map(from_mapping, given))),
        "engine": match_events({"s": plan}, read_events(lines)),
    }
    return {
        name: [(match.detected, match.start, match.events) for match in rings]
        for name, rings in found.items()
    }


def cloud_event(number: int, event: dict[str, object]) -> dict[str, object]:
    start, length = int(str(event["start"])), int(str(event["length"]))
    return event_json(
        f"{event['kind']}{number}",
        time=start * 1_000,
        endtime=(start + length) * 1_000,
        place=f"POINT ({event['x']} 0)",
        data={name: event[name] for name in ("kind", "k", "v") if event[name] is not None},
    )


@given(RULES)
def test_any_tree_is_a_plan_or_has_problems(rule: RuleSyntax) -> None:
    text = print_rule(rule)
    problems = problems_of(text)
    assert all(problem.hint for problem in problems), problems
    if not problems:
        parsed(text)
        warnings_of(text)


PIECES = st.sampled_from(
    """WHEN a A Depot a: b: ( ) THEN NO AND OR WITHIN 5m 5 x3 x2+ x1..2 BECOMES v>8 HOLDS FOR EACH k
    k[] ENTERS INSIDE NEAR COUNT( SUM(a.v) > >= 3 OVER EVERY 1h WHERE a.v < b.v DISTANCE(a,b) RING
    ONCE SELECT AS POLICY recent HORIZON DURING NOT ' " ` { } selector{ -- \n , . $ POLYGON((0""".split(
        " "
    )
)
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(PIECES, max_size=25).map(" ".join),
    st.lists(PIECES, max_size=25).map(lambda pieces: "WHEN " + " ".join(pieces)),
)


@given(TEXTS)
def test_any_text_is_a_plan_or_has_problems(text: str) -> None:
    problems = problems_of(text)
    assert all(problem.hint and problem.place for problem in problems), problems


def test_a_definition_in_rule_is_a_part_of_opsl() -> None:
    """`Pair` is `x: A THEN y: B ...`: each use has its names for itself."""
    part = parse_subscription("opsl", "=|(Pair; 5s)Pair", {}, CONTEXT).pattern
    text = str(part)
    assert "'Pair.x'" in text
    assert "'Pair:2.x'" in text


def test_a_definition_in_opsl_is_a_part_of_a_rule() -> None:
    written = parsed("WHEN Both THEN C").pattern
    assert written == parsed("WHEN (A AND B) THEN C").pattern


def test_a_window_without_within_waits_for_the_horizon_and_is_told() -> None:
    (warning,) = warnings_of("WHEN a THEN NO b")
    assert (warning.code, warning.place and warning.place.column) == ("DefaultHorizon", 13)
    assert "1d" in warning.message
    assert "HORIZON" in warning.hint
    for text in ("a THEN b x2", "b x2 THEN a", "NO b THEN a", "b x2"):
        assert [each.code for each in warnings_of(f"WHEN {text}")] == ["DefaultHorizon"]
    for text in ("a THEN NO b HORIZON 2h", "a THEN NO b WITHIN 2h", "a THEN NO b THEN c"):
        assert warnings_of(f"WHEN {text}") == []
    assert parsed("WHEN a THEN NO b HORIZON 2h") == parsed("WHEN a THEN NO b WITHIN 2h HORIZON 9h")


def test_measures_that_are_paired_by_the_horizon_are_told() -> None:
    (warning,) = warnings_of("WHEN COUNT(b) >= 3 OVER 1m AND SUM(b.v) > 5 OVER 2m")
    assert (warning.code, warning.place and warning.place.column) == ("PairedMeasures", 32)
    assert "at one instant" in warning.message
    for text in (
        "COUNT(b) >= 3 OVER 1m AND SUM(c.v) > 5 OVER 1m",
        "COUNT(b) >= 3 OVER 1m AND SUM(b.v) > 5 OVER 1m EVERY 1m",
        "COUNT(b(v > 1)) >= 3 OVER 1m AND x: COUNT(b) >= 5 OVER 1m",
        "COUNT(b) >= 3 OVER 1m AND c AND b x2 WITHIN 5m",
        "COUNT(b) >= 3 OVER 1m AND (SUM(b.v) > 5 OVER 1m AND c)",
    ):
        assert [each.code for each in warnings_of(f"WHEN {text}")] == ["PairedMeasures"], text
    for text in (
        "COUNT(b) >= 3 OVER 1m AND SUM(b.v) > 5 OVER 1m",
        "COUNT(b) >= 3 OVER 1m AND c",
        "COUNT(b) >= 3 OVER 1m OR SUM(b.v) > 5 OVER 2m",
        "x: b x3 WITHIN 60s AND y: SUM(b.v) > 5 OVER 1m FOR EACH k[]",
    ):
        assert warnings_of(f"WHEN {text}") == [], text


def test_measures_of_one_window_keep_their_names_and_count_what_is_left_out_once() -> None:
    plan = parsed(
        "WHEN x: SUM(b.v) > 5 OVER 1m AND y: AVG(b.v) > 1 OVER 1m AND MAX(b.w) > 3 OVER 1m"
        " WHERE COUNT(y) > 2 SELECT SUM(y.v) AS total"
    )
    assert names_of(plan.pattern) == {"x", "y"}
    skipped = next(each.value for each in plan.select if each.name == "skipped")
    assert skipped == Call("SKIPPED", (Attribute(("x", "v")), Attribute(("x", "w"))))


def test_what_a_condition_says_that_is_not_meant_is_told_at_its_place() -> None:
    (warning,) = warnings_of("WHEN a THEN b(v = 1 AND v = 2) WITHIN 5s")
    assert warning.code == "UNSATISFIABLE"
    assert warning.place is not None
    assert warning.place.column > 13


def test_a_named_event_alone_rings_at_once() -> None:
    """It is an atom, so that it needs no time, and on Spark no shuffle."""
    assert parsed("WHEN cheap: offer(price < 4)") == parsed("WHEN offer(price < 4)")
    assert parsed("WHEN a: offer WHERE a.price < 4").pattern == Condition(
        AllOf((parsed("WHEN offer").pattern.expression, Ordered(("price",), "<", Constant.of(4))))  # type: ignore[union-attr]
    )

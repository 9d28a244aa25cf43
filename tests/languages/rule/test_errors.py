"""What is wrong with a rule: its code, its place, and a way out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.languages.messages import Row, require_problem
from tests.languages.rule.contexts import CONTEXT, problems_of
from tocsin.languages.base.reading import SubscriptionSettings

SYNTAX = "RuleSyntaxError"
WHERE = "WhereError"

ROWS: list[Row] = [
    # The grammar
    ("", SYNTAX, (1, 1), "a rule begins with WHEN"),
    ("SELECT a", SYNTAX, (1, 1), "a rule begins with WHEN"),
    ("WHEN", SYNTAX, (1, 5), "a part is a type with a condition"),
    ("WHEN a\nTHEN b WITHNI 5m", SYNTAX, (2, 8), "did you mean WITHIN?"),
    ("WHEN a THEM b", SYNTAX, (1, 8), "did you mean THEN?"),
    ("WHEN a BECOME v > 8", SYNTAX, (1, 8), "did you mean BECOMES?"),
    ("WHEN a THEN WITHIN 5m", SYNTAX, (1, 13), "in backticks"),
    ("WHEN a THEN NO b WITHIN", SYNTAX, (1, 24), "after WITHIN comes a duration"),
    ("WHEN (a THEN b", SYNTAX, (1, 15), "a parenthesis is not closed"),
    ("WHEN a)", SYNTAX, (1, 7), "never opened"),
    ("WHEN a(v = 1", SYNTAX, (1, 7), "not closed"),
    ("WHEN a BECOMES", SYNTAX, (1, 15), "say what becomes true"),
    ("WHEN COUNT(a) >= 3", SYNTAX, (1, 19), "say over how long"),
    ("WHEN COUNT(a) OVER 5m", SYNTAX, (1, 15), "compare it"),
    ("WHEN a FOR EACH x FOR EACH y", SYNTAX, (1, 28), "write the keys with commas"),
    ("WHEN a POLICY recent POLICY recent", SYNTAX, (1, 29), "leave one of the two out"),
    ("WHEN a: b WHERE a.x > 'c", SYNTAX, (1, 23), "no closing quote"),
    ("WHEN a: b WHERE abs(a.x) > 3", SYNTAX, (1, 20), "abs is no function"),
    ("WHEN graph{ ?x", SYNTAX, (1, 11), "close it with }"),
    ("WHEN a\U000f0041", SYNTAX, (1, 7), "private use"),
    # Habits of other processors
    ("WHEN a -> b", SYNTAX, (1, 8), "one after the other is THEN"),
    ("WHEN a followed by b", SYNTAX, (1, 8), "one after the other is THEN"),
    ("WHEN a && b", SYNTAX, (1, 8), "write AND"),
    ("WHEN a || b", SYNTAX, (1, 8), "write OR"),
    ("WHEN a THEN !b", SYNTAX, (1, 13), "an absence is NO"),
    ("WHEN a* THEN b", SYNTAX, (1, 7), "x1+ is once or more"),
    ("WHEN a GROUP BY k", SYNTAX, (1, 8), "write FOR EACH k"),
    ("WHEN a PARTITION BY k.l", SYNTAX, (1, 8), "write FOR EACH k.l"),
    ("WHEN a THEN b HAVING x", SYNTAX, (1, 15), "compare parts with WHERE"),
    ("WHEN a THEN b IN 5m", SYNTAX, (1, 15), "write WITHIN 5m"),
    ("WHEN price > 400", SYNTAX, (1, 12), "in parentheses after the type"),
    ("WHEN a -- b\n # c", SYNTAX, (2, 2), "a comment is --"),
    ("WHEN a;", SYNTAX, (1, 7), "leave ; out"),
    ("WHEN $a", SYNTAX, (1, 6), "a: order"),
    ("WHEN a(kind = “x”)", "SelectorSyntaxError", (1, 15), "straight quotes"),
    # Conditions and states are read by their own language, at their place
    ("WHEN a THEN\n b(v >)", "SelectorSyntaxError", (2, 7), "compare a name with a value"),
    ("WHEN a BECOMES v >", "SelectorSyntaxError", (1, 19), "compare a name with a value"),
    ("WHEN a BECOMES v > 8 AND b", "SelectorSyntaxError", (1, 26), "put the change in parentheses"),
    ("WHEN selector{ v > }", "SelectorSyntaxError", (1, 19), "compare a name with a value"),
    ("WHEN nothing{ v }", "LanguageError", (1, 6), "known languages"),
    ("WHEN rule{ a }", "AtomError", (1, 6), "in parentheses"),
    # Durations, and limits with a reason
    ("WHEN a THEN b WITHIN 5", "DurationError", (1, 22), "say the unit, as in 5s or 5m"),
    ("WHEN a THEN b WITHIN 5 parsecs", SYNTAX, (1, 24), "join parts"),
    ("WHEN a THEN b WITHIN 5q", "DurationError", (1, 22), "500ms, 30s"),
    ("WHEN a THEN b WITHIN -5s", "DurationError", (1, 22), "500ms, 30s"),
    ("WHEN a THEN b WITHIN 36525d", "RuleLimitError", (1, 22), "would be kept"),
    ("WHEN COUNT(a) > 1 OVER 36525d", "RuleLimitError", (1, 24), "would be kept"),
    ("WHEN a x10001 WITHIN 1s THEN b", "RuleLimitError", (1, 8), "part of the match"),
    ("WHEN " + " THEN ".join(["a"] * 51), "RuleLimitError", (1, 356), "the limit is 50"),
    (
        "WHEN a FOR EACH " + ", ".join(f"k{n}" for n in range(65)),
        "RuleLimitError",
        (1, 327),
        "is 64",
    ),
    ("WHEN " + " OR ".join(["a"] * 1025), "RuleLimitError", (1, 1), "the limit is 1,024"),
    ("WHEN " + "(" * 110 + "a" + ")" * 110, "RuleLimitError", (1, 116), "100 levels"),
    ("WHEN a -- " + "b" * 70_000, "RuleLimitError", (1, 1), "the limit is 65,536"),
    # How often
    ("WHEN a THEN b x0 WITHIN 5s", "RepeatError", (1, 15), "an absence is NO"),
    ("WHEN a THEN b x0+ WITHIN 5s", "RepeatError", (1, 15), "an absence is NO"),
    ("WHEN a THEN b x5..2 WITHIN 5s", "RepeatError", (1, 15), "the range 5..2 is empty"),
    ("WHEN b x2..5 WITHIN 5s", "RepeatError", (1, 8), "needs a step before or after it"),
    ("WHEN a x3 DURING b", "RepeatError", (1, 8), "has no interval"),
    ("WHEN a THEN b x2 THEN c x2 THEN d", "WindowError", (1, 23), "say WITHIN for the first"),
    # Windows
    ("WHEN a WITHIN 5m", "WindowError", (1, 6), "ALL WITHIN"),
    ("WHEN a WITHIN 5m THEN b", "WindowError", (1, 6), "ALL WITHIN"),
    ("WHEN NO a WITHIN 5m", "WindowError", (1, 6), "a THEN NO b"),
    ("WHEN NO a WITHIN 5m THEN b WITHIN 1m", "WindowError", (1, 26), "ALL WITHIN"),
    ("WHEN NO a THEN NO b", "WindowError", (1, 6), "add a step"),
    ("WHEN NO a WITHIN 1s THEN NO b WITHIN 1s THEN c", "WindowError", (1, 26), "(a OR b)"),
    # Aggregates
    ("WHEN COUNT(a THEN b) >= 3 OVER 5m", "AggregateOfComposite", (1, 6), "count an event"),
    ("WHEN COUNT(Both) >= 3 OVER 5m", "AggregateOfComposite", (1, 6), "count an event"),
    ("WHEN (a THEN b) x3 WITHIN 5m", "AggregateOfComposite", (1, 7), "count an event"),
    ("WHEN SUM(a) > 3 OVER 5m", "AggregateError", (1, 6), "write SUM(reading.temperature)"),
    ("WHEN COUNT(DISTINCT a) > 3 OVER 5m", "AggregateError", (1, 6), "COUNT(DISTINCT reading"),
    ("WHEN COUNT(a) > 1e999 OVER 5m", "NumberError", (1, 6), "too large"),
    ("WHEN a RING ONCE", "RingError", (1, 8), "leave RING out"),
    ("WHEN COUNT(a) > 1 OVER 1m EVERY 1m RING ONCE", "RingError", (1, 33), "leave RING out"),
    # Changes and regions
    ("WHEN a HOLDS v > 8 FOR EACH k", "HoldsError", (1, 8), "FOR and a duration"),
    ("WHEN a ENTERS Depto", "UnknownRegion", (1, 15), "did you mean Depot?"),
    ("WHEN a ENTERS Nowhere", "UnknownRegion", (1, 15), '{"define": "Nowhere"'),
    ("WHEN a ENTERS A", "NameKindError", (1, 15), "a region is needed"),
    ("WHEN a ENTERS Crossed", "RegionInvalid", (1, 15), "crosses itself"),
    ("WHEN a ENTERS POLYGON((0 0, 1 0))", "RegionInvalid", (1, 15), "three different vertices"),
    ("WHEN a BECOMES NEAR Depot -1", "RegionError", (1, 21), "not negative"),
    ("WHEN Depot", "NameKindError", (1, 6), "position ENTERS Depot"),
    # Names of the catalog
    ("WHEN A(v = 1)", "NameKindError", (1, 6), "leave the condition out"),
    ("WHEN Loop", "CyclicName", (1, 6), "break the circle"),
    ("WHEN Wrong", SYNTAX, (1, 6), "in the part Wrong (line 1, column 12)"),
    # Keys
    ("WHEN a FOR EACH ce_tpye", "ForEachError", (1, 17), "did you mean ce_type?"),
    ("WHEN a(k IS NULL) THEN b FOR EACH k", "ForEachError", (1, 35), "choose another key"),
    ("WHEN a(k = 5) FOR EACH k.id", "ForEachError", (1, 24), "choose another key"),
    ("WHEN a FOR EACH k[], l[]", "ForEachError", (1, 22), "the elements of one list"),
    ("WHEN a FOR EACH k, k", "ForEachError", (1, 20), "leave it out"),
    ("WHEN Both THEN c FOR EACH k[]", "ForEachError", (1, 6), "write the part out"),
    # WHERE
    ("WHEN a: A THEN B WHERE c.x > 1", "UnknownName", (1, 24), "c: order"),
    ("WHEN one: A THEN B WHERE oen.x > 1", "UnknownName", (1, 26), "did you mean one?"),
    ("WHEN a: A THEN B WHERE x > 1", WHERE, (1, 24), "write a.x"),
    ("WHEN a: A THEN B WHERE a > 1", WHERE, (1, 24), "write a. and"),
    ("WHEN a: (A THEN B) WHERE a.x > 1", WHERE, (1, 26), "the one event"),
    ("WHEN a: A OR b: B WHERE a.x > b.x", WHERE, (1, 25), "never stand together"),
    ("WHEN (a: A OR b: B) THEN c: C WHERE a.x > c.x", WHERE, (1, 37), "other side of OR"),
    ("WHEN a: A THEN NO b: B THEN c: C THEN d: D WHERE b.x = d.x", WHERE, (1, 50), "around it"),
    ("WHEN a: A THEN b: B WHERE DISTANCE(a, b) < 'x'", WHERE, (1, 42), "DISTANCE(a, b) < 500"),
    ("WHEN a: A THEN b: B WHERE DISTANCE(a, b) < -1", WHERE, (1, 42), "not negative"),
    ("WHEN a: A THEN b: B WHERE DISTANCE(a, a) < 1", WHERE, (1, 27), "name two parts"),
    ("WHEN a: A THEN b: B WHERE DISTANCE(a, b) + 1 < 5", WHERE, (1, 46), "DISTANCE(a, b) < 500"),
    ("WHEN a: A THEN b: B WHERE a.ce_time < b.v + 1", WHERE, (1, 37), "with a zone"),
    ("WHEN a: A THEN b: B WHERE b.ce_time < 'noon'", "SelectorTypeError", (1, 37), "with a zone"),
    ("WHEN a: A THEN b: B WHERE COUNT(b) > 1", "AggregateError", (1, 27), "b: order x1+"),
    ("WHEN a: A THEN b: B x2 THEN C WHERE SUM(b) > 1", WHERE, (1, 37), "SUM(b.amount)"),
    ("WHEN a: A THEN a: B", "DuplicateName", (1, 16), "a name of its own"),
    # SELECT
    ("WHEN a: A THEN b: B x2 THEN C SELECT b.v", "SelectError", (1, 38), "write FIRST(b).v"),
    ("WHEN a: A THEN NO b: B WITHIN 1s SELECT b.v", "SelectError", (1, 41), "absent"),
    ("WHEN a: A THEN b: B SELECT a.v, b.v", "SelectError", (1, 33), "another name with AS"),
    ("WHEN a: A SELECT a.v AS a", "SelectError", (1, 18), "another name with AS"),
    # Settings
    ("WHEN a POLICY rescent", "PolicyError", (1, 15), "did you mean recent?"),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:60])
def test_problem(row: Row) -> None:
    require_problem("rule", row, context=CONTEXT)


def test_all_problems_are_told_in_the_order_of_the_text() -> None:
    text = "WHEN a(v >) THEN b WITHIN 5m THEN c(w <) FOR EACH k"
    assert [(each.code, each.place and each.place.column) for each in problems_of(text)] == [
        ("SelectorSyntaxError", 11),
        ("SelectorSyntaxError", 40),
    ]
    text = "WHEN a x0 THEN b WITHIN 5 WHERE c.x > 1"
    assert [each.code for each in problems_of(text)] == [
        "RepeatError",
        "DurationError",
        "UnknownName",
    ]


def test_options_are_known() -> None:
    assert [each.code for each in problems_of("WHEN a", crs="moon")] == ["OptionError"]
    assert [each.code for each in problems_of("WHEN a", dialect="jms")] == ["OptionError"]
    assert problems_of("WHEN a", crs="EPSG:4326") == []


@pytest.mark.parametrize(
    ("text", "beside", "codes"),
    [
        ("WHEN a THEN b POLICY recent", SubscriptionSettings(policy="recent"), []),
        ("WHEN a THEN b POLICY recent", SubscriptionSettings(policy="deferred"), ["ClauseError"]),
        ("WHEN a THEN b HORIZON 2h", SubscriptionSettings(None, 7_200_000_000, True), []),
        ("WHEN a THEN b HORIZON 2h", SubscriptionSettings(None, 60_000_000, True), ["ClauseError"]),
        ("WHEN a THEN b HORIZON 2h", SubscriptionSettings(None, None, True), ["ClauseError"]),
        ("WHEN a THEN NO b", SubscriptionSettings(None, None, True), ["UnboundedState"]),
        ("WHEN a THEN NO b HORIZON 2h", SubscriptionSettings(), []),
    ],
)
def test_what_is_said_beside_the_text_agrees(
    text: str, beside: SubscriptionSettings, codes: list[str]
) -> None:
    assert [each.code for each in problems_of(text, replace(CONTEXT, settings=beside))] == codes

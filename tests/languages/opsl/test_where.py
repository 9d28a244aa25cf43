"""WHERE: where each comparison of attributes finds its place, and what cannot be compared."""

from __future__ import annotations

import pytest

from tests.languages.opsl.plans import (
    A,
    B,
    C,
    finish,
    parsed,
    problems_of,
    start,
    told,
    vehicle,
    x,
    y,
)
from tocsin.catalog import Definition, Subscription, compile_subscription
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    AtRegion,
    BetweenWindow,
    Either,
    Join,
    Named,
    Only,
    PartAttribute,
    Precedes,
    Related,
    variables_of,
)
from tocsin.values.space import SpatialRelation

SAME_ID = Related(PartAttribute("x", ("id",)), "=", PartAttribute("y", ("id",)))
AT_ONCE = (Precedes(start(1), finish(0), 0, True), Precedes(start(0), finish(1), 0, True))


def z_with(other: str) -> Related:
    return Related(PartAttribute("z", ("id",)), "=", PartAttribute(other, ("id",)))


@pytest.mark.parametrize(
    "text",
    [
        "$x; && $y; WHERE $x;.id = $y;.id, $x; = A, $y; = B",
        "$x; && $y;, $x; = A, $y; = B WHERE $x;.id = $y;.id",
        "$x;&&$y;WHERE$x;.id=$y;.id,$x;=A,$y;=B",
        "$x; && $y; WHERE $x; .id = $y; .id, $x; = A, $y; = B",
    ],
)
def test_where_stands_after_the_subscription_or_at_the_very_end(text: str) -> None:
    assert parsed(text) == Join((x(A), y(B)), (SAME_ID,))


def test_the_example_of_the_issue() -> None:
    text = "=|($A;;60s)$C; WHERE $A;.id = $C;.id AND $C;.v > $A;.v, $A; = E-A, $C; = E-A"
    within = (Precedes(finish(0), start(1)), Precedes(finish(1), finish(0), -60_000_000, True))
    related = (
        Related(PartAttribute("A", ("id",)), "=", PartAttribute("C", ("id",))),
        Related(PartAttribute("C", ("v",)), ">", PartAttribute("A", ("v",))),
    )
    assert parsed(text) == Join(
        (Named("A", vehicle(7)), Named("C", vehicle(7))), (*within, *related)
    )


@pytest.mark.parametrize(
    ("written", "relation"),
    [("=", "="), ("!=", "<>"), ("<>", "<>"), ("<", "<"), ("<=", "<="), (">", ">"), (">=", ">=")],
)
def test_every_comparison_and_nested_paths(written: str, relation: str) -> None:
    related = Related(PartAttribute("x", ("a", "b")), relation, PartAttribute("y", ("c d", "e")))
    assert parsed(f"$x; && $y; WHERE $x;.a.b {written} $y;.`c d`.e, $x; = A, $y; = B") == Join(
        (x(A), y(B)), (related,)
    )


def test_it_goes_to_the_lowest_join_that_has_both() -> None:
    low = Join((x(A), y(B)), (*AT_ONCE, SAME_ID))
    assert parsed("|($x;)$y; && C WHERE $x;.id = $y;.id, $x; = A, $y; = B") == Join((low, C))


def test_it_goes_into_the_definition_of_a_variable() -> None:
    expected = Join((Named("p", Join((x(A), y(B)), (SAME_ID,))), C))
    assert parsed("$p; && C WHERE $x;.id = $y;.id, $p; = $x; && $y;, $x; = A, $y; = B") == expected


def test_it_goes_to_every_join_that_is_a_lowest_one() -> None:
    each = Join((x(A), y(B)), (SAME_ID,))
    both = parsed("($x; && $y;) || ($x; && $y; && C) WHERE $x;.id = $y;.id, $x; = A, $y; = B")
    assert both == Either((each, Join((each, C))))


def test_it_goes_to_the_join_of_three_in_a_window() -> None:
    conditions = (Precedes(finish(0), start(2)), Precedes(finish(2), start(1)), SAME_ID)
    assert parsed("=|($x;;$y;)C WHERE $x;.id = $y;.id, $x; = A, $y; = B") == Join(
        (x(A), y(B), C), conditions
    )


def test_an_absent_part_is_compared_with_what_opens_its_window() -> None:
    assert parsed("!($x;;10)$y; WHERE $x;.id = $y;.id, $x; = A, $y; = B") == Absence(
        y(B), AfterWindow(x(A), 10_000), (SAME_ID,)
    )


def test_an_absent_part_is_compared_with_both_ends_of_its_window() -> None:
    text = "!($x;;$y;)$z; WHERE $z;.id = $x;.id AND $z;.id = $y;.id, $x; = A, $y; = B, $z; = C"
    expected = Absence(Named("z", C), BetweenWindow(x(A), y(B)), (z_with("x"), z_with("y")))
    assert parsed(text) == expected


def test_two_ends_of_an_empty_window_are_compared_by_the_absence() -> None:
    text = "!($x;;$y;)$z; WHERE $x;.id = $y;.id AND $z;.id = $x;.id, $x; = A, $y; = B, $z; = C"
    assert parsed(text) == Absence(Named("z", C), BetweenWindow(x(A), y(B)), (z_with("x"), SAME_ID))


def test_parts_inside_an_absent_part_are_compared_there() -> None:
    expected = Absence(Join((x(A), y(B)), (SAME_ID,)), AfterWindow(C, 10_000))
    assert parsed("!(C;10)($x; && $y;) WHERE $x;.id = $y;.id, $x; = A, $y; = B") == expected


def test_a_variable_under_a_restriction_or_of_alternatives_is_about_one_event() -> None:
    inside = Only(
        A, AtRegion(SpatialRelation.INSIDE, "POLYGON ((0 0, 100 0, 100 100, 0 100, 0 0))")
    )
    text = "$x; && $y; WHERE $x;.id = $y;.id, $x; = @(Region1)A, $y; = B || C"
    assert parsed(text) == Join((x(inside), y(Either((B, C)))), (SAME_ID,))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$x; && $y; WHERE $x;.a = $y;.a, $x; = A && B, $y; = C", ("WhereError", 1, 18, "$x;")),
        ("$x; && $y; WHERE $y;.a = $x;.a, $x; = !(A;1)B, $y; = C", ("WhereError", 1, 26, "$x;")),
        ("$x; || $y; WHERE $x;.a = $y;.a, $x; = A, $y; = B", ("WhereError", 1, 18, "$x;")),
        ("($x; || C) && $y; WHERE $x;.a = $y;.a, $x; = A, $y; = B", ("WhereError", 1, 25, "$x;")),
        (
            "!(C;1)($x; || C) && $y; WHERE $x;.a = $y;.a, $x; = A, $y; = B",
            ("WhereError", 1, 31, "$x;"),
        ),
        ("$x; && $y; WHERE $x;.epcList = $y;.id, $x; = A, $y; = B", ("WhereError", 1, 18, "$x;")),
        ("$x; && $y; WHERE $x;.id = $y;.childEPCs, $x; = A, $y; = B", ("WhereError", 1, 27, "$y;")),
        ("$x; && $y; WHERE $x;.a[*] < $y;.a, $x; = A, $y; = B", ("WhereError", 1, 27, "<")),
        ("$x; || $y; WHERE $x;.a[*] = $y;.a, $x; = A, $y; = B", ("WhereError", 1, 18, "$x;")),
        ("$x; && $y; WHERE $x;.a[0] = $y;.a, $x; = A, $y; = B", ("OpslSyntaxError", 1, 23, "[")),
        ("$x; && B WHERE $x;.a = $x;.b, $x; = A", ("WhereError", 1, 16, "$x;")),
        ("$x; && B WHERE $x;.a = $q;.b, $x; = A", ("UndefinedVariable", 1, 24, "$q;")),
        ("$x; && B WHERE $x;.a = 5, $x; = A", ("OpslSyntaxError", 1, 24, "5")),
        ("$x; && B WHERE $x; = $x;.b, $x; = A", ("OpslSyntaxError", 1, 20, "=")),
        ("$x; && B WHERE, $x; = A", ("OpslSyntaxError", 1, 15, ",")),
        ("$x; && B where $x;.a = $x;.b, $x; = A", ("OpslSyntaxError", 1, 10, "where")),
    ],
)
def test_what_cannot_be_compared(text: str, expected: tuple[str, int, int, str]) -> None:
    assert told(text) == [expected]


def test_a_variable_that_is_only_compared_is_not_used() -> None:
    codes = [
        problem.code for problem in problems_of("$x; && B WHERE $x;.a = $y;.a, $x; = A, $y; = B")
    ]
    assert "UnusedVariable" in codes


def test_elements_that_are_compared_share_a_variable() -> None:
    text = "$x; && $y; WHERE $x;.parentID = $y;.epcList[*], $x; = A, $y; = B"
    assert parsed(text) == Join(
        (
            Named("x", A, ("parentID=epcList", ("parentID",))),
            Named("y", B, ("parentID=epcList", ("epcList",))),
        )
    )
    same = "$x; && $y; WHERE $x;.l.m[*] = $y;.l.m[*], $x; = A, $y; = B"
    assert parsed(same) == Join(
        (Named("x", A, ("l.m", ("l", "m"))), Named("y", B, ("l.m", ("l", "m"))))
    )


def test_one_list_of_each_variable_is_compared_by_its_elements() -> None:
    text = "$x; && $y; WHERE $x;.a[*] = $y;.a[*] AND $x;.b[*] = $y;.b[*], $x; = A, $y; = B"
    assert {code for code, *_ in told(text)} == {"WhereError"}


def test_a_part_of_its_own_name_has_elements_of_its_own_name() -> None:
    pair = Definition(
        "Pair", language="opsl", expression="$x; && $y; WHERE $x;.a[*] = $y;.a[*], $x; = A, $y; = B"
    )
    kinds = [Definition(name, language="selector", expression=f"kind = '{name}'") for name in "AB"]
    plan = compile_subscription(Subscription("s", "opsl", "Pair && Pair"), [pair, *kinds])
    assert sorted(variables_of(plan.pattern)) == ["Pair.a", "Pair:2.a"]

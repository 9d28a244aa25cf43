"""Every problem of a text has its code, its place, the token and a way out; and no problem hides
another.
"""

from __future__ import annotations

import json

import pytest

from tests.languages.asked import OPSL
from tests.languages.opsl.plans import A, B, D, parsed, problems_of, told, x
from tocsin.errors import LimitProblem, MeaningProblem, SyntaxProblem
from tocsin.languages.base.reading import Context, PartDefinition, RegionDefinition
from tocsin.languages.opsl import OpslLimits
from tocsin.plan.nodes.composites import Absence, AfterWindow, Join

parse, problems = OPSL.parse, OPSL.problems

SYNTAX = [
    ("=|(A)B", 1, 5, ")", "a window has two parts: =|(A; 60s)B"),
    ("|=(A)B", 1, 5, ")", "a window has two parts: |=(A; 60s)B"),
    ("!(A)B", 1, 4, ")", "a window has two parts: !(A; 60s)B"),
    ("|(A;60s)B", 1, 4, ";", "| has one part"),
    ("|(0;60s)B", 1, 3, "0", ""),
    ("DIST(A;<=;5)B", 1, 8, "<=", "<, = or >"),
    ("DIST(A;!=;5)B", 1, 8, "!=", "<, = or >"),
    ("DIST(A)B", 1, 7, ")", "DIST(A; <; 5)B"),
    ("IN(A;B)C", 1, 5, ";", "IN has one part"),
    ("$x && B", 1, 1, "$", "$x;"),
    ("A && $x", 1, 6, "$", "$x;"),
    ("A, $x = B", 1, 4, "$", "$x;"),
    ("=|($e1;60s)A", 1, 8, "60", "$e1;;60s"),
    ("($e2;;)", 1, 6, ";", "one semicolon is enough"),
    ("A && (B", 1, 8, "", "not closed"),
    ("!(A;5", 1, 6, "", "not closed"),
    ("A)", 1, 2, ")", "never opened"),
    ("ARITH; id = 5", 1, 1, "ARITH", "ARITH: id"),
    ("OVL P(A)B", 1, 5, "P", "OVLP without a blank"),
    ("A &&. B", 1, 5, ".", ""),
    ("A ||=(B;C)D", 1, 5, "=", "|| is or"),
    ("= |(A;5)B", 1, 1, "=", "=| without a blank"),
    ("| =(A;5)B", 1, 3, "=", "|= without a blank"),
    ("==(A;5)B", 1, 1, "=", "=| for within"),
    ("||(A;5)B", 1, 1, "||", "|| stands between two parts"),
    ("in(A)B", 1, 3, "(", "IN"),
    ("OVERLAP(A)B", 1, 8, "(", "OVLP"),
    ("@($x;)A", 1, 3, "$x;", "IN(A)B"),
    ("A, B", 1, 2, ",", "after a comma comes a binding"),
    ("(A, $x; = B)", 1, 3, ",", "outside of all parentheses"),
    ("$x; = A", 1, 5, "=", "$x;, $x; = A"),
    ("A B", 1, 3, "B", "&& or ||"),
    ("A\n  && ||B", 2, 6, "||", "|| stands between"),
    ("ARITH: id 5", 1, 11, "5", "ARITH: id = 5"),
    ('STRING: k = "abc', 1, 13, '"', "closing quote"),
    ("@(POLYGON(0 0, 1 1))A", 1, 11, "0", "POLYGON((0 0"),
    ("@(POLYGON((0 0, 1)))A", 1, 18, ")", "two numbers"),
    ("!(0;A)B", 1, 5, "A", "duration"),
    ("A && IN && B", 1, 9, "&&", "IN(A)B"),
    ("selector{ x = 1", 1, 9, "{", "close it with }"),
    ("selector x = 1 }", 1, 10, "x", ""),
    ("{ x }", 1, 1, "{", "selector{"),
    ("", 1, 1, "", "a part is"),
    ("A ; B", 1, 3, ";", ""),
    ("A \ud800", 1, 3, "'\\ud800'", "Unicode"),
    ("price < 400", 1, 7, "<", "ARITH: price < 400, or selector{ price < 400 }"),
    (
        "order.price >= 9.5",
        1,
        6,
        ".price",
        "ARITH: order.price >= 9.5, or selector{ order.price >= 9.5 }",
    ),
    ("A && kind = 'van'", 1, 11, "=", "STRING: kind = 'van', or selector{ kind = 'van' }"),
    ("kind == laptop", 1, 6, "=", "STRING: kind = \"laptop\", or selector{ kind = 'laptop' }"),
    ("=|(A;60s)(kind < 'b')", 1, 16, "<", "a comparison has a type: selector{ kind < 'b' }"),
    ("name LIKE 'x%' && A", 1, 6, "LIKE", "selector{ name LIKE 'x%'"),
    ("kind IN ('a', 'b')", 1, 6, "IN", "selector{ kind IN ('a', 'b') }"),
    ("price BETWEEN 1 AND 2", 1, 7, "BETWEEN", "selector{ price BETWEEN 1 AND 2 }"),
    ("DIST(A;<;5km)B", 1, 11, "km", "in metres with the option crs EPSG:4326: 5km is 5000;"),
    ("DIST(A;<;5 m)B", 1, 12, "m", "5m is 5;"),
    ("DIST(Region1;>;2.5 nmi)B", 1, 20, "nmi", "2.5nmi is 4630;"),
    ("DIST(A;<;5 parsecs)B", 1, 12, "parsecs", "a distance is a number"),
    (
        "@(POINT(1 1))A",
        1,
        8,
        "(",
        "not a POINT; draw one around what is meant: POLYGON((0 0, 2 0, 2 2, 0 2))",
    ),
    (
        "OVLP(LINESTRING(0 0, 5 5))A",
        1,
        16,
        "(",
        "a region is a POLYGON or a MULTIPOLYGON, not a LINESTRING",
    ),
    ("DIST(circle(0 0 5); <; 5)A", 1, 12, "(", "not a CIRCLE"),
]

MEANING = [
    ("Nowhere", ("UnknownName", 1, 1, "Nowhere")),
    ("@(Nowhere)A", ("UnknownName", 1, 3, "Nowhere")),
    ("DIST(Nowhere;<;5)A", ("UnknownName", 1, 6, "Nowhere")),
    ("@(A)B", ("NameKindError", 1, 3, "A")),
    ("IN(Region1)B", ("NameKindError", 1, 4, "Region1")),
    ("A &&\nRegion1", ("NameKindError", 2, 1, "Region1")),
    ("!(Region1;5)B", ("NameKindError", 1, 3, "Region1")),
    ("A && $x;", ("UndefinedVariable", 1, 6, "$x;")),
    ("$x; && $x;", ("UndefinedVariable", 1, 1, "$x;")),
    ("$x;, $x; = $y;", ("UndefinedVariable", 1, 12, "$y;")),
    ("$x;, $x; = A, $x; = B", ("DuplicateVariable", 1, 15, "$x;")),
    ("$x;, $x; = $x;", ("CyclicVariable", 1, 6, "$x;")),
    ("$x;, $y; = $x;, $x; = A && $y;", ("CyclicVariable", 1, 6, "$y;")),
    ("A, $x; = B", ("UnusedVariable", 1, 4, "$x;")),
    ("!(A;5)$x; && $x;, $x; = B", ("VariableInNegation", 1, 7, "$x;")),
    ("!($x;;5)$x;, $x; = B", ("VariableInNegation", 1, 9, "$x;")),
    ("!(A;5)$y; && $x;, $y; = $x; && C, $x; = B", ("VariableInNegation", 1, 7, "$y;")),
    ('ARITH: id = "x"', ("PredicateTypeError", 1, 13, '"x"')),
    ("STRING: k = 5", ("PredicateTypeError", 1, 13, "5")),
    ('STRING: type < "a"', ("PredicateTypeError", 1, 14, "<")),
    ("BOOL: id = 5", ("PredicateTypeError", 1, 1, "BOOL")),
    ("arith: id = 5", ("PredicateTypeError", 1, 1, "arith")),
    ("@(POLYGON((0 0, 1 1)))A", ("RegionInvalid", 1, 3, "POLYGON")),
    ("!(A;-5)B", ("ParameterError", 1, 5, "-5")),
    ("!(A;1.5s)B", ("ParameterError", 1, 5, "1.5s")),
    ("!(A;1e3)B", ("ParameterError", 1, 5, "1e3")),
    ("!(A;5w)B", ("ParameterError", 1, 5, "5w")),
    ("!(A;101000d)B", ("ParameterError", 1, 5, "101000d")),
    (f"!(A;{'9' * 30})B", ("ParameterError", 1, 5, "9" * 30)),
    ("!(5s;5)B", ("ParameterError", 1, 3, "5s")),
    ("!(1.5;5)B", ("ParameterError", 1, 3, "1.5")),
    ("!(2024-01-01;5)B", ("ParameterError", 1, 3, "2024-01-01")),
    ("!(2024-13-01T00:00:00Z;5)B", ("ParameterError", 1, 3, "2024-13-01T00:00:00Z")),
    ("=|(9999-12-31T23:59:59Z;2s)B", ("ParameterError", 1, 25, "2s")),
    ("!(999999999999999;5)B", ("ParameterError", 1, 3, "999999999999999")),
    ("DIST(A;<;-1)B", ("ParameterError", 1, 10, "-1")),
    ("DIST(A;<;1e999)B", ("ParameterError", 1, 10, "1e999")),
    ("ARITH: id = 1e999", ("OpslLimitError", 1, 13, "1e999")),
]


@pytest.mark.parametrize(("text", "line", "column", "token", "hint"), SYNTAX)
def test_text_outside_of_the_grammar(
    text: str, line: int, column: int, token: str, hint: str
) -> None:
    assert told(text) == [("OpslSyntaxError", line, column, token)]
    problem = problems_of(text)[0]
    assert isinstance(problem, SyntaxProblem)
    assert hint in problem.hint


@pytest.mark.parametrize(("text", "expected"), MEANING)
def test_text_that_cannot_be_meant(text: str, expected: tuple[str, int, int, str]) -> None:
    assert told(text) == [expected]
    with pytest.raises((MeaningProblem, LimitProblem)) as raised:
        parsed(text)
    assert raised.value.code == expected[0]


def test_all_problems_are_told_in_the_order_of_the_text() -> None:
    text = """!(A;-5)Nowhere && $u; && @(A)$x;,
    $x; = ARITH: id = "x", ARITH: id < 5, STRING: k > "a",
    $x; = B, $unused; = Region1, $c; = $c;"""
    assert [(code, line) for code, line, _, _ in told(text)] == [
        ("ParameterError", 1),
        ("UnknownName", 1),
        ("UndefinedVariable", 1),
        ("NameKindError", 1),
        ("PredicateTypeError", 2),
        ("PredicateTypeError", 2),
        ("DuplicateVariable", 3),
        ("UnusedVariable", 3),
        ("NameKindError", 3),
        ("CyclicVariable", 3),
        ("UnusedVariable", 3),
    ]


def test_parse_raises_the_first_problem() -> None:
    with pytest.raises(MeaningProblem, match="UnknownName at line 1, column 1"):
        parsed("Nowhere && Elsewhere")


def test_an_unknown_name_comes_with_the_line_that_defines_it() -> None:
    [part], [region] = problems_of("Nowhere"), problems_of("DIST(Nowhere; <; 5)A")
    for problem, kind in ((part, "expression"), (region, "region")):
        line = problem.hint.removeprefix("add a line to the file of subscriptions: ")
        definition = json.loads(line)
        assert definition["define"] == "Nowhere"
        assert kind in definition
        context = Context({"Nowhere": _definition(definition)})
        assert (
            problems(
                "Nowhere" if kind == "expression" else "@(Nowhere)(ARITH: id = 1)", {}, context
            )
            == []
        )


def _definition(line: dict[str, str]) -> RegionDefinition | PartDefinition:
    if "region" in line:
        return RegionDefinition(line["define"], line["region"])
    return PartDefinition(line["define"], line["language"], line["expression"])


@pytest.mark.parametrize(
    ("region", "message", "hint"),
    [
        (
            "POLYGON((0 0, 10 0, 10 100, 0 100))",
            "the latitude 100 is not between -90 and 90",
            "longitude comes first",
        ),
        ("POLYGON((100 -95, 110 0, 110 10))", "the latitude -95 is", "drop the option crs"),
        ("POLYGON((350 0, 370 0, 370 10))", "longitudes from 350 to 370", "170 to 190"),
        ("POLYGON((-200 0, 200 0, 200 10))", "once around the globe", "170 to 190"),
    ],
)
def test_a_region_that_the_globe_does_not_have(region: str, message: str, hint: str) -> None:
    [problem] = problems_of(f"@({region})A", crs="EPSG:4326")
    assert (problem.code, str(problem.place), problem.token) == (
        "RegionInvalid",
        "line 1, column 3",
        "POLYGON",
    )
    assert message in problem.message
    assert hint in problem.hint
    assert problems_of(f"@({region})A") == []
    first = region.removeprefix("POLYGON((").partition(",")[0]
    named = Context({"R": RegionDefinition("R", region.replace("))", f", {first}))"))})
    assert [each.code for each in problems("@(R)(ARITH: id = 1)", {"crs": "wgs84"}, named)] == [
        "RegionInvalid"
    ]


def test_a_misspelt_name_is_put_right() -> None:
    assert "Region1" in problems_of("@(Regoin1)A")[0].hint


def test_a_variable_may_stand_twice_in_one_negated_part() -> None:
    pair = Join((x(A), x(A)))
    assert parsed("!(B;5)($x; && $x;), $x; = A") == Absence(pair, AfterWindow(B, 5_000))


def test_a_variable_of_a_negation_may_hold_others_that_stand_nowhere_else() -> None:
    assert told("$n; && $n; && $w;, $n; = !($w;;5)$x;, $x; = A && $y;, $y; = B, $w; = C") == []


def test_a_variable_of_two_negations_stands_elsewhere_for_each() -> None:
    codes = [code for code, *_ in told("!(A;5)$x; && !(B;5)$x;, $x; = C")]
    assert codes == ["VariableInNegation", "VariableInNegation"]


def test_what_opens_and_closes_a_window_is_not_negated() -> None:
    assert told("!($x;;$y;)C && $x; && $y;, $x; = A, $y; = D") == []
    assert parsed("!(A;5)B && D") == Join((Absence(B, AfterWindow(A, 5_000)), D))


@pytest.mark.parametrize(
    ("options", "token"),
    [
        ({"spl_threshold": 0}, "spl_threshold"),
        ({"spl_threshold": -1.0}, "spl_threshold"),
        ({"spl_threshold": "1"}, "spl_threshold"),
        ({"spl_threshold": True}, "spl_threshold"),
        ({"spl_threshold": float("nan")}, "spl_threshold"),
        ({"spl_threshold": float("inf")}, "spl_threshold"),
        ({"concurrency_tolerance": -1}, "concurrency_tolerance"),
        ({"concurrency_tolerance": 1.5}, "concurrency_tolerance"),
        ({"concurrency_tolerance": True}, "concurrency_tolerance"),
        ({"max_event_duration": "soon"}, "max_event_duration"),
        ({"max_event_duration": "40000d"}, "max_event_duration"),
        ({"max_event_duration": None}, "max_event_duration"),
        ({"crs": "EPSG:3857"}, "crs"),
        ({"crs": 4326}, "crs"),
    ],
)
def test_options_that_mean_nothing(options: dict[str, object], token: str) -> None:
    assert [(each.code, each.token) for each in problems_of("A", **options)] == [
        ("ParameterError", token)
    ]


def test_an_option_of_another_language_is_refused() -> None:
    assert [(each.code, each.token) for each in problems_of("A", dialect="jms")] == [
        ("OptionError", "dialect")
    ]


DOUBLED = (
    "$v0;" + "".join(f", $v{n}; = $v{n + 1}; && $v{n + 1};" for n in range(60)) + ", $v60; = A"
)
CHAINED = "$v0;" + "".join(f", $v{n}; = !(A;1)$v{n + 1};" for n in range(200)) + ", $v200; = A"


@pytest.mark.parametrize(
    "text",
    [
        "A" * 70_000,
        "é" * 40_000,
        "(" * 65 + "A" + ")" * 65,
        "!(A;1)" * 65 + "A",
        " && ".join(["A"] * 66),
        " || ".join(["A"] * 1025),
        DOUBLED,
        CHAINED,
        "A" + "".join(f", $v{n}; = A" for n in range(257)),
        f"ARITH: id = {'9' * 401}",
    ],
    ids=lambda text: text[:20],
)
def test_what_is_too_large_is_refused_before_it_costs_anything(text: str) -> None:
    problems = problems_of(text)
    assert [problem.code for problem in problems] == ["OpslLimitError"]
    assert isinstance(problems[0], LimitProblem)
    assert problems[0].place is not None


def test_what_is_just_within_the_limits_is_read() -> None:
    parsed("(" * 64 + "A" + ")" * 64)
    parsed("!(A;1)" * 64 + "A")
    parsed(" && ".join(["A"] * 65))
    parsed(" || ".join(["A"] * 1000))


def test_limits_can_be_set() -> None:
    with pytest.raises(LimitProblem):
        parse("ARITH: id = 5 && ARITH: id = 6", {}, Context(), OpslLimits(text_bytes=10))
    with pytest.raises(MeaningProblem):
        OpslLimits(nesting=1_000)

"""Names of the catalog: regions and parts in one namespace, parts built of parts, and every way a
name can be wrong.
"""

from __future__ import annotations

import pytest

from tests.languages.opsl.plans import A, B, parsed, problems_of, told
from tocsin.catalog.compiling import compile_subscription
from tocsin.catalog.compiling import problems_of as catalog_problems_of
from tocsin.catalog.entries import Definition, Subscription
from tocsin.languages import parse_subscription
from tocsin.languages.base.reading import Context, PartDefinition, RegionDefinition
from tocsin.plan.nodes.composites import (
    AtRegion,
    Join,
    Named,
    Only,
    Part,
    PartAttribute,
    Plan,
    Related,
)
from tocsin.plan.passes import prepared
from tocsin.values.space import SpatialRelation

LETTERS = {"A": 'STRING: k = "A"', "B": 'STRING: k = "B"'}


def catalog(**parts: str) -> Context:
    """A context whose parts are OPSL texts."""
    return Context(
        {name: PartDefinition(name, "opsl", text) for name, text in {**LETTERS, **parts}.items()}
    )


def region(value: object) -> Context:
    parts = dict(catalog().definitions)
    return Context({**parts, "R": RegionDefinition("R", value)})


def test_a_part_may_be_built_of_parts() -> None:
    assert parsed("Pair && B", catalog(Pair="First && A", First="A")) == Join((Join((A, A)), B))


def test_a_part_may_be_of_another_language() -> None:
    context = Context({"Cheap": PartDefinition("Cheap", "selector", "price < 400")})
    assert parsed("Cheap", context) == parse_subscription("selector", "price < 400", {}).pattern


def test_each_use_of_a_part_has_variables_of_its_own() -> None:
    context = catalog(Twice="$x; && $x;, $x; = A")

    def twice(name: str) -> Part:
        return Join((Named(name, A), Named(name, A)))

    assert parsed("Twice && Twice", context) == Join((twice("Twice.x"), twice("Twice:2.x")))
    assert parsed("$x; && $x;, $x; = Twice", context) == Join((Named("x", twice("Twice.x")),) * 2)


def test_comparisons_of_a_part_follow_its_variables() -> None:
    context = catalog(Same="$x; && $y; WHERE $x;.id = $y;.id, $x; = A, $y; = B")
    related = Related(PartAttribute("Same.x", ("id",)), "=", PartAttribute("Same.y", ("id",)))
    assert parsed("Same", context) == Join((Named("Same.x", A), Named("Same.y", B)), (related,))


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({"P": "P"}, "P"),
        ({"P": "Q && A", "Q": "B || P"}, "P"),
        ({"P": "$x;, $x; = !(Q;1)A", "Q": "R", "R": "Q"}, "A && P"),
    ],
)
def test_a_part_is_not_defined_by_itself(parts: dict[str, str], text: str) -> None:
    problems = problems_of(text, catalog(**parts))
    assert [problem.code for problem in problems] == ["CyclicName"]
    assert problems[0].place is not None
    assert problems[0].place.column == text.index("P") + 1


def test_a_problem_of_a_part_is_told_where_its_name_stands() -> None:
    context = catalog(P='A && ARITH: id = "x"')
    assert told("A &&\n P && P", context) == [("PredicateTypeError", 2, 2, '"x"')]
    assert "in the part P (line 1, column 18)" in problems_of("P", context)[0].message


def test_a_part_that_does_not_parse_is_told_with_the_code_of_its_language() -> None:
    parts = {
        "P": PartDefinition("P", "selector", "x ="),
        "Q": PartDefinition("Q", "nolanguage", "x"),
    }
    assert [(code, column) for code, _, column, _ in told("P && Q", Context(parts))] == [
        ("SelectorSyntaxError", 1),
        ("LanguageError", 6),
    ]


def test_a_variable_of_the_subscription_is_unknown_inside_a_part() -> None:
    codes = [problem.code for problem in problems_of("P && $x;, $x; = A", catalog(P="A && $x;"))]
    assert codes == ["UndefinedVariable"]


def test_names_that_multiply_are_refused() -> None:
    parts = {f"N{number}": f"N{number + 1} && N{number + 1}" for number in range(40)}
    codes = [problem.code for problem in problems_of("N0", catalog(**parts, N40="A"))]
    assert codes == ["OpslLimitError"]


def test_names_that_nest_too_deep_are_refused() -> None:
    parts = {f"N{number}": f"!(A;1)N{number + 1}" for number in range(500)}
    codes = {problem.code for problem in problems_of("N0", catalog(**parts, N500="A"))}
    assert codes == {"OpslLimitError"}


def test_names_of_names_end_somewhere() -> None:
    parts = {f"N{number}": f"N{number + 1}" for number in range(500)}
    assert parsed("N480", catalog(**parts, N500="A")) == A
    codes = [problem.code for problem in problems_of("N0", catalog(**parts, N500="A"))]
    assert codes == ["OpslLimitError"]


GEOJSON = {"type": "Polygon", "coordinates": [[[0, 0], [4, 0], [4, 4], [0, 0]]]}
TRIANGLE = "POLYGON ((0 0, 4 0, 4 4, 0 0))"
HOLED = "POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (1 1, 2 1, 2 2, 1 1))"
TWO = "MULTIPOLYGON (((0 0, 4 0, 4 4, 0 0)), ((5 5, 6 5, 6 6, 5 5)))"
ARROW = "POLYGON ((0 0, 4 4, 0 8, 1 4, 0 0))"


@pytest.mark.parametrize(
    ("value", "wkt"),
    [
        (TRIANGLE, TRIANGLE),
        (GEOJSON, TRIANGLE),
        ({"type": "Feature", "geometry": GEOJSON, "properties": {}}, TRIANGLE),
        (HOLED, HOLED),
        (TWO, TWO),
        (ARROW, ARROW),
    ],
)
def test_a_region_is_any_polygon_or_multipolygon(value: object, wkt: str) -> None:
    assert parsed("@(R)A", region(value)) == Only(A, AtRegion(SpatialRelation.INSIDE, wkt))


@pytest.mark.parametrize(
    ("written", "wkt"),
    [
        ("POLYGON((0 0,4 0,4 4))", TRIANGLE),
        ("POLYGON ( ( 0 0 , 4. 0 , 4 .4e1 , -0 0 ) )", TRIANGLE),
        ("POLYGON((0 0,9 0,9 9,0 9),(1 1,2 1,2 2))", HOLED),
        ("MULTIPOLYGON(((0 0,4 0,4 4)),((5 5,6 5,6 6)))", TWO),
    ],
)
def test_a_region_in_the_text_may_leave_its_rings_open(written: str, wkt: str) -> None:
    pattern = parsed(f"@({written})A")
    assert isinstance(pattern, Only)
    assert isinstance(pattern.restriction, AtRegion)
    assert pattern.restriction.region.replace("-0 0)", "0 0)") == wkt


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("POLYGON((0 0, 1 1, 0 0))", "fewer than three"),
        ("POLYGON((0 0, 1 1, 1 1, 0 0))", "fewer than three"),
        ("POLYGON((0 0, 1 1, 2 2, 0 0))", "on one line"),
        ("POLYGON((0 0, 1 1, 3 3, 2 2, 0 0))", "on one line"),
        ("POLYGON((0 0, 2 2, 2 0, 0 2, 0 0))", "crosses itself near (1 1)"),
        ("POLYGON((0 0, nan 2, 2 0, 0 0))", "not finite"),
        ("POLYGON((0 0, 1e999 2, 2 0, 0 0))", "not finite"),
        ("POLYGON((0 0, 4 0, 4 4))", "does not end where it starts"),
        ("POLYGON((0 0,4 0,4 4,0 0),(7 5,8 5,8 6,7 5))", "a hole lies outside"),
        ("POLYGON EMPTY", "empty"),
        ("POINT(1 2)", "got a Point"),
        ("LINESTRING(0 0, 1 1)", "polygon"),
        ("CIRCLE(1 2)", "WKT"),
        ({"type": "Polygon", "coordinates": [[[0, 0], [1, 1], [2, 2], [0, 0]]]}, "on one line"),
        ({"type": "Polygon", "coordinates": "here"}, "GeoJSON"),
        ({"type": "Polygon"}, "GeoJSON"),
        (7, "WKT"),
        ([], "WKT"),
    ],
)
def test_a_region_that_is_none_is_refused_with_the_reason(value: object, reason: str) -> None:
    problems = problems_of("A && @(R)A", region(value))
    assert [(each.code, each.place and each.place.column) for each in problems] == [
        ("RegionInvalid", 8)
    ]
    assert reason in problems[0].message
    assert "the region R" in problems[0].message


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("POLYGON((0 0))", "fewer than three"),
        ("POLYGON((0 0, 1 1))", "fewer than three"),
        ("POLYGON((0 0, 1 1, 2 2))", "on one line"),
        ("POLYGON((0 0, 2 2, 2 0, 0 2))", "crosses itself"),
        ("POLYGON((0 0, NaN 2, 2 0))", "not finite"),
        ("POLYGON((0 0, -Infinity 2, 2 0))", "not finite"),
        ("POLYGON((0 0, 1e999 2, 2 0))", "not finite"),
    ],
)
def test_a_region_in_the_text_is_refused_with_the_reason(written: str, reason: str) -> None:
    problems = problems_of(f"@({written})A")
    assert [each.code for each in problems] == ["RegionInvalid"]
    assert reason in problems[0].message


def test_a_catalog_hands_its_definitions_to_the_language() -> None:
    definitions = [
        Definition("R", region=TRIANGLE),
        Definition("P", language="opsl", expression='STRING: k = "A"'),
        Definition("S", language="selector", expression="k = 'A'"),
    ]
    plan = compile_subscription(Subscription("s", "opsl", "@(R)P"), definitions)
    atom = prepared(parse_subscription("selector", "k = 'A'", {})).pattern
    assert (
        plan.pattern
        == prepared(Plan(Only(atom, AtRegion(SpatialRelation.INSIDE, TRIANGLE)))).pattern
    )
    assert plan == compile_subscription(Subscription("s", "opsl", "@(R)S"), definitions)


def test_a_catalog_tells_what_a_subscription_gets_wrong() -> None:
    problems = catalog_problems_of(
        Subscription("s", "opsl", "@(P)R"), [Definition("R", region=TRIANGLE)]
    )
    assert [problem.code for problem in problems] == ["UnknownName", "NameKindError"]

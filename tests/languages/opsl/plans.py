"""What the tests of OPSL share: a small catalog, its parts and regions as plans, and ways to read a
text.
"""

from __future__ import annotations

from tocsin.errors import Problem
from tocsin.languages import parse_subscription, problems_in_subscription
from tocsin.languages.base.reading import Context, PartDefinition, RegionDefinition
from tocsin.plan.nodes.atoms import AllOf, Condition, Equals
from tocsin.plan.nodes.composites import End, Moment, Named, Part
from tocsin.values.scalars import Constant

SECOND = 1_000_000
REGION1 = "POLYGON ((0 0, 100 0, 100 100, 0 100, 0 0))"
REGION2 = "POLYGON ((1000 0, 1100 0, 1100 100, 1000 100, 1000 0))"


def kind(letter: str) -> Condition:
    """The atom `STRING: k = "letter"`."""
    return Condition(AllOf((Equals(("k",), Constant.of(letter)),)))


def vehicle(number: int) -> Condition:
    """The atom `ARITH: id = number`."""
    return Condition(AllOf((Equals(("id",), Constant.of(number)),)))


A, B, C, D, E = map(kind, "ABCDE")
TRUCK = Condition(AllOf((Equals(("id",), Constant.of(5)), Equals(("type",), Constant.of("truck")))))

CONTEXT = Context(
    {
        **{letter: PartDefinition(letter, "opsl", f'STRING: k = "{letter}"') for letter in "ABCDE"},
        "Truck": PartDefinition("Truck", "opsl", 'ARITH: id = 5, STRING: type = "truck"'),
        "E-A": PartDefinition("E-A", "opsl", "ARITH: id = 7"),
        "E-B": PartDefinition("E-B", "opsl", "ARITH: id = 1"),
        "Region1": RegionDefinition("Region1", REGION1),
        "Region2": RegionDefinition("Region2", REGION2),
    }
)


def start(part: int) -> Moment:
    return Moment(part, End.START)


def finish(part: int) -> Moment:
    return Moment(part, End.FINISH)


def x(part: Part) -> Named:
    return Named("x", part)


def y(part: Part) -> Named:
    return Named("y", part)


def parsed(text: str, context: Context = CONTEXT, **options: object) -> Part:
    """The pattern of a text."""
    return parse_subscription("opsl", text, options, context).pattern


def problems_of(text: str, context: Context = CONTEXT, **options: object) -> list[Problem]:
    """Every problem of a text."""
    return problems_in_subscription("opsl", text, options, context)


def told(
    text: str, context: Context = CONTEXT, **options: object
) -> list[tuple[str, int, int, str]]:
    """Every problem of a text as code, line, column and token."""
    found = []
    for problem in problems_of(text, context, **options):
        assert problem.place is not None, problem
        assert problem.hint, problem
        found.append((problem.code, problem.place.line, problem.place.column, problem.token))
    return found

"""What the tests of rules share: a small catalog, and ways to read a text."""

from __future__ import annotations

from tocsin.errors import Problem
from tocsin.languages import (
    parse_subscription,
    problems_in_subscription,
    warnings_in_subscription,
)
from tocsin.languages.base.reading import Context, PartDefinition, RegionDefinition
from tocsin.plan.nodes.composites import Plan

CONTEXT = Context(
    {
        **{
            letter: PartDefinition(letter, "selector", f"kind = '{letter.lower()}'")
            for letter in "ABCDE"
        },
        "Pair": PartDefinition("Pair", "rule", "WHEN x: A THEN y: B WITHIN 5s WHERE x.v = y.v"),
        "Both": PartDefinition("Both", "opsl", "A && B"),
        "Loop": PartDefinition("Loop", "rule", "WHEN Loop THEN a"),
        "Wrong": PartDefinition("Wrong", "rule", "WHEN a THEN"),
        "Depot": RegionDefinition("Depot", "POLYGON((0 0, 10 0, 10 10, 0 10, 0 0))"),
        "Crossed": RegionDefinition("Crossed", "POLYGON((0 0, 10 10, 10 0, 0 10, 0 0))"),
    }
)


def parsed(text: str, context: Context = CONTEXT, **options: object) -> Plan:
    """The plan of a text."""
    return parse_subscription("rule", text, options, context)


def problems_of(text: str, context: Context = CONTEXT, **options: object) -> list[Problem]:
    """Every problem of a text."""
    return problems_in_subscription("rule", text, options, context)


def warnings_of(text: str, context: Context = CONTEXT) -> list[Problem]:
    """Every warning about a text."""
    return warnings_in_subscription("rule", text, {}, context)

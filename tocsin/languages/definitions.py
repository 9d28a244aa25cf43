"""Checks of definitions on their own, used by a subscription or not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import assert_never

from tocsin.errors import MeaningProblem, Problem
from tocsin.languages import read_text
from tocsin.languages.base.reading import (
    Context,
    Definition,
    DocumentDefinition,
    MasterDataDefinition,
    PartDefinition,
    RegionDefinition,
)
from tocsin.languages.base.regions import region_of
from tocsin.languages.epcis.master_data import known_in
from tocsin.values.space import Metric

_WRITABLE = re.compile(
    r"(?!(?:ARITH|STRING|IN|OVLP|SPL|DIST|POLYGON|MULTIPOLYGON|WHERE|AND)$)[^\W\d_]\w*(?:-\w+)*"
)


@dataclass(frozen=True, slots=True)
class Judged:
    """Problems that keep a definition from being used; its warnings if it has no problem."""

    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()


def judge_definition(definition: Definition, context: Context) -> Judged:
    """Return the problems or warnings of a definition."""
    match definition:
        case PartDefinition(_, language, expression):
            reading = read_text(language, expression, context=context)
            return Judged(reading.problems, reading.warnings)
        case RegionDefinition(name, region):
            problems = tuple(_unreadable(definition))
            geojson = isinstance(region, Mapping) and not problems
            return Judged(problems, tuple(_off_the_globe(name, region)) if geojson else ())
        case MasterDataDefinition():
            return Judged(tuple(_unreadable(definition)))
        case DocumentDefinition():
            return Judged()  # read when the definition was made
        case _:
            assert_never(definition)


def can_be_named(definition: Definition) -> bool:
    """True if a text can name the definition: names of regions and parts are written as in OPSL."""
    return not isinstance(definition, RegionDefinition | PartDefinition) or bool(
        _WRITABLE.fullmatch(definition.name)
    )


def _unreadable(definition: RegionDefinition | MasterDataDefinition) -> Iterator[Problem]:
    try:
        if isinstance(definition, RegionDefinition):
            region_of(definition.region)
        else:
            known_in([definition])
    except Problem as problem:
        yield _named(definition.name, problem)


def _off_the_globe(name: str, region: object) -> Iterator[Problem]:
    """Yield the problem of GeoJSON whose coordinates are not longitude and latitude.

    RFC 7946, section 4, says they are, whatever metric the subscriptions use.
    """
    try:
        region_of(region, Metric.WGS84)
    except Problem as problem:
        yield _named(name, problem)


def _named(name: str, problem: Problem) -> MeaningProblem:
    return MeaningProblem(problem.message, code=problem.code, token=name, hint=problem.hint)

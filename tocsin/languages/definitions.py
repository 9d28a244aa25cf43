"""Definitions looked at for themselves, whether a subscription uses them or not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import assert_never

from tocsin.errors import MeaningProblem, Problem
from tocsin.languages import problems_in_subscription, warnings_in_subscription
from tocsin.languages.base.context import (
    Context,
    Definition,
    DocumentDefinition,
    MasterDataDefinition,
    PartDefinition,
    RegionDefinition,
)
from tocsin.languages.epcis.master_data import known_in
from tocsin.languages.opsl.regions import region_of
from tocsin.values.space import Metric

_WRITABLE = re.compile(
    r"(?!(?:ARITH|STRING|IN|OVLP|SPL|DIST|POLYGON|MULTIPOLYGON|WHERE|AND)$)[^\W\d_]\w*(?:-\w+)*"
)


def problems_in_definition(definition: Definition, context: Context) -> list[Problem]:
    """Everything that keeps a definition from being used."""
    match definition:
        case PartDefinition(_, language, expression):
            return problems_in_subscription(language, expression, {}, context)
        case RegionDefinition() | MasterDataDefinition():
            return list(_unreadable(definition))
        case DocumentDefinition():
            return []  # read when the definition was made
        case _:
            assert_never(definition)


def warnings_in_definition(definition: Definition, context: Context) -> list[Problem]:
    """What a definition without problems says that is probably not meant."""
    match definition:
        case PartDefinition(_, language, expression):
            return warnings_in_subscription(language, expression, {}, context)
        case RegionDefinition(name, region) if isinstance(region, Mapping):
            return list(_off_the_globe(name, region))
        case _:
            return []


def can_be_named(definition: Definition) -> bool:
    """Whether a text can name the definition: a region or a part is named as OPSL writes names."""
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


def _off_the_globe(name: str, region: Mapping[str, object]) -> Iterator[Problem]:
    """GeoJSON has longitude and latitude (RFC 7946, section 4), whatever the subscriptions make of
    it.
    """
    try:
        region_of(region, Metric.WGS84)
    except Problem as problem:
        yield _named(name, problem)


def _named(name: str, problem: Problem) -> MeaningProblem:
    return MeaningProblem(problem.message, code=problem.code, token=name, hint=problem.hint)

"""EPCIS queries: the parameters of a SimpleEventQuery as a standing question about one event.

The text is the JSON object of the parameters, or the XML of a request; it lowers to one condition
of the plan. Master data among the definitions, and an ontology of locations, tell what `WD_`,
`HASATTR_` and `EQATTR_` ask about.
"""

from __future__ import annotations

from collections.abc import Mapping

from tocsin.errors import MeaningProblem, Place, Problem
from tocsin.knowledge.ontology import Ontology
from tocsin.languages.base.context import Context
from tocsin.languages.base.reading import Language
from tocsin.languages.epcis.checks import warnings_of
from tocsin.languages.epcis.lower import lower
from tocsin.languages.epcis.master_data import known_in
from tocsin.languages.epcis.read import read
from tocsin.plan.atoms import BooleanNode, Condition
from tocsin.plan.composites import Plan

__all__ = ["LANGUAGE", "parse", "problems", "warnings"]

_START = Place(1, 1)


def parse(text: str, options: Mapping[str, object], context: Context) -> Plan:
    """The plan of a query; raises its first problem."""
    condition, found = _lowered(text, options, context)
    if found:
        raise found[0]
    return Plan(Condition(condition))


def problems(text: str, options: Mapping[str, object], context: Context) -> list[Problem]:
    """Every problem of a query in the order of its places; empty iff it parses."""
    try:
        return sorted(_lowered(text, options, context)[1], key=_reading_order)
    except Problem as problem:
        return [problem]


def warnings(text: str, options: Mapping[str, object], context: Context) -> list[Problem]:
    """What a query says that is probably not meant; nothing where it has problems."""
    return [] if problems(text, options, context) else warnings_of(read(text))


def _lowered(
    text: str, options: Mapping[str, object], context: Context
) -> tuple[BooleanNode, list[Problem]]:
    for name in options:
        raise MeaningProblem(
            f"the option {name!r} is not known",
            code="OptionError",
            token=str(name),
            hint="epcis takes no options",
        )
    ontology = context.ontology if isinstance(context.ontology, Ontology) else None
    return lower(read(text), ontology, known_in(context.definitions.values()))


def _reading_order(problem: Problem) -> tuple[int, int]:
    place = problem.place or _START
    return (place.line, place.column)


LANGUAGE = Language(parse, problems, warnings)

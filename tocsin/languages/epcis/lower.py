"""Parameters to the conjunction of their conditions. A problem in one parameter hides none in
others, up to `MAX_PROBLEMS`.
"""

from __future__ import annotations

from tocsin.errors import Problem
from tocsin.events.codecs.epcis.master_data import MasterData
from tocsin.knowledge.ontology import Ontology
from tocsin.languages.epcis.conditions import Lowering
from tocsin.languages.epcis.extensions import extension
from tocsin.languages.epcis.master_data import about_master_data
from tocsin.languages.epcis.parameter_suggestions import hint_for
from tocsin.languages.epcis.parameters import CONTROLS, FIXED, find_composed_parameter
from tocsin.languages.epcis.problems import control_problem
from tocsin.languages.epcis.read import EpcisQuery
from tocsin.languages.epcis.values import Given
from tocsin.plan.nodes.atoms import AllOf, BooleanNode, IsNull, Not

MAX_PROBLEMS = 100
"""A query is read no further then: to look for what was meant costs about a millisecond each."""

EVERY_EVENT = Not(IsNull(("eventTime",)))
"""Condition of a query without parameters: the event is an EPCIS event."""


def lower(
    query: EpcisQuery, ontology: Ontology | None, known: MasterData
) -> tuple[BooleanNode, list[Problem]]:
    """Return the condition and every problem; with problems the condition is meaningless."""
    found: list[BooleanNode] = []
    problems: list[Problem] = []
    for name, value in query.parameters.items():
        try:
            given = Given(name, value, query.text, query.names, ontology, known)
            found.append(_lowering(given)(given))
        except Problem as problem:
            problems.append(problem)
            if len(problems) == MAX_PROBLEMS:
                break
    return (
        found[0] if len(found) == 1 else AllOf(tuple(found)) if found else EVERY_EVENT
    ), problems


def _lowering(given: Given) -> Lowering:
    name = given.name
    if name in CONTROLS:
        raise control_problem(given.text, name)
    found = (
        FIXED.get(name)
        or find_composed_parameter(name)
        or about_master_data(name)
        or extension(name)
    )
    if found is None:
        raise given.wrong(f"the parameter {name} is not known", hint_for(name))
    return found

"""Parameters to the conjunction of their conditions. A problem in one parameter hides none in
others, up to `MAX_PROBLEMS`.

An unknown parameter has a hint: those that were probably meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from tocsin.errors import Problem
from tocsin.events.codecs.epcis.master_data import MasterData
from tocsin.knowledge.ontology import Ontology
from tocsin.languages.epcis.conditions import Lowering
from tocsin.languages.epcis.master_data import about_master_data
from tocsin.languages.epcis.parameters import (
    CONTROLS,
    FIXED,
    examples,
    extension,
    find_composed_parameter,
)
from tocsin.languages.epcis.problems import control_problem
from tocsin.languages.epcis.read import EpcisQuery
from tocsin.languages.epcis.values import Given
from tocsin.plan.nodes.atoms import AllOf, BooleanNode, IsNull, Not

_WORD = re.compile(r"([A-Za-z]+)_(.+)")
_LISTS = {
    "epclist": "epc",
    "epcs": "epc",
    "childepcs": "epc",
    "childepc": "epc",
    "inputepclist": "inputEPC",
    "outputepclist": "outputEPC",
    "parent": "parentID",
    "quantitylist": "epcClass",
}
"""Fields of events that the parameters call by another name."""
_RELATIONS = {"GT": "GE", "LE": "LT", "EQ": "GE"}
_TIMES = ("eventTime", "recordTime", "errorDeclarationTime")
_NEGATIONS = ("NE", "NEQ", "NOT", "NOTEQ", "NOTEXISTS")
_SIMILAR_NAMES = {
    "LIKE": "MATCH",
    "IN": "EQ",
    "IS": "EQ",
    "EQUALS": "EQ",
    "HAS": "EXISTS",
    "WITHIN": "WD",
    "AFTER": "GE",
}
_OWN_FIELD = "a field of your own has a prefix, as in EQ_ext:field"


def hint_for(name: str) -> str:
    """Return what to write instead of an unknown parameter."""
    found = _WORD.fullmatch(name)
    word, field = (found[1].upper(), found[2]) if found else ("", name)
    if word in _NEGATIONS:
        return (
            f"a query only narrows: nothing is asked not to be; say it with a selector: {field} <>"
            " '...'"
        )
    if word in _RELATIONS and (time := _named(field, _TIMES)):
        return f"times are compared with GE_{time} (from then on) and LT_{time} (before then)"
    if word in ("EQ", "MATCH", *_SIMILAR_NAMES) and (meant := _identifier(field)):
        return f"did you mean MATCH_{meant}? It takes identifiers and patterns"
    if re.fullmatch(r"(?:EQ|GT|GE|LT|LE)_(?:\w+Value|value|quantity|sDev)_.+", name):
        return (
            "a unit is a code of two to four capital letters and digits (UN/CEFACT): GE_value_CEL,"
            " GE_quantity_KGM"
        )
    return _spelling(name) or _near(name) or _OWN_FIELD


def _identifier(field: str) -> str:
    known = [each.removeprefix("MATCH_") for each in examples() if each.startswith("MATCH_")]
    return _LISTS.get(field.lower()) or _named(field, known)


def _named(field: str, known: Iterator[str] | tuple[str, ...] | list[str]) -> str:
    return next((each for each in known if each.lower() == field.lower()), "")


def _spelling(name: str) -> str:
    """Return a suggestion: the same name in other capitals, or with another prefix word."""
    by_letters = {each.lower(): each for each in examples()}
    if meant := by_letters.get(name.lower()):
        return f"did you mean {meant}? Capital letters count"
    found = _WORD.fullmatch(name)
    if found and (meant := by_letters.get(found[2].lower())):
        return f"did you mean {meant}?"
    word = _SIMILAR_NAMES.get(found[1].upper(), "") if found else ""
    meant = (
        by_letters.get(f"{word}_{found[2]}".lower())
        if found and word
        else by_letters.get(f"eq_{name}".lower())
    )
    return f"did you mean {meant}?" if meant else ""


def _near(name: str) -> str:
    near = get_close_matches(name, list(examples()), n=3)
    return f"did you mean {' or '.join(near)}?" if near else ""


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

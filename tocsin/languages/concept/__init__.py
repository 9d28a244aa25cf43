"""Concepts: events by meaning, intervals in relation, and absence over time.

An atomic subscription is a description-logic concept, and an event rings it when it is an instance;
composites combine such events by interval relations, `&`, `|`, timed absence and shared values.
"""

from __future__ import annotations

from collections.abc import Mapping

from tocsin.errors import Problem
from tocsin.languages.base.context import Context
from tocsin.languages.base.reading import Language
from tocsin.languages.concept.checks import warnings
from tocsin.languages.concept.lower import meaning_of
from tocsin.languages.concept.terminology import tbox_of_text
from tocsin.plan.composites import Plan

__all__ = ["LANGUAGE", "parse", "problems", "tbox_of_text", "warnings"]


def parse(text: str, options: Mapping[str, object], context: Context) -> Plan:
    """The plan of a subscription; raises its first problem."""
    meaning = meaning_of(text, options, context)
    if meaning.problems:
        raise meaning.problems[0]
    return Plan(meaning.part)


def problems(text: str, options: Mapping[str, object], context: Context) -> list[Problem]:
    """Every problem of a subscription in the order of its places; empty iff it parses."""
    try:
        return meaning_of(text, options, context).problems
    except Problem as problem:
        return [problem]


LANGUAGE = Language(parse, problems, warnings)

"""The language `rule`: one readable way to say what should ring, over atoms of any language.

What happens in which order, what does not, how often, over how long, where and for whom, in English
words. Everything lowers to the nodes of the plan.
"""

from __future__ import annotations

from collections.abc import Mapping

from tocsin.errors import Problem
from tocsin.languages.context import Context
from tocsin.languages.language import Language
from tocsin.languages.rule.limits import Limits
from tocsin.languages.rule.meaning import meaning_of
from tocsin.languages.rule.warn import warnings_of
from tocsin.plan.composites import Plan

__all__ = ["LANGUAGE", "Limits", "parse", "problems", "warnings"]

_LIMITS = Limits()


def parse(text: str, options: Mapping[str, object], context: Context) -> Plan:
    """The plan of a rule; raises its first problem."""
    meaning = meaning_of(text, options, context, _LIMITS)
    if meaning.problems:
        raise meaning.problems[0]
    return meaning.plan


def problems(text: str, options: Mapping[str, object], context: Context) -> list[Problem]:
    """Every problem of a rule in the order of its places; empty iff it parses."""
    try:
        return meaning_of(text, options, context, _LIMITS).problems
    except Problem as problem:
        return [problem]


def warnings(text: str, options: Mapping[str, object], context: Context) -> list[Problem]:
    """What a rule that parses says that is probably not meant, or leaves unsaid."""
    try:
        return warnings_of(meaning_of(text, options, context, _LIMITS), text, context)
    except Problem:
        return []


LANGUAGE = Language(parse=parse, problems=problems, warnings=warnings)

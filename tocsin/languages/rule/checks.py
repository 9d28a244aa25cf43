"""Warnings: rules that are legal and probably not meant. They refuse nothing.

Parts that wait for the horizon for lack of a WITHIN were recorded at lowering. Warnings for a
condition or an atom in braces come from its own language, placed in the rule.
"""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.errors import Problem
from tocsin.languages.base.context import Context, PartDefinition
from tocsin.languages.base.embedded import shift_problem
from tocsin.languages.base.texts import ProblemCollector
from tocsin.languages.rule.compile import LoweredRule
from tocsin.languages.rule.names import SELECTOR
from tocsin.languages.rule.syntax import (
    EmbeddedAtom,
    EventAtom,
    Meets,
    PartSyntax,
    StateChangeSyntax,
    nodes_of,
)


def warnings_of(meaning: LoweredRule, text: str, context: Context) -> list[Problem]:
    """Return the warnings of a rule; empty if it has problems."""
    if meaning.problems:
        return []
    told = ProblemCollector(text)
    told.found.extend(meaning.warnings)
    for node in nodes_of(meaning.rule.when):
        for language, inner, start in _inner_texts(node, context):
            found = context.warn_of_atom(language, inner)
            told.found.extend(shift_problem(each, text, start) for each in found)
    return told.in_reading_order()


def _inner_texts(node: PartSyntax, context: Context) -> Iterator[tuple[str, str, int]]:
    """Yield texts of other languages directly in a part: language, text and start offset."""
    match node:
        case EventAtom(name, condition) if condition:
            if not isinstance(context.definitions.get(name), PartDefinition):
                yield SELECTOR, condition, node.start
        case EmbeddedAtom(language, text):
            yield language, text, node.start
        case StateChangeSyntax(_, _, Meets(condition) as state):
            yield SELECTOR, condition, state.start
        case _:
            pass

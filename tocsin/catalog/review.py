"""A whole file looked at: definitions that are broken, pointless or used by nobody, and what
subscriptions warn of.
"""

from __future__ import annotations

from collections.abc import Iterator, ValuesView
from dataclasses import replace

from tocsin.catalog.compiling import Surroundings, problems_of, warnings_of
from tocsin.catalog.files import Entries, LineProblem
from tocsin.errors import MeaningProblem, Problem
from tocsin.languages.base.context import Definition, MasterDataDefinition
from tocsin.languages.definitions import (
    can_be_named,
    problems_in_definition,
    warnings_in_definition,
)


class _Watched(dict[str, Definition]):
    """Definitions that note which of them were asked for."""

    def __init__(self, definitions: dict[str, Definition]) -> None:
        super().__init__(definitions)
        self.asked: set[str] = set()

    def get(self, name: str, default: object = None) -> Definition | None:  # type: ignore[override]
        self.asked.add(name)
        return super().get(name)

    def values(self) -> ValuesView[Definition]:  # type: ignore[override]
        """Only master data are looked at without their names."""
        self.asked |= {
            name for name, each in self.items() if isinstance(each, MasterDataDefinition)
        }
        return super().values()


def definition_problems(entries: Entries) -> list[LineProblem]:
    """Every problem of the definitions of a file, used or not."""
    context = Surroundings.of(entries.definitions).context
    return [
        LineProblem(entries.lines.get(each.name, 0), each.name, problem)
        for each in context.definitions.values()
        for problem in problems_in_definition(each, context)
    ]


def file_warnings(entries: Entries) -> list[LineProblem]:
    """What the good lines of a file say that is probably not meant, by line."""
    context = Surroundings.of(entries.definitions).context
    watched = _Watched(dict(context.definitions))
    light = Surroundings(replace(context, definitions=watched))
    found: list[LineProblem] = []
    broken = bool(entries.problems)
    for entry in entries.subscriptions:
        if problems_of(entry.subscription, light):
            broken = True
            continue
        warnings = warnings_of(entry.subscription, light)
        found += [LineProblem(entry.line, entry.subscription.id, each) for each in warnings]
    for each in context.definitions.values():
        used = broken or each.name in watched.asked
        warnings = list(_definition_warnings(each, Surroundings(context), used))
        found += [
            LineProblem(entries.lines.get(each.name, 0), each.name, warning) for warning in warnings
        ]
    return sorted(found, key=lambda each: each.line)


def _definition_warnings(
    definition: Definition, light: Surroundings, used: bool
) -> Iterator[Problem]:
    """Whether a definition is used is known only where all lines could be read."""
    if not problems_in_definition(definition, light.context):
        yield from warnings_in_definition(definition, light.context)
    if not can_be_named(definition):
        message = f"no subscription can name {definition.name!r}"
        hint = "a name is letters, digits and hyphens and begins with a letter, as in Region-1"
        yield MeaningProblem(message, code="UNUSABLE_NAME", token=definition.name, hint=hint)
    elif not used:
        message = f"no subscription uses {definition.name!r}"
        hint = "leave it out, or look for its name misspelt in a subscription"
        yield MeaningProblem(message, code="UNUSED_DEFINITION", token=definition.name, hint=hint)

"""Review of a whole file: broken, useless or unused definitions, and warnings of subscriptions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, ValuesView
from dataclasses import dataclass, replace

from tocsin.catalog.compiling import Compiled, Surroundings, read_subscription
from tocsin.catalog.files import Entries, LineProblem
from tocsin.errors import MeaningProblem, Problem
from tocsin.languages.base.reading import Definition, MasterDataDefinition
from tocsin.languages.definitions import can_be_named, judge_definition


class _Watched(dict[str, Definition]):
    """Definitions that record the names looked up."""

    def __init__(self, definitions: dict[str, Definition]) -> None:
        super().__init__(definitions)
        self.queried: set[str] = set()

    def get(self, name: str, default: object = None) -> Definition | None:  # type: ignore[override]
        self.queried.add(name)
        return super().get(name)

    def values(self) -> ValuesView[Definition]:  # type: ignore[override]
        """Return all definitions; only master data are used without their names, so these count as
        used.
        """
        self.queried |= {
            name for name, each in self.items() if isinstance(each, MasterDataDefinition)
        }
        return super().values()


@dataclass(frozen=True, slots=True)
class Review:
    """The result for a whole file: compiled subscriptions, problems and warnings by line."""

    compiled: tuple[Compiled, ...]
    problems: tuple[LineProblem, ...]
    warnings: tuple[LineProblem, ...]


def review(entries: Entries) -> Review:
    """Check the lines of a file, including definitions; return problems, and warnings of likely
    mistakes.
    """
    context = Surroundings.of(entries.definitions).context
    watched = _Watched(dict(context.definitions))
    light = Surroundings(replace(context, definitions=watched), tuple(entries.definitions))
    compiled = compile_entries(entries, light)
    judged = [(each, judge_definition(each, context)) for each in context.definitions.values()]
    problems = [*entries.problems, *problems_by_line(entries, compiled)]
    warnings = [
        LineProblem(entry.line, entry.subscription.id, warning)
        for entry, each in zip(entries.subscriptions, compiled, strict=True)
        for warning in each.warnings
    ]
    broken = bool(problems)
    for definition, found in judged:
        line, name = entries.lines.get(definition.name, 0), definition.name
        problems += [LineProblem(line, name, each) for each in found.problems]
        used = broken or name in watched.queried
        warnings += [
            LineProblem(line, name, each)
            for each in (*found.warnings, *_use_warnings(definition, used))
        ]
    return Review(tuple(compiled), by_line(problems), by_line(warnings))


def compile_entries(entries: Entries, environment: Surroundings) -> list[Compiled]:
    """Compile each subscription of a file once."""
    return [read_subscription(entry.subscription, environment) for entry in entries.subscriptions]


def problems_by_line(entries: Entries, compiled: Iterable[Compiled]) -> list[LineProblem]:
    """Return the problems of the subscriptions of a file, each with its line."""
    return [
        LineProblem(entry.line, entry.subscription.id, problem)
        for entry, each in zip(entries.subscriptions, compiled, strict=True)
        for problem in each.problems
    ]


def by_line(problems: Iterable[LineProblem]) -> tuple[LineProblem, ...]:
    """Sort problems by line."""
    return tuple(sorted(problems, key=lambda each: each.line))


def _use_warnings(definition: Definition, used: bool) -> Iterator[Problem]:
    """Yield warnings about a definition that cannot be named or is not used.

    The caller knows that it is unused only if all lines could be read.
    """
    if not can_be_named(definition):
        message = f"no subscription can name {definition.name!r}"
        hint = "a name is letters, digits and hyphens and begins with a letter, as in Region-1"
        yield MeaningProblem(message, code="UNUSABLE_NAME", token=definition.name, hint=hint)
    elif not used:
        message = f"no subscription uses {definition.name!r}"
        hint = "leave it out, or look for its name misspelt in a subscription"
        yield MeaningProblem(message, code="UNUSED_DEFINITION", token=definition.name, hint=hint)

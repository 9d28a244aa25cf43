"""The shape of a pattern: its statements without names of variables, in search order.

Patterns that differ only in names, and nearly always those that differ in the order of statements,
have one shape and are searched once. A statement is ready as soon as its subject has an image. One
whose object has one, too, comes first, because it only tests; then those that continue from the
newest position.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

from tocsin.engine.graphs.links import LinkPattern
from tocsin.plan.nodes.graphs import (
    GraphPattern,
    Home,
    Injective,
    StatementPattern,
    Variable,
    Vertex,
    conditions_of,
)
from tocsin.values.terms import Iri, Literal

HOME_POSITION = 0

Words: TypeAlias = tuple[str, str, str, str, bool]


@dataclass(frozen=True, slots=True)
class SearchStep:
    """A statement between two positions; it binds if the object has no image before."""

    subject: int
    object: int
    link: LinkPattern
    binds: bool


@dataclass(frozen=True, slots=True)
class PatternShape:
    """Steps over positions: home, then the constants, then variables as the steps reach them.

    `exact` is the pattern itself if the steps alone do not decide it.
    """

    constants: tuple[Iri | Literal, ...]
    variables: int
    steps: tuple[SearchStep, ...]
    injective: Injective
    exact: GraphPattern | None = None

    @property
    def positions(self) -> int:
        """Number of ids."""
        return 1 + len(self.constants) + self.variables


def shape_of(pattern: GraphPattern) -> PatternShape:
    """Return the shape of a pattern; select and optional groups are not part of it."""
    constants = sorted((each for each in pattern.ids if isinstance(each, Iri | Literal)), key=str)
    positions: dict[Vertex, int] = {each: place for place, each in enumerate((Home(), *constants))}
    steps = _ordered(list(dict.fromkeys(pattern.statements)), positions)
    is_open = bool(pattern.absents or conditions_of(pattern.statements))
    exact = replace(pattern, select=(), optionals=()) if is_open else None
    variables = sum(isinstance(each, Variable) for each in positions)
    return PatternShape(tuple(constants), variables, steps, pattern.injective, exact)


def _ordered(
    statements: list[StatementPattern], positions: dict[Vertex, int]
) -> tuple[SearchStep, ...]:
    """Return the statements as steps; assigns every variable a position."""
    waiting = {each: _words(each) for each in statements}
    steps: list[SearchStep] = []

    def preference(each: StatementPattern) -> tuple[bool, int, Words, int]:
        """Rank tests first, then the newest position; words make the order deterministic."""
        place = positions.get(each.object)
        return (place is None, -positions[each.subject], waiting[each], place or 0)

    while waiting:
        chosen = min((each for each in waiting if each.subject in positions), key=preference)
        del waiting[chosen]
        binds = chosen.object not in positions
        place = positions.setdefault(chosen.object, len(positions))
        steps.append(SearchStep(positions[chosen.subject], place, LinkPattern.of(chosen), binds))
    return tuple(steps)


def _words(statement: StatementPattern) -> Words:
    condition = "" if statement.filter is None else repr(statement.filter)
    return (
        statement.property,
        statement.object_class,
        statement.subject_class,
        condition,
        statement.repeated,
    )

"""The scale workload: selectors of three to six predicates over distinct attributes, 0.1 to 1 % of
them match an event.

Three shapes: plain conjunctions; the same number of predicates in trees of AND, OR and NOT;
conjunctions of which each has an equality. The weights below keep the share of matches in its
bounds; words follow Zipf's law.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from random import Random

from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import AllOf, AnyOf, BooleanNode, Not, Predicate
from tocsin.values.scalars import Path
from tocsin_benchmarks.selectors.workloads.population import Population
from tocsin_benchmarks.selectors.workloads.predicates import (
    Mix,
    draw_number_equality,
    draw_number_set,
    draw_ordering,
    draw_pattern,
    draw_range,
    draw_word_equality,
    draw_word_set,
)

MATCH_RATE = (0.001, 0.01)


class Shape(Enum):
    """The form of the selectors."""

    AND = "and"
    TREE = "tree"
    EQUALITY = "equality"

    @property
    def label(self) -> str:
        """The form as shown in tables."""
        return {"and": "AND", "tree": "AND/OR/NOT", "equality": "AND with ="}[self.value]


_NUMERIC = {
    Shape.AND: Mix(
        {draw_number_equality: 10, draw_ordering: 45, draw_range: 35, draw_number_set: 10}
    ),
    Shape.TREE: Mix(
        {draw_number_equality: 40, draw_ordering: 8, draw_range: 10, draw_number_set: 42}
    ),
    Shape.EQUALITY: Mix({draw_ordering: 75, draw_range: 25}),
}
_TEXTUAL = {
    Shape.AND: Mix({draw_word_equality: 20, draw_word_set: 20, draw_pattern: 60}),
    Shape.TREE: Mix({draw_word_equality: 80, draw_word_set: 10, draw_pattern: 10}),
    Shape.EQUALITY: Mix({draw_word_set: 10, draw_pattern: 90}),
}


@dataclass(frozen=True, slots=True)
class ScaleWorkload:
    """Many selectors of one shape, and events that carry all attributes."""

    shape: Shape
    subscriptions: int
    attributes: int
    seed: int

    def selectors(self) -> Iterator[BooleanNode]:
        """The selectors; a smaller workload of the same seed is the beginning of a larger one."""
        random = Random(f"scale selectors {self.seed} {self.attributes} {self.shape.name}")
        population = self._population()
        for _ in range(self.subscriptions):
            yield _selector(random, population, self.shape)

    def events(self, count: int) -> list[Event]:
        """The first events."""
        random = Random(f"scale events {self.seed} {self.attributes}")
        population = self._population()
        return [population.event(random, number) for number in range(count)]

    def _population(self) -> Population:
        return Population.of(self.attributes, self.seed, skewed=True)


def _selector(random: Random, population: Population, shape: Shape) -> BooleanNode:
    paths = random.sample(population.numeric + population.textual, random.randint(3, 6))
    if shape is Shape.TREE:
        return _tree(random, [_predicate(random, population, path, shape) for path in paths])
    if shape is Shape.EQUALITY:
        return AllOf(_with_equality(random, population, paths))
    return AllOf(tuple(_predicate(random, population, path, shape) for path in paths))


def _predicate(random: Random, population: Population, path: Path, shape: Shape) -> Predicate:
    mix = (_NUMERIC if path in population.numeric else _TEXTUAL)[shape]
    return mix.draw(random)(random, population, path)


def _with_equality(
    random: Random, population: Population, paths: list[Path]
) -> tuple[BooleanNode, ...]:
    """One word equality at a random place; the rest does not touch its attribute."""
    path = random.choice(population.textual)
    others = [other for other in paths if other != path][: len(paths) - 1]
    operands = [_predicate(random, population, other, Shape.EQUALITY) for other in others]
    operands.insert(random.randint(0, len(operands)), draw_word_equality(random, population, path))
    return tuple(operands)


def _tree(random: Random, predicates: list[Predicate]) -> BooleanNode:
    """The last one or two predicates may be excluded by NOT; the others are conjunctions of choices
    or the reverse.
    """
    excluded = min(random.randint(0, 2), len(predicates) - 3)
    kept = predicates[: len(predicates) - excluded]
    wanted = (
        _choice_of_groups(kept)
        if len(kept) > 3 and random.random() < 0.5
        else _groups_of_choices(kept)
    )
    if not excluded:
        return wanted
    group = AllOf if random.random() < 0.5 else AnyOf
    return AllOf((wanted, Not(_group(group, predicates[len(predicates) - excluded :]))))


def _choice_of_groups(predicates: list[Predicate]) -> BooleanNode:
    """`a AND b OR c AND d AND e`."""
    half = len(predicates) // 2
    return AnyOf((AllOf(tuple(predicates[:half])), AllOf(tuple(predicates[half:]))))


def _groups_of_choices(predicates: list[Predicate]) -> BooleanNode:
    """`(a OR b) AND (c OR d) AND e`."""
    return AllOf(
        tuple(
            _group(AnyOf, predicates[first : first + 2]) for first in range(0, len(predicates), 2)
        )
    )


def _group(group: type[AllOf] | type[AnyOf], operands: list[Predicate]) -> BooleanNode:
    return operands[0] if len(operands) == 1 else group(tuple(operands))
